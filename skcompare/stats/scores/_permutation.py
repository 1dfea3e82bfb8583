"""Tests of the difference of any score by exchanges within records, or by linearisation."""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.special import betaln
from sklearn.utils import check_random_state

from skcompare._core.arrays import slices_of
from skcompare._core.validation import check_count
from skcompare._registry.tests import ANY_SCORE, paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import JointCounts, ScoredPair, sums_of
from skcompare.stats.core._limits import (
    NO_DIFFERENCE,
    ZERO_VARIANCE,
    Wald,
    no_critical,
    normal_critical,
    score_range,
)
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import UNDEFINED, PairedResult, Tested, tested_result
from skcompare.stats.core._tails import SMALLEST, blocks_of, error_of_draws, normal_pvalue
from skcompare.stats.scores._confusion_scores import (
    BINARY_SCORES,
    COUNT_SCORES,
    CellScores,
    CountScore,
    OwnScore,
    Score,
    count_score,
)
from skcompare.stats.scores._resampling import (
    FEW_DIFFERENT,
    default_resamples,
    difference_of,
    generator,
    group_flags,
    most_weighed,
    n_groups,
    scored_effect_of,
    scored_limits,
    scored_result,
)

MOST_OUTCOMES = 100_000
"""Largest number of outcomes for which the exact distribution is computed."""

CHUNK = 1 << 19
"""Number of counts to score at a time."""


def in_errors(differences: FloatArray, errors: FloatArray) -> FloatArray:
    """Differences in standard errors; 0 or infinite for a standard error of 0."""
    no_error = errors == 0
    unbounded = np.where(differences == 0, 0.0, np.copysign(np.inf, differences))
    unbounded = np.where(np.isnan(differences), np.nan, unbounded)
    return np.where(no_error, unbounded, differences / np.where(no_error, 1.0, errors))


@dataclass(frozen=True, slots=True)
class ScorePair:
    """Scores of both roles and the variance of their difference, for each set of counts.

    Attributes
    ----------
    champion, challenger, variance, undefined : ndarray of shape (...)
        Scores, variance by the delta method, and whether a denominator is 0.
    """

    champion: FloatArray
    challenger: FloatArray
    variance: FloatArray
    undefined: Any

    @property
    def difference(self) -> FloatArray:
        """Score of the challenger minus that of the champion."""
        return self.challenger - self.champion

    @property
    def statistic(self) -> FloatArray:
        """Difference in standard errors.

        Without variance it is 0 for no difference and infinite otherwise.
        """
        no_difference = np.abs(self.difference) <= NO_DIFFERENCE
        no_variation = no_difference & (self.variance == 0)
        difference = np.where(no_variation, 0.0, self.difference)
        return in_errors(difference, np.sqrt(self.variance))


def scored_cells(
    score: Score, cells: IntArray, counts: FloatArray, n_classes: int
) -> tuple[CellScores, CellScores, FloatArray]:
    """Scores of both roles, and the centred influence of a record of each cell."""
    truth, *predictions = cells.T
    champion, challenger = (
        score.of_cells(truth, prediction, counts, n_classes) for prediction in predictions
    )
    influence = challenger.slopes - champion.slopes
    n = counts.sum(axis=-1, keepdims=True)
    influence -= (counts * influence).sum(axis=-1, keepdims=True) / n
    return champion, challenger, influence


def score_pair(
    score: Score, cells: IntArray, counts: FloatArray, n_classes: int
) -> ScorePair:
    """Scores of champion and challenger, from counts by truth and both predictions.

    The influence of a record is the slope of the challenger's score by its cell minus that
    of the champion's, so that the variance of the difference is the sum of the squared
    distances of these from their mean (Bishop, Fienberg and Holland 1975, section 14.6).
    """
    champion, challenger, influence = scored_cells(score, cells, counts, n_classes)
    variance = (counts * influence**2).sum(axis=-1)
    size = (counts * (champion.slopes**2 + challenger.slopes**2)).sum(axis=-1)
    return ScorePair(
        champion.values,
        challenger.values,
        np.where(variance <= score.rounding**2 * size, 0.0, variance),
        champion.undefined | challenger.undefined,
    )


@dataclass(frozen=True, slots=True)
class Exchange:
    """Joint counts under exchanges of the two predictions within records.

    Records of one true class and the same two different predictions are identical, so that
    only the number of them whose first prediction is the champion's is random:
    Binomial(total, 1/2).

    Attributes
    ----------
    cells : ndarray of shape (n_equal + 2 n_pairs, 3)
        Cells of equal predictions, then those of each pair in one order and in the other.
    equal : ndarray of shape (n_equal,)
        Records with equal predictions, which no exchange changes.
    totals : ndarray of shape (n_pairs,)
        Records of each pair of different predictions.
    """

    cells: IntArray
    equal: IntArray
    totals: IntArray
    n_classes: int

    @classmethod
    def from_counts(cls, counts: JointCounts) -> "Exchange":
        """Create an exchange from joint counts, identical for swapped roles."""
        truth, prediction1, prediction2 = counts.cells.T
        is_equal = prediction1 == prediction2
        pairs = np.stack([truth, *np.sort([prediction1, prediction2], axis=0)], 1)
        pairs, where = np.unique(pairs[~is_equal], axis=0, return_inverse=True)
        cells = np.concatenate([counts.cells[is_equal], pairs, pairs[:, [0, 2, 1]]])
        totals = sums_of(where.reshape(-1), counts.counts[~is_equal], len(pairs))
        return cls(cells, counts.counts[is_equal], totals, counts.n_classes)

    @property
    def n_outcomes(self) -> float:
        """Number of possible sets of counts; infinite on overflow."""
        with np.errstate(over="ignore"):
            return float(np.prod(self.totals + 1.0))

    @property
    def _chunk(self) -> int:
        return max(1, CHUNK // len(self.cells))

    def counts_of(self, outcomes: IntArray, dtype: type) -> Any:
        """Return counts of all cells for outcomes of shape (n_outcomes, n_pairs)."""
        equal = np.broadcast_to(self.equal, (len(outcomes), len(self.equal)))
        parts = [equal, outcomes, self.totals - outcomes]
        return np.concatenate(parts, axis=1, dtype=dtype)

    def statistics(self, score: Score, outcomes: IntArray) -> FloatArray:
        """Return absolute statistics of outcomes of shape (n_outcomes, n_pairs)."""
        counts = self.counts_of(outcomes, np.float64)
        pair = score_pair(score, self.cells, counts, self.n_classes)
        return np.abs(pair.statistic)

    def enumerated(self, score: Score) -> "PermutationDistribution":
        """Return the exact distribution.

        An outcome and its complement (totals minus its numbers) have opposite statistics,
        equal probabilities and mirrored positions, so that half of them are enough.
        """
        shape = tuple(self.totals + 1)
        n_outcomes = math.prod(shape)
        half = (n_outcomes + 1) // 2
        sizes, log_weights = np.empty(half), np.empty(half)
        for part in slices_of(half, self._chunk):
            positions = np.arange(part.start, part.stop)
            outcomes = np.stack(np.unravel_index(positions, shape), axis=1)
            sizes[part] = self.statistics(score, outcomes)
            log_weights[part] = _log_binomials(outcomes, self.totals).sum(axis=1)
        # The outcome in the middle is its own complement.
        log_weights[: n_outcomes // 2] += math.log(2)
        return PermutationDistribution.from_sizes(sizes, score.rounding, log_weights)

    def drawn(
        self, score: Score, observed: float, n_resamples: int, random_state: Any
    ) -> "PermutationDistribution":
        """Return the distribution of random and observed outcomes, with both signs."""
        rng = check_random_state(random_state)
        sizes = [
            self.statistics(score, rng.binomial(self.totals, 0.5, (n, len(self.totals))))
            for n in blocks_of(n_resamples, self._chunk)
        ]
        # The observed statistic is one of the outcomes (Phipson and Smyth 2010).
        all_sizes = np.concatenate([*sizes, [abs(observed)]])
        return PermutationDistribution.from_sizes(all_sizes, score.rounding)


def _log_binomials(successes: IntArray, trials: IntArray) -> FloatArray:
    """Logarithms of binomial coefficients."""
    return -betaln(1 + trials - successes, 1 + successes) - np.log1p(trials)


@dataclass(frozen=True, slots=True)
class PermutationDistribution:
    """Symmetric distribution of a statistic.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Distinct absolute values, ascending.
    log_tails : ndarray of shape (n_sizes,)
        Logarithms of the probabilities of at least this absolute value.
    slack : float
        Tolerance at which values are equal, relative to their size where it is above 1.
    n_undefined : int
        Number of outcomes without a statistic; they count as infinite, so that p is not too
        small.
    """

    sizes: FloatArray
    log_tails: FloatArray
    slack: float
    n_undefined: int = 0

    @classmethod
    def from_sizes(
        cls, sizes: FloatArray, slack: float, log_weights: FloatArray | None = None
    ) -> "PermutationDistribution":
        """Return the distribution of absolute values, equally likely or with weights.

        The greatest of tied values is kept, so that no tied value exceeds it.
        """
        undefined = np.isnan(sizes)
        sizes = np.where(undefined, np.inf, sizes)
        order = np.argsort(sizes)
        sizes = sizes[order]
        starts = _first_of_equal(sizes, slack)
        ends = np.concatenate([starts[1:], [len(sizes)]]) - 1
        if log_weights is None:
            log_tails = np.log(np.arange(len(sizes), 0, -1) / len(sizes))
        else:
            # On the log scale, so that no tail is 0.
            log_tails = np.logaddexp.accumulate(log_weights[order][::-1])[::-1]
            log_tails = np.minimum(0.0, log_tails - log_tails[0])
        return cls(sizes[ends], log_tails[starts], slack, int(undefined.sum()))

    def pvalue(self, statistic: float, alternative: str) -> tuple[float, float]:
        """Return the probability of a statistic at least as extreme, and its logarithm.

        The statistic must be in the support of the distribution.
        """
        size = abs(statistic)
        slack = 0.0 if math.isinf(size) else self.slack * max(1.0, size)
        position = int(np.searchsorted(self.sizes, size - slack))
        if alternative == "two-sided":
            log_pvalues = self.log_tails
        elif (statistic > 0) == (alternative == "greater"):
            log_pvalues = self._log_beyond
        else:
            log_pvalues = self._log_before
        return float(_probabilities(log_pvalues)[position]), float(log_pvalues[position])

    def critical(self, alpha: float, alternative: str) -> float:
        """Return the critical value: the least rejected statistic towards the alternative.

        It is the largest number if only an infinite one is rejected, and infinity if none
        is.
        """
        if alternative == "two-sided":
            support, log_pvalues = self.sizes, self.log_tails
        else:
            support = np.concatenate([-self.sizes[::-1], self.sizes])
            log_pvalues = np.concatenate([self._log_before[::-1], self._log_beyond])
        rejected = np.flatnonzero(_probabilities(log_pvalues) < alpha)
        if not len(rejected):
            return math.inf
        return min(float(support[rejected[0]]), sys.float_info.max)

    @property
    def _log_beyond(self) -> FloatArray:
        """Log probabilities of a statistic at or above each size."""
        is_zero = self.sizes <= self.slack
        return np.where(is_zero, self._log_before, self.log_tails - math.log(2))

    @property
    def _log_before(self) -> FloatArray:
        """Log probabilities of a statistic at or above minus each size."""
        beyond = np.append(np.exp(self.log_tails[1:]), 0.0) / 2
        return np.log1p(-beyond)


def _first_of_equal(sizes: FloatArray, slack: float) -> IntArray:
    """Starts of runs of sorted values that are equal up to rounding."""
    before, after = sizes[:-1], sizes[1:]
    finite = np.isfinite(before)
    with np.errstate(invalid="ignore"):
        differ = np.where(
            np.isfinite(after), after - before > slack * np.maximum(1.0, after), finite
        )
    return np.concatenate([[0], 1 + np.flatnonzero(differ)])


def _probabilities(logarithms: FloatArray) -> FloatArray:
    return np.maximum(np.exp(logarithms), SMALLEST)


SLACK = 1e-9
"""Relative tolerance at which statistics are equal."""

MOST_BITS = 60
"""Upper bound of the binary logarithm of the number of exchanges."""

NO_VARIANCE = 1e-9
"""A standard error that is a smaller share of its terms is 0."""

MOST_UNDEFINED = 0.5
FEW_DIFFERENT_PREDICTIONS = "few-different-predictions"
UNDEFINED_RESAMPLES = "undefined-resamples"
SIGN_ONLY = "sign-only-interval"

USUAL_LEVEL = 0.05
"""The result is flagged if no exchange has a p-value below this."""


@paired_test(
    title="Paired permutation test of a score",
    measures=ANY_SCORE,
    designs=("holdout", "grouped holdout"),
    references=("Yeh2000", "Bandos2005", "Chung2013", "Phipson2010"),
    sample_size=planned(scored_effect_of),
    of_records=True,
)
def permutation_difference(
    scored: ScoredPair,
    *,
    n_resamples: int | None = None,
    random_state: Any = 0,
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two classifiers by any score, by exchanging their predictions within records.

    The null hypothesis is that the two trained classifiers are exchangeable: for a new
    record, a pair of predictions is as likely as the same pair in reverse order [1]_.
    Their scores are then equal, but equal scores alone are a weaker hypothesis. Predictions
    for grouped records are exchanged in whole groups.

    Parameters
    ----------
    scored : ScoredPair
        Predictions of both classifiers with the score, from a hold-out set.
    n_resamples : int or None, default=None
        Number of random exchanges, if not all are evaluated. None is as for
        :func:`bootstrap_difference`; where each exchange has its own standard error 9999,
        999 above 2000 records, 199 above 20 000 and 99 above 100 000.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the random exchanges.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is score(challenger) - score(champion), or the reverse of a loss, and
        `statistic` the same in standard errors. The interval is the estimate minus and plus
        a multiple of the standard error by the permutation distribution, and
        excludes 0 exactly when the test rejects. `details` has the standard error, the
        number of records with different predictions, the number of outcomes or resamples
        behind p and, for resamples, its standard error (`monte_carlo_error`).

    Raises
    ------
    ValueError
        If the score is undefined for the observed records, or there is one group only.

    Notes
    -----
    Scores of a ranking (the area under the ROC curve, average precision, a rate at a
    threshold) are made exchangeable by replacing each classifier's scores by their
    ranks [2]_. Predictions for any other score are exchanged unchanged, so that classifiers
    of different calibration are not exchangeable.

    For the area under the ROC curve and for average precision the difference of each
    exchange is divided by its own standard error, from the derivatives by the weights of
    the records; the test is then approximately valid if only the scores are equal
    [3]_. The mean of one value per record does not need this. For other scores the standard
    error is that of all exchanges, and the test is one of exchangeability.

    All exchanges are evaluated if there are no more than twice `n_resamples`. Otherwise
    ``p = (1 + k) / (R + 1)``, with k of R random exchanges at least as extreme [4]_; each
    counts with both signs, so that swapped roles mirror the result. An exchange for which
    the score is undefined counts as extreme and is flagged "undefined-resamples"; if
    these are half of them or more, p is undefined, flagged "exchanges-undefined".

    The interval assumes that the permutation distribution has the same shape around another
    difference, which is approximate where the predictions differ for few records; "bca" of
    ``bootstrap_difference`` does not. Where no exchange changes the score, the statistic is
    0 and p is 1, flagged "degenerate". A difference whose own standard error is 0 has an
    infinite statistic, and its interval excludes at most one sign of the difference.

    References
    ----------
    .. [1] Yeh, A. (2000). "More accurate tests for the statistical significance of result
       differences." Proceedings of COLING 2000, 947-953.
    .. [2] Bandos, A. I., Rockette, H. E. and Gur, D. (2005). "A permutation test sensitive
       to differences in areas for comparing ROC curves from a paired design." Statistics
       in Medicine 24(18), 2873-2893.
    .. [3] Chung, E. and Romano, J. P. (2013). "Exact and asymptotically robust permutation
       tests." Annals of Statistics 41(2), 484-507.
    .. [4] Phipson, B. and Smyth, G. K. (2010). "Permutation p-values should never be zero:
       calculating exact p-values when permutations are randomly drawn." Statistical
       Applications in Genetics and Molecular Biology 9(1), 39.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ScoredPair
    >>> from skcompare.stats import permutation_difference
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(2, size=300)
    >>> champion = y_true + rng.normal(0, 1.5, 300)
    >>> challenger = (champion + y_true + rng.normal(0, 0.5, 300)) / 2
    >>> pair = ScoredPair.from_predictions(
    ...     y_true, champion, challenger, score="average_precision"
    ... )
    >>> print(f"p = {permutation_difference(pair).pvalue:.4f}")
    p = 0.0001
    """
    if n_resamples is None:
        n_resamples = default_resamples(scored, scored.score.studentised)
    n_resamples = check_count("n_resamples", n_resamples, least=99)
    values, estimate, rounding = difference_of(scored)
    exchange = _RecordExchange(scored, estimate, rounding)
    exact = exchange.n_outcomes <= n_resamples
    sizes, observed, error = exchange.sizes(n_resamples, exact, random_state)
    distribution = PermutationDistribution.from_sizes(sizes, SLACK)
    undefined = distribution.n_undefined >= MOST_UNDEFINED * len(sizes)
    no_variation = observed == 0 and not sizes.any()
    if undefined:
        tail, critical = UNDEFINED, no_critical
    else:
        pvalue = _counted(distribution.pvalue(observed, alternative)[0], len(sizes))
        tail = pvalue, math.log(pvalue)
        critical = normal_critical if no_variation else distribution.critical
    if no_variation:
        error = 0.0
    method, resampling = _resampling(
        exact, 2.0 * exchange.n_outcomes, n_resamples, tail[0], alternative
    )
    details = {
        "different_predictions": float(np.count_nonzero(scored.differs)),
        "standard_error": error,
    }
    return scored_result(
        scored,
        values,
        (observed, tail, ()),
        estimate=estimate,
        method=method,
        limits=scored_limits(estimate, error, critical, scored.bounds),
        flags=_flags(scored, no_variation, distribution, observed, undefined),
        details=details | resampling | n_groups(scored),
    )


def _resampling(
    exact: bool, n_outcomes: float, n_resamples: int, pvalue: float, alternative: str
) -> tuple[str, dict[str, float]]:
    """Text and details of a distribution, which is exact or of random exchanges."""
    if exact:
        return "permutation, exact", {"outcomes": n_outcomes}
    details = {"resamples": float(n_resamples)}
    if not math.isnan(pvalue):
        details["monte_carlo_error"] = error_of_draws(pvalue, n_resamples, alternative)
    return f"permutation, {n_resamples} Monte-Carlo resamples", details


class _RecordExchange:
    """Exchanges of the predictions of units whose predictions differ."""

    def __init__(self, pair: ScoredPair, estimate: float, rounding: float) -> None:
        self.pair, self.estimate, self.rounding = pair, estimate, rounding
        self.score = pair.prepared_for_exchange()
        units = pair.units
        # Units without different predictions are never exchanged.
        differ = np.unique(units[pair.differs])
        self.n_differ = len(differ)
        place = np.full(pair.n_units, self.n_differ)
        place[differ] = np.arange(self.n_differ)
        self.place = place[units]
        self.units = None if pair.groups is None else units

    @property
    def n_outcomes(self) -> float:
        """Number of distinct exchanges without their complements, up to 2**MOST_BITS."""
        return 2.0 ** min(MOST_BITS, max(0, self.n_differ - 1))

    def sizes(
        self, n_resamples: int, exact: bool, random_state: Any
    ) -> tuple[FloatArray, float, float]:
        """Return absolute statistics of exchanges, the observed statistic and its error."""
        unchanged = np.zeros((1, self.n_differ), dtype=bool)
        blocks = [self._differences(unchanged)]
        if exact:
            # The first mask exchanges no unit; the last unit is never exchanged.
            bits = 1 << np.arange(max(0, self.n_differ - 1))
            for part in slices_of(int(self.n_outcomes), most_weighed(2 * self.pair.n)):
                masks = np.arange(max(1, part.start), part.stop)[:, np.newaxis] & bits != 0
                last_unit = np.zeros((len(masks), min(1, self.n_differ)), dtype=bool)
                blocks.append(self._differences(np.concatenate([masks, last_unit], axis=1)))
        else:
            rng = generator(random_state)
            for size in blocks_of(n_resamples, most_weighed(2 * self.pair.n)):
                masks = rng.integers(2, size=(size, self.n_differ), dtype=np.int8) == 1
                blocks.append(self._differences(masks))
        differences, errors = (np.concatenate(each) for each in zip(*blocks, strict=True))
        # By the score of the pair itself, without ranks.
        differences[0] = self.estimate
        if not self.pair.score.studentised:
            defined = differences[np.isfinite(differences)]
            errors[:] = math.sqrt(float(np.mean(defined**2)))
        statistics = in_errors(differences, errors)
        return np.abs(statistics), float(statistics[0]), float(errors[0])

    def _differences(self, masks: np.ndarray) -> tuple[FloatArray, FloatArray]:
        """Difference and standard error for each exchange of predictions."""
        never = np.zeros((len(masks), 1), dtype=bool)
        swapped = np.concatenate([masks, never], axis=1).take(self.place, axis=1)
        weights = np.concatenate([~swapped, swapped], axis=1).astype(np.int32)
        values = [
            self.score.values(role_weights) for role_weights in (weights, 1 - weights)
        ]
        differences = self.pair.sign * (values[1] - values[0])
        differences[np.abs(differences) <= self.rounding] = 0.0
        if not self.pair.score.studentised:
            return differences, np.ones(len(masks))
        return differences, self._errors(weights, swapped)

    def _errors(self, weights: IntArray, swapped: np.ndarray) -> FloatArray:
        """Standard errors from influences on both scores, summed within groups."""
        n = self.pair.n
        champion = self.score.slopes(weights)
        challenger = self.score.slopes(1 - weights)
        assert champion is not None
        assert challenger is not None
        kept = challenger[:, n:] - champion[:, :n]
        crossed = challenger[:, :n] - champion[:, n:]
        influence = np.where(swapped, crossed, kept)
        if self.units is not None:
            # Records are sorted by their groups.
            starts = np.flatnonzero(np.diff(self.units, prepend=-1))
            influence = np.add.reduceat(influence, starts, axis=1)
        variance = np.einsum("ij,ij->i", influence, influence)
        scale = np.abs(champion).max(axis=1) + np.abs(challenger).max(axis=1)
        errors = np.sqrt(variance)
        return np.where(errors <= NO_VARIANCE * scale, 0.0, errors)


def _counted(pvalue: float, n_sizes: int) -> float:
    """P-value rounded to a multiple of 1 / (2 * n_sizes), as each size has both signs."""
    return round(pvalue * 2 * n_sizes) / (2 * n_sizes)


def _flags(
    pair: ScoredPair,
    no_variation: bool,
    distribution: PermutationDistribution,
    observed: float,
    undefined: bool,
) -> tuple[str, ...]:
    flags = ["degenerate"] * no_variation + list(group_flags(pair))
    # Predictions may differ in all records, with few exchanges that change the score.
    smallest_pvalue = math.exp(distribution.log_tails[-1])
    is_coarse = smallest_pvalue >= USUAL_LEVEL and not (
        no_variation or distribution.n_undefined
    )
    if np.count_nonzero(pair.differs) < FEW_DIFFERENT or is_coarse:
        flags.append(FEW_DIFFERENT_PREDICTIONS)
    if math.isinf(observed):
        flags.append(SIGN_ONLY)
    if undefined:
        flags.append("exchanges-undefined")
    elif distribution.n_undefined:
        flags.append(UNDEFINED_RESAMPLES)
    return tuple(flags)


Method = Literal["auto", "delta", "permutation"]
MANY_DIFFERENT, MOST_CELLS = 1000, 2000
MEASURES = tuple(name for name in COUNT_SCORES if name != "accuracy")
"""Measures; accuracies are compared by McNemar's test unless this one is requested."""


def _effect(
    counts: JointCounts,
    *,
    score: Any = "balanced_accuracy",
    pos_label: Any = None,
    **options: object,
) -> Wald:
    observed = _observed(_resolved(score, counts, pos_label), counts)
    return Wald(float(observed.statistic), 1.0)


@paired_test(
    title="Difference of a score of the counts",
    measures=MEASURES,
    references=(
        "Bishop1975",
        "Chung2013",
        "Konietschke2014",
        "Phipson2010",
        "Takahashi2022",
        "Yeh2000",
    ),
    sample_size=planned(_effect),
)
def score_difference(
    counts: JointCounts,
    *,
    score: str | Callable[..., float] = "balanced_accuracy",
    pos_label: Any = None,
    method: Method = "auto",
    n_resamples: int = 9999,
    random_state: Any = 0,
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two classifiers by F1 or any other score that the counts give.

    The null hypothesis is that the scores of the two trained classifiers are equal, over
    new records. Both methods allow for the dependence of the two predictions for a
    record, and for all counts in the score being random.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and the two predictions, from a hold-out set.
    score : str or callable, default="balanced_accuracy"
        Name of a score: "balanced_accuracy", "matthews_corrcoef", "accuracy"; "f1",
        "precision", "recall" or "jaccard" with "_macro", "_micro" or "_weighted"; for two
        classes also these without suffix, "sensitivity" (recall) and "specificity" (recall
        of the other class). The values are those of scikit-learn's scorers, with 0 for 0 /
        0. Or a function of a confusion matrix, an array of floats of shape (n_classes,
        n_classes) with one row per true class in the order of `counts.classes`, that
        returns a number and is smooth in the counts.
    pos_label : int, float, bool or str, optional
        The positive class of a score of two classes; 1 or True by default, as in
        scikit-learn.
    method : {"auto", "delta", "permutation"}, default="auto"
        "delta" takes the difference in standard errors as normal; the standard error is
        that of the delta method for multinomial counts [1]_ [2]_. "permutation" compares
        the same statistic with its values when the two predictions for records are
        exchanged [3]_. It is exact if the predictions are exchangeable, and, because the
        statistic is studentised, approximately valid if only the scores are equal [4]_
        [5]_. "auto" is "permutation" where fewer than 1,000 records have different
        predictions, and "delta" for more of them and for a user-defined function.
    n_resamples : int, default=9999
        Number of random exchanges for "permutation", where it is not exact.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the random exchanges.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better, if greater scores are better.

    Returns
    -------
    result : PairedResult
        `estimate` is score(challenger) - score(champion) and `statistic` the same in
        standard errors. The interval is the estimate minus and plus a multiple of the
        standard error, that of the normal or of the permutation distribution, and excludes
        0 exactly when the test rejects. `details` has the standard error, the number of
        records with different predictions and, for "permutation", the number of outcomes or
        resamples behind p, and for resamples its standard error (`monte_carlo_error`).

    Raises
    ------
    ValueError
        If the score is not defined for the classes, or is not finite for these counts.

    Notes
    -----
    The variance is that of the multinomial distribution with the observed shares, with the
    divisor n. For "accuracy" it is ``(b + c - (b - c)**2 / n) / n**2`` with the discordant
    counts b and c. A macro average is taken over the classes that occur in truth or in the
    predictions of that classifier, as in scikit-learn, and these are taken as fixed. The
    slopes of a user-defined function are central differences, precise to 1e-7 for a smooth
    one.

    "delta" rejects too often where few records have different predictions or a class is
    rare, and "permutation" much less so, except for a rare class in which the classifiers
    make different errors; ``benchmarks/validity/agreement/label_tests.py`` measures both.

    "permutation" evaluates all outcomes if there are no more than 100 000 of them (for a
    user-defined function, no more than twice `n_resamples`). Otherwise ``p = (1 + k) / (R +
    1)``, with k of R random exchanges at least as extreme [6]_; each counts with both
    signs, so that swapped roles mirror the result, and a one-sided p is half as large. An
    exchange for which a user-defined function is not finite counts as extreme and is
    flagged.

    Without any difference and variance the statistic is 0, p is 1 and the interval is
    [0, 0], flagged "degenerate". A difference without variance (a perfect classifier
    against one without correct positive predictions) has an infinite statistic: the p-value
    of "delta" is undefined and its interval contains every difference; "permutation" has a
    p-value, and its interval excludes at most one sign of the difference.

    Only the p-value of "permutation" is valid where few records have different predictions.
    Its interval has all differences within the critical number of standard errors, the
    whole range of the score where nothing could be rejected, but the standard error is
    itself estimated from these records: for a perfect or nearly unanimous pair, and for a
    class with few records, the interval can be too short, down to [0, 0] for identical
    predictions. Fewer than 25 such records are flagged "few-different-predictions", and by
    "delta" "few-discordant-pairs".

    References
    ----------
    .. [1] Bishop, Y. M. M., Fienberg, S. E. and Holland, P. W. (1975). "Discrete
       multivariate analysis: theory and practice." MIT Press, chapter 14.
    .. [2] Takahashi, K., Yamamoto, K., Kuchiba, A. and Koyama, T. (2022). "Confidence
       interval for micro-averaged F1 and macro-averaged F1 scores." Applied Intelligence
       52, 4961-4972.
    .. [3] Yeh, A. (2000). "More accurate tests for the statistical significance of result
       differences." Proceedings of COLING 2000, 947-953.
    .. [4] Chung, E. and Romano, J. P. (2013). "Exact and asymptotically robust permutation
       tests." Annals of Statistics 41(2), 484-507.
    .. [5] Konietschke, F. and Pauly, M. (2014). "Bootstrapping and permuting paired t-test
       type statistics." Statistics and Computing 24(3), 283-296.
    .. [6] Phipson, B. and Smyth, G. K. (2010). "Permutation p-values should never be zero:
       calculating exact p-values when permutations are randomly drawn." Statistical
       Applications in Genetics and Molecular Biology 9(1), 39.

    Examples
    --------
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import score_difference
    >>> counts = JointCounts([[[60, 9], [3, 8]], [[5, 16], [4, 45]]], classes=[0, 1])
    >>> result = score_difference(counts, score="f1")
    >>> print(f"{result.champion:.3f} to {result.challenger:.3f}, p = {result.pvalue:.4f}")
    0.754 to 0.824, p = 0.0984
    >>> print(result.method)
    permutation, exact
    >>> print(f"{score_difference(counts, score='f1', method='delta').pvalue:.4f}")
    0.1049
    """
    n_resamples = check_count("n_resamples", n_resamples)
    resolved = _resolved(score, counts, pos_label)
    observed = _observed(resolved, counts)
    statistic = float(observed.statistic)
    if statistic == 0 and observed.variance == 0:
        name = "delta" if method == "auto" else method
        tested: Tested = statistic, (1.0, 0.0), ("degenerate",)
        outcome: Outcome = tested, normal_critical, name, {}
    elif method == "delta" or (method == "auto" and not _is_small(resolved, counts)):
        outcome = _delta(statistic, alternative, counts)
    else:
        outcome = _permutation(
            resolved, statistic, alternative, counts, n_resamples, random_state
        )
    tested, critical, method_text, details = outcome
    error = math.sqrt(float(observed.variance))
    estimate = float(observed.difference)
    return tested_result(
        tested,
        roles=(float(observed.champion), float(observed.challenger)),
        estimate=estimate,
        estimate_name=f"difference of {resolved.name}",
        method=method_text,
        limits=partial(score_range, estimate, error, critical, resolved.bounds),
        flags=("undefined-score",) * bool(observed.undefined),
        details={
            "different_predictions": _n_different(counts),
            "standard_error": error,
            **details,
        },
        remark=_remark(resolved, counts),
    )


Outcome = tuple[Tested, Callable[[float, str], float], str, dict[str, float]]
"""Outcome of a method, critical values of its distribution, its text and its details."""


def _delta(statistic: float, alternative: str, counts: JointCounts) -> Outcome:
    if math.isinf(statistic):
        tested: Tested = statistic, UNDEFINED, (ZERO_VARIANCE, SIGN_ONLY)
        return tested, no_critical, "delta", {}
    flags = ("few-discordant-pairs",) * (_n_different(counts) < FEW_DIFFERENT)
    tested = statistic, normal_pvalue(statistic, alternative), flags
    return tested, normal_critical, "delta", {}


def _permutation(
    score: Score,
    statistic: float,
    alternative: str,
    counts: JointCounts,
    n_resamples: int,
    random_state: Any,
) -> Outcome:
    exchange = Exchange.from_counts(counts)
    # A user-defined function is slow: its exact distribution must not take longer.
    max_outcomes = MOST_OUTCOMES if isinstance(score, CountScore) else 2 * n_resamples
    exact = exchange.n_outcomes <= max_outcomes
    if exact:
        distribution = exchange.enumerated(score)
    else:
        distribution = exchange.drawn(score, statistic, n_resamples, random_state)
    tail = distribution.pvalue(statistic, alternative)
    flags = (FEW_DIFFERENT_PREDICTIONS,) * (_n_different(counts) < FEW_DIFFERENT)
    flags += (SIGN_ONLY,) * math.isinf(statistic)
    flags += (UNDEFINED_RESAMPLES,) * (distribution.n_undefined > 0)
    resampling = _resampling(exact, exchange.n_outcomes, n_resamples, tail[0], alternative)
    return (statistic, tail, flags), distribution.critical, *resampling


def _resolved(score: Any, counts: JointCounts, pos_label: Any) -> Score:
    """Return the score given by a name or a user-defined function."""
    if isinstance(score, str):
        return count_score(score, counts.classes, pos_label)
    if not callable(score):
        raise TypeError(
            "`score` must be the name of a score or a function of a confusion matrix. Got "
            f"{score!r}. Known names: {', '.join(COUNT_SCORES)}."
        )
    if pos_label is not None:
        raise ValueError(
            f"`pos_label` goes with the name of a score. Got {pos_label!r} and a custom "
            "function. Let the function choose its row and column."
        )
    own_score = OwnScore(score)
    own_score.check(*counts.confusion_matrices())
    return own_score


def _observed(score: Score, counts: JointCounts) -> ScorePair:
    """Scores of the observed counts, with the variance of their difference."""
    weights = counts.counts.astype(np.float64)
    pair = score_pair(score, counts.cells, weights, counts.n_classes)
    if not np.isfinite(pair.variance):
        raise ValueError(
            f"The score {score.name!r} must have finite slopes. Got values that are not "
            "finite beside these counts. Return a smooth function of the counts."
        )
    return pair


def _n_different(counts: JointCounts) -> int:
    """Number of records with two different predictions."""
    _, champion, challenger = counts.cells.T
    return int(counts.counts[champion != challenger].sum())


def _is_small(score: Score, counts: JointCounts) -> bool:
    """Whether the permutation distribution is needed and fast to compute."""
    few = _n_different(counts) < MANY_DIFFERENT and len(counts.counts) < MOST_CELLS
    return few and isinstance(score, CountScore)


def _remark(score: Score, counts: JointCounts) -> str:
    if isinstance(score, CountScore) and score.name in BINARY_SCORES:
        return f"positive class {counts.classes[score.positive].item()!r}"
    return ""
