"""Rows of estimates with intervals: of results of any kind, or of tests that are run."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from skcompare._analysis import (
    ComparisonRow,
    PairEngine,
    PairRow,
    PairwiseComparison,
    both_ways,
    named_tests,
    result_row,
    why_unsuited,
    with_adjusted,
    with_classes,
)
from skcompare._core.validation import (
    alpha_of,
    check_alternative,
    check_choice,
    check_count,
    is_number,
)
from skcompare._registry.metrics import NUMBERS
from skcompare._registry.tests import PairedTestEntry, get_test, paired_tests
from skcompare.evidence import JointCounts
from skcompare.metrics import resolve_scoring
from skcompare.plots.drawing._base import comparison_behind, sides_behind
from skcompare.plots.drawing._labels import short_names
from skcompare.plots.drawing._layout import ROLES
from skcompare.plots.drawing._style import percent
from skcompare.plots.several._several_display import comparison_in, names_in
from skcompare.predictions import PairedPredictions
from skcompare.stats import PairedResult, PrecisionByClass, precision_by_class
from skcompare.stats.core import ADJUSTMENTS
from skcompare.stats.scores import range_of

SHARES = ""
"""Unit of differences of scores and losses with a bound, which share an axis."""


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """Estimate with its interval and p-values.

    `unit` names the axis that it is drawn on, `excluded` has the parts of the axis that a
    claim excludes, `claim` is the text of that, and `band` is the largest difference that
    does not matter. `short` is a name that is short enough. One-sided intervals have an
    `alternative`; the limit that they lack is not drawn. The fields are in the order of the
    columns of frames.
    """

    name: str
    measure: str = field(default="", kw_only=True)
    test: str | None
    champion: float | None = field(default=None, kw_only=True)
    challenger: float | None = field(default=None, kw_only=True)
    estimate: float
    low: float | None = None
    high: float | None = None
    level: float | None = field(default=None, kw_only=True)
    alternative: str = field(default="two-sided", kw_only=True)
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    primary: bool = False
    flags: tuple[str, ...] = ()
    note: str = ""
    claim: str = ""
    band: float | None = None
    unit: str = SHARES
    excluded: tuple[tuple[float, float], ...] = ()
    short: str = ""

    @property
    def limits(self) -> tuple[float, float]:
        """Lower and upper limit, infinite on an open side and NaN without an interval."""
        if self.low is None or self.high is None:
            return math.nan, math.nan
        low = -math.inf if self.alternative == "less" else self.low
        high = math.inf if self.alternative == "greater" else self.high
        return low, high

    @property
    def has_interval(self) -> bool:
        """Whether the row has an interval to draw."""
        return any(math.isfinite(limit) for limit in self.limits) or (
            self.limits == (-math.inf, math.inf)
        )


RATIOS = ("ratio", "odds ratio")
"""Units of estimates whose value of equal classifiers is 1."""


def interval_row(row: ComparisonRow, alpha: float) -> IntervalRow:
    """Return a row of a comparison as it is drawn, with an interval of level 1 - alpha."""
    result, note, unit, alternative = row.result, row.note, "", "two-sided"
    if result is not None:
        unit = ratio_unit(result)
        if row.low is not None:
            alternative = result.alternative
        counts = {role: result.details.get(f"{role}_predictions", 1) for role in ROLES}
        note = absence_note([role for role in ROLES if not counts[role]])
    return row_of(
        row,
        name=row.subject,
        alternative=alternative,
        level=1 - alpha,
        unit=unit or unit_of(row.measure, row.greater_is_better),
        note=note,
    )


def row_of(source: Any, **others: Any) -> IntervalRow:
    """Return a row with the fields that its source has as well, and with others."""
    names = [field.name for field in fields(IntervalRow) if hasattr(source, field.name)]
    return IntervalRow(**{name: getattr(source, name) for name in names} | others)


def ratio_unit(result: PairedResult) -> str:
    """Return the unit of a ratio or odds ratio; empty for other estimates."""
    quantity, of, _ = result.estimate_name.partition(" of ")
    return quantity if of and quantity in RATIOS else ""


def absence_note(roles: Sequence[str]) -> str:
    """Return a note on the roles that never predict the class of a row."""
    return f"{' and '.join(roles)} never gave this prediction" if roles else ""


def unit_of(measure: str, greater_is_better: bool) -> str:
    """Return the unit of differences of a measure, which determines their axis.

    Shares and losses with a bound have a common axis, and every other measure its own.
    """
    least, most = range_of(measure.partition("[")[0])
    if math.isfinite(most - least):
        return SHARES
    return measure if greater_is_better else f"gain in {measure}"


OF_PAIRS = "discordant_odds_ratio"
"""Test of a ratio that is about no class, on a different scale."""


@dataclass(eq=False, repr=False)
class Intervals:
    """Rows of a result, with their level, adjustment and remarks."""

    rows: tuple[IntervalRow, ...]
    alpha: float = 0.05
    adjust: str = ""
    sides: tuple[str, str] = ROLES
    remarks: tuple[str, ...] = ()


def ratios_in(result: Any, alpha: float) -> Intervals:
    """Return the ratios of a result, or of several results."""
    holder = comparison_behind(result)
    if isinstance(holder, Intervals):
        return replace(holder, rows=by_class(holder.rows))
    if isinstance(holder, PrecisionByClass):
        return _ratios_of_classes(holder)
    if hasattr(holder, "rows") and hasattr(holder, "conclusion"):
        return _ratios_of_comparison(holder)
    return Intervals(by_class(_ratios_of_results(result, alpha)), alpha)


def _rows_of_classes(classes: PrecisionByClass, scale: str) -> tuple[IntervalRow, ...]:
    """Return the difference or ratio of every class, with the p-value of its test."""
    rows = []
    for k, row in enumerate(classes.forest(scale)["rows"]):
        absent_from = [role for role in ROLES if not getattr(classes, f"n_{role}")[k]]
        flags = classes.class_flags[k]
        class_row = IntervalRow(
            name=f"{classes.score}[{row['label']}]",
            test=classes.test,
            pvalue=float(classes.pvalue[k]),
            **{name: row[name] for name in ("estimate", "low", "high", "adjusted_pvalue")},
            alternative=classes.alternative,
            level=classes.interval_level,
            unit=RATIOS[0] if scale == "ratio" else SHARES,
            flags=flags if ratios_suit(classes.design) else ("invalid-design", *flags),
            note=absence_note(absent_from),
            measure=classes.score,
            champion=float(classes.champion[k]),
            challenger=float(classes.challenger[k]),
        )
        rows.append(class_row)
    return tuple(rows)


def _ratios_of_classes(classes: PrecisionByClass) -> Intervals:
    remark = f"Intervals are Wald's of the log ratio, and p-values those of {classes.test}."
    rows, alpha = _rows_of_classes(classes, "ratio"), alpha_of(classes.confidence_level)
    return Intervals(rows, alpha, classes.adjust, remarks=(remark,))


def _ratios_of_comparison(comparison: Any) -> Intervals:
    """Return the ratios in the rows of a comparison, or those of its predictions."""
    alpha = comparison.alpha
    rows = [
        interval_row(row, alpha)
        for row in comparison.rows
        if row.result and ratio_unit(row.result) and row.test != OF_PAIRS
    ]
    if rows:
        return Intervals(by_class(rows), alpha, comparison.adjust)
    if comparison.source is None:
        raise ValueError(
            "This comparison has no test of a ratio, and no predictions to run one on. "
            "Compare with tests=['relative_precision'], or from predictions."
        )
    pair = getattr(comparison.source, "pair", None)
    if pair is not None and pair.predictions.is_numeric:
        raise ValueError(
            "Without a ratio of scores this picture shows precisions of classes, and these "
            "predictions are of numbers. Use ForestDisplay for their differences."
        )
    counts = comparison.evidence(JointCounts)
    classes = precision_by_class(counts, confidence_level=1 - alpha)
    if ratios_suit(classes.design):
        return _ratios_of_classes(classes)
    rows = untested(_rows_of_classes(classes, "ratio"), classes.design)
    return Intervals(tuple(rows), alpha, classes.adjust)


def row_of_result(result: PairedResult, alpha: float, label: Any = None) -> IntervalRow:
    """Return the row of the result of a single test."""
    entry, measure = paired_tests().get(result.test), result.estimate_name
    if entry is not None and len(entry.measures) == 1:
        measure = entry.measures[0]
    greater = result.greater_is_better
    row = result_row(
        entry, result, measure=measure, greater_is_better=greater, alpha=alpha, label=label
    )
    return interval_row(row, alpha)


def _ratios_of_results(result: Any, alpha: float) -> list[IntervalRow]:
    """Return the rows of a result, or of a list or dict of results."""
    results = result if isinstance(result, (Mapping, list, tuple)) else [result]
    names = map(str, results) if isinstance(results, Mapping) else [""] * len(results)
    items = results.values() if isinstance(results, Mapping) else results
    rows = []
    for name, item in zip(names, items):
        if not isinstance(item, PairedResult):
            raise TypeError(
                "`result` must be a Comparison, a fitted PairedComparator, "
                "PrecisionByClass, predictions of a pair, a PairedResult, or a list or "
                f"dict of these results. Got {type(item).__name__}."
            )
        if not ratio_unit(item):
            raise ValueError(
                f"{item.test or 'This result'} estimates no ratio of scores, but: "
                f"{item.estimate_name}. Use ForestDisplay for differences."
            )
        class_text = item.remark.partition(",")[0].removeprefix("class ")
        # The remark has the repr of the label.
        label = class_text.removesuffix(" against the rest").strip("'\"") or None
        row = row_of_result(item, alpha, label)
        rows.append(replace(row, name=name) if name else row)
    if not rows:
        raise ValueError("A list of results must have at least one. Got none.")
    return rows


def by_class(rows: Sequence[IntervalRow]) -> tuple[IntervalRow, ...]:
    """Group rows by class, in the order of first appearance."""
    classes = [row.name.partition("[")[2] or row.name for row in rows]
    order = sorted(range(len(rows)), key=lambda k: classes.index(classes[k]))
    return tuple(rows[k] for k in order)


PAIRS = ("auto", "leader", "different", "all")
"""Selections of the pairs of several classifiers."""


def found_in(
    result: Any, *, alpha: float, pairs: str = "auto", most: int = 20, measure: Any = None
) -> Intervals:
    """Return the differences of a result, or of several results."""
    check_choice("pairs", pairs, PAIRS)
    most = check_count("most", most)
    options = {"alpha": alpha, "pairs": pairs, "most": most, "measure": measure}
    if isinstance(result, Mapping):
        return _together(result, options)
    if isinstance(result, (list, tuple)):
        return _together(_with_names(result), options)
    holder = comparison_behind(result)
    if isinstance(holder, Intervals):
        return holder
    if isinstance(holder, PairedResult):
        return _of_result(holder, alpha)
    if isinstance(holder, PrecisionByClass):
        rows = _rows_of_classes(holder, "difference")
        return Intervals(rows, alpha_of(holder.confidence_level), holder.adjust)
    if hasattr(holder, "outcomes"):
        return _of_decision(holder)
    if hasattr(holder, "rows") and hasattr(holder, "conclusion"):
        return _of_comparison(holder)
    if hasattr(holder, "comparisons") or hasattr(holder, "omnibus"):
        return _of_several(comparison_in(holder, measure)[0], pairs, most)
    raise TypeError(
        "`result` must be a Comparison, MultipleComparison, PairwiseComparison, "
        "GateDecision, PairedResult, PrecisionByClass, a fitted comparator, predictions of "
        f"a pair, or a list or dict of them. Got {type(result).__name__}."
    )


def with_margins(rows: Sequence[IntervalRow], margin: Any) -> tuple[IntervalRow, ...]:
    """Add to each row the margin of its measure.

    A number is a distance for all rows, which must then be on one axis; a mapping has one
    per measure; conditions of a gate define what is to be excluded.
    """
    if margin is None:
        return tuple(rows)
    if is_number(margin):
        units = {row.unit for row in rows}
        if len(units) > 1:
            raise ValueError(
                "A margin is in the units of a measure, and these rows have several. Got "
                f"margin={margin!r}. Pass a dict, such as {{{rows[0].name!r}: {margin!r}}}."
            )
        margin = {row.name: margin for row in rows}
    new_fields: list[tuple[str, dict[str, Any]]]
    if isinstance(margin, Mapping):
        new_fields = [
            (measure, {"band": _checked_margin(distance)})
            for measure, distance in margin.items()
        ]
    else:
        conditions = margin if isinstance(margin, (list, tuple)) else [margin]
        if not all(hasattr(condition, "boundaries") for condition in conditions):
            raise TypeError(
                "`margin` must be a number, a dict of measures and numbers, or conditions "
                f"such as NonInferior('accuracy', margin=0.02). Got {margin!r}."
            )
        new_fields = [(c.measure, _claim_of(c)) for c in conditions]
    new_rows = list(rows)
    for measure, values in new_fields:
        places = [k for k, row in enumerate(rows) if measure in (row.name, row.measure)]
        if not places:
            names = ", ".join(dict.fromkeys(row.name for row in rows))
            raise ValueError(
                f"No row is about {measure!r}, which has a margin. Rows: {names}."
            )
        for k in places:
            new_rows[k] = replace(new_rows[k], **values)
    return tuple(new_rows)


def _checked_margin(margin: Any) -> float:
    if is_number(margin) and 0 < margin < math.inf:
        return float(margin)
    raise ValueError(
        f"`margin` must be a number greater than 0. Got {margin!r}. It is the largest "
        "difference that does not matter, in the units of the measure."
    )


def _claim_of(condition: Any, unit: float = 1.0) -> dict[str, Any]:
    """Return the fields of a row on the parts of the axis that a condition excludes.

    `unit` is that of the boundaries: the champion's loss, if they are shares of it.
    """
    parts = tuple(
        (-math.inf, unit * edge) if side == "greater" else (unit * edge, math.inf)
        for edge, side in condition.boundaries
    )
    return {"excluded": parts, "claim": condition.text}


def _of_result(result: PairedResult, alpha: float) -> Intervals:
    entry = paired_tests().get(result.test)
    if entry is not None and entry.kind != "difference":
        raise ValueError(
            f"A forest plot of differences has no place for {result.test}, which is of "
            f"kind {entry.kind!r}: {result.estimate_name}. Ratios of precisions have a "
            "RelativePrecisionDisplay."
        )
    row = row_of_result(result, alpha)
    # Without a registered measure the name of the estimate names the row.
    if "accurac" in row.measure or "AUC" in row.measure:
        row = replace(row, unit=SHARES)
    return Intervals((row,), alpha)


def _of_comparison(comparison: Any) -> Intervals:
    """Return the rows of the differences, with a remark on the other rows."""
    alpha = comparison.alpha
    rows = [interval_row(r, alpha) for r in comparison.rows if r.kind == "difference"]
    others = Counter(r.kind for r in comparison.rows if r.kind != "difference")
    counts = ", ".join(f"{n} of kind {kind}" for kind, n in others.items())
    remark = f"Not drawn, because they are not differences: {counts}."
    remarks = (remark,) if others else ()
    sides = sides_behind(comparison)
    return Intervals(tuple(rows), alpha, comparison.adjust, sides, remarks)


def _of_decision(decision: Any) -> Intervals:
    leaves = [leaf for outcome in decision.outcomes for leaf in outcome.leaves]
    if decision.blind or not leaves:
        raise ValueError(
            "A blind decision reports only whether it passed: there is nothing to draw. "
            "Decide without `blind` to see differences."
        )
    levels = dict.fromkeys(percent(1 - leaf.level) for leaf in leaves if leaf.level)
    remark = (
        f"Each limit is one-sided, at {' or '.join(levels)}; p is of the hypothesis that "
        "the difference is in the hatched part."
    )
    remarks = (remark,) if levels else ()
    sides = sides_behind(decision)
    rows = tuple(map(_of_outcome, leaves))
    return Intervals(rows, decision.alpha, sides=sides, remarks=remarks)


def _of_outcome(outcome: Any) -> IntervalRow:
    """Convert the outcome of a condition to a row with one-sided limits."""
    condition, row = outcome.condition, outcome.row
    sides = [side for _, side in condition.boundaries]
    greater = True if row is None else row.greater_is_better
    has_test = row is not None and row.test is not None
    is_share = row is not None and condition.share is not None
    unit = abs(row.champion) if is_share else 1.0
    return row_of(
        outcome,
        name=condition.measure if not condition.where else condition.text,
        test=row.test if has_test else None,
        estimate=math.nan if row is None else row.difference,
        alternative=sides[0] if len(set(sides)) == 1 else "two-sided",
        level=None if outcome.level is None else 1 - len(set(sides)) * outcome.level,
        unit=unit_of(condition.measure, greater),
        note="" if has_test else "; ".join(outcome.reasons),
        measure=condition.measure,
        **_claim_of(condition, unit),
    )


def _of_several(several: PairwiseComparison, pairs: str, most: int) -> Intervals:
    """Return the rows of all or selected pairs, with a remark on the selection."""
    selected, remark = _selected_pairs(several, pairs, most)
    names = names_in(several)
    short = dict(zip(names, short_names(names, 20)))
    unit = unit_of(several.measure, several.greater_is_better)
    rows = tuple(
        row_of(
            pair,
            name=f"{pair.challenger} − {pair.champion}",
            short=f"{short[pair.challenger]} − {short[pair.champion]}",
            champion=None,
            challenger=None,
            test=several.test,
            estimate=pair.difference,
            alternative=several.alternative if pair.low is not None else "two-sided",
            level=several.interval_level,
            unit=unit,
            note=several.note,
            measure=several.subject,
        )
        for pair in selected
    )
    if several.test is not None and several.adjust == "none" and len(several.pairs) > 1:
        remark += (
            f" p-values and intervals are not adjusted for {len(several.pairs)} pairs."
        )
    remarks = (f"Pairs of classifiers by {several.subject}.{remark}",)
    return Intervals(rows, several.alpha, several.adjust, ("second", "first"), remarks)


def _selected_pairs(
    several: PairwiseComparison, pairs: str, most: int
) -> tuple[list[PairRow], str]:
    """Select the pairs to draw, and describe the selection."""
    all_pairs = list(several.pairs)
    if several.control is not None or (pairs == "auto" and len(all_pairs) <= most):
        pairs = "all"
    if pairs == "all":
        return all_pairs, ""
    if pairs == "different":
        defined = [pair for pair in all_pairs if not math.isnan(pair.difference)]
        defined.sort(key=lambda pair: -abs(pair.difference))
        chosen, selection = defined[:most], "the largest differences"
    else:
        pairs_of = both_ways(several)
        keys = [(name, several.leader) for name in names_in(several)]
        chosen = [pairs_of[key] for key in keys if key in pairs_of]
        selection = "those with the best classifier"
    if len(chosen) == len(all_pairs):
        return chosen, ""
    return chosen, f" Shown are {len(chosen)} of {len(all_pairs)} pairs: {selection}."


def _with_names(results: Sequence[Any]) -> dict[str, Any]:
    """Name results by their tests, with numbers if names repeat."""
    if not results:
        raise ValueError("A list of results must have at least one. Got none.")
    names = []
    for k, result in enumerate(results):
        holder = comparison_behind(result)
        names.append(getattr(holder, "test", "") or f"{k + 1}")
    if len(set(names)) < len(names):
        names = [f"{k + 1}. {name}" for k, name in enumerate(names)]
    return dict(zip(names, results))


def _together(results: Mapping[Any, Any], options: Mapping[str, Any]) -> Intervals:
    """Concatenate the rows of several results, prefixed by the names of the results."""
    if not results:
        raise ValueError("A dict of results must have at least one. Got none.")
    parts = {str(name): found_in(item, **options) for name, item in results.items()}
    rows = []
    for name, part in parts.items():
        for row in part.rows:
            single = len(part.rows) == 1
            full_name = name if single else f"{name}: {row.name}"
            short = f"{name}: {row.short}" if row.short and not single else ""
            rows.append(replace(row, name=full_name, short=short))
    first = next(iter(parts.values()))
    remarks = dict.fromkeys(remark for part in parts.values() for remark in part.remarks)
    adjusts = {part.adjust for part in parts.values()}
    return Intervals(
        tuple(rows),
        first.alpha,
        first.adjust if len(adjusts) == 1 else "",
        first.sides,
        tuple(remarks),
    )


OF_TESTS = ("tests", "alternative", "adjust", "pos_label")
"""Options of tests that are run for a display, beside the level."""
HOLM = "holm"
"""Default adjustment of p-values."""
RATIO = "relative_precision"
"""Default test of a ratio."""


def run_tests(
    pair: PairedPredictions,
    kind: str,
    *,
    alpha: float,
    tests: Any = None,
    alternative: str = "two-sided",
    adjust: str = HOLM,
    pos_label: Any = None,
) -> Intervals:
    """Run the requested tests, or by default those suitable for the predictions."""
    check_alternative(alternative)
    check_choice("adjust", adjust, ADJUSTMENTS)
    requested = named_tests("auto" if tests is None else tests)
    requested = with_classes(requested, pair.predictions.classes)
    if requested is None and kind == "ratio":
        requested = {RATIO: {}}
    engine = PairEngine(pair, requested, alternative, alpha, pos_label)
    rows = _usual_rows(engine) if requested is None else _rows_by_name(engine, kind)
    intervals = [interval_row(row, alpha) for row in with_adjusted(rows, adjust)]
    if tests is None and kind == "ratio" and not ratios_suit(pair.design):
        intervals = untested(intervals, pair.design)
    return Intervals(tuple(intervals), alpha, adjust)


def _usual_rows(engine: PairEngine) -> list[ComparisonRow]:
    """Return the rows of the measures that are compared by default."""
    roles, names = engine.pair.roles, ["accuracy"]
    if engine.pair.predictions.is_numeric:
        measures = resolve_scoring(None, NUMBERS)
        return [row for k, m in enumerate(measures) for row in engine.rows(m, k == 0)]
    is_binary = len(engine.pair.predictions.classes) == 2
    if is_binary and all(role.has_proba or role.has_decision for role in roles):
        names.append("roc_auc")
    if all(role.has_proba for role in roles):
        names.append("binary_brier_loss" if is_binary else "multiclass_brier_loss")
    measures = resolve_scoring(names)
    return [row for k, m in enumerate(measures) for row in engine.rows(m, k == 0)]


def _rows_by_name(engine: PairEngine, kind: str) -> list[ComparisonRow]:
    """Return the rows of the requested tests, of all classes for tests of one class."""
    for entry in engine.other_tests([]):
        _check(entry, engine, kind)
    return engine.rows_of_other_tests([])


def _check(entry: PairedTestEntry, engine: PairEngine, kind: str) -> None:
    if entry.kind != kind:
        displays = {"ratio": "RelativePrecisionDisplay", "difference": "ForestDisplay"}
        display = displays.get(entry.kind)
        hint = f" Use {display}." if display else " Read it from its result."
        raise ValueError(
            f"This picture shows estimates of kind {kind!r}. Got {entry.name}, which is of "
            f"kind {entry.kind!r}.{hint}"
        )
    if reason := why_unsuited(entry, engine.pair.alone):
        raise ValueError(
            f"{reason}. Choose another test, or give the predictions it needs."
        )
    if engine.alternative != "two-sided" and "alternative" not in entry.options:
        raise ValueError(
            f"{entry.name} has no direction. Got alternative={engine.alternative!r}. "
            "Choose another test, or leave `alternative` out."
        )


def refuse_options(result: Any, names: Iterable[str], alpha: float | None) -> None:
    """Raise an error for options of tests that have already run."""
    if joined := ", ".join(names):
        raise ValueError(
            f"{joined}: the tests have run already. Leave this out, or pass the "
            "predictions of a pair."
        )
    own = getattr(result, "alpha", alpha)
    if alpha is not None and own != alpha:
        raise ValueError(f"`alpha` of the result is {own:g}. Got {alpha:g}. Leave it out.")


def ratios_suit(design: Any) -> bool:
    """Whether the default test of a ratio is valid for a design."""
    return get_test(RATIO).valid_for(design)


def untested(rows: Iterable[IntervalRow], design: Any) -> list[IntervalRow]:
    """Reduce rows to their estimates, because no test is valid for the design."""
    reason = f"no test of a ratio is valid for {design}"
    names = ("test", "low", "high", "pvalue", "adjusted_pvalue", "level")
    blank: dict[str, Any] = {**dict.fromkeys(names), "flags": ()}
    return [
        replace(row, note="; ".join(filter(None, (row.note, reason))), **blank)
        for row in rows
    ]
