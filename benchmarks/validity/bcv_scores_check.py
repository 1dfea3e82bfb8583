"""Are splits, learners and measures of the study those of skcompare and scikit-learn?"""

import numpy as np
from bcv_scores_draws import simulate
from bcv_scores_learners import Halves, fit
from bcv_scores_measures import MEASURES, Folds, compare, measure
from bcv_scores_rules import ALPHA, mcnemar_least, mcnemar_rejections
from bcv_scores_worlds import World, draw_classes, draw_features, draw_halves
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from skcompare.evidence import PairedBlocks, PlacementValues
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.stats import bcv_mcnemar, delong

PEERS = {
    "lda": LinearDiscriminantAnalysis(solver="lsqr"),
    "nb": GaussianNB(var_smoothing=0.0),
    "logit": LogisticRegression(C=1.0, tol=1e-10, max_iter=1000),
    "knn1": KNeighborsClassifier(1),
    "knn15": KNeighborsClassifier(15),
}


def check_all(seed=0):
    """Stop where the study's numbers differ from those of the library and its peers."""
    check_halves(seed)
    check_learners(seed)
    check_mcnemar(seed)
    repeated = [
        simulate(
            World("shift", 50), None, [("lda", "lda")], 20, np.random.default_rng(seed)
        )
        for _ in range(2)
    ]
    _same("repeated draws", repeated[0].difference, repeated[1].difference)


def check_halves(seed):
    """Halves are shared as by the splitter: sizes, classes and overlaps."""
    rng = np.random.default_rng(seed)
    for n, share in ((50, 0.2), (203, 0.5)):
        world = World("shift", n, share)
        y = draw_classes(world, 200, rng)
        first = draw_halves(world, y, rng)
        splitter = BlockRegularized5x2CV(random_state=seed)
        for labels, halves in zip(y, first):
            ours = _overlaps(halves, labels)
            theirs = np.zeros((5, n), dtype=bool)
            for j, (train, _) in enumerate(list(splitter.split(labels, labels))[::2]):
                theirs[j, train] = True
            theirs = _overlaps(theirs, labels)
            # The larger blocks are random, so numbers may differ as far as they allow.
            if np.abs(ours - theirs).max() > 4:
                raise SystemExit(f"Halves of {n} records overlap in {ours}, not {theirs}.")


def _overlaps(halves, labels):
    """Records of each class that two of the first halves share."""
    return np.stack(
        [(halves & (labels == k)).astype(int) @ halves.T.astype(int) for k in (0, 1)]
    )


def check_learners(seed):
    world = World("shift", 200, 0.4)
    rng = np.random.default_rng(seed)
    y = draw_classes(world, 1, rng)
    first = draw_halves(world, y, rng)
    x = draw_features(world, None, y, rng)
    halves = Halves(y, first, 2, rng)
    folds = Folds(halves)
    for name, peer in PEERS.items():
        ours = [fit(name, part, halves, {}) for part in x]
        measured = [measure(part, halves, folds) for part in ours]
        difference, variance = compare(*measured, folds)
        for repeat, half in enumerate(first[0]):
            for fold, (train, test) in enumerate(((half, ~half), (~half, half))):
                theirs = [
                    _peer(name, peer, part[0], y[0], train, test, halves.n_classes)
                    for part in x
                ]
                for mine, other in zip(ours, theirs):
                    _same(name, mine[0, repeat, test], other, 1e-4)
                _check_measures(
                    name, theirs, y[0, test], difference[0, repeat, fold],
                    variance[0, repeat, fold],
                )  # fmt: skip


def check_mcnemar(seed, n=400, n_draws=500):
    """Decisions about made-up tables, of which the leads differ between the halves."""
    rng = np.random.default_rng(seed)
    lead = rng.normal(0.06, 0.08, (n_draws, 10)).clip(-0.2, 0.2)
    rest = np.zeros_like(lead)
    shares = np.stack([rest + 0.6, 0.2 - lead / 2, 0.2 + lead / 2, rest], axis=-1)
    tables = rng.multinomial(n // 2, shares)
    blocks = [PairedBlocks(table.reshape(5, 2, 4)) for table in tables]
    balance = tables[..., 2] - tables[..., 1]
    counts = np.stack([tables[..., 1] + tables[..., 2], balance], axis=-1).mean(axis=1)
    least = mcnemar_least((balance / (n // 2)).var(axis=1, ddof=1), n, 5)
    for variance, smallest in (("published", 0.0), ("guarded", least)):
        ours = mcnemar_rejections(counts, 5, least=smallest)
        theirs = [bcv_mcnemar(one, variance=variance).pvalue < ALPHA for one in blocks]
        _same(f"decisions, {variance} variance", ours.astype(float), np.array(theirs) + 0.0)


def _peer(name, peer, x, y, train, test, n_classes):
    found = peer.fit(x[train], y[train]).predict_proba(x[test])
    if name.startswith("knn"):
        k = peer.n_neighbors
        found = (found * k + 1) / (k + n_classes)
    return found


def _check_measures(name, probabilities, y, difference, variance):
    labels = [part.argmax(axis=1) for part in probabilities]
    onehot = np.eye(2)[y]
    values = {
        "auc": [roc_auc_score(y, part[:, 1]) for part in probabilities],
        "brier": [((part - onehot) ** 2).sum(axis=1).mean() for part in probabilities],
        "log_loss": [log_loss(y, part) for part in probabilities],
        "accuracy": [accuracy_score(y, part) for part in labels],
        "precision": [precision_score(y, part) for part in labels],
        "recall": [recall_score(y, part) for part in labels],
        "f1": [f1_score(y, part) for part in labels],
    }
    expected = [values[measure][1] - values[measure][0] for measure in MEASURES]
    _same(f"measures of {name}", difference, expected, 1e-3)
    both = PlacementValues.from_predictions(y, *(part[:, 1] for part in probabilities))
    _same(
        f"DeLong of {name}", variance[0], delong(both).details["standard_error"] ** 2, 1e-4
    )
    losses = [((part - onehot) ** 2).sum(axis=1) for part in probabilities]
    expected = (losses[1] - losses[0]).var(ddof=1) / len(y)
    _same(f"variance of {name}", variance[1], expected, 1e-4)


def _same(what, ours, theirs, tolerance=1e-10):
    distance = np.nanmax(np.abs(np.asarray(ours) - theirs))
    if not distance <= tolerance * max(1e-3, np.nanmax(np.abs(theirs))):
        raise SystemExit(f"{what}: {ours} differs from {theirs} by {distance}.")
