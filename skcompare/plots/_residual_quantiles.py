"""Display of the quantiles of the residuals of two regressors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcompare._core.formatting import (
    decimals_for,
    format_interval,
    format_number,
    in_one_line,
)
from skcompare._core.validation import check_confidence_level
from skcompare._typing import FloatArray
from skcompare.plots._numbers_display import NumbersDisplay, groups_in, short, why_no_limits
from skcompare.plots.drawing._labels import records_text
from skcompare.plots.drawing._layout import ROLES, Room, down_from, legend_below
from skcompare.plots.drawing._style import (
    INK,
    LINE,
    ROLE_STYLES,
    brief,
    dress,
    line_of_zero,
    percent,
)
from skcompare.plots.drawing._text import WIDEST, wrapped
from skcompare.predictions import PairedPredictions
from skcompare.stats.losses import means_by_range, quantile_band

SHARES = np.arange(1, 100) / 100
"""Levels of the quantiles."""

TICKS = 0.0, 0.25, 0.5, 0.75, 1.0
PLACES = 1.14, 1.22
"""Places of the means of champion and challenger, right of the curves."""

KINDS = RESIDUAL, ERROR = "residual", "absolute_error"

SPAN = 15.0
"""Ratio of the largest to the median absolute error from which their axis is
logarithmic."""


@dataclass(eq=False, repr=False)
class ResidualQuantilesDisplay(NumbersDisplay, title="Residual quantiles"):
    """Quantiles of the residuals of two regressors, and of their absolute errors.

    Is a regressor biased, and has the challenger smaller errors throughout or only in the
    tails? The first panel shows the quantiles of the residuals, true minus predicted
    numbers, over their level: a curve that is above 0 for more than half of its levels
    predicts too low. Beside the curves are the mean residuals, the bias, with their
    intervals. The second panel shows the quantiles of the absolute errors: the lower curve
    has the smaller errors.

    The bands are simultaneous: with the probability `confidence_level` the curve of all
    true quantiles is entirely within the band of its regressor, whatever the distribution.
    They are for one curve at a time, and are less informative about the difference of two
    curves than a paired test: overlapping bands do not show that regressors are equal.

    Parameters
    ----------
    shares : ndarray of shape (n_shares,)
        Levels of the quantiles, 0.01 to 0.99.
    residuals, errors : tuple of two ndarray of shape (3, n_shares)
        Of each role the quantiles of the residuals and of the absolute errors, with the
        limits of their bands, which are infinite where the sample does not reach.
    bias : tuple of two tuples of float
        Of each role the mean residual and the limits of its interval, which is for it
        alone; infinite without a band.
    names : tuple of str
        Champion and challenger.
    quantity : str
        Name of the target; may be empty.
    n : int
        Predictions.
    confidence_level : float
        Level of bands and intervals.
    why_no_band : str
        Reason why there is no band; empty if there is one.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    GainByRangeDisplay : In which part of the range the challenger gains.

    Notes
    -----
    The constructors take the options `quantity`, the name of the target with its unit for
    the axes, and `confidence_level`, 0.95 by default.

    For independent records the band has all quantiles whose level differs from that of the
    sample by at most the quantile of Kolmogorov's statistic: it is exact for a continuous
    distribution, and conservative otherwise [1]_. For groups this distance is the quantile
    of the largest of normal numbers that have the observed covariances of the groups'
    shares, which is valid for many groups. Predictions of several splits have no band,
    because their models share training records.

    References
    ----------
    .. [1] Massart, P. (1990). "The tight constant in the Dvoretzky-Kiefer-Wolfowitz
       inequality." Annals of Probability 18(3), 1269-1283.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare import compare
    >>> from skcompare.plots import ResidualQuantilesDisplay
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=300)
    >>> predictions = {"old": y + rng.normal(0.5, 1, 300), "new": y + rng.normal(size=300)}
    >>> comparison = compare(y, predictions, scoring="neg_mean_absolute_error")
    >>> display = ResidualQuantilesDisplay.of_result(comparison)
    >>> frame = display.frame().query("share == 0.5 and kind == 'residual'")
    >>> frame[["role", "quantile", "low", "high"]].round(2)
               role  quantile   low  high
    49     champion     -0.48 -0.68 -0.30
    148  challenger      0.04 -0.15  0.23
    """

    shares: FloatArray
    residuals: tuple[FloatArray, FloatArray]
    errors: tuple[FloatArray, FloatArray]
    bias: tuple[tuple[float, float, float], tuple[float, float, float]]
    names: tuple[str, str]
    quantity: str
    n: int
    confidence_level: float
    why_no_band: str

    @classmethod
    def _of(
        cls,
        pair: PairedPredictions,
        *,
        quantity: str = "",
        confidence_level: float = 0.95,
    ) -> Self:
        level, why = check_confidence_level(confidence_level), why_no_limits(pair)
        y, groups = pair.predictions.y_predicted(), groups_in(pair)
        curves: dict[str, list[FloatArray]] = {kind: [] for kind in KINDS}
        bias = []
        for role in pair.roles:
            assert role.values is not None
            residuals = y - role.values
            for kind, values in ((RESIDUAL, residuals), (ERROR, np.abs(residuals))):
                band = np.array(
                    quantile_band(values, SHARES, groups=groups, confidence_level=level)
                )
                if why:
                    band[1:] = [[-np.inf], [np.inf]]
                elif kind == ERROR:
                    band[1] = np.maximum(band[1], 0.0)
                curves[kind].append(band)
            everywhere = np.zeros(len(y), dtype=np.int64)
            means = means_by_range(
                residuals, everywhere, 1, groups=groups, confidence_level=level
            )
            limits = (-np.inf, np.inf) if why else (means.low[0], means.high[0])
            bias.append((float(means.mean[0]), *map(float, limits)))
        names = tuple(str(role.name) for role in pair.roles)
        numbers: Any = tuple(curves[RESIDUAL]), tuple(curves[ERROR]), tuple(bias), names
        others: Any = quantity, len(y), level, why
        return cls(SHARES, *numbers, *others)

    def _bias_text(self, role: int) -> str:
        """Return the mean residual of a role with its interval."""
        mean, low, high = self.bias[role]
        decimals = decimals_for(mean, low, high, beside=(0.0,), least=2)
        text = format_number(mean, decimals, signed=True)
        if not np.isfinite([low, high]).all():
            return text
        return f"{text} {format_interval((low, high), decimals)}"

    def _at(self, curves: tuple[FloatArray, FloatArray], share: float) -> list[str]:
        """Return the quantiles of both roles at a level as text."""
        place = int(np.argmin(np.abs(self.shares - share)))
        return [short(float(curve[0, place]), 3) for curve in curves]

    def _band_text(self) -> str:
        if self.why_no_band:
            return f"No bands: {self.why_no_band}"
        return f"Each curve is within its band at {percent(self.confidence_level)}"

    def _sentences(self) -> list[str]:
        """Return sentences on the bias, on typical and on large errors, and on bands."""
        middle, large = self._at(self.errors, 0.5), self._at(self.errors, 0.9)
        of = f" of {in_one_line(self.quantity)}" if self.quantity else ""
        interval = "" if self.why_no_band else f", with {percent(self.confidence_level)} "
        interval += "intervals" if interval else ""
        return [
            f"Residuals{of}, true minus predicted, of {records_text(self.n)}",
            f"Mean residual of the champion {self._bias_text(0)}, of the challenger "
            f"{self._bias_text(1)}{interval}",
            f"Half of the absolute errors are up to {middle[0]} and {middle[1]}, and 90 % "
            f"up to {large[0]} and {large[1]}",
            self._band_text(),
        ]

    def _titles(self) -> tuple[str, str]:
        middle, large = self._at(self.errors, 0.5), self._at(self.errors, 0.9)
        biases = f"Bias: champion {self._bias_text(0)},\nchallenger {self._bias_text(1)}"
        sizes = f"50 % up to {middle[0]} and {middle[1]},\n"
        return biases, f"{sizes}90 % up to {large[0]} and {large[1]}"

    def _room(self) -> Room:
        return Room(width=9.0, height=4.9, widths=(1.15, 1.0))

    def _draw(self, left: Any, right: Any) -> None:
        unit = f"\n{brief(self.quantity)}" if self.quantity else ""
        ends = [end for bias in self.bias for end in bias if np.isfinite(end)]
        self._draw_curves(left, self.residuals, ends)
        self._draw_bias(left)
        line_of_zero(left, vertical=False)
        left.set_ylabel(f"Residual (true − predicted){unit}")
        left.set_xlabel("Share of records with at most this residual")
        middle = min(float(np.median(curve[0])) for curve in self.errors)
        largest = max(float(curve[0, -1]) for curve in self.errors)
        if middle > 0 and largest > SPAN * middle:
            right.set_yscale("log")
        self._draw_curves(right, self.errors, [] if right.get_yscale() == "log" else [0.0])
        right.set_ylabel(f"Absolute error{unit}")
        right.set_xlabel("Share of records with at most this error")
        for ax, title in zip((left, right), self._titles()):
            ax.set_title(title, color=INK, fontsize="medium")
        handles, labels = right.get_legend_handles_labels()
        legend_below(left, handles=handles, labels=labels)
        style = {"transform": down_from(right), "color": INK, "linespacing": 1.35}
        text = "\n".join(wrapped([self._band_text()], WIDEST))
        right.text(0.0, 0.0, text, va="top", **style)

    def _draw_curves(
        self, ax: Any, curves: tuple[FloatArray, FloatArray], others: list[float]
    ) -> None:
        """Draw both curves with their bands, on an axis that has all of the curves."""
        is_log = ax.get_yscale() == "log"
        quantiles = np.concatenate([*(curve[0] for curve in curves), others])
        quantiles = quantiles[quantiles > 0] if is_log else quantiles
        scaled = np.log(quantiles) if is_log else quantiles
        low, high = float(scaled.min()), float(scaled.max())
        room = 0.05 * (high - low) or 1.0
        low, high = low - (0.0 if others == [0.0] else room), high + room
        low, high = (np.exp(low), np.exp(high)) if is_log else (low, high)
        for role, curve in enumerate(curves):
            style, name = ROLE_STYLES[role], ROLES[role].capitalize()
            if not self.why_no_band:
                # A band without a limit extends to the edge.
                ends = np.clip(curve[1:], low, high)
                shade = {"color": style["color"], "alpha": 0.16, "lw": 0}
                ax.fill_between(self.shares, *ends, **shade)
            every = {"markevery": (5 + 5 * role, 15), "ms": 5, "lw": 1.6}
            ax.plot(self.shares, np.maximum(curve[0], low), label=name, **style, **every)
        dress(ax)
        ax.set_ylim(low, high)
        ax.set_xlim(0, 1)
        ax.set_xticks(TICKS, [f"{100 * tick:.0f} %" for tick in TICKS])

    def _draw_bias(self, ax: Any) -> None:
        """Draw the mean residuals with their intervals, right of the curves."""
        for role, (mean, low, high) in enumerate(self.bias):
            style = ROLE_STYLES[role] | {"linestyle": "none"}
            ax.plot([PLACES[role]], [mean], ms=6, zorder=3, **style)
            if np.isfinite([low, high]).all():
                ax.vlines(PLACES[role], low, high, color=style["color"], lw=1.8, zorder=3)
        ax.axvline(1.0, color=LINE, lw=0.8)
        ax.set_xlim(0, PLACES[1] + 0.06)
        ticks = [*TICKS, sum(PLACES) / 2]
        ax.set_xticks(ticks, [*(f"{100 * tick:.0f} %" for tick in TICKS), "mean"])

    def _columns(self) -> Mapping[str, Any]:
        rows = [
            (ROLES[role], kind, *numbers)
            for kind, curves in zip(KINDS, (self.residuals, self.errors))
            for role, curve in enumerate(curves)
            for numbers in zip(self.shares.tolist(), *curve.tolist())
        ]
        rows += [
            (ROLES[role], "bias", np.nan, *numbers)
            for role, numbers in enumerate(self.bias)
        ]
        names = "role", "kind", "share", "quantile", "low", "high"
        return dict(zip(names, zip(*rows)))
