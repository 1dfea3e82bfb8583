"""Rows of `peers.py` that fit classifiers, or make the splits to fit on."""

import numpy as np
import peers_method as data
from peers_method import Method
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB

from skcompare import BlockRegularized5x2CV, cross_compare
from skcompare.evidence import ScoreDifferences
from skcompare.stats import combined_5x2_f, paired_5x2_t

PAIR = GaussianNB(), GaussianNB(var_smoothing=0.1)


def mlxtend_5x2(function):
    def tested(X, y):
        from mlxtend import evaluate

        test = getattr(evaluate, function)
        return test(*PAIR, X, y, scoring="accuracy", random_seed=0)[1]

    return tested


def our_5x2(test):
    """Of the scores alone, as mlxtend has it."""

    def tested(X, y):
        half, scores = len(y) // 2, (own.reshape(5, 2) for own in our_scores(X, y))
        halves = ScoreDifferences.from_scores(*scores, half, half, design="random 5x2")
        return test(halves).pvalue

    return tested


def folds():
    return RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)


def sklearn_scores(X, y):
    from sklearn.model_selection import cross_validate

    return [cross_validate(one, X, y, cv=folds())["test_score"] for one in PAIR]


def our_scores(X, y):
    found = cross_compare(dict(zip(("one", "two"), PAIR)), X, y, cv=folds())
    return [found["test_score_one"], found["test_score_two"]]


def sizes_of(splits):
    return np.array([[len(train), len(test)] for train, test in splits]).mean()


def our_splits(X, y):
    return sizes_of(BlockRegularized5x2CV(random_state=0).split(X, y))


def sklearn_splits(X, y):
    return sizes_of(folds().split(X, y))


COMPARATOR = "a comparator takes longer: it collects all predictions and writes its report"


def fit_rows():
    for name, ours, peer in (
        ("paired t", paired_5x2_t, "paired_ttest_5x2cv"),
        ("combined F", combined_5x2_f, "combined_ftest_5x2cv"),
    ):
        yield Method(
            f"5x2 cv {name}, 20 fits",
            data.training_data,
            ours=our_5x2(ours),
            peers={"mlxtend": mlxtend_5x2(peer)},
            differs={"mlxtend": "the splits are others, drawn at random"},
            least_work=COMPARATOR,
            rtol=None,
            floor="",
            largest=10**5,
            why="as many fits as mlxtend makes, and the same code around them",
        )
    yield Method(
        "Scores of 10 splits, 20 fits",
        data.training_data,
        ours=our_scores,
        peers={"sklearn": sklearn_scores},
        floor="",
        largest=10**5,
        why="as many fits as scikit-learn makes, and the same code around them",
    )
    yield Method(
        "Ten splits of 5x2 cv",
        data.training_data,
        ours=our_splits,
        peers={"sklearn": sklearn_splits},
        largest=10**6,
        floor="",
        differs={"sklearn": "halves at random, not balanced over repetitions"},
    )


FAMILIES = {"Fits": (fit_rows,)}
