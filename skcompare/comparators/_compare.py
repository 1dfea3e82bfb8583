"""Compare answers that exist already."""

import os
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from skcompare._io.columns import is_source
from skcompare._typing import ArrayLike
from skcompare.comparators._compare_pair import compare_pair
from skcompare.comparators._out_of_core import COLLECTED, counted_pair, tallied_comparison
from skcompare.comparators._pairwise_comparison import (
    check_named,
    compare_several,
    named_of_several,
)
from skcompare.comparators._result_row import check_positive
from skcompare.comparators._settings import check_settings, check_settings_of_several
from skcompare.comparators._test_selection import named_tests
from skcompare.evidence import Tally
from skcompare.metrics import Measure, resolve_scoring
from skcompare.predictions import (
    Predictions,
    check_role_names,
    predictions_from_arrays,
    predictions_from_frame,
)
from skcompare.reports import Comparison, MultipleComparison


def compare(
    data: Any = None,
    answers: Mapping[str, Any] | None = None,
    *,
    y_true: Any = None,
    id: str | None = None,
    tests: Any = "auto",
    scoring: Any = "accuracy",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    adjust: str | None = "holm",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    groups: Any = None,
    control: str | None = None,
    collect: int = COLLECTED,
) -> Comparison | MultipleComparison:
    """Compare the answers of two or more trained classifiers on one hold-out set.

    Parameters
    ----------
    data : array-like of shape (n_samples,), frame, path, Tally or None
        True labels; or a frame of pandas, Polars, pyarrow, DuckDB, Dask, PySpark or
        another library that narwhals knows, eager or lazy, or a file (CSV, JSON lines,
        `.npz` or Parquet), that has them in the column `y_true`; or records that were
        counted, see :class:`~skcompare.evidence.Tally`. Without true labels the answers
        are compared with each other: whether both give the classes equally often, and
        where they disagree.
    answers : mapping of str to array-like or to names of columns
        Two entries, the champion first, or more of them: predicted labels of shape
        (n_samples,), probabilities of shape (n_samples, n_classes), or for two classes
        probabilities of `pos_label`, of shape (n_samples,); or both labels and
        probabilities as ``{"labels": ..., "proba": ...}``. With a frame or a file: a
        column, a list of columns with the probabilities of the sorted classes, or a pair
        of another frame or file and its column or columns.
    y_true : str or array-like of shape (n_samples,), optional
        Column of the true labels in `data`; or the true labels themselves, instead of
        `data`.
    id : str, optional
        Column by which frames and files are joined. It is needed where there are
        several.
    tests : "auto", "all", str, list of str, or dict of str to dict, default="auto"
        Names of tests, with options in a dict. "auto" takes the design's default test
        of every measure; the primary measure always has it. "all" takes every test that
        is valid for the design.
    scoring : str, callable, list of str, or dict, default="accuracy"
        What is compared, as in scikit-learn; the verdict comes from the first.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better; of three or more, better than the
        control.
    alpha : float, default=0.05
        Level of the verdict; intervals have level 1 - `alpha`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"} or None
        How the p-values of all rows but the primary one are adjusted; of three or more
        answers those of all pairs by one measure, and "max-t" is another way then.
    pos_label : label, optional
        The positive class of two.
    labels : array-like of shape (n_classes,), optional
        All class labels, where `y_true` lacks some of them. Without them an answer that is
        no true label is refused: a class in another coding would be wrong throughout.
    groups : array-like of shape (n_samples,) or str, optional
        Group of each record (patient, user), or the column of `data` that has it. The
        default test of accuracy then allows for records of one group being alike.
    control : str, optional
        Of three or more answers, the one that each other is compared with. By default
        all pairs are compared.
    collect : int, default=10_000_000
        Most records of a lazy frame or a Parquet file that are read into memory, where
        every test has them. More are counted where they are, by the engine of the frame:
        labels, losses and bins of calibration with the same numbers, AUCs by levels of
        the scores with a bound on their error. With 0 all are counted. Three or more
        answers are always read.

    Returns
    -------
    comparison : Comparison or MultipleComparison
        Rows, verdict, and the report in many forms. Three or more classifiers are
        compared in pairs by the default test of each measure, with adjusted p-values, and
        all together where a test is valid: by Cochran's Q, DeLong's joint test, or a joint
        test of precisions.

    See Also
    --------
    PairedComparator : Fits and compares two estimators.

    Examples
    --------
    >>> from skcompare import compare
    >>> y = [0, 1, 1, 0, 1, 1, 0, 1]
    >>> answers = {"old": [0, 1, 0, 1, 1, 0, 0, 1], "new": [0, 1, 1, 0, 1, 1, 0, 1]}
    >>> comparison = compare(y, answers)
    >>> comparison.verdict, round(comparison.results["mcnemar"].difference, 3)
    ('inconclusive', 0.375)

    The same from a frame:

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"truth": y} | answers)
    >>> comparison = compare(frame, {"old": "old", "new": "new"}, y_true="truth")
    >>> comparison.results["mcnemar"].test
    'mcnemar'

    Three classifiers:

    >>> answers["newest"] = [0, 1, 1, 0, 1, 1, 1, 1]
    >>> compare(y, answers).verdict
    'inconclusive'
    """
    start = perf_counter()
    if isinstance(data, Tally):
        given = {"answers": answers, "y_true": y_true, "id": id, "groups": groups}
        _check_tally_alone(given | {"labels": labels, "control": control})
        answers = dict.fromkeys(data.names)
    answers = checked_names(answers)
    words = {"labels": labels, "pos_label": pos_label, "groups": groups}
    if len(answers) > 2:
        alternative, alpha, adjust = check_settings_of_several(
            alternative, alpha, adjust, control, tuple(answers)
        )
        asked, measures = named_of_several(tests, adjust), resolve_scoring(scoring)
        check_positive(asked, measures)
        check_named(asked, measures, adjust)
        return compare_several(
            _collected(data, answers, y_true, id, **words),
            measures,
            asked,
            control=control,
            alternative=alternative,
            alpha=alpha,
            adjust=adjust,
            pos_label=pos_label,
            start=start,
        )
    if control is not None:
        raise ValueError(
            f"`control` is for three or more answers. Got control={control!r} and two. The "
            "first of two is the champion."
        )
    alternative, alpha, adjust = check_settings(alternative, alpha, adjust)
    asked, measures = named_tests(tests), resolve_scoring(scoring)
    check_positive(asked, measures)
    settings: dict[str, Any] = {"alternative": alternative, "alpha": alpha}
    pair = None
    if isinstance(data, Tally):
        settings["pos_label"] = pos_label
        pair = tallied_comparison(data, measures, asked, **settings)
    elif is_table(data, answers) and y_true is not None:
        settings |= {"collect": collect, "id": id, **words}
        pair = counted_pair(data, y_true, answers, measures, asked, **settings)
    if pair is None:
        pair = _collected(data, answers, y_true, id, **words).pair(*answers)
    predictions = pair.predictions
    if predictions.y is None and not _of_accuracy(measures):
        raise ValueError(
            f"scoring={scoring!r} needs true labels. Got none. Pass `y_true`, or leave "
            "`scoring` out to compare the answers with each other."
        )
    return compare_pair(
        pair,
        measures,
        asked,
        alternative=alternative,
        alpha=alpha,
        adjust=adjust,
        pos_label=pos_label,
        seconds=perf_counter() - start,
    )


def _check_tally_alone(given: Mapping[str, Any]) -> None:
    """Refuse what is known already of records that were counted."""
    known = [name for name, value in given.items() if value is not None]
    if known:
        raise ValueError(
            f"A tally has truth and answers in it. Got {', '.join(known)} as well. Pass "
            "the tally alone, with what is to be compared."
        )


def _of_accuracy(measures: Sequence[Measure]) -> bool:
    """Whether what is measured is accuracy, of all classes, and nothing else."""
    return [(one.metric, one.label) for one in measures] == [("accuracy", None)]


def checked_names(answers: Any) -> Mapping[str, Any]:
    if not isinstance(answers, Mapping) or len(answers) < 2:
        count = len(answers) if isinstance(answers, Mapping) else type(answers).__name__
        raise ValueError(
            "`answers` must be a dict of at least two entries, the champion's first. Got "
            f"{count}."
        )
    for name in answers:
        if not isinstance(name, str) or not name.strip() or name == "inconclusive":
            raise ValueError(
                "Classifiers are named by strings that are not empty and not "
                f"'inconclusive', which is a verdict. Got {name!r}. Choose another name."
            )
    if len(answers) == 2:
        check_role_names(*answers)
    return answers


def _collected(
    data: Any, answers: Mapping[str, Any], y_true: Any, id: str | None, **words: Any
) -> Predictions:
    if is_table(data, answers):
        return predictions_from_frame(data, y_true, answers, id=id, **words)
    named = [name for name, given in answers.items() if _is_scalar(given)]
    if id is not None or isinstance(y_true, str) or named:
        raise ValueError(
            "Columns can be named where the first argument is a frame or a file and every "
            f"answer names columns. Got {type(data).__name__} with id={id!r}, y_true "
            f"{type(y_true).__name__}, and columns named for {', '.join(named) or 'none'}. "
            "Pass a frame and names, or arrays only."
        )
    if data is not None and y_true is not None:
        raise ValueError(
            "The true labels were passed twice, as the first argument and as `y_true`. "
            "Pass them once; `y_true` names a column where the first is a frame or a file."
        )
    return predictions_from_arrays(data if y_true is None else y_true, answers, **words)


def is_table(data: Any, answers: Mapping[str, Any]) -> bool:
    """Whether data is a file, or a frame whose columns the answers name."""
    if isinstance(data, str | os.PathLike) or is_source(data):
        return True
    # Asking a lazy frame itself for its columns would run it.
    # A dataset of pyarrow has a schema only.
    names = "columns", "column_names", "schema"
    has_columns = any(hasattr(type(data), name) for name in names)
    return has_columns and any(map(_names_columns, answers.values()))


def _is_scalar(given: Any) -> bool:
    if isinstance(given, Mapping):
        return any(np.ndim(part) == 0 for part in given.values())
    return np.ndim(given) == 0


def _names_columns(given: Any) -> bool:
    """Whether an answer is a column, a list of them, or a frame or file with them."""
    if isinstance(given, Mapping):
        return any(map(_names_columns, given.values()))
    if isinstance(given, tuple):
        return True
    some = given[:1] if isinstance(given, list) else [given]
    return any(isinstance(name, str) for name in some)
