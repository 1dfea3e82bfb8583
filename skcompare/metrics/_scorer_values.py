"""One number from a test of two classifiers, so that greater is better."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from skcompare._registry.tests import PairedTestEntry
from skcompare.evidence import ContingencyTable
from skcompare.predictions import Answers, PairedPredictions, Predictions
from skcompare.stats import PairedResult
from skcompare.stats._mcnemar_methods import corrected_statistic

MOST_CLASSES, PER_CLASS, LEAST_RECORDS = 50, 4, 40
"""Size of made-up answers; tests of more classes than that are not rehearsed."""


def difference_of(entry: PairedTestEntry, result: PairedResult) -> float:
    """Challenger less champion where greater is better, and the reverse of losses."""
    if entry.kind == "difference":
        return result.estimate
    if result.champion is None or result.challenger is None:
        raise ValueError(
            f"{result.test} compares no number of each classifier, so that there is no "
            "difference. Choose returns='confidence', or another test."
        )
    sign = 1 if result.greater_is_better else -1
    return sign * (result.challenger - result.champion)


def signed_root(
    entry: PairedTestEntry,
    run: Callable[[Any], PairedResult],
    evidence: Any,
    result: PairedResult,
) -> float:
    """The statistic, or its root with the sign of the difference if chi-squared.

    A statistic has a sign if it changes with the roles, and is a chi-squared if it does
    not and has one degree of freedom. Any other test of the table of right and wrong
    answers counts discordant pairs, and has the root of McNemar's chi-squared.
    """
    if math.isnan(result.pvalue):
        return math.nan
    statistic, mirrored = result.statistic, run(evidence.swap()).statistic
    if statistic * mirrored < 0:
        return statistic
    if result.df == 1 and statistic > 0:
        return math.copysign(math.sqrt(statistic), difference_of(entry, result))
    if isinstance(evidence, ContingencyTable) and result.df is None:
        against, favour = evidence.only_champion, evidence.only_challenger
        if statistic != 0 or against != favour:
            return 0.0 + corrected_statistic(against, favour, 0.0)[1]
    if statistic == 0 and (result.df == 1 or result.pvalue == 1 or result.estimate == 0):
        return 0.0
    raise ValueError(
        f"The statistic of {result.test} ({result.method}) is the same whichever "
        "classifier is better, so that it has no sign. Choose returns='confidence', or "
        "another test."
    )


def rare_class(pair: PairedPredictions, needs: type) -> bool:
    """Whether some class has fewer records than the evidence of a test needs."""
    least = getattr(needs, "least_per_class", 0)
    predictions = pair.predictions
    counts = np.bincount(predictions.y_answered(), minlength=len(predictions.classes))
    return bool(counts.min() < least)


def made_up_answers(classes: np.ndarray) -> PairedPredictions | None:
    """Different answers of two classifiers to records of these classes, to try a test on.

    None for one class, and for more than would be quick.
    """
    n_classes = len(classes)
    if not 2 <= n_classes <= MOST_CLASSES:
        return None
    rng = np.random.default_rng(0)
    n = max(LEAST_RECORDS, PER_CLASS * n_classes)
    y = (np.arange(n) % n_classes).astype(np.int8)
    right = np.eye(n_classes)[y]
    answers = []
    for name, skill in (("champion", 0.2), ("challenger", 0.4)):
        noise = rng.dirichlet(np.ones(n_classes), size=n)
        proba = skill * right + (1 - skill) * noise
        labels = proba.argmax(axis=1).astype(np.int8)
        answers.append(Answers(name, name, labels, proba))
    made_up = Predictions(classes=classes, y=y, answers=tuple(answers))
    return made_up.pair("champion", "challenger")
