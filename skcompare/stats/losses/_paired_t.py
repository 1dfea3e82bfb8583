"""Student's paired t test of two mean losses, and helpers shared by tests of losses."""

import math
from typing import Any

import numpy as np

from skcompare._registry.losses import record_losses
from skcompare._registry.tests import ANY_LOSS, paired_test
from skcompare._typing import Alternative, FloatArray
from skcompare.evidence import PairedLosses
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._wald import Wald


def check_records(losses: PairedLosses, test: str, least: int = 2) -> None:
    """Raise an error if there are too few records."""
    if losses.n < least:
        raise ValueError(
            f"{test} needs at least {least} records. Got {losses.n}. One record says "
            "nothing of how others vary: collect more."
        )


def gain_of(losses: PairedLosses, error: float, df: float) -> Wald:
    """Gain with its standard error; a gain of only rounding error is 0."""
    no_gain = losses.moments.no_gain and error == 0
    return Wald(0.0 if no_gain else losses.gain, error, df)


def gain_of_records(losses: PairedLosses, **options: object) -> Wald:
    """Gain with its standard error for unrelated records."""
    error = losses.moments.gain_deviation / math.sqrt(losses.n)
    return gain_of(losses, error, losses.n - 1)


def without_noise(values: FloatArray, noise: FloatArray | float) -> FloatArray:
    """Return the values, or zeros if all of them are only rounding errors."""
    return np.zeros_like(values) if (np.abs(values) <= noise).all() else values


def loss_result(
    losses: PairedLosses, *, flags: tuple[str, ...] = (), **options: Any
) -> PairedResult:
    """Return the result of a test of two mean losses, with `options` as other fields."""
    champion, challenger = losses.means
    return PairedResult(
        **{"estimate": losses.gain} | options,
        estimate_name=f"gain in mean {_loss_title(losses.loss)}",
        champion=champion,
        challenger=challenger,
        greater_is_better=False,
        flags=(*flags, *losses.flags),
    )


def _loss_title(loss: str) -> str:
    """Title of a loss, with its options."""
    name, bracket, options = loss.partition("(")
    entry = record_losses().get(name)
    if entry is not None:
        return f"{entry.title} {bracket}{options}".rstrip()
    if loss == "losses":
        return "loss"
    return loss if loss.endswith(("loss", "cost", "error")) else f"{loss} loss"


@paired_test(
    "paired_t",
    title="paired t test",
    measures=ANY_LOSS,
    references=("Student1908",),
    sample_size=planned(gain_of_records),
    preferred=True,
)
def paired_t(
    losses: PairedLosses, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two mean losses on one test set by the paired t test.

    The null hypothesis is that both trained classifiers have the same expected loss over
    new records. The differences of the losses of a record are assumed to be about normal,
    or the records to be many [1]_. Only means and variances are used, so that the moments
    of the losses are enough.

    Parameters
    ----------
    losses : PairedLosses
        Losses of unrelated records of a hold-out set, or their moments.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better: its losses are lower.

    Returns
    -------
    result : PairedResult
        `estimate` is the gain, the champion's mean loss minus the challenger's. `statistic`
        is the gain over its standard error, with n - 1 degrees of freedom. The interval is
        the gain plus and minus quantiles of t. `details` has the standard deviation of
        the differences, the standard error, and the effect size d_z: gain over standard
        deviation.

    Raises
    ------
    ValueError
        If there are fewer than 2 records.

    Notes
    -----
    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If all
    are equal but not 0, the statistic is infinite and p undefined, flagged
    "zero-variance"; :func:`loss_permutation` has a p-value for them.

    A few records with extreme losses, as the log loss has them, skew the differences, and
    then the test rejects too often. At alpha 0.05, for log-normal differences of mean 0, it
    rejects 15 % of the time with 15 records, 9 % with 100 and 7 % with 400, nearly always
    in favour of the classifier whose extreme losses the sample happens to lack. So does
    :func:`loss_permutation`. Take more records or a bounded loss; :func:`wilcoxon` is less
    sensitive to such records, but tests another hypothesis.

    References
    ----------
    .. [1] Student (1908). "The probable error of a mean." Biometrika 6(1), 1-25.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import paired_t
    >>> losses = PairedLosses.from_predictions(
    ...     y_true=[1, 0, 1, 0, 1],
    ...     champion_proba=[0.6, 0.4, 0.7, 0.2, 0.5],
    ...     challenger_proba=[0.8, 0.3, 0.9, 0.3, 0.7],
    ... )
    >>> result = paired_t(losses)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.076, t = 2.153, p = 0.0976
    """
    check_records(losses, "paired_t")
    deviation, gain = losses.moments.gain_deviation, gain_of_records(losses)
    details = {"deviation": deviation, "se": gain.error}
    if deviation > 0:
        details["d_z"] = losses.gain / deviation
    return loss_result(
        losses, **gain.fields(alternative), method="Student's t", details=details
    )
