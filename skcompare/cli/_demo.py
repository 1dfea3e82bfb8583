"""The comparison that needs nothing but an installation."""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skcompare.comparators import PairedComparator
from skcompare.reports import Comparison

MEASURES = ("accuracy", "balanced_accuracy", "roc_auc", "multiclass_brier_loss")


def demo_comparison(*, n_jobs: int | None, random_state: int, alpha: float) -> Comparison:
    """Logistic regression against gradient boosting on breast-cancer records."""
    X, y = load_breast_cancer(return_X_y=True)
    comparator = PairedComparator(
        make_pipeline(StandardScaler(), LogisticRegression()),
        HistGradientBoostingClassifier(),
        scoring=list(MEASURES),
        alpha=alpha,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    return comparator.fit(X, y).comparison_
