"""What levels may change of AUCs and their variances."""

import math

import numpy as np
import pytest

from skcompare.evidence import PlacementValues, ScoreBins

N_LEVELS = 4
LEVELS = ScoreBins.uniform(N_LEVELS, 0, N_LEVELS)


def levelled(seed, n=40, k=2):
    """Classes and levels of scores that are worth something and agree with each other."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < rng.choice([0.2, 0.5, 0.8])
    y[:4] = True, True, False, False
    own = rng.normal(size=n) + y
    noise = rng.choice([0.1, 1.0, 3.0])
    scores = own + noise * rng.normal(size=(k, n))
    codes = np.clip(np.floor(scores + 1.5), 0, N_LEVELS - 1)
    return rng, y, codes


def arranged(rng, y, codes, how):
    """Scores of those levels, whose order within a level is one of the worst or any."""
    within = rng.random(codes.shape) / 2
    if how == "up":
        within += y / 2
    elif how == "down":
        within += ~y / 2
    elif how == "apart":
        within[0] += y / 2
        within[1] += ~y / 2
    elif how in ("wide", "narrow"):
        # What deviates from the mean deviates more, or less, so that variances change most.
        values = PlacementValues(y, codes)
        sides = np.empty(codes.shape)
        for row, i in zip(sides, range(len(codes)), strict=True):
            row[y], row[~y] = values.values(i)
        spread = sides[1] - sides[0]
        spread = np.where(y, spread - spread[y].mean(), spread - spread[~y].mean())
        towards = np.where(spread > 0, 1, -1) * np.where(y, 1, -1)
        towards *= 1 if how == "wide" else -1
        within[1] += towards / 4 + 0.25
        within[0] += -towards / 4 + 0.25
    return codes + within / 1.01


def assert_bounded(y, codes, scores, *contrasts):
    """Everything by the scores is within the bounds of everything by their levels.

    Of the last contrast, the share of its bound that the standard error is off by.
    """
    np.testing.assert_array_equal(codes, [LEVELS.codes(score) for score in scores])
    exact = PlacementValues(y, scores)
    placements = PlacementValues(y, codes, score_bins=LEVELS)
    tiny = 1e-14
    bounds = placements.auc_bounds
    assert (np.abs(exact.aucs - placements.aucs) <= bounds + tiny).all()
    off = np.abs(exact.covariance - placements.covariance)
    assert (off <= placements.covariance_bounds + tiny).all()
    for weights in contrasts:
        w = np.array(weights)
        found = placements.contrast_bounds(weights)
        assert abs(w @ (exact.aucs - placements.aucs)) <= found.estimate + tiny
        variance, binned = (w @ one.covariance @ w for one in (exact, placements))
        assert abs(variance - binned) <= found.variance + tiny
        roots = math.sqrt(max(variance, 0)) - math.sqrt(max(binned, 0))
        assert abs(roots) <= found.standard_error + 1e-7
    return abs(roots) / found.standard_error


def test_bounds_hold_however_levels_are_arranged():
    """Also for the arrangements that change most."""
    for how in ["any", "up", "down", "apart", "wide", "narrow"]:
        greatest = 0.0
        for seed in range(12):
            rng, y, codes = levelled(seed)
            scores = arranged(rng, y, codes, how)
            share = assert_bounded(y, codes, scores, (0.3, -1.7), (-1.0, 1.0))
            greatest = max(greatest, share)
        # They are no wild guess either.
        assert how in ("any", "narrow") or greatest > 0.2


def test_bounds_hold_for_few_records():
    """Any arrangement, with ties within levels as well."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        n = 9
        y = np.isin(np.arange(n), rng.choice(n, rng.integers(2, 8), replace=False))
        codes = rng.integers(0, 3, (2, n)).astype(float)
        assert_bounded(y, codes, codes + rng.integers(0, 3, (2, n)) / 4, (1.0, -2.0))


def test_the_bound_of_an_auc_is_reached():
    """By scores whose positive records are the greatest of each level."""
    rng, y, codes = levelled(1)
    placements = PlacementValues(y, codes, score_bins=LEVELS)
    for how, sign in (("up", 1), ("down", -1)):
        exact = PlacementValues(y, arranged(rng, y, codes, how))
        expected = placements.aucs + sign * placements.auc_bounds
        np.testing.assert_allclose(expected, exact.aucs, atol=1e-9)
    exact = PlacementValues(y, arranged(rng, y, codes, "apart"))
    difference = np.diff(placements.aucs)[0] - placements.contrast_bounds().estimate
    assert difference == pytest.approx(np.diff(exact.aucs)[0], abs=1e-9)
    p, q = (np.bincount(codes[0][one].astype(int), minlength=4) for one in (y, ~y))
    expected = (p * q).sum() / (2 * y.sum() * (~y).sum())
    assert expected == pytest.approx(placements.auc_bounds[0], rel=1e-8)


def test_no_bound_without_levels_that_join_scores():
    """Exactly 0, also of the one exact score among others."""
    _, y, codes = levelled(2)
    exact = PlacementValues(y, codes)
    assert exact.is_exact
    assert not exact.auc_bounds.any()
    assert not exact.covariance_bounds.any()
    assert (0.0, 0.0, 0.0, 0.0) == exact.contrast_bounds()
    assert not exact.expected_auc_errors.any()
    np.testing.assert_array_equal(exact.aucs, exact.halved_aucs)

    one = PlacementValues(y, codes, score_bins=[ScoreBins.distinct(), LEVELS])
    assert [False, True] == (one.auc_bounds > 0).tolist()
    assert [[False, True], [True, True]] == (one.covariance_bounds > 0).tolist()
    assert (0.0, 0.0, 0.0, 0.0) == one.contrast_bounds([1, 0])
    assert one.contrast_bounds([0, 1]).variance == pytest.approx(
        one.covariance_bounds[1, 1], rel=1e-6
    )


def test_bounds_of_cells_are_those_of_their_records():
    """Whether rows are counted or not."""
    _, y, codes = levelled(3)
    cells = PlacementValues(y, codes, score_bins=LEVELS)
    twice = cells + cells
    np.testing.assert_allclose(cells.auc_bounds, twice.auc_bounds, rtol=1e-12)
    m, n = cells.n_positives, cells.n_negatives
    shrunk = cells.covariance_bounds * max((m - 1) / (2 * m - 1), (n - 1) / (2 * n - 1))
    assert (twice.covariance_bounds <= shrunk * (1 + 1e-9)).all()


def test_bounds_of_one_record_of_a_class():
    """The AUC has a bound, its variance is undefined and so is its bound."""
    placements = PlacementValues([True, False, False], [[1, 1, 0]], score_bins=LEVELS)

    assert 0.25 == pytest.approx(placements.auc_bounds[0])
    assert np.isnan(placements.covariance_bounds).all()
    found = placements.contrast_bounds([2])
    assert 0.5 == pytest.approx(found.estimate)
    assert np.isnan([found.variance, found.standard_error]).all()


def test_weights_are_as_many_as_classifiers():
    """The default is for two."""
    _, y, codes = levelled(4, k=3)
    with pytest.raises(ValueError, match="must have 3 finite numbers"):
        PlacementValues(y, codes).contrast_bounds()
    with pytest.raises(ValueError, match="must have 3 finite numbers"):
        PlacementValues(y, codes).contrast_bounds([1, np.nan, 0])


def test_no_error_beyond_the_bound_is_expected():
    """Also where nothing is left open in a level, and much in every two of them."""
    placements = PlacementValues(
        [False, False, True, False],
        [[0, 2, 3, 3]],
        repeats=[10, 8, 3, 1],
        score_bins=LEVELS,
    )
    bound = placements.auc_bounds[0]
    assert 1.5 / 57 == pytest.approx(bound)
    assert bound == placements.expected_auc_errors[0]
    assert 2 * bound == placements.contrast_bounds([-2]).expected


def test_half_of_the_levels():
    """AUCs by levels that are twice as wide."""
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.4
    scores = rng.beta(2 + y, 3, (2, 300))
    fine, coarse = (
        PlacementValues.from_predictions(y, *scores, score_bins=ScoreBins.uniform(n))
        for n in (64, 32)
    )
    np.testing.assert_allclose(coarse.aucs, fine.halved_aucs, rtol=1e-14)


def test_the_error_for_smooth_scores_is_far_below_the_bound():
    """And falls with the square of the number of levels, as halving them tells."""
    rng = np.random.default_rng(6)
    y = rng.random(100_000) < 0.3
    scores = rng.beta(2 + y, 3 - y, (1, 100_000))
    exact = PlacementValues(y, scores).aucs[0]
    found = PlacementValues.from_predictions(y, *scores, score_bins=ScoreBins.uniform(32))
    error = abs(exact - found.aucs[0])

    assert error < found.auc_bounds[0] / 20
    assert error == pytest.approx(abs(found.aucs - found.halved_aucs)[0] / 3, rel=0.3)
    assert error == pytest.approx(found.expected_auc_errors[0], rel=0.3)


def test_the_error_of_haphazard_orders_is_as_expected():
    """The root of its mean square, of a classifier and of the difference of two."""
    rng = np.random.default_rng(7)
    y = rng.random(60) < 0.4
    codes = rng.integers(0, N_LEVELS, (2, 60)).astype(float)
    found = PlacementValues(y, codes, score_bins=LEVELS)
    deviations, _ = found._order_errors()
    scores = arranged(rng, y, np.tile(codes, (2000, 1)), "any")
    wins = scores[:, y, np.newaxis] > scores[:, np.newaxis, ~y]
    errors = wins.mean(axis=(1, 2)).reshape(2000, 2) - found.aucs

    np.testing.assert_allclose(deviations, np.sqrt((errors**2).mean(axis=0)), rtol=0.06)
    expected = np.hypot(*deviations)
    assert expected == pytest.approx(np.diff(errors).std(), rel=0.06)
    assert expected <= found.contrast_bounds().expected
