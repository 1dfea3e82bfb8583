"""The formulas of two shares, against records, printed equations and their errors."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import ClusterSums, JointCounts
from skcompare.stats.precision._precision_statistics import (
    CLASS_TESTS,
    class_fit,
    generalized_score,
    has_predictions,
    pooled_share,
    predicted_alike,
    wald_contrast,
    weighted_generalized_score,
)
from tests.common.golden import golden

PAIRED1 = golden("precision")["paired1"]
CONTRASTS = tuple(CLASS_TESTS[name] for name in ("both scores", "weighted score", "score"))
CONTRASTS += tuple(CLASS_TESTS[name] for name in ("difference", "wald", "relative"))
SCORES = ("precision", "recall", "specificity", "negative_predictive_value")
TABLES = [
    tuple(PAIRED1["n"]),
    (3, 5, 2, 10, 20, 7, 9, 4),
    (1, 0, 4, 2, 3, 6, 1, 0),
    (0, 8, 6, 5, 0, 9, 12, 3),
    (2, 1, 0, 0, 30, 0, 5, 1),
]
"""Records by outcome and predictions, in the order of the source's Table 3."""


def joint(n1, n2, n3, n4, n5, n6, n7, n8):
    """Counts of the source's Table 3: n1 to n4 of the other class."""
    return JointCounts([[[n4, n3], [n2, n1]], [[n8, n7], [n6, n5]]], classes=[0, 1])


def moments(cells, score="precision"):
    return joint(*cells).class_rows().moments(score, 1)


def records(cells):
    """The outcome and the two predictions of every record."""
    values = [(d, a, b) for d in (0, 1) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
    return np.repeat(np.array(values), cells, axis=0).T


def parts(cells):
    """The names of the source: T, P and v of both, shares of all, n5 and n1."""
    n1, n2, n3, _, n5, n6, n7, _ = cells
    t1, t2 = n1 + n2 + n5 + n6, n1 + n3 + n5 + n7
    p1, p2 = (n5 + n6) / t1, (n5 + n7) / t2
    pooled = (2 * n5 + n6 + n7) / (t1 + t2)
    return t1, t2, p1, p2, pooled, n5, n1


# --------------------------------------------------------------- printed equations


def test_weighted_score_of_kosinski():
    """The statistic is the printed one, with the covariance at the pooled share."""
    for cells in TABLES:
        t1, t2, p1, p2, p, n5, n1 = parts(cells)
        c = (n5 * (1 - p) ** 2 + n1 * p**2) / (t1 + t2)
        expected = (p1 - p2) ** 2 / ((p * (1 - p) - 2 * c) * (1 / t1 + 1 / t2))

        found = weighted_generalized_score(moments(cells))

        assert expected == pytest.approx(found.root**2, rel=1e-10)
        assert p2 - p1 == pytest.approx(found.estimate)


def test_generalized_score_of_leisenring():
    """Equation (9), record by record, and its form with W in equation (12)."""
    for cells in TABLES:
        outcome, first, second = records(cells)
        t1, t2, p1, p2, p, n5, n1 = parts(cells)
        predictions = first + second
        u = (outcome - p) * (first - predictions * t1 / (t1 + t2))
        w = (2 * p - p1 - p2) * (2 * p - 1)
        c = (n5 * (1 - p) ** 2 + n1 * p**2) / (t1 + t2)

        found = generalized_score(moments(cells)).root ** 2

        assert u.sum() ** 2 / (u**2).sum() == pytest.approx(found, rel=1e-10)
        assert (p1 - p2) ** 2 / (
            (p * (1 - p) + w - 2 * c) * (1 / t1 + 1 / t2)
        ) == pytest.approx(found, rel=1e-10)


def test_multinomial_wald():
    """Equation (32)."""
    for cells in TABLES:
        t1, t2, p1, p2, _, n5, n1 = parts(cells)
        c = (n5 * (1 - p1) * (1 - p2) + n1 * p1 * p2) / (t1 + t2)
        variance = p1 * (1 - p1) / t1 + p2 * (1 - p2) / t2 - 2 * c * (1 / t1 + 1 / t2)

        found = wald_contrast(moments(cells))

        assert variance == pytest.approx(found.variance, rel=1e-10)
        assert (p1 - p2) ** 2 / variance == pytest.approx(found.root**2, rel=1e-10)


def test_sandwich_of_the_logistic_model():
    """The closed form is the sandwich of a GEE with one row per prediction, solved here."""
    for cells in TABLES:
        outcome, first, second = records(cells)
        rows = np.concatenate([np.flatnonzero(first), np.flatnonzero(second)])
        challenger = np.repeat([0.0, 1.0], [first.sum(), second.sum()])
        design, y = np.column_stack([np.ones(len(rows)), challenger]), outcome[rows]
        beta = np.zeros(2)
        for _ in range(50):
            mean = 1 / (1 + np.exp(-design @ beta))
            bread = design.T @ (design * (mean * (1 - mean))[:, None])
            beta = beta + np.linalg.solve(bread, design.T @ (y - mean))
        scores = np.zeros((len(outcome), 2))
        np.add.at(scores, rows, design * (y - mean)[:, None])
        covariance = np.linalg.solve(bread, np.linalg.solve(bread, scores.T @ scores).T)

        found = wald_contrast(moments(cells), "logit")

        assert beta[1] == pytest.approx(found.estimate, rel=1e-8)
        assert covariance[1, 1] == pytest.approx(found.variance, rel=1e-8)


def test_relative_precision_of_moskowitz_and_pepe():
    """The printed variance, in counts, is the sum of squared influences."""
    for cells in TABLES:
        _, _, n3, _, _, n6, n7, _ = cells
        outcome, first, second = records(cells)
        t1, t2, p1, p2, _, n5, _ = parts(cells)
        printed = (
            n6 * (1 - p2) + n5 * (p2 - p1) + 2 * (n7 + n3) * p1 * p2 + n7 * (1 - 3 * p1)
        ) / ((n5 + n6) * (n5 + n7))
        influence = first * (outcome - p1) / (t1 * p1) - second * (outcome - p2) / (t2 * p2)

        found = wald_contrast(moments(cells), "log")

        assert (influence**2).sum() == pytest.approx(found.variance, rel=1e-10)
        assert printed == pytest.approx(found.variance, rel=1e-10)
        assert math.log(p2 / p1) == pytest.approx(found.estimate, rel=1e-10)


def test_scores_of_the_same_records_are_mcnemars():
    """Within a class both scores are McNemar's statistic without correction."""
    for cells, contrast, score in itertools.product(
        TABLES, CONTRASTS[:3], ["recall", "specificity"]
    ):
        b, c = cells[5:7] if score == "recall" else cells[1:3][::-1]
        expected = 0.0 if b + c == 0 else (b - c) ** 2 / (b + c)

        assert expected == pytest.approx(contrast(moments(cells, score)).root ** 2)


def test_weighted_score_of_independent_predictions():
    """Without a record in common it is Pearson's chi-squared of two samples."""
    cells = (0, 30, 20, 9, 0, 70, 40, 4)

    found = weighted_generalized_score(moments(cells)).root ** 2

    expected = stats.chi2_contingency([[70, 30], [40, 20]], correction=False).statistic
    assert expected == pytest.approx(found, rel=1e-12)


# --------------------------------------------------------- errors of the source


def test_wald_variances_belong_to_their_own_predictions():
    """E24: with crossed variances equation (8) gives 5.6549 for Paired1."""
    t1, t2, p1, p2, _, n5, n1 = parts(PAIRED1["n"])
    v1, v2 = p1 * (1 - p1), p2 * (1 - p2)
    c = (n5 * (1 - p1) * (1 - p2) + n1 * p1 * p2) / (t1 + t2)
    beta = math.log(p1 / (1 - p1)) - math.log(p2 / (1 - p2))
    both = 2 * c * (1 / t1 + 1 / t2)
    printed = beta**2 * v1 * v2 / (v1 / t1 + v2 / t2 - both)
    right = beta**2 * v1 * v2 / (v2 / t1 + v1 / t2 - both)

    found = wald_contrast(moments(PAIRED1["n"]), "logit").root ** 2

    assert 5.6549 == pytest.approx(printed, abs=5e-5)
    assert right == pytest.approx(found, rel=1e-10)
    assert PAIRED1["value"]["wald_sand"] == pytest.approx(found, rel=1e-9)


def test_score_has_the_pooled_covariance():
    """E25: with the covariance of equation (33) equation (12) is not the score."""
    t1, t2, p1, p2, p, n5, n1 = parts(PAIRED1["n"])
    w = (2 * p - p1 - p2) * (2 * p - 1)
    unpooled = (n5 * (1 - p1) * (1 - p2) + n1 * p1 * p2) / (t1 + t2)
    printed = (p1 - p2) ** 2 / ((p * (1 - p) + w - 2 * unpooled) * (1 / t1 + 1 / t2))

    found = generalized_score(moments(PAIRED1["n"])).root ** 2

    assert printed != pytest.approx(found, rel=1e-3)
    assert PAIRED1["value"]["gs9"] == pytest.approx(found, rel=1e-9)


def test_variance_of_counts_is_not_divided_again():
    """E26: equation (19) would divide the variance of equation (18) by all records."""
    once, twice = (
        float(wald_contrast(moments([k * n for n in PAIRED1["n"]]), "log").variance)
        for k in (1, 2)
    )

    assert PAIRED1["value"]["Vlog"] == pytest.approx(once, rel=1e-9)
    assert once / 2 == pytest.approx(twice, rel=1e-12)


def test_rows_are_predictions_of_the_class():
    """E29: only predictions that name the class are rows, and its records are the hits."""
    found = moments((3, 5, 2, 10, 20, 7, 9, 4))

    assert [3 + 5 + 20 + 7, 3 + 2 + 20 + 9] == found.rows.tolist()
    assert [20 + 7, 20 + 9] == found.hits.tolist()


def test_covariance_is_of_records_that_both_call_the_class():
    """E31: n5 and n1, and not all records that both predict correctly or wrongly."""
    cells = (3, 5, 2, 10, 20, 7, 9, 4)
    t1, t2, p1, p2, _, n5, n1 = parts(cells)
    found = moments(cells).covariance()[0, 1]
    both_right, both_wrong = 20 + 10, 3 + 4

    def of(right, wrong):
        return (right * (1 - p1) * (1 - p2) + wrong * p1 * p2) / (t1 * t2)

    assert of(n5, n1) == pytest.approx(found, rel=1e-12)
    assert of(both_right, both_wrong) != pytest.approx(found, rel=1e-2)


def test_only_the_weighted_score_is_that_of_independent_samples():
    """E32: T1 = 100, P1 = 0.7, T2 = 60, P2 = 2/3 give .19394, and .19116 unweighted."""
    found = moments((0, 30, 20, 0, 0, 70, 40, 0))

    assert 0.19394 == pytest.approx(weighted_generalized_score(found).root ** 2, abs=5e-6)
    assert 0.19116 == pytest.approx(generalized_score(found).root ** 2, abs=5e-6)


@pytest.mark.parametrize("labels", [("cat", "dog"), (-1, 1), (1, 2)])
def test_outcome_is_whether_the_class_is_true(labels):
    """E35: the outcome is recoded, whatever the labels, and records need no order."""
    outcome, first, second = records((3, 5, 2, 10, 20, 7, 9, 4))
    order = np.random.default_rng(0).permutation(len(outcome))
    names = np.array(labels)
    counts = JointCounts.from_predictions(
        *(names[part[order]] for part in (outcome, first, second))
    )

    found = counts.class_rows().moments("precision", labels[1])

    expected = moments((3, 5, 2, 10, 20, 7, 9, 4))
    for contrast in CONTRASTS:
        assert float(contrast(expected).root) == pytest.approx(float(contrast(found).root))


def test_precision_of_one_has_no_log_odds():
    """E36: the Wald test is undefined there, and the score tests are not."""
    found = moments((0, 0, 9, 20, 30, 5, 10, 6))

    assert math.isnan(wald_contrast(found, "logit").root)
    for contrast in CONTRASTS[:4]:
        assert math.isfinite(contrast(found).root)


# ------------------------------------------------------------------- small samples


def test_mancl_derouen_is_a_factor_for_each_prediction():
    """With one prediction per record the residuals are divided by 1 - 1 / T."""
    cells = (3, 5, 2, 10, 20, 7, 9, 4)
    outcome, first, second = records(cells)
    t1, t2, p1, p2, *_ = parts(cells)
    influence = second * (outcome - p2) / (t2 * (1 - 1 / t2)) - first * (outcome - p1) / (
        t1 * (1 - 1 / t1)
    )
    fit = class_fit(joint(*cells), 1, correction="mancl-derouen")

    corrected = wald_contrast(fit.moments)

    assert (influence**2).sum() == pytest.approx(corrected.variance, rel=1e-10)
    assert corrected.variance > wald_contrast(fit.raw).variance


def test_mancl_derouen_of_one_prediction_is_undefined():
    """A single prediction leaves no residual."""
    counts = joint(0, 1, 4, 2, 0, 0, 7, 2)

    corrected = class_fit(counts, 1, correction="mancl-derouen").moments.covariance()

    assert np.isnan(corrected[0]).all()
    assert np.isfinite(corrected[1, 1])


# ------------------------------------------------------------------- many classes


def test_classes_along_the_first_axis():
    """All classes at once give what each gives alone, the undefined ones NaN."""
    for score, contrast in itertools.product(SCORES, CONTRASTS):
        rng = np.random.default_rng(0)
        y = rng.integers(6, size=300)
        first = np.where(rng.random(300) < 0.6, y, rng.integers(5, size=300))
        second = np.where(rng.random(300) < 0.7, y, rng.integers(6, size=300))
        first[first == 4] = 0
        rows = JointCounts.from_predictions(y, first, second).class_rows()

        together = contrast(rows.moments(score))

        for k, label in enumerate(rows.classes):
            alone = contrast(rows.moments(score, label))
            for one, all_ in zip(alone, together, strict=True):
                assert float(one) == pytest.approx(all_[k], rel=1e-12, nan_ok=True)


def test_predictions_that_do_not_occur():
    """What is undefined is NaN, and the shares of all predictions need one of them only."""
    found = moments((0, 0, 2, 5, 0, 0, 3, 4))

    assert not has_predictions(found)
    assert 3 / 5 == pooled_share(found)
    for contrast in CONTRASTS:
        assert math.isnan(contrast(found).root)
    assert math.isnan(pooled_share(moments((0, 0, 0, 5, 0, 0, 0, 4))))


def test_equal_predictions():
    """Equal predictions have no difference on any scale, whatever their share."""
    for contrast, cells in itertools.product(
        CONTRASTS, [(3, 0, 0, 5, 7, 0, 0, 2), (0, 0, 0, 5, 7, 0, 0, 2)]
    ):
        found = moments(cells)

        assert predicted_alike(found)
        assert (0, 0, 0) == tuple(float(part) for part in contrast(found))


def test_shares_are_equal_by_other_predictions():
    """Equal shares are no equal predictions: the variance is not 0."""
    found = moments((0, 2, 2, 5, 0, 4, 4, 2))

    assert not predicted_alike(found)
    for contrast in CONTRASTS:
        assert 0 == contrast(found).root
        assert contrast(found).variance > 0


def test_rounding_makes_no_variance():
    """Clusters that all have a third of their predictions correct do not vary."""
    y = np.tile([1, 0, 0], 30)
    predictions = np.ones(90, dtype=int)
    sizes = np.repeat(np.arange(30), 3)
    other = predictions.copy()
    other[45:] = 0
    sums = ClusterSums.from_predictions(y, predictions, other, groups=sizes)

    found = wald_contrast(sums.class_rows().moments("precision", 1))

    assert (0, 0, 0) == tuple(float(part) for part in found)


def test_swapped_and_doubled_records():
    """Swapped roles change the sign, and doubled records double the statistic."""
    for contrast, cells in itertools.product(CONTRASTS, TABLES):
        n1, n2, n3, n4, n5, n6, n7, n8 = cells
        found = contrast(moments(cells))
        swapped = contrast(moments((n1, n3, n2, n4, n5, n7, n6, n8)))
        doubled = contrast(moments([2 * n for n in cells]))

        assert -float(swapped.root) == pytest.approx(float(found.root), rel=1e-12)
        assert 2 * found.root**2 == pytest.approx(doubled.root**2, rel=1e-12)
