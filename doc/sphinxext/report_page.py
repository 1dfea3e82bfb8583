"""A report to look at, which the user guide links: that of the hold-out in `start.rst`."""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skcompare import compare


def write_page(path):
    """Write the report of two classifiers of the breast-cancer records as HTML."""
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=0
    )
    models = {
        "old": GaussianNB(),
        "new": make_pipeline(StandardScaler(), LogisticRegression()),
    }
    predictions = {
        name: model.fit(X_train, y_train).predict_proba(X_test)
        for name, model in models.items()
    }
    comparison = compare(
        y_test, predictions, scoring=["binary_brier_loss", "accuracy", "roc_auc"]
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(comparison.to_html(pictures=True), encoding="utf-8")
