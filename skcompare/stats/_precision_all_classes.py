"""What one answer for all classes is made of: their tests and their covariance."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from skcompare._core.validation import check_choice
from skcompare._typing import FloatArray
from skcompare.evidence import JointCounts
from skcompare.evidence._class_rows import CLASS_SCORES
from skcompare.stats._adjust import ADJUSTMENTS, adjust_pvalues
from skcompare.stats._class_label import FEW_INFORMATIVE, NO_ANSWERS, SCORE_WORDS
from skcompare.stats._combine_pvalues import CombinedPvalue
from skcompare.stats._precision_class_tests import (
    LEFT_OUT,
    Significance,
    class_test,
    informative_clusters,
)
from skcompare.stats._precision_statistics import share_contrast
from skcompare.stats._result import PairedResult

RANK_TOLERANCE = 1e-9
"""Eigenvalues of the correlation matrix below this part of the largest one are 0."""

CONSISTENT = 1e-6
"""Part of the standardised differences that may lie where nothing varies, by rounding."""

FEW_ANSWERS = "few-answers-of-a-class"


class AllClasses:
    """The tests of all classes of two classifiers.

    Attributes
    ----------
    moments : ClassMoments
    found : Significance
    known : ndarray of shape (n_classes,)
        Whether both classifiers have an answer that counts.
    alike : ndarray of shape (n_classes,)
        Whether both have the same answers.
    """

    def __init__(self, counts: JointCounts, score: str, test: str, adjust: str) -> None:
        check_choice("score", score, CLASS_SCORES)
        check_choice("adjust", adjust, ADJUSTMENTS)
        self.counts, self.score, self.adjust = counts, score, adjust
        self.rows = counts.class_rows()
        self.test = test = class_test(test, self.rows)
        self.moments = self.rows.moments(score)
        self.found = Significance(self.moments, test, "two-sided")
        self.known, self.alike = self.found.known, self.found.alike

    def covariance(self) -> FloatArray:
        """Of the classes' effects, on the scale that the test compares them on.

        Under the null hypothesis the score tests are those of the difference.
        """
        shares = self.moments.shares
        slopes = np.ones_like(shares)
        if self.test in ("wald", "relative"):
            spread = shares * (1 - shares) if self.test == "wald" else shares
            slopes = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0.0)
        slopes = np.where(self.known[:, np.newaxis], slopes, 0.0)
        covariance = self.rows.influence_covariance(self.score, slopes * (-1.0, 1.0))
        # What does not vary is 0 and not what rounding leaves.
        varies = share_contrast(self.moments).variance > 0
        return np.where(varies[:, np.newaxis] & varies, covariance, 0.0)

    def correlation(self) -> FloatArray:
        """Of the classes' statistics under the null hypothesis."""
        covariance = self.covariance()
        deviation = np.sqrt(covariance.diagonal())
        deviation = np.where(deviation > 0, deviation, np.inf)
        found = covariance / deviation[:, np.newaxis] / deviation
        found = np.clip((found + found.T) / 2, -1.0, 1.0)
        np.fill_diagonal(found, 1.0)
        return np.asarray(found)

    def combined(
        self, combined: CombinedPvalue, details: Mapping[str, float] | None = None
    ) -> PairedResult:
        """The result of a combination of p-values."""
        still = self.found.degenerate | ~self.known
        flags = tuple(flag for flag in combined.flags if self._is_news(flag))
        return self.result(
            combined.method,
            combined.statistic,
            (combined.pvalue, combined.log_pvalue),
            combined.df,
            (("degenerate",) if still.all() else ()) + flags,
            {**combined.details, **(details or {})},
        )

    def _is_news(self, flag: str) -> bool:
        """Whether a flag says more than that classes are not answered."""
        undefined = np.isnan(self.found.pvalue) & self.known
        return flag != "undefined-pvalue" or bool(undefined.any())

    def unknown(self, method: str) -> PairedResult:
        """The result where no class is answered by both."""
        tail = (math.nan, math.nan)
        return self.result(method, math.nan, tail, None, (NO_ANSWERS,))

    def result(
        self,
        method: str,
        statistic: float,
        tail: tuple[float, float],
        df: float | None,
        flags: tuple[str, ...] = (),
        details: Mapping[str, float] | None = None,
    ) -> PairedResult:
        """A result with all classes as its parts."""
        known = self.known
        shares = self.moments.shares
        sizes = np.abs(shares[:, 1] - shares[:, 0])
        if not known.all() and known.any():
            flags += (LEFT_OUT,)
        few = informative_clusters(self.rows, self.score) < FEW_INFORMATIVE
        if (few & known & ~self.alike).any():
            flags += (FEW_ANSWERS,)
        return PairedResult(
            statistic=statistic,
            pvalue=tail[0],
            log_pvalue=tail[1],
            df=df,
            estimate=float(sizes[known].max()) if known.any() else math.nan,
            estimate_name=f"greatest difference of {SCORE_WORDS[self.score]}",
            champion=None,
            challenger=None,
            alternative="two-sided",
            method=method,
            n=self.counts.n,
            limits=None,
            flags=flags,
            details={
                "n_classes": len(known),
                "n_left_out": int((~known).sum()),
                "n_alike": int((known & self.alike).sum()),
                **(details or {}),
            },
            parts=self.parts(),
        )

    def parts(self) -> tuple[dict[str, Any], ...]:
        """A mapping for each class, that with the smallest p first."""
        shares = self.moments.shares
        pvalue = self.found.pvalue
        columns = {
            "label": self.rows.classes.tolist(),
            "n_champion": self.moments.rows[:, 0].tolist(),
            "n_challenger": self.moments.rows[:, 1].tolist(),
            "champion": _plain(shares[:, 0]),
            "challenger": _plain(shares[:, 1]),
            "difference": _plain(shares[:, 1] - shares[:, 0]),
            "pvalue": _plain(pvalue),
            "adjusted_pvalue": _plain(adjust_pvalues(pvalue.tolist(), self.adjust)),
        }
        rows = list(zip(*columns.values(), strict=True))
        order = np.argsort(np.nan_to_num(pvalue, nan=2.0), kind="stable")
        return tuple(dict(zip(columns, rows[i], strict=True)) for i in order)


def _plain(values: FloatArray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def quadratic_form(
    covariance: FloatArray, differences: FloatArray
) -> tuple[float, int, bool]:
    """The quadratic form of differences with their covariance, its rank.

    Returns
    -------
    value : float
        Of the part of the differences that lies where something varies.
    rank : int
        Eigenvalues of the correlation matrix that are not 0.
    consistent : bool
        Whether that is all of them.
    """
    deviation = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    varies = deviation > 0
    fixed = not (differences[~varies] != 0).any()
    if not varies.any():
        return 0.0, 0, fixed
    kept = covariance[np.ix_(varies, varies)]
    deviation, differences = deviation[varies], differences[varies]
    standardised = differences / deviation
    correlation = kept / deviation[:, np.newaxis] / deviation
    values, vectors = np.linalg.eigh((correlation + correlation.T) / 2)
    parts = vectors.T @ standardised
    large = values > RANK_TOLERANCE * values[-1]
    beyond = float(np.linalg.norm(parts[~large]))
    consistent = beyond <= CONSISTENT * max(1.0, float(np.linalg.norm(standardised)))
    value = float((parts[large] ** 2 / values[large]).sum())
    return value, int(large.sum()), fixed and consistent
