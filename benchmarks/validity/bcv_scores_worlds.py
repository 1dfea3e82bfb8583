"""Data sets on which two learners are equally good, or differ by a known amount.

A world draws records with two sets of features, A for the champion and B for the
challenger. In a symmetric world the sets have the same distribution, so two learners of
one kind are exactly equal by every measure. In the others one number of the world is
searched (``bcv_scores_search.py``) until the learners are equal by one measure, when
trained on half of the records.
"""

from dataclasses import dataclass, replace

import numpy as np

from skcompare.model_selection._hadamard import orthogonal_array

LINEAR = ("lda", "nb", "centroid", "logit")
NEAREST = ("knn1", "knn5", "knn15")
TREES = ("tree2", "tree", "random_tree", "forest5")
UNSTABLE = ("jitter_small", "jitter_large", "failing")

WEAK, MIDDLING, STRONG = 0.358, 1.19, 2.66
"""Distances of two normal classes at which the area under the curve is .6, .8, .97."""


@dataclass(frozen=True)
class World:
    """How records are drawn and split; `value` is the number that is searched."""

    family: str
    n: int
    share: float = 0.5
    strength: float = MIDDLING
    n_features: tuple[int, int] = (4, 4)
    n_classes: int = 2
    layout: str = "blocks"
    n_repeats: int = 5

    @property
    def name(self):
        features = "x".join(map(str, self.n_features))
        extra = f"-{self.layout}{self.n_repeats}"
        extra = "" if extra == "-blocks5" else extra
        return (
            f"{self.family}-n{self.n}-s{self.share:g}-d{self.strength:g}"
            f"-p{features}-k{self.n_classes}{extra}"
        )


@dataclass(frozen=True)
class Study:
    """Two learners in a world; `search` names the ends between which they are equal."""

    world: World
    champion: str
    challenger: str
    search: tuple[float, float] | None = None
    measures: tuple[str, ...] = ()
    cost: int = 1

    @property
    def name(self):
        return f"{self.world.name}/{self.champion}-v-{self.challenger}"


def _symmetric_worlds():
    """Worlds, the learners compared in them, and how costly they are."""
    shift = [
        (50, 0.5, MIDDLING), (50, 0.2, STRONG), (100, 0.5, WEAK), (100, 0.2, MIDDLING),
        (100, 0.1, STRONG), (200, 0.5, MIDDLING), (200, 0.5, STRONG), (200, 0.2, WEAK),
        (200, 0.1, MIDDLING), (500, 0.5, WEAK), (500, 0.2, STRONG), (500, 0.1, MIDDLING),
        (1000, 0.5, STRONG), (1000, 0.1, WEAK), (5000, 0.5, WEAK), (5000, 0.1, STRONG),
    ]  # fmt: skip
    for n, share, strength in shift:
        learners = LINEAR + NEAREST if n <= 500 else LINEAR
        cost = 1 if n <= 200 else 2 if n < 5000 else 3
        yield World("shift", n, share, strength), learners, cost
    near = [
        (50, 0.5, MIDDLING), (200, 0.5, MIDDLING), (200, 0.2, STRONG), (500, 0.5, WEAK),
        (1000, 0.2, MIDDLING),
    ]  # fmt: skip
    for n, share, strength in near:
        learners = LINEAR + NEAREST if n <= 200 else LINEAR
        yield World("near", n, share, strength), learners, 1 if n <= 200 else 2
    for n, share in ((100, 0.5), (200, 0.5), (200, 0.1)):
        yield World("scale", n, share, 0.8), ("lda", "nb", *NEAREST), 1
    for n, share, p in ((50, 0.5, 8), (100, 0.5, 12), (200, 0.2, 12), (200, 0.5, 12)):
        yield World("shift", n, share, MIDDLING, (p, p)), (*LINEAR, "knn5"), 1
    for n, share, strength in (
        (50, 0.5, STRONG), (100, 0.2, STRONG), (200, 0.5, MIDDLING), (500, 0.5, WEAK),
    ):  # fmt: skip
        yield World("shift", n, share, strength, (3, 3)), TREES, 3
    for n, share, strength in ((100, 0.5, STRONG), (200, 0.5, MIDDLING), (500, 0.2, WEAK)):
        yield World("shift", n, share, strength, (3, 3)), UNSTABLE, 1
    for n, strength in ((100, STRONG), (200, MIDDLING), (500, WEAK)):
        world = World("shift", n, 0.3, strength, (3, 3), n_classes=3)
        yield world, ("lda", "nb", "knn5", "knn15"), 1 if n <= 200 else 2


def _searched_studies():
    scores = ("auc", "brier", "log_loss", "accuracy", "precision", "recall", "f1")
    few = ("auc", "brier", "accuracy", "f1")
    losses = ("brier", "log_loss")
    same = (3, 3)
    out = []
    for n in (50, 200, 1000):
        out += [Study(World("correlated", n, 0.4, 1.0, same), "lda", "nb", (0.0, 0.9), few)]
    for n, share in ((50, 0.5), (200, 0.5), (200, 0.2), (1000, 0.5)):
        # Many features and one: much training noise against none.
        world = World("shift", n, share, 1.5, (10, 1))
        out += [Study(world, "lda", "lda", (0.1, 2.5), scores if n == 200 else few)]
    for n, share in ((100, 0.5), (200, 0.2)):
        world = World("shift", n, share, MIDDLING)
        out += [Study(world, "lda", "knn15", (0.6, 4.0), few)]
        out += [Study(world, "nb", "knn1", (0.8, 6.0), few)]
        out += [Study(world, "logit", "knn5", (0.6, 4.0), few)]
    for n in (100, 300):
        out += [Study(World("scaled", n, 0.5, 0.9, same), "lda", "knn15", (1.0, 5.0), few)]
    for n in (100, 500):
        out += [Study(World("nested", n, 0.3, 1.0, same), "majority", "logit",
                      (0.0, 2.0), (*losses, "accuracy"))]  # fmt: skip
        out += [Study(World("nested", n, 0.3, 1.0, same), "majority", "lda",
                      (0.0, 2.0), losses)]  # fmt: skip
    for n in (100, 200):
        out += [Study(World("stretched", n, 0.5, 2.0, same), "tree", "knn15",
                      (0.1, 12.0), ("brier", "accuracy"), 3)]  # fmt: skip
    for n in (150, 300):
        out += [Study(World("checker", n, 0.5, 1.0, (2, 2)), "tree2", "tree",
                      (0.0, 1.0), ("auc", "accuracy"), 3)]  # fmt: skip
    return out


def _studies():
    """All studies, and those for tuning: every other one, in an order by design.

    The order is that of the lists above: by family, then by number of records, then by
    learner. In the symmetric worlds even worlds begin with tuning and odd ones with
    confirmation, so every world and every learner is in both halves.
    """
    tuning, confirming = [], []
    for i, (world, learners, cost) in enumerate(_symmetric_worlds()):
        for j, learner in enumerate(learners):
            half = (tuning, confirming)[(i + j) % 2]
            half.append(Study(world, learner, learner, cost=cost))
    # The area under the curve of a constant is 1/2, and so is that of useless features.
    for i, n in enumerate((50, 200, 1000)):
        world = World("nested", n, 0.3, 0.0, (3, 3))
        half = (tuning, confirming)[i % 2]
        half.append(Study(world, "majority", "logit", None, ("auc",)))
    for i, study in enumerate(_searched_studies()):
        (tuning, confirming)[i % 2].append(study)
    return tuple(tuning), tuple(confirming)


TUNING, CONFIRMING = _studies()

OTHER_LAYOUTS = tuple(
    Study(replace(World("shift", n, 0.5, MIDDLING), layout=layout, n_repeats=m), k, k)
    for n in (50, 200)
    for layout, m in (("random", 5), ("blocks", 10))
    for k in ("lda", "knn1", "knn15", "logit")
)
"""Random halves, and other numbers of repetitions."""


def draw_classes(world, n_draws, rng):
    uniform = rng.random((n_draws, world.n))
    if world.n_classes == 2:
        return (uniform < world.share).astype(np.int64)
    # Class 1 has `share`, the others what is left.
    rest = (1 - world.share) / (world.n_classes - 1)
    edges = np.cumsum([world.share] + [rest] * (world.n_classes - 2))
    return (np.searchsorted(edges, uniform, side="right") + 1) % world.n_classes


def draw_halves(world, y, rng):
    """Which records are in the first half of every repetition, (draws, M, n)."""
    n_draws, n = y.shape
    order = np.argsort(y + rng.random(y.shape), axis=1)
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(n)[np.newaxis].repeat(n_draws, 0), axis=1)
    if world.layout == "random":
        halves = [_random_half(y, rng) for _ in range(world.n_repeats)]
        return np.stack(halves, axis=1)
    first_halves = np.asarray(orthogonal_array(world.n_repeats), dtype=bool)
    deal = np.argsort(rng.random((n_draws, len(first_halves))), axis=1)
    blocks = np.take_along_axis(deal, place % len(first_halves), axis=1)
    return first_halves[blocks].transpose(0, 2, 1)


def _random_half(y, rng):
    """A stratified random half of every data set."""
    order = np.argsort(y + rng.random(y.shape), axis=1)
    half = np.empty(y.shape, dtype=bool)
    turn = rng.integers(0, 2, (len(y), 1))
    alternate = (np.arange(y.shape[1])[np.newaxis] + turn) % 2 == 0
    np.put_along_axis(half, order, alternate, axis=1)
    return half


def draw_features(world, value, y, rng):
    """Features of the champion and of the challenger, (draws, n, features)."""
    p, q = world.n_features
    noise = rng.standard_normal((*y.shape, p + q + 1))
    return _FAMILIES[world.family](world, value, y, noise[..., :p], noise[..., p:], rng)


def _shifted(y, noise, distance, n_classes):
    """Normal features whose class means are `distance` apart (each two of several)."""
    p = noise.shape[-1]
    if n_classes == 2:
        return noise + y[..., np.newaxis] * (distance / np.sqrt(p))
    own = np.arange(p) % n_classes == y[..., np.newaxis]
    return noise + own * (distance * np.sqrt(n_classes / (2 * p)))


def _shift(world, value, y, first, second, rng):
    strength = world.strength if value is None else value
    return (
        _shifted(y, first, world.strength, world.n_classes),
        _shifted(y, second[..., :-1], strength, world.n_classes),
    )


def _near(world, value, y, first, second, rng):
    """Three features in common and one of their own."""
    a = _shifted(y, first, world.strength, 2)
    own = world.strength if value is None else value
    b = a.copy()
    b[..., -1] = second[..., 0] + y * (own / 2)
    return a, b


def _scale(world, value, y, first, second, rng):
    """Half of the features differ in mean, the others in spread."""

    def features(noise, strength):
        x = noise.copy()
        x[..., :2] += y[..., np.newaxis] * (strength / np.sqrt(2))
        x[..., 2:] *= 1 + y[..., np.newaxis] * strength
        return x

    strength = world.strength if value is None else value
    return features(first, world.strength), features(second[..., :-1], strength)


def _correlated(world, value, y, first, second, rng):
    """Correlated features, which favour the one learner, of unequal spread, the other."""
    x = np.sqrt(1 - value) * first + np.sqrt(value) * second[..., :1]
    x *= 1 + 0.5 * y[..., np.newaxis]
    x[..., 0] += world.strength * y
    return x, x


def _scaled(world, value, y, first, second, rng):
    x = first * np.where(y, value, 1.0)[..., np.newaxis]
    x = x + y[..., np.newaxis] * (world.strength / np.sqrt(x.shape[-1]))
    return x, x


def _nested(world, value, y, first, second, rng):
    strength = world.strength if value is None else value
    x = _shifted(y, first, strength, 2)
    return x, x


def _stretched(world, value, y, first, second, rng):
    """The last feature is noise, and its scale bothers the nearest neighbours only."""
    x = first.copy()
    x[..., :2] += y[..., np.newaxis] * (world.strength / np.sqrt(2))
    x[..., 2] *= value
    return x, x


def _checker(world, value, y, first, second, rng):
    """A checkerboard in part of the records, and a plain step in the others.

    Records are drawn by their class: a square is taken with the chance it has there.
    """
    n_draws, n = y.shape
    x = rng.random((n_draws, n, 2, 12))
    cells = np.floor(4 * x).astype(int)
    white = cells.sum(axis=2) % 2
    right = x[:, :, 0] > 0.5
    likely = (1 - value) * (0.15 + 0.7 * right) + value * (0.05 + 0.9 * white)
    likely = np.where(y[..., np.newaxis] == 1, likely, 1 - likely)
    # The first of twelve proposals that is accepted.
    accepted = rng.random(likely.shape) < likely
    chosen = accepted.argmax(axis=-1)[..., np.newaxis, np.newaxis]
    x = np.take_along_axis(x, chosen, axis=-1)[..., 0]
    return x, x


_FAMILIES = {
    "shift": _shift,
    "near": _near,
    "scale": _scale,
    "correlated": _correlated,
    "scaled": _scaled,
    "nested": _nested,
    "stretched": _stretched,
    "checker": _checker,
}
