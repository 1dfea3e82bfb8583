"""Cohen's kappa of labels and of correct and incorrect predictions.

`agreement.json` has figures of statsmodels (`inter_rater.cohens_kappa`), scikit-learn
(`cohen_kappa_score`) and R: `vcd::Kappa`, `psych::cohen.kappa`, `irr::kappa2`,
`DescTools::CohenKappa`.
"""

import itertools
import math
from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from skcompare._core.validation import alpha_of
from skcompare.evidence import AgreementMatrix, ContingencyTable
from skcompare.stats import cohen_kappa, error_kappa
from tests.common.golden import golden

GOLDEN = golden("agreement")
WEIGHTS = ("none", "linear", "quadratic")
SPARSE = [
    (99, 0, 0, 1),
    (990, 4, 4, 2),
    (990, 9, 1, 0),
    (95, 2, 2, 1),
    (19, 1, 0, 1),
    (10, 5, 30, 1),
    (0, 4, 6, 3),
    (999_900, 50, 40, 10),
]
"""Tables with an expected count below 5."""

normal_kappa = partial(error_kappa, method="asymptotic")
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.9999)


def near(figure, rtol=1e-10):
    """The figure as closely as it is known."""
    return pytest.approx(figure["value"], rel=rtol, abs=1e-13)


def matrix_of(counts):
    return AgreementMatrix(counts, range(len(counts)))


def random_matrix(rng, n_classes, n):
    """A table of labels with some agreement, in which all classes occur."""
    shares = np.full((n_classes,) * 2, 0.4 / n_classes**2)
    shares[np.diag_indices(n_classes)] += 0.6 * rng.dirichlet(np.ones(n_classes))
    counts = rng.multinomial(n, shares.ravel() / shares.sum()).reshape((n_classes,) * 2)
    return counts + np.eye(n_classes, dtype=int)


def kappa_of(joint, weights):
    """Weighted kappa of a table of shares, from its definition."""
    distance = np.abs(np.subtract.outer(np.arange(len(joint)), np.arange(len(joint))))
    distance = {"none": distance > 0, "linear": distance, "quadratic": distance**2}[weights]
    independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return 1 - (distance * joint).sum() / (distance * independent).sum()


def delta_method_error(joint, weights, n):
    """The standard error of kappa by numerical derivatives."""
    step = 1e-5
    slopes = np.zeros_like(joint)
    for cell in np.ndindex(joint.shape):
        moved = []
        for sign in (1, -1):
            other = joint.copy()
            other[cell] += sign * step
            moved.append(kappa_of(other / other.sum(), weights))
        slopes[cell] = (moved[0] - moved[1]) / (2 * step)
    mean = (joint * slopes).sum()
    return math.sqrt((joint * (slopes - mean) ** 2).sum() / n)


def assert_golden(result, figures, suffix=""):
    assert near(figures["kappa" + suffix]) == result.estimate
    if not figures["se" + suffix].get("degenerate"):
        assert near(figures["se" + suffix]) == result.details["se"]
    if not suffix:
        assert near(figures["se0"]) == result.details["se0"]
        assert near(figures["z0"]) == result.statistic


# ------------------------------------------------------- other people's numbers


def test_label_kappa_of_independent_packages():
    """Six packages agree on kappa, its standard errors, and z."""
    for case in GOLDEN["matrices"]:
        result = cohen_kappa(matrix_of(case["counts"]))

        assert_golden(result, case["kappa"])
        assert 2 * stats.norm.sf(abs(result.statistic)) == pytest.approx(result.pvalue)


def test_weighted_kappa_of_independent_packages():
    """Four packages agree on weighted kappa and its standard error."""
    for weights, case in itertools.product(
        ["linear", "quadratic"],
        [c for c in GOLDEN["matrices"] if "se_linear" in c["kappa"]],
    ):
        result = cohen_kappa(matrix_of(case["counts"]), weights=weights)

        assert_golden(result, case["kappa"], f"_{weights}")


def test_error_kappa_of_independent_packages():
    """The same packages agree on kappa of correct and incorrect predictions."""
    for case in GOLDEN["tables"]:
        assert_golden(normal_kappa(ContingencyTable(*case["table"])), case["kappa"])


def test_wald_interval_of_independent_packages():
    """statsmodels and DescTools agree on kappa ± z se."""
    for case in [*GOLDEN["matrices"], *GOLDEN["tables"]]:
        if "table" in case:
            result = error_kappa(ContingencyTable(*case["table"]), interval="wald")
        else:
            result = cohen_kappa(matrix_of(case["counts"]), interval="wald")
        low, high = (case["kappa"][end]["value"] for end in ("ci_lo", "ci_hi"))

        expected = max(low, -1), min(high, 1)
        assert pytest.approx(expected, rel=1e-10, abs=1e-12) == result.confidence_interval()


def test_worked_examples():
    """The textbook's kappas, its 0.219 being 0.2195 rounded on the way."""
    worked = GOLDEN["worked"]
    pair = error_kappa(ContingencyTable(150, 25, 15, 10))
    labels = cohen_kappa(matrix_of(worked["14.10-kappa"]["inputs"]["N"]))

    assert 9 / 41 == pytest.approx(pair.estimate, rel=1e-15)
    assert worked["14.1-kappa"]["value"] == pytest.approx(pair.estimate, rel=1e-12)
    assert 0.8 == pytest.approx(pair.details["observed_agreement"])
    assert 0.74375 == pytest.approx(pair.details["chance_agreement"])
    assert worked["14.10-kappa"]["value"]["kappa"] == pytest.approx(labels.estimate)
    assert 0 == error_kappa(ContingencyTable(25, 25, 25, 25)).estimate
    assert worked["14.4"]["value"]["kappa"] == pytest.approx(
        error_kappa(ContingencyTable(95, 2, 2, 1)).estimate
    )


def test_standard_errors_of_the_worked_examples():
    """Reference values of Fleiss, Cohen and Everitt's standard errors."""
    reference = GOLDEN["reference"]["A-kappa-se"]
    (both, one), (other, neither) = reference["inputs"]["table2"]
    results = {
        "2": error_kappa(ContingencyTable(both, one, other, neither)),
        "3": cohen_kappa(matrix_of(reference["inputs"]["table3"])),
    }

    for size, result in results.items():
        value = reference["value"]
        assert value["kappa" + size] == pytest.approx(result.estimate, rel=1e-12)
        assert value["se" + size] == pytest.approx(result.details["se"], rel=1e-12)
        assert value["se0_" + size] == pytest.approx(result.details["se0"], rel=1e-12)


def test_kappa_of_scikit_learn():
    """scikit-learn's score of the same labels, in many random tables."""
    for weights in WEIGHTS:
        rng = np.random.default_rng(0)
        for n_classes in (2, 3, 4, 7):
            counts = random_matrix(rng, n_classes, 150)
            first, second = np.nonzero(counts)
            records = counts[first, second]

            expected = cohen_kappa_score(
                np.repeat(first, records),
                np.repeat(second, records),
                weights=None if weights == "none" else weights,
            )

            actual = cohen_kappa(matrix_of(counts), weights=weights).estimate
            assert expected == pytest.approx(actual, rel=1e-12)


def test_standard_errors_by_numerical_derivatives():
    """se is the delta method's at the table, se0 at independence with its margins."""
    for weights in WEIGHTS:
        rng = np.random.default_rng(1)
        for n_classes in (2, 3, 5):
            counts = random_matrix(rng, n_classes, 300)
            n = counts.sum()
            joint = counts / n
            independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))

            details = cohen_kappa(matrix_of(counts), weights=weights).details

            expected = delta_method_error(joint, weights, n)
            assert expected == pytest.approx(details["se"], rel=1e-6)
            expected = delta_method_error(independent, weights, n)
            assert expected == pytest.approx(details["se0"], rel=1e-6)


# ------------------------------------------------------------------ the interval


def test_limit_towards_zero_inverts_the_test_of_a_mixture():
    """Between 0 and kappa the limit is z standard errors away, those at the limit."""
    for counts in [(150, 25, 15, 10), (40, 10, 10, 40), (30, 60, 50, 25), (90, 4, 3, 8)]:
        table = np.array(counts, dtype=float).reshape(2, 2)
        n = table.sum()
        independent = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
        result = normal_kappa(ContingencyTable(*counts))
        assert result.pvalue < 0.1

        for level in (0.5, 0.8, 0.9):
            low, high = result.confidence_interval(level)
            limit = low if result.estimate > 0 else high
            share = limit / result.estimate
            mixture = normal_kappa(
                ContingencyTable(*(share * table + (1 - share) * independent).ravel())
            )

            assert limit == pytest.approx(mixture.estimate, rel=1e-9)
            z = stats.norm.isf((1 - level) / 2)
            assert abs(result.estimate - limit) == pytest.approx(
                z * mixture.details["se"], rel=1e-9
            )


def test_interval_excludes_zero_exactly_when_rejected():
    """At the p-value's own level 0 passes from outside to inside, by every weight."""
    for weights in WEIGHTS:
        rng = np.random.default_rng(2)
        for _ in range(25):
            counts = rng.multinomial(rng.integers(8, 40), rng.dirichlet(np.ones(9)))
            result = cohen_kappa(matrix_of(counts.reshape(3, 3)), weights=weights)
            if not 1e-6 < result.pvalue < 0.99:
                continue
            for alpha, outside in (
                (result.pvalue * 1.001, True),
                (result.pvalue / 1.001, False),
            ):
                low, high = result.confidence_interval(1 - alpha)

                assert outside == (not low <= 0 <= high)
                assert -1 <= low <= result.estimate <= high <= 1


def test_far_limits_are_those_of_wald():
    """Away from 0 the limit is kappa + z se, and beyond 0 it is kappa - z se0."""
    result = error_kappa(ContingencyTable(30, 22, 15, 14))
    z = stats.norm.isf(0.025)
    assert 0 < result.estimate
    assert result.pvalue > 0.05

    low, high = result.confidence_interval()

    assert result.estimate + z * result.details["se"] == pytest.approx(high, rel=1e-12)
    assert result.estimate - z * result.details["se0"] == pytest.approx(low, rel=1e-12)


def test_interval_of_zero_has_the_wider_error_on_both_sides():
    """Where kappa is 0 neither side is nearer to it."""
    result = error_kappa(ContingencyTable(25, 25, 25, 25))
    z = stats.norm.isf(0.025)

    assert (0, 1) == (result.statistic, result.pvalue)
    assert (-0.1 * z, 0.1 * z) == pytest.approx(result.confidence_interval())


def test_perfect_agreement():
    """Kappa 1 has no standard error, upper limit 1, and a lower limit below it."""
    for counts in ((50, 0, 0, 30), (7, 0, 0, 2)):
        result = error_kappa(ContingencyTable(*counts))

        assert (1, 0) == (result.estimate, result.details["se"])
        for level in LEVELS:
            low, high = result.confidence_interval(level)
            assert 1 == high
            assert -1 < low < 1
        assert "almost perfect agreement beyond chance" == result.remark


def test_perfect_disagreement():
    """Kappa -1 is the mirror of 1 where both rates are a half."""
    result = error_kappa(ContingencyTable(0, 40, 40, 0))
    agreeing = error_kappa(ContingencyTable(40, 0, 0, 40))

    assert (-1, 0) == (result.estimate, result.details["se"])
    for level in LEVELS:
        low, high = agreeing.confidence_interval(level)
        assert (-high, -low) == pytest.approx(result.confidence_interval(level))


# ------------------------------------------------------------ few expected records


def central_pvalue(a, b, c, d):
    """Twice the smaller tail of the hypergeometric distribution, at most 1."""
    first, second = a + b, a + c
    ways = [
        math.comb(first, x) * math.comb(c + d, second - x)
        for x in range(max(0, a - d), min(first, second) + 1)
    ]
    at = a - max(0, a - d)
    return min(1.0, 2 * min(sum(ways[: at + 1]), sum(ways[at:])) / sum(ways))


def odds_with(kappa, a, b, c, d):
    """The odds ratio of the table with these margins and this kappa."""
    n = a + b + c + d
    rows, columns = (a + b, c + d), (a + c, b + d)
    apart = (rows[0] * columns[1] + rows[1] * columns[0]) / n
    more = kappa * apart / 2 - (a * d - b * c) / n
    return (a + more) * (d + more) / ((b - more) * (c - more))


def test_sparse_tables_have_the_exact_pvalue():
    """Given both accuracies kappa grows with the records that both predict correctly."""
    for counts in SPARSE:
        result = error_kappa(ContingencyTable(*counts))

        assert "exact" == result.method
        assert counts[0] == result.statistic
        assert () == result.flags
        assert central_pvalue(*counts) == pytest.approx(result.pvalue, rel=1e-8)


def test_normal_pvalue_of_accurate_classifiers_is_wrong():
    """One record that both get wrong, of a hundred: p is not 1e-23."""
    exact = error_kappa(ContingencyTable(99, 0, 0, 1))
    normal = normal_kappa(ContingencyTable(99, 0, 0, 1))

    assert 0.02 == pytest.approx(exact.pvalue, rel=1e-12)
    assert normal.pvalue < 1e-20
    assert ("small-expected-counts",) == normal.flags


@pytest.mark.parametrize(
    ("counts", "method"),
    [((50, 5, 5, 5), "exact"), ((25, 25, 25, 25), "asymptotic"), ((5,) * 4, "asymptotic")],
)
def test_exact_where_a_record_is_expected_seldom(counts, method):
    """Below 5 records in a cell, expected of independent errors."""
    result = error_kappa(ContingencyTable(*counts))

    assert method == result.method
    assert () == result.flags
    assert "exact" == error_kappa(ContingencyTable(*counts), method="exact").method


def test_exact_limit_is_that_of_the_odds_ratio():
    """scipy has a tail of alpha / 2 for the odds ratio of the table with that kappa."""
    for counts in [*SPARSE, (40, 10, 10, 40), (150, 25, 15, 10)]:
        a, b, c, _ = counts
        n = sum(counts)
        result = error_kappa(ContingencyTable(*counts), method="exact")
        grows = result.estimate > 0

        for level in (0.5, 0.9, 0.95):
            low, high = result.confidence_interval(level)
            odds = odds_with(low if grows else high, *counts)
            tables = stats.nchypergeom_fisher(n, a + b, a + c, odds)
            tail = tables.sf(a - 1) if grows else tables.cdf(a)

            assert (1 - level) / 2 == pytest.approx(tail, rel=1e-5)


def assert_exact_intervals(tables):
    """0 is outside exactly when p is below alpha, and the estimate always inside."""
    significant = 0
    for counts in tables:
        result = error_kappa(ContingencyTable(*counts), method="exact")
        if math.isnan(result.pvalue):
            continue
        if not result.degenerate:
            assert central_pvalue(*counts) == pytest.approx(result.pvalue, rel=1e-10)
        for level in (0.5, 0.8, 0.95):
            low, high = result.confidence_interval(level)

            assert -1 <= low <= result.estimate <= high <= 1, counts
            assert (result.pvalue < alpha_of(level)) == (not low <= 0 <= high), (
                counts,
                level,
            )
            significant += result.pvalue < alpha_of(level)
    assert significant > len(tables) / 7


def test_exact_intervals_of_small_tables():
    """They agree with exact p-values, with any empty cells."""
    assert_exact_intervals([*product((0, 1, 4), (0, 2), (0, 1), (1, 3)), (4, 0, 2, 0)])


@pytest.mark.slow
def test_exact_intervals_of_every_small_table():
    """The same of all tables with up to 14 records."""
    tables = product(range(5), range(5), range(3), range(5))
    assert_exact_intervals([counts for counts in tables if any(counts)])


def test_far_limit_of_the_exact_interval_leaves_room_for_other_accuracies():
    """Away from 0 it is no nearer than kappa ± z se, which does not fix the accuracies."""
    for counts in SPARSE:
        exact, wald = (
            error_kappa(ContingencyTable(*counts), interval=interval)
            for interval in ("agreeing", "wald")
        )
        assert exact.pvalue == wald.pvalue

        for level in LEVELS:
            ours, theirs = exact.confidence_interval(level), wald.confidence_interval(level)
            if exact.estimate > 0:
                assert theirs.high <= ours.high + 1e-15
            else:
                assert ours.low - 1e-15 <= theirs.low


@pytest.mark.slow
def test_size_for_two_accurate_classifiers():
    """Independent errors of 1 % each, of a thousand records: rejected at most as stated."""
    n, rate = 1000, 0.01
    chance = stats.binom(n, rate).pmf(np.arange(26))
    rejected = np.zeros(2)
    for first, second in product(range(1, 26), repeat=2):
        if second < first:  # the roles are alike
            continue
        both = np.arange(min(first, second) + 1)
        tables = stats.hypergeom(n, first, second).pmf(both)
        weight = chance[first] * chance[second] * (1 + (first != second))
        for x in np.flatnonzero(tables > 1e-9).tolist():
            table = ContingencyTable(n - first - second + x, second - x, first - x, x)
            pvalue = error_kappa(table).pvalue
            rejected += weight * tables[x] * (pvalue < np.array([0.05, 0.01]))

    assert rejected[0] < 0.05
    assert rejected[1] < 0.01


def test_fractional_counts_have_no_exact_pvalue():
    """Averaged tables keep the normal p, flagged where it is poor."""
    table = ContingencyTable(95.0, 2.0, 2.0, 1.0)

    result = error_kappa(table)
    assert "asymptotic" == result.method
    assert ("small-expected-counts",) == result.flags
    with pytest.raises(ValueError, match=r"needs whole counts.*fractional.*asymptotic"):
        error_kappa(table, method="exact")


def test_small_expected_agreement_of_labels_is_flagged():
    """Fewer than 5 records expected to get one class from both."""
    rare = matrix_of([[90, 3, 0], [2, 40, 1], [0, 1, 12]])
    frequent = matrix_of([[70, 6, 4], [10, 55, 5], [8, 7, 35]])
    for weights in WEIGHTS:
        assert ("small-expected-counts",) == cohen_kappa(rare, weights=weights).flags
        assert () == cohen_kappa(frequent, weights=weights).flags
        with_unused = np.zeros((4, 4), dtype=int)
        with_unused[:3, :3] = frequent.counts
        assert () == cohen_kappa(matrix_of(with_unused), weights=weights).flags
        with_unused[0, 3] = 1  # a class of one classifier only
        assert () == cohen_kappa(matrix_of(with_unused), weights=weights).flags


def test_flag_of_small_expected_counts_has_text():
    """A reader learns what is poor."""
    caveats = cohen_kappa(matrix_of([[9, 0], [0, 1]])).caveats

    assert ["expected count is below 5" in caveat for caveat in caveats] == [True]


# -------------------------------------------------------------------- edge cases


def test_no_variation_is_undefined():
    """Both always right, or both always wrong: nothing is beyond chance."""
    for counts in ((9, 0, 0, 0), (0, 0, 0, 4), (1, 0, 0, 0)):
        result = error_kappa(ContingencyTable(*counts))

        assert all(
            math.isnan(value)
            for value in (*result, result.estimate, *result.confidence_interval())
        )
        assert ("undefined-kappa",) == result.flags
        assert "" == result.remark
        assert "one and the same class" in result.caveats[0]


def test_one_class_is_undefined():
    """Both give one class always, whether others are known or not."""
    for weights in WEIGHTS:
        for counts in ([[5]], [[0, 0], [0, 5]]):
            result = cohen_kappa(matrix_of(counts), weights=weights)

            assert math.isnan(result.estimate)
            assert ("undefined-kappa",) == result.flags


def test_one_constant_classifier():
    """One always right or always wrong: kappa is 0 whatever the other does."""
    for counts in [(5, 0, 3, 0), (0, 4, 0, 3), (99, 1, 0, 0), (0, 1, 0, 0)]:
        result = error_kappa(ContingencyTable(*counts))

        assert (0, 0, 1) == (result.estimate, result.statistic, result.pvalue)
        assert (0, 0) == result.confidence_interval()
        assert result.degenerate
        assert (0, 0) == (result.details["se"], result.details["se0"])


def test_label_rates_alone_make_kappa_zero():
    """No common class: 0 unweighted; with distances only where they add up."""
    apart = matrix_of([[0, 0, 3, 1], [0, 0, 2, 4], [0] * 4, [0] * 4])

    for weights in ("none", "linear"):
        result = cohen_kappa(apart, weights=weights)
        assert (0, 1) == (result.estimate, result.pvalue)
        assert result.degenerate
    squares = cohen_kappa(apart, weights="quadratic")
    assert not squares.degenerate
    assert squares.estimate != 0


def test_least_kappa_of_the_label_rates():
    """The bound -e / (1 - e) is met where no label agrees, and is not always -1."""
    result = cohen_kappa(matrix_of([[0, 10, 0], [0, 0, 10], [10, 0, 0]]))

    assert -0.5 == pytest.approx(result.estimate)
    assert result.estimate == pytest.approx(result.details["least_kappa"])


def test_repeated_records_and_other_names():
    """Duplicated records keep kappa, and so does the reverse order of the classes."""
    counts = np.array([[70, 6, 4], [10, 55, 5], [8, 7, 35]])
    for weights in WEIGHTS:
        once = cohen_kappa(matrix_of(counts), weights=weights)
        twice = cohen_kappa(matrix_of(2 * counts), weights=weights)
        reverse = cohen_kappa(matrix_of(counts[::-1, ::-1]), weights=weights)

        assert once.estimate == pytest.approx(twice.estimate, rel=1e-14)
        assert once.details["se"] == pytest.approx(twice.details["se"] * math.sqrt(2))
        assert once.estimate == pytest.approx(reverse.estimate, rel=1e-14)
        assert once.pvalue == pytest.approx(reverse.pvalue, rel=1e-10)


def test_order_matters_to_weights_only():
    """Classes in another order have the kappa of labels, and another weighted one."""
    counts = np.array([[70, 6, 4], [10, 55, 5], [8, 7, 35]])
    mixed = matrix_of(counts[np.ix_([1, 0, 2], [1, 0, 2])])

    for weights in ("none", "linear"):
        one, other = (
            cohen_kappa(matrix, weights=weights).estimate
            for matrix in (matrix_of(counts), mixed)
        )
        assert (weights == "none") == (one == pytest.approx(other, rel=1e-12))


def test_unused_class_is_a_step_between_others():
    """An unused class changes weighted kappa by its place, and kappa not at all."""
    used = matrix_of([[9, 2, 1], [3, 8, 2], [1, 1, 7]])
    wide = np.zeros((4, 4), dtype=int)
    wide[np.ix_([0, 1, 3], [0, 1, 3])] = used.counts

    for weights in ("none", "linear"):
        one, other = (
            cohen_kappa(matrix, weights=weights).estimate
            for matrix in (used, matrix_of(wide))
        )
        assert (weights == "none") == (one == pytest.approx(other, rel=1e-12))


def test_kappa_in_text():
    """Limits belong to the upper range; 0.2195 is fair, which the textbook miscalls.

    Below 0 only an interval without 0 makes disagreement systematic.
    """
    for counts, words in [
        ((5, 10, 12, 4), "worse than chance: the two disagree systematically"),
        ((25, 26, 26, 25), "less agreement than by chance"),
        ((80, 10, 10, 0), "less agreement than by chance"),
        ((25, 25, 25, 25), "no agreement beyond chance"),
        ((90, 10, 0, 0), "no agreement beyond chance"),
        ((30, 20, 20, 30), "fair agreement beyond chance"),
        ((28, 22, 22, 28), "slight agreement beyond chance"),
        ((3, 2, 2, 3), "fair agreement beyond chance"),
        ((7, 3, 3, 7), "moderate agreement beyond chance"),
        ((8, 2, 2, 8), "substantial agreement beyond chance"),
        ((9, 1, 1, 9), "almost perfect agreement beyond chance"),
        ((150, 25, 15, 10), "fair agreement beyond chance"),
    ]:
        assert words == error_kappa(ContingencyTable(*counts)).remark
