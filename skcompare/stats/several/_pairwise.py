"""Tests of all pairs of several classifiers: accuracies, AUCs and precisions."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import ndtr
from sklearn.utils import check_random_state

from skcompare._core.design import Design
from skcompare._core.formatting import decimals_for, format_pvalue
from skcompare._core.report import Note, Report, Reported, Table
from skcompare._core.validation import (
    alpha_of,
    check_choice,
    check_confidence_level,
    check_count,
)
from skcompare._io.columns import frame_from_columns
from skcompare._registry.tests import takes_evidence
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import (
    ClassMoments,
    ClassScore,
    ClusterSums,
    ContingencyTable,
    CorrectnessPatterns,
    PlacementValues,
)
from skcompare.stats.accuracy._mcnemar import FEW_DISCORDANT, mcnemar, mcnemar_pvalues
from skcompare.stats.core._adjust import Adjustment, adjust_pvalues
from skcompare.stats.core._limits import (
    DIFFERENCE,
    Pair,
    Wald,
    critical_value,
    interval_level,
    normal_critical,
    studentised,
)
from skcompare.stats.core._result import Flagged, PairedResult
from skcompare.stats.core._tails import blocks_of
from skcompare.stats.precision._precision_statistics import (
    WALD_TESTS,
    ClassFit,
    class_fit,
    contrast_variance,
    informative_clusters,
    link_values,
)
from skcompare.stats.precision._precision_tests import ClassTests, Method
from skcompare.stats.ranking._delong import contrast, variance_flags
from skcompare.stats.ranking._delong_joint import delong_joint
from skcompare.stats.several._omnibus import cochran_q, precision_several

SETTINGS = ("adjust", "alternative", "control", "confidence_level", "interval_level", "n")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PairwiseResult(Reported, Flagged):
    """Tests of several pairs of classifiers, with adjusted p-values.

    Attributes
    ----------
    test : str
        Name of the function that made it, such as "pairwise_mcnemar".
    title : str
        Title of its text.
    measure : str
        The measure that is compared, such as "accuracy".
    champion, challenger : tuple of str
        Names of the two classifiers of each pair.
    estimate : ndarray of shape (n_pairs,)
        Challenger minus champion, or over champion, as `estimate_name` says.
    estimate_name : {"difference", "gain", "odds ratio", "ratio"}
        Scale of the estimates.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_pairs,)
        As of the test of one pair, and the p-values adjusted for the number of pairs.
    details : mapping of str to ndarray of shape (n_pairs,)
        Further columns, such as discordant counts or standard errors.
    n : int
        Number of records.
    settings : mapping of str to object
        Options of the call that only this test has, such as the method.
    adjust, alternative : str
        Options of the call.
    control : str or None
        The classifier with which the others are compared.
    confidence_level, interval_level : float
        Level of the intervals together, and of each. They hold simultaneously by
        Bonferroni's inequality, or by the distribution of the greatest statistic, except
        for adjust="none", where each holds by itself.
    omnibus : PairedResult
        Test that all classifiers are equal.
    design : Design
        How the records were collected.
    flags : tuple of str
        Codes of caveats; `caveats` has their text.
    monte_carlo_error : ndarray of shape (n_pairs,) or None
        Standard errors of adjusted p-values that are drawn, as by "max-t". One-sided they
        are smaller, because each resample counts with its opposite.
    """

    test: str
    title: str
    measure: str
    champion: tuple[str, ...]
    challenger: tuple[str, ...]
    estimate: FloatArray
    estimate_name: str
    statistic: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    details: Mapping[str, FloatArray | IntArray]
    n: int
    settings: Mapping[str, Any]
    adjust: str
    alternative: str
    control: str | None
    confidence_level: float
    interval_level: float
    omnibus: PairedResult
    design: Design
    limits: Callable[[float], tuple[FloatArray, FloatArray]]
    flags: tuple[str, ...] = ()
    monte_carlo_error: FloatArray | None = None
    # Intervals may take longer than all tests together, so they are computed on request.
    _both_limits: tuple[FloatArray, FloatArray] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        arrays = [getattr(self, f.name, None) for f in fields(self)]
        for value in (*arrays, *self.details.values()):
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __len__(self) -> int:
        return len(self.champion)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, so that the arrays come back read-only.
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return partial(PairwiseResult, **values), ()

    def __repr__(self) -> str:
        settings = {**self.settings, "adjust": self.adjust, "control": self.control}
        shown = ", ".join(f"{name}={value!r}" for name, value in settings.items())
        return f"PairwiseResult({self.test}, {len(self)} pairs, {shown}, n={self.n})"

    @property
    def low(self) -> FloatArray:
        """Lower limits of the estimates, at `interval_level`."""
        return self._limits()[0]

    @property
    def high(self) -> FloatArray:
        """Upper limits of the estimates, at `interval_level`."""
        return self._limits()[1]

    def _limits(self) -> tuple[FloatArray, FloatArray]:
        if self._both_limits is None:
            limits = self.limits(self.interval_level)
            for values in limits:
                values.setflags(write=False)
            object.__setattr__(self, "_both_limits", limits)
        return self._both_limits  # type: ignore[return-value]

    def to_dict(self) -> dict[str, Any]:
        """Return all values as built-in types, with one dictionary per pair."""
        columns = self._columns()
        pairs = zip(*columns.values(), strict=True)
        return {
            **self.settings,
            **{name: getattr(self, name) for name in SETTINGS},
            "design": str(self.design),
            "flags": list(self.flags),
            "pairs": [dict(zip(columns, pair, strict=True)) for pair in pairs],
            "omnibus": self.omnibus.to_dict(),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return a data frame with one row per pair.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library whose frame is returned.
        """
        return frame_from_columns(self._columns(), backend)

    def _columns(self) -> dict[str, list[Any]]:
        names = "statistic", "pvalue", "adjusted_pvalue", "low", "high"
        numbers = {"estimate": self.estimate, **self.details}
        numbers |= {name: getattr(self, name) for name in names}
        if self.monte_carlo_error is not None:
            numbers["monte_carlo_error"] = self.monte_carlo_error
        roles = {"champion": list(self.champion), "challenger": list(self.challenger)}
        return roles | {name: values.tolist() for name, values in numbers.items()}

    def _report(self) -> Report:
        omnibus = self.omnibus
        degrees = "" if omnibus.df is None else f"df {omnibus.df:g}, "
        fact = (
            f"statistic {omnibus.statistic:.4g}, {degrees}p {format_pvalue(omnibus.pvalue)}"
        )
        facts = {f"{omnibus.test} ({omnibus.method})": fact}
        remarks = [*self._contradiction()]
        notes = [Note("note", remark, "") for remark in remarks]
        notes += [Note("flag", caveat, "flag ") for caveat in self.caveats]
        return Report(
            headline=f"{self.title}, {self.alternative}, n = {self.n}, p adjusted by "
            f"{self.adjust}, intervals at {100 * self.interval_level:.6g} %",
            facts=facts,
            tables=[self._table()],
            notes=notes,
            remarks={"": [*remarks, *self.caveats]},
            settings_title="Test of all together",
            settings=facts,
            has_verdict=False,
        )

    def _table(self) -> Table:
        roles = "champion", "challenger"
        sign = "+" if self.estimate_name in ("difference", "gain") else ""
        rows = []
        for row in self.to_dict()["pairs"]:
            numbers = row["estimate"], row["low"], row["high"]
            # Four decimals, and more where the unit of a loss is small.
            decimals = decimals_for(*numbers, least=4)
            low, high = (f"{limit:.{decimals}f}" for limit in numbers[1:])
            rows.append(
                (
                    row["champion"],
                    row["challenger"],
                    f"{row['estimate']:{sign}.{decimals}f}",
                    f"[{low}, {high}]",
                    format_pvalue(row["pvalue"]),
                    format_pvalue(row["adjusted_pvalue"]),
                )
            )
        header = [*roles, self.estimate_name, "interval", "p", "adjusted p"]
        return Table(header, rows, roles, named_by="challenger")

    def _contradiction(self) -> Iterator[str]:
        """Yield a remark if the omnibus test rejects but no pair does."""
        alpha = 1 - self.confidence_level
        if self.omnibus.pvalue < alpha and not (self.adjusted_pvalue < alpha).any():
            yield (
                f"{self.omnibus.test} rejects that all are equal at {alpha:.3g}, but no "
                "pair differs after the adjustment: some classifiers differ, and these "
                "records do not show which."
            )


PairwiseAdjustment = Literal[Adjustment, "max-t"]

SLACK = 1e-12
"""Tolerance of equal statistics, relative for those above 1."""


Pairs = tuple[IntArray, IntArray]
"""Positions of the champion and the challenger of each pair."""


class Draws(NamedTuple):
    """Statistics of pairs that are observed, and drawn as if no classifier was better.

    Attributes
    ----------
    observed : ndarray of shape (n_pairs,)
        Signed roots, positive for the challenger; NaN where undefined.
    batches : iterable of ndarray of shape (n_pairs, some of the draws)
        Statistics that are drawn together.
    flags : tuple of str
        Caveats of the draws.
    """

    observed: FloatArray
    batches: Iterable[FloatArray]
    flags: tuple[str, ...] = ()


class PairTests(NamedTuple):
    """Tests of pairs before any adjustment.

    Attributes
    ----------
    fields : dict
        Fields of the result: those of the test, and arrays with a value for each pair.
    limits : callable
        `limits(level)`, or `limits(level, critical=...)` if adjusted in a single step,
        returns the limits of each pair.
    draws : callable
        `draws(n, rng)` returns the :class:`Draws` of "max-t".
    in_steps : bool
        Whether "max-t" is step-down. In a single step p-values go with the intervals.
    """

    fields: dict[str, Any]
    limits: Callable[..., Sequence[Pair]]
    draws: Callable[[int, Any], Draws]
    in_steps: bool = True


class Family(NamedTuple):
    """Options that the tests of all pairs share."""

    adjust: str
    control: str | None
    alternative: str
    confidence_level: float
    n_resamples: int
    random_state: Any


def pairwise(
    evidence: Any, tests_of: Callable[[Pairs], PairTests], family: Family
) -> PairwiseResult:
    """Test pairs of classifiers and adjust the p-values and intervals.

    `evidence` has the names of several classifiers. `tests_of` runs the tests of pairs,
    from the positions of the champion and the challenger of each.
    """
    adjust, control, alternative, level, n_resamples, random_state = family
    level = check_confidence_level(level)
    n_resamples = check_count("n_resamples", n_resamples)
    champion, challenger = pairs = pairs_of(evidence.names, control, alternative)
    tests = tests_of(pairs)
    each_level = interval_level(level, adjust, len(champion))
    pvalue, limits = tests.fields["pvalue"], tests.limits
    flags, error = tests.fields["flags"], None
    if adjust == "max-t":
        draws = tests.draws(n_resamples, check_random_state(random_state))
        n_draws, flags = n_resamples, (*flags, *draws.flags)
        if tests.in_steps:
            adjusted = step_down(draws, alternative)
        else:
            share = alpha_of(level)
            adjusted, critical, n_draws = single_step(draws, alternative, share)
            # The limits are no nearer than without adjustment.
            critical = max(critical, normal_critical(share, alternative))
            limits = partial(limits, critical=critical)
            each_level = 1 - (2 if alternative == "two-sided" else 1) * float(
                ndtr(-critical)
            )
        error = np.sqrt(adjusted * (1 - adjusted) / (1 + n_draws))
        # No smaller than without adjustment.
        adjusted = np.where(np.isnan(pvalue), np.nan, np.fmax(adjusted, pvalue))
    else:
        adjusted = adjust_pvalues(pvalue, adjust)
    names = np.array(evidence.names, dtype=object)
    return PairwiseResult(
        **{"estimate_name": "difference", "details": {}, "settings": {}}
        | tests.fields
        | {
            "champion": tuple(names[champion]),
            "challenger": tuple(names[challenger]),
            "adjusted_pvalue": adjusted,
            "limits": partial(_both_sides, limits),
            "flags": flags,
        },
        n=evidence.n,
        adjust=adjust,
        alternative=alternative,
        control=control,
        confidence_level=level,
        interval_level=each_level,
        design=evidence.design,
        monte_carlo_error=error,
    )


def _both_sides(
    limits: Callable[[float], Sequence[Pair]], level: float
) -> tuple[FloatArray, FloatArray]:
    low, high = np.array(limits(level)).T.copy()
    return low, high


def flags_of(pairs: Iterable[Iterable[str]], omnibus: PairedResult) -> tuple[str, ...]:
    """Distinct flags of all pairs and of the test of all together, but for degeneracy."""
    flags = dict.fromkeys([*chain.from_iterable(pairs), *omnibus.flags])
    return tuple(flag for flag in flags if flag != "degenerate")


def pairs_of(names: Sequence[str], control: str | None, alternative: str) -> Pairs:
    """Return the positions of the champion and of the challenger of each pair."""
    k = len(names)
    if control is None:
        if alternative != "two-sided":
            raise ValueError(
                f"alternative={alternative!r} needs a control that the others are compared "
                "with, because all pairs have no direction of their own. Pass `control`, "
                "or use alternative='two-sided'."
            )
        return _all_pairs(k)
    check_choice("control", control, names)
    at = list(names).index(control)
    return np.full(k - 1, at), np.delete(np.arange(k), at)


@lru_cache(maxsize=8)
def _all_pairs(k: int) -> Pairs:
    first, second = np.triu_indices(k, 1)
    first.setflags(write=False)
    second.setflags(write=False)
    return first, second


def step_down(draws: Draws, alternative: str) -> FloatArray:
    """Adjust p-values by Westfall and Young's step-down max-T.

    Each statistic is compared with the greatest of all that are not yet rejected. Draws
    as extreme count, with the observed statistics themselves as one draw. One-sided, each
    draw counts with its opposite, so that exchanged roles give exactly the opposite.
    """
    observed, two_sided = _directed(draws.observed, alternative), alternative == "two-sided"
    order = np.argsort(-observed, kind="stable")
    bars = _bars(observed)[order]
    extreme, n_draws = np.ones(len(order)), 0
    if not two_sided:
        extreme += _at_least(-observed[order][:, np.newaxis], bars)
    for batch in draws.batches:
        drawn = _directed(batch, alternative)[order]
        n_draws += drawn.shape[1]
        extreme += _at_least(drawn, bars)
        if not two_sided:
            extreme += _at_least(-drawn, bars)
    adjusted = np.empty(len(order))
    n_signs = 1 if two_sided else 2
    adjusted[order] = np.maximum.accumulate(extreme / (n_signs * (n_draws + 1)))
    return np.where(np.isnan(draws.observed), np.nan, np.minimum(adjusted, 1.0))


def single_step(
    draws: Draws, alternative: str, share: float
) -> tuple[FloatArray, float, int]:
    """Adjust p-values by the greatest of all statistics.

    Returns
    -------
    adjusted : ndarray of shape (n_pairs,)
        Adjusted p-values.
    critical : float
        Critical value at the level `share`, which goes with them.
    n_draws : int
        Number of draws, twice as many one-sided because each counts with its opposite.
    """
    batches = list(draws.batches)
    if alternative != "two-sided":
        batches += [-batch for batch in batches]
    greatest = [_directed(batch, alternative).max(axis=0) for batch in batches]
    ordered = np.sort(np.concatenate(greatest))
    bars = _bars(_directed(draws.observed, alternative))
    beyond = len(ordered) - np.searchsorted(ordered, bars, side="left")
    adjusted = (1 + beyond) / (1 + len(ordered))
    # Largest number of draws that may be as great for a p-value below the level.
    allowed = math.ceil(share * (1 + len(ordered)) - SLACK) - 2
    critical = float(ordered[-1 - allowed]) if allowed >= 0 else math.inf
    return adjusted, critical, len(ordered)


def _directed(values: FloatArray, alternative: str) -> FloatArray:
    """Statistics of which large ones are significant; undefined ones are least."""
    directed = -values if alternative == "less" else values
    if alternative == "two-sided":
        directed = np.abs(directed)
    return np.where(np.isnan(directed), -np.inf, directed)


def _bars(observed: FloatArray) -> FloatArray:
    """Statistics from which on a drawn one is as extreme."""
    size = np.where(np.isfinite(observed), np.abs(observed), 0)
    return observed - SLACK * np.maximum(1, size)


def _at_least(drawn: FloatArray, bars: FloatArray) -> IntArray:
    """Count draws in which the running maximum of each statistic reaches its threshold."""
    greatest = np.maximum.accumulate(drawn[::-1], axis=0)[::-1]
    return np.count_nonzero(greatest >= bars[:, np.newaxis], axis=1)


def normal_draws(
    covariance: FloatArray | IntArray, names: Sequence[str], size: int, rng: Any
) -> FloatArray:
    """Draw normal values of each classifier, of shape (n_classifiers, size).

    By name, so that the order of the classifiers changes no draw.
    """
    by_name = np.argsort(names)
    values, vectors = np.linalg.eigh(covariance[np.ix_(by_name, by_name)].astype(float))
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    drawn = np.empty((len(root), size))
    drawn[by_name] = (rng.standard_normal((size, len(root))) @ root).T
    return drawn


MOST_DRAWS = 1 << 24
"""Number of random values (about a second) above which normal ones are drawn instead."""

AT_ONCE = 1 << 20
"""Largest number of values that are held at a time."""


@takes_evidence
def pairwise_mcnemar(
    patterns: CorrectnessPatterns,
    *,
    method: Literal["mid-p", "exact", "asymptotic", "corrected"] = "mid-p",
    adjust: PairwiseAdjustment = "holm",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairwiseResult:
    """Compare the accuracies of all pairs of several classifiers on one test set.

    McNemar's test of every pair, or of each classifier with a control, and p-values
    adjusted for their number. The null hypothesis of a pair is that the two classifiers
    are equally accurate.

    Parameters
    ----------
    patterns : CorrectnessPatterns
        Which classifiers are correct on each record of a hold-out set.
    method : {"mid-p", "exact", "asymptotic", "corrected"}, default="mid-p"
        How the p-value of a pair is computed, as for :func:`~skcompare.stats.mcnemar`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "max-t", "none"}, \
default="holm"
        How p-values are adjusted, as for :func:`~skcompare.stats.adjust_pvalues`. "max-t"
        is Westfall and Young's step-down adjustment [1]_, which makes use of the dependence
        of pairs that share their records and so mostly rejects more than "holm" of "exact"
        p-values, which it resamples. "holm" of "mid-p" ones, which are smaller, may reject
        more where few records are discordant.
    control : str, optional
        Name of the classifier that each other one is compared with. It is the champion
        of every pair. By default all pairs are compared, and the classifier that is
        named first is the champion.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better. One-sided tests need a control,
        because all pairs have no direction of their own.
    confidence_level : float, default=0.95
        Level at which the intervals of all differences hold together.
    n_resamples : int, default=9999
        Resamples of "max-t".
    random_state : int, RandomState instance or None, default=0
        Seed of "max-t".

    Returns
    -------
    result : PairwiseResult
        One row per pair, with the difference of accuracies, challenger minus champion, and
        its interval. `omnibus` is the asymptotic :func:`~skcompare.stats.cochran_q` of all
        classifiers.

    Raises
    ------
    ValueError
        If a one-sided alternative is requested without a control.

    Notes
    -----
    Two classifiers that are correct on the same records have p = 1. Each interval is the
    one that :func:`~skcompare.stats.mcnemar` gives by the method, at the level 1 - alpha /
    n_pairs; with adjust="none" at the level 1 - alpha. Those of "bonferroni" and "none"
    exclude 0 exactly when the adjusted p is below alpha; with another adjustment 0 may lie
    inside although p is.

    The p-value before "max-t" is that of `method`; "exact" is the one that max-t resamples.
    An adjusted p is never smaller than it. `monte_carlo_error` is the standard error of
    resampled p-values.

    Cochran's Q may reject although no pair does: the text of the result then says so.

    References
    ----------
    .. [1] Westfall, P. H. and Young, S. S. (1993). "Resampling-based multiple
       testing." Wiley, New York.

    Examples
    --------
    >>> from skcompare.evidence import CorrectnessPatterns
    >>> from skcompare.stats import pairwise_mcnemar
    >>> patterns = CorrectnessPatterns.from_counts(
    ...     {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3},
    ...     names=["A", "B", "C"],
    ... )
    >>> result = pairwise_mcnemar(patterns, method="asymptotic")
    >>> result.pvalue.round(4).tolist()
    [0.0209, 0.0455, 1.0]
    >>> result.adjusted_pvalue.round(4).tolist()
    [0.0628, 0.091, 1.0]
    >>> pairwise_mcnemar(patterns, control="A", adjust="max-t").challenger
    ('B', 'C')
    """
    return pairwise(
        patterns,
        partial(_mcnemar_tests, patterns, method, alternative),
        Family(adjust, control, alternative, confidence_level, n_resamples, random_state),
    )


def _mcnemar_tests(
    patterns: CorrectnessPatterns, method: str, alternative: str, pairs: Pairs
) -> PairTests:
    champion, challenger = pairs
    both = patterns.both_correct[champion, challenger]
    against, favour = (
        patterns.n_correct[position] - both for position in (champion, challenger)
    )
    statistic, pvalue = mcnemar_pvalues(against, favour, method, alternative)
    omnibus = cochran_q(patterns)
    counts = np.stack([both, against, favour, patterns.n - both - against - favour])
    fields = {
        "test": "pairwise_mcnemar",
        "title": f"pairwise McNemar ({method})",
        "measure": "accuracy",
        "estimate": (favour - against) / patterns.n,
        "statistic": statistic,
        "pvalue": pvalue,
        "details": {"only_champion": against, "only_challenger": favour},
        "settings": {"method": method},
        "omnibus": omnibus,
        "flags": _mcnemar_flags(omnibus, against + favour, method),
    }
    limits = partial(_mcnemar_limits, counts, patterns.design, method, alternative)
    return PairTests(fields, limits, partial(max_t_draws, patterns, *pairs))


def _mcnemar_limits(
    counts: IntArray, design: Design, method: Any, alternative: Any, level: float
) -> list[Pair]:
    """Return the limits of each pair, from its four counts in a column."""
    tables = [
        ContingencyTable(both, against, favour, neither, design)
        for both, against, favour, neither in counts.T.tolist()
    ]
    results = [mcnemar(table, method=method, alternative=alternative) for table in tables]
    return [result.confidence_interval(level) for result in results]


def _mcnemar_flags(
    omnibus: PairedResult, discordant: IntArray, method: str
) -> tuple[str, ...]:
    flags = [flag for flag in omnibus.flags if flag == "invalid-design"]
    few = (discordant > 0) & (discordant < FEW_DISCORDANT)
    if method in ("asymptotic", "corrected") and few.any():
        flags.append("few-discordant-pairs")
    return tuple(flags)


def max_t_draws(
    patterns: CorrectnessPatterns,
    first: IntArray,
    second: IntArray,
    n_resamples: int,
    rng: Any,
) -> Draws:
    """Draw the statistics of pairs by exchanging correct and incorrect.

    Comparisons that share their records are dependent, and Holm's adjustment of exact
    p-values, which allows for any dependence, is mostly more conservative than necessary.
    (Of mid-p ones, which are smaller, it may be less so.) Here each statistic is compared
    with the greatest of all that are not yet rejected [1]_, over resamples in which no
    classifier is better than another: correct and incorrect are exchanged with probability
    1/2 for each record, for all classifiers at once [3]_. For one pair these are the
    exchanges of the exact McNemar test, and between pairs they keep the dependence.

    The family-wise error rate is controlled exactly where each pattern of correct and
    incorrect is as likely as its opposite, which is more than equal accuracies. Otherwise
    it is controlled for many records, whichever classifiers differ: the exchanges give the
    differences of equally accurate classifiers their true covariances whatever the others
    do (subset pivotality [1]_, in the limit), and the greatest of fewer statistics is never
    greater, which step-down procedures need [2]_.

    Parameters
    ----------
    patterns : CorrectnessPatterns
        Which classifiers are correct on each record.
    first, second : ndarray of shape (n_pairs,)
        Positions of champion and challenger of each pair.
    n_resamples : int
        Resamples.
    rng : RandomState
        Source of the draws.

    Returns
    -------
    draws : Draws
        Roots of McNemar's chi-squared without correction. They do not depend on the order
        of the records, nor on that of classifiers with names. Flagged "max-t-normal" where
        patterns are too many: a resample would take nearly one random number per record.
        The statistics of normal differences with the same covariances are drawn then.

    References
    ----------
    .. [1] Westfall, P. H. and Young, S. S. (1993). "Resampling-based multiple
       testing." Wiley, New York.
    .. [2] Romano, J. P. and Wolf, M. (2005). "Exact and approximate stepdown methods for
       multiple hypothesis testing." Journal of the American Statistical Association
       100(469), 94-108.
    .. [3] Klingenberg, B. and Agresti, A. (2006). "Multivariate extensions of McNemar's
       test." Biometrics 62(3), 921-928.
    """
    discordant = patterns.discordant
    spread = (discordant + discordant.T)[first, second]
    # Without discordant records the statistic is 0, here and in each resample.
    root = np.sqrt(np.maximum(spread, 1))
    batches, flags = _exchanged(patterns, len(first), n_resamples, rng)
    observed = (patterns.n_correct[second] - patterns.n_correct[first]) / root
    scale = root[:, np.newaxis]
    return Draws(
        observed, ((sums[second] - sums[first]) / scale for sums in batches), flags
    )


def _exchanged(
    patterns: CorrectnessPatterns, n_pairs: int, n_resamples: int, rng: Any
) -> tuple[Iterator[FloatArray], tuple[str, ...]]:
    """Draw numbers of correct predictions, up to a constant common to all classifiers.

    Arrays of shape (n_classifiers, some of the resamples), where exchanged records count
    as -1 and others as 1, and flags.
    """
    # By name, so that the order of the classifiers changes no resample.
    by_name = np.argsort(patterns.names)
    marks, counts = _merged_opposites(patterns, by_name)
    normal = len(counts) * n_resamples > MOST_DRAWS
    width = max(n_pairs, 1 if normal else len(counts))
    sizes = blocks_of(n_resamples, max(1, AT_ONCE // width))

    def draws() -> Iterator[FloatArray]:
        for size in sizes:
            if normal:
                yield normal_draws(patterns.both_correct, patterns.names, size, rng)
                continue
            heads = rng.binomial(counts, 0.5, size=(size, len(counts)))
            sums = np.empty((patterns.n_classifiers, size))
            sums[by_name] = ((2.0 * heads - counts) @ marks).T
            yield sums

    return draws(), ("max-t-normal",) if normal else ()


def _merged_opposites(
    patterns: CorrectnessPatterns, order: IntArray
) -> tuple[FloatArray, IntArray]:
    """Merge each pattern with its opposite, drop agreement, and count records.

    An exchange turns a pattern into its opposite, so that resamples do not distinguish
    them.
    """
    marks, counts = patterns.distinct()
    marks = marks[:, order]
    marks = marks ^ marks[:, :1]
    merged, position = np.unique(marks, axis=0, return_inverse=True)
    sums = np.zeros(len(merged), dtype=np.int64)
    np.add.at(sums, position.ravel(), counts)
    kept = merged.any(axis=1)
    return merged[kept].astype(float), sums[kept]


@takes_evidence
def pairwise_delong(
    placements: PlacementValues,
    *,
    adjust: PairwiseAdjustment = "holm",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairwiseResult:
    """Compare the AUC of all pairs of several classifiers on one test set.

    DeLong's test of every pair, or of each classifier with a control, and p-values
    adjusted for their number. The null hypothesis of a pair is that the two trained
    classifiers have the same area under the ROC curve.

    Parameters
    ----------
    placements : PlacementValues
        Scores of two or more classifiers for the records of a hold-out set.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "max-t", "none"}, \
default="holm"
        How p-values are adjusted, as for :func:`~skcompare.stats.adjust_pvalues`. "max-t"
        compares each statistic with the greatest of all that are not yet rejected, over
        normal draws with the covariances of the AUCs (step-down [1]_), and so makes use of
        the dependence of pairs that share classifiers and records.
    control : str, optional
        Name of the classifier that each other one is compared with. It is the champion
        of every pair. By default all pairs are compared, and the classifier that is
        named first is the champion.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better. One-sided tests need a control,
        because all pairs have no direction of their own.
    confidence_level : float, default=0.95
        Level at which the intervals of all differences hold together.
    n_resamples : int, default=9999
        Draws of "max-t".
    random_state : int, RandomState instance or None, default=0
        Seed of "max-t".

    Returns
    -------
    result : PairwiseResult
        One row per pair; `omnibus` is the test that all are equal.

    Raises
    ------
    ValueError
        If there are fewer than two classifiers, or fewer than two records of a class; if a
        one-sided alternative has no control.

    Notes
    -----
    Pairs with equal rankings have p = 1, and those whose difference does not vary an
    undefined p (NaN, flagged "zero-variance"), which counts as 1 in the adjustment, as for
    :func:`~skcompare.stats.delong`. Their intervals have no width, and are from -1 to 1.
    An adjusted p of "max-t" is (1 + draws as extreme) / (1 + draws), and no smaller than
    the p-value itself. One-sided, each draw counts with its opposite, so that exchanged
    roles give exactly the opposite.

    References
    ----------
    .. [1] Hothorn, T., Bretz, F. and Westfall, P. (2008). "Simultaneous inference in
       general parametric models." Biometrical Journal 50(3), 346-363.

    Examples
    --------
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.stats import pairwise_delong
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> first = [0.1, 0.6, 0.3, 0.8, 0.4, 0.5, 0.2, 0.7, 0.9, 0.6]
    >>> second = [0.2, 0.1, 0.4, 0.6, 0.3, 0.7, 0.5, 0.8, 0.9, 0.6]
    >>> third = [0.5, 0.4, 0.1, 0.3, 0.2, 0.4, 0.3, 0.6, 0.2, 0.7]
    >>> placements = PlacementValues.from_predictions(
    ...     y, first, second, third, names=["A", "B", "C"]
    ... )
    >>> result = pairwise_delong(placements)
    >>> result.estimate.round(2).tolist()
    [0.28, 0.04, -0.24]
    >>> result.adjusted_pvalue.round(3).tolist()
    [0.14, 0.878, 0.414]
    """
    return pairwise(
        placements,
        partial(_delong_tests, placements, alternative),
        Family(adjust, control, alternative, confidence_level, n_resamples, random_state),
    )


def _delong_tests(placements: PlacementValues, alternative: str, pairs: Pairs) -> PairTests:
    omnibus = delong_joint(placements)
    tested = [
        _delong_test(placements, i, j, alternative) for i, j in zip(*pairs, strict=True)
    ]
    estimate, deviation, statistic, pvalue = np.array([row for row, _ in tested]).T.copy()
    fields = {
        "test": "pairwise_delong",
        "title": "pairwise DeLong",
        "measure": "roc_auc",
        "estimate": estimate,
        "statistic": statistic,
        "pvalue": pvalue,
        "details": {"standard_error": deviation},
        "omnibus": omnibus,
        "flags": flags_of((flags for _, flags in tested), omnibus),
    }
    limits = partial(_delong_limits, estimate, deviation, alternative)
    draws = partial(_delong_draws, placements, pairs, statistic, deviation)
    return PairTests(fields, limits, draws)


def _delong_draws(
    placements: PlacementValues,
    pairs: Pairs,
    statistic: FloatArray,
    deviation: FloatArray,
    n_resamples: int,
    rng: Any,
) -> Draws:
    """Draw normal differences with the covariances of the AUCs."""
    champion, challenger = pairs
    aucs = normal_draws(placements.covariance, placements.names, n_resamples, rng)
    scale = np.where(deviation > 0, deviation, np.inf)[:, np.newaxis]
    observed = np.where(np.isfinite(statistic), statistic, np.nan)
    return Draws(observed, [(aucs[challenger] - aucs[champion]) / scale])


def _delong_limits(
    estimate: FloatArray, deviation: FloatArray, alternative: str, level: float
) -> list[Pair]:
    """Limits of the difference of each pair; -1 and 1 without variance."""
    return [
        Wald(difference, error, None, DIFFERENCE).limits_beyond(0.0)(level, alternative)
        for difference, error in zip(estimate.tolist(), deviation.tolist(), strict=True)
    ]


def _delong_test(
    placements: PlacementValues, i: int, j: int, alternative: str
) -> tuple[tuple[float, float, float, float], tuple[str, ...]]:
    """Return difference, standard error, statistic, p-value and flags of a pair."""
    weights = [0] * placements.n_scores
    weights[i], weights[j] = -1, 1
    estimate, variance = contrast(placements, weights)
    error = math.sqrt(variance)
    statistic, (pvalue, _), flags = studentised(estimate, error, None, alternative)
    flags += variance_flags(placements, weights)
    return (float(estimate), float(variance) ** 0.5, statistic, pvalue), flags


Scale = Literal["difference", "odds ratio", "ratio"]
LINKS = {"difference": "identity", "odds ratio": "logit", "ratio": "log"}


@takes_evidence
def pairwise_precision(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    scale: Scale = "difference",
    method: Method = "score",
    adjust: PairwiseAdjustment = "holm",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairwiseResult:
    """Compare the precisions of all pairs of several classifiers on one test set.

    The null hypothesis of a pair is that predictions of the class are correct equally often
    for both classifiers. Every pair is tested, or each classifier with a control, with
    p-values adjusted for their number and simultaneous intervals.

    Parameters
    ----------
    sums : ClusterSums
        Predictions of two or more classifiers, cluster by cluster.
    label : object, optional
        The class. By default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    scale : {"difference", "odds ratio", "ratio"}, default="difference"
        Scale of the estimates: challenger minus champion, or over champion.
    method : {"score", "wald"}, default="score"
        The generalized score test, whose p-values are the same on every scale, or Wald's on
        this scale, as in the tables of odds ratios of a marginal logistic model [1]_.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "max-t", "none"}, \
default="holm"
        How p-values are adjusted, as for :func:`~skcompare.stats.adjust_pvalues`. "max-t"
        compares each statistic with the greatest of all, over normal draws with the
        covariances of the classifiers (single-step [2]_; Dunnett's test for a control).
    control : str, optional
        Name of the classifier that each other one is compared with. It is the champion of
        every pair. By default all pairs are compared, and the classifier that is named
        first is the champion.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better. One-sided tests need a control,
        because all pairs have no direction of their own.
    confidence_level : float, default=0.95
        Level at which the intervals hold together.
    n_resamples : int, default=9999
        Draws of "max-t".
    random_state : int, RandomState instance or None, default=0
        Seed of "max-t".

    Returns
    -------
    result : PairwiseResult
        One row per pair; `omnibus` is the test that all are equal.

    Raises
    ------
    ValueError
        If there is no such class or classifier; if a one-sided alternative has no control.

    Notes
    -----
    Intervals of "max-t" take the quantile of the same greatest statistics that adjust the
    p-values, so that the null value is outside exactly when an adjusted p-value is below
    1 - `confidence_level`. The other intervals are at Bonferroni's level, which goes with
    adjust="bonferroni"; those of adjust="none" are at the level itself.

    Pairs with the same predictions have p = 1. A pair without a defined test has p NaN, an
    interval of the whole range, and a flag: "no-predictions", "zero-variance", or
    "share-of-0-or-1" for logarithms of precisions of 0 or 1 under "wald". It counts as 1 in
    the adjustment.

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Hothorn, T., Bretz, F. and Westfall, P. (2008). "Simultaneous inference in
       general parametric models." Biometrical Journal 50(3), 346-363.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClusterSums
    >>> from skcompare.stats import pairwise_precision
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=300)
    >>> predictions = [
    ...     np.where(rng.random(300) < accuracy, y, 1 - y) for accuracy in (0.7, 0.72, 0.78)
    ... ]
    >>> sums = ClusterSums.from_predictions(y, *predictions, names=["A", "B", "C"])
    >>> result = pairwise_precision(sums, scale="odds ratio", control="A")
    >>> result.estimate.round(2).tolist()
    [1.63, 2.47]
    >>> result.adjusted_pvalue.round(4).tolist()
    [0.0147, 0.0002]
    """
    fit = class_fit(sums, label, score)
    settings = {"label": fit.label, "score": score, "scale": scale, "method": method}
    return pairwise(
        sums,
        partial(_precision_tests, sums, fit, alternative, **settings),
        Family(adjust, control, alternative, confidence_level, n_resamples, random_state),
    )


def _precision_tests(
    sums: ClusterSums, fit: ClassFit, alternative: str, pairs: Pairs, **settings: Any
) -> PairTests:
    label, score, scale, method = settings.values()
    omnibus = precision_several(sums, label=label, score=score, method=method)
    link = LINKS[scale]
    outcomes = sums.class_rows().of_class(label, score)
    positions = np.column_stack(pairs)
    test = "score" if method == "score" else WALD_TESTS[link]
    n_clusters = informative_clusters(outcomes, positions)
    tests = ClassTests(fit.raw.chosen(positions), test, link=link, n_clusters=n_clusters)
    tails = tests.tails(alternative)
    flagged = zip(tests.flags(n_clusters), tests.degenerate, strict=True)
    fields = {
        "test": "pairwise_precision",
        "title": f"pairwise {score} of class {label!r} ({method}, {scale})",
        "measure": score,
        "estimate": tests.estimate,
        "estimate_name": scale,
        "statistic": tests.root,
        "pvalue": np.array([pvalue for pvalue, _ in tails]),
        "settings": settings,
        "omnibus": omnibus,
        "flags": flags_of((flags for flags, same in flagged if not same), omnibus),
    }
    draws = partial(_precision_draws, fit, sums.names, pairs, (link, method), tests.root)
    limits = partial(_precision_limits, tests, alternative)
    return PairTests(fields, limits, draws, in_steps=False)


def _precision_limits(
    tests: ClassTests, alternative: str, level: float, critical: float | None = None
) -> list[Pair]:
    if critical is None:
        critical = critical_value(level, alternative)
    return tests.limits(critical, alternative)


def _precision_draws(
    fit: ClassFit,
    names: tuple[str, ...],
    pairs: Pairs,
    scale: tuple[str, str],
    statistic: FloatArray,
    n_resamples: int,
    rng: Any,
) -> Draws:
    """Draw normal statistics with the covariance of the classifiers."""
    at, slopes = _shares_and_slopes(fit.raw, *scale)
    share_covariance = fit.raw.covariance(at)
    covariance = np.nan_to_num(np.outer(slopes, slopes) * share_covariance)
    drawn = normal_draws(covariance, names, n_resamples, rng)
    champion, challenger = pairs
    positions = np.column_stack(pairs)
    chosen, at = fit.raw.chosen(positions), at[positions]
    variances = contrast_variance(chosen, at, slopes[positions], chosen.covariance(at))
    # Pairs without predictions, or with a constant difference, have no statistic that could
    # be greatest.
    kept = np.flatnonzero(variances > 0)
    if not len(kept):
        return Draws(statistic, [np.zeros((1, n_resamples))])
    errors = np.sqrt(variances[kept])[:, np.newaxis]
    return Draws(statistic, [(drawn[challenger] - drawn[champion])[kept] / errors])


def _shares_and_slopes(
    moments: ClassMoments, link: str, method: str
) -> tuple[FloatArray, FloatArray]:
    """Return shares for residuals, and slopes of the scale; NaN where undefined."""
    if method == "wald":
        return moments.shares, link_values(moments, link)[1]
    rows = moments.rows.sum()
    pooled = moments.hits.sum() / rows if rows else 0.0
    return np.full(len(moments.rows), pooled), np.ones(len(moments.rows))
