"""All pairs of several mean losses: others' numbers, max-t, and all of them together."""

import math
import pickle

import numpy as np
import pytest

from skcompare import compare
from skcompare.evidence import JointLosses, PairedLosses
from skcompare.plots import CriticalDifferenceDisplay, PairwiseDisplay
from skcompare.stats import adjust_pvalues, paired_t, pairwise_losses
from skcompare.stats.several._pairwise_losses import hotelling
from tests.common.golden import golden

GOLDEN = golden("several_losses")
LOSSES = JointLosses(np.array(GOLDEN["losses"]))


def drawn(seed=0, n=150, spreads=(1.0, 0.8, 0.75, 1.0)):
    """Absolute errors of models whose noise is common in part."""
    rng = np.random.default_rng(seed)
    errors = rng.normal(size=n) + rng.normal(size=(len(spreads), n))
    return JointLosses(np.abs(errors * np.reshape(spreads, (-1, 1))))


# ---------------------------------------------------------- other people's numbers


def test_hotelling_of_statsmodels():
    """T² as an F statistic of the differences from the first model."""
    result, known = hotelling(LOSSES), GOLDEN["hotelling"]

    assert known["statistic"] == pytest.approx(result.statistic, rel=1e-10)
    assert known["pvalue"] == pytest.approx(result.pvalue, rel=1e-10)
    assert known["df"] == [result.df, result.details["denominator_df"]]


def test_pairs_are_t_tests_of_scipy():
    """Statistics of champion minus challenger, with Holm's adjustment."""
    result = pairwise_losses(LOSSES)

    for known, statistic, pvalue in zip(GOLDEN["pairs"], result.statistic, result.pvalue):
        assert known["statistic"] == pytest.approx(statistic, rel=1e-10)
        assert known["pvalue"] == pytest.approx(pvalue, rel=1e-10)
    assert adjust_pvalues(result.pvalue, "holm").tolist() == result.adjusted_pvalue.tolist()


@pytest.mark.parametrize("case", GOLDEN["studentized_range"], ids=str)
def test_greatest_statistic_of_unrelated_models(case):
    """Of equal variances and no correlations it is a studentized range."""
    n, k = 4000, case["k"]
    noise = np.random.default_rng(0).normal(size=(k, n))
    noise -= noise.mean(axis=1, keepdims=True)
    _, _, rows = np.linalg.svd(noise, full_matrices=False)
    # The first and the last mean differ by t standard errors, the others are between them.
    means = np.full(k, case["t"] / 2)
    means[0], means[-1] = 0.0, case["t"]
    losses = JointLosses(rows * math.sqrt(n - 1) + means[:, None] * math.sqrt(2 / n))
    result = pairwise_losses(losses, adjust="max-t", n_resamples=40_000)

    assert case["pvalue"] == pytest.approx(result.adjusted_pvalue.min(), abs=0.012)


# ------------------------------------------------------------------------- max-t


def test_max_t_by_brute_force():
    """Step-down over drawn multivariate t statistics, in another way and other draws."""
    losses = drawn(3, spreads=(1.0, 0.93, 0.85))
    result = pairwise_losses(losses, adjust="max-t", n_resamples=40_000)
    rng, values = np.random.default_rng(1), losses.values
    pairs = [(0, 1), (0, 2), (1, 2)]
    gains = np.array([values[i] - values[j] for i, j in pairs])
    means, errors = gains.mean(axis=1), gains.std(axis=1, ddof=1) / math.sqrt(losses.n)
    normal = rng.multivariate_normal(np.zeros(3), np.cov(values) / losses.n, size=40_000)
    shared = np.sqrt(rng.chisquare(losses.n - 1, size=40_000) / (losses.n - 1))
    t = np.array([(normal[:, i] - normal[:, j]) / shared for i, j in pairs])
    t = np.abs(t / errors[:, None])
    order, adjusted = np.argsort(-np.abs(means / errors)), np.zeros(3)
    for place, pair in enumerate(order):
        greatest = t[order[place:]].max(axis=0)
        share = (greatest >= abs(means / errors)[pair]).mean()
        adjusted[pair] = max([share, *adjusted[order[:place]]])

    assert adjusted.tolist() == pytest.approx(result.adjusted_pvalue.tolist(), abs=0.012)


def test_max_t_is_between_none_and_holm():
    """No smaller than the p-value of a pair, and no more than Holm's but for chance."""
    for seed in range(5):
        losses = drawn(seed)
        drawn_pvalues = pairwise_losses(losses, adjust="max-t").adjusted_pvalue
        holm = pairwise_losses(losses)

        assert (drawn_pvalues >= holm.pvalue).all()
        assert (drawn_pvalues <= holm.adjusted_pvalue + 0.02).all()


def test_one_pair_is_its_t_test():
    """Two models have nothing to adjust for."""
    two = JointLosses(LOSSES.values[:2])
    result = pairwise_losses(two, adjust="max-t", n_resamples=40_000)
    single = paired_t(PairedLosses.from_losses(*two.values))

    assert single.pvalue == result.pvalue[0]
    assert single.pvalue == pytest.approx(result.adjusted_pvalue[0], abs=0.01)
    square = hotelling(two)
    assert single.statistic**2 == pytest.approx(square.statistic)
    assert single.pvalue == pytest.approx(square.pvalue)


@pytest.mark.slow
def test_family_wise_error():
    """Of equal models any pair is found in 5 % of data sets, and so do all together."""
    n_sets, found, together = 600, 0, 0
    for seed in range(n_sets):
        losses = drawn(seed, n=60, spreads=(1.0,) * 5)
        result = pairwise_losses(losses, adjust="max-t", n_resamples=999)
        found += bool((result.adjusted_pvalue < 0.05).any())
        together += result.omnibus.pvalue < 0.05
    error = math.sqrt(0.05 * 0.95 / n_sets)

    assert 0.05 == pytest.approx(found / n_sets, abs=3.5 * error)
    assert 0.05 == pytest.approx(together / n_sets, abs=3.5 * error)


# ------------------------------------------------------------------- invariants


@pytest.mark.parametrize("unit", [1e-9, 1e8])
def test_unit_does_not_matter(unit):
    """P-values are those of another unit, and no gain is written as 0."""
    usual = pairwise_losses(drawn(), adjust="max-t")
    scaled = JointLosses(drawn().values * unit)
    other = pairwise_losses(scaled, adjust="max-t")

    assert usual.adjusted_pvalue == pytest.approx(other.adjusted_pvalue)
    assert usual.omnibus.pvalue == pytest.approx(other.omnibus.pvalue)
    assert "+0.0000 " not in str(other)


def test_orders_do_not_matter():
    """Neither of the records nor of the models, by name."""
    losses = drawn()
    result = pairwise_losses(losses, adjust="max-t")
    shuffled = np.random.default_rng(0).permutation(losses.n)
    again = pairwise_losses(JointLosses(losses.values[:, shuffled]), adjust="max-t")
    turned = pairwise_losses(losses.swap(), adjust="max-t")

    assert result.adjusted_pvalue == pytest.approx(again.adjusted_pvalue)
    expected = {
        frozenset(names): (abs(gain), p)
        for *names, gain, p in zip(
            result.champion, result.challenger, result.estimate, result.adjusted_pvalue
        )
    }
    for *names, gain, p in zip(
        turned.champion, turned.challenger, turned.estimate, turned.adjusted_pvalue
    ):
        assert expected[frozenset(names)] == pytest.approx((abs(gain), p))
    assert result.omnibus.pvalue == pytest.approx(turned.omnibus.pvalue)


def test_shards_merge_and_pickle():
    """Losses of parts of the records are those of all."""
    losses = drawn()
    first, second = (
        JointLosses(losses.values[:, part]) for part in (slice(50), slice(50, 150))
    )

    assert first + second == losses
    assert pickle.loads(pickle.dumps(losses)) == losses
    with pytest.raises(ValueError, match="losses of one kind"):
        first + JointLosses(second.values, loss="other")
    with pytest.raises(ValueError, match="same classifiers"):
        first + JointLosses(second.values, list("abcd"))


def test_equal_models():
    """They are at 0 with p = 1, and take no place in the rank of all together."""
    losses = drawn()
    twice = JointLosses(np.vstack([losses.values, losses.values[:1]]))
    result = pairwise_losses(twice, adjust="max-t")
    same = JointLosses(np.tile(losses.values[0], (3, 1)))

    (equal,) = np.flatnonzero(
        (np.array(result.champion) == "classifier 1")
        & (np.array(result.challenger) == "classifier 5")
    )
    assert (0, 1, 1) == (
        result.estimate[equal], result.pvalue[equal], result.adjusted_pvalue[equal],
    )  # fmt: skip
    assert hotelling(losses).pvalue == pytest.approx(result.omnibus.pvalue)
    assert (0, 1) == tuple(hotelling(same))
    assert ("degenerate",) == hotelling(same).flags


def test_undefined():
    """Constant differences, and as many models as records, have no test of all."""
    losses = drawn()
    shifted = JointLosses(np.vstack([losses.values[:1], losses.values[:1] + 1]))
    few = JointLosses(losses.values[:, :3])

    assert math.isnan(hotelling(shifted).pvalue)
    assert ("zero-variance",) == hotelling(shifted).flags
    assert math.isnan(hotelling(few).pvalue)
    with pytest.raises(ValueError, match="at least two models"):
        JointLosses([[1.0, 2.0]])
    with pytest.raises(ValueError, match="needs a control"):
        pairwise_losses(losses, alternative="greater")


# ---------------------------------------------------------------- through the doors


@pytest.mark.parametrize("measure", ["neg_mean_absolute_error", "r2"])
def test_comparisons_take_max_t(measure):
    """The pairs of a comparison of several regressors, with the values of the measure."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=120)
    models = {name: y + s * rng.normal(size=120) for name, s in zip("abc", (1, 0.8, 0.7))}
    holm, max_t = (
        compare(y, models, scoring=measure, adjust=adjust) for adjust in ("holm", "max-t")
    )
    raw = [{(p.champion, p.challenger): p for p in c.pairs} for c in (holm, max_t)]

    for names, pair in raw[0].items():
        assert pair.difference == pytest.approx(raw[1][names].difference)
        assert pair.pvalue == pytest.approx(raw[1][names].pvalue)
        assert raw[1][names].adjusted_pvalue <= pair.adjusted_pvalue + 0.02
    first, second = (c.comparisons[0] for c in (holm, max_t))
    assert [row.value for row in first.classifiers] == pytest.approx(
        [row.value for row in second.classifiers]
    )
    assert ("paired_t", True) == (second.test, second.greater_is_better)
    assert "hotelling" in str(max_t)


def test_displays_of_pairs():
    """They take the result itself, the lowest loss first."""
    result = pairwise_losses(drawn(), adjust="max-t")
    display = CriticalDifferenceDisplay.of_result(result)

    assert "classifier 3 is first" in display.summary
    assert "classifier 3" == PairwiseDisplay.of_result(result).several.classifiers[0].name


def test_other_scores_have_no_max_t():
    """The message says that mean losses have."""
    y, models = (
        np.arange(20.0) / 7,
        {name: np.arange(20.0) % k for k, name in zip((3, 4, 5), "abc")},
    )
    with pytest.raises(ValueError, match="and mean losses, on a hold-out"):
        compare(y, models, scoring="neg_root_mean_squared_error", adjust="max-t")
