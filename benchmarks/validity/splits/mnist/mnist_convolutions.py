"""The two convolutions of a stack of nets, and Adam, by torch alone.

They run on any device, and `mnist_kernels`, which is faster on a GPU, must agree with them.
Both have `forward`, from the records of a batch to the features of the dense layer and what
it saves, `backward`, from the slopes of the features to the gradients of the filters, and
`adam`. A step of a net takes 47 ms of one core of a CPU, where products of matrices of all
patches take 113 ms.
"""

import torch


class Convolutions:
    """Convolutions in groups, and gradients by torch: a net is a group of channels."""

    dtype = torch.float32

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
        slopes_of_leaves = torch.autograd.grad(features, leaves, slopes)
        for name, value in zip(("filters1", "filters2", "bias2"), slopes_of_leaves):
            gradient[name].copy_(value)

    @staticmethod
    def adam(weights, copy, gradient, mean, square, step, rate, betas, epsilon):
        """One step in place; `step` counts those before, and `copy` has the new weights."""
        gradient, t = gradient.float(), (step + 1).float()
        mean.lerp_(gradient, 1 - betas[0])
        square.mul_(betas[1]).addcmul_(gradient, gradient, value=1 - betas[1])
        size = (square / (1 - betas[1] ** t)).sqrt_().add_(epsilon)
        weights.sub_(mean / size * (rate / (1 - betas[0] ** t)))
        if copy is not weights:
            copy.copy_(weights)
