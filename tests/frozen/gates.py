"""Decisions of gates in every form."""

import json
import warnings

import numpy as np
import pandas as pd

from skcompare.evidence import ContingencyTable
from skcompare.gate import AnyOf, Equivalent, Gate, NonInferior, Superior
from tests.frozen.reports import plain_html
from tests.frozen.results import said


def predictions_of(table, shuffled=True):
    """Truth and the labels of both classifiers with these counts by who was right."""
    y = np.arange(table.n) % 2
    cells = (
        table.both_correct,
        table.only_champion,
        table.only_challenger,
        table.both_wrong,
    )
    right = np.repeat([(1, 1), (1, 0), (0, 1), (0, 0)], cells, axis=0)
    right = np.random.default_rng(0).permutation(right) if shuffled else right
    old, new = (np.where(column == 1, y, 1 - y) for column in right.T)
    return y, {"old": old, "new": new}


def frame(n=600, seed=0, shift=1.0):
    """Truth, two columns of probabilities, and what the records are."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    old = 1 / (1 + np.exp(-(y - 0.5 + rng.normal(size=n))))
    new = 1 / (1 + np.exp(-(shift * (y - 0.5) * 2 + rng.normal(size=n))))
    site = rng.choice(["north", "south"], n)
    group = rng.integers(n // 4, size=n)
    return pd.DataFrame({"y": y, "old": old, "new": new, "site": site, "group": group})


BETTER = ContingencyTable(150, 12, 40, 10)
ALIKE = ContingencyTable(160, 15, 15, 10)
EQUAL = ContingencyTable(190, 0, 0, 10)
COLUMNS = {"champion": "old", "challenger": "new"}
NORTH = {"site": "north"}
GATES = {
    "better": (Gate(Superior("accuracy")), predictions_of(BETTER), {}),
    "alike": (Gate(Superior("accuracy")), predictions_of(BETTER, shuffled=False), {}),
    "ignored": (
        Gate(Superior("accuracy"), ignore_order=True),
        predictions_of(BETTER, shuffled=False),
        {},
    ),
    "not better": (Gate(Superior("accuracy")), predictions_of(ALIKE), {}),
    "worse": (Gate(Superior("accuracy")), predictions_of(BETTER.swap()), {}),
    "not worse": (Gate(NonInferior("accuracy", margin=0.05)), predictions_of(ALIKE), {}),
    "equivalent": (Gate(Equivalent("accuracy", margin=0.1)), predictions_of(ALIKE), {}),
    "equal": (Gate(NonInferior("accuracy", margin=0.05)), predictions_of(EQUAL), {}),
    "equal, superior": (Gate(Superior("accuracy")), predictions_of(EQUAL), {}),
    "margin of none": (Gate(Superior("accuracy", margin=0.2)), predictions_of(BETTER), {}),
    "several": (
        Gate(
            Superior("roc_auc"),
            NonInferior("binary_brier_loss", margin=0.02),
            Superior("neg_log_loss"),
            Superior("accuracy"),
        ),
        (frame(shift=1.6), "y"),
        COLUMNS,
    ),
    "any of": (
        Gate(
            AnyOf(Superior("roc_auc"), Superior("accuracy")), Superior("binary_brier_loss")
        ),
        (frame(shift=1.3, seed=1), "y"),
        COLUMNS,
    ),
    "slices": (
        Gate(
            NonInferior("accuracy", margin=0.1, where=NORTH),
            NonInferior("accuracy", margin=0.1, where={"site": "south"}),
        ),
        (frame(shift=1.1, seed=2), "y"),
        COLUMNS,
    ),
    "calibration": (
        Gate(NonInferior("squared_calibration_error", margin=0.01)),
        (frame(seed=3, n=2000), "y"),
        COLUMNS,
    ),
    "counts": (
        Gate(NonInferior("f1", margin=0.05), Superior("sensitivity")),
        (frame(seed=4, shift=1.4), "y"),
        COLUMNS,
    ),
    "groups": (
        Gate(Superior("accuracy"), NonInferior("binary_brier_loss", margin=0.02)),
        (frame(seed=5, shift=1.4), "y"),
        COLUMNS | {"groups": "group"},
    ),
    "few": (Gate(Superior("accuracy")), predictions_of(ContingencyTable(5, 1, 3, 1)), {}),
    "level": (Gate(Superior("accuracy"), alpha=0.01), predictions_of(BETTER), {}),
    "records": (Gate(Superior("accuracy"), min_records=500), predictions_of(BETTER), {}),
}


def decided(gate, given, columns):
    """The decision, of arrays or of the columns of a frame."""
    data, second = given
    if not columns:
        return gate.decide(data, second)
    columns = dict(columns)
    more = {"groups": data[columns.pop("groups")]} if "groups" in columns else {}
    positive = {role: data[name].to_numpy() for role, name in columns.items()}
    predictions = {role: np.column_stack([1 - p, p]) for role, p in positive.items()}
    return gate.decide(data[second], predictions, columns={"site": data["site"]}, **more)


def forms(decision):
    """A decision in every form."""
    yield "text", str(decision)
    yield "markdown", decision.to_markdown()
    yield "html", plain_html(decision.to_html())
    yield "json", json.dumps(json.loads(decision.to_json()), indent=0, ensure_ascii=False)
    yield "junit", decision.to_junit()


def lines():
    """Every decision in every form, each under a headline."""
    for name, (gate, given, columns) in GATES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                decision = decided(gate, given, columns)
            except (ValueError, TypeError) as error:
                yield f"==== {name} | {said(error)}"
                continue
        for form, text in forms(decision):
            yield f"==== {name} | {form}"
            yield text
