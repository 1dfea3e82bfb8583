"""Gates on regressors: equal ones, and looks at them in a ledger."""

import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso, Ridge

from skcompare import PairedComparator
from skcompare.gate import Gate, Ledger, NonInferior, assert_better

MAE = "neg_mean_absolute_error"
X, Y = load_diabetes(return_X_y=True)
GATE = Gate(NonInferior(MAE, margin=50))


def compared(alpha=1.0, champion=None):
    """A champion and a ridge regression, compared on records that neither has seen."""
    models = [champion or Lasso(), Ridge(alpha)]
    fitted = [model.fit(X[:200], Y[:200]) for model in models]
    return PairedComparator(*fitted, cv="prefit", scoring=MAE).fit(X[200:], Y[200:])


def test_equal_regressors_are_refused():
    """A challenger that predicts what the champion does cannot pass."""
    decision = GATE.decide(compared(champion=Ridge(1.0)))

    assert not decision.passed
    assert "same" in " ".join(decision.reasons)
    assert GATE.decide(compared()).passed


@pytest.mark.parametrize("blind", [False, True])
def test_looks_tell_predictions_apart(tmp_path, blind):
    """The same predictions are the same look, and others are another."""
    path = tmp_path / "ledger.json"
    gate = Gate(NonInferior(MAE, margin=1e-9))
    looks = [
        gate.decide(compared(alpha), ledger=Ledger(path), blind=blind).look
        for alpha in (50.0, 50.0, 60.0)
    ]

    assert [(1, False), (1, True), (2, False)] == [
        (look["number"], look["repeated"]) for look in looks
    ]


def test_another_set_of_numbers_is_refused(tmp_path):
    """A ledger is about the numbers of one hold-out set, in any order of them."""
    fitted = [model.fit(X[:200], Y[:200]) for model in (Lasso(), Ridge(50.0))]
    gate, ledger = Gate(NonInferior(MAE, margin=1e-9)), Ledger(tmp_path / "ledger.json")

    def look(records, numbers):
        comparator = PairedComparator(*fitted, cv="prefit", scoring=MAE)
        return gate.decide(comparator.fit(records, numbers), ledger=ledger).look["number"]

    assert 1 == look(X[200:], Y[200:])
    assert 2 == look(X[:199:-1], Y[:199:-1])
    with pytest.raises(ValueError, match="the true labels differ"):
        look(X[200:], Y[200:] + 1)


def test_measures_of_classes():
    """A gate on accuracy says that the predictions are numbers."""
    with pytest.raises(ValueError, match="of classes, and the predictions are numbers"):
        assert_better(compared())
