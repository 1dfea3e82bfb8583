"""Tests that a scorer can run on two fitted classifiers, their options and evidence."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from skcompare._analysis import PreparedTest
from skcompare._analysis.measures import Measure, resolve_scoring
from skcompare._core.design import HOLDOUT
from skcompare._core.validation import some_of, unknown_name
from skcompare._registry.tests import PairedTestEntry
from skcompare.evidence import ContingencyTable, PlacementValues, ScoredPair
from skcompare.predictions import (
    LABELS,
    RANKS,
    SCORES,
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
)
from skcompare.stats import PairedResult
from skcompare.stats.accuracy import corrected_statistic

WITH_DIRECTION = ("difference", "ratio")
"""Kinds of tests whose estimate says which classifier is better."""

SCORING, POS_LABEL = "scoring", "pos_label"
MOST = "max_classes"
"""Attribute of evidence with the largest number of classes that it is for."""

NO_SCORE_OPTIONS = {
    "alternative": "A scorer chooses the alternative itself: 'greater', that the "
    "challenger is better, for returns='confidence'. Leave it out.",
    "interval": "A scorer returns one number and has no interval. Got `interval`. Leave "
    "it out.",
}
"""Options of tests that a scorer does not take, with the messages of its errors."""


def why_no_scorer(entry: PairedTestEntry) -> str:
    """Return the reason why a test cannot score a fitted classifier, or an empty string."""
    if entry.kind not in WITH_DIRECTION:
        return (
            f"{entry.name} has no direction: its estimate does not say which classifier "
            "is better"
        )
    if not entry.valid_for(HOLDOUT):
        return (
            f"{entry.name} is valid for {', '.join(entry.designs)} only, and a scorer "
            "sees two fitted classifiers on one test set without groups. PairedComparator "
            "runs it"
        )
    if not hasattr(entry.needs, "from_pair"):
        return (
            f"{entry.name} needs {entry.needs.__name__}, which is not made from the "
            "predictions of two fitted classifiers"
        )
    return ""


def evidence_options(entry: PairedTestEntry) -> tuple[str, ...]:
    """Names of the options with which a scorer computes the evidence of a test."""
    if entry.needs is ScoredPair:
        return SCORING, POS_LABEL
    return entry.evidence_options


def check_options(entry: PairedTestEntry, options: Mapping[str, Any], returns: str) -> None:
    """Raise an error for options that a scorer of this test does not use."""
    names = dict.fromkeys((*evidence_options(entry), *entry.options))
    accepted = [name for name in names if name not in NO_SCORE_OPTIONS]
    for name in options:
        if name in NO_SCORE_OPTIONS and name in names:
            raise ValueError(NO_SCORE_OPTIONS[name])
        if name not in accepted:
            raise unknown_name(f"option of {entry.name}", name, accepted)
    if "null_value" in options and returns != "confidence":
        raise ValueError(
            "`null_value` says what the confidence is about, and goes with "
            f"returns='confidence'. Got returns={returns!r}. Leave it out."
        )
    if returns == "confidence" and "alternative" not in entry.options:
        raise ValueError(
            f"{entry.name} has no one-sided version, so it has no confidence that the "
            "challenger is better. Choose returns='difference', or another test."
        )


def measure_of(entry: PairedTestEntry, options: Mapping[str, Any]) -> Measure | None:
    """Return the measure to compare, or None if the test determines the measure."""
    if entry.needs is not ScoredPair:
        return None
    scoring = options.get(SCORING, "accuracy")
    measures = resolve_scoring(scoring)
    if len(measures) > 1:
        raise ValueError(
            f"`scoring` of a scorer must be one measure. Got {scoring!r}. Make a scorer "
            "of each."
        )
    return measures[0]


def predictions_required(entry: PairedTestEntry, measure: Measure | None) -> frozenset[str]:
    """Kinds of predictions that both classifiers need."""
    if measure is not None:
        return measure.required
    kinds: frozenset[str] = getattr(entry.needs, "required", frozenset({LABELS, SCORES}))
    return kinds | {RANKS} if entry.needs is PlacementValues else kinds


def too_many_classes(
    entry: PairedTestEntry, classes: np.ndarray, others: Mapping[str, PairedTestEntry]
) -> str:
    """Message for more classes than a test takes, with the other tests that take them."""
    for_more = [
        repr(name)
        for name, candidate in others.items()
        if not hasattr(candidate.needs, MOST)
        and candidate.measures[0].startswith(entry.measures[0])
    ]
    return (
        f"{entry.name} is for {getattr(entry.needs, MOST)} classes, and there are "
        f"{len(classes)}: "
        f"{some_of(classes)}. Choose a test of several classes"
        f"{': test=' if for_more else ''}{' or test='.join(for_more)}."
    )


MOST_CLASSES, PER_CLASS, LEAST_RECORDS = 50, 4, 40
"""Size of made-up predictions; tests of more classes are not rehearsed."""


def difference_of(entry: PairedTestEntry, result: PairedResult) -> float:
    """Difference of challenger and champion, positive if the challenger is better."""
    if entry.kind == "difference":
        return result.estimate
    if result.champion is None or result.challenger is None:
        raise ValueError(
            f"{result.test} compares no number of each classifier, so that there is no "
            "difference. Choose returns='confidence', or another test."
        )
    sign = 1 if result.greater_is_better else -1
    return sign * (result.challenger - result.champion)


def signed_root(test: PreparedTest, result: PairedResult) -> float:
    """Return the statistic, or its root with the sign of the difference if chi-squared.

    A statistic has a sign if it changes with the roles, and is a chi-squared if it does
    not and has one degree of freedom. Any other test of the table of correct and
    incorrect predictions counts discordant pairs, and has the root of McNemar's
    chi-squared.
    """
    if math.isnan(result.pvalue):
        return math.nan
    evidence = test.evidence
    mirrored = test.entry.function(evidence.swap(), **test.options).statistic
    statistic = result.statistic
    if statistic * mirrored < 0:
        return statistic
    if result.df == 1 and statistic > 0:
        return math.copysign(math.sqrt(statistic), difference_of(test.entry, result))
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


def made_up_predictions(classes: np.ndarray) -> PairedPredictions | None:
    """Return made-up predictions of two classifiers, for a trial run of a test.

    None for one class, and for too many to be quick.
    """
    n_classes = len(classes)
    if not 2 <= n_classes <= MOST_CLASSES:
        return None
    rng = np.random.default_rng(0)
    n = max(LEAST_RECORDS, PER_CLASS * n_classes)
    y = (np.arange(n) % n_classes).astype(np.int8)
    indicators = np.eye(n_classes)[y]
    predictions = []
    for name, skill in (("champion", 0.2), ("challenger", 0.4)):
        noise = rng.dirichlet(np.ones(n_classes), size=n)
        proba = skill * indicators + (1 - skill) * noise
        labels = proba.argmax(axis=1).astype(np.int8)
        predictions.append(EstimatorPredictions(name, name, labels, proba))
    made_up = Predictions(classes=classes, y=y, estimators=tuple(predictions))
    return made_up.pair("champion", "challenger")
