"""The result of a test of two shares, whatever the scale they are compared on."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from skcompare._core.validation import check_alternative, check_choice
from skcompare.evidence import JointCounts
from skcompare.evidence._class_rows import CLASS_SCORES, ClassMoments
from skcompare.stats._class_label import (
    FEW_CLUSTERS,
    FEW_INFORMATIVE,
    NO_ANSWERS,
    SCORE_WORDS,
    class_label,
    class_words,
)
from skcompare.stats._gee import BOUNDARY, ONE_CLUSTER
from skcompare.stats._precision_statistics import (
    Contrast,
    answered_alike,
    has_answers,
    mancl_derouen,
)
from skcompare.stats._relative_accuracy import ZERO_VARIANCE
from skcompare.stats._result import PairedResult
from skcompare.stats._tails import normal_pvalue

CORRECTIONS = ("none", "mancl-derouen")

Limits = Callable[[float, str], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Question:
    """One class and one score of two classifiers, with what the records say of it."""

    n: int
    label: Any
    score: str
    moments: ClassMoments
    alternative: str

    @property
    def shares(self) -> tuple[float, float]:
        """The score of champion and challenger; NaN without answers that count."""
        champion, challenger = self.moments.shares.tolist()
        return champion, challenger

    @property
    def known(self) -> bool:
        """Whether both classifiers have answers that count."""
        return bool(has_answers(self.moments))

    @property
    def n_informative(self) -> int:
        """Records with an answer of either classifier that counts."""
        rr = self.moments.rr
        return int(rr[0, 0] + rr[1, 1] - rr[0, 1])

    def covariance(self, correction: str) -> Any:
        """Of the shares; None stands for the one without correction."""
        check_choice("correction", correction, CORRECTIONS)
        return mancl_derouen(self.moments) if correction == "mancl-derouen" else None

    def flags(self, contrast: Contrast, boundary: bool) -> tuple[str, ...]:
        """What a reader should know of the statistic."""
        root, flags = float(contrast.root), []
        nothing = float(contrast.variance) == 0 or math.isnan(contrast.estimate)
        if answered_alike(self.moments) or (root == 0 and nothing):
            flags.append("degenerate")
        if not self.known:
            flags.append(NO_ANSWERS)
        elif boundary:
            flags.append(BOUNDARY)
        elif math.isnan(root):
            flags.append(ONE_CLUSTER)
        elif math.isinf(root):
            flags.append(ZERO_VARIANCE)
        elif "degenerate" not in flags and self.n_informative < FEW_INFORMATIVE:
            flags.append(FEW_CLUSTERS)
        return tuple(flags)

    def result(
        self,
        contrast: Contrast,
        *,
        estimate: float,
        scale: str,
        method: str,
        limits: Limits,
        unknown: Limits,
        boundary: bool = False,
        null_value: float = 0.0,
    ) -> PairedResult:
        """The result with its p-value.

        Parameters
        ----------
        contrast : Contrast
            The statistic.
        estimate : float
            What is estimated.
        scale : {"difference", "ratio", "odds ratio"}
            Its name.
        method : str
            How the p-value was computed.
        limits, unknown : callable
            The interval, and the one where nothing is known.
        boundary : bool, default=False
            Whether a logarithm that the scale needs is infinite.
        null_value : float, default=0.0
            The estimate of equal scores.
        """
        flags = self.flags(contrast, boundary)
        root, tail = float(contrast.root), (math.nan, math.nan)
        if "degenerate" in flags:
            root, tail = 0.0, (1.0, 0.0)
        elif math.isfinite(root):
            tail = normal_pvalue(root, self.alternative)
        champion, challenger = self.shares
        rows = self.moments.rows.tolist()
        told = self.known and not boundary and not math.isnan(tail[0])
        return PairedResult(
            statistic=root**2,
            pvalue=tail[0],
            log_pvalue=tail[1],
            df=1,
            estimate=estimate if self.moments.rows.any() else null_value,
            estimate_name=f"{scale} of {SCORE_WORDS[self.score]}",
            champion=champion,
            challenger=challenger,
            alternative=self.alternative,
            method=method,
            n=self.n,
            null_value=null_value,
            limits=limits if told else unknown,
            flags=flags,
            details={
                "champion_answers": rows[0],
                "challenger_answers": rows[1],
                "informative_records": self.n_informative,
                "standard_error": math.sqrt(float(contrast.variance)),
            },
            remark=class_words(self.label),
        )


def question(counts: JointCounts, label: Any, score: str, alternative: str) -> Question:
    """The question that a test was asked, checked."""
    check_choice("score", score, CLASS_SCORES)
    check_alternative(alternative)
    label = class_label(counts.classes, label)
    moments = counts.class_rows().moments(score, label)
    return Question(counts.n, label, score, moments, alternative)
