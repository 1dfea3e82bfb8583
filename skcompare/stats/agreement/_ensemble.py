"""Whether two classifiers should be combined, in four checkpoints."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import binom

from skcompare._core.formatting import format_pvalue
from skcompare._core.validation import check_alpha, check_choice, is_number
from skcompare.evidence import JointCounts, PairedCalibration, PairedLosses
from skcompare.stats.accuracy._mcnemar import mcnemar
from skcompare.stats.agreement._bowker import bowker
from skcompare.stats.agreement._error_correlation import error_correlation
from skcompare.stats.agreement._yule_q import yule_q
from skcompare.stats.core._tails import SMALLEST

ROLES = ("champion", "challenger")
COMBINE, SINGLE, NEITHER = "combine", "single", "neither"
MOST_CALIBRATION_ERROR = 0.1
TIE = 1e-12
"""Accuracies and losses this close are equal."""


@dataclass(frozen=True, slots=True)
class EnsembleStep:
    """One checkpoint: what was asked, whether it was passed, and the numbers behind it.

    Attributes
    ----------
    name : {"useful", "gap", "redundancy", "fusion", "calibration"}
        The checkpoint.
    passed : bool or None
        None where the evidence for it is missing, or where it chooses and cannot fail.
    sentence : str
        What was found.
    values : mapping of str to float
        The numbers.
    """

    name: str
    passed: bool | None
    sentence: str
    values: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The step as plain values."""
        return {
            "name": self.name,
            "passed": self.passed,
            "sentence": self.sentence,
            "values": dict(self.values),
        }


@dataclass(frozen=True, slots=True)
class EnsembleAdvice:
    """Whether to combine two classifiers, with the evidence for each checkpoint.

    Attributes
    ----------
    advice : {"combine", "single", "neither"}
        Combine both, deploy one of them, or none.
    model : {"champion", "challenger"} or None
        The one to deploy, for "single".
    fusion : {"symmetric", "asymmetric"} or None
        How to combine: a majority vote or the mean of the probabilities, or weights and
        routes by class.
    recalibrate : tuple of {"champion", "challenger"}
        Whose probabilities to recalibrate before they are averaged.
    sentence : str
        The advice in one sentence.
    steps : tuple of EnsembleStep
        The checkpoints that were looked at, in order; the first that fails is the last.
    """

    advice: str
    model: str | None
    fusion: str | None
    recalibrate: tuple[str, ...]
    sentence: str
    steps: tuple[EnsembleStep, ...]

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"- {step.sentence}" for step in self.steps)])

    def to_dict(self) -> dict[str, Any]:
        """Advice and steps as plain values."""
        return {
            "advice": self.advice,
            "model": self.model,
            "fusion": self.fusion,
            "recalibrate": list(self.recalibrate),
            "sentence": self.sentence,
            "steps": [step.to_dict() for step in self.steps],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "EnsembleAdvice":
        """The advice that :meth:`to_dict` wrote."""
        steps = tuple(EnsembleStep(**step) for step in values["steps"])
        known = dict(values) | {"recalibrate": tuple(values["recalibrate"])}
        return cls(**known | {"steps": steps})


def recommend_ensemble(
    counts: JointCounts,
    losses: PairedLosses | None = None,
    calibration: PairedCalibration | None = None,
    *,
    alpha: float = 0.05,
    most_gap: float = 0.05,
    most_q: float = 0.8,
    most_correlation: float = 0.8,
    same_model: float = 0.95,
    most_calibration_error: float = MOST_CALIBRATION_ERROR,
    correlation: str = "pearson",
) -> EnsembleAdvice:
    """Should the two classifiers be combined, and how?

    Four checkpoints [1]_, of which the first three must be passed for an ensemble to be
    advised: both classifiers are useful and neither is far ahead; their errors are not
    redundant; the shape of their disagreement chooses the way of combining; and averaged
    probabilities should be calibrated. It advises, and proves nothing: whether the
    ensemble is better is a comparison of its own, on new records.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and the two answers, from a hold-out set.
    losses : PairedLosses, optional
        Losses a record of the same records. Without them redundancy is judged from right
        and wrong answers alone.
    calibration : PairedCalibration, optional
        Bins of the same records. Without it calibration is not looked at.
    alpha : float, default=0.05
        Level of McNemar's and of Bowker's test.
    most_gap : float, default=0.05
        A difference of accuracies above it that is significant drops the weaker one.
    most_q, most_correlation : float, default=0.8
        Yule's Q, or the correlation of the losses, at or above it: redundant.
    same_model : float, default=0.95
        Q and the correlation of the losses, both at or above it: effectively one model.
    most_calibration_error : float, default=0.1
        Expected calibration error above it: recalibrate before averaging.
    correlation : {"pearson", "spearman"}, default="pearson"
        Which correlation of the losses.

    Returns
    -------
    advice : EnsembleAdvice
        One sentence, and a step with its numbers for each checkpoint that was reached.

    Raises
    ------
    ValueError
        If the pieces of evidence are not of the same number of records, or a threshold is
        no number.

    Notes
    -----
    A classifier is useful if its accuracy is above the share of the commonest class; the
    step also has the exact one-sided binomial p-value of that. McNemar's test is the mid-p
    one. A Q that is undefined (nobody errs, or always both) is passed over for the
    correlation; where both are undefined there is nothing to gain. Where an ensemble is
    not advised, the better single one is that with the higher accuracy, of equals with the
    lower mean loss, and else the champion. Cohen's kappa takes no part: it is about
    labels, not errors.

    References
    ----------
    .. [1] *Machine Learning & Signals Learning*, chapter 14, "Classifier comparison",
       section 14.3.11, "Ensemble recommendation".

    Examples
    --------
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import recommend_ensemble
    >>> counts = JointCounts([[[70, 12], [8, 5]], [[5, 7], [13, 80]]], classes=[0, 1])
    >>> advice = recommend_ensemble(counts)
    >>> advice.advice, advice.fusion
    ('combine', 'symmetric')
    >>> print(advice.steps[2].sentence)
    errors are not redundant: Yule's Q 0.60 below 0.8
    """
    check_alpha(alpha)
    check_choice("correlation", correlation, ("pearson", "spearman"))
    limits = _Limits(
        alpha, most_gap, most_q, most_correlation, same_model, most_calibration_error
    )
    for name, other in (("losses", losses), ("calibration", calibration)):
        if other is not None and other.n != counts.n:
            raise ValueError(
                f"All evidence must be of the same records. Got {counts.n} in `counts` and "
                f"{other.n} in `{name}`."
            )
    better = _better(counts, losses)
    useful, winner = _useful(counts, better)
    if not useful.passed:
        return _single(winner, (useful,))
    gap = _gap(counts, limits)
    if not gap.passed:
        return _single(better, (useful, gap))
    redundancy = _redundancy(counts, losses, correlation, limits)
    if not redundancy.passed:
        return _single(better, (useful, gap, redundancy))
    fusion, way = _fusion(counts, limits)
    calibrated, poor = _calibration(calibration, limits)
    return EnsembleAdvice(
        COMBINE,
        None,
        way,
        poor,
        _combining(way, poor, calibration is not None),
        (useful, gap, redundancy, fusion, calibrated),
    )


@dataclass(frozen=True, slots=True)
class _Limits:
    """The thresholds of the checkpoints."""

    alpha: float
    gap: float
    q: float
    correlation: float
    same: float
    calibration: float

    def __post_init__(self) -> None:
        for name in ("gap", "q", "correlation", "same", "calibration"):
            value = getattr(self, name)
            if not is_number(value) or not math.isfinite(value):
                raise ValueError(
                    f"The thresholds must be finite numbers. Got {value!r} for the one of "
                    f"{name}."
                )


def _accuracies(counts: JointCounts) -> tuple[float, float]:
    return counts.contingency_table().accuracies


def _better(counts: JointCounts, losses: PairedLosses | None) -> str:
    """The one with the higher accuracy, then the lower loss, then the champion."""
    champion, challenger = _accuracies(counts)
    gain = challenger - champion
    if abs(gain) <= TIE and losses is not None:
        means = losses.means
        gain = means[0] - means[1]
    return ROLES[int(gain > TIE)]


def _useful(counts: JointCounts, better: str) -> tuple[EnsembleStep, str | None]:
    """Whether each is right more often than the answer "always the commonest class"."""
    truth = counts.cells[:, 0]
    share = float(np.bincount(truth, weights=counts.counts).max() / counts.n)
    accuracies = _accuracies(counts)
    values = {"commonest_class": share}
    for role, accuracy in zip(ROLES, accuracies, strict=True):
        right = round(accuracy * counts.n)
        values[f"{role}_accuracy"] = accuracy
        values[f"{role}_pvalue"] = max(
            float(binom.sf(right - 1, counts.n, share)), SMALLEST
        )
    useful = [accuracy > share + TIE for accuracy in accuracies]
    found = f"accuracies {accuracies[0]:.3f} and {accuracies[1]:.3f}"
    base = f"the share of the commonest class, {share:.3f}"
    if all(useful):
        words = f"both are useful: {found} above {base}"
        return EnsembleStep("useful", True, words, values), better
    if any(useful):
        loser = ROLES[useful.index(False)]
        words = f"{loser} is not useful: {found}, and not both above {base}"
        return EnsembleStep("useful", False, words, values), ROLES[useful.index(True)]
    words = f"neither is useful: {found}, not above {base}"
    return EnsembleStep("useful", False, words, values), None


def _gap(counts: JointCounts, limits: _Limits) -> EnsembleStep:
    result = mcnemar(counts.contingency_table())
    gap = abs(result.estimate)
    # A gap of exactly 5 points must not be above 5 points by rounding.
    wide = gap > limits.gap + TIE and result.pvalue < limits.alpha
    words = f"accuracies differ by {gap:.3f}, p {format_pvalue(result.pvalue)} (mcnemar)"
    judged = "one is far ahead" if wide else "neither is far ahead"
    return EnsembleStep(
        "gap",
        not wide,
        f"{judged}: {words}",
        {"gap": gap, "pvalue": result.pvalue},
    )


def _redundancy(
    counts: JointCounts, losses: PairedLosses | None, correlation: str, limits: _Limits
) -> EnsembleStep:
    q = yule_q(counts.contingency_table()).estimate
    r = math.nan
    if losses is not None:
        r = error_correlation(losses, method=correlation).estimate
    words = f"{correlation.capitalize()} correlation of the losses"
    pairs = (("Yule's Q", q, limits.q), (words, r, limits.correlation))
    known = [pair for pair in pairs if not math.isnan(pair[1])]
    values = {"yule_q": q, "correlation": r}
    if not known:
        words = "nothing to gain: no association of errors can be estimated"
        return EnsembleStep("redundancy", False, words, values)
    redundant = any(value >= limit for _, value, limit in known)
    found = ", ".join(
        f"{words} {_beside(value, limit)} {'at or above' if value >= limit else 'below'} "
        f"{limit:g}"
        for words, value, limit in known
    )
    # Q alone is 1 as soon as one of the two is right wherever the other is.
    if len(known) == 2 and min(q, r) >= limits.same:
        judged = "effectively the same model"
    elif redundant:
        judged = "errors are redundant, so that the gain is marginal at best"
    else:
        judged = "errors are not redundant"
    return EnsembleStep("redundancy", not redundant, f"{judged}: {found}", values)


def _beside(value: float, limit: float) -> str:
    """A number with two decimals, or as many as tell it from a limit."""
    decimals = 2
    while decimals < 12 and (round(value, decimals) >= limit) != (value >= limit):
        decimals += 1
    return f"{value:.{decimals}f}"


def _fusion(counts: JointCounts, limits: _Limits) -> tuple[EnsembleStep, str]:
    result = bowker(counts.agreement_matrix())
    way = "asymmetric" if result.pvalue < limits.alpha else "symmetric"
    words = (
        f"disagreements are {way} across classes: p {format_pvalue(result.pvalue)} (bowker)"
    )
    values = {"statistic": result.statistic, "pvalue": result.pvalue}
    return EnsembleStep("fusion", None, words, values), way


def _calibration(
    calibration: PairedCalibration | None, limits: _Limits
) -> tuple[EnsembleStep, tuple[str, ...]]:
    if calibration is None:
        words = "calibration was not looked at: no probabilities"
        return EnsembleStep("calibration", None, words), ()
    errors = {role: calibration.error(role, norm="l1") for role in ROLES}
    poor = tuple(role for role in ROLES if errors[role] > limits.calibration)
    found = f"expected calibration errors {errors['champion']:.3f} and " + (
        f"{errors['challenger']:.3f}"
    )
    judged = "both calibrated well enough"
    if poor:
        judged = f"{' and '.join(poor)} badly calibrated"
    return EnsembleStep("calibration", not poor, f"{judged}: {found}", errors), poor


def _combining(way: str, poor: tuple[str, ...], looked_at: bool) -> str:
    if way == "asymmetric":
        how = "with weights by class, or by routing the disputed classes"
    elif poor:
        how = "by majority vote, or by averaging after recalibration of " + " and ".join(
            poor
        )
    elif looked_at:
        how = "by averaging their probabilities"
    else:
        how = "by majority vote, or by averaging calibrated probabilities"
    return f"combine both {how}"


def _single(model: str | None, steps: tuple[EnsembleStep, ...]) -> EnsembleAdvice:
    """Advice against an ensemble, for the reason that the last step gives."""
    reason = steps[-1].sentence
    if model is None:
        words = f"deploy none: {reason}"
        return EnsembleAdvice(NEITHER, None, None, (), words, steps)
    words = f"deploy the {model} alone, because {reason}"
    return EnsembleAdvice(SINGLE, model, None, (), words, steps)
