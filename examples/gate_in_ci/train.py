"""Train the champion and the challenger, and write their predictions for the hold-out set.

The hold-out set is the same in every run; it is used for the gate only: not to choose
between challengers, for early stopping or for a threshold.
"""

import csv
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

CLASSIFIERS = {
    "champion": GaussianNB(),  # the current model
    "challenger": make_pipeline(StandardScaler(), LogisticRegression()),
}


def main():
    """Train both and write three files."""
    data = load_breast_cancer()
    diagnoses = data.target_names[data.target]
    train, test = train_test_split(
        range(len(diagnoses)), test_size=0.6, random_state=1, stratify=diagnoses
    )
    for name, classifier in CLASSIFIERS.items():
        classifier.fit(data.data[train], diagnoses[train])
        labels = classifier.predict(data.data[test])
        malignant = list(classifier.classes_).index("malignant")
        # Rounded, because the last digits differ between machines, and different
        # predictions are another look at the hold-out set.
        proba = classifier.predict_proba(data.data[test])[:, malignant].round(6)
        columns = {"record": test, "diagnosis": diagnoses[test]}
        if name == "challenger":
            # With a ledger the true labels are in the champion's file only.
            del columns["diagnosis"]
        write(f"{name}.csv", columns | {"label": labels, "p_malignant": proba})
    write("train.csv", {"record": train})


def write(path, columns):
    """Write a CSV file."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values())])


if __name__ == "__main__":
    main()
