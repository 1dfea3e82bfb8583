"""The assertion: what it takes, and what it tells who must act on it."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skcompare import PairedComparator
from skcompare.gate import AnyOf, Gate, GateNotPassed, NonInferior, Superior, assert_better

N = 400


def predictions_of(accuracy, seed, y):
    """Labels of a classifier that is right with a probability."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(y)) < accuracy, y, 1 - y)


@pytest.fixture(scope="module")
def y():
    return np.random.default_rng(0).integers(2, size=N)


@pytest.fixture(scope="module")
def old(y):
    return predictions_of(0.75, 1, y)


@pytest.fixture(scope="module")
def new(y):
    return predictions_of(0.87, 2, y)


@pytest.fixture(scope="module")
def records():
    """Training records and hold-out records, each X and y."""
    X, y = load_breast_cancer(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def trained(records):
    X, y, _, _ = records
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    return GaussianNB().fit(X, y), logistic.fit(X, y)


def message_of(*predictions, **words):
    """What is told where the assertion does not hold."""
    with pytest.raises(GateNotPassed) as caught:
        assert_better(*predictions, **words)
    return str(caught.value)


def test_decision_is_that_of_the_gate(y, old, new):
    """It is a gate with a superiority condition and those beside it."""
    more = NonInferior("f1_macro", margin=0.02)
    gate = Gate(Superior("accuracy", margin=0.01), more, alpha=0.1)
    expected = gate.decide(y, {"champion": old, "challenger": new})

    decision = assert_better(y, old, new, more, margin=0.01, alpha=0.1)

    assert "passed" == expected.status == decision.status
    assert expected.to_dict()["outcomes"] == decision.to_dict()["outcomes"]


def test_failure_is_an_assertion_with_its_decision(y, old, new):
    """Whoever catches it has the decision, also after it went to another process."""
    with pytest.raises(AssertionError) as caught:
        assert_better(y, new, old)

    decision = caught.value.decision
    assert "failed" == decision.status
    assert Superior("accuracy") == decision.outcomes[0].condition
    assert str(caught.value).startswith("NOT PASSED: challenger against champion")


def test_message_tells_what_is_lacking_and_what_to_do(y, old, new):
    """The condition, what was observed and required, the records needed, the advice."""
    message = message_of(y, old, new, NonInferior("f1_macro", margin=0.02), margin=0.1)

    first, *rest = message.splitlines()
    assert "1 of 2 conditions was not shown to hold at alpha 0.05 (400 records)" in first
    told = "\n".join(rest)
    assert "1. accuracy is better by more than 0.1: inconclusive" in told
    assert "must be above +0.1 (95 % confidence)" in told
    assert "records would settle it (80 % power)" in told
    assert "2. f1_macro is worse by less than 0.02: passed" in told
    assert "what to do: evaluate about" in told
    assert "more than these" in told


def test_advice_fits_the_reason(y, old, new):
    """More records are advised only where they would help."""
    shown_worse = message_of(y, new, old)
    same = message_of(y, old, old)
    hopeless = message_of(y, old, new, margin=0.2)
    no_slice = message_of(y, old, new, where={"c": "b"}, columns={"c": ["a"] * N})
    either = message_of(
        y, old, new, AnyOf(Superior("accuracy", margin=0.2), Superior("f1", margin=0.2))
    )

    assert "what to do: keep the champion" in shown_worse
    assert "stopped: same-predictions" in same
    assert 1 == same.count("same-predictions")
    assert "what to do: mend what stopped the gate" in same
    assert "what to do: keep the champion" in hopeless or "improve" in hopeless
    assert "no record is in the slice" in no_slice
    assert "what to do: give each condition the evidence that it lacks" in no_slice
    assert "2a. accuracy is better by more than 0.2" in either
    for message in (shown_worse, same, hopeless, no_slice, either):
        assert 1 == message.count("what to do")
        assert "evaluate about" not in message


def test_blind_failure_tells_nothing(y, old, tmp_path):
    """Of a blind gate the message has no number."""
    worse = predictions_of(0.6, 3, y)

    message = message_of(y, old, worse, ledger=tmp_path / "ledger", blind=True)

    assert "a blind gate reports nothing else" in message
    assert "accuracy" not in message
    assert "difference" not in message


def test_looks_are_counted(y, old, new, records, trained, tmp_path):
    """Predictions, classifiers and comparators are each judged at the level of their
    look.
    """
    _, _, X, true = records
    first = assert_better(y, old, new, ledger=tmp_path / "answers")
    second = message_of(y, old, predictions_of(0.7, 9, y), ledger=tmp_path / "answers")
    by = "binary_brier_loss"
    comparator = PairedComparator(*trained, cv="prefit", scoring=by).fit(X, true)
    levels = [
        assert_better(true, *trained, by=by, X=X, ledger=tmp_path / "classifiers").alpha,
        assert_better(comparator, by=by, ledger=tmp_path / "comparator").alpha,
    ]

    assert 0.025 == first.alpha
    assert "at alpha 0.0056" in second
    assert [0.025, 0.025] == levels


def test_failure_can_be_pickled_where_its_decision_can():
    """Runners that send failures between processes can rebuild it."""
    again = pickle.loads(pickle.dumps(GateNotPassed("a decision")))

    assert "a decision" == again.decision


def test_probabilities_and_slices(y):
    """Probabilities are judged by what needs them, on the slice that is named."""
    rng = np.random.default_rng(5)
    noisy, clean = (np.clip(y + s * rng.standard_normal(N), 0, 1) for s in (0.9, 0.4))
    country = np.where(np.arange(N) % 2, "DE", "FR")

    decision = assert_better(
        y, noisy, clean, by="roc_auc", where={"country": "DE"}, columns={"country": country}
    )

    assert N // 2 == decision.outcomes[0].n_records
    assert "roc_auc is better, where country = DE" == decision.outcomes[0].condition.text


def test_fitted_classifiers_prediction_the_records(records, trained):
    """Classifiers are requested what the conditions need, as they are."""
    _, _, X, y = records
    old, new = trained
    conditions = [NonInferior("roc_auc", margin=0.03), NonInferior("accuracy", margin=0.01)]
    proba = {"champion": old.predict_proba(X), "challenger": new.predict_proba(X)}
    expected = Gate(Superior("binary_brier_loss"), *conditions).decide(y, proba)

    decision = assert_better(y, old, new, *conditions, by="binary_brier_loss", X=X)

    assert expected.status == decision.status == "passed"
    found = [outcome.pvalue for outcome in decision.outcomes]
    assert [one.pvalue for one in expected.outcomes] == pytest.approx(found)


def test_fitted_classifiers_of_groups_and_slices(records, trained):
    """Groups make the design grouped, and columns cut slices."""
    _, _, X, y = records
    words = {"groups": np.arange(len(y)) // 2, "columns": {"half": y * 0}}

    decision = assert_better(
        y, *trained, NonInferior("accuracy", margin=0.2, where={"half": 0}), X=X, **words
    )

    assert "hold-out by groups" == decision.design
    assert len(y) == decision.outcomes[1].n_records


def test_fitted_comparator(records, trained):
    """A comparator has all that is judged; conditions follow it."""
    _, _, X, y = records
    scoring = ["binary_brier_loss", "roc_auc"]
    comparator = PairedComparator(*trained, cv="prefit", scoring=scoring).fit(X, y)

    decision = assert_better(
        comparator, NonInferior("roc_auc", margin=0.03), by="binary_brier_loss"
    )

    assert ["binary_brier_loss", "roc_auc"] == [
        o.condition.measure for o in decision.outcomes
    ]


def test_what_cannot_be_judged_is_no_failed_assertion(y, old, new, records, trained):
    """Mistakes of the caller are errors that say what to do."""
    _, _, X, true = records
    untrained = LogisticRegression()
    comparator = PairedComparator(*trained, cv="prefit").fit(X, true)

    for predictions, words, kind, told in (
        (
            (y, old),
            {},
            TypeError,
            "`challenger` must be predictions, or a fitted classifier .* Got NoneType",
        ),
        ((true, *trained), {}, TypeError, r"Got \w+ without `X`"),
        ((true, true, true), {"X": X}, TypeError, "Got ndarray with `X`"),
        ((true, trained[0], untrained), {"X": X}, NotFittedError, "is not fitted"),
        ((true, *trained), {"X": X, "labels": [0, 1]}, ValueError, "know their classes"),
        ((comparator,), {"X": X}, ValueError, "Got X as well"),
        ((y, old, new), {"by": "acuracy"}, ValueError, "Did you mean 'accuracy'"),
        ((y, old, new[1:]), {}, ValueError, "one entry per record"),
        ((y, old, new, "roc_auc"), {}, ValueError, "A gate needs conditions"),
    ):
        with pytest.raises(kind, match=told):
            assert_better(*predictions, **words)
