"""McNemar's test for grouped records: published numbers, exactness, edges, intervals."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare._core.validation import alpha_of
from skcompare.evidence import ClusterSums, ContingencyTable
from skcompare.stats import clustered_mcnemar, mcnemar, paired_tests
from skcompare.stats.core import _sign_flip as sign_flip
from skcompare.stats.core._sign_flip import can_flip_signs, sign_flip_pvalue, sign_flip_tail
from tests.common.golden import golden

GOLDEN = golden("clustered")
CASES, PUBLISHED = GOLDEN["cases"], GOLDEN["published"]
MOMENTS = ("obuchowski", "durkalski", "yang")
CHI_SQUARED = (*MOMENTS, "eliasziw")
METHODS = ("sign-flip", *CHI_SQUARED)
ALTERNATIVES = ("two-sided", "less", "greater")


def sums_of(tables):
    return ClusterSums(tables, range(len(tables)))


def near(figure, rtol=1e-10):
    return pytest.approx(figure["value"], rel=figure.get("rtol", rtol))


def random_sums(seed, n_groups=12, size=6, alike=1.0):
    """Groups of different sizes; the less `alike`, the more each has predictions of its
    own.
    """
    rng = np.random.default_rng([seed, n_groups])
    shares = rng.dirichlet(alike * np.array([3.0, 0.6, 0.8, 1.0]), size=n_groups)
    sizes = rng.integers(1, 2 * size, size=n_groups)
    return sums_of([rng.multinomial(n, p) for n, p in zip(sizes, shares, strict=True)])


def singles(table):
    """Every record a group of its own."""
    return sums_of(np.repeat(np.eye(4, dtype=int), table, axis=0))


# ------------------------------------------------------- other people's numbers


def test_statistics_of_an_independent_package():
    """R's clust.bin.pair gives the same statistic and p-value."""
    for method, case in itertools.product(CHI_SQUARED, CASES):
        statistic, pvalue = clustered_mcnemar(sums_of(case["tables"]), method=method)

        assert near(case["methods"][method]["statistic"]) == statistic
        assert near(case["methods"][method]["pvalue"]) == pvalue


def test_published_statistics():
    """The examples of the papers, as printed and with more digits."""
    for method, case in itertools.product(MOMENTS, PUBLISHED):
        result = clustered_mcnemar(sums_of(case["tables"]), method=method)

        assert case["printed"][method] == pytest.approx(result.statistic, abs=0.0051)
        assert case["statistics"][method] == pytest.approx(result.statistic, rel=1e-10)
        assert stats.chi2.sf(result.statistic, 1) == pytest.approx(result.pvalue, rel=1e-12)


def test_groups_weaken_the_published_evidence():
    """Each test finds less than McNemar's, which assumes that records are independent."""
    for case in PUBLISHED:
        sums = sums_of(case["tables"])
        plain = mcnemar(sums.contingency_table(), method="asymptotic")

        assert case["printed"]["mcnemar"] == pytest.approx(plain.statistic, abs=0.0051)
        for method in METHODS:
            assert plain.pvalue < clustered_mcnemar(sums, method=method).pvalue


def test_wald_interval_of_an_independent_package():
    """It is that of a mean with cluster-robust standard error; A - B there."""
    for case in [*CASES, *PUBLISHED]:
        result = clustered_mcnemar(sums_of(case["tables"]), interval="wald")
        low, high = result.confidence_interval()

        assert near(case["robust"]["low"]) == -high
        assert near(case["robust"]["high"]) == -low


# ------------------------------------------------------------- signs by coins


def all_sums(values):
    signs = np.array(list(itertools.product((1, -1), repeat=len(values))))
    return signs @ np.asarray(values)


def test_sign_flips_by_enumeration():
    """The p-value counts the choices of signs that are at least as extreme."""
    for seed in range(30):
        values = np.random.default_rng(seed).integers(-4, 5, size=1 + seed % 9)
        sums, total = all_sums(values), values.sum()

        assert (
            np.mean(np.abs(sums) >= abs(total)) == sign_flip_pvalue(values, "two-sided")[0]
        )
        assert np.mean(sums >= total) == sign_flip_pvalue(values, "greater")[0]
        assert np.mean(sums <= total) == sign_flip_pvalue(values, "less")[0]


def test_sign_flips_of_scipy():
    """scipy's permutation test of the groups' differences gives the same p-values."""
    sums = random_sums(3, 11)
    for alternative in ALTERNATIVES:
        theirs = stats.permutation_test(
            (sums.differences,),
            np.sum,
            permutation_type="samples",
            alternative=alternative,
            n_resamples=np.inf,
        )
        ours = clustered_mcnemar(sums, method="sign-flip", alternative=alternative)

        assert theirs.pvalue == pytest.approx(ours.pvalue, rel=1e-12)
        assert theirs.statistic == ours.statistic


def test_many_signs(monkeypatch):
    """Where a sum of all choices is long the tail comes another way, and is the same."""
    for m, share in [(60, 0.5), (300, 0.6), (800, 0.8), (900, 0.97)]:
        rng = np.random.default_rng(m)
        values = rng.integers(1, 6, size=m) * np.where(rng.random(m) < share, 1, -1)
        tails = []
        for most_additions in (10**9, 0):
            monkeypatch.setattr(sign_flip, "MOST_ADDITIONS", most_additions)
            sign_flip._tail.cache_clear()
            tails.append(sign_flip_tail(values, abs(int(values.sum())))[1])

        assert tails[0] == pytest.approx(tails[1], rel=1e-11)


def test_very_many_signs():
    """Of two thousand single records the p-value is the exact one of McNemar."""
    for against in [0, 1, 5, 800, 1000, 1400, 1999, 2000]:
        values = np.repeat([-1, 1], [against, 2000 - against])
        for alternative in ALTERNATIVES:
            table = ContingencyTable(0, against, 2000 - against, 0)
            expected = mcnemar(table, method="exact", alternative=alternative)

            pvalue, log_pvalue = sign_flip_pvalue(values, alternative)

            assert expected.pvalue == pytest.approx(pvalue, rel=1e-9)
            assert expected.log_pvalue == pytest.approx(log_pvalue, rel=1e-9, abs=1e-15)


def test_sign_flips_are_never_impossible():
    """Tails outside the range are certain or none, and no p-value is 0."""
    values = np.array([3, -1, 2])

    assert (1.0, 0.0) == sign_flip_tail(values, -7)
    assert 1 / 8 == sign_flip_tail(values, 6)[0]
    assert (1.0, 0.0) == sign_flip_pvalue(np.zeros(4, int), "greater")
    pvalue, log_pvalue = sign_flip_pvalue(np.ones(5000, int), "two-sided")
    assert 0 < pvalue < 1e-300
    assert -4999 * math.log(2) == pytest.approx(log_pvalue)


def test_signs_of_large_groups():
    """The size of the differences takes neither time nor memory: twelve are enumerated."""
    for size, alternative in itertools.product([10**6, 10**9, 10**12], ALTERNATIVES):
        values = np.random.default_rng(size).integers(-size, size, size=12)
        sums, total = all_sums(values), values.sum()
        extreme = {
            "two-sided": np.abs(sums) >= abs(total),
            "greater": sums >= total,
            "less": sums <= total,
        }[alternative]

        assert can_flip_signs(values)
        assert np.mean(extreme) == sign_flip_pvalue(values, alternative)[0]


def test_signs_of_halves(monkeypatch):
    """Pairing the sums of two halves counts the same choices as the distribution."""
    for m in [1, 2, 7, 20, 29]:
        values = np.random.default_rng(m).integers(-50, 90, size=m)
        for total in (int(values.sum()), -int(values.sum()), 0, 7):
            expected = sign_flip_tail(values, total)
            with monkeypatch.context() as patched:
                patched.setattr(sign_flip, "MOST_CHOICES", 0)
                sign_flip._tail.cache_clear()
                assert expected == pytest.approx(sign_flip_tail(values, total), rel=1e-13)
            sign_flip._tail.cache_clear()


def test_sizes_with_a_common_divisor():
    """Differences in thousands are as many choices as the same ones in units."""
    values = np.random.default_rng(0).integers(-9, 10, size=300)
    for alternative in ALTERNATIVES:
        expected = sign_flip_pvalue(values, alternative)

        assert expected == sign_flip_pvalue(values * 10**9, alternative)
    assert sign_flip_tail(values, 7) == sign_flip_tail(values * 1000, 6001)


def test_signs_that_take_too_long():
    """They are refused where requested, and "auto" is "obuchowski", planner included."""
    for n_groups, size in [(41, 10**6), (500, 10**4), (2000, 10**4)]:
        rng = np.random.default_rng(n_groups)
        discordant = rng.integers(1, size, size=(n_groups, 2))
        others = np.full(n_groups, size), np.ones(n_groups, int)
        sums = sums_of(np.column_stack([others[0], discordant, others[1]]))

        with pytest.raises(ValueError, match=rf"'sign-flip' would .* long: {n_groups} g"):
            clustered_mcnemar(sums, method="sign-flip")
        assert not can_flip_signs(sums.differences)
        expected = clustered_mcnemar(sums, method="obuchowski")
        assert expected.to_dict() == clustered_mcnemar(sums).to_dict()
        planner = paired_tests()["clustered_mcnemar"].sample_size
        settings = {"alpha": 0.05, "power": 0.8, "alternative": "two-sided"}
        assert planner(sums, method="obuchowski", **settings) == planner(sums, **settings)


def test_signs_of_large_groups_have_an_interval():
    """Few large groups, and many that share a divisor, keep the default method."""
    for n_groups in (12, 30, 300):
        sums = random_sums(1, n_groups)
        large = sums_of(sums.tables * 10**7)

        expected, result = clustered_mcnemar(sums), clustered_mcnemar(large)

        assert "sign-flip" == result.method
        assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)
        low, high = result.confidence_interval()
        assert (result.pvalue < 0.05) == (not low <= 0 <= high)
        assert -1 <= low <= result.estimate <= high <= 1


def test_bounded_transform(monkeypatch):
    """Some frequencies at a time, or without those that vanish, give the same tail."""
    sizes = np.random.default_rng(0).integers(1, 40, size=1500)
    total = int(sizes.sum()) // 50 * 2
    expected = sign_flip_tail(sizes, total)[1]
    for name, value in [("ANGLES_AT_ONCE", 1000), ("LOG_NEGLIGIBLE", -math.inf)]:
        sign_flip._tail.cache_clear()
        with monkeypatch.context() as patched:
            patched.setattr(sign_flip, name, value)

            assert expected == pytest.approx(sign_flip_tail(sizes, total)[1], rel=1e-12)


# ------------------------------------------------------------- what the tests are


def test_single_records():
    """With a record a group they are McNemar's, exact or nearly so."""
    table = ContingencyTable(20, 9, 21, 5)
    sums = singles((20, 9, 21, 5))
    chi_squared = mcnemar(table, method="asymptotic").statistic
    for alternative in ALTERNATIVES:
        exact = mcnemar(table, method="exact", alternative=alternative).pvalue
        flipped = clustered_mcnemar(sums, method="sign-flip", alternative=alternative)
        assert exact == pytest.approx(flipped.pvalue, rel=1e-12)

    def statistic(method):
        return clustered_mcnemar(sums, method=method).statistic

    assert chi_squared * 54 / 55 == pytest.approx(statistic("obuchowski"), rel=1e-12)
    assert chi_squared == pytest.approx(statistic("durkalski"), rel=1e-12)
    assert chi_squared == pytest.approx(statistic("eliasziw"), rel=1e-12)
    spread = (30 - 12**2 / 55 + 30) / 2
    assert 54 / 55 * 144 / spread == pytest.approx(statistic("yang"), rel=1e-12)


def test_repeated_records():
    """A record that is there three times counts once."""
    table = (20, 9, 21, 5)
    three_times = sums_of(singles(table).tables * 3)
    for method, plain in (("sign-flip", "exact"), ("durkalski", "asymptotic")):
        result = clustered_mcnemar(three_times, method=method)

        expected = mcnemar(ContingencyTable(*table), method=plain)
        assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)
        assert expected.estimate == pytest.approx(result.estimate, rel=1e-12)
        assert 3 * 55 / 54 == pytest.approx(result.details["design_effect"], rel=1e-12)


def test_equal_groups_count_alike():
    """Weights of groups change nothing where groups are of one size."""
    sums = sums_of(np.random.default_rng(2).multinomial(5, [0.5, 0.1, 0.2, 0.2], 15))

    def statistic(method):
        return clustered_mcnemar(sums, method=method).statistic

    assert 14 / 15 * statistic("durkalski") == pytest.approx(statistic("obuchowski"))


def correlation_slowly(sums):
    """Analysis of variance of indicators, one kind of prediction after the other."""
    groups = np.repeat(np.arange(sums.n_groups), sums.sizes)
    kinds = np.concatenate([np.repeat(np.arange(4), table) for table in sums.tables])
    between = within = 0.0
    for kind in range(4):
        x = (kinds == kind).astype(float)
        means = np.array([x[groups == g].mean() for g in range(sums.n_groups)])
        between += np.sum((means[groups] - x.mean()) ** 2)
        within += np.sum((x - means[groups]) ** 2)
    k, n = sums.n_groups, sums.n
    between, within = between / k, within / (n - k)
    size = (n - np.sum(sums.sizes**2) / n) / (k - 1)
    return (between - within) / (between + (size - 1) * within)


def test_common_correlation():
    """The inflation of "eliasziw" follows from a correlation that is counted slowly.

    Given that two records of a group are discordant, they are alike with a probability
    that follows from the four kinds' common correlation r: P(i, j) = p_i p_j (1 - r), and
    more by r p_i where i = j.
    """
    for seed in range(5):
        sums = random_sums(seed)
        r = max(0.0, correlation_slowly(sums))
        p, q = (
            sums.contingency_table().only_champion / sums.n,
            sums.contingency_table().only_challenger / sums.n,
        )
        unlike = 2 * p * q * (1 - r)
        both_discordant = unlike + p * p * (1 - r) + r * p + q * q * (1 - r) + r * q
        independent = 2 * p * q / (p + q) ** 2
        of_pairs = 1 - unlike / both_discordant / independent
        discordant = sums.tables[:, 1] + sums.tables[:, 2]
        together = np.sum(discordant**2) / np.sum(discordant)
        plain = mcnemar(sums.contingency_table(), method="asymptotic").statistic

        statistic = clustered_mcnemar(sums, method="eliasziw").statistic

        assert plain / (1 + (together - 1) * of_pairs) == pytest.approx(
            statistic, rel=1e-10
        )


def test_negative_correlation_counts_as_none():
    """Groups that are more alike than chance do not make "eliasziw" find more."""
    sums = sums_of([[2, 1, 2, 1]] * 10)

    assert correlation_slowly(sums) < 0
    assert mcnemar(
        sums.contingency_table(), method="asymptotic"
    ).statistic == pytest.approx(clustered_mcnemar(sums, method="eliasziw").statistic)


def test_records_that_are_all_alike():
    """Without any variation between records a group counts as one for "eliasziw"."""
    sums = sums_of([[0, 0, 4, 0]] * 5)

    assert 5 == pytest.approx(clustered_mcnemar(sums, method="eliasziw").statistic)


def test_estimates():
    """Over all records, but for "durkalski", where every group counts alike."""
    sums = sums_of([[0, 0, 1, 0], [6, 2, 0, 2], [3, 0, 1, 0]])

    pooled = clustered_mcnemar(sums)
    by_group = clustered_mcnemar(sums, method="durkalski")

    assert 0 == pooled.estimate
    assert (11 / 15, 11 / 15) == (pooled.champion, pooled.challenger)
    assert (1 - 0.2 + 0.25) / 3 == pytest.approx(by_group.estimate)
    assert (0 + 0.8 + 0.75) / 3 == pytest.approx(by_group.champion)
    assert (1 + 0.6 + 1) / 3 == pytest.approx(by_group.challenger)
    assert "mean difference of the groups' accuracies" == by_group.estimate_name


def test_shares_that_cancel():
    """1/3 + 1/3 - 2/3 is no difference, whatever floating point makes of it."""
    tables = [[7, 1, 2, 0], [7, 2, 0, 1], [8, 0, 1, 1], [2, 0, 1, 0], [2, 1, 0, 0]]

    result = clustered_mcnemar(sums_of(tables), method="durkalski")

    assert (0, 0, 1) == (result.estimate, result.statistic, result.pvalue)


def test_default_method():
    """Signs are flipped up to 500 groups; for more it is "obuchowski", nearly the same."""
    small, large = random_sums(1, 500), random_sums(1, 501)

    assert "sign-flip" == clustered_mcnemar(small).method
    assert "obuchowski" == clustered_mcnemar(large).method
    flipped = clustered_mcnemar(large, method="sign-flip")
    assert flipped.pvalue == pytest.approx(clustered_mcnemar(large).pvalue, rel=0.1)
    assert flipped.confidence_interval() == pytest.approx(
        clustered_mcnemar(large).confidence_interval(), abs=5e-4
    )


# --------------------------------------------------------------------------- edges


def test_no_discordant_pairs():
    """Nothing differs: p is 1, and the interval is that of a record a group."""
    sums = sums_of([[3, 0, 0, 1], [5, 0, 0, 0]] * 6)
    for method, alternative in itertools.product(["auto", *METHODS], ALTERNATIVES):
        result = clustered_mcnemar(sums, method=method, alternative=alternative)

        assert (0, 1, 0) == (result.statistic, result.pvalue, result.log_pvalue)
        assert {"degenerate", "no-discordant-pairs"} == set(result.flags)
        assert "design_effect" not in result.details
        if alternative == "two-sided":
            z2 = stats.norm.isf(0.025) ** 2
            expected = (-z2 / (12 + z2), z2 / (12 + z2))
            assert expected == pytest.approx(result.confidence_interval(), abs=1e-9)


def test_groups_without_difference():
    """Discordant pairs that cancel in every group: p is 1, and 0 is in the interval."""
    for method in METHODS:
        result = clustered_mcnemar(sums_of([[3, 1, 1, 1], [5, 2, 2, 0]] * 6), method=method)

        assert (0, 1) == (result.statistic, result.pvalue)
        assert (method != "eliasziw") == result.degenerate
        low, high = result.confidence_interval()
        assert low < 0 < high


def test_one_group():
    """One group says nothing about new ones."""
    for method in ["auto", *METHODS]:
        with pytest.raises(ValueError, match=r"at least 2 groups\. Got 1 group"):
            clustered_mcnemar(sums_of([[3, 1, 2, 1]]), method=method)


def test_few_groups():
    """Fewer than ten are flagged, ten are not; two cannot be significant."""
    assert "few-groups" in clustered_mcnemar(random_sums(0, 9)).flags
    assert "few-groups" not in clustered_mcnemar(random_sums(0, 10)).flags
    assert 0.5 == clustered_mcnemar(sums_of([[0, 0, 9, 0], [0, 0, 9, 0]])).pvalue


def test_one_sided_tests():
    """They take the signed root: half of the two-sided p-value in its direction."""
    for method in CHI_SQUARED:
        sums = random_sums(4)
        both = clustered_mcnemar(sums, method=method).pvalue
        less, greater = (
            clustered_mcnemar(sums, method=method, alternative=alternative).pvalue
            for alternative in ("less", "greater")
        )

        assert both / 2 == pytest.approx(min(less, greater), rel=1e-12)
        assert 1 == pytest.approx(less + greater, rel=1e-12)


def test_details():
    """The result says what it was made of."""
    result = clustered_mcnemar(sums_of([[3, 1, 2, 1], [4, 0, 3, 1], [2, 1, 0, 0]]))

    d, n, k = np.array([1, 3, -1]), np.array([7, 8, 3]), 3
    spread = np.sum((d - n * 3 / 18) ** 2) * k / (k - 1)
    expected = {
        "n_groups": 3,
        "only_champion": 2,
        "only_challenger": 5,
        "design_effect": spread / (7 - 9 / 18),
    }
    assert expected == pytest.approx(result.details)
    assert 18 == result.n


# ----------------------------------------------------------------------- intervals


@pytest.mark.slow
def test_interval_goes_with_the_pvalue():
    """0 is outside exactly when p is below alpha, however many groups there are."""
    for method, n_groups in itertools.product(METHODS, [2, 4, 7, 13, 14, 15, 30, 80]):
        for seed in range(6):
            sums = random_sums(seed, n_groups)
            for alternative in ALTERNATIVES:
                result = clustered_mcnemar(sums, method=method, alternative=alternative)
                for level in (0.5, 0.7, 0.9, 0.95, 0.99, 0.9999):
                    low, high = result.confidence_interval(level)

                    assert (result.pvalue < alpha_of(level)) == (not low <= 0 <= high)
                    assert -1 <= low <= result.estimate + 1e-12
                    assert result.estimate - 1e-12 <= high <= 1


def statistic_of(sums, method, delta):
    """The statistic with the differences d - n delta of the groups."""
    d, n, k = sums.differences.astype(float), sums.sizes.astype(float), sums.n_groups
    if method == "durkalski":
        d, n = d / n, np.ones(k)
    centred = np.sum((d - n * d.sum() / n.sum()) ** 2)
    e = d - n * delta
    spread = {
        "obuchowski": np.sum(e**2) * k / (k - 1),
        "durkalski": np.sum(e**2),
        "yang": (centred + np.sum(e**2)) / 2 * k / (k - 1),
    }[method]
    return e.sum() ** 2 / spread


def test_interval_inverts_the_statistic():
    """At a limit the statistic of d - n delta is the quantile, or beyond it at Tango's."""
    quantile = stats.chi2.isf(0.05, 1)
    for method, seed in itertools.product(MOMENTS, range(6)):
        sums = random_sums(seed, 30, 20, alike=0.3)

        result = clustered_mcnemar(sums, method=method)

        expected = statistic_of(sums, method, 0)
        assert expected == pytest.approx(result.statistic, rel=1e-12)
        found = [statistic_of(sums, method, d) for d in result.confidence_interval()]
        assert min(found) >= quantile * (1 - 1e-9)
        if method != "durkalski":
            assert quantile == pytest.approx(max(found), rel=1e-9)


def test_interval_inverts_the_sign_flips():
    """Signs of d - n delta are flipped: beside a limit p is on either side of the tail."""

    def pvalue(sums, delta):
        flipped = all_sums(sums.differences - sums.sizes * delta)
        return np.mean(flipped >= flipped[0] - 1e-9)

    for seed in range(6):
        sums = random_sums(seed, 10, 20, alike=0.3)
        low, high = clustered_mcnemar(sums, method="sign-flip").confidence_interval(0.9)

        assert pvalue(sums, low - 1e-6) < 0.05 <= pvalue(sums, low + 1e-6)
        mirrored = clustered_mcnemar(sums.swap(), method="sign-flip")
        assert (-high, -low) == pytest.approx(mirrored.confidence_interval(0.9), abs=1e-12)


def test_interval_is_no_shorter_than_without_groups():
    """Where groups vary more than independent records, Tango's interval is inside."""
    for method, seed in itertools.product(
        ["sign-flip", "obuchowski", "yang", "eliasziw"], [0, 1, 2, 4, 5]
    ):
        sums = random_sums(seed, 12, 20, alike=0.5)
        tango = mcnemar(sums.contingency_table(), method="asymptotic")

        result = clustered_mcnemar(sums, method=method)

        assert result.details["design_effect"] > 1.5
        for level in (0.5, 0.9, 0.999):
            low, high = result.confidence_interval(level)
            lower, higher = tango.confidence_interval(level)
            assert low <= lower + 1e-9
            assert higher - 1e-9 <= high


def test_interval_of_one_deviating_group():
    """One discordant pair in one group leaves room for the other classifier."""
    for method in METHODS:
        sums = sums_of([[9, 0, 1, 0]] + [[9, 0, 0, 1]] * 11)

        low, high = clustered_mcnemar(sums, method=method).confidence_interval()

        assert low < -0.01
        assert high > 0.03


def test_interval_where_one_group_has_nearly_all():
    """Differences far away fit too then; the interval stays one, with 0 where p says."""
    for method, big in itertools.product(MOMENTS, [[30, 0, 20, 50], [30, 20, 0, 50]]):
        sums = sums_of([big, [1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1]])
        for alternative in ALTERNATIVES:
            result = clustered_mcnemar(sums, method=method, alternative=alternative)
            limits = [result.confidence_interval(level) for level in (0.5, 0.9, 0.99)]
            for (low, high), (lower, higher) in itertools.pairwise(limits):
                assert lower <= low <= result.estimate <= high <= higher


def test_one_sided_interval():
    """It reaches to the end of the scale, and has the two-sided limit of twice alpha."""
    sums = random_sums(2, 20)
    low, high = clustered_mcnemar(sums).confidence_interval(0.9)

    greater = clustered_mcnemar(sums, alternative="greater").confidence_interval(0.95)
    less = clustered_mcnemar(sums, alternative="less").confidence_interval(0.95)

    assert (low, 1) == pytest.approx(greater)
    assert (-1, high) == pytest.approx(less)


# ----------------------------------------------------------- error rates and planning


def rejection_rate(method, n_groups, repeats=400):
    """Type I error where every group favours one classifier, and sizes differ much."""
    rng = np.random.default_rng(n_groups)
    rejected = 0
    for _ in range(repeats):
        sizes = rng.geometric(0.1, size=n_groups)
        discordant = rng.binomial(sizes, 0.4)
        favour = rng.binomial(discordant, rng.choice([0.05, 0.95], size=n_groups))
        tables = [sizes - discordant, discordant - favour, favour, 0 * sizes]
        sums = sums_of(np.transpose(tables))
        rejected += clustered_mcnemar(sums, method=method).pvalue < 0.05
    return rejected / repeats


@pytest.mark.slow
def test_type_one_error_with_unequal_groups():
    """The default keeps its level where a common correlation does not hold."""
    assert rejection_rate("auto", 25) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
    assert rejection_rate("eliasziw", 25) > 0.15


KINDS = np.array(
    [[7, 0, 3, 0], [7, 3, 0, 0], [8, 0, 2, 0], [7, 1, 2, 0], [9, 0, 1, 0], [9, 1, 0, 0]]
)
"""Groups of ten records, of which most favour the challenger."""


def test_planner_is_that_of_unrelated_records_times_the_design_effect():
    """So many as for McNemar's test, exact if signs are flipped, times that effect."""
    planners = {name: entry.sample_size for name, entry in paired_tests().items()}
    # Groups of another size tell the mean of the groups from that of the records.
    sums = sums_of([*(KINDS.tolist() * 4), [18, 0, 2, 0]])
    effect = clustered_mcnemar(sums).details["design_effect"]
    mean_group = ContingencyTable(*(sums.tables / sums.sizes[:, np.newaxis]).mean(axis=0))
    for method, alternative in itertools.product(METHODS, ["two-sided", "greater"]):
        settings = {"alpha": 0.05, "power": 0.8, "alternative": alternative}
        table = mean_group if method == "durkalski" else sums.contingency_table()
        plain = "exact" if method == "sign-flip" else "asymptotic"
        expected = planners["mcnemar"](table, method=plain, **settings) * effect

        needed = planners["clustered_mcnemar"](sums, method=method, **settings)

        assert effect > 1.2
        assert sums.n < expected == pytest.approx(needed, rel=1e-12)


@pytest.mark.slow
def test_registered_planner():
    """As many groups, drawn again from these, are significant in four of five samples."""
    sums = sums_of(KINDS.tolist() * 4)
    sample_size = paired_tests()["clustered_mcnemar"].sample_size
    for method, alternative in itertools.product(METHODS, ["two-sided", "greater"]):
        settings = {"alpha": 0.05, "power": 0.8, "alternative": alternative}
        needed = sample_size(sums, method=method, **settings)
        rng, n_groups = np.random.default_rng(0), round(needed / 10)

        shown = [
            clustered_mcnemar(
                sums_of(KINDS[rng.integers(len(KINDS), size=n_groups)]),
                method=method,
                alternative=alternative,
            ).pvalue
            < 0.05
            for _ in range(400)
        ]

        assert needed > sums.n
        # Eliasziw's test is liberal where groups have no common correlation, as these.
        assert 0.8 == pytest.approx(
            np.mean(shown), abs=0.15 if method == "eliasziw" else 0.08
        )


def test_planner_of_little_variation():
    """An effect below 1 is not counted on, and these records were not enough."""
    sums = sums_of([[0, 0, 1, 0]] * 4)
    settings = {"alpha": 0.05, "power": 0.8, "alternative": "two-sided"}

    assert 6 == paired_tests()["clustered_mcnemar"].sample_size(sums, **settings)
