"""Runs of tests: requests, choice of tests, evidence, rows and verdicts."""

from skcompare._analysis._comparison import (
    FAMILY_WISE,
    POWER,
    RECORDS,
    ComparisonRow,
    EvidenceBehind,
    PairEngine,
    PreparedTest,
    Results,
    Verdict,
    decide,
    decimals_of,
    far_end,
    is_against,
    level_text,
    result_row,
    round_up,
    usual_options,
    with_adjusted,
)
from skcompare._analysis._pairwise_comparison import (
    ClassifierRow,
    PairRow,
    PairwiseComparison,
    PairwiseResults,
    both_ways,
    decide_among,
    swapped,
)
from skcompare._analysis._several import (
    MAX_T,
    SeveralEngine,
    check_named,
    comparison_of,
    max_t_family,
    named_of_several,
)
from skcompare._analysis._tally_evidence import (
    CountedSchema,
    needs_records,
    schema_of,
    tallied_pair,
)
from skcompare._analysis._test_selection import (
    ALL,
    LABEL,
    POS_LABEL,
    SCORE,
    NamedTests,
    RequestedTests,
    Selection,
    check_holds,
    check_positive,
    default_test,
    named_tests,
    no_test_note,
    predictions_required,
    requested_by,
    requested_by_tests,
    why_unsuited,
    with_classes,
)
