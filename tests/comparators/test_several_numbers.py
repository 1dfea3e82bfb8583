"""Several regressors: each pair as two are compared, groups, units, and displays."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GroupKFold

from skcompare import MultipleComparator, PairedComparator, compare
from skcompare.gate import Gate, NonInferior
from skcompare.plots import CriticalDifferenceDisplay, ForestDisplay, PairwiseDisplay
from skcompare.stats import adjust_pvalues

GROUPS = np.repeat(np.arange(40), 5)
MEASURES = (
    "r2",
    "neg_mean_absolute_error",
    "neg_root_mean_squared_error",
    "pearson_correlation",
    "spearman_correlation",
)


def drawn(scale=1.0):
    """Targets and predictions of four regressors, whose errors are alike in groups."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    errors = rng.normal(size=(4, 200)) + 0.5 * rng.normal(size=(4, 40))[:, GROUPS]
    spreads = (1.0, 0.8, 0.85, 0.6)
    predictions = {
        name: scale * (y + spread * own)
        for name, spread, own in zip("abcd", spreads, errors)
    }
    return scale * y, predictions


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("measure", MEASURES)
def test_pairs_are_those_of_two(measure, groups):
    """Each pair has the difference and p-value of a comparison of two, adjusted by Holm."""
    y, predictions = drawn()
    several = compare(y, predictions, scoring=measure, groups=groups)
    for pair in several.pairs:
        both = {name: predictions[name] for name in (pair.champion, pair.challenger)}
        row = compare(y, both, scoring=measure, groups=groups).rows[0]

        assert row.difference == pytest.approx(pair.difference)
        assert row.pvalue == pytest.approx(pair.pvalue)
        assert row.test == several.comparisons[0].test
    adjusted = adjust_pvalues([pair.pvalue for pair in several.pairs], "holm")
    assert list(adjusted) == pytest.approx([pair.adjusted_pvalue for pair in several.pairs])
    if groups is not None:
        assert several.comparisons[0].test in ("clustered_t", "influence_difference")


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e5])
def test_unit_does_not_matter(scale):
    """No value, difference or cell of a report or a picture is written as 0."""
    y, predictions = drawn(scale)
    several = compare(y, predictions, scoring="neg_mean_absolute_error")
    usual = compare(*drawn(), scoring="neg_mean_absolute_error")
    cells = PairwiseDisplay.of_result(several)
    texts = (
        str(several),
        cells.summary,
        CriticalDifferenceDisplay.of_result(several).summary,
    )

    assert [pair.pvalue for pair in usual.pairs] == pytest.approx(
        [pair.pvalue for pair in several.pairs]
    )
    for text in texts:
        assert " 0.000 " not in text
        assert "+0.000" not in text.replace("+0.0000", "")
    shown = [text.rstrip("*") for line in cells._cell_texts() for text in line if text]
    assert all(float(text.replace("−", "-")) != 0 for text in shown)
    assert max(map(len, shown)) <= 9
    assert "d − a" in ForestDisplay.of_result(several).summary


def test_equal_regressors():
    """The same predictions under another name are at 0, p = 1."""
    y, predictions = drawn()
    for measure in MEASURES:
        same = {"a": predictions["a"], "again": predictions["a"], "d": predictions["d"]}
        pairs = compare(y, same, scoring=measure).pairs
        (pair,) = (p for p in pairs if {p.champion, p.challenger} == {"a", "again"})

        assert (0, 1, 1) == (pair.difference, pair.pvalue, pair.adjusted_pvalue)


def test_groups_through_the_doors():
    """Comparators with splits by groups, and gates, take groups of regressors' records."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) + rng.normal(size=(40, 3))[GROUPS]
    y = X @ [1.0, 0.5, 0.2] + rng.normal(size=200) + rng.normal(size=40)[GROUPS]
    pair = PairedComparator(Ridge(1e4), Ridge(), random_state=0).fit(X, y, groups=GROUPS)
    three = [("worse", Ridge(1e4)), ("ridge", Ridge()), ("plain", LinearRegression())]
    several = MultipleComparator(three, random_state=0).fit(X, y, groups=GROUPS)

    assert pair.comparison_.design.grouped
    assert "challenger" == pair.verdict_
    assert several.comparison_.design.grouped
    assert {"worse", "ridge"} not in map(set, several.groups_)
    for folds in (
        PairedComparator(Ridge(1e4), Ridge(), cv=GroupKFold(5), scoring="r2"),
        MultipleComparator(three, cv=GroupKFold(5), scoring="r2"),
    ):
        with pytest.warns(
            UserWarning, match="no test of r2 is valid for 5-fold .* by groups"
        ):
            folds.fit(X, y, groups=GROUPS)
        assert folds.comparison_.design.grouped
        assert "inconclusive" == folds.comparison_.verdict


def test_groups_in_gates():
    """The test of a condition is that of groups, also of a reduction of losses."""
    y, predictions = drawn()
    both = {name: predictions[name] for name in "ab"}
    gate = Gate(NonInferior("neg_mean_absolute_error", "5 %"))
    grouped, unrelated = (gate.decide(y, both, groups=each) for each in (GROUPS, None))

    assert "clustered_t" == grouped.outcomes[0].row.test
    assert "in 40 groups" in str(grouped)
    assert "paired_t" == unrelated.outcomes[0].row.test
    widths = [each.outcomes[0].reduction.high for each in (grouped, unrelated)]
    assert widths[0] != widths[1]
