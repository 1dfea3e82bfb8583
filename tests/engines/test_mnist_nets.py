"""Nets of the MNIST study, trained side by side, against nets of `torch.nn`."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
nets = pytest.importorskip("benchmarks.validity.splits.mnist.mnist_nets")

from benchmarks.validity.splits.mnist import mnist_designs as designs  # noqa: E402
from benchmarks.validity.splits.mnist import mnist_training as training  # noqa: E402


@pytest.fixture(scope="module")
def images():
    """Noise with a bright row for each class, and classes."""
    rng = np.random.default_rng(0)
    labels = rng.integers(10, size=300)
    images = rng.integers(120, size=(300, 28, 28))
    images[np.arange(300), 2 * labels + 4] += 100
    return images.astype(np.uint8), labels


def single_net(weights):
    """The same net as a module."""
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 32, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(32, 64, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Flatten(), torch.nn.Linear(1024, 500), torch.nn.ReLU(),
        torch.nn.Linear(500, 10),
    )  # fmt: skip
    first, second, dense, last = (net[k] for k in (0, 3, 7, 9))
    values = {
        first: weights["filters1"][:25].T.reshape(32, 1, 5, 5),
        second: weights["filters2"].reshape(5, 5, 32, 64).transpose(3, 2, 0, 1),
        # Places come before channels there, and channels before places here.
        dense: weights["dense"][:, :500].reshape(16, 64, 500).transpose(2, 1, 0),
        last: weights["last"][:500, :10].T,
    }
    with torch.no_grad():
        for layer, value in values.items():
            layer.weight.copy_(torch.tensor(value.reshape(layer.weight.shape)))
            layer.bias.zero_()
    return net


def predictions_of(net, images, labels, order):
    """Train a module in the order of records; whether it predicts each record rightly."""
    pixels = torch.tensor(images / 255, dtype=torch.float32).unsqueeze(1)
    labels = torch.tensor(labels)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-7)
    for batch in torch.tensor(order).long().split(nets.BATCH):
        loss = torch.nn.functional.cross_entropy(net(pixels[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        return (net(pixels).argmax(dim=1) == labels).numpy()


def test_nets_side_by_side_are_single_nets(images):
    """Weights and predictions after some steps, for two nets of other records."""
    rng = np.random.default_rng(1)
    weights = [nets.initial_weights(rng) for _ in range(2)]
    orders = [nets.order_of(np.arange(k, 150 + k), 4, rng) for k in (0, 140)]
    stack = nets.Stack(nets.Population(*images), 2, 4)
    stack.load(weights, orders, [1, 2], [0.0, 0.0])

    assert 4 == stack.n_steps
    assert stack.run(4)
    right = stack.right([np.arange(300)] * 2)
    for k in range(2):
        net = single_net(weights[k])
        expected = predictions_of(net, *images, orders[k])
        dense = stack.weights["dense"][k, :, :500].reshape(16, 64, 500).permute(2, 1, 0)
        torch.testing.assert_close(dense.reshape(500, 1024), net[7].weight.data,
                                   rtol=0, atol=2e-5)  # fmt: skip
        torch.testing.assert_close(stack.weights["bias2"][k, 0], net[3].bias.data,
                                   rtol=0, atol=2e-5)  # fmt: skip
        assert 1e-3 < np.abs(stack.weights["dense"][k].numpy() - weights[k]["dense"]).max()
        assert np.mean(right[k] == expected) > 0.99


def test_dropout_is_of_the_challenger_alone(images):
    """A rate of 0 beside one of 0.5 leaves the net as it is, and 0.5 drops half."""
    rng = np.random.default_rng(1)
    weights = [nets.initial_weights(rng)] * 2
    order = nets.order_of(np.arange(150), 2, rng)
    stack = nets.Stack(nets.Population(*images), 2, 2)
    trained = []
    for rates in ([0.0, 0.0], [0.0, 0.5]):
        stack.load(weights, [order] * 2, [1, 2], rates)
        stack.run(2)
        trained.append(stack.weights["dense"].clone())
    kept = stack._keep(torch.ones(2, nets.BATCH, 1024))

    assert trained[0][0].equal(trained[1][0])
    assert not trained[0][1].equal(trained[1][1])
    assert [1.0] == kept[0].unique().tolist()
    assert [0.0, 2.0] == kept[1].unique().tolist()
    assert kept[1].mean().item() == pytest.approx(1.0, abs=0.02)


def test_what_is_trained_does_not_depend_on_its_neighbours(images):
    """Lines of one unit, alone and in a group, by stacks of one net and of three."""
    setting = designs.Setting(0, 200, 0.3, 2)
    population = np.resize(images[0], (60_000, 28, 28)), np.resize(images[1], 60_000)
    units = [designs.Unit(number, (0,)) for number in range(2)]
    lines = {}
    for n_nets, some in ((1, units[1:]), (3, units)):
        trainer = training.Trainer(*population, "cpu", n_nets, deadline=1e9)
        lines[n_nets] = [
            line for group, *_ in trainer.run(some, [setting]) for line in group
        ]

    assert 2 == len(lines[3])
    assert lines[1] == lines[3][1:]
