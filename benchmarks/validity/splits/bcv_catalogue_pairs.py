"""The catalogue: pairs of equal learners, tuning and confirmation apart."""

from dataclasses import dataclass

from benchmarks.validity.splits.bcv_worlds import MIDDLING, STRONG, WEAK, World

WIDE, SECOND = (10, 10), 0.55
"""Ten features, of which one is the best and the others are nearly as good."""


@dataclass(frozen=True)
class Pair:
    """Two learners in a world; `cost` is how much longer they take than others."""

    kind: str
    world: World
    champion: str
    challenger: str
    cost: int = 1

    @property
    def name(self):
        return f"{self.world.name}-{self.champion}-v-{self.challenger}"

    @property
    def words(self):
        learners = self.champion
        if self.challenger != self.champion:
            learners += f" and {self.challenger}"
        w = self.world
        more = [
            f"{w.family} {w.strength:g}",
            *([f"{w.share:g} positive"] * (w.share != 0.5)),
        ]
        more += [f"groups of {w.group}"] * (w.group > 1)
        more += [f"{w.n_classes} classes"] * (w.n_classes > 2)
        return f"{learners} ({', '.join(more)})"


def _pairs(kind, learners, worlds, cost=1):
    return [Pair(kind, world, name, name, cost) for world in worlds for name in learners]


def _lucky(n, strength=SECOND, p=10):
    return World("lucky", n, strength=strength, n_features=(p, p))


def _sparse(n, strength=1.2):
    return World("sparse", n, strength=strength, n_features=(20, 20))


def _predictions(n, p, share=0.709):
    return World("predictions", n, strength=share, n_features=(p, p))


LINEAR = ("lda", "nb", "centroid", "logit")
KINDS = ("linear", "neighbours", "selection", "trees", "forests", "penalty", "chance",
         "few", "groups")  # fmt: skip

TUNING = (
    *_pairs("linear", LINEAR, [World("shift", 300)]),
    *_pairs("linear", ("lda",), [
        World("shift", 50), World("shift", 100, 0.2), World("shift", 300, 0.1, STRONG),
        World("shift", 1000, 0.5, WEAK), World("scale", 200, 0.5, 0.8),
        World("shift", 100, 0.3, STRONG, (3, 3), n_classes=3),
    ]),
    *_pairs("linear", ("no_training",), [World("shift", 300)]),
    *_pairs("neighbours", ("knn1", "knn5", "knn15", "knn75"), [World("shift", 300)]),
    *_pairs("neighbours", ("knn5",), [
        World("shift", 100), World("shift", 300, 0.1, STRONG),
    ]),
    *_pairs("neighbours", ("knn_search",), [World("shift", 300)], 2),
    *_pairs("selection", ("stump",), [_lucky(300), _lucky(1000)], 2),
    *_pairs("selection", ("select1", "select3"), [_lucky(300)], 2),
    *_pairs("selection", ("best_feature",), [
        _predictions(100, 10), _predictions(300, 3), _predictions(300, 10),
        _predictions(1000, 50),
    ]),
    *_pairs("selection", ("stump",), [
        World("alike", 300, strength=0.2, n_features=WIDE)
    ], 2),
    *_pairs("trees", ("tree3", "tree", "tree_of_leaves"), [_sparse(300)], 2),
    *_pairs("trees", ("tree",), [World("shift", 300, 0.1, STRONG)], 2),
    *_pairs("forests", ("forest5", "forest15", "boosted_stumps", "boosted_trees"),
            [_sparse(300)], 4),
    *_pairs("penalty", ("lasso",), [_sparse(100), _sparse(300)], 2),
    *_pairs("penalty", ("lasso_strong",), [_sparse(300)], 2),
    *_pairs("penalty", ("lasso_search",), [_sparse(100)], 4),
    *_pairs("penalty", ("stopped_early",), [World("shift", 300, n_features=WIDE)], 2),
    *_pairs("chance", ("jitter_large", "failing"), [World("shift", 300)]),
    *_pairs("few", ("lda",), [World("near", 100, strength=STRONG),
                              World("near", 300, strength=3.5)]),
    *_pairs("groups", ("lda", "knn5"), [World("shift", 300, group=5)]),
)  # fmt: skip

CONFIRMING = (
    *_pairs("linear", LINEAR, [World("shift", 200, 0.3, STRONG, (3, 3))]),
    *_pairs("linear", ("nb",), [
        World("shift", 50), World("shift", 100, 0.2, STRONG), World("shift", 500, 0.1),
        World("shift", 2000, 0.5, WEAK), World("scale", 100, 0.5, 0.8),
        World("shift", 500, 0.3, WEAK, (3, 3), n_classes=3),
    ]),
    *_pairs("linear", ("logit",), [World("shift", 100, n_features=(8, 8))]),
    *_pairs("neighbours", ("knn1", "knn5", "knn15", "knn75"), [
        World("shift", 600, 0.5, WEAK),
    ]),
    *_pairs("neighbours", ("knn15",), [
        World("shift", 100), World("shift", 300, 0.2, STRONG),
    ]),
    *_pairs("neighbours", ("knn_search",), [World("shift", 150, 0.3)], 2),
    *_pairs("selection", ("stump",), [_lucky(500, 0.4), _lucky(2000)], 3),
    *_pairs("selection", ("select1", "select3"), [_lucky(600, 0.4)], 2),
    *_pairs("selection", ("best_feature",), [
        _predictions(50, 10), _predictions(200, 5, 0.8), _predictions(500, 20, 0.65),
        _predictions(2000, 10),
    ]),
    *_pairs("selection", ("select1",), [
        World("alike", 600, strength=0.2, n_features=WIDE)
    ], 2),
    *_pairs("trees", ("tree3", "tree", "tree_of_leaves"), [World("shift", 600, 0.3)], 3),
    *_pairs("trees", ("tree2",), [_sparse(100)], 2),
    *_pairs("forests", ("forest5", "forest15", "boosted_stumps", "boosted_early"),
            [World("shift", 200, 0.3)], 4),
    *_pairs("penalty", ("lasso",), [_sparse(200, 0.8), _sparse(600)], 2),
    *_pairs("penalty", ("lasso_strong",), [_sparse(600, 0.8)], 2),
    *_pairs("penalty", ("lasso_search",), [_sparse(200)], 4),
    *_pairs("penalty", ("stopped_early",), [World("shift", 100, n_features=(8, 8))], 2),
    *_pairs("chance", ("jitter_small", "failing"), [World("shift", 100, 0.5, STRONG)]),
    *_pairs("few", ("lda",), [World("near", 50, strength=MIDDLING),
                              World("near", 200, 0.2, 3.0)]),
    *_pairs("groups", ("nb", "tree3"), [World("shift", 400, 0.3, group=10)], 2),
)  # fmt: skip

UNLIKE = tuple(
    Pair("unlike", World("shift", n, share), champion, challenger, cost)
    for champion, challenger, n, share, cost in (
        ("lda", "knn5", 100, 0.5, 1), ("lda", "knn15", 300, 0.3, 1),
        ("lda", "tree", 300, 0.5, 2), ("nb", "stump", 300, 0.5, 2),
        ("logit", "forest15", 200, 0.5, 4), ("knn1", "tree3", 300, 0.3, 2),
        ("majority", "logit", 100, 0.3, 1), ("lda", "boosted_stumps", 300, 0.5, 4),
    )
)  # fmt: skip

LAYOUTS = tuple(
    Pair(f"{m} repetitions", World("shift", 300, n_repeats=m), name, name)
    for m in (2, 3, 4, 7, 10)
    for name in ("lda", "knn15")
) + tuple(
    Pair(f"{m} repetitions", world, "select1", "select1", 2)
    for m in (2, 3, 4, 7, 10)
    for world in [World("lucky", 300, strength=SECOND, n_features=WIDE, n_repeats=m)]
)  # fmt: skip

HARDEST = tuple(
    pair
    for pair in TUNING + CONFIRMING
    if (pair.champion, pair.world.n)
    in {("stump", 1000), ("stump", 2000), ("lasso_strong", 300), ("best_feature", 1000),
        ("best_feature", 500), ("select1", 300), ("knn75", 300), ("nb", 500)}
)  # fmt: skip
"""Pairs whose level was highest by a measure, in one half or the other."""

K_FOLDS = tuple(
    pair
    for pair in TUNING
    if pair.champion in ("lda", "nb", "knn5", "knn75", "stump", "select1", "best_feature",
                         "tree3", "tree", "forest5", "lasso", "stopped_early", "failing")
    and pair.kind != "few"
)  # fmt: skip
"""Those of the first half that are also asked by K folds."""
