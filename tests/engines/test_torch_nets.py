"""Nets whose weights torch draws: equal ones give equal predictions, wherever they are."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from skcompare import MultipleComparator, PairedComparator, cross_compare
from skcompare.metrics import McNemarScorer

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

    predictions = [
        run.predictions_[role].labels.tolist()
        for run in runs
        for role in ("champion", "challenger")
    ]
    assert all(one == predictions[0] for one in predictions)
    assert 0 < np.mean(predictions[0]) < 1
    assert before == torch.get_rng_state().tolist()


class TrainedNet(Net):
    """A layer that is trained for some epochs, with probabilities."""

    def fit(self, X, y):
        X, codes = self._tensor(X), torch.as_tensor(np.unique(y, return_inverse=True)[1])
        self.classes_ = np.unique(y)
        self.layer_ = torch.nn.Linear(X.shape[1], len(self.classes_))
        optimizer = torch.optim.Adam(self.layer_.parameters(), lr=0.1)
        for _ in range(5):
            loss = torch.nn.functional.cross_entropy(self.layer_(X), codes)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return self

    def predict_proba(self, X):
        return self.layer_(self._tensor(X)).softmax(dim=1).detach().numpy()

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _tensor(self, X):
        # A copy, because workers get records that cannot be written to.
        return torch.as_tensor(np.array(X, dtype=np.float32))


RNG = np.random.default_rng(0)
RECORDS = RNG.normal(size=(96, 4)).astype(np.float32)
TEXT = np.array(["no", "perhaps", "yes"])[np.digitize(RECORDS[:, 0], [-0.5, 0.5])]
CONTAINERS = {
    "float32": lambda: RECORDS,
    "float16": lambda: RECORDS.astype(np.float16),
    "pandas": lambda: pytest.importorskip("pandas").DataFrame(RECORDS),
    "polars": lambda: pytest.importorskip("polars").DataFrame(RECORDS),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_containers(container):
    """Probabilities of four bytes are compared in all measures, equal to themselves."""
    pair = TrainedNet(), TrainedNet()
    scoring = ["accuracy", "roc_auc_ovr", "neg_log_loss"]
    fitted = PairedComparator(*pair, cv=5, scoring=scoring, random_state=0)
    rows = fitted.fit(CONTAINERS[container](), TEXT).comparison_.rows

    assert [0.0] * 3 == [row.difference for row in rows]


def test_in_every_comparison():
    """Among several in two processes, in cross_compare, and as a fitted champion."""
    named = [("old", LogisticRegression()), ("new", TrainedNet()), ("same", TrainedNet())]
    several = MultipleComparator(named, random_state=0, n_jobs=2).fit(RECORDS, TEXT)
    crossed = cross_compare(dict(named), RECORDS, TEXT, scoring="accuracy", random_state=0)
    champion = McNemarScorer(TrainedNet().fit(RECORDS, TEXT))
    challenger = LogisticRegression().fit(RECORDS, TEXT)

    new, same = (several.predictions_[name].labels.tolist() for name in ("new", "same"))
    assert new == same
    assert crossed["test_score_new"].tolist() == crossed["test_score_same"].tolist()
    assert 1 >= champion(challenger, RECORDS, TEXT) >= -1
