"""Permutation test of the difference of any score on one test set."""

import math
from functools import partial
from typing import Any

import numpy as np

from skcompare._core.validation import check_count
from skcompare._registry.tests import ANY_SCORE, paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import ScoredPair
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import FEW, FEW_GROUPS, UNDEFINED, PairedResult
from skcompare.stats.core._tails import error_of_draws
from skcompare.stats.core._wald import no_critical, normal_critical, score_range
from skcompare.stats.scores._bootstrap import rounding_of, scored_effect_of
from skcompare.stats.scores._permutation_null import PermutationDistribution
from skcompare.stats.scores._resampling import (
    check_scored,
    default_resamples,
    generator,
    n_groups,
    parts,
    scored_result,
)
from skcompare.stats.scores._score_difference import (
    FEW_DIFFERENT,
    FEW_DIFFERENT_PREDICTIONS,
    SIGN_ONLY,
    UNDEFINED_RESAMPLES,
)

SLACK = 1e-9
"""Relative tolerance at which statistics are equal."""

MOST_BITS = 60
"""Upper bound of the binary logarithm of the number of exchanges."""

NO_VARIANCE = 1e-9
"""A standard error that is a smaller share of its terms is 0."""

MOST_UNDEFINED = 0.5

USUAL_LEVEL = 0.05
"""The result is flagged if no exchange has a p-value below this."""


@paired_test(
    "permutation_difference",
    title="Paired permutation test of a score",
    measures=ANY_SCORE,
    designs=("holdout", "grouped holdout"),
    references=("Yeh2000", "Bandos2005", "Chung2013", "Phipson2010"),
    sample_size=planned(scored_effect_of),
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
    .. [4] Phipson, B. and Smyth, G. K. (2010). "Permutation p-values should never be zero."
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.

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
    champion, challenger = check_scored(scored)
    exchange = _Exchange(scored, rounding_of(champion, challenger))
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
    estimate = exchange.estimate
    details = {
        "different_predictions": float(np.count_nonzero(scored.differs)),
        "standard_error": error,
        "outcomes" if exact else "resamples": (
            2.0 * exchange.n_outcomes if exact else float(n_resamples)
        ),
    }
    if not exact and not undefined:
        details["monte_carlo_error"] = error_of_draws(tail[0], n_resamples, alternative)
    resampling = "exact" if exact else f"{n_resamples} Monte-Carlo resamples"
    return scored_result(
        scored,
        (champion, challenger),
        (observed, tail, ()),
        estimate=estimate,
        method=f"permutation, {resampling}",
        limits=partial(score_range, estimate, error, critical, scored.bounds),
        flags=_flags(scored, no_variation, distribution, observed, undefined),
        details=details | n_groups(scored),
    )


class _Exchange:
    """Exchanges of the predictions of units whose predictions differ."""

    def __init__(self, pair: ScoredPair, rounding: float) -> None:
        self.pair, self.rounding = pair, rounding
        self.score = pair.prepared_for_exchange()
        units = pair.units
        # Units without different predictions are never exchanged.
        differ = np.unique(units[pair.differs])
        self.n_differ = len(differ)
        place = np.full(pair.n_units, self.n_differ)
        place[differ] = np.arange(self.n_differ)
        self.place = place[units]
        self.units = None if pair.groups is None else units
        champion, challenger = pair.values
        difference = pair.sign * (challenger - champion)
        self.estimate = 0.0 if abs(difference) <= rounding else difference

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
            for start, stop in self._spans(int(self.n_outcomes)):
                masks = np.arange(max(1, start), stop)[:, np.newaxis] & bits != 0
                last_unit = np.zeros((len(masks), min(1, self.n_differ)), dtype=bool)
                blocks.append(self._differences(np.concatenate([masks, last_unit], axis=1)))
        else:
            rng = generator(random_state)
            for size in parts(n_resamples, 2 * self.pair.n):
                masks = rng.integers(2, size=(size, self.n_differ), dtype=np.int8) == 1
                blocks.append(self._differences(masks))
        differences, errors = (np.concatenate(each) for each in zip(*blocks, strict=True))
        # By the score of the pair itself, without ranks.
        differences[0] = self.estimate
        if not self.pair.score.studentised:
            defined = differences[np.isfinite(differences)]
            errors[:] = math.sqrt(float(np.mean(defined**2)))
        statistics = _in_errors(differences, errors)
        return np.abs(statistics), float(statistics[0]), float(errors[0])

    def _spans(self, total: int) -> list[tuple[int, int]]:
        step = max(1, next(parts(1 << 40, 2 * self.pair.n)))
        return [(start, min(total, start + step)) for start in range(0, total, step)]

    def _differences(self, masks: np.ndarray) -> tuple[FloatArray, FloatArray]:
        """Difference and standard error for each exchange."""
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


def _in_errors(differences: FloatArray, errors: FloatArray) -> FloatArray:
    """Differences in standard errors; 0 or infinite for a standard error of 0."""
    no_error = errors == 0
    unbounded = np.where(differences == 0, 0.0, np.copysign(np.inf, differences))
    unbounded = np.where(np.isnan(differences), np.nan, unbounded)
    return np.where(no_error, unbounded, differences / np.where(no_error, 1.0, errors))


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
    flags = ["degenerate", *pair.flags] if no_variation else list(pair.flags)
    if pair.groups is not None and pair.n_units < FEW:
        flags.append(FEW_GROUPS)
    # Predictions may differ in all records, with few exchanges that change the score.
    smallest_pvalue = math.exp(distribution.log_tails[-1])
    is_coarse = (
        not no_variation and not distribution.n_undefined and smallest_pvalue >= USUAL_LEVEL
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
