"""Nets whose weights torch draws: equal ones give equal answers."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from skcompare import PairedComparator

torch = pytest.importorskip("torch")


class Net(ClassifierMixin, BaseEstimator):
    """A layer with the weights that it began with."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.layer_ = torch.nn.Linear(X.shape[1], 2)
        return self

    def predict(self, X):
        with torch.no_grad():
            scores = self.layer_(torch.as_tensor(X, dtype=torch.float32))
        return self.classes_[scores.argmax(dim=1).numpy()]


def test_equal_nets_are_equal_and_repeat():
    """Torch's generator begins alike for both and in each run, and is left as it was."""
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    before = torch.get_rng_state().tolist()
    runs = [PairedComparator(Net(), Net(), random_state=0).fit(X, y) for _ in range(2)]

    answers = [
        run.predictions_[role].labels.tolist()
        for run in runs
        for role in ("champion", "challenger")
    ]
    assert all(one == answers[0] for one in answers)
    assert 0 < np.mean(answers[0]) < 1
    assert before == torch.get_rng_state().tolist()
