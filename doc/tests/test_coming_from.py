"""Each of our lines in the tables for those who come from other packages runs."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import make_scorer
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import skcompare
from doc.tests.pages import GUIDE
from skcompare import MultipleComparator, PairedComparator, evidence, stats

PAGE = GUIDE / "coming_from.rst"

pytestmark = [
    pytest.mark.skipif(not PAGE.is_file(), reason="the pages are not here"),
    pytest.mark.newest,
]


def first_twenty(y_true, y_score):
    """Any score will do; a partial AUC takes seconds for a thousand resamples."""
    return y_true[np.argsort(-y_score)[:20]].mean()


@pytest.fixture(scope="module")
def names():
    """What the lines speak of: labels a, b and c, scores, tables and losses."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    a, b, c = (np.where(rng.random(200) < share, y, 1 - y) for share in (0.8, 0.85, 0.9))
    scores = [y + rng.normal(size=200) for _ in range(2)]
    proba = {name: 1 / (1 + np.exp(-s)) for name, s in zip(("old", "new"), scores)}
    table = evidence.ContingencyTable.from_predictions(y, a, b)
    return {
        **{name: getattr(evidence, name) for name in evidence.__all__},
        **{name: getattr(stats, name) for name in stats.__all__},
        **{name: getattr(skcompare, name) for name in skcompare.__all__},
        **{"y": y, "a": a, "b": b, "c": c, "table": table, "predictions": proba},
        "labels": {"old": a, "new": b},
        "of_seeds": {"old": [a, c], "new": [b, c]},
        "three_of_seeds": {"old": [a, c], "new": [b, c], "newer": [c, b]},
        **{"t": [[70, 6, 4], [10, 55, 5], [8, 7, 35]], "classes": ["a", "b", "c"]},
        **{"p": [0.01, 0.04, 0.03], "u": rng.random(200), "v": rng.random(200)},
        "counts": evidence.JointCounts.from_predictions(y, a, b),
        "placements": evidence.PlacementValues.from_predictions(y, *scores),
        "others": evidence.PlacementValues.from_predictions(y, scores[1]),
        "numbers": scores[0],
        "predicted": {"old": scores[1], "new": rng.normal(size=200)},
        **{"old": rng.random(25), "new": rng.random(25), "n_train": 160, "n_test": 40},
        "partial_auc": make_scorer(first_twenty, response_method="predict_proba"),
        "ShuffleSplit": ShuffleSplit,
    }


def lines():
    """The code in the second column of the tables."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
    for row in re.findall(r"^   \* - .*\n((?:     .*\n)+)", text, re.MULTILINE):
        ours = re.split(r"^     - ", row, flags=re.MULTILINE)[1]
        yield from (" ".join(code.split()) for code in re.findall(r"``(.+?)``", ours, re.S))


def test_line_runs(names):
    """It is an expression that has a value."""
    for line in dict.fromkeys(lines()):
        if line.endswith(".fit(X, y)"):
            X, y = load_breast_cancer(return_X_y=True)
            trees = {
                name: DecisionTreeClassifier(max_depth=k) for k, name in enumerate("bc", 2)
            }
            scope = {**names, "a": GaussianNB(), **trees, "X": X[::3], "y": y[::3]}
            assert isinstance(eval(line, scope), PairedComparator | MultipleComparator)
        elif line == "unpaired_delong(placements, others)":
            one = evidence.PlacementValues.from_predictions(names["y"], names["u"])
            assert eval(line, {**names, "placements": one}) is not None
        else:
            assert eval(line, dict(names)) is not None


def test_all_packages_have_lines():
    """The tables of all packages and protocols were found."""
    assert len(set(lines())) >= 40
