"""MLflow: results logged to a run, and comparisons of two runs or two models."""

import csv
import io
import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from skcompare._core.formatting import shortened
from skcompare._io.columns import check_column, frame_from_columns, source_of
from skcompare._version import __version__
from skcompare.comparators import PairedComparator, compare
from skcompare.exceptions import MissingDependencyError
from skcompare.gate import GateDecision, placed_in
from skcompare.predictions import ROLES, ColumnRoles
from skcompare.reports import Comparison, ComparisonRow, MultipleComparison

QUANTITIES = (
    "champion",
    "challenger",
    "difference",
    "low",
    "high",
    "pvalue",
    "adjusted_pvalue",
)
"""Numbers of each row that are metrics of a run."""

MOST_METRICS, LONGEST_KEY, LONGEST_TAG = 1000, 200, 500
"""Most metrics that a server takes at once, and most characters of a key and a tag here."""

OTHER_CHARACTERS = re.compile(r"[^\w\- ]+")
"""Characters that a part of the name of a metric must not have."""


def log_to_mlflow(
    result: Comparison | MultipleComparison | GateDecision,
    *,
    name: str | None = None,
    run_id: str | None = None,
    step: int = 0,
) -> str:
    """Log a comparison, or the decision of a gate, to a run of MLflow.

    Logged are the numbers of each row as metrics, such as
    ``comparison/accuracy/difference``; the table as ``table.csv``, the page as
    ``report.html``, and the result as ``result.json`` and ``report.md``, in a folder of the
    artifacts; and the tags ``skcompare.comparison.verdict`` and ``.headline``. Undefined
    and infinite numbers are only in the table and in the JSON. A blind decision has only
    the verdict.

    Parameters
    ----------
    result : Comparison, MultipleComparison or GateDecision
        The result to log.
    name : str, optional
        First part of all names: letters, digits, spaces, "_" and "-"; by default
        "comparison", or "gate" for a decision.
    run_id : str, optional
        The run; by default the active one.
    step : int, default=0
        Step of the metrics, if a run has several results of one name, such as one per day.

    Returns
    -------
    run_id : str
        The run that has the result.

    Raises
    ------
    MissingDependencyError
        If MLflow is not installed.
    ValueError
        If there is no active run and none is named, or `name` has other characters.

    See Also
    --------
    compare_mlflow_runs : Compares the predictions of two runs.
    compare_mlflow_models : Compares two models on new records.

    Examples
    --------
    >>> import mlflow  # doctest: +SKIP
    >>> from skcompare import compare
    >>> from skcompare.integrations import log_to_mlflow
    >>> comparison = compare([0, 1, 1], {"old": [0, 1, 0], "new": [0, 1, 1]})
    >>> with mlflow.start_run():  # doctest: +SKIP
    ...     log_to_mlflow(comparison)
    """
    if not isinstance(result, Comparison | MultipleComparison | GateDecision):
        raise TypeError(
            "`result` must be a Comparison, a MultipleComparison or a GateDecision. Got "
            f"{type(result).__name__}."
        )
    name = name or ("gate" if isinstance(result, GateDecision) else "comparison")
    if _part(name) != name:
        raise ValueError(
            "`name` must have letters, digits, spaces, '_' and '-' only. Got "
            f"{name!r}. It begins the names of metrics and of a folder."
        )
    mlflow = _mlflow()
    run_id = run_id or _active_run(mlflow)
    rows = list(_rows(result))
    client, now = mlflow.MlflowClient(), int(1000 * time.time())
    entity = partial(mlflow.entities.Metric, timestamp=now, step=step)
    metrics = [entity(key, value) for key, value in _metrics(name, rows)]
    if isinstance(result, GateDecision):
        tags = {"verdict": result.status, "headline": str(result).partition("\n")[0]}
        metrics.append(entity(f"{name}/passed", float(result.passed)))
    else:
        tags = {"verdict": result.verdict, "headline": result.conclusion.sentence}
    own_tags = [
        mlflow.entities.RunTag(f"skcompare.{name}.{key}", shortened(text, LONGEST_TAG))
        for key, text in tags.items()
    ]
    version = mlflow.entities.RunTag("skcompare.version", __version__)
    for start in range(0, len(metrics), MOST_METRICS):
        client.log_batch(run_id, metrics=metrics[start : start + MOST_METRICS])
    client.log_batch(run_id, tags=[*own_tags, version])
    texts = {"report.html": result.to_html(), "report.md": result.to_markdown()}
    texts |= {"result.json": result.to_json(), "table.csv": _table(rows)}
    for file, text in texts.items():
        client.log_text(run_id, text, f"{name}/{file}")
    return run_id


def _mlflow() -> Any:
    """Import and return MLflow, or raise an error with instructions."""
    try:
        import mlflow
        import mlflow.artifacts
        import mlflow.entities
    except ImportError as error:
        raise MissingDependencyError(
            f"Runs and models of MLflow need mlflow ({error}). Install it with "
            "`pip install mlflow-skinny pandas`."
        ) from error
    return mlflow


def _active_run(mlflow: Any) -> str:
    run = mlflow.active_run()
    if run is None:
        raise ValueError(
            "No run of MLflow is active. Call this within `with mlflow.start_run():`, or "
            "pass `run_id`."
        )
    return str(run.info.run_id)


def _part(text: str) -> str:
    """Return text as a part of the name of a metric, without other characters."""
    return OTHER_CHARACTERS.sub(".", text).strip(". ")


def _rows(
    result: Comparison | MultipleComparison | GateDecision,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a result: the name of each, and its values."""
    if isinstance(result, Comparison):
        for row in result.rows:
            yield row.subject, _values(row)
    elif isinstance(result, MultipleComparison):
        for part in result.comparisons:
            for pair in part.pairs:
                values = asdict(pair)
                about = {"champion_name": values.pop("champion")}
                about["challenger_name"] = values.pop("challenger")
                name = f"{part.subject} {pair.challenger} against {pair.champion}"
                yield name, about | {"measure": part.subject, "test": part.test} | values
    else:
        leaves = [leaf for outcome in result.outcomes for leaf in outcome.leaves]
        for number, leaf in enumerate(leaves, start=1):
            about = {"condition": leaf.condition.text, "status": leaf.status}
            values = {} if leaf.row is None else _values(leaf.row)
            limits = {name: getattr(leaf, name) for name in QUANTITIES[3:]}
            measure = getattr(leaf.condition, "measure", "")
            yield f"{number} {measure}", about | values | limits


def _values(row: ComparisonRow) -> dict[str, Any]:
    about = {"measure": row.subject, "test": row.test}
    return about | {name: getattr(row, name) for name in QUANTITIES}


def _metrics(
    name: str, rows: list[tuple[str, dict[str, Any]]]
) -> Iterator[tuple[str, float]]:
    """Yield the finite numbers of rows under different names.

    A second row of a name has its test, and what is then still the same a number.
    """
    used: set[str] = set()
    for subject, values in rows:
        part = _part(subject)[:LONGEST_KEY]
        if part in used and values.get("test"):
            part = f"{part} {values['test']}"
        while part in used:
            part += " 2"
        used.add(part)
        for quantity in QUANTITIES:
            value = values.get(quantity)
            if isinstance(value, int | float) and math.isfinite(value):
                yield f"{name}/{part}/{quantity}", float(value)


def _table(rows: list[tuple[str, dict[str, Any]]]) -> str:
    """Return rows as CSV."""
    file = io.StringIO()
    names = list(dict.fromkeys(name for _, values in rows for name in values))
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    for _, values in rows:
        flags = values.get("flags")
        writer.writerow(values | ({} if flags is None else {"flags": " ".join(flags)}))
    return file.getvalue()


def compare_mlflow_runs(
    champion: str,
    challenger: str,
    artifact: str,
    *,
    predictions: Any,
    y_true: str | list[str] = "y",
    id: str = "id",
    **options: Any,
) -> Comparison:
    """Compare the predictions that two runs of MLflow have logged.

    Both runs have a file of predictions among their artifacts: a table of
    ``mlflow.log_table``, or a file that skcompare reads, such as CSV or Parquet. They are
    joined by the column of ids, and compared as by :func:`skcompare.compare`.

    Parameters
    ----------
    champion, challenger : str
        Ids of the runs.
    artifact : str
        Path of the file among the artifacts of each run, such as "predictions.json".
    predictions : str, list of str or dict
        Column of the predictions in both files, or columns, as for
        :func:`skcompare.compare`.
    y_true : str or list of str, default="y"
        Column of the true labels or numbers, or one column for each output. If both files
        have it, the values must agree.
    id : str, default="id"
        Column that identifies records.
    **options
        Further options of :func:`skcompare.compare`, such as `scoring`, `alpha` and, as
        columns of the champion's file, `groups` and `time`.

    Returns
    -------
    comparison : Comparison
        Rows, verdict, and the report in several formats. Names are those of the runs, or
        their ids if these are the same.

    Raises
    ------
    MissingDependencyError
        If MLflow is not installed.
    ValueError
        If a file lacks a column, or the files have different records.

    Examples
    --------
    >>> from skcompare.integrations import compare_mlflow_runs
    >>> comparison = compare_mlflow_runs(  # doctest: +SKIP
    ...     "8c3f...", "d41e...", "predictions.json", predictions="label"
    ... )
    """
    mlflow = _mlflow()
    runs = [mlflow.get_run(run_id) for run_id in (champion, challenger)]
    names = [run.info.run_name or run.info.run_id for run in runs]
    if names[0] == names[1]:
        names = [run.info.run_id for run in runs]
    if names[0] == names[1]:
        raise ValueError(
            f"Champion and challenger must be two runs. Got {names[0]!r} twice."
        )
    sources = [source_of(_file(mlflow, run.info.run_id, artifact)) for run in runs]
    outputs = [y_true] if isinstance(y_true, str) else y_true
    for column in outputs:
        check_column(sources[0], column, " Name the true labels by `y_true`.")
    placed = {
        name: placed_in(source, predictions)
        for name, source in zip(names, sources, strict=True)
    }
    # If only some are there, that is an error: the others could not be compared.
    in_both = not set(outputs).isdisjoint(sources[1].names)
    same = [(None, (sources[1], y_true))] if in_both else []
    order = {name: options.pop(name) for name in ("time", "horizon") if name in options}
    groups = options.pop("groups", None)
    roles = ColumnRoles(sources[0], y_true, placed, id, groups, same=same, **order)
    compared = compare(roles, placed, **options)
    assert isinstance(compared, Comparison)
    return compared


def _file(mlflow: Any, run_id: str, artifact: str) -> Any:
    """Return the path of an artifact, or a frame of a table that MLflow has logged."""
    path = mlflow.artifacts.download_artifacts(run_id=run_id, artifact_path=artifact)
    if path is None:  # by older versions, where newer ones raise
        raise FileNotFoundError(f"The run {run_id} has no artifact {artifact!r}.")
    if not path.endswith(".json"):
        return path
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
    if not isinstance(table, Mapping) or {"columns", "data"} - table.keys():
        raise ValueError(
            f"{artifact!r} of the run {run_id} must be a table of `mlflow.log_table`, with "
            "'columns' and 'data', or a file such as CSV. Got another JSON."
        )
    columns = zip(*table["data"]) if table["data"] else ([] for _ in table["columns"])
    return frame_from_columns(dict(zip(table["columns"], map(list, columns))))


def compare_mlflow_models(
    champion: str, challenger: str, X: Any, y: Any, *, groups: Any = None, **options: Any
) -> Comparison:
    """Compare two models of MLflow, such as two versions, on a hold-out set.

    Two models of scikit-learn are compared as by
    :class:`~skcompare.PairedComparator` with ``cv="prefit"``, with their probabilities;
    others are loaded as Python functions, and what they predict is compared.

    Loading a model may run code that is stored in it: load only models that you trust.

    Parameters
    ----------
    champion, challenger : str
        URIs of the models, such as "models:/churn/3", "models:/churn@champion" or
        "runs:/8c3f.../model".
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Records that neither model was trained on.
    y : array-like of shape (n_samples,)
        Their true labels or numbers.
    groups : array-like of shape (n_samples,), optional
        Group of each record (patient, user).
    **options
        `scoring`, `tests`, `alternative`, `alpha`, `adjust` and `pos_label` of
        :func:`skcompare.compare`.

    Returns
    -------
    comparison : Comparison
        Rows, verdict, and the report in several formats.

    Raises
    ------
    MissingDependencyError
        If MLflow is not installed.

    See Also
    --------
    log_to_mlflow : Logs the comparison.

    Examples
    --------
    >>> from skcompare.integrations import compare_mlflow_models
    >>> comparison = compare_mlflow_models(  # doctest: +SKIP
    ...     "models:/churn/3", "models:/churn/4", X_test, y_test
    ... )
    """
    mlflow = _mlflow()
    if champion == challenger:
        raise ValueError(
            f"Champion and challenger must be two models. Got {champion!r} twice."
        )
    uris = (champion, challenger)
    flavors = [mlflow.models.get_model_info(uri).flavors for uri in uris]
    if all("sklearn" in own for own in flavors):
        estimators = [mlflow.sklearn.load_model(uri) for uri in uris]
        comparator = PairedComparator(*estimators, cv="prefit", **options)
        comparison: Comparison = comparator.fit(X, y, groups=groups).comparison_
        return comparison
    predicted = [mlflow.pyfunc.load_model(uri).predict(X) for uri in uris]
    compared = compare(y, dict(zip(ROLES, predicted)), groups=groups, **options)
    assert isinstance(compared, Comparison)
    return compared
