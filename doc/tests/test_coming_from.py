"""Our lines in the tables for users of other packages run, and their numbers agree."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import BayesianRidge, LogisticRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, ShuffleSplit, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
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


def test_numbers_of_mlxtend_and_statsmodels():
    """Those that `benchmarks/coming_from.py` prints, with the opposite sign."""
    labels = evidence.AgreementMatrix(
        [[70, 6, 4], [10, 55, 5], [8, 7, 35]], ["a", "b", "c"]
    )
    shares = {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3}
    right = np.array([list(p) for p, n in shares.items() for _ in range(n)]) == "1"
    three = evidence.CorrectnessPatterns.from_predictions(
        np.zeros(100), *np.where(right, 0, 1).T
    )
    losses = evidence.PairedLosses.from_losses(
        [0.01, 0.04, 0.09, 0.09, 0.16, 0.0225], [0.0625, 0.01, 0.0225, 0.16, 0.04, 0.0625]
    )
    unpaired = stats.proportional_z(evidence.ContingencyTable(150, 25, 15, 10))
    printed = [
        (stats.bowker(labels), 2.6667, 0.4459),
        (stats.stuart_maxwell(labels), 2.6364, 0.2676),
        (stats.bhapkar(labels), 2.6716, 0.2630),
        (stats.cochran_q(three), 7.5294, 0.0232),
        (unpaired, -1.4003, 0.1614),
    ]

    for result, *numbers in printed:
        assert numbers == pytest.approx([result.statistic, result.pvalue], abs=5e-5)
    kappa = stats.cohen_kappa(labels, interval="wald").confidence_interval()
    assert (0.6076, 0.7771) == pytest.approx(tuple(kappa), abs=5e-5)
    assert [0.03, 0.06, 0.06] == pytest.approx(
        stats.adjust_pvalues([0.01, 0.04, 0.03], "holm")
    )
    assert 0.8125 == stats.loss_permutation(losses).pvalue


def test_numbers_of_ten_folds_and_of_scipy():
    """The uncorrected t test of mlxtend, and SciPy's tests of squared errors."""
    X, y = load_breast_cancer(return_X_y=True)
    pair = GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())
    folds = KFold(10, shuffle=True, random_state=0)
    comparator = PairedComparator(*pair, cv=folds, tests=["kfold_t"]).fit(X, y)
    result = comparator.results_["kfold_t"].result
    assert 3.735 == pytest.approx(result.statistic, abs=5e-4)
    assert 0.0047 == pytest.approx(result.pvalue, abs=5e-5)

    X, y = load_diabetes(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    models = [model.fit(X_train, y_train) for model in (Ridge(), BayesianRidge())]
    losses = [(y_test - model.predict(X_test)) ** 2 for model in models]
    result = stats.paired_t(evidence.PairedLosses.from_losses(*losses))
    limits = tuple(result.confidence_interval())
    assert (1.7689, 0.0783) == pytest.approx((result.statistic, result.pvalue), abs=5e-5)
    assert (-41.13, 761.79) == pytest.approx(limits, abs=5e-3)


def test_numbers_of_proc_and_dtcompair():
    """Those of R in `tests/golden`, second minus first."""
    y = [0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1]
    a = [0, 5, 6, 3, 4, 2, 10, 12, 8, 9, 1, 13, 7, 14, 11]
    b = [1, 11, 7, 12, 5, 0, 9, 3, 8, 10, 13, 2, 4, 6, 14]
    result = stats.delong(evidence.PlacementValues.from_predictions(y, a, b))
    low, high = result.confidence_interval()
    assert (-1.2682, 0.2047, -0.6818, 0.1461) == pytest.approx(
        (result.statistic, result.pvalue, low, high), abs=5e-5
    )
    interval = stats.auc_interval(y, a, method="wald")
    assert (0.6485, 1) == pytest.approx((interval.low, interval.high), abs=5e-5)

    counts = evidence.JointCounts(
        [[[155, 22], [53, 31]], [[32, 22], [78, 319]]], classes=["negative", "positive"]
    )
    for test, pvalue in (
        (stats.precision_score, 0.0169),
        (stats.precision_weighted_score, 0.0194),
    ):
        assert pvalue == pytest.approx(test(counts, label="positive").pvalue, abs=5e-5)
    ratio = stats.relative_precision(counts, label="positive")
    low, high = ratio.confidence_interval()
    assert (0.9536, 0.9171, 0.9916) == pytest.approx(
        (1 / ratio.estimate, 1 / high, 1 / low), abs=5e-5
    )


def test_all_packages_have_lines():
    """The tables of all packages and protocols were found."""
    assert len(set(lines())) >= 40
