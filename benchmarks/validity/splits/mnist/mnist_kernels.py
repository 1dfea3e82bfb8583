"""The two convolutions of many nets as Triton kernels: nothing of the patches is stored.

Sizes are those of `mnist_nets`. Records stand in the order of the batch, channels last.
The pooled maps of the second layer have 64 places before pooling, in the order of the four
places of each pool: place 4 · pool + d, at row 2 · (pool // 4) + d // 2 and column
2 · (pool % 4) + d % 2. `codes` say which of the four places was largest, and 4 where none
was positive.
"""

import torch
import triton
import triton.language as tl

OPTIONS = {
    "first": {"ROWS": 64, "num_warps": 4},
    "second": {"ROWS": 128, "num_warps": 4, "num_stages": 4},
    "second_weights": {"GROUP": 4, "STEP": 64, "num_warps": 4, "num_stages": 3},
    "second_inputs": {"num_warps": 4, "num_stages": 4},
    "first_weights": {"CHUNKS": 8, "ROWS": 64, "num_warps": 4},
    "adam": {"BLOCK": 1024, "num_warps": 4},
}
"""Blocks of each kernel; others changed its time on an H100 by 10 to 30 %."""


@triton.jit
def _patches(pixels, start, shift, tap, PIXELS: tl.constexpr):
    """The 25 pixels under a filter, then a one for the bias, then zeros."""
    offset = (tap // 5) * 28 + tap % 5 + shift
    inside = tap[None, :] < 25
    a = tl.load(pixels + start[:, None] + offset[None, :], mask=inside, other=0.0)
    return tl.where(tap[None, :] == 25, 1.0, a).to(pixels.dtype.element_ty)


@triton.jit
def _first(
    pixels,
    index,
    weights,
    pooled,
    codes,
    B: tl.constexpr,
    PIXELS: tl.constexpr,
    ROWS: tl.constexpr,
):
    net = tl.program_id(1)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    record = rows // 144
    place = rows % 144
    image = tl.load(index + net * B + record)
    start = image * PIXELS + (place // 12) * 56 + (place % 12) * 2
    tap = tl.arange(0, 32)
    channel = tl.arange(0, 32)
    w = tl.load(weights + net * 1024 + tap[:, None] * 32 + channel[None, :])
    best = tl.dot(_patches(pixels, start, 0, tap, PIXELS), w, input_precision="ieee")
    code = tl.zeros((ROWS, 32), tl.int32)
    for d in tl.static_range(1, 4):
        a = _patches(pixels, start, (d // 2) * 28 + d % 2, tap, PIXELS)
        z = tl.dot(a, w, input_precision="ieee")
        code = tl.where(z > best, d, code)
        best = tl.maximum(z, best)
    code = tl.where(best > 0, code, 4)
    best = tl.maximum(best, 0.0)
    out = (net * B * 144 + rows)[:, None] * 32 + channel[None, :]
    tl.store(pooled + out, best.to(pooled.dtype.element_ty))
    tl.store(codes + out, code.to(tl.int8))


@triton.jit
def _second(pooled, weights, bias, features, codes, B: tl.constexpr, ROWS: tl.constexpr):
    net = tl.program_id(1)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    pool = (rows % 64) // 4
    d = rows % 4
    y = (pool // 4) * 2 + d // 2
    x = (pool % 4) * 2 + d % 2
    start = ((net * B + rows // 64) * 144 + y * 12 + x) * 32
    ci = tl.arange(0, 32)
    co = tl.arange(0, 64)
    a_at = pooled + start[:, None] + ci[None, :]
    w_at = weights + net * 51200 + ci[:, None] * 64 + co[None, :]
    z = tl.zeros((ROWS, 64), tl.float32)
    for tap in range(25):
        a = tl.load(a_at + ((tap // 5) * 12 + tap % 5) * 32)
        w = tl.load(w_at + tap * 2048)
        z = tl.dot(a, w, z, input_precision="ieee")
    z += tl.load(bias + net * 64 + co).to(tl.float32)[None, :]
    four = tl.reshape(z, (ROWS // 4, 4, 64))
    best = tl.max(four, axis=1)
    code = tl.argmax(four, axis=1)
    code = tl.where(best > 0, code, 4)
    pools = tl.program_id(0) * (ROWS // 4) + tl.arange(0, ROWS // 4)
    out = (net * B * 16 + pools)[:, None] * 64 + co[None, :]
    tl.store(features + out, tl.maximum(best, 0.0).to(features.dtype.element_ty))
    tl.store(codes + out, code.to(tl.int8))


@triton.jit
def _second_weights(
    pooled, slopes, gradient, B: tl.constexpr, GROUP: tl.constexpr, STEP: tl.constexpr
):
    group = tl.program_id(0)
    net = tl.program_id(1)
    column = tl.arange(0, GROUP * 32)
    tap = group * GROUP + column // 32
    shift = ((tap // 5) * 12 + tap % 5) * 32 + column % 32
    inside = tap < 25
    co = tl.arange(0, 64)
    found = tl.zeros((GROUP * 32, 64), tl.float32)
    for first in range(0, B * 64, STEP):
        rows = first + tl.arange(0, STEP)
        pool = (rows % 64) // 4
        d = rows % 4
        y = (pool // 4) * 2 + d // 2
        x = (pool % 4) * 2 + d % 2
        start = ((net * B + rows // 64) * 144 + y * 12 + x) * 32
        a = tl.load(
            pooled + start[:, None] + shift[None, :], mask=inside[None, :], other=0.0
        )
        g = tl.load(slopes + (net * B * 64 + rows)[:, None] * 64 + co[None, :])
        found = tl.dot(tl.trans(a), g, found, input_precision="ieee")
    out = net * 51200 + (group * GROUP * 32 + column)[:, None] * 64 + co[None, :]
    tl.store(gradient + out, found.to(gradient.dtype.element_ty), mask=inside[:, None])


@triton.jit
def _second_inputs(slopes, weights, inputs, B: tl.constexpr):
    """One place of the maps for all records, so that all use the same taps."""
    place = tl.program_id(0)
    net = tl.program_id(1)
    y = place // 12
    x = place % 12
    low_y = tl.maximum(y - 7, 0)
    low_x = tl.maximum(x - 7, 0)
    n_y = tl.minimum(y, 4) + 1 - low_y
    n_x = tl.minimum(x, 4) + 1 - low_x
    record = tl.arange(0, B)
    ci = tl.arange(0, 32)
    co = tl.arange(0, 64)
    g_at = slopes + (net * B + record)[:, None] * 4096 + co[None, :]
    w_at = weights + net * 51200 + ci[:, None] * 64 + co[None, :]
    found = tl.zeros((B, 32), tl.float32)
    for k in range(n_y * n_x):
        ky = low_y + k // n_x
        kx = low_x + k % n_x
        v = y - ky
        u = x - kx
        row = ((v // 2) * 4 + u // 2) * 4 + (v % 2) * 2 + u % 2
        g = tl.load(g_at + row * 64)
        w = tl.load(w_at + (ky * 5 + kx) * 2048)
        found = tl.dot(g, tl.trans(w), found, input_precision="ieee")
    out = ((net * B + record) * 144 + place)[:, None] * 32 + ci[None, :]
    tl.store(inputs + out, found.to(inputs.dtype.element_ty))


@triton.jit
def _first_weights(
    pixels,
    index,
    slopes,
    codes,
    partial,
    B: tl.constexpr,
    PIXELS: tl.constexpr,
    CHUNKS: tl.constexpr,
    ROWS: tl.constexpr,
):
    chunk = tl.program_id(0)
    net = tl.program_id(1)
    tap = tl.arange(0, 32)
    channel = tl.arange(0, 32)
    found = tl.zeros((32, 32), tl.float32)
    size = B * 144 // CHUNKS
    for first in range(0, size, ROWS):
        rows = chunk * size + first + tl.arange(0, ROWS)
        place = rows % 144
        image = tl.load(index + net * B + rows // 144)
        start = image * PIXELS + (place // 12) * 56 + (place % 12) * 2
        at = (net * B * 144 + rows)[:, None] * 32 + channel[None, :]
        slope = tl.load(slopes + at)
        code = tl.load(codes + at).to(tl.int32)
        for d in tl.static_range(4):
            a = _patches(pixels, start, (d // 2) * 28 + d % 2, tap, PIXELS)
            g = tl.where(code == d, slope, 0.0).to(slopes.dtype.element_ty)
            found = tl.dot(tl.trans(a), g, found, input_precision="ieee")
    out = (net * CHUNKS + chunk) * 1024 + tap[:, None] * 32 + channel[None, :]
    tl.store(partial + out, found)


@triton.jit
def _adam(
    weights,
    copy,
    gradient,
    mean,
    square,
    step,
    n,
    rate,
    beta1,
    beta2,
    epsilon,
    COPY: tl.constexpr,
    BLOCK: tl.constexpr,
):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    t = (tl.load(step) + 1).to(tl.float32)
    c1 = 1 - tl.exp2(t * tl.log2(beta1))
    c2 = 1 - tl.exp2(t * tl.log2(beta2))
    g = tl.load(gradient + at, mask=inside, other=0.0).to(tl.float32)
    m = tl.load(mean + at, mask=inside, other=0.0)
    v = tl.load(square + at, mask=inside, other=0.0)
    m = m + (1 - beta1) * (g - m)
    v = beta2 * v + (1 - beta2) * g * g
    w = tl.load(weights + at, mask=inside, other=0.0)
    w = w - rate / c1 * m / (tl.sqrt(v / c2) + epsilon)
    tl.store(mean + at, m, mask=inside)
    tl.store(square + at, v, mask=inside)
    tl.store(weights + at, w, mask=inside)
    if COPY:
        tl.store(copy + at, w.to(copy.dtype.element_ty), mask=inside)


class Kernels:
    """The convolutions and Adam of a stack of nets; see `mnist_convolutions`."""

    dtype = torch.bfloat16

    def __init__(self, population, batch, n_nets):
        self.pixels, self.n_nets, self.batch = population.pixels, n_nets, batch
        self.width = population.pixels.shape[1]

    def _like(self, *shape, dtype=None):
        shape = (self.n_nets, self.batch, *shape)
        return torch.empty(
            shape, dtype=dtype or self.pixels.dtype, device=self.pixels.device
        )

    def first(self, index, weights):
        o, pooled = OPTIONS["first"], self._like(144, 32)
        codes = self._like(144, 32, dtype=torch.int8)
        grid = (self.batch * 144 // o["ROWS"], self.n_nets)
        _first[grid](
            self.pixels, index, weights, pooled, codes, self.batch, self.width, **o
        )
        return pooled, codes

    def second(self, pooled, weights, bias):
        o, features = OPTIONS["second"], self._like(16, 64)
        codes = self._like(16, 64, dtype=torch.int8)
        grid = (self.batch * 64 // o["ROWS"], self.n_nets)
        _second[grid](pooled, weights, bias, features, codes, self.batch, **o)
        return features, codes

    def second_weights(self, pooled, slopes, gradient):
        o = OPTIONS["second_weights"]
        grid = (-(-25 // o["GROUP"]), self.n_nets)
        _second_weights[grid](pooled, slopes, gradient, self.batch, **o)

    def second_inputs(self, slopes, weights):
        inputs = self._like(144, 32)
        grid = (144, self.n_nets)
        o = OPTIONS["second_inputs"]
        _second_inputs[grid](slopes, weights, inputs, self.batch, **o)
        return inputs

    def first_weights(self, index, slopes, codes):
        o = OPTIONS["first_weights"]
        shape = (self.n_nets, o["CHUNKS"], 32, 32)
        partial = torch.empty(shape, dtype=torch.float32, device=self.pixels.device)
        grid = (o["CHUNKS"], self.n_nets)
        _first_weights[grid](self.pixels, index, slopes, codes, partial, self.batch,
                             self.width, **o)  # fmt: skip
        return partial.sum(dim=1)

    def forward(self, index, w):
        index = index.contiguous()
        pooled, first = self.first(index, w["filters1"])
        features, second = self.second(pooled, w["filters2"], w["bias2"])
        return features.flatten(2), (index, pooled, first, second)

    def backward(self, saved, slopes, w, gradient):
        index, pooled, first, second = saved
        slopes = slopes.reshape(second.shape)
        gradient["bias2"].copy_((slopes * (second < 4)).sum(dim=(1, 2)).unsqueeze(1))
        spread = spread_out(slopes, second)
        self.second_weights(pooled, spread, gradient["filters2"])
        inputs = self.second_inputs(spread, w["filters2"])
        gradient["filters1"].copy_(self.first_weights(index, inputs, first))

    @staticmethod
    def adam(weights, copy, gradient, mean, square, step, rate, betas, epsilon):
        o = OPTIONS["adam"]
        n, is_copied = weights.numel(), copy is not weights
        args = weights, copy, gradient, mean, square, step, n, rate, *betas, epsilon
        _adam[(-(-n // o["BLOCK"]),)](*args, is_copied, **o)


def spread_out(slopes, codes):
    """Slopes of pooled maps at the four places of each pool, (nets, batch, 64, 64)."""
    four = torch.arange(4, dtype=codes.dtype, device=codes.device).unsqueeze(1)
    spread = (codes.unsqueeze(3) == four) * slopes.unsqueeze(3)
    return spread.reshape(*codes.shape[:2], 64, 64).contiguous()
