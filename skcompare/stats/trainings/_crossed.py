"""T tests over records and trainings, which are crossed, and over records alone."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from skcompare._registry.tests import ANY_LOSS, ANY_SCORE, paired_test
from skcompare._typing import Alternative, FloatArray
from skcompare.evidence import CrossedDifferences, without_rounding
from skcompare.stats.core._limits import Wald
from skcompare.stats.core._power import Aim, planned
from skcompare.stats.core._result import PairedResult, tested_result
from skcompare.stats.core._tails import outward
from skcompare.stats.losses._paired_t import loss_title

FEWEST_DF = 2
"""Degrees of freedom of the trainings up to which the larger part alone counts.

Chosen by ``benchmarks/validity/seeds/crossed.py``.
"""

UNEQUAL = 1.5
"""How fast the smaller part of both roles counts less, the more their degrees differ.

Chosen by ``benchmarks/validity/seeds/crossed.py``.
"""

FEW_TRAININGS = 3
"""Number of trainings below which their variance says next to nothing."""


def crossed_df(
    records: Any,
    trainings: Sequence[Any],
    total: Any,
    df_records: float,
    df_trainings: Sequence[float],
) -> Any:
    """Return the degrees of freedom of a variance over records and trainings.

    Those of Satterthwaite (1946), of which few trainings count the larger part only: see
    the notes of :func:`crossed_t`. Numbers, or arrays of several comparisons.

    Parameters
    ----------
    records : float or ndarray
        Variance over records alone.
    trainings : sequence of float or ndarray
        Variances over trainings alone, of pairs or of both roles.
    total : float or ndarray
        Variance of the mean.
    df_records : float
    df_trainings : sequence of float
        Degrees of freedom of the parts.
    """
    over = _counted_over_trainings(trainings, df_trainings)
    total = total - (sum(trainings) - over)
    larger = np.maximum(records, over)
    # Shares, because squares of variances may underflow; 0 degrees where there is none.
    shares = [part / np.where(over > 0, over, 1.0) for part in trainings]
    inverse = sum(_squares_over_df(shares, df_trainings))
    counted = np.where(over > 0, np.maximum(0.0, 1 - FEWEST_DF * inverse), 0.0)
    whole = larger + counted * np.maximum(0.0, total - larger)
    parts = [part / whole for part in (records, *trainings)]
    return 1 / sum(_squares_over_df(parts, (df_records, *df_trainings)))


def _counted_over_trainings(trainings: Sequence[Any], df: Sequence[float]) -> Any:
    """Variance over trainings, of which unequal roles count the smaller part less."""
    if len(trainings) == 1:
        return trainings[0]
    counted = max(0.0, 1 - UNEQUAL * abs(1 / df[0] - 1 / df[1]))
    return np.maximum(*trainings) + counted * np.minimum(*trainings)


def _squares_over_df(parts: Sequence[Any], df: Sequence[float]) -> list[Any]:
    return [part**2 / own for part, own in zip(parts, df, strict=True)]


class CrossedMoments(NamedTuple):
    """Mean squares of values of records by trainings, in two crossed ways.

    Attributes
    ----------
    n, n_trainings : int
        Numbers of records and of trainings.
    records, trainings, interaction : float
        Mean squares between records, between trainings, and of what is left; NaN with
        fewer than two.
    """

    n: int
    n_trainings: int
    records: float
    trainings: float
    interaction: float

    @property
    def components(self) -> tuple[float, float, float]:
        """Variances of records, of trainings and of their interaction, unbiased.

        Those of the first two may be below 0.
        """
        return (
            (self.records - self.interaction) / self.n_trainings,
            (self.trainings - self.interaction) / self.n,
            self.interaction,
        )


def crossed_moments(values: FloatArray) -> CrossedMoments:
    """Return the mean squares of an analysis of variance in two crossed ways.

    Parameters
    ----------
    values : ndarray of shape (n_trainings, n_samples)
        One value for each record and training.
    """
    s, n = values.shape
    # Deviations from the mean first, so that a large mean costs no digits.
    size = float(np.abs(values).max())
    centred = values - values.mean()
    of_records, of_trainings = centred.mean(axis=0), centred.mean(axis=1)
    centred -= of_records
    centred -= of_trainings[:, np.newaxis]
    parts = (of_records, of_trainings, centred.ravel())
    kept = (without_rounding(part, size) for part in parts)
    sums = (times * float(part @ part) for times, part in zip((s, n, 1), kept, strict=True))
    df = n - 1, s - 1, (n - 1) * (s - 1)
    squares = (math.nan if d == 0 else x / d for x, d in zip(sums, df, strict=True))
    return CrossedMoments(n, s, *squares)


@dataclass(frozen=True, slots=True)
class TrainingVariance:
    """Variance of a mean difference over records and trainings, in its parts.

    Attributes
    ----------
    records : float
        Variance over records alone: that of the records' means over trainings, over n.
    trainings : tuple of float
        Variances over trainings alone: that of the trainings' means over their number, for
        pairs of trainings, or for each role that was trained several times.
    interaction : float
        Variance of the interaction, which is contained in each of those.
    df_records : float
    df_trainings : tuple of float
        Degrees of freedom of both.
    moments : mapping of str to CrossedMoments
        Mean squares of the pairs, under an empty name, or of each role by its name.
    """

    records: float
    trainings: tuple[float, ...]
    interaction: float
    df_records: float
    df_trainings: tuple[float, ...]
    moments: Mapping[str, CrossedMoments] = field(default_factory=dict)

    @property
    def over_trainings(self) -> float:
        """Variance over trainings alone, of both roles."""
        return sum(self.trainings)

    @property
    def total(self) -> float:
        """Variance of the mean, at least the larger one-way variance."""
        both = self.records + self.over_trainings - self.interaction
        return max(self.records, self.over_trainings, both)

    @property
    def df(self) -> float:
        """Degrees of freedom; those over records if nothing varies."""
        if self.total == 0:
            return self.df_records
        parts = self.records, self.trainings, self.total
        return float(crossed_df(*parts, self.df_records, self.df_trainings))

    @property
    def chance(self) -> float:
        """Estimated variance by the chance in training alone, which records do not mend."""
        return max(0.0, self.total - self.records)


def training_variance(crossed: CrossedDifferences) -> TrainingVariance:
    """Return the variance of the mean difference with its parts."""
    n, moments_of = crossed.n, _moments_of(crossed)
    moments = list(moments_of.values())
    gains = crossed.mean_gains
    centred = without_rounding(gains - gains.mean(), float(np.abs(gains).max()))
    records = float(centred @ centred) / (n - 1) / n
    return TrainingVariance(
        records,
        tuple(m.trainings / (n * m.n_trainings) for m in moments),
        sum(m.interaction / (n * m.n_trainings) for m in moments),
        n - 1,
        tuple(m.n_trainings - 1 for m in moments),
        moments_of,
    )


def _moments_of(crossed: CrossedDifferences) -> dict[str, CrossedMoments]:
    """Mean squares of the pairs, or of each role that was trained several times."""
    if crossed.paired:
        return {"": crossed_moments(crossed.gains)}
    values = {"champion": crossed.champion, "challenger": crossed.challenger}
    return {role: crossed_moments(own) for role, own in values.items() if len(own) > 1}


def check_crossed(crossed: CrossedDifferences, test: str) -> None:
    """Raise an error if there are too few records or trainings."""
    if crossed.n < 2:
        raise ValueError(
            f"{test} needs at least 2 records. Got {crossed.n}. Collect more records."
        )
    if max(crossed.n_trainings) < 2:
        raise ValueError(
            f"{test} needs at least 2 trainings of one model. Got {crossed.n_trainings[0]} "
            f"and {crossed.n_trainings[1]}. Train more often with other seeds, or compare "
            "these trained models by a test of a hold-out set."
        )


def mean_over_trainings(
    crossed: CrossedDifferences, **options: Any
) -> "RecordsOfTrainings":
    """Mean difference, of which more records reduce the variance over records only."""
    variance = training_variance(crossed)
    return RecordsOfTrainings(crossed.estimate, variance.records, variance.chance)


class RecordsOfTrainings(NamedTuple):
    """Estimate with its variances over records and over trainings."""

    estimate: float
    records: float
    trainings: float

    def sample_size(self, n: float, aim: Aim) -> float:
        """Number of records at which the estimate is found; infinite if none suffices."""
        size = outward(self.estimate, aim.alternative)
        if size <= 0:
            return math.inf
        left = (size / aim.reach) ** 2 - self.trainings
        return n * self.records / left if left > 0 else math.inf


def mean_of_records(crossed: CrossedDifferences, **options: Any) -> Wald:
    """Mean difference with its standard error over records alone."""
    variance = training_variance(crossed)
    return Wald(crossed.estimate, math.sqrt(variance.records), variance.df_records)


NEVER_DIFFERENT = "deterministic-training"
ONE_TRAINING = "one-training"


def training_flags(
    crossed: CrossedDifferences, variance: TrainingVariance
) -> tuple[str, ...]:
    """Flags for few trainings, for equal ones, and for much chance in them."""
    counts = crossed.n_trainings
    values = zip(counts, (crossed.champion, crossed.challenger), strict=True)
    same = any(count > 1 and (own == own[0]).all() for count, own in values)
    few = min(count for count in counts if count > 1) < FEW_TRAININGS
    chance = variance.chance > 0.5 * variance.total
    return (
        *("few-trainings",) * few,
        *(NEVER_DIFFERENT,) * same,
        *(ONE_TRAINING,) * (min(counts) == 1),
        *("unstable-training",) * chance,
    )


@paired_test(
    title="crossed t test of records and trainings",
    measures=(ANY_LOSS, ANY_SCORE),
    designs=("paired trainings", "separate trainings"),
    inference="recipes",
    references=("Searle1992", "Satterthwaite1946", "Gallas2006", "Bouthillier2021"),
    sample_size=planned(mean_over_trainings),
    preferred=True,
)
def crossed_t(
    crossed: CrossedDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two training recipes by models that were trained several times.

    The null hypothesis is that both recipes have the same expected loss, or score, over new
    records and new trainings: other seeds, on the same training records. The mean
    difference varies with the records that were tested, with the trainings, and with their
    interaction; a test of one training omits the second part, and a t test over trainings
    the first.

    Parameters
    ----------
    crossed : CrossedDifferences
        Values of all records by all trainings.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference over records and trainings, where positive favours
        the challenger, and `statistic` this over its standard error. `details` has this
        (`se`), the standard errors over records alone and over trainings alone, and the
        unbiased variances of records, of trainings and of their interaction (`sigma2_...`),
        which may be below 0.

    Raises
    ------
    ValueError
        If there are fewer than 2 records, or no model was trained twice.

    Notes
    -----
    With y_is the difference of record i = 1 ... n in pair s = 1 ... S, the model is that of
    two crossed random effects [1]_::

        y_is = mean + a_i + b_s + c_is

    of records, trainings, and their interaction. From the mean squares of the analysis of
    variance between records, between trainings, and of the interaction, whose expectations
    are S var(a) + var(c), n var(b) + var(c) and var(c), the variance of the mean is
    estimated without bias by::

        V_records   = MS_records / (n S)
        V_trainings = MS_trainings / (n S)
        V           = V_records + V_trainings - MS_interaction / (n S)

    and never smaller than V_records or V_trainings, the variances of a test over records
    alone and over trainings alone. Satterthwaite's degrees of freedom [2]_ depend on the
    estimated parts: if trainings are few and their variance is underestimated by chance,
    both the variance and the critical value are too small. So the smaller part counts fully
    only if there are many trainings, and not at all for up to 3::

        W  = larger + max(0, 1 - 2 / (S - 1)) (V - larger)
        df = W² / (V_records² / (n - 1) + V_trainings² / (S - 1))

    where larger is the larger one of V_records and V_trainings: the degrees of freedom
    follow the part that dominates.

    For unpaired trainings, whose numbers may differ, V_records is the variance of the
    difference of the records' means over trainings, V_trainings the sum of those of both
    roles, whose parts each have their own degrees of freedom, and the interaction of both
    is subtracted once; S - 1 in W are Satterthwaite's degrees of freedom of V_trainings.
    With S and R trainings the smaller one of both parts of W is multiplied by
    ``max(0, 1 - 1.5 |1 / (S - 1) - 1 / (R - 1)|)``, because the part with fewer trainings
    is the one that is underestimated by chance. A role that was trained once, and is
    treated as fixed, has no such part, flagged "one-training".

    A score that is not a mean over records, such as an AUC, has for each training its value
    plus the influences of the records [3]_: the means over records are the scores, and the
    variance over records that of the influences.

    The trainings are a sample of those with these training records; other training records
    also change the models, often more [4]_. A conclusion about these needs several training
    sets, such as those of a block-regularized cross-validation.

    ``benchmarks/validity/seeds/crossed.py`` measures both at a level of 5 % with 500 to
    10,000 records. With normal effects of any size equal recipes are rejected in at most
    5.7 % of comparisons of 3 trainings, 5.5 % of 4 or more, paired or not, and 10 % of 2
    pairs, which is flagged "few-trainings" (standard error 0.1 %); by Satterthwaite's
    degrees of freedom it is 7.8, 6.5, 6.0 and 5.4 % for 3, 4, 5 and 10 pairs. McNemar's
    test of one training of each, a test over records alone and one over trainings alone
    reject up to 95, 94 and 52 % of them. With losses of 0 and 1 and Brier losses it is 3.5
    to 6.0 % (standard error 0.5 %), and at most 4 % if runs fail occasionally. If only
    records or only trainings vary, the power is that of the test over these alone; with 5
    trainings it is 71 % if both vary equally and the known variance has 80 %. If the
    trainings do not differ on average, but from record to record, it is lower than that of
    a test over records: 70 % instead of 80 % for 5 trainings if half of the variance is due
    to the interaction, because few trainings do not show that they are equal on average.

    At smaller levels, including those of adjusted pairs, equal recipes are rejected too
    often with few trainings: at 1 % it is up to 2.6 % with 3 trainings, 1.6 % with 4, 1.3 %
    with 5 and 1.1 % with 10.

    If more than half of the variance is due to the randomness of training, the result is
    flagged "unstable-training". Equal predictions have the statistic 0 and p = 1, flagged
    "degenerate"; a constant difference that is not 0 has no p-value, flagged
    "zero-variance". Trainings that are all the same are flagged "deterministic-training".

    References
    ----------
    .. [1] Searle, S. R., Casella, G. and McCulloch, C. E. (1992). "Variance components."
       Wiley, New York, chapter 4.
    .. [2] Satterthwaite, F. E. (1946). "An approximate distribution of estimates of
       variance components." Biometrics Bulletin 2(6), 110-114.
    .. [3] Gallas, B. D. (2006). "One-shot estimate of MRMC variance: AUC." Academic
       Radiology 13(3), 353-362.
    .. [4] Bouthillier, X. and others (2021). "Accounting for variance in machine learning
       benchmarks." Proceedings of Machine Learning and Systems 3, 747-769.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import CrossedDifferences
    >>> from skcompare.stats import crossed_t, records_t
    >>> rng = np.random.default_rng(0)
    >>> champion = rng.random((5, 400)) + 0.04 * rng.normal(size=(5, 1))
    >>> challenger = rng.random((5, 400)) - 0.04 + 0.04 * rng.normal(size=(5, 1))
    >>> crossed = CrossedDifferences.from_losses(champion, challenger)
    >>> result = crossed_t(crossed)
    >>> print(f"{result.estimate:.3f}, df {result.df:.1f}, p = {result.pvalue:.2f}")
    0.065, df 4.0, p = 0.08
    >>> print(f"these models alone: p = {records_t(crossed).pvalue:.1e}")
    these models alone: p = 1.8e-12
    """
    check_crossed(crossed, "crossed_t")
    variance = training_variance(crossed)
    df = variance.df if variance.total > 0 else None
    wald = Wald(crossed.estimate, math.sqrt(variance.total), df)
    return training_result(
        crossed,
        wald,
        alternative,
        method="Student's t, over records and trainings",
        flags=training_flags(crossed, variance),
        details=_details(crossed, variance),
    )


def _details(crossed: CrossedDifferences, variance: TrainingVariance) -> dict[str, float]:
    details = {
        "n_trainings_champion": float(crossed.n_trainings[0]),
        "n_trainings_challenger": float(crossed.n_trainings[1]),
        "se": math.sqrt(variance.total),
        "se_records": math.sqrt(variance.records),
        "se_trainings": math.sqrt(variance.over_trainings),
    }
    for role, moments in variance.moments.items():
        end = f"_{role}" if role else ""
        of_records, of_trainings, of_both = moments.components
        details |= {
            f"sigma2_records{end}": of_records,
            f"sigma2_trainings{end}": of_trainings,
            f"sigma2_interaction{end}": of_both,
        }
    return details


@paired_test(
    title="t test of records over fixed trainings",
    measures=(ANY_LOSS, ANY_SCORE),
    designs=("fixed trainings",),
    inference="models",
    references=("Gallas2006", "Bouthillier2021"),
    sample_size=planned(mean_of_records),
)
def records_t(
    crossed: CrossedDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare trained models by their mean over trainings, on new records alone.

    The null hypothesis is that the mean of these trained champions and that of these
    trained challengers have the same expected loss, or score, over new records. The
    trainings are fixed: for a conclusion about new trainings use :func:`crossed_t`.

    Parameters
    ----------
    crossed : CrossedDifferences
        Values of all records by all trainings.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference over records and trainings, where positive favours
        the challenger, and `statistic` this over its standard error over records.

    Raises
    ------
    ValueError
        If there are fewer than 2 records.

    Notes
    -----
    It is the paired t test of the records' means over trainings; of scores such as an AUC
    by the influences of the records [1]_. As a test of recipes it rejects equal ones in up
    to 94 % of comparisons, more often the more the trainings vary and the more records
    there are [2]_: see :func:`crossed_t`.

    Equal predictions have the statistic 0 and p = 1, flagged "degenerate". A constant
    difference that is not 0 has no p-value, flagged "zero-variance".

    References
    ----------
    .. [1] Gallas, B. D. (2006). "One-shot estimate of MRMC variance: AUC." Academic
       Radiology 13(3), 353-362.
    .. [2] Bouthillier, X. and others (2021). "Accounting for variance in machine learning
       benchmarks." Proceedings of Machine Learning and Systems 3, 747-769.

    Examples
    --------
    >>> from skcompare.evidence import CrossedDifferences
    >>> from skcompare.stats import records_t
    >>> champion = [[1.0, 0.5, 2.0, 1.5], [1.5, 0.5, 1.0, 1.0]]
    >>> challenger = [[0.5, 0.5, 1.0, 1.0], [1.0, 0.0, 1.5, 0.5]]
    >>> crossed = CrossedDifferences.from_losses(champion, challenger)
    >>> result = records_t(crossed)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.3f}")
    0.375, p = 0.014
    """
    if crossed.n < 2:
        check_crossed(crossed, "records_t")
    wald = mean_of_records(crossed)
    wald = wald if wald.error > 0 else Wald(wald.estimate, 0.0)
    return training_result(
        crossed,
        wald,
        alternative,
        method="Student's t, over records",
        details={"se": wald.error},
    )


def training_result(
    crossed: CrossedDifferences, wald: Wald, alternative: str, **fields: Any
) -> PairedResult:
    """Result of a test of values by records and trainings."""
    name = f"gain in mean {loss_title(crossed.measure)}"
    if crossed.by_influence or crossed.greater_is_better:
        name = f"difference of {crossed.measure}"
    own = wald.fields(alternative) | {"limits": wald.limits_beyond(0.0)}
    return tested_result(
        **own,
        estimate_name=name,
        roles=crossed.means,
        greater_is_better=crossed.greater_is_better,
        **fields,
    )
