"""Simulated data have the distributions that the papers define."""

import numpy as np
import pytest
from scipy.special import ndtr

from skcompare.datasets import make_epsilon, make_exp6, make_simple
from skcompare.evidence import PairedBlocks
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.stats import bcv_mcnemar

N_GRID = 151**2


class TestMakeEpsilon:
    def test_error_rates_of_the_halves(self):
        """Both err equally often overall, and three times as often on one half."""
        champion, challenger = make_epsilon(300, 0.1, n_repetitions=4000, random_state=0)

        # Standard errors are at most sqrt(0.15 * 0.85 / 6e5) = 0.0005.
        assert 0.05 == pytest.approx(champion[:, :150].mean(), abs=0.0015)
        assert 0.15 == pytest.approx(champion[:, 150:].mean(), abs=0.0015)
        assert 0.15 == pytest.approx(challenger[:, :150].mean(), abs=0.0015)
        assert 0.05 == pytest.approx(challenger[:, 150:].mean(), abs=0.0015)

    def test_losses_are_independent(self):
        """Joint errors of a half have the product of the error rates."""
        champion, challenger = make_epsilon(200_000, 0.4, random_state=0)

        both = champion & challenger
        assert 0.2 * 0.6 == pytest.approx(both[:100_000].mean(), abs=0.005)
        assert 0.2 * 0.6 == pytest.approx(both[100_000:].mean(), abs=0.005)

    def test_shapes_and_values(self):
        """A data set is a row; losses are 0 and 1."""
        single = make_epsilon(20, 0.3, random_state=0)
        several = make_epsilon(20, 0.3, n_repetitions=4, random_state=0)

        assert [(20,), (20,)] == [loss.shape for loss in single]
        assert [(4, 20), (4, 20)] == [loss.shape for loss in several]
        assert [0, 1] == np.unique(several).tolist()
        assert np.int64 == single[0].dtype

    def test_defaults_are_those_of_the_paper(self):
        """300 records, error rate 0.1."""
        champion, challenger = make_epsilon(random_state=0)

        expected = make_epsilon(300, 0.1, random_state=0)
        np.testing.assert_array_equal(expected, (champion, challenger))

    @pytest.mark.parametrize(("epsilon", "rates"), [(0, (0, 0)), (2 / 3, (1 / 3, 1))])
    def test_extreme_error_rates(self, epsilon, rates):
        """No errors, or errors on all records of a half."""
        champion, challenger = make_epsilon(100_000, epsilon, random_state=0)

        low, high = rates
        assert low == pytest.approx(champion[:50_000].mean(), abs=0.01)
        assert high == champion[50_000:].mean()
        assert high == challenger[:50_000].mean()

    def test_refuses_what_is_no_number_of_records(self):
        """The message says what came."""
        for n_samples in [0, -2, 2.0, True, None]:
            with pytest.raises(
                ValueError, match="`n_samples` must be an integer of at least 2"
            ):
                make_epsilon(n_samples)

    def test_refuses_odd_numbers(self):
        """With unequal halves the two would not be equally good."""
        with pytest.raises(ValueError, match=r"must be even.* Got 301\. Use 302"):
            make_epsilon(301)

    def test_refuses_error_rates_out_of_reach(self):
        """3 epsilon / 2 is a probability."""
        for epsilon in [-0.1, 0.7, np.nan, "0.1", None, True]:
            with pytest.raises(
                ValueError, match=r"`epsilon` must be a number in \[0, 2/3\]"
            ):
                make_epsilon(300, epsilon)

    def test_refuses_no_repetition(self):
        """None means one data set; 0 means nothing."""
        with pytest.raises(ValueError, match="`n_repetitions` must be an integer"):
            make_epsilon(300, n_repetitions=0)


class TestMakeExp6:
    def test_classes_computed_by_hand(self):
        """The first rule that holds gives the class."""
        X, y = make_exp6(None)
        for point, expected in [
            # f1(0) = 6, f2(0) = 8, f3(0) = -9.44: a point on a curve is above it.
            ((0.0, 15.0), 1),
            ((0.0, 8.0), 1),
            ((0.0, 7.9), 3),
            ((0.0, 6.0), 3),
            ((0.0, 5.9), 4),
            # f1(4) = 6, f2(4) = 11.64, f3(4) = 7.2: rules 3 and 6 overlap below f3.
            ((4.0, 15.0), 1),
            ((4.0, 11.6), 3),
            ((4.0, 7.1), 3),
            ((4.0, 6.0), 3),
            ((4.0, 5.9), 6),
            # f1(5) = 11, f2(5) = 10.39, f3(5) = 11.16: rules 1 and 5 overlap.
            ((5.0, 11.1), 1),
            ((5.0, 11.0), 1),
            ((5.0, 10.9), 5),
            ((5.0, 10.3), 6),
            # f1(4.9) = 10.41, f2(4.9) = 10.55, f3(4.9) = 10.77.
            ((4.9, 10.6), 1),
            ((4.9, 10.4), 6),
            # f1(10) = 66, f2(10) = 4.16, f3(10) = 29.76.
            ((10.0, 4.2), 5),
            ((10.0, 4.1), 6),
            # f1(1) = 3, f2(1) = 9.92, f3(1) = -5.16.
            ((1.0, 2.9), 4),
            ((1.0, 3.0), 3),
        ]:
            at_point = np.flatnonzero((X == point).all(axis=1))
            assert [expected] == y[at_point].tolist()

    def test_every_rule_of_the_paper_in_integers(self):
        """Equation 16 without rounding: every point of the grid has one class at least."""
        X, y = make_exp6(None)
        i, j = np.rint(10 * X).astype(int).T
        above1 = 10 * j >= i**2 - 40 * i + 600
        above2 = j / 10 >= 4 * np.sin(i / 20) + 8
        above3 = 250 * j >= -(i**2) + 1080 * i - 23600
        rules = np.array(
            [
                above1 & above2,
                ~above1 & above2 & above3,
                above1 & ~above2,
                ~above1 & ~above2 & above3,
                above2 & ~above3,
                ~above2 & ~above3,
            ]
        )

        assert {1, 2} == set(rules.sum(axis=0).tolist())
        assert 4 == np.sum(rules[0] & rules[4])
        assert 162 == np.sum(rules[2] & rules[5])
        np.testing.assert_array_equal(np.argmax(rules, axis=0) + 1, y)

    def test_the_whole_grid(self):
        """151 × 151 points of the square, 0.1 apart, once each."""
        X, y = make_exp6(None)

        assert (N_GRID, 2) == X.shape
        assert N_GRID == len(np.unique(X, axis=0))
        np.testing.assert_array_equal(np.unique(X[:, 1]), np.arange(151) / 10)
        assert [2250, 67, 3284, 819, 7794, 8587] == np.bincount(y)[1:].tolist()

    def test_records_are_uniform_over_the_grid(self):
        """Every point is as likely as any other, the edges included."""
        X, y = make_exp6(40 * N_GRID, random_state=0)

        points = np.rint(10 * X).astype(int) @ [151, 1]
        counts = np.bincount(points, minlength=N_GRID)
        # Chi-squared with 22 800 degrees of freedom has standard deviation 213.5.
        assert N_GRID - 1 == pytest.approx(((counts - 40) ** 2).sum() / 40, abs=1000)
        np.testing.assert_array_equal(make_exp6(None)[1][points], y)

    def test_shapes_and_types(self):
        """Points of two coordinates, classes 1 to 6."""
        X, y = make_exp6(random_state=0)

        assert (300, 2) == X.shape
        assert (300,) == y.shape
        assert (np.float64, np.int64) == (X.dtype, y.dtype)
        assert {1, 2, 3, 4, 5, 6} >= set(y.tolist())

    def test_refuses_what_is_no_number_of_records(self):
        """The message says what came."""
        for n_samples in [0, 2.5, "all", True]:
            with pytest.raises(
                ValueError, match="`n_samples` must be an integer of at least 1"
            ):
                make_exp6(n_samples)


class TestMakeSimple:
    @pytest.mark.parametrize("delta", [0, 0.5, 1.0])
    def test_distributions_of_the_classes(self, delta):
        """Equal classes; the predictor is N(0, 1) in one and N(delta, 1) in the other."""
        X, y = make_simple(200_000, delta, random_state=0)

        # Five standard errors are 0.0056 of the share, and 0.016 of a mean.
        assert 0.5 == pytest.approx(y.mean(), abs=0.0056)
        for label, mean in enumerate([0, delta]):
            x = X[y == label, 0]
            assert mean == pytest.approx(x.mean(), abs=0.016)
            # The mean of squares has standard error sqrt(2 / 100 000) = 0.0045.
            assert 1 == pytest.approx(np.mean((x - mean) ** 2), abs=0.023)
            # P(|Z| > 2) tells the normal from others; its standard error is 0.0007.
            expected = 2 * ndtr(-2)
            assert expected == pytest.approx(np.mean(np.abs(x - mean) > 2), abs=0.0035)

    def test_error_rate_of_the_best_rule(self):
        """Half-way between the means, the error rate is Phi(-delta / 2)."""
        X, y = make_simple(200_000, 1.0, random_state=0)

        errors = np.mean((X[:, 0] > 0.5) != y)
        assert ndtr(-0.5) == pytest.approx(errors, abs=0.0052)

    def test_classes_are_independent_draws(self):
        """The number of records of class 1 is binomial, not always half."""
        totals = [make_simple(100, random_state=i)[1].sum() for i in range(600)]

        # Variance 25, with standard error 25 sqrt(2 / 600) = 1.44.
        assert 25 == pytest.approx(np.var(totals), abs=4)

    def test_deltas_share_their_random_numbers(self):
        """The same seed moves the records of class 1 by delta, and nothing else."""
        X, y = make_simple(50, random_state=3)
        moved_X, moved_y = make_simple(50, 0.7, random_state=3)

        np.testing.assert_array_equal(y, moved_y)
        np.testing.assert_array_equal(X[:, 0] + 0.7 * y, moved_X[:, 0])

    def test_defaults_are_those_of_the_paper(self):
        """1000 records whose classes do not differ."""
        X, y = make_simple(random_state=0)

        assert ((1000, 1), (1000,)) == (X.shape, y.shape)
        assert (np.float64, np.int64) == (X.dtype, y.dtype)
        np.testing.assert_array_equal(make_simple(1000, 0.0, random_state=0)[0], X)

    def test_refuses_what_is_no_number_of_records(self):
        """The message says what came."""
        for n_samples in [0, 2.5, None, True]:
            with pytest.raises(
                ValueError, match="`n_samples` must be an integer of at least 1"
            ):
                make_simple(n_samples)

    def test_refuses_what_is_no_distance(self):
        """A distance is finite and not negative."""
        for delta in [-0.1, np.nan, np.inf, "0.1", None, True]:
            with pytest.raises(
                ValueError, match="`delta` must be a finite number of at least"
            ):
                make_simple(100, delta)


@pytest.mark.parametrize("make", [make_epsilon, make_exp6, make_simple])
def test_seeds_decide_the_draw(make):
    """The same seed gives the same data, another seed others; a generator moves on."""
    rng = np.random.RandomState(1)
    first, again, other = make(random_state=1), make(random_state=1), make(random_state=2)
    drawn, next_drawn = make(random_state=rng), make(random_state=rng)

    for i in range(2):
        np.testing.assert_array_equal(first[i], again[i])
        np.testing.assert_array_equal(first[i], drawn[i])
        assert not np.array_equal(first[i], other[i])
        assert not np.array_equal(first[i], next_drawn[i])


def test_fixed_losses_need_no_splitting():
    """The cross-validated test of fixed losses depends on the discordant counts alone.

    Every repetition tests every record once, so the averaged counts are half of those of
    the whole data set. Simulations of the type I error rely on this.
    """
    losses = make_epsilon(300, 0.1, n_repetitions=20, random_state=0)
    y = np.zeros(300, dtype=int)

    for seed, (champion, challenger) in enumerate(zip(*losses)):
        cv = BlockRegularized5x2CV(random_state=seed)
        tests = [test for _, test in cv.split(y, y)]
        blocks = PairedBlocks.from_predictions(
            [y[test] for test in tests],
            [champion[test] for test in tests],
            [challenger[test] for test in tests],
            design="bcv",
        )
        only_champion = np.sum(champion < challenger)
        only_challenger = np.sum(champion > challenger)
        distance = max(0, 10 / 11 * abs(only_challenger - only_champion) - 1)
        statistic = distance**2 / (10 / 11 * (only_champion + only_challenger))

        result = bcv_mcnemar(blocks)

        assert statistic == pytest.approx(result.statistic, rel=1e-12, abs=1e-12)
        assert only_champion / 2 == blocks.average.only_champion
