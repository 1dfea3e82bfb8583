"""Step-down adjustment by the greatest statistic of resamples."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.utils import check_random_state

from skcompare.evidence import CorrectnessPatterns, CrossedDifferences
from skcompare.stats import adjust_pvalues, mcnemar, pairwise_mcnemar
from skcompare.stats.several import _pairwise, units_of_trainings
from skcompare.stats.several._pairwise import max_t_draws, step_down
from tests.common.golden import golden

PUBLISHED = golden("several")["published"]
ALTERNATIVES = ("two-sided", "less", "greater")


def random_labels(n, k, seed=0, accuracies=0.6):
    return (np.random.default_rng([seed, n, k]).random((n, k)) < accuracies).astype(int)


def max_t_pvalues(
    patterns, first, second, *, alternative="two-sided", n_resamples=9999, random_state=0
):
    """Adjusted p-values, and the flags of the draws."""
    rng = check_random_state(random_state)
    draws = max_t_draws(patterns, first, second, n_resamples, rng)
    return step_down(draws, alternative), draws.flags


def all_pairs(k):
    return np.triu_indices(k, 1)


def with_first(k):
    return np.zeros(k - 1, dtype=int), np.arange(1, k)


def enumerated(predictions, first, second, alternative):
    """Adjusted p-values from all exchanges, hypothesis after hypothesis."""
    differences = predictions[:, second] - predictions[:, first]
    root = np.sqrt(np.maximum((differences**2).sum(axis=0), 1))
    sign = {"two-sided": abs, "greater": np.positive, "less": np.negative}[alternative]
    observed = sign(differences.sum(axis=0) / root)
    changing = differences[(differences != 0).any(axis=1)]
    ways = np.arange(2 ** len(changing))[:, np.newaxis]
    coins = 1 - 2 * (ways >> np.arange(len(changing)) & 1)
    drawn = sign(coins @ changing / root)
    adjusted = np.zeros(len(first))
    in_question = list(range(len(first)))
    so_far = 0.0
    while in_question:
        best = max(in_question, key=lambda pair: observed[pair])
        greatest = drawn[:, in_question].max(axis=1)
        so_far = max(so_far, np.mean(greatest >= observed[best] - 1e-9))
        adjusted[best] = so_far
        in_question.remove(best)
    return adjusted


def assert_near(expected, actual, n_resamples):
    """Within four standard errors of the draws."""
    error = np.sqrt(expected * (1 - expected) / n_resamples) + 1 / n_resamples
    assert (np.abs(expected - actual) <= 4 * error).all(), (expected, actual)


# ------------------------------------------------------------------ definitions


def test_by_enumeration():
    """The resamples come near all exchanges, stepped down one hypothesis at a time."""
    for pairs, alternative, seed in itertools.product(
        [all_pairs, with_first], ALTERNATIVES, range(3)
    ):
        predictions = random_labels(15, 4, seed, accuracies=[0.4, 0.5, 0.6, 0.95])
        first, second = pairs(4)
        expected = enumerated(predictions, first, second, alternative)

        actual, flags = max_t_pvalues(
            CorrectnessPatterns(predictions), first, second, alternative=alternative
        )

        assert_near(expected, actual, 9999)
        assert () == flags


def test_published_example_by_enumeration():
    """Of the 17 records that the three classifiers disagree on all exchanges count."""
    patterns = CorrectnessPatterns.from_counts(PUBLISHED["counts"])
    predictions = np.unpackbits(patterns.bits, axis=1, count=100).T.astype(int)
    expected = enumerated(predictions, *all_pairs(3), "two-sided")

    actual, _ = max_t_pvalues(patterns, *all_pairs(3), n_resamples=20_000)

    assert_near(expected, actual, 20_000)
    # Sharper than Holm, which knows nothing of the dependence.
    raw = pairwise_mcnemar(patterns, method="exact").pvalue
    assert (expected[:2] < adjust_pvalues(raw)[:2]).all()


def test_one_pair_is_the_exact_test():
    """The exchanges of one pair are those of McNemar's exact test."""
    for alternative, seed in itertools.product(ALTERNATIVES, range(3)):
        patterns = CorrectnessPatterns(random_labels(30, 2, seed))
        expected = mcnemar(
            patterns.contingency_table(0, 1), method="exact", alternative=alternative
        )

        actual, _ = max_t_pvalues(patterns, *all_pairs(2), alternative=alternative)

        assert_near(np.array([expected.pvalue]), actual, 9999)


def test_order_of_statistics_is_kept():
    """A smaller statistic has no smaller p, and equal ones have equal p."""
    patterns = CorrectnessPatterns(
        random_labels(60, 6, accuracies=np.linspace(0.5, 0.9, 6))
    )
    first, second = all_pairs(6)
    result = pairwise_mcnemar(patterns, method="asymptotic", adjust="none")

    adjusted, _ = max_t_pvalues(patterns, first, second, n_resamples=999)

    order = np.argsort(-result.statistic)
    assert (np.diff(adjusted[order]) >= 0).all()
    twins = CorrectnessPatterns.from_counts({"110": 9, "001": 2, "100": 1, "010": 1})
    adjusted, _ = max_t_pvalues(twins, *all_pairs(3), n_resamples=999)
    assert adjusted[1] == adjusted[2]


def test_never_zero():
    """The observed records count as a resample."""
    patterns = CorrectnessPatterns.from_counts({"100": 300, "111": 50})

    adjusted, _ = max_t_pvalues(patterns, *all_pairs(3), n_resamples=99)

    assert [0.01, 0.01, 1.0] == adjusted.tolist()


def test_nothing_to_exchange():
    """Where all classifiers are right on the same records every p is 1."""
    patterns = CorrectnessPatterns.from_counts({"111": 7, "000": 2})
    for alternative in ALTERNATIVES:
        adjusted, _ = max_t_pvalues(
            patterns, *all_pairs(3), alternative=alternative, n_resamples=9
        )

        assert [1.0] * 3 == adjusted.tolist()


# ------------------------------------------------------------------- what is the same


@pytest.mark.parametrize("most", [0, _pairwise.MOST_DRAWS])
def test_order_of_records_and_classifiers(most, monkeypatch):
    """Neither changes a p-value, resampled or normal."""
    monkeypatch.setattr(_pairwise, "MOST_DRAWS", most)
    predictions = random_labels(50, 4, accuracies=[0.5, 0.6, 0.7, 0.8])
    names = np.array(["d", "a", "c", "b"])
    options = {"adjust": "max-t", "n_resamples": 499}
    order = np.random.default_rng(0).permutation(50)
    other = [2, 0, 3, 1]

    result = pairwise_mcnemar(CorrectnessPatterns(predictions, names.tolist()), **options)
    mixed = pairwise_mcnemar(
        CorrectnessPatterns(predictions[order], names.tolist()), **options
    )
    moved = pairwise_mcnemar(
        CorrectnessPatterns(predictions[:, other], names[other].tolist()), **options
    )

    assert result.adjusted_pvalue.tolist() == mixed.adjusted_pvalue.tolist()
    by_pair = [
        {
            frozenset(pair): pvalue
            for *pair, pvalue in zip(r.champion, r.challenger, r.adjusted_pvalue)
        }
        for r in (result, moved)
    ]
    assert by_pair[0] == pytest.approx(by_pair[1], rel=1e-12)
    assert (result.adjusted_pvalue < 1).any()


@pytest.mark.parametrize("most", [0, _pairwise.MOST_DRAWS])
def test_exchanged_roles(most, monkeypatch):
    """One-sided p-values are exactly mirrored, with names that move and that stay."""
    monkeypatch.setattr(_pairwise, "MOST_DRAWS", most)
    predictions = random_labels(30, 2, seed=1)
    for names in (["b", "a"], None):
        patterns = CorrectnessPatterns(predictions, names)
        for alternative, opposite in (("less", "greater"), ("two-sided", "two-sided")):
            one, _ = max_t_pvalues(patterns, *all_pairs(2), alternative=alternative)
            other, _ = max_t_pvalues(patterns.swap(), *all_pairs(2), alternative=opposite)
            back, _ = max_t_pvalues(patterns, *all_pairs(2)[::-1], alternative=opposite)

            assert one.tolist() == other.tolist() == back.tolist()


def test_seed():
    """The same again by default; another seed draws others."""
    patterns = CorrectnessPatterns(random_labels(50, 4))
    first, again, other = (
        pairwise_mcnemar(patterns, adjust="max-t", n_resamples=499, **seed).adjusted_pvalue
        for seed in ({}, {"random_state": 0}, {"random_state": 1})
    )

    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_resamples_in_parts(monkeypatch):
    """However many resamples are made at a time, they are the same ones."""
    patterns = CorrectnessPatterns(random_labels(50, 4))
    whole, _ = max_t_pvalues(patterns, *all_pairs(4), n_resamples=997)
    monkeypatch.setattr(_pairwise, "AT_ONCE", 100)

    parts, _ = max_t_pvalues(patterns, *all_pairs(4), n_resamples=997)

    assert whole.tolist() == parts.tolist()


# -------------------------------------------------------------------- many patterns


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_normal_differences(alternative, monkeypatch):
    """With many records normal differences give nearly the same, and are flagged."""
    accuracies = [0.70, 0.71, 0.72, 0.74, 0.74]
    patterns = CorrectnessPatterns(random_labels(3000, 5, accuracies=accuracies))
    pairs = with_first(5)
    resampled, flags = max_t_pvalues(patterns, *pairs, alternative=alternative)
    monkeypatch.setattr(_pairwise, "MOST_DRAWS", 0)

    normal, other_flags = max_t_pvalues(patterns, *pairs, alternative=alternative)

    assert () == flags
    assert ("max-t-normal",) == other_flags
    np.testing.assert_allclose(resampled, normal, atol=0.025)
    assert resampled.tolist() != normal.tolist()


@pytest.mark.parametrize("most", [0, _pairwise.MOST_DRAWS])
def test_covariances(most, monkeypatch):
    """Resampled and normal differences have the covariances of the exchanges.

    Of two differences these are the records at which both are 1 or both -1, less those
    at which one is 1 and the other -1.
    """
    monkeypatch.setattr(_pairwise, "MOST_DRAWS", most)
    predictions = random_labels(400, 4)
    first, second = all_pairs(4)
    differences = predictions[:, second] - predictions[:, first]
    expected = differences.T @ differences
    draws, _ = _pairwise._exchanged(
        CorrectnessPatterns(predictions, list("dbca")), 6, 40_000, np.random.RandomState(0)
    )
    counts = np.concatenate(list(draws), axis=1)

    actual = np.cov(counts[second] - counts[first])

    np.testing.assert_allclose(expected, actual, atol=0.03 * expected.max())


def test_time_does_not_grow_with_the_records():
    """A large table takes the normal way by itself."""
    patterns = CorrectnessPatterns(random_labels(20_000, 16))

    result = pairwise_mcnemar(patterns, adjust="max-t")

    assert ("max-t-normal",) == result.flags
    assert "max-t-normal" in str(result.caveats)
    assert (result.adjusted_pvalue >= result.pvalue).all()


# ----------------------------------------------------------------------- error rate


@pytest.mark.slow
@pytest.mark.parametrize(
    ("accuracies", "alike", "equal"),
    [
        ([0.8, 0.8, 0.8, 0.8], 0.5, [0, 1, 2, 3, 4, 5]),
        ([0.75, 0.75, 0.75, 0.92], 0.5, [0, 1, 3]),
        ([0.7, 0.7, 0.9, 0.9], 0.3, [0, 5]),
    ],
)
def test_family_wise_error_rate(accuracies, alike, equal):
    """Of equally accurate classifiers some pair is found in at most 5 % of the cases."""
    rng = np.random.default_rng(1)
    n_sets, errors, found = 300, 0, 0
    thresholds = stats.norm.ppf(accuracies)
    for seed in range(n_sets):
        common, own = rng.standard_normal((100, 1)), rng.standard_normal((100, 4))
        latent = math.sqrt(alike) * common + math.sqrt(1 - alike) * own
        patterns = CorrectnessPatterns((latent < thresholds).astype(int))
        adjusted, _ = max_t_pvalues(
            patterns, *all_pairs(4), n_resamples=199, random_state=seed
        )
        rejected = adjusted <= 0.05
        errors += rejected[equal].any()
        found += rejected.any()

    assert stats.binom.sf(errors - 1, n_sets, 0.05) > 0.01
    assert found >= errors > 0


def test_few_trainings_do_not_show_correlations():
    """Differences of four other recipes are independent over trainings, whatever 3 show.

    Estimated correlations of 3 trainings had equal recipes differ in 8 % with 5 of each.
    """
    rng = np.random.default_rng(0)
    a, b, c, d = np.zeros((4, 3, 40)) + rng.normal(size=(4, 3, 1))
    first, second, third = (
        units_of_trainings(CrossedDifferences.from_losses(*pair), roles, [3, 3, 3, 3])
        for pair, roles in (((a, b), (0, 1)), ((c, d), (2, 3)), ((a, c), (0, 2)))
    )

    assert 0.0 == pytest.approx(first @ second, abs=1e-12)
    expected = (a - b).mean(axis=1).var(ddof=1) / 3
    assert expected == pytest.approx(first @ first, rel=1e-12)
    sizes = np.sqrt((first @ first) * (third @ third))
    assert 0.5 == pytest.approx(first @ third / sizes, rel=1e-12)
