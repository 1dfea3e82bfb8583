"""What is said of the precision of every class."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._core.formatting import format_pvalue
from skcompare._core.validation import alpha_of, check_choice
from skcompare._io.columns import frame_from_columns
from skcompare._typing import FloatArray, IntArray
from skcompare.stats._class_label import SCORE_WORDS
from skcompare.stats._result import PairedResult
from skcompare.stats._score_limits import interval_level

EFFECTS = {"difference": 0.0, "ratio": 1.0, "odds_ratio": 1.0}
"""Effect sizes with their values of equal classifiers."""

MOST_LINES = 30
"""Classes that a text shows; others are in the frame."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrecisionByClass:
    """Tests of every class against the rest, with adjusted p-values.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels, sorted; all other arrays are in their order.
    champion, challenger : ndarray of shape (n_classes,)
        The score of each role, NaN where it has no answer that counts.
    n_champion, n_challenger : ndarray of shape (n_classes,)
        Answers that count: for precision, those that name the class.
    difference, ratio, odds_ratio : ndarray of shape (n_classes,)
        Challenger less champion, challenger over champion, and the ratio of their odds.
        Each has the limits `<name>_low` and `<name>_high`, at `interval_level`.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_classes,)
        The statistic is chi-squared with one degree of freedom; p is adjusted for the
        number of classes. NaN where undefined.
    class_flags : tuple of tuple of str
        Codes of caveats of each class.
    score, test, adjust, alternative : str
        As they were asked for.
    confidence_level : float
        At which the intervals hold.
    n : int
        Records, or answers to them.
    macro : PairedResult
        The difference of the mean scores of the classes that both classifiers answer.
    design : Design
        How the records were collected.

    .. versionadded:: 0.1
    """

    columns: ClassVar[tuple[str, ...]] = (
        "champion",
        "challenger",
        "n_champion",
        "n_challenger",
        "difference",
        "difference_low",
        "difference_high",
        "ratio",
        "ratio_low",
        "ratio_high",
        "odds_ratio",
        "odds_ratio_low",
        "odds_ratio_high",
        "statistic",
        "pvalue",
        "adjusted_pvalue",
    )
    settings: ClassVar[tuple[str, ...]] = (
        "score",
        "test",
        "adjust",
        "alternative",
        "confidence_level",
        "interval_level",
        "n",
    )

    classes: np.ndarray
    champion: FloatArray
    challenger: FloatArray
    n_champion: IntArray
    n_challenger: IntArray
    difference: FloatArray
    difference_low: FloatArray
    difference_high: FloatArray
    ratio: FloatArray
    ratio_low: FloatArray
    ratio_high: FloatArray
    odds_ratio: FloatArray
    odds_ratio_low: FloatArray
    odds_ratio_high: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    class_flags: tuple[tuple[str, ...], ...]
    score: str
    test: str
    adjust: str
    alternative: str
    confidence_level: float
    n: int
    macro: PairedResult
    design: Design

    def __post_init__(self) -> None:
        for name in ("classes", *self.columns):
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.classes)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the arrays come back read-only.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def __repr__(self) -> str:
        return (
            f"PrecisionByClass({len(self)} classes, score={self.score!r}, "
            f"test={self.test!r}, adjust={self.adjust!r}, n={self.n})"
        )

    @property
    def interval_level(self) -> float:
        """Confidence level of each interval.

        All of one effect size hold together at `confidence_level` by Bonferroni's
        inequality, but for adjust="none", where each holds by itself.
        """
        return interval_level(self.confidence_level, self.adjust, len(self))

    @property
    def significant(self) -> Any:
        """Whether the adjusted p-value of each class is below 1 - `confidence_level`."""
        return self.adjusted_pvalue < alpha_of(self.confidence_level)

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of all caveats, those of classes and of the macro average, each once."""
        codes = [code for flags in self.class_flags for code in flags]
        return tuple(dict.fromkeys([*codes, *self.macro.flags]))

    @property
    def caveats(self) -> list[str]:
        """The flags with their words."""
        return explain(self.flags)

    def to_dict(self) -> dict[str, Any]:
        """All values as plain ones; a class is a dict."""
        columns = self._columns()
        columns["flags"] = [list(flags) for flags in self.class_flags]
        rows = zip(*columns.values(), strict=True)
        return {
            **{name: getattr(self, name) for name in self.settings},
            "design": str(self.design),
            "flags": list(self.flags),
            "classes": [dict(zip(columns, row, strict=True)) for row in rows],
            "macro": self.macro.to_dict(self.confidence_level),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """The classes as a frame, a row a class.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library whose frame is returned.
        """
        columns = self._columns()
        columns["flags"] = [" ".join(flags) for flags in self.class_flags]
        return frame_from_columns(columns, backend)

    def forest(self, effect: str = "difference") -> dict[str, Any]:
        """What a forest plot of the classes shows, as plain values.

        Parameters
        ----------
        effect : {"difference", "ratio", "odds_ratio"}, default="difference"
            The effect size that is drawn.

        Returns
        -------
        forest : dict
            `effect`, its `null_value`, the `interval_level`, and `rows`: a dict a class
            with its `label`, `estimate`, `low`, `high`, `adjusted_pvalue` and whether it is
            `significant`.
        """
        check_choice("effect", effect, tuple(EFFECTS))
        values: Mapping[str, list[Any]] = {
            "label": self.classes.tolist(),
            "estimate": getattr(self, effect).tolist(),
            "low": getattr(self, f"{effect}_low").tolist(),
            "high": getattr(self, f"{effect}_high").tolist(),
            "adjusted_pvalue": self.adjusted_pvalue.tolist(),
            "significant": self.significant.tolist(),
        }
        rows = zip(*values.values(), strict=True)
        return {
            "effect": effect,
            "null_value": EFFECTS[effect],
            "interval_level": self.interval_level,
            "rows": [dict(zip(values, row, strict=True)) for row in rows],
        }

    def _columns(self) -> dict[str, list[Any]]:
        columns = {"label": self.classes.tolist()}
        return columns | {name: getattr(self, name).tolist() for name in self.columns}

    def __str__(self) -> str:
        words = SCORE_WORDS[self.score]
        macro = self.macro
        low, high = macro.confidence_interval(self.confidence_level)
        lines = [
            f"{words} of {len(self)} classes ({self.test}), {self.alternative}, "
            f"n = {self.n}, p adjusted by {self.adjust}, intervals at "
            f"{100 * self.interval_level:.6g} %",
            *self._table(),
            f"{macro.estimate_name} {macro.estimate:+.4f} [{low:.4f}, {high:.4f}], "
            f"p {format_pvalue(macro.pvalue)}",
        ]
        return "\n".join(lines + [f"flag {caveat}" for caveat in self.caveats])

    def _table(self) -> list[str]:
        head = ("class", "champion", "challenger", "difference", "interval", "p", "adj. p")
        rows = [head]
        for i in range(min(len(self), MOST_LINES)):
            limits = f"[{self.difference_low[i]:.4f}, {self.difference_high[i]:.4f}]"
            rows.append(
                (
                    str(self.classes[i]),
                    f"{self.champion[i]:.4f}",
                    f"{self.challenger[i]:.4f}",
                    f"{self.difference[i]:+.4f}",
                    limits,
                    format_pvalue(float(self.pvalue[i])),
                    format_pvalue(float(self.adjusted_pvalue[i])),
                )
            )
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.rjust(width) if i else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
        left = len(self) - MOST_LINES
        return lines + ([f"and {left} more classes"] if left > 0 else [])
