"""Measures: scores of the predictions of classifiers."""

from skcompare._analysis.measures._in_time import NoInfluenceError
from skcompare._analysis.measures._in_trainings import BY_INFLUENCE, means_of_trainings
from skcompare._analysis.measures._measures import (
    WORSE_THAN_NO_SKILL,
    ClassMetric,
    Measure,
    StoredNumbers,
    StoredPredictions,
    Watch,
    are_worse_than_no_skill,
    class_order,
    entry_of,
    known_names,
    measures_of_outputs,
    named_scoring,
    resolve_scoring,
    scorer_names,
    scorer_of,
    value_without_skill,
)
from skcompare._analysis.measures._scores import (
    RANKING_SCORES,
    RATE,
    PairScores,
    RoleScores,
    block_differences,
    one_score,
    score_differences,
    scored_pair,
)
