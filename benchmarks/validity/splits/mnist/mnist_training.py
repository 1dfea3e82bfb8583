"""Training of the nets of many units in stacks, until a deadline."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from benchmarks.validity.splits.mnist import mnist_nets as nets
from benchmarks.validity.splits.mnist.mnist_convolutions import Convolutions
from benchmarks.validity.splits.mnist.mnist_designs import ROLES, draw, rng_of_net
from benchmarks.validity.splits.mnist.mnist_results import line_of

MARGIN = 3.0
"""Seconds before the deadline in which nothing is trained."""

SIDE_BY_SIDE = {"cuda": 80, "cpu": 1}
"""Nets trained together. On an H100 a step took 29 microseconds a net with 80, and 35 with
20, with blocks chosen by trials; on a CPU nets one by one are as fast."""
APART = 0.2
"""Relative distance of gradients at which the kernels are taken to be wrong. Rounding to
bfloat16 alone makes 0.06."""


def say(*parts):
    print(*parts, flush=True)


class Prepared(NamedTuple):
    """What the nets of a group begin with."""

    units: list
    weights: list
    orders: list
    keys: list
    rates: list
    tests: list
    n_train: int


def prepare(units, setting):
    """Draw all that the nets of some units begin with; `setting` has the most epochs."""
    weights, orders, keys, rates, tests = [], [], [], [], []
    for number, split, role in (net for unit in units for net in unit.nets):
        images, splits = draw(setting.seed, number, setting.records)
        rng = rng_of_net(setting.seed, number, split, role)
        weights.append(nets.initial_weights(rng))
        train = images[splits.train[split]]
        orders.append(nets.order_of(train, setting.epochs, rng))
        keys.append(int(rng.integers(2**32)))
        rates.append(setting.gamma if ROLES[role] == "challenger" else 0.0)
        tests.append(images[splits.test[split]])
    return Prepared(units, weights, orders, keys, rates, tests, len(train))


def part_of(parts, first, n):
    """A list of n from `first`, where the last is repeated if there are fewer."""
    part = parts[first : first + n]
    return [*part, *[part[-1]] * (n - len(part))]


def train_group(stack, prepared, settings, deadline):
    """Train a group to the epochs of each setting; lines, or None by the deadline."""
    rights, n = {setting: [] for setting in settings}, stack.n_nets
    for first in range(0, len(prepared.tests), n):
        weights, *more, tests = (part_of(p, first, n) for p in prepared[1:6])
        stack.load(weights, *more)
        done = 0
        for setting in settings:
            steps = setting.epochs * prepared.n_train // nets.BATCH
            if not stack.run(steps - done, deadline):
                return None
            done = steps
            rights[setting] += stack.right(tests)
    return [line for s in settings for line in lines_of(s, prepared.units, rights[s])]


def lines_of(setting, units, rights):
    right = iter(rights)
    for unit in units:
        yield line_of(setting, unit, [(next(right), next(right)) for _ in unit.splits])


def groups_of(units, n_nets):
    """Units of equal training size whose nets are trained side by side."""
    group = []
    for unit in units:
        if group and sum(len(u.nets) for u in [*group, unit]) > n_nets:
            yield group
            group = []
        group.append(unit)
    if group:
        yield group


class Trainer:
    """Trains units, and hands on the lines of each group as soon as it is done."""

    def __init__(self, images, labels, device, n_nets, deadline):
        self.way = way_for(images, labels, device)
        self.population = nets.Population(images, labels, device, self.way.dtype)
        self.n_nets = n_nets or SIDE_BY_SIDE[device]
        self.deadline = deadline
        self.seconds = 0.0
        self.stack = None

    def stack_for(self, n_steps):
        if self.stack is None or self.stack.order.shape[1] < n_steps:
            self.stack = None  # so that its memory is free
            self.stack = nets.Stack(self.population, self.n_nets, n_steps, self.way)
        return self.stack

    def run(self, units, settings):
        """Lines of each group of units; nothing more once the deadline is near."""
        last = settings[-1]
        groups = list(groups_of(units, self.n_nets))
        with ThreadPoolExecutor(1) as pool:
            coming = [pool.submit(prepare, group, last) for group in groups[:1]]
            for k, _ in enumerate(groups):
                if time.monotonic() > self.deadline:
                    break
                prepared = coming.pop().result()
                coming = [pool.submit(prepare, g, last) for g in groups[k + 1 : k + 2]]
                n_steps = last.epochs * prepared.n_train // nets.BATCH
                # Nets of a stack that is not full take as long as those of a full one.
                n_nets = -(-len(prepared.tests) // self.n_nets) * self.n_nets
                need = n_steps * self.seconds * n_nets
                if time.monotonic() + need + MARGIN > self.deadline:
                    say(f"a group needs {need:.0f} s more than there are: stopped")
                    break
                stack = self.stack_for(n_steps)
                begun = time.monotonic()
                lines = train_group(stack, prepared, settings, self.deadline - MARGIN)
                if lines is None:
                    say("stopped within a group by the time limit")
                    break
                taken = time.monotonic() - begun
                self.seconds = taken / n_steps / n_nets
                yield lines, taken, len(prepared.tests)


def way_for(images, labels, device):
    """The kernels where they work and their gradients are right, else torch alone."""
    if device == "cpu":
        return Convolutions
    try:
        # Triton is there on machines with a GPU alone.
        from benchmarks.validity.splits.mnist.mnist_kernels import Kernels

        few = images[:500], labels[:500]
        apart = distance(
            gradients_of(nets.Population(*few, device, Kernels.dtype), Kernels),
            gradients_of(nets.Population(*few), Convolutions),
        )
    except Exception as error:  # any: torch alone is left
        say(f"no kernels: {type(error).__name__}: {str(error)[:500]}")
        return Convolutions
    say(f"gradients of the kernels are {apart:.2e} from those by torch alone")
    return Kernels if apart < APART else Convolutions


def gradients_of(population, way):
    """Gradients of one batch of two nets, by name."""
    stack, rng = nets.Stack(population, 2, 1, way), np.random.default_rng(0)
    weights = [nets.initial_weights(rng) for _ in range(2)]
    orders = rng.integers(len(population.labels), size=(2, nets.BATCH)).astype(np.int32)
    stack.load(weights, orders, [1, 2], [0.0, 0.0])
    stack.gradients(stack.order[:, 0].contiguous())
    return {name: value.float().cpu() for name, value in stack.gradient.items()}


def distance(gradients, expected):
    """Largest relative distance of the gradients of a layer."""
    return max(
        float((gradients[name] - value).norm() / value.norm())
        for name, value in expected.items()
    )
