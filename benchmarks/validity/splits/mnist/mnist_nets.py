"""Convolutional nets of MNIST, many trained side by side on one device by torch.

The net of the paper on the 5×2 BCV McNemar test (arXiv:2304.03990, section 5.2): 32
filters of 5×5, pools of 2×2, 64 filters of 5×5, pools of 2×2, a dense layer of 500, a
softmax of 10; ReLU, cross-entropy, batches of 128. Where the paper is silent, what its
library (Keras) does unless told otherwise: filters stay within the image, and weights begin
as Glorot's uniform numbers and biases as 0. Adam takes steps of 0.001.

Weights of all nets stand in one tensor a layer. Each net has records, initial weights, an
order of records and dropout of its own. Batches follow each other through the orders of all
epochs; the records of a last batch that is not full are left out.
"""

import math
import time

import numpy as np
import torch

from benchmarks.validity.splits.mnist.mnist_convolutions import Convolutions

BATCH = 128
RATE, BETAS, EPSILON = 1e-3, (0.9, 0.999), 1e-7
HIDDEN, WIDE = 500, 512
"""Units of the dense layer, and with those that stay 0: a width that matrices like."""
CLASSES, OUTPUTS = 10, 16

SHAPES = {
    "filters1": (32, 32),  # 25 pixels, then the bias, then rows that stay 0
    "filters2": (800, 64),
    "bias2": (1, 64),
    "dense": (1024, WIDE),
    "bias3": (1, WIDE),
    "last": (WIDE, OUTPUTS),
    "bias4": (1, OUTPUTS),
}


def initial_weights(rng):
    """Weights of one net before training, by name, float32."""
    weights = {name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()}
    for name, rows, columns, into, out in (
        ("filters1", 25, 32, 25, 25 * 32),
        ("filters2", 800, 64, 25 * 32, 25 * 64),
        ("dense", 1024, HIDDEN, 1024, HIDDEN),
        ("last", HIDDEN, CLASSES, HIDDEN, CLASSES),
    ):
        limit = math.sqrt(6 / (into + out))
        weights[name][:rows, :columns] = rng.uniform(-limit, limit, (rows, columns))
    return weights


def order_of(records, n_epochs, rng):
    """Records in the order in which a net sees them: every epoch has its own."""
    rows = np.tile(np.asarray(records, dtype=np.int32), (n_epochs, 1))
    order = rng.permuted(rows, axis=1).ravel()
    return order[: len(order) // BATCH * BATCH]


class Population:
    """Images and labels on a device; behind the 784 pixels stand a one and a zero."""

    def __init__(self, images, labels, device="cpu", dtype=torch.float32):
        pixels = torch.as_tensor(images.reshape(len(images), -1), device=device)
        ends = torch.tensor([1.0, 0.0], device=device).expand(len(images), 2)
        self.pixels = torch.cat([pixels / 255, ends], dim=1).to(dtype).contiguous()
        self.labels = torch.as_tensor(labels.astype(np.int64), device=device)


class Stack:
    """Nets of one size of training set, trained together.

    `n_steps` is the largest number of batches that a net sees, and `way` the class that
    computes the convolutions.
    """

    def __init__(self, population, n_nets, n_steps, way=Convolutions):
        self.population, self.n_nets = population, n_nets
        self.device, self.dtype = population.pixels.device, population.pixels.dtype
        self.way = way(population, BATCH, n_nets)
        self.master = self._tensors(torch.float32)
        same = self.dtype == torch.float32
        self.weights = self.master if same else self._tensors(self.dtype)
        self.gradient = self._tensors(self.dtype)
        self.mean, self.square = self._tensors(torch.float32), self._tensors(torch.float32)
        self.order = self._zeros(n_nets, n_steps, BATCH, dtype=torch.int32)
        self.step = self._zeros(1, dtype=torch.int32)
        self.keys = self._zeros(n_nets, 1, 1, dtype=torch.int64)
        self.rates = self._zeros(n_nets, 1, 1, dtype=torch.float32)
        self.drops = False

    def _zeros(self, *shape, dtype):
        return torch.zeros(shape, dtype=dtype, device=self.device)

    def _tensors(self, dtype):
        return {
            name: self._zeros(self.n_nets, *shape, dtype=dtype)
            for name, shape in SHAPES.items()
        }

    def load(self, weights, orders, keys, rates):
        """Begin anew: weights and order of each net, key and rate of its dropout."""
        for name, tensor in self.master.items():
            tensor.copy_(torch.as_tensor(np.stack([each[name] for each in weights])))
            self.weights[name].copy_(tensor)
            self.mean[name].zero_()
            self.square[name].zero_()
        orders = torch.as_tensor(np.stack(orders)).reshape(self.n_nets, -1, BATCH)
        self.n_steps = orders.shape[1]
        self.order[:, : self.n_steps].copy_(orders)
        self.keys.copy_(torch.as_tensor(np.asarray(keys, np.int64)).reshape(-1, 1, 1))
        self.rates.copy_(torch.as_tensor(np.asarray(rates, np.float32)).reshape(-1, 1, 1))
        self.drops = bool(np.any(rates))
        self.step.zero_()

    def train_step(self):
        """One batch of every net."""
        index = self.order.index_select(1, self.step).squeeze(1)
        self.gradients(index)
        self.update()
        self.step.add_(1)

    def gradients(self, index):
        """Gradients of the mean cross-entropy of a batch, (nets, batch) of records."""
        w, gradient = self.weights, self.gradient
        features, saved = self.way.forward(index, w)
        keep = self._keep(features) if self.drops else None
        inputs = features if keep is None else features * keep
        hidden, outputs = dense_layers(inputs, w)
        slopes = torch.softmax(outputs[..., :CLASSES].float(), dim=-1)
        truth = self.population.labels[index].unsqueeze(-1)
        slopes.scatter_add_(-1, truth, torch.full_like(slopes[..., :1], -1.0))
        slopes = torch.nn.functional.pad(slopes / BATCH, (0, OUTPUTS - CLASSES))
        slopes = slopes.to(self.dtype)
        torch.bmm(hidden.mT, slopes, out=gradient["last"])
        torch.sum(slopes, dim=1, keepdim=True, out=gradient["bias4"])
        slopes = torch.bmm(slopes, w["last"].mT) * (hidden > 0)
        torch.bmm(inputs.mT, slopes, out=gradient["dense"])
        torch.sum(slopes, dim=1, keepdim=True, out=gradient["bias3"])
        slopes = torch.bmm(slopes, w["dense"].mT)
        slopes = slopes if keep is None else slopes * keep
        self.way.backward(saved, slopes, w, gradient)

    def _keep(self, features):
        """Factors of dropout: 0, or one over the share that is kept.

        Random bits are a hash (the finish of MurmurHash3) of the net's key, the step and
        the place, so that they depend on nothing else.
        """
        size = features[0].numel()
        x = torch.arange(size, device=self.device).reshape(features.shape[1:])
        x = (x + self.step * size) * 0x9E3779B1 + self.keys
        for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
            x = x & 0xFFFFFFFF
            x = (x ^ (x >> shift)) * factor
        kept = (x & 0xFFFFFFFF) >= (self.rates * 2.0**32).to(torch.int64)
        return (kept / (1 - self.rates)).to(self.dtype)

    def update(self):
        """One step of Adam from the gradients."""
        for name, weights in self.master.items():
            state = self.gradient[name], self.mean[name], self.square[name], self.step
            self.way.adam(weights, self.weights[name], *state, RATE, BETAS, EPSILON)

    def run(self, n_steps, deadline=math.inf, every=250):
        """Train for some steps; False where the deadline came before the end."""
        for k in range(n_steps):
            if k % every == 0:
                if self.device.type == "cuda":
                    torch.cuda.synchronize()
                if time.monotonic() > deadline:
                    return False
            self.train_step()
        return True

    def right(self, tests):
        """Whether each net predicts each record of its test set rightly: boolean arrays."""
        size = -(-max(map(len, tests)) // BATCH) * BATCH
        index = np.stack([np.resize(test, size) for test in tests]).astype(np.int32)
        index = torch.as_tensor(index, device=self.device).reshape(self.n_nets, -1, BATCH)
        parts = []
        for k in range(index.shape[1]):
            batch = index[:, k].contiguous()
            features, _ = self.way.forward(batch, self.weights)
            _, outputs = dense_layers(features, self.weights)
            predicted = outputs[..., :CLASSES].argmax(dim=-1)
            parts.append(predicted == self.population.labels[batch])
        right = torch.cat(parts, dim=1).cpu().numpy()
        return [row[: len(test)] for row, test in zip(right, tests)]


def dense_layers(inputs, w):
    """Values of the dense layer and of the outputs before the softmax."""
    hidden = torch.baddbmm(w["bias3"], inputs, w["dense"]).relu_()
    return hidden, torch.baddbmm(w["bias4"], hidden, w["last"])
