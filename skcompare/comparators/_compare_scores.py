"""Comparison of two systems that were scored on the same items."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from skcompare._analysis import (
    ALL,
    NamedTests,
    PreparedTest,
    Settings,
    check_settings,
    named_tests,
    result_row,
)
from skcompare._core.design import UNKNOWN, Design, design_of_shape
from skcompare._core.progress import with_progress
from skcompare._core.times import check_horizon
from skcompare._core.validation import check_choice, check_switches
from skcompare._io.columns import has_columns
from skcompare._registry.tests import (
    ANY_LOSS,
    PairedTestEntry,
    get_test,
    paired_tests,
    tests_for,
)
from skcompare.comparators._compare import comparison_of_rows
from skcompare.evidence import (
    NEGATED,
    ClusterSums,
    ContingencyTable,
    OrderedDifferences,
    PairedLosses,
    ScoreDifferences,
    item_evidence,
    why_no_evidence,
)
from skcompare.predictions import ROLES, ItemScores, check_names
from skcompare.reports import Comparison, ComparisonRow
from skcompare.stats import PairedResult

MEAN_SCORE = "mean_score"
"""Name of the measure: the mean score over the items."""
MEAN_LOSS = "mean_loss"
"""Name of the measure of scores that are losses."""
MEAN_GAIN = "difference of mean scores"
"""Name of the estimate of a test of means."""

BOUND = "bound"
"""Option of a test: the largest possible difference of two scores of an item."""

IN_TIME = "diebold_mariano"
"""Default test of items in the order of time."""

OF_MEANS = (PairedLosses, OrderedDifferences)
"""Evidence of mean losses, negated for scores."""

DEFAULTS = {
    # Scores are correct or incorrect; items are in groups.
    (True, False): "mcnemar",
    (True, True): "clustered_mcnemar",
    (False, False): "paired_t",
    (False, True): "clustered_t",
}


def prepared_scores(
    scores: ItemScores,
    test: str | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    alternative: str | None = None,
    alpha: float = 0.05,
) -> PreparedTest:
    """Prepare a test of mean scores with its evidence and options.

    Parameters
    ----------
    scores : ItemScores
        Scores of both systems.
    test : str, optional
        Name of the test. By default McNemar's if each item was tried once by each system
        and scored as correct or incorrect, and the paired t test of the items' mean scores
        otherwise; for items in groups, the versions for groups, and in the order of time
        Diebold and Mariano's.
    options : mapping of str to object, optional
        Options of the test.
    alternative : {"two-sided", "less", "greater"}, optional
        Direction, for a test that has one.
    alpha : float, default=0.05
        Intervals of its rows have level 1 - alpha.

    Returns
    -------
    test : PreparedTest
        Its results are positive where the challenger is better; those of losses are about
        negated scores, and the rows about scores.
    """
    test_options = dict(options or {})
    entry = get_test(default_item_test(scores) if test is None else test)
    check_item_options(entry, test_options)
    reason = why_no_evidence(scores, entry.needs)
    if reason:
        raise ValueError(
            f"{entry.name} cannot run. {reason}. Use {default_item_test(scores)}."
        )
    bound = None if scores.bounds is None else scores.bounds[1] - scores.bounds[0]
    if BOUND in entry.options and bound is not None:
        test_options.setdefault(BOUND, bound)
    if alternative is not None and "alternative" in entry.options:
        test_options["alternative"] = alternative
    evidence = item_evidence(scores, entry.needs)
    row = partial(_item_row, entry, evidence, alpha=alpha, scores=scores)
    return PreparedTest(entry, evidence, test_options, row, bound)


def measure_of(greater_is_better: bool) -> str:
    """Return the name of the measure of scores, or of losses."""
    return MEAN_SCORE if greater_is_better else MEAN_LOSS


def default_item_test(scores: ItemScores) -> str:
    """Return the name of the default test of these scores."""
    if scores.time is not None:
        return IN_TIME
    return DEFAULTS[scores.right_or_wrong, scores.groups is not None]


def item_tests() -> list[PairedTestEntry]:
    """Return the tests that compare mean scores."""
    return [entry for entry in paired_tests().values() if _is_of_means(entry)]


def _is_of_means(entry: PairedTestEntry) -> bool:
    if entry.needs in OF_MEANS:
        return ANY_LOSS in entry.measures
    return "accuracy" in entry.measures and entry.needs in (ContingencyTable, ClusterSums)


def valid_item_tests(scores: ItemScores) -> list[str]:
    """Names of the tests without caution that are valid for these scores."""
    return [
        entry.name
        for entry in item_tests()
        if entry.valid_for(scores.design)
        and not entry.caution
        and not why_no_evidence(scores, entry.needs)
        and (BOUND not in entry.options or scores.bounds is not None)
        # A reduction is a share of a mean loss, which no score is.
        and (entry.kind != "reduction" or not scores.greater_is_better)
    ]


def check_item_options(entry: PairedTestEntry, options: Mapping[str, Any]) -> None:
    """Check that a test compares mean scores and takes these options."""
    names = [test.name for test in item_tests()]
    if entry.name not in names:
        raise ValueError(
            f"{entry.name} does not compare mean scores. Choose among {', '.join(names)}."
        )
    for name in options:
        if name not in entry.options:
            raise ValueError(
                f"{entry.name} has no option {name!r} for scores. Its options: "
                f"{', '.join(entry.options) or 'none'}."
            )


def _item_row(
    entry: PairedTestEntry,
    evidence: Any,
    result: PairedResult,
    *,
    scores: ItemScores,
    **details: Any,
) -> ComparisonRow:
    """Return the report row of a result, in terms of scores."""
    of_losses = not scores.greater_is_better
    return result_row(
        entry,
        result if of_losses else _of_scores(result, evidence),
        measure=measure_of(scores.greater_is_better),
        greater_is_better=scores.greater_is_better,
        note=result.remark,
        **details,
    )


def _of_scores(result: PairedResult, evidence: Any) -> PairedResult:
    """Convert a result for negated scores to a result for the scores."""
    if not isinstance(evidence, OF_MEANS):
        return result
    name = result.estimate_name.replace(f"gain in mean {NEGATED} loss", MEAN_GAIN)
    return replace(
        result,
        estimate_name=name.replace("gain (", "difference ("),
        champion=None if result.champion is None else 0.0 - result.champion,
        challenger=None if result.challenger is None else 0.0 - result.challenger,
        greater_is_better=True,
    )


ITEMS = "items"
ITEM, SCORE = "item", "score"
"""Default names of columns."""

FEW_UNNAMED = 100
"""Number of unnamed scores up to which they may be those of folds."""

UNKNOWN_UNIT = (
    "so few scores without names may be those of items, or of the folds of a "
    "cross-validation, which depend on each other: pass unit='items', or name them by "
    "`item`; of folds pass folds=(n_train, n_test), the records that each is trained and "
    "tested on"
)


@with_progress
def compare_scores(
    champion: Any,
    challenger: Any = None,
    *,
    score: Any = SCORE,
    item: Any = ITEM,
    group: Any = None,
    attempt: str | None = None,
    bounds: tuple[float, float] | None = None,
    names: Iterable[str] | None = None,
    greater_is_better: bool = True,
    unit: str | None = None,
    folds: tuple[Any, Any] | None = None,
    tests: Any = "auto",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    adjust: str | None = "holm",
    time: Any = None,
    horizon: int = 1,
    verbose: int = 0,
) -> Comparison:
    """Compare two systems scored on the same items, such as language models.

    The systems need not be classifiers. An item is a question, a task, a prompt, a
    forecast; its scores are 0 and 1, true and false, grades, or losses such as absolute
    errors. The difference is the mean over the items of the challenger's score minus the
    champion's, or of losses the champion's minus the challenger's. Items have equal
    weight, however often they were tried: an item counts with the mean score of its
    attempts, because several attempts at one question are not several questions.

    Parameters
    ----------
    champion : frame, path, array-like of shape (n_champion,) or ItemScores
        The champion's scores: a frame, or a file such as JSON lines, CSV or Parquet, with
        one row per attempt at an item; or an array of scores; or scores of both.
    challenger : frame, path or array-like of shape (n_challenger,), optional
        The challenger's, of the same items in any order. Left out if `score` names two
        columns of one frame, and for `ItemScores`.
    score : str or pair of str, default="score"
        Column of the scores; or that of the champion and that of the challenger.
    item : str or array-like of shape (n_champion,), default="item"
        Column that identifies items and by which the two are joined. With arrays, the item
        of each score, for both in the same order; by default each pair of scores is an
        item.
    group : str or array-like of shape (n_champion,), optional
        Column, or with arrays the groups themselves, of items that belong together:
        questions about one text, variants of one task. The tests then account for
        dependence within groups.
    attempt : str, optional
        Column that identifies attempts at one item. Duplicate rows are then an error.
    bounds : pair of float, optional
        Least and greatest possible score; other scores are an error.
    names : pair of str, optional
        Names of the two systems in the report; by default the paths of files, or the
        columns of one frame.
    greater_is_better : bool, default=True
        False if the scores are losses, such as absolute errors of predicted numbers. The
        measure is then "mean_loss".
    unit : {"items"}, optional
        Declares that unnamed scores are those of items. Up to 100 scores without `item`
        and `group` may also be those of folds, and get no verdict without it.
    folds : pair of int or array-like, optional
        Declares that the scores are those of folds, by the numbers of training and test
        records of each fold. The scores are then arrays, of shape (n_folds,) for one K-fold
        cross-validation or a repeated hold-out, or (n_repeats, n_folds). The test is the
        corrected one of that design, and the conclusion is about learning algorithms.
    tests : "auto", "all", str, list of str, or dict of str to dict, default="auto"
        Names of tests, with options in a dict. "auto" takes the default test, from which
        the verdict comes also if others are named. "all" takes every test that is valid.
        For folds only "auto".
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    alpha : float, default=0.05
        Level of the verdict; intervals have level 1 - `alpha`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"} or None
        Adjustment of the p-values of all rows but the first.
    time : str or array-like of shape (n_champion,), optional
        Column, or with arrays the numbers or timestamps themselves, of the time of items,
        in any order. Consecutive items may then be dependent, and groups are series.
    horizon : int, default=1
        Time points by which forecasts are ahead.
    verbose : int, default=0
        1 shows a progress bar on stderr where resampling or reading takes longer than a
        second.

    Returns
    -------
    comparison : Comparison
        Rows of the measure "mean_score" or "mean_loss", verdict, and the report in several
        formats.

    Raises
    ------
    ValueError
        If an item is missing for one of the systems, a score is not a finite number, or
        the rows of an item have different groups.

    See Also
    --------
    skcompare.predictions.ItemScores : The scores, joined and checked.
    compare : The same for labels and probabilities of classifiers.

    Notes
    -----
    The default test is :func:`~skcompare.stats.mcnemar` if each item was tried once by
    each system and scored as correct or incorrect, and :func:`~skcompare.stats.paired_t` of
    the items' mean scores otherwise. For items in groups it is
    :func:`~skcompare.stats.clustered_mcnemar` or :func:`~skcompare.stats.clustered_t`. With
    `time` it is :func:`~skcompare.stats.diebold_mariano`.

    For losses "all" includes :func:`~skcompare.stats.relative_loss`, or for items in groups
    :func:`~skcompare.stats.clustered_relative_loss`, whose `remark` has the reduction of
    the mean loss in percent.

    For scores of folds it is :func:`~skcompare.stats.corrected_repeated_kfold_t`, or
    :func:`~skcompare.stats.corrected_repeated_holdout_t` if the test sets do not partition
    the records. If folds were treated as items, the t test would reject equally good
    learners in up to 14 % of data sets with 10 folds, and in up to 30 % with 15 random
    hold-outs.

    If all items have the same number of attempts, the t test of their means equals the
    cluster-robust test of all attempts with items as clusters [1]_.

    References
    ----------
    .. [1] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.

    Examples
    --------
    >>> import pandas as pd
    >>> from skcompare import compare_scores
    >>> old = pd.DataFrame({"item": ["a", "b", "c", "d"] * 2, "score": [0, 1, 0, 1] * 2})
    >>> new = old.assign(score=[1, 1, 0, 1, 1, 1, 1, 1])
    >>> comparison = compare_scores(old, new)
    >>> row = comparison.results["mean_score"]
    >>> row.test, row.champion, row.challenger, row.difference
    ('paired_t', 0.5, 0.875, 0.375)
    >>> comparison.verdict
    'inconclusive'
    """
    start = perf_counter()
    checked = check_settings(alternative, alpha, adjust)
    if unit is not None:
        check_choice("unit", unit, (ITEMS,))
    check_switches(greater_is_better=greater_is_better)
    requested = named_tests(tests)
    settings = Settings((), requested, *checked, pos_label=None)
    horizon = check_horizon(horizon, time)
    columns = {"score": score, "item": item, "group": group, "attempt": attempt}
    columns["time"] = time
    if folds is not None:
        arguments = columns | {"bounds": bounds, "unit": unit, "tests": requested}
        _check_alone(arguments, "Scores of folds are two arrays, with a test of their own")
        roles = {"champion": champion, "challenger": challenger}
        return _of_folds(roles, folds, names, greater_is_better, settings, start)
    test_options = {} if requested is None or isinstance(requested, str) else requested
    for name, options in test_options.items():
        check_item_options(get_test(name), options)
    scores = _scores_of(
        champion, challenger, columns, bounds, names, greater_is_better, horizon
    )
    if requested == ALL:
        test_options = {name: {} for name in valid_item_tests(scores)}
    is_unnamed = scores is not champion and not has_columns(champion)
    is_unnamed = is_unnamed and isinstance(item, str) and group is None
    is_unnamed = is_unnamed and time is None
    if is_unnamed and unit is None and scores.n <= FEW_UNNAMED:
        return _of_items(scores, [_untested(scores, UNKNOWN_UNIT)], settings, start)
    if scores.time is not None:
        reason = why_no_evidence(scores, get_test(IN_TIME).needs)
        if reason:
            return _of_items(scores, [_untested(scores, reason)], settings, start)
    return _compared(scores, test_options, settings, start)


def _untested(scores: ItemScores, reason: str) -> ComparisonRow:
    """Return the row of scores that are not tested, for a reason."""
    means, greater = scores.means, scores.greater_is_better
    sign = 1 if greater else -1
    return ComparisonRow(
        measure_of(greater), None, None, *means, sign * (means[1] - means[0]),
        primary=True, note=reason, greater_is_better=greater,
    )  # fmt: skip


def _of_folds(
    roles: dict[str, Any],
    folds: tuple[Any, Any],
    names: Iterable[str] | None,
    greater_is_better: bool,
    settings: Settings,
    start: float,
) -> Comparison:
    """Compare the scores of folds by the corrected test for their design."""
    if not isinstance(folds, tuple | list) or len(folds) != 2:
        raise ValueError(
            "`folds` must be the numbers of training and of test records, such as (90, "
            f"10). Got {folds!r}."
        )
    n_train, n_test = folds
    measure = measure_of(greater_is_better)
    scores = ScoreDifferences.from_scores(
        **roles,
        n_train=n_train,
        n_test=n_test,
        design=UNKNOWN,
        score=measure,
        greater_is_better=greater_is_better,
    )
    tested = int(np.sum(np.broadcast_to(n_test, scores.values.shape)))
    kind = "repeated kfold" if scores.values.ndim == 2 else "kfold"
    if scores.values.ndim == 1 and tested != scores.n_records:
        kind = "repeated holdout"
    scores = replace(scores, design=design_of_shape(Design(kind), scores.values.shape))
    entry = tests_for(measure, scores.design)[0]
    row = result_row(
        entry,
        entry.function(scores, alternative=settings.alternative),
        measure=measure,
        greater_is_better=greater_is_better,
        alpha=settings.alpha,
        primary=True,
    )
    champion_name, challenger_name = ROLES if names is None else check_names(names)
    return comparison_of_rows(
        [row],
        settings,
        start,
        champion=champion_name,
        challenger=challenger_name,
        design=scores.design,
        n_records=scores.n_records,
        n_tested=scores.n_records,
        n_fits=scores.values.size,
    )


def _compared(
    scores: ItemScores, test_options: NamedTests, settings: Settings, start: float
) -> Comparison:
    alternative, alpha = settings.alternative, settings.alpha
    default = default_item_test(scores)
    tests = {default: test_options.get(default, {}), **test_options}
    prepared = [
        prepared_scores(scores, name, options, alternative=alternative, alpha=alpha)
        for name, options in tests.items()
    ]
    rows = [test.row(test.run(), primary=test is prepared[0]) for test in prepared]
    needed = prepared[0].units_needed(rows[0], alpha=alpha, alternative=alternative)
    return _of_items(scores, rows, settings, start, needed)


def _of_items(
    scores: ItemScores,
    rows: list[ComparisonRow],
    settings: Settings,
    start: float,
    needed: float | None = None,
) -> Comparison:
    """Return the comparison of item scores with these rows."""
    champion, challenger = scores.names
    return comparison_of_rows(
        rows,
        settings,
        start,
        needed=needed,
        unit=ITEMS,
        champion=champion,
        challenger=challenger,
        design=scores.design,
        n_records=scores.n,
        n_tested=scores.n,
        n_fits=0,
        size=size_text(scores),
        fingerprint=scores.fingerprint,
    )


def size_text(scores: ItemScores) -> str:
    """Return the numbers of items, attempts and groups as text."""
    parts = [f"{scores.n:,} items"]
    least, most = int(scores.attempts.min()), int(scores.attempts.max())
    if least < most:
        champion, challenger = scores.n_attempts
        parts.append(f"{champion:,} and {challenger:,} attempts")
    elif most > 1:
        parts.append(f"{most:,} attempts each")
    if scores.groups is not None:
        kind = "groups" if scores.time is None else "series"
        parts.append(f"in {scores.n_groups:,} {kind}")
    if scores.time is not None:
        parts.append(f"at {scores.n_times:,} times, horizon {scores.horizon}")
    return ", ".join(parts)


def _scores_of(
    champion: Any,
    challenger: Any,
    columns: dict[str, Any],
    bounds: Any,
    names: Iterable[str] | None,
    greater_is_better: bool,
    horizon: int,
) -> ItemScores:
    """Return the scores as `ItemScores`, from `ItemScores`, tables or arrays."""
    if isinstance(champion, ItemScores):
        arguments = columns | {"challenger": challenger, "bounds": bounds, "names": names}
        arguments["greater_is_better"] = None if greater_is_better else False
        _check_alone(arguments, "`ItemScores` have the scores of both systems in them")
        return champion
    if has_columns(champion) or has_columns(challenger):
        for role, data in (("champion", champion), ("challenger", challenger)):
            if data is not None and not has_columns(data):
                raise ValueError(
                    "Champion and challenger must both be frames or files, or both "
                    f"arrays. The {role}'s is an array. Pass scores of one kind."
                )
        return ItemScores.from_frames(
            champion,
            challenger,
            **columns,
            bounds=bounds,
            names=names,
            greater_is_better=greater_is_better,
            horizon=horizon,
        )
    item, group, time = (columns.pop(name) for name in ("item", "group", "time"))
    _check_alone(columns, "Arrays of scores have no columns")
    by_name = [
        name for name in (item, group, time) if isinstance(name, str) and name != ITEM
    ]
    if by_name or challenger is None:
        what = f"the column {by_name[0]!r}" if by_name else "no challenger"
        raise ValueError(
            "Arrays of scores come as two of them, with items and groups as arrays. Got "
            f"{what}. Pass frames or files to name columns."
        )
    options: dict[str, Any] = {} if names is None else {"names": names}
    options |= {"greater_is_better": greater_is_better, "time": time, "horizon": horizon}
    items = None if isinstance(item, str) else item
    return ItemScores.from_scores(
        champion, challenger, items=items, groups=group, bounds=bounds, **options
    )


def _check_alone(arguments: dict[str, Any], reason: str) -> None:
    """Check that arguments that do not apply to these scores are left at their defaults."""
    defaults = {"score": SCORE, "item": ITEM}
    for name, value in arguments.items():
        if value is not None and not (
            isinstance(value, str) and value == defaults.get(name)
        ):
            raise ValueError(f"{reason}. Got `{name}` as well. Leave it out.")
