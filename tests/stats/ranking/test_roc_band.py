"""The difference of two ROC curves with its bands."""

import json

import numpy as np
import pytest
from scipy.special import ndtri
from sklearn.metrics import auc, roc_auc_score, roc_curve

from skcompare._core.design import Design
from skcompare.evidence import PlacementValues
from skcompare.stats import roc_difference_band
from skcompare.stats.ranking import _roc_band as resampling
from skcompare.stats.ranking._roc_band import (
    RocCurve,
    range_text,
    resampled,
    rows_of,
    same_ranking,
)
from skcompare.stats.scores._resampling import generator


def two_scores(n=120, seed=0, decimals=None, gain=1.5):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    y[:2] = 0, 1
    shared = rng.normal(size=n)
    champion, challenger = (each * y + shared + rng.normal(size=n) for each in (1.0, gain))
    if decimals is not None:
        champion, challenger = champion.round(decimals), challenger.round(decimals)
    return y, champion, challenger


def placed(*args, groups=None, **options):
    return PlacementValues.from_predictions(*two_scores(*args, **options), groups=groups)


def of_roc_curve(y, score, weights, rates):
    """Sensitivities by scikit-learn's curve of the records that weights repeat."""
    fpr, tpr, _ = roc_curve(
        np.repeat(y, weights), np.repeat(score, weights), drop_intermediate=False
    )
    n = np.repeat(1 - y, weights).sum()
    passed = np.rint(fpr * n).astype(int)
    found = []
    for rate in np.asarray(rates) * n:
        last = np.flatnonzero(passed <= rate + 1e-9)[-1]
        if passed[last] == n:
            found.append(1.0)
            continue
        share = (rate - passed[last]) / (passed[last + 1] - passed[last])
        found.append(tpr[last] + share * (tpr[last + 1] - tpr[last]))
    return np.array(found)


@pytest.mark.parametrize("decimals", [None, 1, 0])
def test_curve_is_that_of_scikit_learn(decimals):
    """With ties and repeated records, at rates of whole records and between them."""
    rng = np.random.default_rng(1)
    y, score, _ = two_scores(40, decimals=decimals)
    positive = y == 1
    curve = RocCurve(score, positive)
    rates = np.append(np.arange(9) / 8, [0.01, 0.333, 0.9])
    rates.sort()
    for _ in range(20):
        weights = rng.integers(0, 3, size=40)
        weights[:2] = 1
        found = curve.sensitivities(
            weights[np.newaxis, positive], weights[np.newaxis, ~positive], rates
        )

        assert of_roc_curve(y, score, weights, rates) == pytest.approx(found[0])


@pytest.mark.parametrize("decimals", [None, 0])
def test_area_under_curve(decimals):
    """Steps before and at each rate add up to the AUC, and so do their differences."""
    y, *scores = two_scores(60, decimals=decimals)
    positive = y == 1
    n = int((~positive).sum())
    rates = np.arange(n + 1) / n
    curves = []
    for score in scores:
        curve = RocCurve(score, positive)
        ones = np.ones((1, 60 - n), int), np.ones((1, n), int)
        before, at = (
            curve.sensitivities(*ones, rates, before=side)[0] for side in (True, False)
        )
        curves.append(np.stack([before, at], axis=1).reshape(-1))
    difference = roc_auc_score(y, scores[1]) - roc_auc_score(y, scores[0])

    assert difference == pytest.approx(auc(np.repeat(rates, 2), curves[1] - curves[0]))


@pytest.mark.parametrize("groups", [False, True])
def test_standard_error_by_explicit_resampling(groups):
    """Records that are copied out and ranked again, resample by resample, give the same."""
    y, *scores = two_scores(50, decimals=1)
    positive = y == 1
    codes = np.arange(50) // 5 if groups else None
    placements = PlacementValues(positive, scores, groups=codes)
    rates = np.array([0.1, 0.25, 0.5, 0.8])
    band = roc_difference_band(placements, fpr=rates, n_resamples=60, random_state=3)
    moved = []
    rows = rows_of(placements)
    for ours, others in resampled(rows, 60, generator(3)):
        for one, other in zip(ours, others, strict=True):
            weights = np.empty(50, int)
            weights[positive], weights[~positive] = one, other
            curves = [of_roc_curve(y, score, weights, rates) for score in scores]
            moved.append(curves[1] - curves[0])
    spread = np.var(moved, axis=0, ddof=1)
    # What is added is the same at all rates.
    added = band.standard_error**2 - spread

    assert np.full(4, added[0]) == pytest.approx(added)
    if not groups:
        assert 2 / (positive.sum() + 2) ** 2 == pytest.approx(added[0])
    else:
        assert 2 / (positive.sum() + 2) ** 2 <= added[0] <= 2 / (10 + 2) ** 2
    half = ndtri(0.975) * band.standard_error
    assert band.difference - half == pytest.approx(band.low)


def test_simultaneous_band():
    """The share of resamples that stay inside everywhere is the level, and no less."""
    placements = placed(80)
    band = roc_difference_band(placements, n_resamples=400, random_state=5)
    rows = rows_of(placements)
    curves = [RocCurve(score, rows.positive) for score in rows.scores]
    moved = np.concatenate(
        [
            curves[1].sensitivities(*weights, band.fpr)
            - curves[0].sensitivities(*weights, band.fpr)
            for weights in resampled(rows, 400, generator(5))
        ]
    )
    apart = np.abs(moved - band.difference)[:, 1:-1]
    inside = apart <= band.critical_value * band.standard_error[1:-1] * (1 + 1e-12)

    assert 0.95 <= inside.all(axis=1).mean() < 0.956
    assert (band.simultaneous_low <= band.low).all()
    assert (band.simultaneous_high >= band.high).all()


def test_all_records_are_positive_at_rate_1():
    """There both sensitivities are 1, and nothing varies."""
    band = roc_difference_band(placed(60), n_resamples=50)
    ends = band.difference, band.standard_error, band.low, band.simultaneous_high

    assert [0, 0, 0, 0] == [each[-1] for each in ends]
    assert 0 == band.fpr[0]
    assert 1 == band.fpr[-1]
    assert band.n_negatives + 1 == len(band.fpr)


def test_swap():
    """Exchanged roles have the band of the opposite sign."""
    placements = placed(60)
    one = roc_difference_band(placements, n_resamples=50)
    other = roc_difference_band(placements.swap(), n_resamples=50)

    assert (-one.difference).tolist() == other.difference.tolist()
    assert (-one.low).tolist() == other.high.tolist()
    assert (-one.simultaneous_high).tolist() == other.simultaneous_low.tolist()


def test_equal_rankings():
    """A classifier and an increasing function of its scores differ nowhere."""
    y, score, _ = two_scores(40)
    band = roc_difference_band(PlacementValues.from_predictions(y, score, np.exp(score)))
    flat = np.zeros(len(band.fpr)).tolist()

    assert ("equal-rankings",) == band.flags
    assert flat == band.low.tolist() == band.simultaneous_high.tolist()
    assert () == band.ranges


def test_same_ranking():
    """Ties are part of a ranking."""
    for one, other, same in [
        ([1, 2, 2, 3], [0, 5, 5, 6], True),
        ([1, 2, 2, 3], [0, 5, 6, 7], False),
        ([1, 2, 3, 4], [0, 5, 5, 7], False),
        ([1, 2, 3, 4], [0, 5, 4, 7], False),
    ]:
        assert same is same_ranking(np.array(one, float), np.array(other, float))


def test_perfect_rankings():
    """Two that rank all rightly do not differ, as far as so few records tell."""
    y = np.repeat([0, 1], 15)
    scores = y + 0.01 * np.random.default_rng(0).random((2, 30))
    band = roc_difference_band(PlacementValues.from_predictions(y, *scores))
    half = ndtri(0.975) * np.sqrt(2) / 17

    assert not band.difference.any()
    assert np.full(15, half) == pytest.approx(band.high[:-1])
    assert () == band.flags


def test_cells():
    """Records that were counted in cells have the same curves and the same errors."""
    placements = placed(400, decimals=0)
    cells = PlacementValues(
        placements.positive, placements.scores, repeats=np.ones(400, int)
    )
    one, other = (
        roc_difference_band(each, n_resamples=500) for each in (placements, cells)
    )

    assert len(cells.repeats) < 200
    assert one.difference.tolist() == other.difference.tolist()
    assert one.standard_error == pytest.approx(other.standard_error, rel=0.15)


def test_groups_of_copies():
    """Each record ten times over in a group tells no more than the record."""
    y, *scores = two_scores(60)
    alone = PlacementValues.from_predictions(y, *scores)
    groups = np.repeat(np.arange(60), 10)
    copies = PlacementValues.from_predictions(
        np.repeat(y, 10), *np.repeat(scores, 10, axis=1), groups=groups
    )
    rates = np.arange(1, 6) / 10
    one, other = (
        roc_difference_band(each, fpr=rates, n_resamples=500) for each in (alone, copies)
    )

    assert one.standard_error == pytest.approx(other.standard_error, rel=0.2)


def test_many_rows(monkeypatch):
    """Levels leave the curves as they are, and their errors nearly so."""
    placements = placed(4000, gain=1.2)
    one = roc_difference_band(placements, n_resamples=200)
    monkeypatch.setattr(resampling, "MOST_ROWS", 1000)
    drawn = rows_of(placements)
    other = roc_difference_band(placements, n_resamples=200)

    assert all(len(np.unique(score)) <= 301 for score in drawn.scores)
    assert 4000 == drawn.repeats.sum()
    assert one.difference.tolist() == other.difference.tolist()
    ratio = other.standard_error[1:-1] / one.standard_error[1:-1]
    assert 1 == pytest.approx(np.median(ratio), abs=0.05)
    assert 501 == len(one.fpr)


def test_number_of_resamples():
    """The more rows, the fewer by default; a number that is requested is used."""
    assert 2000 == roc_difference_band(placed(30)).n_resamples
    assert 70 == roc_difference_band(placed(30), n_resamples=70).n_resamples
    many = resampling.Rows(np.ones(10**6, bool), np.empty((2, 0)), None, None)
    assert resampling.RESAMPLES[-1] == resampling.default_resamples(many)


def test_result():
    """The result is plain values, a frame, and words that say where the curves differ."""
    y, champion, challenger = two_scores(300, gain=3.0)
    placements = PlacementValues.from_predictions(y, champion, challenger)
    band = roc_difference_band(placements, n_resamples=100)
    plain = json.loads(json.dumps(band.to_dict()))
    first, last, role = max(band.ranges, key=lambda each: each[1] - each[0])
    within = (band.fpr >= first) & (band.fpr <= last)

    assert band.difference.tolist() == plain["difference"]
    assert len(band.fpr) == len(band.to_frame())
    assert "challenger" == role
    assert (band.simultaneous_low[within] > 0).all()
    assert "the challenger is more sensitive at false positive rates from" in str(band)
    swapped = roc_difference_band(placements.swap(), n_resamples=100)
    assert [(*ends, "champion") for *ends, _ in band.ranges] == list(swapped.ranges)
    with pytest.raises(ValueError, match="read-only"):
        band.low[0] = 1


def test_text_of_ranges():
    """The two widest ranges are named, others counted."""
    ranges = ((0.1, 0.1, "champion"), (0.2, 0.4, "challenger"), (0.6, 0.9, "challenger"))

    assert "no difference of the sensitivities is found" == range_text(())
    assert (
        "the challenger is more sensitive at false positive rates from 0.200 to 0.400 and "
        "from 0.600 to 0.900, 1 shorter range more"
    ) == range_text(ranges)
    assert "rates of 0.100, the challenger" in range_text(ranges[:2])


def test_few_are_flagged():
    """Few records of a class, and few groups, are said to be few."""
    y, *scores = two_scores(30)
    y[:] = 0
    y[:5] = 1
    few = PlacementValues.from_predictions(y, *scores)
    grouped = placed(60, groups=np.arange(60) % 6)

    assert "few-records-of-a-class" in roc_difference_band(few, n_resamples=50).flags
    assert "few-groups" in roc_difference_band(grouped, n_resamples=50).flags


def test_refused():
    """What has no band is refused in words that say what to do."""
    for made, options, words in [
        (lambda: placed(30), {"fpr": [0.2, 0.1]}, "increasing"),
        (lambda: placed(30), {"fpr": [0.5, 1.5]}, "between 0 and 1"),
        (lambda: placed(30), {"n_resamples": 10}, "50"),
        (lambda: placed(30), {"confidence_level": 95}, "confidence_level"),
        (
            lambda: PlacementValues([True, True], [[1, 2], [2, 1]]),
            {},
            "records of both classes",
        ),
        (
            lambda: PlacementValues([True, False], [[1, 2]]),
            {},
            "two classifiers",
        ),
        (
            lambda: PlacementValues(
                [True, False], [[1, 2], [2, 1]], design=Design("kfold", n_folds=2)
            ),
            {},
            "one hold-out set",
        ),
        (lambda: placed(30, groups=np.zeros(30, int)), {}, "at least 2 groups"),
    ]:
        with pytest.raises(ValueError, match=words):
            roc_difference_band(made(), **options)


def test_resamples_without_a_class_are_drawn_anew():
    """A quarter of the resamples lack the only group with a positive record."""
    scores = np.random.default_rng(0).normal(size=(2, 40))
    few = PlacementValues(np.arange(40) < 2, scores, groups=np.arange(40) // 20)
    band = roc_difference_band(few, n_resamples=50)

    assert 50 == band.n_resamples
    assert np.isfinite(band.standard_error).all()
