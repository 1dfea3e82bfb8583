"""What other packages print for the calls on the page "Coming from another package".

    pip install ".[peers]"
    python benchmarks/coming_from.py

The lines in front are their calls as the page has them, so that its numbers can be checked
against newer versions. Our own numbers are those of doc/tests/test_coming_from.py.
"""

import warnings
from importlib.metadata import version

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import RepeatedKFold, cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

TABLE = np.array([[150, 25], [15, 10]])
LABELS = np.array([[70, 6, 4], [10, 55, 5], [8, 7, 35]])
PATTERNS = {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3}


def mlxtend_lines():
    """Calls of mlxtend with what they return."""
    from mlxtend import evaluate

    y = np.zeros(200, dtype=int)
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], TABLE.ravel(), axis=0)
    a, b = np.where(right == 1, 0, 1).T
    table = evaluate.mcnemar_table(y, a, b)
    yield "mcnemar(table)", evaluate.mcnemar(table)
    yield "mcnemar(table, corrected=False)", evaluate.mcnemar(table, corrected=False)
    yield "mcnemar(table, exact=True)", evaluate.mcnemar(table, exact=True)
    yield (
        "proportion_difference(0.875, 0.825, n_1=200)",
        evaluate.proportion_difference(0.875, 0.825, n_1=200),
    )
    known = np.array([list(p) for p, n in PATTERNS.items() for _ in range(n)]) == "1"
    truth = np.zeros(100, dtype=int)
    predictions = [np.where(column, 0, 1) for column in known.T]
    yield "cochrans_q(y, a, b, c)", evaluate.cochrans_q(truth, *predictions)
    losses = (
        [0.01, 0.04, 0.09, 0.09, 0.16, 0.0225],
        [0.0625, 0.01, 0.0225, 0.16, 0.04, 0.0625],
    )
    yield (
        "permutation_test(losses_a, losses_b, paired=True)",
        evaluate.permutation_test(*losses, paired=True),
    )
    X, y = load_breast_cancer(return_X_y=True)
    pair = GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())
    options = {"random_seed": 0}
    for name in ("paired_ttest_5x2cv", "combined_ftest_5x2cv"):
        yield (
            f"{name}(a, b, X, y, random_seed=0)",
            getattr(evaluate, name)(*pair, X, y, **options),
        )
    yield (
        "paired_ttest_kfold_cv(a, b, X, y, cv=10, shuffle=True, random_seed=0)",
        evaluate.paired_ttest_kfold_cv(*pair, X, y, cv=10, shuffle=True, **options),
    )
    yield (
        "paired_ttest_resampled(a, b, X, y, num_rounds=30, test_size=0.3, random_seed=0)",
        evaluate.paired_ttest_resampled(
            *pair, X, y, num_rounds=30, test_size=0.3, **options
        ),
    )


def statsmodels_lines():
    """Calls of statsmodels with statistic and p-value of what they return."""
    from statsmodels.stats import inter_rater, multitest, proportion
    from statsmodels.stats.contingency_tables import SquareTable, cochrans_q, mcnemar

    for options in ({}, {"exact": False}, {"exact": False, "correction": False}):
        words = "".join(f", {name}={value}" for name, value in options.items())
        yield f"mcnemar(table{words})", _numbers(mcnemar(TABLE, **options))
    square = SquareTable(LABELS, shift_zeros=False)
    yield "SquareTable(t, shift_zeros=False).symmetry()", _numbers(square.symmetry())
    yield ".homogeneity()", _numbers(square.homogeneity())
    yield '.homogeneity(method="bhapkar")', _numbers(square.homogeneity(method="bhapkar"))
    kappa = inter_rater.cohens_kappa(LABELS)
    yield "cohens_kappa(t)", (kappa.kappa, kappa.kappa_low, kappa.kappa_upp)
    known = np.array([list(p) for p, n in PATTERNS.items() for _ in range(n)]) == "1"
    yield "cochrans_q(right)", _numbers(cochrans_q(known.astype(int)))
    adjusted = multitest.multipletests([0.01, 0.04, 0.03], method="holm")[1]
    yield 'multipletests(p, method="holm")', tuple(adjusted)
    yield (
        "proportions_ztest([175, 165], [200, 200])",
        proportion.proportions_ztest([175, 165], [200, 200]),
    )


def scipy_lines():
    """Calls of SciPy with statistic, p-value and limits of what they return."""
    from scipy.stats import ttest_rel, wilcoxon

    X, y = load_diabetes(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    models = [model.fit(X_train, y_train) for model in (Ridge(), BayesianRidge())]
    u, v = ((y_test - model.predict(X_test)) ** 2 for model in models)
    result = ttest_rel(u, v)
    yield "ttest_rel(u, v)", (*_numbers(result), *result.confidence_interval())
    yield "wilcoxon(u, v)", _numbers(wilcoxon(u, v))
    cv = RepeatedKFold(n_splits=5, n_repeats=5, random_state=0)
    pair = KNeighborsRegressor(30), LinearRegression()
    old, new = (cross_val_score(each, X, y, cv=cv) for each in pair)
    yield "ttest_rel(new, old) of 25 folds", _numbers(ttest_rel(new, old))


def _numbers(result):
    return result.statistic, result.pvalue


def main():
    """Print the calls with their numbers."""
    warnings.simplefilter("ignore")
    for package, lines in {
        "mlxtend": mlxtend_lines,
        "statsmodels": statsmodels_lines,
        "scipy": scipy_lines,
    }.items():
        print(f"{package} {version(package)}")
        for call, value in lines():
            numbers = np.atleast_1d(
                [np.nan if v is None else float(v) for v in np.atleast_1d(value)]
            )
            print(f"  {call}: " + " ".join(f"{number:.6g}" for number in numbers))


if __name__ == "__main__":
    main()
