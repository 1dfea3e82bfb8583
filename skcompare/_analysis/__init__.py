"""Runs of tests: requests, choice of tests, evidence, rows and verdicts."""

from skcompare._analysis._comparison import (
    FAMILY_WISE,
    MAX_T,
    POWER,
    RECORDS,
    ComparisonRow,
    PairEngine,
    PreparedTest,
    Results,
    Settings,
    Verdict,
    check_settings,
    decide,
    decimals_of,
    far_end,
    is_against,
    level_text,
    result_row,
    with_adjusted,
)
from skcompare._analysis._counted import (
    needs_records,
    pair_of_tally,
    requested_by,
    tallied_pair,
)
from skcompare._analysis._counted_numbers import counted_numbers
from skcompare._analysis._evidence_cache import EvidenceBehind
from skcompare._analysis._joint_rows import simultaneous
from skcompare._analysis._pairwise_comparison import (
    ClassifierRow,
    PairRow,
    PairwiseComparison,
    PairwiseResults,
    both_ways,
    decide_among,
    swapped,
)
from skcompare._analysis._record_order import IN_ORDER, correlation_of_records, order_text
from skcompare._analysis._several import (
    SeveralEngine,
    comparison_of,
    max_t_family,
    settings_of_several,
)
from skcompare._analysis._test_selection import (
    ALL,
    LABEL,
    POS_LABEL,
    SCORE,
    CountedSchema,
    NamedTests,
    RequestedTests,
    Selection,
    default_test,
    named_tests,
    no_test_note,
    predictions_required,
    why_unsuited,
    with_classes,
)
from skcompare._analysis.measures import measures_of_outputs
