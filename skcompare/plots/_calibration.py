"""Display of the reliability diagrams of two classifiers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from skcompare._core.flags import explain
from skcompare._core.formatting import decimals_for, format_number
from skcompare._typing import FloatArray
from skcompare.evidence import PairedCalibration
from skcompare.plots._annotation import Finding, finding_from
from skcompare.plots.drawing._base import ONCE, PairDisplay, Place, comparison_behind
from skcompare.plots.drawing._labels import records_text, short_count
from skcompare.plots.drawing._layout import ROLES, Room, down_from, legend_below
from skcompare.plots.drawing._style import INK, LINE, ROLE_STYLES, SOFT, dress, percent
from skcompare.plots.drawing._text import WIDEST, wrapped
from skcompare.stats import calibration_consistency, calibration_difference

BINS = ("left", "right", "count", "mean_proba", "share")
LIMITS = ("low", "high", "consistency_low", "consistency_high")
"""Columns of the bins, and of limits, which are for independent records."""

EVENTS = {
    "binary": ("Mean probability of the positive class", "Share of positive records"),
    "top_label": ("Mean probability of the predicted class", "Share of right predictions"),
}

NARROWEST = 0.012
"""Width of the band of a bin with a single probability."""

LEAST_DECIMALS = 4
"""Least number of decimals of calibration errors, which are squares."""

TESTED = ("holdout", "grouped holdout")


@dataclass(eq=False, repr=False)
class CalibrationComparisonDisplay(
    PairDisplay,
    title="Reliability",
    place=Place(
        3,
        ("binary_brier_loss", "brier_score", "multiclass_brier_loss"),
        needs=("PairedCalibration",),
        same=("squared_calibration_error",),
        designs=ONCE,
        pooled=True,
    ),
):
    """Reliability diagrams of two classifiers, and the difference of calibration errors.

    One reliability diagram per role: in each bin of probabilities, the share of the records
    whose event happened against their mean probability. The shaded box of a bin is where
    the share of a calibrated classifier would be
    (:func:`~skcompare.stats.calibration_consistency`), the bar is Wilson's interval for the
    true share; both are for that bin alone. Below are the records in each bin, and the
    difference of the squared calibration errors with its interval
    (:func:`~skcompare.stats.calibration_difference`).

    With two classes the event is the positive class, with more of them the predicted class
    (top-label). Predictions of all splits of a cross-validation are pooled, and then no
    difference is tested; neither boxes nor bars are drawn where records come in groups, or
    have several predictions, because these are for independent records.

    Parameters
    ----------
    bins : tuple of two ndarray of shape (9, n_bins)
        Non-empty bins of each role: left and right edge, records, mean probability, share
        of events, its limits, and the limits of consistency.
    errors : tuple of two float
        Squared calibration error of each role, without bias.
    finding : Finding
        The champion's error minus the challenger's, with its interval and p-value.
    names : tuple of str
        Champion and challenger.
    kind : {"binary", "top_label"}
        Kind of the events.
    n : int
        Records.
    why_no_bands : str
        Reason why there are neither boxes nor bars; empty if there are.
    flags : tuple of str
        Codes of caveats about the difference.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    skcompare.stats.calibration_difference : The test of the errors.

    Notes
    -----
    The constructors take the options of :meth:`PairedCalibration.from_pair
    <skcompare.evidence.PairedCalibration.from_pair>`: `n_bins`, `strategy`, `edges`, `kind`
    and `pos_label`; and

    confidence_level : float, default=0.95
        Level of boxes, bars and the interval of the difference.

    Classwise events have bins for each class, too many for a picture: take one class
    against the rest, as two classes.

    Examples
    --------
    >>> from skcompare.evidence import PairedCalibration
    >>> from skcompare.plots import CalibrationComparisonDisplay
    >>> calibration = PairedCalibration.from_predictions(
    ...     y_true=[1, 0, 1, 0, 1, 0],
    ...     champion_proba=[0.9, 0.2, 0.7, 0.3, 0.6, 0.15],
    ...     challenger_proba=[0.75, 0.1, 0.85, 0.4, 0.8, 0.25],
    ...     n_bins=2,
    ... )
    >>> display = CalibrationComparisonDisplay.of_result(calibration)
    >>> display.frame()[["role", "count", "mean_proba", "share"]].round(2)
             role  count  mean_proba  share
    0    champion    3.0        0.22    0.0
    1    champion    3.0        0.73    1.0
    2  challenger    3.0        0.25    0.0
    3  challenger    3.0        0.80    1.0
    """

    bins: tuple[FloatArray, FloatArray]
    errors: tuple[float, float]
    finding: Finding
    names: tuple[str, str]
    kind: str
    n: int
    why_no_bands: str
    flags: tuple[str, ...]

    needs = PairedCalibration

    @classmethod
    def _of(cls, evidence: PairedCalibration, *, confidence_level: float = 0.95) -> Self:
        kind, n = evidence.kind, evidence.n
        if kind == "classwise":
            raise ValueError(
                "CalibrationComparisonDisplay shows one event per record. Got kind="
                "'classwise', which has bins for each class. Use kind='top_label', or take "
                "one class against the rest as two classes."
            )
        bands = [
            calibration_consistency(evidence, role, confidence_level=confidence_level)
            for role in ROLES
        ]
        curves = [evidence.curve(role, confidence_level) for role in ROLES]
        first, second = (
            np.array(
                [
                    *(band.left, band.right, band.count),
                    *(band.mean_proba, band.mean_outcome),
                    *(curve.low, curve.high, band.low, band.high),
                ]
            )[:, band.count > 0]
            for band, curve in zip(bands, curves)
        )
        errors, finding, flags = _tested(evidence, bands[0].confidence_level)
        reason = _dependence(evidence) if bands[0].flags else ""
        return cls((first, second), errors, finding, ROLES, kind, n, reason, flags)

    @classmethod
    def of_result(cls, result: Any, **options: Any) -> Self:
        """Create the display from a result, without drawing it.

        Parameters
        ----------
        result : Comparison, fitted PairedComparator, PairedPredictions, PairedCalibration
            Source of the numbers.
        **options : dict
            Options of :meth:`from_result`.

        Returns
        -------
        display : CalibrationComparisonDisplay
            Its `frame()` needs no matplotlib.
        """
        display = super().of_result(result, **options)
        # The evidence has no names, but a comparison and predictions have.
        holder = comparison_behind(result)
        names = [getattr(holder, role, role) for role in ROLES]
        first, second = (str(getattr(name, "name", name)) for name in names)
        display.names = first, second
        return display

    def _sentences(self) -> list[str]:
        """Return sentences on both errors, their difference and bins outside the bands."""
        sentences = [
            f"Reliability diagrams of {records_text(self.n)}: squared calibration error "
            f"of the champion {self._error_text(0)}, of the challenger "
            f"{self._error_text(1)}",
            ", ".join(self._gain_lines),
        ]
        if self.why_no_bands:
            sentences.append(f"No bands: {self.why_no_bands}")
        else:
            level = percent(self.finding.confidence_level)
            outside = [
                f"{int(np.sum((share < low) | (share > high)))} of {len(share)}"
                for *_, share, _, _, low, high in self.bins
            ]
            sentences.append(
                f"{outside[0]} bins of the champion and {outside[1]} of the challenger are "
                f"outside the {level} range of a calibrated classifier"
            )
        return [*sentences, *explain(self.flags)]

    def _error_text(self, role: int) -> str:
        error = self.errors[role]
        return format_number(error, decimals_for(error, least=LEAST_DECIMALS))

    @property
    def _gain_lines(self) -> list[str]:
        """Lines of text on the difference, its interval and its test."""
        finding = replace(self.finding, least_decimals=LEAST_DECIMALS)
        return finding.lines("Gain in squared calibration error")

    def _room(self) -> Room:
        return Room(
            width=9.0, height=6.8, heights=(3.2, 1.0), widths=(1.0, 1.0), together="both"
        )

    def _draw(self, *axes: Any) -> None:
        for i, role in enumerate(ROLES):
            self._draw_reliability(axes[i], i)
            self._draw_counts(axes[2 + i], i)
            title = f"{role.capitalize()}\n"
            axes[i].set_title(
                f"{title}Squared calibration error {self._error_text(i)}",
                fontsize="medium",
            )
        axes[0].set_ylabel(EVENTS[self.kind][1])
        axes[2].set_ylabel("Records")
        for upper in axes[:2]:
            upper.tick_params(axis="x", labelbottom=False)
        for right in axes[1::2]:
            right.tick_params(axis="y", labelleft=False)
        handles, labels = axes[0].get_legend_handles_labels()
        legend_below(axes[2], handles=handles, labels=labels)
        lines = self._gain_lines
        if self.why_no_bands:
            lines.append(f"No bands: {self.why_no_bands}")
        lines += explain(self.flags)
        text = "\n".join(wrapped(lines, WIDEST))
        style = {"transform": down_from(axes[3]), "color": INK, "linespacing": 1.35}
        axes[3].text(0.0, 0.0, text, va="top", **style)

    def _draw_reliability(self, ax: Any, role: int) -> None:
        left, right, _, x, share, low, high, under, over = self.bins[role]
        level = percent(self.finding.confidence_level)
        ax.plot([0, 1], [0, 1], color=INK, lw=1, ls=":", label="Calibrated")
        if not self.why_no_bands:
            middle, width = (left + right) / 2, np.maximum(right - left, NARROWEST)
            label = f"{level} of shares, if calibrated"
            box = {"fc": LINE, "ec": SOFT, "lw": 0.5, "label": label}
            ax.bar(middle, over - under, width, bottom=under, **box)
            style = {"color": ROLE_STYLES[role]["color"], "lw": 1.2, "zorder": 2.5}
            ax.vlines(x, low, high, label=f"{level} interval of the share", **style)
        ax.plot(x, share, lw=1.4, ms=5, label="Share of events", **ROLE_STYLES[role])
        dress(ax)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)

    def _draw_counts(self, ax: Any, role: int) -> None:
        from matplotlib.ticker import MaxNLocator

        left, right, count, *_ = self.bins[role]
        color = ROLE_STYLES[role]["color"]
        middle, width = (left + right) / 2, np.maximum(right - left, NARROWEST)
        style = {"fc": "none", "hatch": "////"} if role == 0 else {"fc": color}
        ax.bar(middle, count, width, ec=color, lw=0.6, **style)
        dress(ax, grid="y")
        ax.set_ylim(0, 1.08 * max(role_bins[2].max() for role_bins in self.bins))
        ax.yaxis.set_major_locator(MaxNLocator(3, integer=True))
        ax.yaxis.set_major_formatter(short_count)
        ax.set_xlabel(EVENTS[self.kind][0])

    def _columns(self) -> Mapping[str, Any]:
        names = BINS if self.why_no_bands else BINS + LIMITS
        roles = [role for role, bins in zip(ROLES, self.bins) for _ in bins[0]]
        columns = zip(names, np.concatenate(self.bins, axis=1), strict=False)
        return {"role": roles} | {name: row.tolist() for name, row in columns}


def _dependence(evidence: PairedCalibration) -> str:
    """Explain why limits for independent records are not valid."""
    if evidence.groups is not None:
        return "records of a group depend on each other"
    if evidence.design.kind in ("unknown", "time ordered"):
        return "it is unknown whether records are independent"
    return "records were predicted several times, by models of several splits"


def _tested(
    evidence: PairedCalibration, confidence_level: float
) -> tuple[tuple[float, float], Finding, tuple[str, ...]]:
    """Return both calibration errors, the test of their difference if valid, and flags."""
    first, second = (
        evidence.error(role, "l2", squared=True, debiased=True) for role in (0, 1)
    )
    units = evidence.n if evidence.groups is None else len(evidence.group_labels)
    reason = str(evidence.design)
    if evidence.design.name in TESTED:
        reason = ""
        if evidence.n_bins[0] != evidence.n_bins[1]:
            reason = "different numbers of bins"
        elif units < 2:
            reason = "one record" if evidence.groups is None else "one group"
    if reason:
        finding = Finding(first - second, confidence_level=confidence_level, design=reason)
        return (first, second), finding, evidence.flags
    result = calibration_difference(evidence)
    assert result.champion is not None and result.challenger is not None
    finding = finding_from(result, "Test of the difference", confidence_level)
    return (result.champion, result.challenger), finding, result.flags
