"""scikit-learn's own checks of estimators."""

import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from skcompare import MultipleComparator, PairedComparator

TOO_FEW = (
    "the check's ten or so records cannot be split into halves that all hold two classes, "
    "which logistic regression needs"
)
EXPECTED_FAILURES = {
    "check_fit2d_1feature": TOO_FEW,
    "check_n_features_in_after_fitting": TOO_FEW,
}


def requesting(classifier):
    """The classifier, asking for sample weights, as metadata routing wants it."""
    if sklearn.get_config()["enable_metadata_routing"]:
        return classifier.set_fit_request(sample_weight=True)
    return classifier


def paired(**settings):
    """A comparator of two."""
    return PairedComparator(
        requesting(LogisticRegression()), requesting(DecisionTreeClassifier()), **settings
    )


def multiple(**settings):
    """A comparator of three."""
    named = [
        ("logistic", LogisticRegression()),
        ("tree", DecisionTreeClassifier()),
        ("Bayes", GaussianNB()),
    ]
    return MultipleComparator([(name, requesting(one)) for name, one in named], **settings)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the checks provoke warnings of the classifiers
def test_check_estimator():
    """All checks pass but the listed ones."""
    for make, refit, routing in [
        # Refitting adds to what is done without it, so that one way of routing is enough.
        (paired, False, False),
        (paired, True, True),
        (multiple, True, False),
        (multiple, True, True),
    ]:
        with sklearn.config_context(enable_metadata_routing=routing):
            checks = check_estimator(
                make(refit=refit, random_state=0),
                expected_failed_checks=EXPECTED_FAILURES,
                on_fail=None,
                on_skip=None,
            )

        failed = {check["check_name"] for check in checks if check["status"] == "failed"}
        assert set() == failed
        assert len(checks) > 40


def test_classifier_tag_follows_refit():
    """A comparison is no classifier; with refit=True it predicts like one."""
    pair = LogisticRegression(), DecisionTreeClassifier()

    assert get_tags(PairedComparator(*pair)).estimator_type is None
    assert "classifier" == get_tags(PairedComparator(*pair, refit=True)).estimator_type
