"""Cochran's Q: published numbers, definitions by enumeration, edges."""

import itertools
import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import ContingencyTable, CorrectnessPatterns
from skcompare.stats import cochran_q, mcnemar
from skcompare.stats.several import _omnibus
from skcompare.stats.several._omnibus import drawn_counts
from tests.common.golden import golden

METHODS = ("asymptotic", "exact", "permutation")
GOLDEN = golden("several")
PUBLISHED = GOLDEN["published"]
SUBJECTS = [
    (case["counts"], result) for case in GOLDEN["cases"] for result in case["results"]
]


def subject_of(counts, subject):
    """The patterns of all classifiers, or of the two that the subject names."""
    if subject == "all":
        return CorrectnessPatterns.from_counts(counts)
    i, j = map(int, subject.split("-"))
    pairs = {}
    for pattern, count in counts.items():
        key = pattern[i] + pattern[j]
        pairs[key] = pairs.get(key, 0) + count
    return CorrectnessPatterns.from_counts(pairs)


def random_patterns(n, k, seed=0, share=0.6):
    rng = np.random.default_rng([seed, n, k])
    return CorrectnessPatterns((rng.random((n, k)) < share).astype(int))


def enumerated_pvalue(patterns):
    """Share of all exchanges of right and wrong within records with Q as large."""
    predictions = np.unpackbits(patterns.bits, axis=1, count=patterns.n).T
    k = patterns.n_classifiers
    ways = [list(combinations(range(k), int(right))) for right in predictions.sum(axis=1)]
    least = (predictions.sum(axis=0) ** 2).sum()
    extreme = total = 0
    for chosen in product(*ways):
        counts = np.bincount([i for right in chosen for i in right], minlength=k)
        extreme += (counts**2).sum() >= least
        total += 1
    return extreme / total


# ------------------------------------------------------- other people's numbers


def test_golden():
    """statsmodels, R and mlxtend agree on Q, df and p; undefined ones are 0 and 1."""
    for counts, expected in SUBJECTS:
        result = cochran_q(subject_of(counts, expected["subject"]))

        assert expected["df"] == result.df
        if expected["degenerate"]:
            assert (0.0, 1.0) == tuple(result)
            assert result.degenerate
        else:
            assert expected["statistic"] == pytest.approx(result.statistic, rel=1e-10)
            assert expected["pvalue"] == pytest.approx(result.pvalue, rel=1e-10)
            assert not result.degenerate


def test_published_example():
    """The user guide of another library; Kuncheva's book prints half of this Q."""
    result = cochran_q(CorrectnessPatterns.from_counts(PUBLISHED["counts"]))
    printed, recomputed = PUBLISHED["q"]["printed"], PUBLISHED["q"]["recomputed"]

    assert printed["Q"] == pytest.approx(result.statistic, abs=5e-5)
    assert printed["pvalue"] == pytest.approx(result.pvalue, abs=5e-4)
    assert recomputed["Q"] == pytest.approx(result.statistic, rel=1e-12)
    assert recomputed["pvalue"] == pytest.approx(result.pvalue, rel=1e-12)
    assert printed["df"] == result.df
    assert PUBLISHED["q"]["misprint"] == pytest.approx(result.statistic / 2, abs=5e-5)
    assert 256 / 34 == pytest.approx(result.statistic)


def test_published_example_of_two():
    """With two classifiers it is McNemar's chi-squared without correction."""
    predictions = [list(map(int, row)) for row in PUBLISHED["answers"].values()]
    result = cochran_q(CorrectnessPatterns.from_predictions(*predictions[:3]))
    recomputed = PUBLISHED["first_two"]["recomputed"]

    assert recomputed["Q"] == pytest.approx(result.statistic, rel=1e-12)
    assert recomputed["pvalue"] == pytest.approx(result.pvalue, rel=1e-10)
    table = ContingencyTable(*PUBLISHED["first_two"]["table"])
    assert tuple(mcnemar(table, method="asymptotic")) == pytest.approx(tuple(result))


def test_exact_pvalue_of_the_published_example():
    """Another program convolved the counts; draws come near."""
    patterns = CorrectnessPatterns.from_counts(PUBLISHED["counts"])
    exact = cochran_q(patterns, method="exact")
    drawn = cochran_q(patterns, method="permutation", n_resamples=40_000)

    assert PUBLISHED["exact"]["pvalue"] == pytest.approx(exact.pvalue, rel=1e-12)
    assert exact.statistic == drawn.statistic == cochran_q(patterns).statistic
    # Four standard errors of the draws.
    assert exact.pvalue == pytest.approx(drawn.pvalue, abs=4 * 0.0008)


# ------------------------------------------------------------------ definitions


def test_exact_by_enumeration():
    """Exact p is the share of all ways to exchange right and wrong within records."""
    for (n, k), seed in itertools.product([(6, 3), (8, 3), (5, 4), (4, 5)], range(2)):
        patterns = random_patterns(n, k, seed)

        result = cochran_q(patterns, method="exact")

        assert enumerated_pvalue(patterns) == pytest.approx(result.pvalue, rel=1e-12)


def test_two_classifiers_are_mcnemar():
    """Asymptotic and exact p are those of McNemar's test."""
    for seed in range(10):
        patterns = random_patterns(40, 2, seed)
        table = patterns.contingency_table(0, 1)
        for method in ("asymptotic", "exact"):
            expected = mcnemar(table, method=method)
            result = cochran_q(patterns, method=method)

            assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)
            assert abs(expected.estimate) == pytest.approx(result.estimate)


def test_q_by_its_definition():
    """Q by sums over records and classifiers; Friedman's test of the same table."""
    patterns = random_patterns(80, 5)
    predictions = np.unpackbits(patterns.bits, axis=1, count=80).T.astype(float)
    rows, columns = predictions.sum(axis=1), predictions.sum(axis=0)
    expected = 20 * ((columns - columns.mean()) ** 2).sum() / (rows * (5 - rows)).sum()

    result = cochran_q(patterns)

    assert expected == pytest.approx(result.statistic, rel=1e-12)
    friedman = stats.friedmanchisquare(*predictions.T)
    assert friedman.statistic == pytest.approx(result.statistic, rel=1e-10)
    assert friedman.pvalue == pytest.approx(result.pvalue, rel=1e-9)


def test_draws_have_the_exact_distribution():
    """Every count vector of three classifiers is drawn as often as it must be."""
    totals = np.array([7, 3, 2, 5])
    n_draws = 60_000
    ways = product(combinations(range(3), 1), repeat=3)
    expected = {}
    for singles in ways:
        for doubles in product(combinations(range(3), 2), repeat=2):
            chosen = [i for right in (*singles, *doubles) for i in right]
            key = tuple(np.bincount(chosen, minlength=3).tolist())
            expected[key] = expected.get(key, 0) + 1 / 3**5

    drawn = drawn_counts(totals, n_draws, np.random.RandomState(0))

    vectors, counts = np.unique(drawn, axis=1, return_counts=True)
    found = dict(zip(map(tuple, vectors.T.tolist()), counts.tolist(), strict=True))
    assert found.keys() <= expected.keys()
    observed = [found.get(key, 0) for key in expected]
    assert stats.chisquare(observed, n_draws * np.array([*expected.values()])).pvalue > 0.01


def test_draws_keep_what_is_given():
    """Each draw has all correct predictions; each classifier has the mean and the
    variance.
    """
    totals = random_patterns(3000, 7, share=0.4).row_totals
    rights = np.arange(8)
    drawn = drawn_counts(totals, 4000, np.random.RandomState(1))
    inner = totals[1:7]

    assert (drawn.sum(axis=0) == (rights[1:7] * inner).sum()).all()
    share = rights[1:7] / 7
    np.testing.assert_allclose((inner * share).sum(), drawn.mean(axis=1), rtol=2e-3)
    np.testing.assert_allclose(
        (inner * share * (1 - share)).sum(), drawn.var(axis=1), rtol=0.1
    )


def test_permutation_comes_near_exact():
    """Draws agree with the whole distribution but for their number."""
    for seed in range(3):
        patterns = random_patterns(60, 4, seed, share=0.7)
        exact = cochran_q(patterns, method="exact").pvalue
        drawn = cochran_q(patterns, method="permutation", n_resamples=20_000).pvalue

        assert exact == pytest.approx(drawn, abs=4 * math.sqrt(exact / 20_000) + 1e-4)


def test_permutation_is_reproducible():
    """Equal by default; another seed, another p; never 0."""
    patterns = random_patterns(60, 4)
    first, second, other = (
        cochran_q(patterns, method="permutation", random_state=seed).pvalue
        for seed in (0, 0, 1)
    )
    sure = CorrectnessPatterns.from_counts({"100": 200})

    assert first == second
    assert first != other
    assert first == cochran_q(patterns, method="permutation").pvalue
    assert first == cochran_q(patterns.swap(), method="permutation").pvalue
    assert 1 / 100 == cochran_q(sure, method="permutation", n_resamples=99).pvalue


def test_permutation_says_how_sure_it_is():
    """The method has the number of draws and the details their standard error."""
    patterns = random_patterns(60, 4)
    results = [
        cochran_q(patterns, method="permutation", n_resamples=199, random_state=seed)
        for seed in range(100)
    ]

    assert "permutation, monte-carlo, 199 resamples" == results[0].method
    p = results[0].pvalue
    error = results[0].details["monte_carlo_error"]
    assert math.sqrt(p * (1 - p) / 200) == pytest.approx(error)
    spread = np.std([result.pvalue for result in results])
    assert spread == pytest.approx(
        np.mean([result.details["monte_carlo_error"] for result in results]), rel=0.2
    )
    for method in ("asymptotic", "exact"):
        other = cochran_q(patterns, method=method)
        assert method == other.method
        assert "monte_carlo_error" not in other.details
    same = CorrectnessPatterns.from_counts({"11": 5, "00": 3})
    assert "permutation" == cochran_q(same, method="permutation").method


def test_draws_in_parts(monkeypatch):
    """All draws count, however many are made at a time."""
    patterns = random_patterns(60, 4)
    monkeypatch.setattr(_omnibus, "AT_ONCE", 400)

    drawn = cochran_q(patterns, method="permutation", n_resamples=9_990).pvalue

    exact = cochran_q(patterns, method="exact").pvalue
    assert exact == pytest.approx(drawn, abs=4 * math.sqrt(exact / 9_990))
    assert round(drawn * 9_991) == pytest.approx(drawn * 9_991)


def test_tail_below_all_doubles(monkeypatch):
    """Where probabilities underflow logarithms are added, with the same result."""
    patterns = random_patterns(30, 3)
    expected = cochran_q(patterns, method="exact")
    monkeypatch.setattr(_omnibus, "TRUSTED", 2.0)

    actual = cochran_q(patterns, method="exact")

    assert expected.pvalue == pytest.approx(actual.pvalue, rel=1e-11)
    assert expected.log_pvalue == pytest.approx(actual.log_pvalue, rel=1e-11)


def test_one_classifier_right_throughout():
    """Of records that only one predicts correctly, all k orders are as extreme: k /
    k**n.
    """
    for k, n in ((3, 40), (4, 12)):
        patterns = CorrectnessPatterns.from_counts({"1" + "0" * (k - 1): n})
        result = cochran_q(patterns, method="exact")

        assert math.log(k) - n * math.log(k) == pytest.approx(result.log_pvalue)
        assert k * float(k) ** -n == pytest.approx(result.pvalue, rel=1e-12, abs=0)


def test_far_tail_of_chi_squared():
    """p does not become 0, and its logarithm stays right: -Q / 2 for df 2."""
    patterns = CorrectnessPatterns.from_counts({"100": 10_000, "011": 1_000})
    result = cochran_q(patterns)

    assert 0 < result.pvalue < 1e-300
    assert -result.statistic / 2 == pytest.approx(result.log_pvalue, rel=1e-12)


# ------------------------------------------------------------------------ result


def test_estimate_and_parts():
    """The range of accuracies, and each accuracy with Wilson's limits."""
    names = ["lr", "rf", "nn"]
    patterns = CorrectnessPatterns.from_counts(PUBLISHED["counts"], names)
    result = cochran_q(patterns)

    assert 0.08 == pytest.approx(result.estimate)
    assert "range of accuracies" == result.estimate_name
    assert not result.has_interval
    assert (None, None) == (result.champion, result.challenger)
    assert names == [part["name"] for part in result.parts]
    assert PUBLISHED["accuracies"] == [part["accuracy"] for part in result.parts]
    for part, right in zip(result.parts, (84, 92, 92), strict=True):
        low, high = stats.binomtest(right, 100).proportion_ci(method="wilson")
        assert (low, high) == pytest.approx((part["low"], part["high"]))
    assert {"n_classifiers": 3, "n_informative": 17} == result.details
    assert "accuracies from 0.8400 (lr) to 0.9200 (rf)" == result.remark
    assert "range of accuracies 0.0800\naccuracies from 0.8400 (lr)" in str(result)


def test_limits_of_extreme_accuracies():
    """None and all right have limits 0 and 1."""
    none, every = cochran_q(CorrectnessPatterns.from_counts({"01": 25})).parts

    assert (0, 0) == (none["accuracy"], none["low"])
    assert (1, 1) == (every["accuracy"], every["high"])
    assert none["high"] == pytest.approx(1 - every["low"])


def test_unanimous():
    """Without a record that they disagree on, Q is 0 and p is 1."""
    for method, counts in itertools.product(
        METHODS, [{"111": 5}, {"000": 1}, {"1111": 4, "0000": 3}, {"11": 2}]
    ):
        result = cochran_q(CorrectnessPatterns.from_counts(counts), method=method)

        assert (0.0, 1.0, 0.0) == (result.statistic, result.pvalue, result.log_pvalue)
        assert ("degenerate",) == result.flags
        assert 0 == result.estimate


def test_equal_accuracies():
    """Equal accuracies on different records give Q 0 and p 1, which is no edge case."""
    patterns = CorrectnessPatterns.from_counts({"100": 9, "010": 9, "001": 9})
    for method in METHODS:
        result = cochran_q(patterns, method=method)

        assert (0.0, 1.0) == tuple(result)
        assert () == result.flags


def test_unanimous_records_change_no_pvalue():
    """Records that all or none predict correctly say nothing about a difference."""
    few = {"110": 9, "001": 3, "010": 5}
    for method in METHODS:
        one = cochran_q(CorrectnessPatterns.from_counts(few), method=method)
        more = few | {"111": 700, "000": 40}
        other = cochran_q(CorrectnessPatterns.from_counts(more), method=method)

        assert tuple(one) == pytest.approx(tuple(other), rel=1e-12)


def test_few_informative_records():
    """Tate and Brown's rule: 4 records and 24 predictions; only the approximation needs
    it.
    """
    for counts, few in [
        ({"100": 3, "111": 90}, True),
        ({"100": 7, "111": 90}, True),
        ({"100": 8, "111": 1}, False),
        ({"1" + "0" * 19: 3}, True),
        ({"1" + "0" * 19: 4}, False),
    ]:
        patterns = CorrectnessPatterns.from_counts(counts)

        flagged = cochran_q(patterns).flags
        drawn = cochran_q(patterns, method="permutation", n_resamples=9)

        assert few == ("few-informative-records" in flagged)
        assert "few-informative-records" not in drawn.flags


def test_many_classifiers_at_once():
    """Time and memory do not grow with the number of possible patterns, 2**k."""
    patterns = random_patterns(500, 60)

    result = cochran_q(patterns)

    rows = np.unpackbits(patterns.bits, axis=1, count=500).sum(axis=0).astype(float)
    columns = patterns.n_correct.astype(float)
    expected = (
        60 * 59 * ((columns - columns.mean()) ** 2).sum() / (rows * (60 - rows)).sum()
    )
    assert expected == pytest.approx(result.statistic)
    assert 0 < cochran_q(patterns, method="permutation", n_resamples=99).pvalue <= 1


def test_counts_do_not_overflow():
    """Squares of counts beyond 2**63 do not wrap around."""
    counts = np.array([[4_000_000_000, 1_000_000_000], [1_000_000_000, 4_100_000_000]])
    expected = (100_000_000) ** 2 / 6_100_000_000

    assert expected == pytest.approx(_omnibus.q_statistic(counts))


def test_too_many_for_exact():
    """The message says how many records there are and what to do."""
    for n, k in ((4000, 3), (300, 5), (60, 12)):
        with pytest.raises(
            ValueError, match=r"too long: \d+ records.*method='permutation'"
        ):
            cochran_q(random_patterns(n, k), method="exact")


def test_number_of_resamples():
    """At least one draw, whatever the method, so that no option goes unread."""
    for wrong in [0, -5, 2.5, None, True]:
        for method in METHODS:
            with pytest.raises(ValueError, match="`n_resamples` must be an integer"):
                cochran_q(random_patterns(9, 3), method=method, n_resamples=wrong)


# ------------------------------------------------------------------------- size


@pytest.mark.slow
def test_size_of_exchangeable_classifiers():
    """Under the null the exact test rejects at most as often as it says."""
    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(400):
        easy = rng.random((30, 1))
        patterns = CorrectnessPatterns((rng.random((30, 3)) < easy).astype(int))
        rejected += cochran_q(patterns, method="exact").pvalue <= 0.05

    assert stats.binom.sf(rejected - 1, 400, 0.05) > 0.01
    assert rejected > 0


def correctness(n, shares, alike, rng):
    """Right predictions, of which the first `alike` classifiers share most."""
    common = rng.random(n)
    own = rng.random((n, len(shares)))
    noise = np.where(np.arange(len(shares)) < alike, common[:, np.newaxis], own)
    return (noise < np.asarray(shares)).astype(int)


def test_classifiers_that_prediction_alike_are_flagged():
    """Q is chi-squared of equally accurate classifiers only if all pairs are alike."""
    rng = np.random.default_rng(0)
    right = correctness(600, [0.7] * 4, 3, rng)
    right[:, 2] ^= rng.random(600) < 0.05
    right[:, 1] ^= rng.random(600) < 0.05
    unlike = cochran_q(CorrectnessPatterns(right))
    exchangeable = cochran_q(CorrectnessPatterns(correctness(600, [0.7] * 4, 0, rng)))

    assert "not-exchangeable" in unlike.flags
    assert "not-exchangeable" not in exchangeable.flags


def test_exchangeable_classifiers_are_seldom_flagged():
    """Few records make eigenvalues unequal by chance, which the estimate allows for."""
    rng = np.random.default_rng(1)
    flagged = sum(
        "not-exchangeable"
        in cochran_q(CorrectnessPatterns(correctness(n, [0.7] * 5, 0, rng))).flags
        for n in (30, 100, 400)
        for _ in range(60)
    )

    assert flagged <= 18


def test_level_of_all_but_one_alike_by_hand():
    """One eigenvalue is left, so that Q over k - 1 is chi-squared of 1."""
    # Both are right on 0.7 of the records, whatever the other is.
    counts = {"11": 49_000, "10": 21_000, "01": 21_000, "00": 9_000}
    for k in (3, 4, 20):
        patterns = CorrectnessPatterns.from_counts(
            {same * (k - 1) + apart: count for (same, apart), count in counts.items()}
        )
        expected = stats.chi2.sf(stats.chi2.isf(0.05, k - 1) / (k - 1), 1)

        assert expected == pytest.approx(_omnibus._true_level(patterns), rel=1e-3)
        # The levels of the docstring.
        assert {3: 0.08, 4: 0.11, 20: 0.21}[k] == pytest.approx(expected, abs=0.005)


def test_level_of_exchangeable_classifiers():
    """Equal eigenvalues leave the level as it is."""
    right = (np.random.default_rng(0).random((100_000, 4)) < 0.7).astype(int)

    assert 0.05 == pytest.approx(_omnibus._true_level(CorrectnessPatterns(right)), abs=1e-4)
