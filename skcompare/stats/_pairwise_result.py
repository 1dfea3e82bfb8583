"""What is said of the accuracies of several pairs of classifiers."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from skcompare._core.design import Design
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ContingencyTable
from skcompare.stats._mcnemar import mcnemar
from skcompare.stats._pairwise_rows import SETTINGS, PairwiseRows
from skcompare.stats._result import PairedResult


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwiseResult(PairwiseRows):
    """McNemar's tests of several pairs of classifiers, with adjusted p-values.

    Attributes
    ----------
    champion, challenger : tuple of str
        Names of the two classifiers of each pair.
    both_correct, only_champion, only_challenger : ndarray of shape (n_pairs,)
        Records that both answered rightly, or one of them.
    difference : ndarray of shape (n_pairs,)
        Accuracy of the challenger less that of the champion.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_pairs,)
        As of :func:`~skcompare.stats.mcnemar`, and the p-values adjusted for the number of
        pairs.
    n : int
        Records.
    method, adjust, alternative : str
        As they were asked for.
    control : str or None
        The classifier that the others are compared with.
    confidence_level : float
        At which the intervals hold.
    omnibus : PairedResult
        Cochran's Q of all classifiers.
    flags : tuple of str
        Codes of caveats; `caveats` has their words.
    monte_carlo_error : ndarray of shape (n_pairs,) or None
        Standard errors of adjusted p-values that are drawn, as by "max-t". One-sided they
        are smaller, because each resample counts with its opposite.

    .. versionadded:: 0.1
    """

    columns: ClassVar[tuple[str, ...]] = (
        "difference",
        "only_champion",
        "only_challenger",
        "statistic",
        "pvalue",
        "adjusted_pvalue",
        "low",
        "high",
    )
    settings: ClassVar[tuple[str, ...]] = ("method", *SETTINGS)

    champion: tuple[str, ...]
    challenger: tuple[str, ...]
    both_correct: IntArray
    only_champion: IntArray
    only_challenger: IntArray
    statistic: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    n: int
    method: str
    adjust: str
    alternative: str
    control: str | None
    confidence_level: float
    omnibus: PairedResult
    design: Design
    flags: tuple[str, ...] = ()
    monte_carlo_error: FloatArray | None = None
    # Intervals take longer than all tests together, so they are made when asked for.
    _limits: FloatArray | None = field(default=None, init=False)

    def __repr__(self) -> str:
        return (
            f"PairwiseResult({len(self)} pairs, method={self.method!r}, "
            f"adjust={self.adjust!r}, control={self.control!r}, n={self.n})"
        )

    @property
    def difference(self) -> FloatArray:
        """Accuracy of the challenger less that of the champion."""
        return (self.only_challenger - self.only_champion) / self.n

    @property
    def low(self) -> FloatArray:
        """Lower limits of the differences, at `interval_level`."""
        return self._both_limits()[0]

    @property
    def high(self) -> FloatArray:
        """Upper limits of the differences, at `interval_level`."""
        return self._both_limits()[1]

    @property
    def results(self) -> tuple[PairedResult, ...]:
        """The test of each pair by itself, not adjusted, with an interval at any level."""
        return tuple(
            mcnemar(table, method=self.method, alternative=self.alternative)
            for table in self._tables()
        )

    def __str__(self) -> str:
        return self._text(f"pairwise McNemar ({self.method})", list(self._contradiction()))

    def _contradiction(self) -> Iterator[str]:
        """A sentence where the omnibus test rejects and no pair does."""
        alpha = 1 - self.confidence_level
        if self.omnibus.pvalue < alpha and not (self.adjusted_pvalue < alpha).any():
            yield (
                f"{self.omnibus.test} rejects equal accuracies at {alpha:.3g}, but no pair "
                "differs after the adjustment: some classifiers differ, and these records "
                "do not show which."
            )

    def _tables(self) -> Iterator[ContingencyTable]:
        counts = (self.both_correct, self.only_champion, self.only_challenger)
        for both, one, other in zip(*(count.tolist() for count in counts), strict=True):
            neither = self.n - both - one - other
            yield ContingencyTable(both, one, other, neither, self.design)

    def _both_limits(self) -> FloatArray:
        if self._limits is None:
            level = self.interval_level
            pairs = [result.confidence_interval(level) for result in self.results]
            limits = np.array(pairs).T
            limits.setflags(write=False)
            object.__setattr__(self, "_limits", limits)
        return self._limits  # type: ignore[return-value]
