"""Comparison of existing predictions, in memory or counted by a data frame engine."""

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np

from skcompare._analysis import (
    MAX_T,
    RECORDS,
    CountedSchema,
    EvidenceBehind,
    PairEngine,
    Selection,
    Settings,
    SeveralEngine,
    counted_numbers,
    measures_of_outputs,
    pair_of_tally,
    requested_by,
    settings_of_several,
    simultaneous,
    tallied_pair,
    with_adjusted,
    with_classes,
)
from skcompare._core.design import PAIRED_TRAININGS, SEPARATE_TRAININGS, TRAININGS, Design
from skcompare._core.progress import with_progress
from skcompare._core.times import check_horizon
from skcompare._core.validation import (
    as_array,
    check_pos_label,
    check_switches,
    classes_of,
    is_continuous,
)
from skcompare._io.columns import has_columns, is_file
from skcompare._registry.metrics import CLASSES, NUMBERS, STD, VALUES
from skcompare._registry.tests import get_test
from skcompare._typing import ArrayLike
from skcompare.comparators._role_names import checked_names, named_predictions
from skcompare.evidence import (
    LABELS,
    MOST_CLASSES,
    EngineNumbers,
    EngineTally,
    JointCounts,
    PairedCalibration,
    PairedLosses,
    Tally,
    TallyRequest,
    tally_predictions,
)
from skcompare.metrics import Measure
from skcompare.predictions import (
    CHALLENGER,
    CHAMPION,
    OF_NUMBERS,
    ColumnRoles,
    EngineColumns,
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
    check_roles_to_fit,
    check_target,
    is_mixed,
    least_horizon,
    outputs_of_roles,
    predictions_from_arrays,
    predictions_from_cv_results,
    target_of,
)
from skcompare.reports import (
    Comparison,
    ComparisonRow,
    MultipleComparison,
    decide,
    decide_among,
)
from skcompare.stats import EnsembleAdvice, recommend_ensemble
from skcompare.stats.agreement import MOST_CALIBRATION_ERROR, ROLES


def check_scored_classes(
    measures: Iterable[Measure], classes: np.ndarray, pos_label: Any
) -> None:
    """Check that the positive label is a class, and that the measures suit the classes."""
    has_pos_label = check_pos_label(pos_label, classes) is not None
    for measure in measures:
        is_binary = has_pos_label and measure.label is None
        measure.check_classes(np.array([0, 1]) if is_binary else classes)


@cache
def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that a comparison uses."""
    from skcompare._version import __version__

    packages = ("scikit-learn", "numpy", "scipy", "joblib")
    versions = {package: version(package) for package in packages}
    return {"skcompare": __version__, "python": platform.python_version(), **versions}


LOSS = "brier_score"
"""Loss that the advice is based on."""

RANKINGS = ("roc_auc", "average_precision")
"""Prefixes of ranking measures, of which labels and calibration say nothing."""


def advice_for(
    pair: PairedPredictions,
    evidence: Callable[..., Any],
    primary: Measure | None,
    winner: str,
) -> EnsembleAdvice | None:
    """Return ensemble advice for trained classifiers on a hold-out set, or None.

    `evidence(type)` returns evidence of the pair.

    The tests behind it are of trained classifiers and independent records, so there is no
    advice for cross-validation and for groups. It is based on labels and probabilities, so
    there is none beside a verdict on rankings whose scores are not calibrated
    probabilities, and none that would discard the winner of the verdict.
    """
    predictions = pair.predictions
    has_labels = all(role.has_labels for role in pair.roles)
    if predictions.y is None or pair.design.name != "holdout" or not has_labels:
        return None
    if not 2 <= len(predictions.classes) <= MOST_CLASSES:
        return None
    counts = evidence(JointCounts)
    tally = predictions.tally
    lacks_losses = tally is not None and not (tally.plan.kind and LOSS in tally.plan.losses)
    is_ranked = primary is not None and str(primary.metric).startswith(RANKINGS)
    if lacks_losses or not all(role.has_proba for role in pair.roles):
        advice = None if is_ranked else recommend_ensemble(counts)
        return _beside(advice, winner)
    calibration = evidence(PairedCalibration)
    if is_ranked and any(
        calibration.error(role, norm="l1") > MOST_CALIBRATION_ERROR for role in ROLES
    ):
        return None
    losses = evidence(PairedLosses, loss=LOSS)
    return _beside(recommend_ensemble(counts, losses, calibration), winner)


def _beside(advice: EnsembleAdvice | None, winner: str) -> EnsembleAdvice | None:
    """Return the advice, or None if it contradicts the winner of the verdict."""
    if advice is None or winner not in ROLES or advice.advice == "combine":
        return advice
    return advice if advice.model == winner else None


def compare_pair(
    pair: PairedPredictions,
    settings: Settings,
    *,
    n_fits: int = 0,
    start: float | None = None,
    random_state: Any = None,
) -> Comparison:
    """Test every measure and base the verdict on the first one.

    Each measure gets the default test of the design and the requested tests of it; a
    requested test of none of the measures gets a row of its own. Without true labels
    there is no measure, and the predictions are compared with each other.
    """
    predictions, pos_label = pair.predictions, settings.pos_label
    measures = measures_of_outputs(settings.measures, predictions)
    alternative = settings.alternative
    check_pos_label(pos_label, predictions.classes)
    has_truth = predictions.y is not None
    requested = with_classes(settings.requested, predictions.classes)
    engine = PairEngine(pair, requested, alternative, settings.alpha, pos_label)
    needed, primary = None, measures[0] if has_truth else None
    if has_truth:
        about: list[tuple[ComparisonRow, Measure | None]] = [
            (row, measure)
            for k, measure in enumerate(measures)
            for row in engine.about(measure).rows(measure, k == 0)
        ]
        about += [(row, None) for row in engine.rows_of_other_tests(measures)]
        rows = [row for row, _ in about]
        if settings.adjust == MAX_T:
            rows = simultaneous(engine, rows, [measure for _, measure in about])
        needed = engine.about(measures[0]).records_needed(rows[0], measures[0])
    else:
        if alternative != "two-sided":
            raise ValueError(
                f"alternative={alternative!r} needs true labels: without them no "
                "classifier is better. Pass `y_true`, or leave `alternative` out."
            )
        rows = engine.rows_without_truth()
    comparison = comparison_of_rows(
        rows,
        settings,
        start,
        needed=needed,
        champion=pair.champion.description,
        challenger=pair.challenger.description,
        n_fits=n_fits,
        random_state=random_state,
        **_facts_of(predictions),
        source=EvidenceBehind(pair, pos_label, usual_options(requested), _name_of(primary)),
    )
    winner = comparison.conclusion.winner
    return replace(comparison, advice=advice_for(pair, engine.evidence, primary, winner))


def _facts_of(predictions: Predictions) -> dict[str, Any]:
    """Return what a comparison says of its predictions."""
    names = ("design", "n_records", "n_tested", "flags", "fingerprint")
    facts = {name: getattr(predictions, name) for name in names}
    if predictions.design.kind in TRAININGS and predictions.n_train is None:
        return facts | {"size": size_in_trainings(predictions)}
    if predictions.time is None:
        return facts
    return facts | {"size": size_in_time(predictions)}


def size_in_trainings(predictions: Predictions) -> str:
    """Return the numbers of records and of trainings as text."""
    counts = [role.n_trainings or predictions.n_splits for role in predictions.estimators]
    each = f"{counts[0]} trainings each"
    if len(set(counts)) > 1:
        each = f"{', '.join(map(str, counts[:-1]))} and {counts[-1]} trainings"
    return f"{predictions.n_records:,} records, {each}"


def size_in_time(predictions: Predictions) -> str:
    """Return the numbers of records, series and time points, and the horizon, as text."""
    parts, groups = [f"{predictions.n_records:,} records"], predictions.groups
    if predictions.n_tested < predictions.n_records:
        parts = [f"{predictions.n_tested:,} of {parts[0]} tested"]
    if groups is not None:
        n_series = len(np.unique(groups[predictions.tested]))
        parts.append(f"in {n_series:,} series")
    parts.append(f"at {predictions.n_times:,} times")
    return f"{' '.join(parts)}, horizon {least_horizon(predictions)}"


def comparison_of_rows(
    rows: list[ComparisonRow],
    settings: Settings,
    start: float | None,
    *,
    needed: float | None = None,
    unit: str = RECORDS,
    flags: tuple[str, ...] = (),
    **details: Any,
) -> Comparison:
    """Return the comparison of these rows, with adjusted p-values and a verdict.

    Parameters
    ----------
    rows : list of ComparisonRow
        The verdict is about the first one.
    settings : Settings
        The settings of the comparison.
    start : float or None
        Time at which the comparison began, if it is measured.
    needed : float, optional
        Records or items needed for a verdict.
    unit : str
        The noun for what is counted.
    flags : tuple of str
        Caveats about the whole comparison.
    **details
        Other fields of the comparison.
    """
    conclusion = decide(
        rows[0],
        alpha=settings.alpha,
        alternative=settings.alternative,
        records_needed=needed,
        flags=flags,
        unit=unit,
    )
    return Comparison(
        rows=tuple(with_adjusted(rows, settings.adjust)),
        conclusion=conclusion,
        seconds=None if start is None else perf_counter() - start,
        alpha=settings.alpha,
        alternative=settings.alternative,
        adjust=settings.adjust,
        flags=flags,
        versions=installed_versions(),
        **details,
    )


def usual_options(requested: Any) -> dict[type, dict[str, Any]]:
    """Return the evidence options of the requested tests, by type of evidence.

    If two tests have different options for the same evidence, those of the first one.
    """
    usual: dict[type, dict[str, Any]] = {}
    for name, options in requested.items() if isinstance(requested, Mapping) else ():
        entry = get_test(name)
        own = {key: options[key] for key in entry.evidence_options if key in options}
        if own:
            usual[entry.needs] = own | usual.get(entry.needs, {})
    return usual


def _name_of(primary: Measure | None) -> str | None:
    """Return the name of a measure with its class or output, or None if it has none."""
    if primary is None or primary.metric is None:
        return None
    return primary.metric + ("" if primary.label is None else f"[{primary.label}]")


def compare_several(
    predictions: Predictions,
    settings: Settings,
    *,
    n_fits: int = 0,
    start: float,
    random_state: int | None = None,
) -> MultipleComparison:
    """Test all classifiers together and in pairs by every measure, with a verdict."""
    measures = measures_of_outputs(settings.measures, predictions)
    if _are_few_trainings(predictions):
        flags = (*predictions.flags, "few-trainings-of-several")
        predictions = replace(predictions, flags=flags)
    comparisons = tuple(
        comparison
        for k, measure in enumerate(measures)
        for comparison in SeveralEngine(predictions, measure, settings).comparisons(k == 0)
    )
    primary = comparisons[0]
    inference = None
    if primary.test is not None:
        inference = get_test(primary.test).inference_for(predictions.design)
    if "mixed-frozen" in predictions.flags:
        # About trained models and learning algorithms, as the caveat says.
        inference = None
    return MultipleComparison(
        comparisons=comparisons,
        conclusion=decide_among(primary, inference, str(predictions.design)),
        descriptions={role.name: role.description for role in predictions.estimators},
        n_fits=n_fits,
        seconds=perf_counter() - start,
        random_state=random_state,
        versions=installed_versions(),
        control=settings.control,
        alternative=settings.alternative,
        alpha=settings.alpha,
        adjust=settings.adjust,
        **_facts_of(predictions),
    )


FEW_OF_SEVERAL = 5
"""Trainings from which tests of recipes hold the small levels of adjusted p-values."""


def _are_few_trainings(predictions: Predictions) -> bool:
    """Whether a recipe of several was trained so seldom that small levels are not held."""
    if predictions.design.kind not in (PAIRED_TRAININGS.kind, SEPARATE_TRAININGS.kind):
        return False
    counts = [role.n_trainings or predictions.n_splits for role in predictions.estimators]
    return any(1 < count < FEW_OF_SEVERAL for count in counts)


COLLECTED = 10_000_000
"""Default of the largest number of records that are read into memory."""


def counted_pair(
    roles: ColumnRoles,
    parse: Callable[..., Settings],
    collect: int,
    labels: ArrayLike | None,
) -> tuple[PairedPredictions, Settings] | None:
    """Return the predictions of both roles in a data frame as counts and sums.

    None if there are no more than `collect` records, which are read into memory instead,
    where every test is available. `parse` returns the settings for a target.
    """
    columns = roles.on_engine()
    if roles.time is not None:
        check_collected(columns, collect)
        return None
    if columns is not None:
        if columns.table.n_records() <= collect:
            return None
        settings = parse(target=target_of_columns(columns))
        needed = partial(_needed_counts, settings)
        if settings.target == NUMBERS:
            return numbers_on_engine(columns, needed), settings
        return pair_on_engine(columns, needed, labels, settings.pos_label), settings
    if collect > 0 or isinstance(roles.y_true, list):
        # The frame is in memory, or small, or has several outputs.
        return None
    values = roles.read()
    settings = parse(target=target_of_arrays(values.truth, values.predictions))
    options = labels, settings.pos_label, settings.target
    needed = partial(_needed_counts, settings)
    return _in_memory(values.collected(*options), needed), settings


def check_collected(columns: EngineColumns | None, collect: int) -> None:
    """Raise an error if records whose order counts are too many to be read into memory."""
    n = 0 if columns is None else columns.table.n_records()
    if n > collect or not collect:
        count = f"{n:,} of them" if columns is not None else "a frame in memory"
        raise ValueError(
            "Records with `time` are read into memory, because engines do not count their "
            f"order. Got {count} and collect={collect:_}. Raise `collect`, or leave `time` "
            "out."
        )


def target_of_columns(columns: EngineColumns) -> str:
    """Return the target of columns on an engine, as that of arrays."""
    truth = columns.y_true or ""
    kind = columns.table.kind(truth)
    if kind not in ("whole", "fraction"):
        return CLASSES
    if kind == "fraction" and not columns.table.are_whole(truth):
        return NUMBERS
    if columns.forecasts:
        return NUMBERS
    for own in columns.predictions.values():
        is_continuous = len(own) == 1 and columns.table.kind(own[0]) == "fraction"
        if is_continuous and columns.table.are_beyond(own[0], 0.0, 1.0):
            few = columns.table.few_values(truth, 2)
            is_numeric = few is None and not columns.table.are_whole(own[0])
            return NUMBERS if is_numeric else CLASSES
    return CLASSES


def numbers_on_engine(
    columns: EngineColumns, required: Callable[[CountedSchema], TallyRequest]
) -> PairedPredictions:
    """Return the numbers of both roles, summed by the table's engine."""
    grouped = columns.groups is not None
    schema = counted_numbers(columns.predictions, grouped, columns.forecasts)
    return tallied_pair(EngineNumbers(columns, required(schema)).tally(), schema)


def pair_on_engine(
    columns: EngineColumns,
    required: Callable[[CountedSchema], TallyRequest],
    labels: ArrayLike | None,
    pos_label: Any,
) -> PairedPredictions:
    """Return the predictions of both roles, counted and summed by the table's engine.

    `required` returns what to count for these classes and kinds of predictions.
    """
    grouped = columns.groups is not None
    engine = EngineTally(columns, TallyRequest(labels=True, pos_label=pos_label), labels)
    scored = {name: kind != LABELS for name, kind in engine.kinds.items()}
    if not any(scored.values()):
        # Counts of the labels show the classes as well.
        tally = engine.tally()
        schema = CountedSchema(tally.classes, scored, grouped)
        required(schema)
        return tallied_pair(tally, schema)
    schema = CountedSchema(engine.classes(), scored, grouped)
    request = required(schema)
    return tallied_pair(engine.asking(request, schema.classes).tally(), schema)


def _in_memory(predictions: Predictions, needed: Any) -> PairedPredictions:
    scored = {role.name: role.has_proba for role in predictions.estimators}
    grouped = predictions.groups is not None
    if predictions.is_numeric:
        forecasts = {role.name: _kinds_of(role) for role in predictions.estimators}
        numbers = counted_numbers(scored, grouped, forecasts)
        return tallied_pair(tally_predictions(predictions, needed(numbers)), numbers)
    schema = CountedSchema(predictions.classes, scored, grouped)
    return tallied_pair(tally_predictions(predictions, needed(schema)), schema)


def _kinds_of(role: EstimatorPredictions) -> list[Any]:
    """Return what is predicted of numbers: kinds, and levels of quantiles."""
    return [VALUES, *([STD] if role.std is not None else []), *role.levels]


def _needed_counts(settings: Settings, schema: CountedSchema) -> TallyRequest:
    """Return the counts and sums that a comparison of such predictions needs."""
    requested = with_classes(settings.requested, schema.classes)
    selection = Selection(schema, requested, settings.alternative, settings.pos_label)
    return requested_by(selection, settings.measures)


@with_progress
def compare(
    data: Any = None,
    predictions: Any = None,
    challenger: Any = None,
    *others: Any,
    champion: Any = None,
    y_true: Any = None,
    id: str | None = None,
    tests: Any = "auto",
    scoring: Any = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    adjust: str | None = "holm",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    groups: Any = None,
    time: Any = None,
    horizon: int = 1,
    control: str | None = None,
    collect: int = COLLECTED,
    verbose: int = 0,
) -> Comparison | MultipleComparison:
    """Compare the predictions of two or more trained models on one hold-out set.

    Parameters
    ----------
    data : array-like of shape (n_samples,), frame, path, Tally or None
        True labels or numbers; or a frame of pandas, Polars, pyarrow, DuckDB, Dask, PySpark
        or another library that narwhals knows, eager or lazy, or a file, such as CSV or
        Parquet, that has them in the column `y_true`; or counted records, see
        :class:`~skcompare.evidence.Tally`. Without true labels the predictions are compared
        with each other: how often both predict each class, and where they disagree.
    predictions : mapping of str to array-like or to names of columns
        Two entries, the champion first, or more of them; or, with `challenger`, the
        champion's predictions alone. They are predicted labels of shape (n_samples,),
        probabilities of shape (n_samples, n_classes), or for two classes probabilities of
        `pos_label`, of shape (n_samples,); or both labels and probabilities as
        ``{"labels": ..., "proba": ...}``. With a frame or a file: a column, a list of
        columns with the probabilities of the sorted classes, or a pair of another frame or
        file and its column or columns. Predicted numbers of shape (n_samples,) for measures
        of numbers, or a dict of these with standard deviations, quantiles, intervals or
        samples, as for :func:`~skcompare.predictions.predictions_from_arrays`. Those of
        several outputs have the shape (n_samples, n_outputs), or are lists of columns, as
        for :func:`~skcompare.predictions.predictions_from_frame`.
    challenger : array-like or name of a column, optional
        The challenger's predictions, after the champion's instead of a mapping. The two
        are then named "champion" and "challenger", or after their columns.
    *others
        Rejected: three or more models must be named by a mapping.
    champion : array-like or name of a column, optional
        The champion's predictions by keyword, instead of `predictions`.
    y_true : str, list of str or array-like of shape (n_samples,), optional
        Column of the true labels in `data`, or the columns of several outputs; or the true
        labels themselves, instead of `data`.
    id : str, optional
        Column, or name of the index of pandas, by which frames and files are joined;
        needed if there are several.
    tests : "auto", "all", str, list of str, or dict of str to dict, default="auto"
        Names of tests, with options in a dict. "auto" takes the design's default test
        of every measure; the primary measure always has it. "all" takes every test that
        is valid for the design.
    scoring : str, callable, list of str, or dict, default=None
        Measures to compare, as in scikit-learn; the verdict comes from the first. By
        default "accuracy" for labels, and for numbers "r2", together with
        "neg_mean_absolute_error" and "neg_root_mean_squared_error". Brackets name one
        class, such as "precision[spam]", or one of several outputs, over which a measure is
        averaged by default, as in scikit-learn; "r2[variance_weighted]" and "r2[0.2, 0.8]"
        weight them, and "r2[raw_values]" adds one row per output to the mean. The target is
        taken as numbers if true or predicted values cannot be classes: if they are not
        integers, and the predictions are not probabilities.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better; of three or more, better than the
        control.
    alpha : float, default=0.05
        Level of the verdict; intervals have level 1 - `alpha`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"} or None
        Adjustment of the p-values of all rows but the primary one; for three or more
        classifiers, of the p-values of all pairs by one measure, for which "max-t" is also
        available. "max-t" also adjusts the p-values and intervals of several outputs, by
        the joint distribution of their statistics.
    pos_label : label, optional
        The positive class of two.
    labels : array-like of shape (n_classes,), optional
        All class labels, if `y_true` lacks some of them. Without them a predicted label
        that is not among the true labels is an error, because a class in another coding
        would never be predicted correctly.
    groups : array-like of shape (n_samples,) or str, optional
        Group of each record (patient, user), or the column of `data` that has it. The
        default test of accuracy then accounts for dependence within groups.
    time : array-like of shape (n_samples,) or str, optional
        Number or timestamp of each record, in any order, or the column of `data` that has
        it; equal ones are one time point. Consecutive records may then be dependent, and
        the default test is :func:`~skcompare.stats.diebold_mariano`. With `groups`, the
        series (stores, sensors), its conclusion is about these series; for one about such
        series request :func:`~skcompare.stats.two_way_t` by name.
    horizon : int, default=1
        Time points by which forecasts are ahead, or by which true labels are late.
    control : str, optional
        With three or more classifiers, the one with which each other one is compared. By
        default all pairs are compared.
    collect : int, default=10_000_000
        Largest number of records of a lazy frame or a Parquet file to read into memory,
        where every test is available. More are counted by the engine of the frame:
        labels, losses and calibration bins with the same results, AUCs from bins of the
        scores with a bound on their error. With 0 all are counted. The predictions of
        three or more classifiers, or of several outputs, are always read.
    verbose : int, default=0
        1 shows a progress bar on stderr where resampling or reading takes longer than a
        second.

    Returns
    -------
    comparison : Comparison or MultipleComparison
        Rows, verdict, and the report in several formats. Three or more classifiers are
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
    >>> predictions = {"old": [0, 1, 0, 1, 1, 0, 0, 1], "new": [0, 1, 1, 0, 1, 1, 0, 1]}
    >>> comparison = compare(y, predictions)
    >>> comparison.verdict, round(comparison.results["mcnemar"].difference, 3)
    ('inconclusive', 0.375)

    Two arrays after the true labels are those of the champion and of the challenger:

    >>> compare(y, predictions["old"], predictions["new"]).verdict
    'inconclusive'

    The same from a frame:

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"truth": y} | predictions)
    >>> comparison = compare(frame, {"old": "old", "new": "new"}, y_true="truth")
    >>> comparison.results["mcnemar"].test
    'mcnemar'

    Three classifiers:

    >>> predictions["newest"] = [0, 1, 1, 0, 1, 1, 1, 1]
    >>> compare(y, predictions).verdict
    'inconclusive'
    """
    start = perf_counter()
    order = {"time": time, "horizon": check_horizon(horizon, time)}
    if isinstance(data, Tally):
        columns = {"predictions": predictions, "y_true": y_true, "groups": groups}
        own = {"id": id, "labels": labels, "control": control, "time": time}
        _check_tally_alone(**columns, **own)
        predictions = dict.fromkeys(data.names)
    unnamed = (predictions, challenger, *others)
    predictions = checked_names(named_predictions(data, unnamed, champion))
    several = tuple(predictions) if len(predictions) > 2 else ()
    if control is not None and not several:
        raise ValueError(
            f"`control` is for three or more predictions. Got control={control!r} and two. "
            "The first of two is the champion."
        )
    options: dict[str, Any] = {"scoring": scoring, "tests": tests, "pos_label": pos_label}
    options |= {"alternative": alternative, "alpha": alpha, "adjust": adjust}
    if several:
        parse = partial(settings_of_several, several, control, **options)
    else:
        parse = partial(Settings.parse, **options)
    roles = data if isinstance(data, ColumnRoles) else None
    if roles is None and is_table(data, predictions):
        roles = ColumnRoles(data, y_true, predictions, id, groups, **order)
    target = CLASSES if roles is None or not roles.is_numeric else NUMBERS
    if roles is None and not isinstance(data, Tally):
        target = target_of_arrays(data if y_true is None else y_true, predictions)
    if isinstance(data, Tally) and not len(data.classes):
        target = NUMBERS
    settings = parse(target=target)
    pair = None
    if isinstance(data, Tally):
        pair = pair_of_tally(data, partial(_needed_counts, settings))
    if roles is not None and roles.y_true is not None and not several:
        counted = counted_pair(roles, parse, collect, labels)
        if counted is not None:
            pair, settings = counted
    if pair is None:
        values = None if roles is None else roles.read()
        if values is not None:
            settings = parse(target=target_of_arrays(values.truth, values.predictions))
        of_target = {"labels": labels, "pos_label": pos_label, "target": settings.target}
        of_records = {"groups": groups, **order}
        collected = (
            collected_arrays(data, predictions, y_true, id, **of_records, **of_target)
            if values is None
            else values.collected(**of_target)
        )
        if several:
            return compare_several(collected, settings, start=start)
        pair = collected.pair(*predictions)
    _check_truth(pair.predictions, settings, scoring)
    return compare_pair(pair, settings, start=start)


def _check_truth(predictions: Predictions, settings: Settings, scoring: Any) -> None:
    """Raise an error if measures need true labels or numbers, and there are none."""
    if predictions.y is None and not _only_accuracy(settings.measures):
        if predictions.is_numeric:
            raise ValueError(
                f"scoring={scoring!r} needs true numbers. Got none. Pass `y_true`, or use "
                "skcompare.stats.bland_altman to see how far the predictions agree."
            )
        raise ValueError(
            f"scoring={scoring!r} needs true labels. Got none. Pass `y_true`, or leave "
            "`scoring` out to compare the predictions with each other."
        )


def target_of_arrays(y_true: Any, predictions: Mapping[str, Any]) -> str:
    """Return the target: numbers where truth or predictions cannot be of classes.

    Labels that are numbers are whole, and probabilities are between 0 and 1. A target of
    two values is of classes.
    """
    if y_true is None or is_continuous(y_true):
        return CLASSES if y_true is None else NUMBERS
    are_numbers = any(_are_numbers(own, y_true) for own in predictions.values())
    return NUMBERS if are_numbers and _has_many_numbers(y_true) else CLASSES


def _has_many_numbers(y_true: Any) -> bool:
    array = as_array(y_true)
    return array.dtype.kind in "iuf" and len(np.unique(array)) > 2


def _are_numbers(prediction: Any, y_true: Any) -> bool:
    """Whether predictions are numbers, and neither labels nor probabilities.

    Labels and probabilities have no several outputs.
    """
    if isinstance(prediction, Mapping):
        return not OF_NUMBERS.isdisjoint(prediction)
    if not is_continuous(prediction):
        return False
    array = as_array(prediction)
    is_one_each = array.ndim == as_array(y_true).ndim
    return is_one_each and bool(((array < 0) | (array > 1)).any())


def _check_tally_alone(**arguments: Any) -> None:
    """Raise an error if an argument is passed that the tally already contains."""
    names = [name for name, value in arguments.items() if value is not None]
    if names:
        raise ValueError(
            f"A tally has truth and predictions in it. Got {', '.join(names)} as well. "
            "Pass the tally alone, with what is to be compared."
        )


def _only_accuracy(measures: Sequence[Measure]) -> bool:
    """Whether accuracy of all classes is the only measure."""
    return [(m.metric, m.label) for m in measures] == [("accuracy", None)]


def collected_arrays(
    data: Any, predictions: Mapping[str, Any], y_true: Any, id: str | None, **options: Any
) -> Predictions:
    """Construct predictions from arrays; raise an error if columns are named."""
    columns = [name for name, entry in predictions.items() if _is_scalar(entry)]
    if id is not None or isinstance(y_true, str) or columns:
        listed = ", ".join(columns) or "none"
        raise ValueError(
            "Columns can be named where the first argument is a frame or a file and every "
            f"prediction names columns. Got {type(data).__name__} with id={id!r}, y_true "
            f"{type(y_true).__name__}, and columns named for {listed}. "
            "Pass a frame and names, or arrays only."
        )
    if data is not None and y_true is not None:
        raise ValueError(
            "The true labels were passed twice, as the first argument and as `y_true`. "
            "Pass them once; `y_true` names a column where the first is a frame or a file."
        )
    truth = data if y_true is None else y_true
    return predictions_from_arrays(truth, predictions, **options)


def is_table(data: Any, predictions: Mapping[str, Any]) -> bool:
    """Whether `data` is a file, or a data frame whose columns `predictions` names."""
    named = has_columns(data) and any(map(_names_columns, predictions.values()))
    return is_file(data) or named


def _is_scalar(entry: Any) -> bool:
    if isinstance(entry, Mapping):
        parts = entry.values()
        return any(_is_scalar(part) for part in parts if isinstance(part, str | Mapping))
    return np.ndim(entry) == 0


def _names_columns(entry: Any) -> bool:
    """Whether an entry names a column, a list of columns, or a table and its columns."""
    if isinstance(entry, Mapping):
        return any(map(_names_columns, entry.values()))
    if isinstance(entry, tuple | list):
        # A pair of arrays is an interval.
        names = entry[:1] if isinstance(entry, list) else entry[-1:]
        return any(map(_names_columns, names))
    return isinstance(entry, str)


def compare_cv_results(
    champion: Any,
    challenger: Any = None,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    cv: Any = None,
    design: Design | str | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    horizon: int = 1,
    scoring: Any = None,
    tests: Any = "auto",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    adjust: str | None = "holm",
    pos_label: Any = None,
    allow_mixed: bool = False,
) -> Comparison:
    """Compare two estimators fitted by scikit-learn's `cross_validate`.

    Nothing is fitted: each test set is predicted by the estimators that were trained for
    it, and the comparison is the one that :class:`PairedComparator` makes on the same
    splits.

    Parameters
    ----------
    champion : dict
        Output of :func:`sklearn.model_selection.cross_validate` with
        ``return_estimator=True`` and ``return_indices=True``: for the champion; or, without
        `challenger`, for a :class:`PairedEstimator`, which holds both.
    challenger : dict, optional
        The same for the challenger, on the same splits.
    X, y : array-like, sparse matrix or frame
        The records and their target that were cross-validated, in the same order.
    cv : splitter, int or iterable, optional
        The splitter that was used; its design determines which tests are valid. If it
        makes the same splits each time, they must be those of the results. Without it the
        design is inferred from the indices: a hold-out, (repeated) K-fold
        cross-validation, 5×2 with random halves, a repeated hold-out or splits in time
        order.
    design : Design or str, optional
        How the records were split, such as "bcv", if neither `cv` nor the indices show
        it: halves of a block-regularized cross-validation look like random ones.
    groups : array-like of shape (n_samples,), optional
        Group of each record (patient, user); the design is then grouped.
    time : array-like of shape (n_samples,), optional
        Number or timestamp of each record, where each split tests later records than it
        trains on. Such splits are by default in the order of the records in X.
    horizon : int, default=1
        Time points by which forecasts are ahead; at least 1 more than the gap of splits.
    scoring, tests, alternative, alpha, adjust, pos_label
        As in :class:`PairedComparator`. The scores of `cross_validate` are not needed:
        each measure is computed from the predictions.
    allow_mixed : bool, default=False
        Allow exactly one frozen classifier.

    Returns
    -------
    comparison : Comparison
        Rows, verdict, and the report in several formats.

    Raises
    ------
    ValueError
        If estimators or indices were not returned, the splits differ, or X and y have
        different records.
    EstimatorFailedError
        If a classifier cannot predict, for example because its fit had failed.

    See Also
    --------
    PairedEstimator : Both estimators as one for `cross_validate`.
    cross_compare : `cross_validate` for several estimators at once.
    skcompare.evidence.ScoreDifferences.from_cv_results : From the scores alone.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skcompare import BlockRegularized5x2CV, compare_cv_results
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = BlockRegularized5x2CV(random_state=0)
    >>> keep = {"cv": cv, "return_estimator": True, "return_indices": True}
    >>> old = cross_validate(DummyClassifier(), X, y, **keep)
    >>> new = cross_validate(GaussianNB(), X, y, **keep)
    >>> compare_cv_results(old, new, X, y, cv=cv).verdict
    'challenger'
    """
    check_switches(allow_mixed=allow_mixed)
    outputs = outputs_of_roles(champion, challenger, X, y)
    fitted = [(role, output["estimator"][0]) for role, output in outputs.items()]
    options = (scoring, tests, alternative, alpha, adjust, pos_label)
    settings = Settings.parse(*options, target=target_of(fitted))
    target = settings.target
    check_roles_to_fit(fitted, allow_mixed=allow_mixed, target=target)
    labels = check_target(y, groups, fitting=True, target=target)
    if target == CLASSES:
        check_scored_classes(settings.measures, classes_of(labels), pos_label)
    predictions = predictions_from_cv_results(
        X,
        y,  # type: ignore[arg-type]
        outputs,
        cv=cv,
        design=design,
        groups=groups,
        time=time,
        horizon=horizon,
        required=settings.required,
    )
    if is_mixed(fitted):
        predictions = replace(predictions, flags=(*predictions.flags, "mixed-frozen"))
    return compare_pair(
        predictions.pair(CHAMPION, CHALLENGER), settings, n_fits=predictions.n_splits
    )
