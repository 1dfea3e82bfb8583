"""Precision of every class at once: tests, effect sizes and adjusted p-values."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from skcompare._core.arrays import ArrayValues
from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._core.formatting import format_pvalue
from skcompare._core.report import Note, Report, Reported, Table
from skcompare._core.validation import (
    alpha_of,
    check_alternative,
    check_choice,
    check_confidence_level,
)
from skcompare._io.columns import frame_from_columns
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ClassMoments, ClassRows, ClusterSums, JointCounts
from skcompare.stats.core._adjust import ADJUSTMENTS, adjust_pvalues
from skcompare.stats.core._limits import (
    DIFFERENCE,
    Wald,
    any_difference,
    critical_value,
    interval_level,
)
from skcompare.stats.core._result import PairedResult, tested_result
from skcompare.stats.core._target_class import NO_PREDICTIONS, SCORE_TEXT
from skcompare.stats.precision._precision_statistics import (
    CLASS_TESTS,
    SCORE_TESTS,
    has_predictions,
)
from skcompare.stats.precision._precision_tests import ClassTests

OF_RECORDS = ("both scores", "weighted score")
"""Tests that take the predictions of one classifier as independent."""

LEFT_OUT = "unpredicted-classes"


def class_test(test: str, rows: ClassRows) -> str:
    """Resolve the name of the class tests, and check that the clusters allow the test."""
    check_choice("test", test, ("auto", *CLASS_TESTS))
    repeated = bool((rows.size > 1).any())
    if test == "auto":
        return "score" if repeated else "both scores"
    if repeated and test in OF_RECORDS:
        raise ValueError(
            f"test={test!r} assumes that the predictions of one classifier are "
            f"independent. Got up to {rows.size.max()} in a cluster. Use test='score'."
        )
    return test


EFFECTS = {"difference": 0.0, "ratio": 1.0, "odds_ratio": 1.0}
"""Effect sizes, and their values for equal classifiers."""

EFFECT_TESTS = {"difference": "difference", "ratio": "relative", "odds_ratio": "wald"}
"""Wald's tests of the effect sizes."""

MOST_LINES = 30
"""Largest number of classes in the text; others are in the frame."""


OPTIONS = ("score", "test", "adjust", "alternative", "confidence_level", "interval_level")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrecisionByClass(Reported, ArrayValues):
    """Tests of every class against the rest, with adjusted p-values.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels, sorted; all other arrays are in their order.
    champion, challenger : ndarray of shape (n_classes,)
        The score of each role, NaN where it has no prediction that counts.
    n_champion, n_challenger : ndarray of shape (n_classes,)
        Predictions that count: for precision, those of the class.
    difference, ratio, odds_ratio : ndarray of shape (n_classes,)
        Challenger minus champion, challenger over champion, and the ratio of their odds.
        Each has the limits `<name>_low` and `<name>_high`, at `interval_level`.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_classes,)
        The statistic is chi-squared with one degree of freedom; p is adjusted for the
        number of classes. NaN where undefined.
    class_flags : tuple of tuple of str
        Codes of caveats of each class.
    score, test, adjust, alternative : str
        Options of the call.
    confidence_level : float
        Level of the intervals together.
    n : int
        Number of records, or of predictions.
    macro : PairedResult
        Difference of the mean scores of the classes that both classifiers predict.
    design : Design
        How the records were collected.
    """

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
        self._set(**self._arrays())

    def __len__(self) -> int:
        return len(self.classes)

    def __repr__(self) -> str:
        return (
            f"PrecisionByClass({len(self)} classes, score={self.score!r}, "
            f"test={self.test!r}, adjust={self.adjust!r}, n={self.n})"
        )

    @property
    def interval_level(self) -> float:
        """Confidence level of each interval.

        All of one effect size hold simultaneously at `confidence_level` by Bonferroni's
        inequality, except for adjust="none", where each holds by itself.
        """
        return interval_level(self.confidence_level, self.adjust, len(self))

    @property
    def significant(self) -> Any:
        """Whether the adjusted p-value of each class is below 1 - `confidence_level`."""
        return self.adjusted_pvalue < alpha_of(self.confidence_level)

    @property
    def flags(self) -> tuple[str, ...]:
        """Distinct codes of the caveats of all classes and of the macro average."""
        codes = [code for flags in self.class_flags for code in flags]
        return tuple(dict.fromkeys([*codes, *self.macro.flags]))

    @property
    def caveats(self) -> list[str]:
        """Flags with their text."""
        return explain(self.flags)

    def to_dict(self) -> dict[str, Any]:
        """Return all values as built-in types, with one dictionary per class."""
        columns = self._columns()
        columns["flags"] = [list(flags) for flags in self.class_flags]
        rows = zip(*columns.values(), strict=True)
        return {
            **{name: getattr(self, name) for name in (*OPTIONS, "n")},
            "design": str(self.design),
            "flags": list(self.flags),
            "classes": [dict(zip(columns, row, strict=True)) for row in rows],
            "macro": self.macro.to_dict(self.confidence_level),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return a data frame with one row per class.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library whose frame is returned.
        """
        columns = self._columns()
        columns["flags"] = [" ".join(flags) for flags in self.class_flags]
        return frame_from_columns(columns, backend)

    def forest(self, effect: str = "difference") -> dict[str, Any]:
        """Return the values of a forest plot of the classes.

        Parameters
        ----------
        effect : {"difference", "ratio", "odds_ratio"}, default="difference"
            Effect size that is drawn.

        Returns
        -------
        forest : dict
            `effect`, its `null_value`, the `interval_level`, and `rows`: one dict per class
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
        columns = {name: values.tolist() for name, values in self._arrays().items()}
        return {"label": columns.pop("classes")} | columns

    def _arrays(self) -> dict[str, np.ndarray]:
        """Fields with a value for each class."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: value for name, value in values.items() if isinstance(value, np.ndarray)
        }

    def _report(self) -> Report:
        macro = self.macro
        low, high = macro.confidence_interval(self.confidence_level)
        remarks = [
            f"{macro.estimate_name} {macro.estimate:+.4f} [{low:.4f}, {high:.4f}], "
            f"p {format_pvalue(macro.pvalue)}"
        ]
        if (remaining := len(self) - MOST_LINES) > 0:
            remarks.insert(0, f"and {remaining} more classes")
        notes = [Note("note", remark, "") for remark in remarks]
        notes += [Note("flag", caveat, "flag ") for caveat in self.caveats]
        return Report(
            headline=f"{SCORE_TEXT[self.score]} of {len(self)} classes ({self.test}), "
            f"{self.alternative}, n = {self.n}, p adjusted by {self.adjust}, intervals at "
            f"{100 * self.interval_level:.6g} %",
            tables=[self._table()],
            notes=notes,
            remarks={"": [*remarks, *self.caveats]},
            has_verdict=False,
        )

    def _table(self) -> Table:
        rows = [
            (
                str(self.classes[i]),
                f"{self.champion[i]:.4f}",
                f"{self.challenger[i]:.4f}",
                f"{self.difference[i]:+.4f}",
                f"[{self.difference_low[i]:.4f}, {self.difference_high[i]:.4f}]",
                format_pvalue(float(self.pvalue[i])),
                format_pvalue(float(self.adjusted_pvalue[i])),
            )
            for i in range(min(len(self), MOST_LINES))
        ]
        head = ("class", "champion", "challenger", "difference", "interval", "p", "adj. p")
        return Table(head, rows, ("class",))


SAME_VARIANCE = 1e-12
"""Variances of a mean of classes below this share of theirs are 0 up to rounding."""


def precision_by_class(
    counts: JointCounts | ClusterSums,
    *,
    score: str = "precision",
    test: str = "auto",
    adjust: str = "holm",
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
) -> PrecisionByClass:
    """Compare the precisions of two classifiers for each class.

    The null hypothesis of each class is that both trained classifiers have the same
    precision for it, over new records: the share of the predictions of the class that are
    correct. The two classifiers predict the class for different records, so that McNemar's
    test does not apply; all tests here allow for records for which both predict the class.

    Parameters
    ----------
    counts : JointCounts or ClusterSums
        Predictions of two classifiers, for independent records or in clusters.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of each class against the rest.
    test : {"auto", "both scores", "weighted score", "score", "wald", "difference", \
"relative"}, default="auto"
        "weighted score" is the weighted generalized score [1]_, for independent records
        only; "score" the generalized score [2]_, for clusters too; "both scores" has the
        greater p-value of the two; "wald" compares the log odds by marginal regression
        [2]_, "difference" the scores themselves [1]_ and "relative" their logarithms [3]_.
        "auto" is "both scores", and "score" where a classifier has several predictions in a
        cluster.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"}, \
default="holm"
        How p-values are adjusted for the number of classes.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    confidence_level : float, default=0.95
        Level of the intervals of all classes together, by Bonferroni's inequality; of each
        by itself for ``adjust="none"``.

    Returns
    -------
    result : PrecisionByClass
        One row per class. The interval of the difference is the inversion of the score
        tests for these, and of Wald's test of the difference otherwise; that of the ratio
        goes with "relative", and that of the odds ratio with "wald". `macro` is the
        difference of the mean scores, with the covariances of the classes.

    Raises
    ------
    ValueError
        If there are not two classifiers, or the weighted score or both scores are requested
        where a classifier has several predictions in a cluster.

    Notes
    -----
    Rows are the results of the tests of one class: :func:`precision_both_scores`,
    :func:`precision_weighted_score`, :func:`precision_score`, :func:`precision_wald`,
    :func:`precision_difference` and :func:`relative_precision`. A class for which one
    classifier has no prediction that counts has no difference, flagged "no-predictions",
    and counts as p = 1 in the adjustment; if neither has one they are equal. Without
    difference and variation the statistic is 0 and p is 1, flagged "degenerate"; a
    difference without variance has no p-value, flagged "zero-variance". Logarithms of 0 are
    infinite, so that "wald" has no p-value for a share of 0 or 1 and "relative" for one of
    0, flagged "share-of-0-or-1"; the score tests have one. Fewer than 40 records or groups
    with a prediction that counts are flagged "few-informative-clusters".

    The mean of `macro` is taken over the classes that both classifiers predict, and these
    are taken as fixed. Where they predict all, it is the test ``score_difference(counts,
    score="precision_macro", method="delta")``.

    References
    ----------
    .. [1] Kosinski, A. S. (2013). "A weighted generalized score statistic for comparison of
       predictive values of diagnostic tests." Statistics in Medicine 32(6), 964-977.
    .. [2] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [3] Moskowitz, C. S. and Pepe, M. S. (2006). "Comparing the predictive values of
       diagnostic tests: sample size and analysis for paired study designs." Clinical
       Trials 3(3), 272-279.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_by_class
    >>> rng = np.random.default_rng(0)
    >>> y = rng.choice(["a", "b", "c"], size=500)
    >>> def predict(accuracy):
    ...     return np.where(rng.random(500) < accuracy, y, rng.choice(y, size=500))
    >>> counts = JointCounts.from_predictions(y, predict(0.6), predict(0.7))
    >>> result = precision_by_class(counts)
    >>> for label, p in zip(result.classes, result.adjusted_pvalue):
    ...     print(label, f"{p:.3f}")
    a 0.107
    b 0.521
    c 0.083
    >>> low, high = result.macro.confidence_interval()
    >>> print(f"{result.macro.estimate:.3f} [{low:.3f}, {high:.3f}]")
    0.061 [0.011, 0.111]
    """
    check_choice("adjust", adjust, ADJUSTMENTS)
    check_alternative(alternative)
    check_confidence_level(confidence_level)
    rows = _rows_of(counts)
    test = class_test(test, rows)
    moments = rows.moments(score)
    tests = ClassTests(moments, test, alternative)
    pvalue, _ = np.array(tests.tails(alternative)).T.copy()
    level = interval_level(confidence_level, adjust, len(rows.classes))
    shares = moments.shares
    return PrecisionByClass(
        classes=rows.classes.copy(),
        champion=shares[:, 0].copy(),
        challenger=shares[:, 1].copy(),
        n_champion=moments.rows[:, 0].copy(),
        n_challenger=moments.rows[:, 1].copy(),
        **_effects(tests, critical_value(level, alternative), alternative),
        statistic=np.square(tests.root),
        pvalue=pvalue,
        adjusted_pvalue=adjust_pvalues(pvalue.tolist(), adjust),
        class_flags=tests.flags(rows.informative_clusters(score)),
        score=score,
        test=test,
        adjust=adjust,
        alternative=alternative,
        confidence_level=confidence_level,
        n=counts.n,
        macro=macro_difference(rows, moments, score, alternative, counts),
        design=counts.design,
    )


def _rows_of(counts: Any) -> ClassRows:
    if not isinstance(counts, JointCounts | ClusterSums):
        raise TypeError(
            "precision_by_class needs JointCounts or ClusterSums. Got "
            f"{type(counts).__name__}. Make them by JointCounts.from_predictions(y_true, "
            "champion, challenger)."
        )
    rows = counts.class_rows()
    if rows.n_classifiers != 2:
        raise ValueError(
            f"precision_by_class compares two classifiers. Got {rows.n_classifiers}. Make "
            "the evidence of two of them."
        )
    return rows


def _effects(
    tested: ClassTests, critical: float, alternative: str
) -> dict[str, FloatArray]:
    """Effect sizes with limits; undefined limits are the whole range."""
    effects = {}
    for name, test in EFFECT_TESTS.items():
        scored = name == "difference" and tested.test in SCORE_TESTS
        tests = tested if scored else ClassTests(tested.moments, test)
        effects[name] = tests.estimate
        limits = np.array(tests.limits(critical, alternative))
        effects[f"{name}_low"], effects[f"{name}_high"] = limits.T.copy()
    return effects


def macro_difference(
    rows: ClassRows,
    moments: ClassMoments,
    score: str,
    alternative: str,
    counts: JointCounts | ClusterSums,
) -> PairedResult:
    """Test the difference of mean scores over the classes that both classifiers predict."""
    predicted = has_predictions(moments)
    n_predicted = int(predicted.sum())
    roles = np.full(2, np.nan)
    error = math.nan
    if n_predicted:
        roles = moments.shares[predicted].mean(axis=0)
        weight = np.outer(predicted / n_predicted, (-1.0, 1.0))
        variance = float(rows.influence_covariance(score, weight).sum())
        # Variance of the difference of independent means, which bounds the rounding error.
        bound = sum(
            float(rows.influence_covariance(score, weight * part).sum())
            for part in ((1, 0), (0, 1))
        )
        error = math.sqrt(variance) if variance > SAME_VARIANCE * bound else 0.0
    estimate = float(roles[1] - roles[0])
    if not error > 0 and abs(estimate) <= SAME_VARIANCE:
        estimate = 0.0
    wald = Wald(estimate, error, None, DIFFERENCE)
    fields = wald.fields(alternative)
    fields["limits"] = wald.limits_beyond(0.0) if n_predicted else any_difference
    left_out = (LEFT_OUT,) * (n_predicted < len(predicted))
    return tested_result(
        **fields,
        flags=left_out if n_predicted else (NO_PREDICTIONS,),
        roles=roles.tolist(),
        estimate_name=f"difference of macro {SCORE_TEXT[score]}",
        alternative=alternative,
        method="delta",
        n=counts.n,
        details={
            "standard_error": error,
            "n_classes": n_predicted,
            "n_left_out": len(predicted) - n_predicted,
        },
        test="precision_by_class",
        design=str(counts.design),
    )
