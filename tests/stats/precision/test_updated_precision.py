"""Precision at another prevalence: published numbers, the delta method, resamples."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import JointCounts
from skcompare.stats import precision_weighted_score, relative_precision, updated_precision
from skcompare.stats.precision._updated_precision import (
    CautiousResamples,
    ClassCells,
    drawn_cells,
    precision_at,
)
from skcompare.stats.scores._resampling import generator
from tests.common.golden import golden

GOLDEN = golden("updated_precision")
METHODS = ("percentile", "bca", "delta")
ALTERNATIVES = ("two-sided", "less", "greater")
OPPOSITE = {"two-sided": "two-sided", "less": "greater", "greater": "less"}

# Not of the class or of it, champion's and challenger's prediction.
CELLS = np.array([[[380, 30], [60, 30]], [[20, 30], [10, 140]]])


def joint(cells, classes=(False, True)):
    return JointCounts(np.array(cells), np.array(classes))


def joint_of_rates(right, false, of_it, others):
    """Two classifiers whose predictions are as unlike as can be; right and false of
    each.
    """
    y = np.repeat([1, 0], [of_it, others])
    first = np.concatenate([np.arange(of_it) < right[0], np.arange(others) < false[0]])
    second = np.concatenate(
        [np.arange(of_it)[::-1] < right[1], np.arange(others)[::-1] < false[1]]
    )
    return JointCounts.from_predictions(y, first.astype(int), second.astype(int))


def random_joint(seed, n=150):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    predictions = [np.where(rng.random(n) < 0.75, y, 1 - y) for _ in range(2)]
    return JointCounts.from_predictions(y, *predictions)


def by_bayes(sensitivity, specificity, prevalence):
    """Equation (28) of Gondara, written out."""
    right = sensitivity * prevalence
    return right / (right + (1 - specificity) * (1 - prevalence))


def rates(cells, role):
    """Sensitivity and specificity of one role."""
    predicted = np.asarray(cells).sum(axis=2 - role)
    return predicted[1, 1] / predicted[1].sum(), predicted[0, 0] / predicted[0].sum()


# ---------------------------------------------------------- published numbers


@pytest.mark.parametrize("printed", GOLDEN["liver_scan"]["printed"])
def test_liver_scan(printed):
    """Altman and Bland (1994): predictive values where abnormality is rarer."""
    scan = GOLDEN["liver_scan"]
    names = ("scan_and_pathology_abnormal", "scan_abnormal_only")
    both, only_scan = (scan[name] for name in names)
    missed, normal = scan["pathology_abnormal_only"], scan["both_normal"]
    y = np.repeat(["abnormal", "normal"], [both + missed, only_scan + normal])
    predictions = np.repeat(
        ["abnormal", "normal", "abnormal", "normal"], [both, missed, only_scan, normal]
    )
    counts = JointCounts.from_predictions(y, predictions, y)

    result = updated_precision(
        counts, label=printed["class"], prevalence=printed["prevalence"]
    )

    assert printed["value"] == pytest.approx(result.champion, abs=0.005)
    assert 1 == result.challenger


def test_table_10():
    """Within a class the update multiplies the odds of both classifiers by one factor."""
    rows = GOLDEN["table_10"]["rows"]
    factors = {}
    for row in rows:
        odds = [p / (1 - p) for p in (row["updated"], row["old"])]

        assert row["odds_factor"] == pytest.approx(odds[0] / odds[1], rel=1e-10)
        factors.setdefault(row["class"], []).append(odds[0] / odds[1])

    # Two decimals of both precisions move a factor by up to some 5 %.
    for champion, challenger in factors.values():
        assert champion == pytest.approx(challenger, rel=0.05)
    # The two classes have reciprocal prior odds.
    assert 1 == pytest.approx(np.mean(factors[0]) * np.mean(factors[1]), rel=0.05)


def test_table_10_from_counts():
    """With the old precisions and that factor, the updated ones are those printed."""
    row = {(r["classifier"], r["class"]): r for r in GOLDEN["table_10"]["rows"]}
    # Predictions that name the class, a hundred of each classifier.
    counts = joint_of_rates((54, 63), (46, 37), of_it=200, others=200)
    factor = np.mean([row[name, 0]["odds_factor"] for name in ("NB", "RF")])

    result = updated_precision(counts, prevalence=factor / (1 + factor))

    assert row["NB", 0]["updated"] == pytest.approx(result.champion, abs=0.01)
    assert row["RF", 0]["updated"] == pytest.approx(result.challenger, abs=0.01)


# ------------------------------------------------------------------ identities


def test_formula_and_odds():
    """Bayes' rule; the odds are those of the precision times one factor for both."""
    for prevalence in [0.001, 0.2, 0.5, 0.97]:
        for seed in range(10):
            counts = random_joint(seed)
            cells = counts.to_array()
            plain = updated_precision(counts, method="delta")
            result = updated_precision(counts, method="delta", prevalence=prevalence)
            share = cells[1].sum() / cells.sum()
            factor = prevalence / (1 - prevalence) / (share / (1 - share))

            for role, name in enumerate(("champion", "challenger")):
                updated, old = getattr(result, name), getattr(plain, name)
                part = result.parts[role]

                assert by_bayes(*rates(cells, role), prevalence) == pytest.approx(
                    updated, rel=1e-12
                )
                assert factor * old / (1 - old) == pytest.approx(updated / (1 - updated))
                assert (name, updated, old) == (
                    part["role"],
                    part["updated_precision"],
                    pytest.approx(part["precision"]),
                )
                assert rates(cells, role) == pytest.approx(
                    (part["sensitivity"], part["specificity"])
                )
            assert result.challenger / result.champion == pytest.approx(result.estimate)


def test_sample_prevalence_gives_relative_precision():
    """Without an update the estimate is the ratio of precisions, TP / T of each."""
    for seed in range(10):
        counts = random_joint(seed)
        cells = counts.to_array()
        first, second = cells[:, 1, :].sum(axis=1), cells[:, :, 1].sum(axis=1)
        expected = second[1] / second.sum() / (first[1] / first.sum())
        share = cells[1].sum() / cells.sum()

        for prevalence in (None, share):
            result = updated_precision(counts, method="delta", prevalence=prevalence)

            assert expected == pytest.approx(result.estimate, rel=1e-12)
        assert share == pytest.approx(result.details["sample_prevalence"])


def test_relative_precision_is_the_case_without_update():
    """Moskowitz and Pepe's ratio, its standard error and interval."""
    for seed in range(5):
        counts = random_joint(seed)
        expected = relative_precision(counts)
        result = updated_precision(counts, method="delta")

        assert expected.estimate == pytest.approx(result.estimate, rel=1e-12)
        assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-9)
        assert tuple(expected.confidence_interval()) == pytest.approx(
            tuple(result.confidence_interval()), rel=1e-9
        )


def test_same_question_as_the_score_test():
    """At any prevalence the p-value comes close to that of the precisions themselves."""
    counts = joint(CELLS)
    expected = precision_weighted_score(counts, alternative="greater")
    for prevalence in (None, 0.02, 0.5):
        result = updated_precision(counts, prevalence=prevalence, alternative="greater")

        assert expected.estimate > 0
        assert expected.pvalue == pytest.approx(result.pvalue, abs=0.01)


@pytest.mark.parametrize("method", METHODS)
def test_same_side_at_every_prevalence(method):
    """Whichever precision is greater is so at every prevalence, by a similar p."""
    counts = random_joint(3)
    plain = updated_precision(counts, method=method, stratify=True)
    for prevalence in (0.001, 0.1, 0.9):
        result = updated_precision(
            counts, method=method, prevalence=prevalence, stratify=True
        )

        assert (plain.estimate > 1) == (result.estimate > 1)
        assert abs(math.log(plain.estimate)) > 0
        if method == "percentile":
            # Resample for resample the ratio is on the same side of 1.
            assert plain.pvalue == result.pvalue


def test_uniform_prevalence():
    """ "uniform" is 1 / K for K classes."""
    rng = np.random.default_rng(0)
    y, first, second = rng.choice(
        ["a", "b", "c", "d"], size=(3, 200), p=[0.1, 0.2, 0.3, 0.4]
    )
    counts = JointCounts.from_predictions(y, first, second)

    result = updated_precision(counts, label="b", prevalence="uniform")
    expected = updated_precision(counts, label="b", prevalence=0.25)

    assert 0.25 == result.details["prevalence"]
    assert expected.estimate == result.estimate
    assert expected.confidence_interval() == result.confidence_interval()
    assert "class 'b' against the rest, at a prevalence of 0.25 (equal classes)" in str(
        result
    )


def test_default_class():
    """1 of two classes, and the last one of more."""
    assert "class 1 against the rest" in updated_precision(joint(CELLS, (0, 1))).remark
    assert "class 'y'" in updated_precision(joint(CELLS, ("n", "y"))).remark
    counts = JointCounts.from_predictions(
        ["a", "b", "c"] * 5, ["a", "b", "c"] * 5, ["a", "c", "c"] * 5
    )
    assert "class 'c'" in updated_precision(counts).remark


# ---------------------------------------------------------------- delta method


def log_ratio(weights, prevalence, stratify):
    """Log ratio of updated precisions as a function of the cells; an independent way."""
    weights = weights.reshape(2, 2, 2)
    if prevalence is None and not stratify:
        precisions = [
            weights.sum(axis=2 - role)[1, 1] / weights.sum(axis=2 - role)[:, 1].sum()
            for role in (0, 1)
        ]
    else:
        if prevalence is None:
            prevalence = CELLS[1].sum() / CELLS.sum()
        precisions = [by_bayes(*rates(weights, role), prevalence) for role in (0, 1)]
    return math.log(precisions[1] / precisions[0])


def test_standard_error_by_numeric_gradient():
    """Numeric derivatives by the cells and their multinomial covariance."""
    for stratify, prevalence in itertools.product([False, True], [None, 0.02, 0.6]):
        cells = CELLS.ravel().astype(float)
        step = 1e-3
        gradient = np.array(
            [
                log_ratio(cells + step * unit, prevalence, stratify)
                - log_ratio(cells - step * unit, prevalence, stratify)
                for unit in np.eye(8)
            ]
        ) / (2 * step)
        covariance = np.zeros((8, 8))
        for part in [slice(0, 8)] if not stratify else [slice(0, 4), slice(4, 8)]:
            counts = cells[part]
            covariance[part, part] = (
                np.diag(counts) - np.outer(counts, counts) / counts.sum()
            )
        expected = math.sqrt(gradient @ covariance @ gradient)

        result = updated_precision(
            joint(CELLS), method="delta", prevalence=prevalence, stratify=stratify
        )
        distance = math.log(result.estimate)

        assert expected == pytest.approx(result.details["standard_error"], rel=1e-6)
        assert distance / expected == pytest.approx(result.statistic, rel=1e-6)
        assert 2 * stats.norm.sf(abs(distance / expected)) == pytest.approx(
            result.pvalue, rel=1e-4
        )
        expected_limits = np.exp(distance + stats.norm.ppf([0.05, 0.95]) * expected)
        assert expected_limits == pytest.approx(result.confidence_interval(0.9), rel=1e-5)


def test_interval_of_one_precision_by_its_logit():
    """Mercaldo, Lau and Zhou (2007): variance (1 - Se) / n1 Se + Sp / n0 (1 - Sp)."""
    result = updated_precision(joint(CELLS), method="delta", prevalence=0.02)
    for role, part in enumerate(result.parts):
        sensitivity, specificity = rates(CELLS, role)
        error = math.sqrt(
            (1 - sensitivity) / (sensitivity * CELLS[1].sum())
            + specificity / ((1 - specificity) * CELLS[0].sum())
        )
        p = part["updated_precision"]
        limits = [
            1 / (1 + math.exp(-math.log(p / (1 - p)) - z * error))
            for z in stats.norm.ppf([0.025, 0.975])
        ]

        assert limits == pytest.approx([part["low"], part["high"]], rel=1e-9)
        assert 0.95 == part["confidence_level"]


def test_uncertain_prevalence_in_the_delta_method():
    """The ratio moves by P1 - P2 with the log odds of the prevalence."""
    a, b = 4.0, 36.0
    certain = updated_precision(joint(CELLS), method="delta", prevalence=0.1)
    result = updated_precision(joint(CELLS), method="delta", prevalence=(a, b))
    drawn = np.random.default_rng(0).beta(a, b, size=400_000)
    spread = np.log(drawn / (1 - drawn)).var()
    expected = certain.details["standard_error"] ** 2
    expected += (result.challenger - result.champion) ** 2 * spread

    assert certain.estimate == pytest.approx(result.estimate)
    assert math.sqrt(expected) == pytest.approx(result.details["standard_error"], rel=0.01)
    assert "uncertain, Beta(4, 36)" in result.remark


# ------------------------------------------------------------------- resamples


def test_percentiles_are_those_of_resampled_records():
    """Records drawn one by one, with Bayes' rule, have the same percentiles."""
    n, size = int(CELLS.sum()), 2000
    cell_of = np.repeat(np.arange(8, dtype=np.uint8), CELLS.ravel())
    others = int(CELLS[0].sum())
    for stratify, prevalence in itertools.product([False, True], [None, 0.02, (2, 6)]):
        rng = np.random.default_rng(7)
        # Records of the other class come first, and are drawn among themselves if need be.
        parts = [(0, others), (others, n)] if stratify else [(0, n)]
        rows = [rng.integers(*part, size=(size, part[1] - part[0])) for part in parts]
        cells = cell_of[np.concatenate(rows, axis=1)]
        drawn = np.stack([np.count_nonzero(cells == k, axis=1) for k in range(8)])
        # By class, then by the champion's and the challenger's prediction.
        drawn = drawn.reshape(2, 2, 2, size)
        of_it = drawn[1].sum(axis=(0, 1))
        share = of_it / n if prevalence is None else prevalence
        if isinstance(prevalence, tuple):
            share = rng.beta(*prevalence, size=size)
        champion, challenger = (
            by_bayes(named[1] / of_it, 1 - named[0] / (n - of_it), share)
            for named in (drawn[:, 1].sum(axis=1), drawn[:, :, 1].sum(axis=1))
        )
        ratios = challenger / champion

        result = updated_precision(joint(CELLS), prevalence=prevalence, stratify=stratify)

        slack = 4 * math.sqrt(0.05 * 0.95 / size + 0.05 * 0.95 / 9999)
        low, high = result.confidence_interval(0.9)
        assert 0.05 == pytest.approx(np.mean(ratios < low), abs=slack)
        assert 0.05 == pytest.approx(np.mean(ratios > high), abs=slack)


def test_limits_are_percentiles_of_the_draws():
    """Limits and p-value are counted among the ratios of the drawn cells themselves."""
    counts = random_joint(1)
    result = updated_precision(counts, prevalence=0.1, n_resamples=999, random_state=3)
    cells = ClassCells(counts.to_array())
    drawn = drawn_cells(cells, 999, False, generator(3))
    ratios = []
    for one in drawn.counts:
        precisions = [by_bayes(*rates(one, role), 0.1) for role in (0, 1)]
        ratios.append(precisions[1] / precisions[0])
    ratios = np.sort(ratios)
    tail = min((1 + (ratios <= 1).sum()) / 1000, (1 + (ratios >= 1).sum()) / 1000)

    assert min(1, 2 * tail) == pytest.approx(result.pvalue, rel=1e-12)
    # With 24 of 999 below 1 two-sided p would be 0.05, which does not reject.
    assert (ratios[23], ratios[-24]) == pytest.approx(tuple(result.confidence_interval()))
    assert 999 == result.details["resamples"]
    tail_error = 2 * math.sqrt(tail * (1 - tail) / 999)
    assert tail_error == pytest.approx(result.details["monte_carlo_error"], rel=0.05)


def test_resamples_keep_what_the_design_fixes():
    """All records are drawn; with stratify as many of the class as there are."""
    rng = np.random.default_rng(0)
    cells = ClassCells(CELLS)
    free = drawn_cells(cells, 500, False, rng)
    fixed = drawn_cells(cells, 500, True, rng)

    assert {CELLS.sum()} == set(free.counts.sum(axis=(1, 2, 3)))
    assert len(set(free.of_it.tolist())) > 10
    assert {CELLS[1].sum()} == set(fixed.of_it.tolist())
    assert {CELLS[0].sum()} == set(fixed.others.tolist())
    assert CELLS == pytest.approx(free.counts.mean(axis=0), rel=0.1)
    assert CELLS == pytest.approx(fixed.counts.mean(axis=0), rel=0.1)


def test_an_empty_cell_stays_empty():
    """No record is drawn that there is not."""
    cells = np.array([[[50, 0], [3, 4]], [[5, 0], [0, 38]]])
    drawn = drawn_cells(ClassCells(cells), 2000, False, np.random.default_rng(0))

    assert 0 == drawn.counts[:, cells == 0].sum()


@pytest.mark.slow
def test_swapped_roles_mirror_everything():
    """Ratio, p-values, limits and parts of swapped roles are the mirror image."""
    for prevalence, method in itertools.product([None, 0.03, (2, 60)], METHODS):
        for seed in range(4):
            counts = random_joint(seed, n=70)
            for alternative in ALTERNATIVES:
                options = {"method": method, "prevalence": prevalence}
                result = updated_precision(counts, alternative=alternative, **options)
                mirrored = updated_precision(
                    counts.swap(), alternative=OPPOSITE[alternative], **options
                )
                low, high = mirrored.confidence_interval()

                assert 1 / result.estimate == pytest.approx(mirrored.estimate, rel=1e-12)
                assert result.pvalue == pytest.approx(mirrored.pvalue, rel=1e-12)
                assert -result.statistic == pytest.approx(mirrored.statistic, rel=1e-10)
                assert (1 / high if high else math.inf, 1 / low if low else math.inf) == (
                    pytest.approx(result.confidence_interval(), rel=1e-12)
                )
                for part, other in zip(result.parts, mirrored.parts[::-1], strict=True):
                    assert (part["low"], part["high"]) == pytest.approx(
                        (other["low"], other["high"]), rel=1e-12
                    )


@pytest.mark.parametrize("method", METHODS)
def test_symmetric_counts(method):
    """Where neither role is ahead in any cell, the ratio is 1, p is 1, both ends mirror."""
    cells = [[[80, 7], [7, 6]], [[5, 6], [6, 33]]]
    result = updated_precision(joint(cells), method=method, prevalence=0.1)
    low, high = result.confidence_interval()

    assert (1, 1, 0) == (result.estimate, result.pvalue, result.statistic)
    assert not result.degenerate
    assert 1 == pytest.approx(low * high, rel=1e-12)
    assert 0.4 < low < 1
    one, other = result.parts
    assert (one["low"], one["high"]) == (other["low"], other["high"])


def test_the_seed_makes_the_resamples():
    """One seed gives one result; another gives another within Monte-Carlo error."""
    first, again, other = (
        updated_precision(joint(CELLS), prevalence=0.02, random_state=seed)
        for seed in (0, 0, 1)
    )

    assert first.to_dict() == again.to_dict()
    assert first.confidence_interval() != other.confidence_interval()
    assert first.confidence_interval() == pytest.approx(
        other.confidence_interval(), rel=0.03
    )


@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_for_many_records(method):
    """All three approach the same limits."""
    expected = updated_precision(joint(CELLS * 50), prevalence=0.02, method="delta")
    result = updated_precision(joint(CELLS * 50), prevalence=0.02, method=method)

    assert np.log(expected.confidence_interval()) == pytest.approx(
        np.log(result.confidence_interval()), rel=0.05
    )


def test_bca_corrections_are_those_of_efron():
    """Acceleration by the jackknife over records, shift from the share below."""
    cells = 20 * random_joint(5, n=120).to_array()
    result = updated_precision(joint(cells), method="bca")
    left_out, times = [], []
    for where in zip(*np.nonzero(cells), strict=True):
        fewer = cells.astype(float).copy()
        fewer[where] -= 1
        left_out.append(log_ratio(fewer.ravel(), None, False))
        times.append(cells[where])
    distances = np.average(left_out, weights=times) - np.array(left_out)
    cubes, squares = (np.sum(times * distances**k) for k in (3, 2))

    assert cubes / (6 * squares**1.5) == pytest.approx(
        result.details["acceleration"], rel=0.05
    )
    assert abs(result.details["shift"]) < 0.2


def test_undefined_resamples_count_against_both_sides():
    """A value that is undefined is beyond every limit."""
    values = np.array([*np.linspace(0.1, 1, 90), *[np.nan] * 10])
    resampled = CautiousResamples.of(values, 0.5, None)

    # 10 of 100 may be below 0, so the least p is 11 / 101.
    assert 11 / 101 == pytest.approx(resampled.pvalue("greater"))
    assert 1 == resampled.pvalue("less")
    assert 22 / 101 == pytest.approx(resampled.pvalue("two-sided"))
    low, high = resampled.limits((-1.0, 2.0), 0.95, "two-sided")
    assert (-1, 2) == (low, high)
    assert 10 == resampled.undefined


def test_no_limit_passes_the_estimate():
    """Percentiles beside the estimate are drawn to it, and p is at least 1/2 there."""
    resampled = CautiousResamples.of(np.linspace(1, 2, 99), 0.5, None)

    assert (0.5, 1.96) == pytest.approx(
        resampled.limits((-9.0, 9.0), 0.9, "two-sided"), abs=0.02
    )
    assert 0.5 == resampled.pvalue("greater", 0.7)
    assert 0.01 == pytest.approx(resampled.pvalue("greater", 0.3))
    assert 1 == resampled.pvalue("two-sided", 0.7)


def test_rare_predictions_are_flagged():
    """Some resamples have no prediction of the class: counted, flagged, p is large."""
    cells = [[[90, 1], [0, 1]], [[4, 1], [1, 2]]]
    result = updated_precision(joint(cells), prevalence=0.02)

    assert {"undefined-ratios", "few-informative-clusters"} <= set(result.flags)
    assert 0 < result.details["undefined_resamples"] < 9999
    assert 0 < result.pvalue <= 1


# ----------------------------------------------------------------------- edges


def test_class_that_is_never_named():
    """Se = 0 and Sp = 1: precision, ratio and p are undefined, the interval is all."""
    for prevalence, method in itertools.product([None, 0.1], METHODS):
        cells = [[[50, 5], [0, 0]], [[5, 20], [0, 0]]]
        for counts, part in ((joint(cells), 0), (joint(cells).swap(), 1)):
            result = updated_precision(counts, method=method, prevalence=prevalence)

            assert math.isnan(result.estimate)
            assert math.isnan(result.pvalue)
            assert math.isnan(result.parts[part]["updated_precision"])
            assert {"no-predictions", "few-informative-clusters"} == set(result.flags)
            assert (0, math.inf) == result.confidence_interval()
            assert (0, 1) == (result.parts[part]["low"], result.parts[part]["high"])
            assert not result.degenerate


@pytest.mark.parametrize("method", METHODS)
def test_predictions_alike(method):
    """The same predictions of the class: ratio 1, statistic 0, p 1, also where both differ
    elsewhere."""
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], 60)
    first = rng.choice(["a", "b", "c"], 60)
    second = np.where(first == "c", "c", rng.choice(["a", "b"], 60))

    result = updated_precision(
        JointCounts.from_predictions(y, first, second), label="c", prevalence=0.2,
        method=method,
    )  # fmt: skip

    assert (1, 0, 1, 0) == (
        result.estimate,
        result.statistic,
        result.pvalue,
        result.log_pvalue,
    )
    assert result.degenerate
    assert (1, 1) == result.confidence_interval()
    assert result.parts[0]["low"] < result.parts[0]["updated_precision"]


@pytest.mark.parametrize("method", METHODS)
def test_one_precision_of_zero(method):
    """The ratio is 0 or infinite; no resample shows its variation, so p is undefined."""
    cells = [[[50, 5], [9, 2]], [[5, 20], [0, 0]]]
    for counts, ratio in ((joint(cells), math.inf), (joint(cells).swap(), 0)):
        result = updated_precision(counts, method=method, prevalence=0.1)

        assert ratio == result.estimate
        assert math.isnan(result.pvalue)
        assert "extreme-precision" in result.flags
        assert (0, math.inf) == result.confidence_interval()


@pytest.mark.parametrize("method", METHODS)
def test_both_precisions_zero_or_one(method):
    """Both 0: ratio undefined, p 1. Both 1: ratio 1, p 1, an interval of no width."""
    zero = updated_precision(
        joint([[[50, 5], [9, 2]], [[25, 0], [0, 0]]]), method=method, prevalence=0.1
    )
    one = updated_precision(
        joint([[[50, 0], [0, 0]], [[5, 20], [8, 30]]]), method=method, prevalence=0.1
    )

    for result in (zero, one):
        assert (0, 1) == (result.statistic, result.pvalue)
        assert {"degenerate", "extreme-precision"} <= set(result.flags)
    assert math.isnan(zero.estimate)
    assert (0, math.inf) == zero.confidence_interval()
    assert 1 == one.estimate
    assert (1, 1) == one.confidence_interval()


@pytest.mark.parametrize("method", METHODS)
def test_one_precision_of_one(method):
    """The ratio and its p are defined, and the flag says what they miss."""
    cells = [[[60, 0], [20, 0]], [[5, 10], [5, 30]]]
    result = updated_precision(joint(cells), method=method, prevalence=0.1)

    assert 1 == result.challenger
    assert 0 < result.pvalue < 0.05
    assert "extreme-precision" in result.flags
    assert (0, 1) == (result.parts[1]["low"], result.parts[1]["high"])


@pytest.mark.parametrize("method", METHODS)
def test_difference_without_variance(method):
    """Always and perfectly naming the class: both precisions are certain."""
    cells = np.zeros((2, 2, 2), dtype=int)
    cells[0, 1, 0], cells[1, 1, 1] = 70, 30
    result = updated_precision(joint(cells), method=method, prevalence=0.2)

    assert (0.2, 1, math.inf) == (result.champion, result.challenger, result.statistic)
    assert 5 == pytest.approx(result.estimate)
    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags
    assert (0, math.inf) == result.confidence_interval()


def test_one_class_of_records():
    """Without records of the class, or of others, there is no update, but a precision."""
    for of_it, method in itertools.product([True, False], METHODS):
        cells = np.zeros((2, 2, 2), dtype=int)
        cells[int(of_it)] = [[10, 20], [30, 40]]
        updated = updated_precision(joint(cells), method=method, prevalence=0.2)
        plain = updated_precision(joint(cells), method=method)

        assert math.isnan(updated.estimate)
        assert math.isnan(updated.pvalue)
        assert "no-rates" in updated.flags
        assert float(of_it) == plain.champion
        assert 1 == plain.pvalue
        assert "no-rates" not in plain.flags


@pytest.mark.parametrize("method", METHODS)
def test_one_class_of_records_by_strata(method):
    """Its only stratum is all records: both precisions are 1 and nothing moves them."""
    cells = np.zeros((2, 2, 2), dtype=int)
    cells[1] = [[10, 20], [30, 40]]
    plain = updated_precision(joint(cells), method=method)
    result = updated_precision(joint(cells), method=method, stratify=True)

    assert (1, 0, 1) == (result.estimate, result.statistic, result.pvalue)
    assert (1, 1) == result.confidence_interval()
    assert plain.flags == result.flags


def test_wrong_prevalence():
    """A prevalence is a number between 0 and 1, a Beta distribution, or a known word."""
    for wrong in [
        0,
        1,
        -0.1,
        1.5,
        math.nan,
        math.inf,
        True,
        "half",
        (1,),
        (0, 3),
        (1, math.inf),
        [1, "2"],
    ]:
        with pytest.raises(
            ValueError, match="`prevalence` must be a number between 0 and 1"
        ):
            updated_precision(joint(CELLS), prevalence=wrong)


def test_wrong_options():
    """Unknown classes, too few resamples and other switches are refused."""
    with pytest.raises(ValueError, match=r"`label` must be one of the classes.*'x'"):
        updated_precision(joint(CELLS), label="x")
    with pytest.raises(ValueError, match="`n_resamples` must be an integer of at least 99"):
        updated_precision(joint(CELLS), n_resamples=10)
    with pytest.raises(TypeError, match="`stratify` must be True or False"):
        updated_precision(joint(CELLS), stratify="y")


def test_precision_at_takes_arrays():
    """Equation (28) for arrays; NaN where no prediction names the class."""
    sensitivity, false_alarms = np.array([0.9, 0.0, 0.0]), np.array([0.1, 0.2, 0.0])
    found = precision_at(sensitivity, false_alarms, 0.1)

    assert [0.5, 0.0, math.nan] == pytest.approx(found.tolist(), nan_ok=True)


def test_huge_counts():
    """A hundred million records take no longer, and lose nothing."""
    result = updated_precision(joint(CELLS * 150_000), prevalence=0.02)

    assert updated_precision(joint(CELLS), prevalence=0.02).estimate == pytest.approx(
        result.estimate, rel=1e-12
    )
    assert 105_000_000 == result.n
    assert 2e-4 == pytest.approx(result.pvalue)
