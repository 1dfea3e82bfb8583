"""From the answers of two classifiers to the rows of a comparison."""

import inspect
import math
import platform
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from typing import Any

from skcompare._registry import PairedTestEntry, get_test
from skcompare._validation import (
    check_alpha,
    check_alternative,
    check_choice,
    check_pos_label,
)
from skcompare.comparators._tests import (
    Asked,
    NamedTests,
    default_test,
    named_for,
    no_test_note,
    tests_without_truth,
)
from skcompare.evidence import ScoreDifferences
from skcompare.metrics import Measure, score_differences
from skcompare.predictions import PairedPredictions
from skcompare.reports import Comparison, ComparisonRow, decide, is_against
from skcompare.stats import PairedResult, adjust_pvalues
from skcompare.stats._adjust import ADJUSTMENTS
from skcompare.stats._count_scores import BINARY_SCORES

__all__ = ["check_settings", "compare_pair", "installed_versions"]

POWER = 0.8
SCORE = "score"
"""The option by which a test of several scores is told which one."""


def check_settings(alternative: Any, alpha: Any, adjust: Any) -> tuple[str, float, str]:
    """Direction, level and adjustment, checked before anything is fitted."""
    if isinstance(adjust, str) and adjust == "max-t":
        raise ValueError(
            "adjust='max-t' is for three or more classifiers. Got two. Choose among "
            f"{', '.join(ADJUSTMENTS)}."
        )
    return (
        check_alternative(alternative),
        check_alpha(alpha),
        check_choice("adjustment", "none" if adjust is None else adjust, ADJUSTMENTS),
    )


def compare_pair(
    pair: PairedPredictions,
    measures: Sequence[Measure],
    asked: Asked,
    *,
    alternative: str,
    alpha: float,
    adjust: str,
    pos_label: Any = None,
    n_fits: int = 0,
    seconds: float | None = None,
    random_state: Any = None,
) -> Comparison:
    """Test every measure and decide from the first one.

    Each measure gets the default test of the design, and the tests asked for that
    measure it; a test that measures nothing else gets a row of its own. Without true
    labels there is no measure, and the answers are compared with each other.
    """
    predictions = pair.predictions
    check_pos_label(pos_label, predictions.classes)
    known = predictions.y is not None
    named = named_for(asked, pair.design, truth=known)
    engine = _Engine(pair, named, alternative, alpha, pos_label)
    needed = None
    if known:
        rows = [row for k, m in enumerate(measures) for row in engine.rows(m, k == 0)]
        rows += engine.rows_of_other_tests(measures)
        needed = engine.records_needed(rows[0], measures[0])
    else:
        if alternative != "two-sided":
            raise ValueError(
                f"alternative={alternative!r} needs true labels: without them no "
                "classifier is better. Pass `y_true`, or leave `alternative` out."
            )
        rows = engine.rows_without_truth()
    rows = _adjusted(rows, adjust)
    return Comparison(
        rows=tuple(rows),
        conclusion=decide(
            rows[0],
            alpha=alpha,
            alternative=alternative,
            records_needed=needed,
            flags=predictions.flags,
        ),
        champion=pair.champion.description,
        challenger=pair.challenger.description,
        design=pair.design,
        n_records=predictions.n_records,
        n_tested=predictions.n_tested,
        n_fits=n_fits,
        seconds=seconds,
        alpha=alpha,
        alternative=alternative,
        adjust=adjust,
        random_state=random_state,
        flags=predictions.flags,
        fingerprint=predictions.fingerprint,
        versions=installed_versions(),
    )


class _Engine:
    """Rows of one pair; evidence is made once and shared by the tests that need it."""

    def __init__(
        self,
        pair: PairedPredictions,
        asked: NamedTests | None,
        alternative: str,
        alpha: float,
        pos_label: Any,
    ) -> None:
        self.pair, self.asked = pair, asked
        self.alternative, self.alpha, self.pos_label = alternative, alpha, pos_label
        self._evidence: dict[Any, Any] = {}

    def rows(self, measure: Measure, primary: bool) -> list[ComparisonRow]:
        """One row a test of the measure, or one without test.

        The primary row is that of the design's default test; where there is none it is the
        one without test, because a test that is not valid decides nothing.
        """
        default = default_test(measure, self.pair.design)
        named = [get_test(name) for name in self.asked or ()]
        tests = [entry for entry in named if self._is_about(entry, measure)]
        if default is not None and (self.asked is None or primary):
            tests = [default, *(entry for entry in tests if entry is not default)]
        rows = [self._tested(entry, measure.name, measure) for entry in tests]
        if not rows or (primary and default is None):
            rows.insert(0, self._untested(measure))
        return [replace(rows[0], primary=primary), *rows[1:]]

    def rows_of_other_tests(self, measures: Sequence[Measure]) -> list[ComparisonRow]:
        """Rows of the tests asked for that measure something else."""
        others = [get_test(name) for name in self.asked or ()]
        return [
            self._tested(entry, self._subject(entry), None)
            for entry in others
            if not any(self._is_about(entry, measure) for measure in measures)
        ]

    def rows_without_truth(self) -> list[ComparisonRow]:
        """Rows of the tests of the answers alone, the primary one first."""
        tests = tests_without_truth(self.asked, self.pair.design)
        rows = [self._tested(entry, self._subject(entry), None) for entry in tests]
        return [replace(rows[0], primary=True), *rows[1:]]

    def _is_about(self, entry: PairedTestEntry, measure: Measure) -> bool:
        """Whether a test that was asked for is one of this measure.

        A test of several scores that was asked for with one of them is about that one.
        """
        chosen = (self.asked or {}).get(entry.name, {}).get(SCORE)
        if chosen is not None:
            return bool(chosen == measure.metric and entry.match(measure.metric))
        return entry.match(measure.metric) > 0

    def _subject(self, entry: PairedTestEntry) -> str:
        """What a test measures that belongs to no measure of the comparison."""
        chosen = (self.asked or {}).get(entry.name, {}).get(SCORE)
        if chosen is None and SCORE in entry.options:
            chosen = inspect.signature(entry.function).parameters[SCORE].default
        if chosen is None:
            return entry.measures[0]
        return chosen if isinstance(chosen, str) else getattr(chosen, "__name__", SCORE)

    def records_needed(self, row: ComparisonRow, measure: Measure) -> float | None:
        """Records at which a difference of the observed size would be found.

        None where the row decides, has no difference or an undefined p-value, or where
        the difference is in the direction that the test does not look in.
        """
        if row.test is None or row.pvalue is None or not row.pvalue >= self.alpha:
            return None
        entry = get_test(row.test)
        shown = row.difference != 0 and not math.isnan(row.difference)
        if entry.sample_size is None or not shown or is_against(row, self.alternative):
            return None
        return entry.sample_size(
            self._of(entry.needs, measure),
            alpha=self.alpha,
            power=POWER,
            **{"alternative": self.alternative} | self._options(entry, measure),
        )

    def _tested(
        self, entry: PairedTestEntry, name: str, measure: Measure | None
    ) -> ComparisonRow:
        options = self._options(entry, measure)
        result: PairedResult = entry.function(self._of(entry.needs, measure), **options)
        low, high = None, None
        if result.has_interval:
            low, high = result.confidence_interval(1 - self.alpha)
        flags = result.flags
        describes = "descriptive" in flags
        if math.isnan(result.pvalue) and not describes:
            flags = (*flags, "undefined-pvalue")
        return ComparisonRow(
            measure=name,
            label=None,
            test=entry.name,
            champion=result.champion,
            challenger=result.challenger,
            difference=result.estimate if entry.kind == "difference" else math.nan,
            low=low,
            high=high,
            pvalue=None if describes else result.pvalue,
            greater_is_better=measure is None or measure.greater_is_better,
            kind=entry.kind,
            flags=flags,
            note=result.remark,
            result=result,
        )

    def _options(self, entry: PairedTestEntry, measure: Measure | None) -> dict[str, Any]:
        """What was asked for, and what is one for all tests or follows from the measure."""
        options: dict[str, Any] = dict((self.asked or {}).get(entry.name, {}))
        if "alternative" in entry.options:
            options["alternative"] = self.alternative
        if SCORE in entry.options and measure is not None:
            options[SCORE] = measure.metric
        if options.get(SCORE) in BINARY_SCORES and self.pos_label is not None:
            options.setdefault("pos_label", self.pos_label)
        return options

    def _untested(self, measure: Measure) -> ComparisonRow:
        scores: ScoreDifferences = self._of(ScoreDifferences, measure)
        champion, challenger = scores.means
        default = default_test(measure, self.pair.design)
        note = (
            no_test_note(measure, self.pair.design)
            if default is None
            else f"no test of {measure.name} was asked for"
        )
        return ComparisonRow(
            measure=measure.name,
            label=None,
            test=None,
            champion=champion,
            challenger=challenger,
            difference=scores.mean,
            greater_is_better=measure.greater_is_better,
            flags=scores.flags,
            note=note,
        )

    def _of(self, needs: type, measure: Measure | None) -> Any:
        """Evidence of a type, from the pair or from the measure's scores."""
        by_score = needs is ScoreDifferences and measure is not None
        key = (needs, measure.name) if by_score else needs  # type: ignore[union-attr]
        if key not in self._evidence:
            self._evidence[key] = (
                score_differences(self.pair, measure, self.pos_label)  # type: ignore[arg-type]
                if by_score
                else needs.from_pair(self.pair)  # type: ignore[attr-defined]
            )
        return self._evidence[key]


def _adjusted(rows: list[ComparisonRow], adjust: str) -> list[ComparisonRow]:
    """Adjust the p-values of all rows but the primary one, which is tested at alpha."""
    others = [k for k, row in enumerate(rows) if not row.primary and row.pvalue is not None]
    if adjust == "none" or not others:
        return rows
    adjusted = adjust_pvalues([rows[k].pvalue for k in others], adjust)  # type: ignore[misc]
    for k, pvalue in zip(others, adjusted, strict=True):
        rows[k] = replace(rows[k], adjusted_pvalue=float(pvalue))
    return rows


@cache
def installed_versions() -> dict[str, str]:
    """Versions of what a comparison runs with."""
    from skcompare import __version__

    packages = ("scikit-learn", "numpy", "scipy", "joblib")
    found = {package: version(package) for package in packages}
    return {"skcompare": __version__, "python": platform.python_version(), **found}
