"""Ways to compute the two convolutions of a stack of nets: one is fastest on a device.

A way has `forward`, from the records of a batch to the features of the dense layer and what
it saves, and `backward`, from the slopes of the features to the gradients of the filters.
"""

import torch

FOUR = [(0, 0), (0, 1), (1, 0), (1, 1)]


def _first_taps():
    """Pixels under the filter at each of 144 pools' four places, (144, 4, 32).

    Behind the 25 pixels are the place of the one, for the bias, and that of the zero.
    """
    taps = [
        [
            [(2 * y + v + ky) * 28 + 2 * x + u + kx for ky in range(5) for kx in range(5)]
            + [784]
            + [785] * 6
            for v, u in FOUR
        ]
        for y in range(12)
        for x in range(12)
    ]
    return torch.tensor(taps)


def _second_taps():
    """Places of the pooled maps under the filter, (64, 25): four places a pool."""
    taps = [
        [(2 * y + v + ky) * 12 + 2 * x + u + kx for ky in range(5) for kx in range(5)]
        for y in range(4)
        for x in range(4)
        for v, u in FOUR
    ]
    return torch.tensor(taps)


class Products:
    """Patches of all places, and products of matrices."""

    name = "products"

    def __init__(self, population, batch, n_nets):
        self.pixels, self.n_nets, self.batch = population.pixels, n_nets, batch
        device = self.pixels.device
        self.taps1 = _first_taps().to(device).flatten()
        taps2 = _second_taps()
        self.taps2 = taps2.flatten().to(device)
        # For each place of the maps the rows of the patches that it is in; behind all
        # rows stands one of zeros.
        inverse = torch.full((144, 25), 1600)
        for row, tap in torch.cartesian_prod(torch.arange(64), torch.arange(25)).tolist():
            inverse[taps2[row, tap], tap] = row * 25 + tap
        self.inverse = inverse.flatten().to(device)

    def forward(self, index, w):
        pixels = self.pixels[index]
        patches = pixels[..., self.taps1].reshape(self.n_nets, -1, 32)
        pooled, first = pool(
            torch.bmm(patches, w["filters1"]), (self.n_nets, self.batch, 144)
        )
        maps = pooled.index_select(2, self.taps2).reshape(self.n_nets, -1, 800)
        z = torch.baddbmm(w["bias2"], maps, w["filters2"])
        features, second = pool(z, (self.n_nets, self.batch, 16))
        return features.flatten(2), (patches, maps, first, second)

    def backward(self, saved, slopes, w, gradient):
        patches, maps, first, second = saved
        slopes = unpool(slopes.reshape(second.shape), second)
        gradient["bias2"].copy_(slopes.sum(dim=1, keepdim=True))
        torch.bmm(maps.mT, slopes, out=gradient["filters2"])
        slopes = torch.bmm(slopes, w["filters2"].mT)
        slopes = slopes.reshape(self.n_nets, self.batch, 1600, 32)
        slopes = torch.nn.functional.pad(slopes, (0, 0, 0, 1))
        slopes = slopes.index_select(2, self.inverse)
        slopes = slopes.reshape(self.n_nets, self.batch, 144, 25, 32).sum(dim=3)
        torch.bmm(patches.mT, unpool(slopes, first), out=gradient["filters1"])


def pool(z, shape):
    """Largest of the four places of each pool after ReLU, and which it was; 4 for none."""
    best, code = z.reshape(*shape, 4, z.shape[-1]).max(dim=3)
    return best.relu(), torch.where(best > 0, code, 4).to(torch.int8)


def unpool(slopes, codes):
    """Slopes at the four places of each pool, in the shape of products."""
    four = torch.arange(4, dtype=codes.dtype, device=codes.device).unsqueeze(1)
    spread = (codes.unsqueeze(3) == four) * slopes.unsqueeze(3)
    return spread.reshape(len(slopes), -1, slopes.shape[-1])


class Grouped:
    """Convolutions in groups, and gradients by torch: a net is a group of channels."""

    name = "grouped"

    def __init__(self, population, batch, n_nets):
        self.pixels, self.n_nets, self.batch = population.pixels, n_nets, batch

    def forward(self, index, w):
        m, conv = self.n_nets, torch.nn.functional.conv2d
        images = self.pixels[index.T, :784].reshape(self.batch, m, 28, 28)
        names = "filters1", "filters2", "bias2"
        leaves = filters1, filters2, bias2 = [
            w[name].detach().requires_grad_() for name in names
        ]
        taps = filters1[:, :25].mT.reshape(m * 32, 1, 5, 5)
        z = conv(images, taps, filters1[:, 25].reshape(-1), groups=m)
        z = torch.nn.functional.max_pool2d(z.relu(), 2)
        taps = filters2.reshape(m, 5, 5, 32, 64).permute(0, 4, 3, 1, 2)
        z = conv(z, taps.reshape(m * 64, 32, 5, 5), bias2.reshape(-1), groups=m)
        z = torch.nn.functional.max_pool2d(z.relu(), 2)
        features = z.reshape(self.batch, m, 64, 16).permute(1, 0, 3, 2).flatten(2)
        return features.detach().contiguous(), (features, leaves)

    def backward(self, saved, slopes, w, gradient):
        features, leaves = saved
        found = torch.autograd.grad(features, leaves, slopes)
        for name, value in zip(("filters1", "filters2", "bias2"), found):
            gradient[name].copy_(value)


class Compiled(Products):
    """`Products` with what stands between the products fused by torch.compile."""

    name = "compiled"

    def __init__(self, population, batch, n_nets):
        super().__init__(population, batch, n_nets)
        self.forward = torch.compile(super().forward, dynamic=False)
        self.backward = torch.compile(super().backward, dynamic=False)


def _kernels(*args):
    # Triton is there on machines with a GPU alone.
    from benchmarks.validity.splits.mnist.mnist_kernels import Kernels

    return Kernels(*args)


WAYS = {"kernels": _kernels, "products": Products, "grouped": Grouped, "compiled": Compiled}
