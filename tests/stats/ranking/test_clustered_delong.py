"""DeLong's test for records that come in groups."""

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from skcompare.evidence import PlacementValues
from skcompare.stats import clustered_delong, delong
from skcompare.stats.ranking._delong import _group_sums
from tests.common.golden import golden

GROUPED = next(case for case in golden("auc")["cases"] if "groups" in case)


def clustered_sample(seed=0, n_groups=40, size=5, gain=1.0):
    """Records of groups that share a part of their labels and of their scores."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), size)
    n = len(groups)
    y = (rng.normal(size=n_groups)[groups] + rng.normal(size=n) > 0).astype(int)
    own = rng.normal(size=(2, n_groups))[:, groups]
    scores = own + rng.normal(size=(2, n)) + y * np.array([[1.0], [gain]])
    return PlacementValues.from_predictions(y, *scores, groups=groups)


def obuchowski(placements):
    """Covariances of AUCs by Obuchowski's (1997) sums, from the matrix of comparisons."""
    positive, groups = placements.positive, placements.groups
    labels = np.unique(groups)
    m, n, k = positive.sum(), (~positive).sum(), len(labels)
    x, y = [], []
    for score in placements.scores:
        one, other = score[positive][:, None], score[~positive][None, :]
        psi = (one > other) + 0.5 * (one == other)
        v10, v01 = psi.mean(axis=1) - psi.mean(), psi.mean(axis=0) - psi.mean()
        x.append([v10[groups[positive] == label].sum() for label in labels])
        y.append([v01[groups[~positive] == label].sum() for label in labels])
    x, y = np.array(x), np.array(y)
    i10, i01 = (len(np.unique(groups[chosen])) for chosen in (positive, ~positive))
    s10 = i10 / ((i10 - 1) * m) * x @ x.T
    s01 = i01 / ((i01 - 1) * n) * y @ y.T
    s11 = k / (k - 1) * x @ y.T
    return s10 / m + s01 / n + (s11 + s11.T) / (m * n)


def test_formula_of_obuchowski():
    """Variances, covariance and statistic by the sums over all pairs of records."""
    for seed in range(10):
        placements = clustered_sample(seed, n_groups=12 + seed, size=2 + seed % 3)
        covariance = obuchowski(placements)
        variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]

        result = clustered_delong(placements)

        assert [covariance[0, 0], covariance[1, 1]] == pytest.approx(
            [part["variance"] for part in result.parts], rel=1e-10
        )
        assert covariance[0, 1] == pytest.approx(result.details["covariance"], abs=1e-14)
        assert result.estimate / math.sqrt(variance) == pytest.approx(
            result.statistic, rel=1e-9
        )
        fewest = min(
            result.details[f"n_groups_with_{kind}"] for kind in ("positives", "negatives")
        )
        assert 2 * t.sf(abs(result.statistic), fewest - 1) == pytest.approx(result.pvalue)


def test_singletons_are_delongs_test():
    """Groups of one record each give DeLong's test."""
    for seed in range(10):
        grouped = clustered_sample(seed, n_groups=60, size=1)
        plain = PlacementValues(grouped.positive, grouped.scores)
        expected, result = delong(plain), clustered_delong(grouped, method="normal")

        assert expected.statistic == pytest.approx(result.statistic, rel=1e-12)
        assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-11)
        assert 1 == pytest.approx(result.details["design_effect"], rel=1e-12)
        assert tuple(expected.confidence_interval()) == pytest.approx(
            tuple(result.confidence_interval()), rel=1e-11
        )


def test_grouped_sample_of_three_records_each():
    """The AUCs are those of other packages, and the variance is that of 120 groups."""
    placements = PlacementValues.from_predictions(
        GROUPED["y"], *GROUPED["scores"], groups=GROUPED["groups"]
    )
    known = GROUPED["auc_pair"]["0-1"]

    result = clustered_delong(placements)

    assert -known["diff"] == pytest.approx(result.estimate, rel=1e-12)
    assert 120 == result.details["n_groups"]
    covariance = obuchowski(placements)
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert variance == pytest.approx(result.details["standard_error"] ** 2, rel=1e-10)
    assert variance / known["var_diff"] == pytest.approx(result.details["design_effect"])
    assert () == result.flags


def test_every_group_twice_over():
    """Copies of every record within its group add nothing to what is known.

    Elsewhere, and by DeLong's test, they halve the variance.
    """
    grouped = clustered_sample(n_groups=50, size=3)
    once, twice = clustered_delong(grouped), clustered_delong(grouped + grouped)

    assert once.statistic == pytest.approx(twice.statistic, rel=1e-10)
    assert 2 == pytest.approx(
        twice.details["design_effect"] / once.details["design_effect"], rel=0.02
    )


def test_names_of_groups_do_not_matter():
    """Numbers, strings and any order of the labels are the same groups."""
    placements = clustered_sample()
    rng = np.random.default_rng(0)
    names = rng.permutation([f"patient {i}" for i in range(40)])
    renamed = PlacementValues(
        placements.positive, placements.scores, groups=names[placements.groups]
    )

    assert clustered_delong(placements).statistic == pytest.approx(
        clustered_delong(renamed).statistic, rel=1e-12
    )


def test_student_reference():
    """Student's t with the groups of the rarer class less one, by default."""
    placements = clustered_sample(n_groups=12)
    assert "t" == clustered_delong(placements).method
    plain, result = (clustered_delong(placements, method=m) for m in ("normal", "t"))
    fewest = min(
        result.details[f"n_groups_with_{kind}"] for kind in ("positives", "negatives")
    )

    assert plain.statistic == result.statistic
    assert fewest - 1 == result.df
    assert 2 * t.sf(abs(result.statistic), fewest - 1) == pytest.approx(result.pvalue)
    reach = t.isf(0.025, fewest - 1) * result.details["standard_error"]
    assert result.estimate - reach == pytest.approx(result.confidence_interval().low)
    assert "few-groups-for-normal" in plain.flags
    assert "few-groups-for-normal" not in result.flags


@pytest.mark.parametrize("interval", ["agreeing", "arctanh"])
def test_equal_rankings(interval):
    """Increasing transforms have p 1 and no width."""
    placements = clustered_sample()
    score = placements.scores[0]
    alike = PlacementValues(
        placements.positive, [score, np.exp(score)], groups=placements.groups
    )

    result = clustered_delong(alike, interval=interval)

    assert (0.0, 1.0) == tuple(result)
    assert result.degenerate
    assert (0, 0) == tuple(result.confidence_interval())


def test_difference_without_variance():
    """A perfect and a useless score differ, and no group varies."""
    y = [0, 1] * 6
    placements = PlacementValues.from_predictions(
        y, [0] * 12, y, groups=np.repeat(np.arange(6), 2)
    )

    result = clustered_delong(placements)

    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags
    low, high = result.confidence_interval()
    assert low < result.estimate <= high


def test_variance_of_rounding_only():
    """What both classes of a group leave of each other is exactly 0, and found to be."""
    y = [0, 0, 1, 1, 1, 1, 0, 1, 1]
    placements = PlacementValues.from_predictions(
        y, [0] * 9, [1, 0, 0, 1, 1, 0, -1, 0, 0], groups=[1, 0, 1, 1, 1, 0, 1, 1, 1]
    )

    result = clustered_delong(placements)

    assert abs(obuchowski(placements)[1, 1]) < 1e-15
    assert 0 == result.details["standard_error"]
    assert (math.inf, "zero-variance") == (result.statistic, result.flags[0])
    assert math.isnan(result.pvalue)


def test_sums_of_groups_are_whole_numbers():
    """Sums of counts less their mean, times the records of the class, exactly."""
    placements = clustered_sample()
    counts, codes = placements.counts, placements.group_codes()
    rows = tuple(zip(counts, placements.sums.totals, strict=True))
    own = codes[placements.positive]
    # Eight bytes are too few for sums of so many records as the second size.
    for size in (placements.n_positives, 1 << 60):
        sums, n_groups = _group_sums(rows, codes, placements.positive, size, 40)

        for (row, total), found in zip(rows, sums, strict=True):
            values = row[placements.positive].tolist()
            expected = [
                sum(
                    size * v - total for v, g in zip(values, own, strict=True) if g == group
                )
                for group in range(40)
            ]
            assert [float(value) for value in expected] == found.tolist()
        assert len(np.unique(own)) == n_groups


def test_one_group_of_a_class():
    """All positive records of one patient say nothing of other patients."""
    rng = np.random.default_rng(0)
    y, groups = np.repeat([1, 0], [4, 12]), np.repeat(np.arange(4), 4)
    placements = PlacementValues.from_predictions(
        y, *rng.normal(size=(2, 16)), groups=groups
    )

    alike = PlacementValues.from_predictions(
        y, np.sin(np.arange(16)), 2 * np.sin(np.arange(16)), groups=groups
    )
    for method in ("normal", "t"):
        result = clustered_delong(placements, method=method)

        assert math.isnan(result.pvalue)
        assert math.isnan(result.statistic)
        assert "one-group-of-a-class" in result.flags
        assert (-1, 1) == tuple(result.confidence_interval())
        assert all(math.isfinite(part["low"]) for part in result.parts)
        same = clustered_delong(alike, method=method)
        assert (0.0, 1.0) == tuple(same)
        assert (0, 0) == tuple(same.confidence_interval())


def test_margin():
    """Non-inferiority with the variance between groups."""
    placements = clustered_sample(n_groups=80)
    plain = clustered_delong(placements)

    result = clustered_delong(placements, null_value=-0.1, alternative="greater")

    z = (plain.estimate + 0.1) / plain.details["standard_error"]
    assert t.sf(z, result.df) == pytest.approx(result.pvalue)
    published = clustered_delong(
        placements, null_value=-0.1, alternative="greater", method="normal"
    )
    assert norm.sf(z) == pytest.approx(published.pvalue)
    assert (result.pvalue < 0.05) == (result.confidence_interval().low > -0.1)


def test_refusals():
    """No groups, one group, other than two classifiers."""
    placements = clustered_sample()
    with pytest.raises(ValueError, match="The records have no groups"):
        clustered_delong(
            PlacementValues(
                placements.positive, placements.scores, design="grouped holdout"
            )
        )
    with pytest.raises(ValueError, match=r"at least 2 groups. Got 1 group"):
        clustered_delong(
            PlacementValues(placements.positive, placements.scores, groups=[1] * 200)
        )
    with pytest.raises(ValueError, match="clustered_delong compares two classifiers"):
        clustered_delong(
            PlacementValues(
                placements.positive, placements.scores[:1], groups=placements.groups
            )
        )
    assert "invalid-design" in delong(placements).flags


@pytest.mark.slow
def test_standard_error_is_that_of_new_groups():
    """Over new samples the difference varies as much as the test says, and more than
    DeLong's test says."""
    found, said, naive = [], [], []
    for seed in range(400):
        placements = clustered_sample(seed, n_groups=40, size=6)
        result = clustered_delong(placements)
        found.append(result.estimate)
        said.append(result.details["standard_error"] ** 2)
        naive.append(said[-1] / result.details["design_effect"])

    assert np.var(found) == pytest.approx(np.mean(said), rel=0.15)
    assert np.mean(naive) < 0.8 * np.var(found)


@pytest.mark.slow
def test_size_with_few_groups():
    """The default holds its level with 10 groups, where the published normal does not."""
    rejected = {"t": 0, "normal": 0}
    for seed in range(600):
        placements = clustered_sample(seed, n_groups=10, size=5)
        for method in rejected:
            rejected[method] += clustered_delong(placements, method=method).pvalue < 0.05

    assert rejected["t"] / 600 < 0.07
    assert rejected["normal"] / 600 > 0.075


@pytest.mark.slow
def test_size_under_the_null():
    """Equally good classifiers differ in about 5 % of samples of 60 groups.

    DeLong's test, which takes their records for unrelated, finds more.
    """
    grouped = plain = 0
    for seed in range(500):
        placements = clustered_sample(seed, n_groups=60, size=6)
        result = clustered_delong(placements)
        grouped += result.pvalue < 0.05
        z = result.statistic * math.sqrt(result.details["design_effect"])
        plain += 2 * norm.sf(abs(z)) < 0.05

    assert 0.03 < grouped / 500 < 0.08
    assert plain / 500 > 0.08
