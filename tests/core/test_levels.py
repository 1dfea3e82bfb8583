"""Levels: whole numbers in the order of scores."""

import operator
import pickle
from itertools import pairwise

import numpy as np
import pytest

from skcompare._core.score_bins import MOST_LEVELS, ScoreBins


def samples(rng, n):
    """Scores near and far, tied, tiny, huge, of both signs."""
    yield rng.random(n)
    yield rng.random(n) ** 20
    yield rng.normal(size=n) * 10.0 ** rng.integers(-300, 300)
    yield rng.integers(0, 5, n) / 7
    yield np.exp(rng.normal(size=n) * 50)
    yield 1e16 + rng.integers(0, 20, n) * 2.0
    yield rng.random(n) * 5e-323
    yield rng.choice([-1.7e308, 0.0, 1.7e308], n)
    yield np.full(n, rng.normal())


def around(score_bins, scores):
    """Scores, the knots, the numbers next to all of them, and the ends of all numbers."""
    some = np.concatenate(
        [scores, score_bins.knots, [0.0, -0.0, 5e-324, 1.7e308, -1.7e308]]
    )
    near = [np.nextafter(some, end) for end in (-1e308, 1e308)]
    return np.sort(np.concatenate([some, *near]))


def assert_in_order(score_bins, scores):
    codes = score_bins.codes(around(score_bins, scores))
    assert (np.diff(codes) >= 0).all()
    assert codes.min() >= 0
    assert codes.max() < score_bins.n_score_bins
    assert np.int32 == codes.dtype


def test_no_two_scores_are_reversed():
    """Whatever the scores and however the steps are rounded."""
    for n_score_bins in [1, 2, 3, 17, 512, 4096]:
        rng = np.random.default_rng(n_score_bins)
        for n in (1, 2, 30, 700):
            for sample in samples(rng, n):
                score_bins = ScoreBins.fitted(sample, n_score_bins)
                assert n_score_bins == score_bins.n_score_bins
                assert len(score_bins.slopes) <= 12
                assert_in_order(score_bins, sample)
                chosen = ScoreBins.choose(sample, n_score_bins)
                if not chosen.is_distinct:
                    assert_in_order(chosen, sample)
            low, high = np.sort(rng.normal(size=2))
            assert_in_order(ScoreBins.uniform(n_score_bins, low, high), rng.normal(size=n))


def test_uniform_levels_of_a_power_of_two_are_exact():
    """The level is the whole part of the score times their number."""
    scores = np.random.default_rng(0).random(1000)
    scores[:3] = 0.0, 1.0, 0.5
    for n_score_bins in (2, 64, 512, 1 << 20):
        codes = ScoreBins.uniform(n_score_bins).codes(scores)
        np.testing.assert_array_equal(
            np.minimum(scores * n_score_bins, n_score_bins - 1).astype(int), codes
        )


def test_scores_beyond_the_ends():
    """Are in the first and in the last level."""
    score_bins = ScoreBins.uniform(8, -1, 1)
    assert [0, 0, 4, 7, 7] == score_bins.codes(
        np.array([-9.0, -1.0, 0.0, 1.0, 9.0])
    ).tolist()


def test_fitted_levels_are_where_the_scores_are():
    """No level holds many of those scores, and every range has some."""
    rng = np.random.default_rng(1)
    rare = 1 / (1 + np.exp(7 - 2 * rng.normal(size=20_000)))
    for score in (rng.random(20_000) ** 6, rare):
        score_bins = ScoreBins.fitted(score, 512)
        shares = np.bincount(score_bins.codes(score), minlength=512) / len(score)
        uniform = np.bincount(ScoreBins.uniform(512).codes(score)) / len(score)
        assert shares.max() < 0.1 * uniform.max()
        ends = score_bins.codes(np.linspace(score.min(), score.max(), 65))
        assert np.diff(ends).max() < 256
        assert np.diff(ends).min() >= 2


def test_a_value_that_many_share_takes_one_level():
    """It cannot be divided, so that levels are spread over the others."""
    rng = np.random.default_rng(2)
    score = np.where(rng.random(10_000) < 0.9, 0.25, rng.random(10_000))
    others = ScoreBins.fitted(score, 64).codes(score[score != 0.25])
    assert np.bincount(others).max() < 0.1 * len(others)


def test_levels_are_chosen_for_a_sample():
    """The scores themselves where few repeat; plain levels where they are good enough."""
    rng = np.random.default_rng(3)
    assert ScoreBins.choose(rng.integers(0, 40, 1000) / 40, 64).is_distinct
    assert ScoreBins.distinct() == ScoreBins.choose([0.1] * 9, 64)
    assert not ScoreBins.choose(rng.random(50), 64).is_distinct
    assert ScoreBins.uniform(64) == ScoreBins.choose(rng.random(5000), 64)
    assert ScoreBins.uniform(64) == ScoreBins.quantised(rng.beta(2, 2, 5000), 64)
    assert len(ScoreBins.choose(rng.random(5000) ** 9, 64).slopes) > 1
    outside = ScoreBins.choose(rng.normal(size=5000), 64)
    assert outside.knots[0] < -2 < 2 < outside.knots[-1]


class Expression:
    """A function of a score, built by the operators that an engine has."""

    def __init__(self, of):
        self.of = of

    @staticmethod
    def apply(function, *values):
        def of(x):
            return function(*(v.of(x) if isinstance(v, Expression) else v for v in values))

        return Expression(of)

    __sub__ = __add__ = __mul__ = __lt__ = __gt__ = __ge__ = None


for _name in ("sub", "add", "mul", "lt", "gt", "ge"):
    _operation = getattr(operator, _name)
    setattr(
        Expression,
        f"__{_name}__",
        lambda self, other, _op=_operation: Expression.apply(_op, self, other),
    )


class Engine:
    """Operations on expressions."""

    floor = staticmethod(lambda value: Expression.apply(np.floor, value))
    whole = staticmethod(lambda value: Expression.apply(lambda x: int(x), value))
    where = staticmethod(
        lambda condition, value, otherwise: Expression.apply(
            lambda c, v, o: v if c else o, condition, value, otherwise
        )
    )


def test_an_engine_finds_the_same_levels():
    """By the same steps on expressions instead of arrays."""
    rng = np.random.default_rng(4)
    for score_bins in (
        ScoreBins.fitted(rng.random(500) ** 5, 100),
        ScoreBins.uniform(7, -1, 3),
    ):
        scores = around(score_bins, rng.normal(size=50))
        found = score_bins.codes(Expression(lambda x: x), Engine)
        actual = [found.of(float(score)) for score in scores]
        assert score_bins.codes(scores).tolist() == actual


def test_levels_around_one_value():
    """Other scores than the only one of a sample are below it or above it."""
    for value in [0.0, -0.0, 5e-324, 1e-300, 0.3, -1e300]:
        scores = [value - max(1, abs(value)), value, value + max(1, abs(value))]
        for n_score_bins in (3, 512):
            codes = ScoreBins.fitted([value] * 5, n_score_bins).codes(scores).tolist()
            assert codes == sorted(set(codes))


def test_scores_of_other_types_have_the_levels_of_their_float64():
    """Whatever type they are of: steps in float32 would be rounded elsewhere."""
    for kind in [np.float32, np.float16, np.int8, list]:
        scores = np.random.default_rng(6).integers(-50, 50, 20_000)
        if kind in (np.float32, np.float16):
            scores = np.random.default_rng(6).random(20_000)
        given = scores.tolist() if kind is list else scores.astype(kind)
        for score_bins in (ScoreBins.uniform(1000), ScoreBins.uniform(512, -3, 7)):
            expected = score_bins.codes(np.array(given, dtype=np.float64))
            assert expected.tolist() == score_bins.codes(given).tolist()


def test_levels_that_are_scores():
    """Stay as they are."""
    score_bins = ScoreBins.distinct()
    scores = np.array([3.5, -1.0])
    assert score_bins.is_distinct
    assert score_bins.n_score_bins is None
    assert scores is score_bins.codes(scores)


def test_levels_are_plain_values():
    """Equal if they say the same, hashable, pickled and made again from their fields."""
    score_bins = ScoreBins.fitted(np.random.default_rng(5).random(99) ** 4, 32)
    assert score_bins == pickle.loads(pickle.dumps(score_bins))
    again = ScoreBins(
        list(score_bins.knots), list(score_bins.slopes), list(score_bins.firsts)
    )
    assert {score_bins} == {score_bins, again}
    assert score_bins != ScoreBins.uniform(32)
    assert all(a < b for a, b in pairwise(score_bins.knots))


def test_levels_that_are_none():
    """Refused, with what to do."""
    for call, message in [
        (lambda: ScoreBins.uniform(0), "n_score_bins"),
        (lambda: ScoreBins.uniform(2.5), "n_score_bins"),
        (lambda: ScoreBins.uniform(MOST_LEVELS + 1), "at most"),
        (lambda: ScoreBins.uniform(4, 1, 1), "`low` must be below"),
        (lambda: ScoreBins.uniform(4, 0, np.inf), "`low` must be below"),
        (lambda: ScoreBins.uniform(4, np.nan, 1), "`low` must be below"),
        (lambda: ScoreBins.fitted([]), "`sample` must be finite"),
        (lambda: ScoreBins.fitted([0.1, np.nan]), "`sample` must be finite"),
        (lambda: ScoreBins.choose([[0.1]]), "`sample` must be finite"),
        (lambda: ScoreBins((0.0, 1.0)), "one slope per segment"),
        (lambda: ScoreBins((1.0, 0.0), (1.0,), (0, 1)), "finite and increase"),
        (lambda: ScoreBins((0.0, 1.0), (1.0,), (1, 2)), "finite and increase"),
        (lambda: ScoreBins((0.0, 1.0), (9.0,), (0, 2)), "stay within"),
        (lambda: ScoreBins((0.0, 1.0), (-1.0,), (0, 2)), "stay within"),
        (lambda: ScoreBins((0.0, 1.0), (np.nan,), (0, 2)), "stay within"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
