"""Measures: scores of the predictions of classifiers."""

from skcompare._analysis.measures._measures import Measure, named_scoring, resolve_scoring
from skcompare._analysis.measures._metric_scorer import (
    ClassMetric,
    entry_of,
    known_names,
    scorer_names,
    scorer_of,
)
from skcompare._analysis.measures._no_skill import (
    WORSE_THAN_NO_SKILL,
    are_worse_than_no_skill,
    value_without_skill,
)
from skcompare._analysis.measures._scored_pair import RANKING_SCORES, RATE, scored_pair
from skcompare._analysis.measures._scores import (
    block_differences,
    one_score,
    score_differences,
    stored_part,
)
from skcompare._analysis.measures._stored_classifier import (
    StoredPredictions,
    Watch,
    class_order,
)
