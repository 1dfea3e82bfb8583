"""Training of the nets of many units in stacks, until a deadline."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch

from benchmarks.validity.splits.mnist import mnist_nets as nets
from benchmarks.validity.splits.mnist.mnist_designs import ROLES, draw, rng_of_net
from benchmarks.validity.splits.mnist.mnist_results import line_of

MARGIN = 3.0
"""Seconds before the deadline in which nothing is trained."""

WAYS = ("kernels", "products")
"""Tried on a graphics processor; those of `MORE_WAYS` where the first does not work."""
MORE_WAYS = ("compiled", "grouped")
SIDE_BY_SIDE = (40, 20, 80)
APART = 0.2
"""Relative distance of two ways' gradients from which one of them is taken to be wrong."""


def say(*parts):
    print(*parts, flush=True)


class Plan(NamedTuple):
    """What runs fastest on a device."""

    way: str
    options: dict
    n_nets: int
    graph: bool
    seconds: float
    """Of a step of one net."""


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
    found = iter(rights)
    for unit in units:
        yield line_of(setting, unit, [(next(found), next(found)) for _ in unit.splits])


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

    def __init__(self, population, plan, deadline):
        self.population, self.plan, self.deadline = population, plan, deadline
        self.seconds = plan.seconds
        self.stack = None

    def stack_for(self, n_steps, gamma):
        stack = self.stack
        if stack is None or stack.order.shape[1] < n_steps or stack.drops != (gamma > 0):
            self.stack = stack = None
            stack = nets.Stack(self.population, self.plan.n_nets, n_steps, self.plan.way)
            if self.plan.options:
                stack.way.options = self.plan.options
            stack.drops = gamma > 0
            if self.plan.graph:
                capture(stack)
            self.stack = stack
        return stack

    def run(self, units, settings):
        """Lines of each group of units; nothing more once the deadline is near."""
        last = settings[-1]
        groups = list(groups_of(units, self.plan.n_nets))
        with ThreadPoolExecutor(1) as pool:
            coming = [pool.submit(prepare, group, last) for group in groups[:1]]
            for k, _ in enumerate(groups):
                if time.monotonic() > self.deadline:
                    break
                prepared = coming.pop().result()
                coming = [pool.submit(prepare, g, last) for g in groups[k + 1 : k + 2]]
                n_steps = last.epochs * prepared.n_train // nets.BATCH
                # Nets of a stack that is not full take as long as those of a full one.
                n_nets = -(-len(prepared.tests) // self.plan.n_nets) * self.plan.n_nets
                need = n_steps * self.seconds * n_nets
                if time.monotonic() + need + MARGIN > self.deadline:
                    say(f"a group needs {need:.0f} s more than there are: stopped")
                    break
                stack = self.stack_for(n_steps, last.gamma)
                begun = time.monotonic()
                lines = train_group(stack, prepared, settings, self.deadline - MARGIN)
                if lines is None:
                    say("stopped within a group by the time limit")
                    break
                taken = time.monotonic() - begun
                self.seconds = taken / n_steps / n_nets
                yield lines, taken, len(prepared.tests)


def capture(stack):
    """Record the step of a stack as a CUDA graph where that works."""
    try:
        stack.capture()
    except Exception as error:  # any: training goes on without the graph
        say(f"no CUDA graph: {type(error).__name__}: {str(error)[:300]}")
        stack.graph = None
        return False
    return True


def _sample(population, n_nets, n_steps):
    """Weights and orders of some nets, for trials."""
    rng = np.random.default_rng(0)
    n = len(population.labels)
    weights = [nets.initial_weights(rng)] * n_nets
    orders = [
        rng.integers(n, size=n_steps * nets.BATCH).astype(np.int32) for _ in range(n_nets)
    ]
    return weights, orders, [1] * n_nets, [0.0] * n_nets


def gradients_of(population, way, options=None):
    """Gradients of one batch of two nets, by name."""
    stack = nets.Stack(population, 2, 1, way)
    if options:
        stack.way.options = options
    stack.load(*_sample(population, 2, 1))
    stack.gradients(stack.order[:, 0].contiguous())
    return {name: value.float() for name, value in stack.gradient.items()}


def is_like(found, expected):
    """Whether gradients agree up to rounding; prints the largest distance."""
    apart = {
        name: float((found[name] - value).norm() / value.norm().clamp_min(1e-12))
        for name, value in expected.items()
    }
    worst = max(apart, key=apart.get)
    say(f"  gradients differ by {apart[worst]:.2e} at most ({worst})")
    return apart[worst] < APART


def seconds_of_step(stack, n_steps):
    """Seconds of a step of one net of a loaded stack."""
    stack.step.zero_()
    stack.run(3)
    torch.cuda.synchronize()
    begun = time.perf_counter()
    stack.run(n_steps)
    torch.cuda.synchronize()
    return (time.perf_counter() - begun) / n_steps / stack.n_nets


def tune_kernels(stack):
    """Choose the options of each kernel by its time; what fails is left out."""
    from benchmarks.validity.splits.mnist.mnist_kernels import TRIALS, spread_out

    way, w = stack.way, stack.weights
    index = stack.order[:, 0].contiguous()
    pooled, first = way.first(index, w["filters1"])
    features, second = way.second(pooled, w["filters2"], w["bias2"])
    spread = spread_out(features, second)
    name = "dense"
    parts = stack.master, stack.weights, stack.gradient, stack.mean, stack.square
    state = [part[name] for part in parts]
    calls = {
        "first": lambda: way.first(index, w["filters1"]),
        "second": lambda: way.second(pooled, w["filters2"], w["bias2"]),
        "second_weights": lambda: way.second_weights(
            pooled, spread, stack.gradient["filters2"]
        ),
        "second_inputs": lambda: way.second_inputs(spread, w["filters2"]),
        "first_weights": lambda: way.first_weights(index, pooled, first),
        "adam": lambda: way.adam(*state, stack.step, 0.0, nets.BETAS, nets.EPSILON),
    }
    for kernel, call in calls.items():
        times = []
        for trial in TRIALS[kernel]:
            way.options[kernel] = trial
            times.append(_timed(call))
        best = int(np.argmin(times))
        way.options[kernel] = TRIALS[kernel][best]
        shown = " ".join(f"{1e6 * t / stack.n_nets:.2f}" for t in times)
        say(f"  {kernel}: {shown} microseconds a net, takes {TRIALS[kernel][best]}")


def _timed(call, repeats=10):
    try:
        call()
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(repeats):
            call()
        torch.cuda.synchronize()
        return (time.perf_counter() - begun) / repeats
    except Exception as error:  # too much shared memory, or a compiler's fault
        say(f"  {type(error).__name__}: {str(error)[:200]}")
        return np.inf


def _trial(population, way, n_nets, options=None, n_steps=20):
    """The plan of a way with its time."""
    stack = nets.Stack(population, n_nets, n_steps + 3, way)
    stack.load(*_sample(population, n_nets, n_steps + 3))
    if options is not None:
        stack.way.options = options
    elif way == "kernels":
        tune_kernels(stack)
        stack.load(*_sample(population, n_nets, n_steps + 3))
    plain = seconds = seconds_of_step(stack, n_steps)
    stack.step.zero_()
    graph = capture(stack)
    if graph:
        seconds = seconds_of_step(stack, n_steps)
    say(
        f"{way}, {n_nets} nets: {1e6 * plain:.1f} microseconds a step of a net, "
        + (f"{1e6 * seconds:.1f} with a CUDA graph" if graph else "without a CUDA graph")
    )
    options = getattr(stack.way, "options", {})
    return Plan(way, options, n_nets, graph, seconds)


def choose(population, ways=(), sizes=()):
    """Try the ways on a device, and numbers of nets side by side: the fastest plan."""
    if population.pixels.device.type == "cpu":
        # Nets one by one are as fast as any way to train more.
        return Plan(*(ways or ("grouped",)), {}, *(sizes or (1,)), False, 0.0)
    sizes = sizes or SIDE_BY_SIDE
    expected, plans = gradients_of(population, "products"), []
    for way in ways or WAYS:
        plans += _try(population, way, sizes[0], expected)
    if not ways and "kernels" not in [plan.way for plan in plans]:
        for way in MORE_WAYS:
            plans += _try(population, way, sizes[0], expected)
    if not plans:
        raise SystemExit("No way to train nets works on this device.")
    best = min(plans, key=lambda plan: plan.seconds)
    if best.options and not is_like(
        gradients_of(population, best.way, best.options), expected
    ):
        say("the chosen options are wrong: the first of each are taken")
        best.options.update(nets.Stack(population, 1, 1, best.way).way.options)
    for n_nets in sizes[1:]:
        plans += _try(population, best.way, n_nets, None, best.options or None)
    return min(plans, key=lambda plan: plan.seconds)


def _try(population, way, n_nets, expected, options=None):
    try:
        if expected and not is_like(gradients_of(population, way), expected):
            say(f"{way} is left out: its gradients are wrong")
            return []
        return [_trial(population, way, n_nets, options)]
    except Exception as error:  # any: other ways are left
        say(f"{way} is left out: {type(error).__name__}: {str(error)[:500]}")
        return []
    finally:
        torch.cuda.empty_cache()
