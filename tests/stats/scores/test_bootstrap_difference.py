"""Paired bootstrap: draws, limits, level, and what happens at the edges."""

import itertools

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri
from sklearn.metrics import average_precision_score, roc_auc_score

from skcompare._registry.tests import get_test
from skcompare.evidence import ScoredPair
from skcompare.stats import bootstrap_difference
from skcompare.stats.scores._resampling import (
    BLOCK,
    ResampledDifferences,
    default_resamples,
    generator,
    influences,
    resampled_differences,
)

METHODS = ("percentile", "bca", "basic", "normal")
OPPOSITE = {"two-sided": "two-sided", "less": "greater", "greater": "less"}


def random_scores(seed, n=60, *, signal=(1.0, 1.0), tied=False, share=0.4):
    """Truth with two correlated scores of it."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    y[:2] = 0, 1
    common = rng.normal(size=n)
    scores = [s * y + (common + rng.normal(size=n)) * 0.7 for s in signal]
    return y, *(np.round(s * 2) / 2 if tied else s for s in scores)


def random_pair(seed, score="roc_auc", groups=None, **settings):
    return ScoredPair.from_predictions(
        *random_scores(seed, **settings), score=score, groups=groups
    )


def gap(y_true, predictions):
    """A score that nobody knows, and that is quick to call."""
    return predictions[y_true == 1].mean() - predictions[y_true == 0].mean()


def delong(y, first, second):
    """Difference of the areas and its standard error, from all pairs of records."""
    placed = []
    for scores in (first, second):
        positive, negative = scores[y == 1], scores[y == 0]
        wins = (positive[:, None] > negative) + (positive[:, None] == negative) / 2
        placed.append((wins.mean(axis=1), wins.mean(axis=0)))
    of_positive, of_negative = (two - one for one, two in zip(*placed, strict=True))
    variance = of_positive.var(ddof=1) / len(of_positive)
    variance += of_negative.var(ddof=1) / len(of_negative)
    return of_positive.mean(), np.sqrt(variance)


# --------------------------------------------------------------- resamples


@pytest.mark.parametrize("tied", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_equals_a_loop_over_scikit_learn(tied):
    """The same resamples, each scored by scikit-learn, give the same differences."""
    for (stratify, grouped), (name, function) in itertools.product(
        [(False, False), (True, False), (False, True)],
        [("roc_auc", roc_auc_score), ("average_precision", average_precision_score)],
    ):
        groups = np.arange(60) // 3 if grouped else None
        y, *scores = random_scores(1, tied=tied)
        # Records are kept in the order of ranks.
        ranks = [stats.rankdata(one) for one in scores]
        quick, slow = (
            ScoredPair.from_predictions(y, *ranks, score=score, groups=groups)
            for score in (name, function)
        )
        assert np.array_equal(quick.rows, slow.rows)

        one, other = (
            resampled_differences(pair, 6, stratify, generator(5)) for pair in (quick, slow)
        )

        assert one.tolist() == pytest.approx(other.tolist(), abs=1e-12)
        assert len(np.unique(one)) > 4


class Spy:
    """A score that keeps the weights that it is requested."""

    name, bounds, looped, studentised = "spy", (0, 1), False, False

    def __init__(self):
        self.seen = []

    def on_one_scale(self, predictions):
        return predictions

    def prepared(self, y, predictions, rows):
        return self

    def values(self, weights):
        self.seen.append(weights.copy())
        return np.zeros(len(weights))


def test_each_record_is_drawn_once_on_average():
    """Weights of records are those of n draws out of n, and batches do not matter."""
    spy, n = Spy(), 300
    pair = ScoredPair(spy, np.zeros(n, dtype=int), np.arange(n), np.arange(n))
    resampled_differences(pair, 4000, False, generator(0))
    seen = spy.seen
    weights = np.concatenate(seen[::2])

    assert 4000 == len(weights)
    assert len(seen) > 2
    assert (weights.sum(axis=1) == n).all()
    # Shares of a Binomial(n, 1 / n) number of draws.
    shares = np.bincount(weights.ravel(), minlength=4)[:4] / weights.size
    assert stats.binom.pmf(np.arange(4), n, 1 / n) == pytest.approx(shares, abs=0.002)
    assert 1 == pytest.approx(weights.mean(axis=0).mean())
    assert 4.8 * np.sqrt(1 / 4000) > np.abs(weights.mean(axis=0) - 1).max()


@pytest.mark.parametrize("stratify", [False, True])
def test_many_records_are_drawn_alike(stratify):
    """Draws of blocks of many records are n draws out of n, in each class if stratified."""
    spy, n = Spy(), 3 * BLOCK + 5
    y = (np.arange(n) % 3 == 0).astype(int)
    pair = ScoredPair(spy, y, np.arange(n), np.arange(n))
    resampled_differences(pair, 60, stratify, generator(0))
    weights = np.concatenate(spy.seen[::2])

    assert (60, n) == weights.shape
    assert (weights.sum(axis=1) == n).all()
    shares = np.bincount(weights.ravel())[:4] / weights.size
    assert stats.binom.pmf(np.arange(4), n, 1 / n) == pytest.approx(shares, abs=0.002)
    assert 5.5 * np.sqrt(1 / 60) > np.abs(weights.mean(axis=0) - 1).max()
    of_class = weights[:, pair.y == 1].sum(axis=1)
    if stratify:
        assert (of_class == y.sum()).all()
        return
    # Blocks do not keep their number of records, and neither do classes.
    for part in (of_class, *(w.sum(axis=1) for w in np.array_split(weights, 3, axis=1))):
        assert np.sqrt(n * 2 / 9) == pytest.approx(part.std(), rel=0.35)


def test_stratified_classes_keep_their_records():
    """With one positive record a stratified area is always defined, another one is not."""
    y = np.zeros(20, dtype=int)
    y[3] = 1
    rng = np.random.default_rng(0)
    pair = ScoredPair.from_predictions(y, *rng.normal(size=(2, 20)), score="roc_auc")

    stratified = bootstrap_difference(pair, stratify=True, n_resamples=999)
    free = bootstrap_difference(pair, n_resamples=999)

    assert 0 == stratified.details["undefined_resamples"]
    assert "resamples-left-out" not in stratified.flags
    # The positive record is missing from (1 - 1 / 20)**20 of the resamples.
    assert 999 * 0.95**20 == pytest.approx(free.details["undefined_resamples"], abs=60)
    assert "resamples-left-out" in free.flags


def test_whole_groups_are_drawn():
    """Records that are all there m times in a group say no more than once."""
    y, first, second = random_scores(3)
    once = ScoredPair.from_predictions(y, first, second, score="roc_auc")
    groups = np.tile(np.arange(60), 4)
    tiled = [np.tile(values, 4) for values in (y, first, second)]
    grouped = ScoredPair.from_predictions(*tiled, score="roc_auc", groups=groups)
    apart = ScoredPair.from_predictions(*tiled, score="roc_auc")

    errors = [
        bootstrap_difference(pair).details["standard_error"]
        for pair in (once, grouped, apart)
    ]

    assert errors[0] == pytest.approx(errors[1], rel=0.05)
    assert errors[0] / 2 == pytest.approx(errors[2], rel=0.05)


# --------------------------------------------------------------- limits and p-values


def test_area_agrees_with_delong():
    """For many records error and interval are those of DeLong's normal approximation."""
    y, first, second = random_scores(4, n=1000, signal=(1.0, 1.15))
    difference, error = delong(y, first, second)
    pair = ScoredPair.from_predictions(y, first, second, score="roc_auc")

    for method in METHODS:
        result = bootstrap_difference(pair, method=method, n_resamples=2000)

        assert difference == pytest.approx(result.estimate, rel=1e-12)
        assert error == pytest.approx(result.details["standard_error"], rel=0.05)
        expected = difference + np.array([-1.96, 1.96]) * error
        assert expected == pytest.approx(result.confidence_interval(), abs=0.15 * error)


@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_mean_agrees_with_scipy(method):
    """SciPy's bootstrap of the same mean difference has the same limits."""
    rng = np.random.default_rng(5)
    y = np.zeros(50, dtype=int)
    predictions = rng.integers(2, size=(2, 50)) * (rng.random((2, 50)) < 0.7)
    right = [(one == y).astype(float) for one in predictions]
    expected = stats.bootstrap(
        (right[1] - right[0],),
        np.mean,
        method=method,
        n_resamples=20000,
        random_state=np.random.default_rng(0),
    ).confidence_interval

    result = bootstrap_difference(
        ScoredPair.from_predictions(y, *predictions), method=method, n_resamples=20000
    )

    # Limits are multiples of 1 / 50.
    assert tuple(expected) == pytest.approx(result.confidence_interval(), abs=0.021)


def test_limits_by_efrons_formula():
    """BCa limits are the percentiles of Efron (1987), with jackknife values."""
    y, first, second = random_scores(6, n=120, signal=(0.5, 2.0))
    pair = ScoredPair.from_predictions(y, first, second, score="average_precision")
    result = bootstrap_difference(pair, method="bca", n_resamples=4999)
    drawn = np.sort(resampled_differences(pair, 4999, False, generator(0)))

    def difference(kept):
        scores = [average_precision_score(y[kept], s[kept]) for s in (first, second)]
        return scores[1] - scores[0]

    left = np.array([difference(np.arange(120) != k) for k in range(120)])
    moves = left.mean() - left
    acceleration = (moves**3).sum() / (6 * (moves**2).sum() ** 1.5)
    shift = ndtri(np.mean(drawn < result.estimate))

    assert shift == pytest.approx(result.details["shift"], abs=1e-12)
    # The derivatives by the weights are no jackknife, but near it.
    assert acceleration == pytest.approx(result.details["acceleration"], abs=0.01)
    acceleration = result.details["acceleration"]
    for level in (0.5, 0.9, 0.95, 0.99):
        reach = shift + ndtri([(1 - level) / 2, (1 + level) / 2])
        shares = ndtr(shift + reach / (1 - acceleration * reach))
        expected = np.quantile(drawn, shares)
        assert expected == pytest.approx(result.confidence_interval(level), abs=2e-3)


def test_pvalue_is_the_level_at_which_the_limit_is_reached():
    """Just above the p-value the null value is outside the limits, at it it is inside."""
    for acceleration, shift in itertools.product([-0.3, 0.0, 0.2], [-0.6, 0.0, 0.4]):
        rng = np.random.default_rng(7)
        values = np.sort(rng.normal(1, 1, 499))
        for settings in ((0.0, 0.0), (shift, acceleration)):
            resampled = ResampledDifferences(values, *settings)
            for null in (-2.5, -1.0, 0.0, 1.0, 2.0, 4.0):
                for alternative in OPPOSITE:
                    pvalue = resampled.pvalue(alternative, null)
                    assert pvalue >= 1 / 500
                    for alpha in (pvalue - 1e-9, pvalue + 1e-9):
                        if alpha < 1:
                            low, high = resampled.limits(
                                (-np.inf, np.inf), 1 - alpha, alternative
                            )
                            assert (alpha > pvalue) == (not low <= null <= high)


def test_percentile_pvalue():
    """Without correction it is (1 + resamples up to 0) / (R + 1), doubled for two sides."""
    pair = random_pair(8, signal=(0.5, 1.0))
    drawn = resampled_differences(pair, 499, False, generator(0))
    up_to, beyond = np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0)
    options = {"method": "percentile", "n_resamples": 499}

    for alternative, expected in (
        ("greater", (1 + up_to) / 500),
        ("less", (1 + beyond) / 500),
        ("two-sided", 2 * (1 + min(up_to, beyond)) / 500),
    ):
        result = bootstrap_difference(pair, alternative=alternative, **options)
        assert expected == pytest.approx(result.pvalue, rel=1e-12)


def test_pvalues_are_shares_of_resamples():
    """Not even rounding is between p and the share, so that 0.05 is not below 0.05."""
    values = np.sort(np.append(np.arange(-4.0, 0), np.arange(1.0, 196)))
    resampled = ResampledDifferences(values)

    assert 0.05 == resampled.pvalue("two-sided")
    assert 0.025 == resampled.pvalue("greater")
    for k in range(1, 199):
        assert k / 200 == ResampledDifferences(values).pvalue(
            "greater", values[k - 1] - 0.5
        )


@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_pvalue_is_never_below_the_resamples(method):
    """A perfect challenger against a reversed champion has p = 2 / (R + 1), and not 0."""
    y = np.tile([0, 1], 30)
    noise = np.linspace(0, 0.4, 60)
    pair = ScoredPair.from_predictions(y, noise - y, y + noise, score="average_precision")

    result = bootstrap_difference(pair, method=method, n_resamples=499)

    assert 2 / 500 == pytest.approx(result.pvalue)


@pytest.mark.parametrize("score", ["roc_auc", "average_precision", gap])
def test_order_and_roles(score):
    """The order of the records changes nothing, swapped roles mirror everything."""
    for seed, grouped, alternative in [
        (0, False, "two-sided"),
        (1, True, "two-sided"),
        (2, True, "less"),
        (3, False, "greater"),
    ]:
        y, first, second = random_scores(seed, tied=seed % 2 == 1)
        groups = np.arange(60) % 17 if grouped else None
        order = np.random.default_rng(seed).permutation(60)

        def compared(one, two, alternative, order=slice(None), y=y, groups=groups):
            own = None if groups is None else groups[order]
            pair = ScoredPair.from_predictions(
                y[order], one[order], two[order], score=score, groups=own
            )
            return bootstrap_difference(
                pair, method="bca", n_resamples=99, alternative=alternative
            )

        result = compared(first, second, alternative)
        mixed = compared(first, second, alternative, order)
        mirrored = compared(second, first, OPPOSITE[alternative])

        low, high = result.confidence_interval(0.9)
        for other in (mixed, mirrored):
            assert result.pvalue == pytest.approx(other.pvalue, rel=1e-12)
        assert (low, high) == pytest.approx(mixed.confidence_interval(0.9), abs=1e-12)
        assert (-high, -low) == pytest.approx(mirrored.confidence_interval(0.9), abs=1e-12)


def test_monotone_scores():
    """Only the order of a classifier's scores matters for a score of a ranking."""
    y, first, second = random_scores(9)
    expected, actual = (
        bootstrap_difference(
            ScoredPair.from_predictions(y, *scores, score="roc_auc"), n_resamples=199
        )
        for scores in ((first, second), (np.exp(first), 5 * second - 3))
    )

    assert tuple(expected) == tuple(actual)
    assert expected.confidence_interval() == actual.confidence_interval()


def test_losses():
    """Of a loss less is better: the estimate is a gain."""
    y, first, second = random_scores(10, n=100, signal=(0.0, 2.0))
    proba = [1 / (1 + np.exp(-scores)) for scores in (first, second)]

    def surprise(y_true, predictions):
        return -np.log(np.where(y_true == 1, predictions, 1 - predictions)).mean()

    pair = ScoredPair.from_predictions(y, *proba, score=surprise, greater_is_better=False)

    result = bootstrap_difference(pair, n_resamples=199, alternative="greater")

    assert result.champion > result.challenger
    assert result.champion - result.challenger == pytest.approx(result.estimate)
    assert not result.greater_is_better
    assert 1 / 200 == pytest.approx(result.pvalue)


@pytest.mark.parametrize(
    ("n_seeds", "most"), [(40, 0.35), pytest.param(200, 0.2, marks=pytest.mark.slow)]
)
def test_monte_carlo_error(n_seeds, most):
    """It is the spread of the p-value over seeds."""
    pair = random_pair(11, signal=(0.6, 1.0))
    for method in ("percentile", "bca"):
        for alternative in ("two-sided", "greater"):
            results = [
                bootstrap_difference(
                    pair,
                    method=method,
                    n_resamples=199,
                    random_state=seed,
                    alternative=alternative,
                )
                for seed in range(n_seeds)
            ]
            spread = np.std([result.pvalue for result in results])
            stated = np.mean([result.details["monte_carlo_error"] for result in results])

            assert spread == pytest.approx(stated, rel=most)


# --------------------------------------------------------------- level and coverage


@pytest.mark.slow
@pytest.mark.parametrize("score", ["accuracy", "roc_auc", "average_precision"])
def test_level(score):
    """Two classifiers that are equally good are distinguished in about 5 % of the cases.

    The bounds are those that a test of this level keeps with probability 0.999.
    """
    rejected = 0
    for seed in range(300):
        y, first, second = random_scores([1, seed], n=200)
        if score == "accuracy":
            first, second = (first > 0.5).astype(int), (second > 0.5).astype(int)
        pair = ScoredPair.from_predictions(y, first, second, score=score)
        result = bootstrap_difference(pair, n_resamples=199, random_state=seed)
        rejected += result.pvalue < 0.05

    least, most = stats.binom.ppf([0.0005, 0.9995], 300, 0.05)
    assert least <= rejected <= most


@pytest.mark.slow
def test_coverage_is_that_of_delong():
    """Intervals hold the true difference as often as DeLong's do, and are as long."""
    signal = 0.5, 1.2
    # The difference of two normal scores is normal.
    true = ndtr(np.array(signal) / (0.7 * np.sqrt(2) * np.sqrt(2)))
    held, held_by_delong, length, length_by_delong = 0, 0, 0.0, 0.0
    for seed in range(300):
        y, first, second = random_scores([2, seed], n=150, signal=signal)
        pair = ScoredPair.from_predictions(y, first, second, score="roc_auc")
        low, high = bootstrap_difference(
            pair, n_resamples=299, random_state=seed
        ).confidence_interval()
        difference, error = delong(y, first, second)
        held += low <= true[1] - true[0] <= high
        held_by_delong += abs(difference - (true[1] - true[0])) <= 1.96 * error
        length += high - low
        length_by_delong += 2 * 1.96 * error

    assert held >= stats.binom.ppf(0.0005, 300, 0.95)
    assert held == pytest.approx(held_by_delong, abs=9)
    assert length == pytest.approx(length_by_delong, rel=0.05)


@pytest.mark.slow
def test_plain_draws_of_records_are_liberal_for_groups():
    """Where records of a group are alike, only draws of whole groups keep the level."""
    rejected = {True: 0, False: 0}
    for seed in range(120):
        y, first, second = (
            np.repeat(values, 5) for values in random_scores([3, seed], n=50)
        )
        for grouped in rejected:
            groups = np.repeat(np.arange(50), 5) if grouped else None
            pair = ScoredPair.from_predictions(
                y, first, second, score="roc_auc", groups=groups
            )
            result = bootstrap_difference(pair, n_resamples=199, random_state=seed)
            rejected[grouped] += result.pvalue < 0.05

    assert rejected[True] <= stats.binom.ppf(0.9995, 120, 0.05)
    assert rejected[False] > 30


# --------------------------------------------------------------- edges


def test_the_same_ranking():
    """Scores with the same ranking have no difference and no variation."""
    for method in METHODS:
        y, scores, _ = random_scores(12)
        pair = ScoredPair.from_predictions(y, scores, 3 * scores, score="roc_auc")

        result = bootstrap_difference(pair, method=method, n_resamples=99)

        assert (0, 1) == tuple(result)
        assert (0, 0) == result.confidence_interval()
        assert "degenerate" in result.flags


def test_no_variation_of_a_difference():
    """A perfect challenger against a constant champion: p is undefined, and flagged."""
    for method in METHODS:
        y = np.tile([0, 1], 20)
        pair = ScoredPair.from_predictions(y, np.zeros(40), y, score="roc_auc")

        result = bootstrap_difference(pair, method=method, n_resamples=99)

        assert np.inf == result.statistic
        assert np.isnan(result.pvalue)
        assert "zero-variance" in result.flags
        assert (-1, 1) == result.confidence_interval()


def test_symmetric_records():
    """Where the roles are exchangeable the interval is its own mirror image."""
    y = [0, 0, 1, 1] * 8
    pair = ScoredPair.from_predictions(y, [0, 1, 1, 0] * 8, [1, 0, 0, 1] * 8)

    for method in METHODS:
        result = bootstrap_difference(pair, method=method, n_resamples=199)
        low, high = result.confidence_interval()

        assert 0 == result.estimate
        assert -low == pytest.approx(high)
        assert high > 0
        assert result.pvalue > 0.9


def test_mostly_undefined():
    """A score that is undefined on half of the resamples has no p-value."""

    def fragile(y_true, predictions):
        return np.mean(predictions) if 0 in predictions else np.nan

    predictions = np.arange(30.0)
    pair = ScoredPair.from_predictions(
        np.zeros(30, dtype=int), predictions, np.where(predictions, 1.5, 0), score=fragile
    )

    result = bootstrap_difference(pair, n_resamples=199)

    # The record with the 0 is in 1 - 1 / e of the resamples, so that enough are left.
    assert "resamples-left-out" in result.flags
    assert 0 < result.pvalue < 1
    two = ScoredPair.from_predictions(
        [0, 0], [0.0, 0.0], [1.0, 2.0], score=lambda y, a: a[0] if len(set(a)) > 1 else 7
    )
    assert bootstrap_difference(two, n_resamples=99).pvalue > 0

    def needs_all(y_true, predictions):
        return float(len(set(predictions))) if len(set(predictions)) == 30 else np.nan

    rare = ScoredPair.from_predictions(
        np.zeros(30, dtype=int), predictions, predictions + 1, score=needs_all
    )
    nothing = bootstrap_difference(rare, n_resamples=99)
    assert np.isnan(nothing.pvalue)
    assert "too-few-resamples" in nothing.flags
    assert (-np.inf, np.inf) == nothing.confidence_interval()


def test_biased_score():
    """A score that can only shrink in resamples is flagged."""

    def different(y_true, predictions):
        return len(set(predictions))

    predictions = np.arange(40.0)
    pair = ScoredPair.from_predictions(
        np.zeros(40, dtype=int), predictions // 8, predictions, score=different
    )

    for method in METHODS:
        result = bootstrap_difference(pair, method=method, n_resamples=199)

        # 1 - 1 / e of the records are in a resample.
        assert -40 / np.e == pytest.approx(result.details["bias"], abs=0.5)
        assert "shifted-resamples" in result.flags
    other = bootstrap_difference(random_pair(13), method="bca", n_resamples=199)
    assert "shifted-resamples" not in other.flags


def test_flags_of_few():
    """Few groups and few different predictions are said."""
    y, first, second = random_scores(14)
    groups = np.arange(60) % 5
    pair = ScoredPair.from_predictions(y, first, second, score="roc_auc", groups=groups)
    labels = ScoredPair.from_predictions(y, y, np.where(np.arange(60) < 5, 1 - y, y))

    assert "few-groups" in bootstrap_difference(pair, n_resamples=99).flags
    assert 5 == bootstrap_difference(pair, n_resamples=99).details["groups"]
    few = bootstrap_difference(labels, n_resamples=99).flags
    assert "few-different-resampled" in few


@pytest.mark.parametrize("grouped", [False, True])
def test_few_of_a_class(grouped):
    """Few records or groups of one of two classes are said, but for means of records."""
    rng = np.random.default_rng(19)
    predictions = rng.normal(size=(2, 100))
    few, enough = (np.arange(100) // 3, np.arange(100) // 2) if grouped else (None, None)
    for positives, groups, expected in ((14, enough, True), (40, enough, False)):
        y = np.repeat([1, 0], [positives, 100 - positives])
        pair = ScoredPair.from_predictions(y, *predictions, score="roc_auc", groups=groups)
        flags = bootstrap_difference(pair, n_resamples=99).flags
        assert expected == ("few-of-a-class" in flags)
        labels = ScoredPair.from_predictions(
            y, *(predictions > 0).astype(int), groups=groups
        )
        flags = bootstrap_difference(labels, n_resamples=99).flags
        assert "few-of-a-class" not in flags
    if grouped:
        pair = ScoredPair.from_predictions(y, *predictions, score="roc_auc", groups=few)
        flags = bootstrap_difference(pair, n_resamples=99).flags
        assert "few-of-a-class" in flags


def test_numbers_of_resamples():
    """Quick scores get 9999 resamples, others 999, unless a number is requested."""
    scores = random_scores(15, n=20)
    quick = ScoredPair.from_predictions(*scores, score="roc_auc")
    slow = ScoredPair.from_predictions(*scores, score=lambda y, a: np.mean(a))

    assert 9999 == bootstrap_difference(quick).details["resamples"]
    assert 999 == bootstrap_difference(slow).details["resamples"]
    assert 200 == bootstrap_difference(slow, n_resamples=200).details["resamples"]


def test_fewer_resamples_of_many_records():
    """The more the records, the fewer the resamples by default."""

    class Sized:
        def __init__(self, n, looped):
            self.n, self.score = n, self
            self.looped = looped

    for n, quick, studentised, looped in [
        (2000, 9999, 9999, 999),
        (10_001, 9999, 999, 199),
        (50_001, 999, 199, 199),
        (500_001, 199, 99, 99),
        (5_000_001, 99, 99, 99),
    ]:
        of_arrays, by_loop = Sized(n, False), Sized(n, True)

        assert quick == default_resamples(of_arrays)
        assert studentised == default_resamples(of_arrays, studentised=True)
        assert looped == default_resamples(by_loop) == default_resamples(by_loop, True)


def test_parts_of_many_records():
    """A score without derivatives has 200 parts left out, or 50 of many records."""
    for n, n_parts in ((150, 150), (3000, 200), (10_001, 50)):
        y, first, second = random_scores(18, n=n, signal=(0.5, 1.5))
        pair = ScoredPair.from_predictions(y, first, second, score=gap)
        moves = influences(pair, generator(0))
        gain = [(one[y == k]) for one in (second - first,) for k in (0, 1)]
        error = np.sqrt(sum(one.var(ddof=1) / len(one) for one in gain))

        assert n_parts == len(moves)
        assert error == pytest.approx(np.sqrt(moves @ moves), rel=4 / np.sqrt(2 * n_parts))


def test_number_of_records():
    """Records for a power follow from the standard error of the difference."""
    y, first, second = random_scores(16, n=300, signal=(1.0, 1.1))
    difference, error = delong(y, first, second)
    pair = ScoredPair.from_predictions(y, first, second, score="roc_auc")
    entry = get_test("bootstrap_difference").sample_size

    needed = entry(pair, alpha=0.05, power=0.8, alternative="two-sided")

    required = 300 * ((1.959964 + 0.841621) * error / difference) ** 2
    assert required == pytest.approx(needed, rel=0.02)
    settings = {"alpha": 0.05, "power": 0.8, "alternative": "greater"}
    assert entry(pair, **settings) < needed
    same = ScoredPair.from_predictions(y, first, first, score="roc_auc")
    assert np.inf == entry(same, **settings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_resamples": 98}, "`n_resamples` must be an integer of at least 99"),
        ({"stratify": True, "groups": 20}, "stratify=True does not go with groups"),
        ({"groups": 60}, "at least 2 of them. Got 1 group"),
    ],
)
def test_bad_options(options, message):
    """What cannot be done is refused with what to do."""
    size = options.pop("groups", None)
    groups = None if size is None else np.arange(60) // size
    pair = random_pair(17, groups=groups)
    with pytest.raises(ValueError, match=message):
        bootstrap_difference(pair, **options)
    with pytest.raises(TypeError, match="`stratify` must be True or False"):
        bootstrap_difference(pair, stratify="yes")


def test_undefined_score():
    """Records of one class have no area under a curve."""
    pair = ScoredPair.from_predictions([1, 1], [0.1, 0.2], [0.3, 0.1], score="roc_auc")
    with pytest.raises(ValueError, match="'roc_auc' must be a finite number for both"):
        bootstrap_difference(pair)

    def refuses(y_true, predictions):
        raise ValueError("Only three classes will do.")

    own = ScoredPair.from_predictions([0, 1], [0.1, 0.2], [0.3, 0.1], score=refuses)
    with pytest.raises(ValueError, match=r"Reason: Only three classes will do\. Choose"):
        bootstrap_difference(own)
