"""scikit-learn estimators that compare classifiers, and functions that do so at once."""

from skcompare.comparators._compare import checked_names as checked_names
from skcompare.comparators._compare import compare
from skcompare.comparators._compare import is_table as is_table
from skcompare.comparators._compare_cv_results import compare_cv_results
from skcompare.comparators._compare_scores import MEAN_SCORE as MEAN_SCORE
from skcompare.comparators._compare_scores import compare_scores
from skcompare.comparators._compare_scores import item_row as item_row
from skcompare.comparators._compare_scores import item_tests as item_tests
from skcompare.comparators._compare_scores import prepared_scores as prepared_scores
from skcompare.comparators._compare_scores import size_words as size_words
from skcompare.comparators._cross_compare import CrossComparison, cross_compare
from skcompare.comparators._engine import PairEngine as PairEngine
from skcompare.comparators._engine import Prepared as Prepared
from skcompare.comparators._multiple_comparator import MultipleComparator
from skcompare.comparators._out_of_core import COLLECTED as COLLECTED
from skcompare.comparators._out_of_core import pair_of_tally as pair_of_tally
from skcompare.comparators._out_of_core import pair_on_engine as pair_on_engine
from skcompare.comparators._paired_classifier import PairedClassifier, make_paired_scorer
from skcompare.comparators._paired_comparator import PairedComparator
from skcompare.comparators._settings import installed_versions as installed_versions
from skcompare.comparators._tally_request import asked_by_tests as asked_by_tests
from skcompare.comparators._tally_request import check_holds as check_holds
from skcompare.comparators._test_selection import answers_wanted as answers_wanted
from skcompare.comparators._test_selection import no_test_note as no_test_note
from skcompare.comparators._test_selection import why_unsuited as why_unsuited

__all__ = [
    "CrossComparison",
    "MultipleComparator",
    "PairedClassifier",
    "PairedComparator",
    "compare",
    "compare_cv_results",
    "compare_scores",
    "cross_compare",
    "make_paired_scorer",
]
