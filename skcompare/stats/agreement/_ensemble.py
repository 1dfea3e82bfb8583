"""Recommendation of an ensemble of two classifiers, by four checkpoints."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skcompare._core.arrays import plain_values
from skcompare._core.formatting import format_pvalue
from skcompare._core.validation import check_alpha, check_choice, is_number
from skcompare.evidence import (
    ContingencyTable,
    JointCounts,
    PairedCalibration,
    PairedLosses,
)
from skcompare.stats.accuracy._mcnemar import mcnemar
from skcompare.stats.agreement._association import error_correlation, yule_q
from skcompare.stats.agreement._symmetry import bowker
from skcompare.stats.core._tails import SMALLEST, more

ROLES = ("champion", "challenger")
COMBINE, SINGLE, NEITHER = "combine", "single", "neither"
MOST_CALIBRATION_ERROR = 0.1
TIE = 1e-12
"""Accuracies and losses this close are equal."""


@dataclass(frozen=True, slots=True)
class EnsembleStep:
    """Outcome of one checkpoint of a recommendation, with the supporting numbers.

    Attributes
    ----------
    name : {"useful", "gap", "redundancy", "fusion", "calibration"}
        The checkpoint.
    passed : bool or None
        None where the evidence for it is missing, or where it chooses and cannot fail.
    sentence : str
        The finding.
    values : mapping of str to float
        The numbers.
    """

    name: str
    passed: bool | None
    sentence: str
    values: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain values."""
        return plain_values(self)


@dataclass(frozen=True, slots=True)
class EnsembleAdvice:
    """Advice on combining two classifiers, with the evidence for each checkpoint.

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
        Classifiers whose probabilities to recalibrate before they are averaged.
    sentence : str
        The advice in one sentence.
    steps : tuple of EnsembleStep
        The checkpoints that were reached, in order; the first that fails is the last.
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
        """Return the advice and its steps as plain values."""
        return plain_values(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "EnsembleAdvice":
        """Restore the advice from the output of :meth:`to_dict`."""
        steps = tuple(EnsembleStep(**step) for step in values["steps"])
        fields = dict(values) | {"recalibrate": tuple(values["recalibrate"])}
        return cls(**fields | {"steps": steps})


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
    """Recommend whether, and how, to combine two classifiers.

    Four checkpoints [1]_, of which the first two must be passed for an ensemble to be
    advised: both classifiers are useful and neither is far ahead; their errors are not
    redundant; the shape of their disagreement chooses the way of combining; and averaged
    probabilities should be calibrated. This is advice and not a test: whether the ensemble
    is better requires a separate comparison, on new records.

    Parameters
    ----------
    counts : JointCounts
        Counts of records by true class and the two predictions, from a hold-out set.
    losses : PairedLosses, optional
        Losses of the same records. Without them redundancy is judged from correct and wrong
        predictions alone.
    calibration : PairedCalibration, optional
        Bins of the same records. Without them calibration is not checked.
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
        Kind of correlation of the losses.

    Returns
    -------
    advice : EnsembleAdvice
        One sentence, and a step with its numbers for each checkpoint that was reached.

    Raises
    ------
    TypeError
        If `counts` are not such counts.
    ValueError
        If the pieces of evidence are not of the same number of records, or a threshold is
        not a number.

    Notes
    -----
    A classifier is useful if its accuracy is above the share of the commonest class; the
    step also has the exact one-sided binomial p-value of that. McNemar's test is the mid-p
    one. If Q is undefined (neither errs, or always both), the correlation alone counts;
    where both are undefined there is nothing to gain. Where an ensemble is not advised, the
    better single one is that with the higher accuracy, of equals with the lower mean loss,
    and else the champion. Cohen's kappa takes no part: it is about labels, not errors.

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
    if not isinstance(counts, JointCounts):
        raise TypeError(
            f"recommend_ensemble needs JointCounts. Got {type(counts).__name__}. Use "
            "JointCounts.from_predictions(y_true, champion, challenger), or take the "
            "`advice` of compare(y_true, champion, challenger)."
        )
    check_alpha(alpha)
    check_choice("correlation", correlation, ("pearson", "spearman"))
    thresholds = {
        "gap": most_gap,
        "q": most_q,
        "correlation": most_correlation,
        "same": same_model,
        "calibration": most_calibration_error,
    }
    for name, value in thresholds.items():
        if not is_number(value) or not math.isfinite(value):
            raise ValueError(
                f"The thresholds must be finite numbers. Got {value!r} for the one of "
                f"{name}."
            )
    for name, evidence in (("losses", losses), ("calibration", calibration)):
        if evidence is not None and evidence.n != counts.n:
            raise ValueError(
                f"All evidence must be of the same records. Got {counts.n} in `counts` and "
                f"{evidence.n} in `{name}`."
            )
    table = counts.contingency_table()
    better = _better(table, losses)
    useful, winner = _useful(counts, table, better)
    if not useful.passed:
        return _single(winner, (useful,))
    gap = _gap(table, alpha, most_gap)
    if not gap.passed:
        return _single(better, (useful, gap))
    redundancy = _redundancy(table, losses, correlation, thresholds)
    if not redundancy.passed:
        return _single(better, (useful, gap, redundancy))
    fusion, kind = _fusion(counts, alpha)
    calibrated, poor = _calibration(calibration, most_calibration_error)
    return EnsembleAdvice(
        COMBINE,
        None,
        kind,
        poor,
        _combining(kind, poor, calibration is not None),
        (useful, gap, redundancy, fusion, calibrated),
    )


def _better(table: ContingencyTable, losses: PairedLosses | None) -> str:
    """Role with the higher accuracy, with ties broken by lower loss, then the champion."""
    champion, challenger = table.accuracies
    gain = challenger - champion
    if abs(gain) <= TIE and losses is not None:
        means = losses.means
        gain = means[0] - means[1]
    return ROLES[int(gain > TIE)]


def _useful(
    counts: JointCounts, table: ContingencyTable, better: str
) -> tuple[EnsembleStep, str | None]:
    """Compare each accuracy with that of always predicting the most common class."""
    truth = counts.cells[:, 0]
    share = float(np.bincount(truth, weights=counts.counts).max() / counts.n)
    accuracies = table.accuracies
    values = {"commonest_class": share}
    for role, accuracy in zip(ROLES, accuracies, strict=True):
        n_correct = round(accuracy * counts.n)
        values[f"{role}_accuracy"] = accuracy
        pvalue = float(more(n_correct - 1, counts.n, share)) if n_correct else 1.0
        values[f"{role}_pvalue"] = max(pvalue, SMALLEST)
    useful = [accuracy > share + TIE for accuracy in accuracies]
    observed = f"accuracies {accuracies[0]:.3f} and {accuracies[1]:.3f}"
    baseline = f"the share of the commonest class, {share:.3f}"
    winner, sentence = None, f"neither is useful: {observed}, not above {baseline}"
    if all(useful):
        winner, sentence = better, f"both are useful: {observed} above {baseline}"
    elif any(useful):
        loser, winner = ROLES[useful.index(False)], ROLES[useful.index(True)]
        sentence = f"{loser} is not useful: {observed}, and not both above {baseline}"
    return EnsembleStep("useful", all(useful), sentence, values), winner


def _gap(table: ContingencyTable, alpha: float, most_gap: float) -> EnsembleStep:
    result = mcnemar(table)
    gap = abs(result.estimate)
    # A gap of exactly 5 points must not be above 5 points by rounding.
    wide = gap > most_gap + TIE and result.pvalue < alpha
    numbers = f"accuracies differ by {gap:.3f}, p {format_pvalue(result.pvalue)} (mcnemar)"
    verdict = "one is far ahead" if wide else "neither is far ahead"
    values = {"gap": gap, "pvalue": result.pvalue}
    return EnsembleStep("gap", not wide, f"{verdict}: {numbers}", values)


def _redundancy(
    table: ContingencyTable,
    losses: PairedLosses | None,
    correlation: Any,
    thresholds: Mapping[str, float],
) -> EnsembleStep:
    q = yule_q(table).estimate
    r = math.nan
    if losses is not None:
        r = error_correlation(losses, method=correlation).estimate
    label = f"{correlation.capitalize()} correlation of the losses"
    pairs = (("Yule's Q", q, thresholds["q"]), (label, r, thresholds["correlation"]))
    defined = [pair for pair in pairs if not math.isnan(pair[1])]
    values = {"yule_q": q, "correlation": r}
    if not defined:
        sentence = "nothing to gain: no association of errors can be estimated"
        return EnsembleStep("redundancy", False, sentence, values)
    redundant = any(value >= limit for _, value, limit in defined)
    numbers = ", ".join(
        f"{label} {_beside(value, limit)} {'at or above' if value >= limit else 'below'} "
        f"{limit:g}"
        for label, value, limit in defined
    )
    # Q alone is 1 as soon as one of the two is correct wherever the other is.
    if len(defined) == 2 and min(q, r) >= thresholds["same"]:
        verdict = "effectively the same model"
    elif redundant:
        verdict = "errors are redundant, so that the gain is marginal at best"
    else:
        verdict = "errors are not redundant"
    return EnsembleStep("redundancy", not redundant, f"{verdict}: {numbers}", values)


def _beside(value: float, limit: float) -> str:
    """Format a number with two decimals, or more to distinguish it from a limit."""
    decimals = 2
    while decimals < 12 and (round(value, decimals) >= limit) != (value >= limit):
        decimals += 1
    return f"{value:.{decimals}f}"


def _fusion(counts: JointCounts, alpha: float) -> tuple[EnsembleStep, str]:
    result = bowker(counts.agreement_matrix())
    kind = "asymmetric" if result.pvalue < alpha else "symmetric"
    pvalue = format_pvalue(result.pvalue)
    sentence = f"disagreements are {kind} across classes: p {pvalue} (bowker)"
    values = {"statistic": result.statistic, "pvalue": result.pvalue}
    return EnsembleStep("fusion", None, sentence, values), kind


def _calibration(
    calibration: PairedCalibration | None, most_error: float
) -> tuple[EnsembleStep, tuple[str, ...]]:
    if calibration is None:
        sentence = "calibration was not evaluated: no probabilities"
        return EnsembleStep("calibration", None, sentence), ()
    errors = {role: calibration.error(role, norm="l1") for role in ROLES}
    poor = tuple(role for role in ROLES if errors[role] > most_error)
    champion, challenger = errors.values()
    numbers = f"expected calibration errors {champion:.3f} and {challenger:.3f}"
    verdict = "both calibrated well enough"
    if poor:
        verdict = f"{' and '.join(poor)} badly calibrated"
    return EnsembleStep("calibration", not poor, f"{verdict}: {numbers}", errors), poor


def _combining(kind: str, poor: tuple[str, ...], checked: bool) -> str:
    if kind == "asymmetric":
        method = "with weights by class, or by routing the disputed classes"
    elif poor:
        method = "by majority vote, or by averaging after recalibration of " + " and ".join(
            poor
        )
    elif checked:
        method = "by averaging their probabilities"
    else:
        method = "by majority vote, or by averaging calibrated probabilities"
    return f"combine both {method}"


def _single(model: str | None, steps: tuple[EnsembleStep, ...]) -> EnsembleAdvice:
    """Return advice against an ensemble, with the last step as the reason."""
    reason = steps[-1].sentence
    if model is None:
        sentence = f"deploy none: {reason}"
        return EnsembleAdvice(NEITHER, None, None, (), sentence, steps)
    sentence = f"deploy the {model} alone, because {reason}"
    return EnsembleAdvice(SINGLE, model, None, (), sentence, steps)
