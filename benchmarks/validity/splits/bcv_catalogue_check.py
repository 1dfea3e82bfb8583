"""Are splits, learners, measures and rules those of skcompare and scikit-learn?"""

import numpy as np
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

from benchmarks.validity.splits.bcv_catalogue_draws import simulate
from benchmarks.validity.splits.bcv_catalogue_pairs import Pair
from benchmarks.validity.splits.bcv_catalogue_rules import (
    ACCURACY,
    CHOSEN,
    PUBLISHED,
    decisions,
    squared_errors,
)
from benchmarks.validity.splits.bcv_learners import Splits, fit
from benchmarks.validity.splits.bcv_measures import MEASURES, Folds, compare, measure, table
from benchmarks.validity.splits.bcv_worlds import (
    World,
    draw_blocks,
    draw_classes,
    draw_features,
    draw_folds,
    halves_of,
)
from skcompare._core.design import Design
from skcompare.evidence import PairedBlocks, PlacementValues
from skcompare.metrics import block_differences, resolve_scoring, squared_calibration_error
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.predictions import EstimatorPredictions, PairedPredictions, Predictions
from skcompare.stats import bcv_jackknife_t, bcv_mcnemar, delong

PEERS = {
    "lda": LinearDiscriminantAnalysis(solver="lsqr"),
    "nb": GaussianNB(var_smoothing=0.0),
    "logit": LogisticRegression(C=1.0, tol=1e-10, max_iter=1000),
    "knn1": KNeighborsClassifier(1),
    "knn15": KNeighborsClassifier(15),
}
SCORING = {
    "auc": "roc_auc",
    "brier": "multiclass_brier_loss",
    "log_loss": "neg_log_loss",
    "calibration": "squared_calibration_error",
}
"""What the library calls a measure, where it has another name for it."""


def check_all(seed=0):
    """Stop where the study's numbers differ from those of the library and its peers."""
    check_halves(seed)
    check_learners(seed)
    check_rules(seed)
    pair = Pair("", World("shift", 50), "lda", "lda")
    repeated = [simulate(pair, 20, np.random.default_rng(seed)) for _ in range(2)]
    _same("repeated draws", repeated[0].mean, repeated[1].mean)


def check_halves(seed):
    """Halves are shared as by the splitter: sizes, classes and overlaps."""
    rng = np.random.default_rng(seed)
    for n, share in ((50, 0.2), (203, 0.5)):
        world = World("shift", n, share)
        y = draw_classes(world, 200, rng)
        folds = halves_of(draw_blocks(world, y, rng), 5)
        splitter = BlockRegularized5x2CV(random_state=seed)
        for labels, fold in zip(y, folds):
            ours = _overlaps(fold == 1, labels)
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
    """Learners and measures are those of scikit-learn, of halves and of folds."""
    world = World("shift", 200, 0.4)
    rng = np.random.default_rng(seed)
    y = draw_classes(world, 1, rng)
    halves = halves_of(draw_blocks(world, y, rng), 5)
    x = draw_features(world, None, y, rng)
    for fold, n_folds in ((halves, 2), (draw_folds(world, y, 4, 1, rng), 4)):
        splits = Splits(y, fold, n_folds, 2, rng)
        folds = Folds(splits)
        for name, peer in PEERS.items():
            ours = [fit(name, part, splits, {}) for part in x]
            found = [measure(part, splits, folds) for part in ours]
            difference, variance = compare(*found, folds)
            for repeat, of_record in enumerate(fold[0]):
                for k in range(n_folds):
                    test = of_record == k
                    theirs = [_peer(name, peer, part[0], y[0], test) for part in x]
                    for mine, other in zip(ours, theirs):
                        _same(name, mine[0, repeat, test], other, 1e-4)
                    at = 0, repeat, k
                    _check_measures(name, theirs, y[0, test], difference[at], variance[at])


def check_rules(seed, n=120, n_draws=20):
    """The rules decide as the library does, from the same predictions."""
    world = World("shift", n, 0.4)
    rng = np.random.default_rng(seed)
    y = draw_classes(world, n_draws, rng)
    blocks = draw_blocks(world, y, rng)
    splits = Splits(y, halves_of(blocks, 5), 2, 2, rng)
    folds = Folds(splits)
    proba = [fit("knn5", x, splits, {}) for x in draw_features(world, 2.5, y, rng)]
    found = table(*(measure(p, splits, folds) for p in proba), folds, blocks, y)
    rejected = decisions(found, 5, n)
    error, df = squared_errors(found, 5)[CHOSEN]
    for draw in range(n_draws):
        pair = _pair(y[draw], splits.fold[draw], [p[draw] for p in proba])
        for k, name in enumerate(MEASURES):
            scoring = SCORING.get(name, name)
            (measured,) = resolve_scoring(scoring)
            blocks_of = block_differences(pair, measured)
            result = bcv_jackknife_t(blocks_of)
            what = f"{name} by bcv_jackknife_t"
            _same(what, found.mean[draw, k], result.estimate, 1e-9)
            _same(what, error[draw, k], result.details["se"] ** 2, 1e-9)
            _same(what, df[draw, k], result.df, 1e-9)
        decided = bcv_mcnemar(PairedBlocks.from_pair(pair)).pvalue < 0.05
        if decided != rejected[PUBLISHED][draw, ACCURACY]:
            raise SystemExit("bcv_mcnemar of the library decides otherwise.")


def _pair(y, fold, proba):
    """Predictions of all ten splits, the one that trains on the first half first."""
    tests = [np.flatnonzero(of_record == k) for of_record in fold for k in (0, 1)]
    records = np.concatenate(tests)
    roles = []
    for name, p in zip(("champion", "challenger"), proba):
        rows = [p[split // 2, test] for split, test in enumerate(tests)]
        stacked = np.concatenate(rows)
        roles.append(EstimatorPredictions(name, name, stacked.argmax(axis=1), stacked))
    sizes = np.array([len(test) for test in tests])
    predictions = Predictions(
        np.array([0, 1]), y, tuple(roles), Design("bcv", len(fold), 2),
        records, np.cumsum([0, *sizes]), len(y) - sizes,
    )  # fmt: skip
    return PairedPredictions(predictions, *roles)


def _peer(name, peer, x, y, test):
    found = peer.fit(x[~test], y[~test]).predict_proba(x[test])
    if name.startswith("knn"):
        k = peer.n_neighbors
        found = (found * k + 1) / (k + 2)
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
        "calibration": [squared_calibration_error(y, part) for part in probabilities],
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
