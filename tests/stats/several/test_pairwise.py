"""McNemar's test of every pair, and with a control."""

import itertools
import json
import pickle
from dataclasses import FrozenInstanceError
from itertools import combinations
from typing import get_args

import numpy as np
import pytest

from skcompare.evidence import ContingencyTable, CorrectnessPatterns
from skcompare.stats import (
    PairwiseResult,
    adjust_pvalues,
    cochran_q,
    mcnemar,
    pairwise_mcnemar,
)
from skcompare.stats.accuracy._mcnemar import mcnemar_pvalues
from skcompare.stats.several._pairwise import PairwiseAdjustment
from tests.common.golden import golden

PAIRWISE_ADJUSTMENTS = get_args(PairwiseAdjustment)
METHODS = ("mid-p", "exact", "asymptotic", "corrected")
ALTERNATIVES = ("two-sided", "less", "greater")
PUBLISHED = golden("several")["published"]
ABC = ("A", "B", "C")


def published():
    return CorrectnessPatterns.from_counts(PUBLISHED["counts"], ABC)


def random_patterns(n=200, k=5, seed=0):
    rng = np.random.default_rng([seed, n, k])
    accuracies = np.linspace(0.6, 0.85, k)
    names = [f"m{i}" for i in range(k)]
    return CorrectnessPatterns((rng.random((n, k)) < accuracies).astype(int), names)


# ------------------------------------------------------- other people's numbers


@pytest.mark.parametrize("adjust", ["holm", "bonferroni", "benjamini-hochberg"])
def test_published_example(adjust):
    """statsmodels adjusted the asymptotic p-values of the three pairs."""
    pairs = PUBLISHED["pairs"]
    result = pairwise_mcnemar(published(), method="asymptotic", adjust=adjust)
    close = {"rel": 0, "abs": pairs["atol"]}

    assert [*pairs["discordant"].values()] == [
        list(counts) for counts in zip(*result.details.values(), strict=True)
    ]
    assert pairs["asymptotic"] == pytest.approx(result.pvalue.tolist(), **close)
    assert pairs[adjust] == pytest.approx(result.adjusted_pvalue.tolist(), **close)


def test_omnibus_rejects_and_no_pair_does():
    """The text says so, and only then."""
    sentence = "cochran_q rejects that all are equal at 0.05, but no pair differs"
    every = pairwise_mcnemar(published(), method="asymptotic")
    raw = pairwise_mcnemar(published(), method="asymptotic", adjust="none")
    strict = pairwise_mcnemar(published(), confidence_level=0.99)

    assert every.omnibus.pvalue < 0.05 < every.adjusted_pvalue.min()
    assert sentence in str(every)
    assert sentence not in str(raw)
    assert "no pair differs" not in str(strict)


# ------------------------------------------------------------------ definitions


def test_each_pair_is_mcnemar():
    """Counts, estimate, statistic and p are those of the test of the pair's table."""
    patterns = random_patterns(k=3)
    for method in METHODS:
        result = pairwise_mcnemar(patterns, method=method)

        assert list(combinations(patterns.names, 2)) == list(
            zip(result.champion, result.challenger, strict=True)
        )
        for i, pair in enumerate(zip(result.champion, result.challenger, strict=True)):
            expected = mcnemar(patterns.contingency_table(*pair), method=method)

            assert expected.estimate == pytest.approx(result.estimate[i], rel=1e-14)
            assert expected.statistic == pytest.approx(result.statistic[i], rel=1e-12)
            assert expected.pvalue == pytest.approx(result.pvalue[i], rel=1e-12, abs=0)


# Every fourth has each number of either kind, and some of each of the groups.
@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_pvalues_of_many_tables(every):
    """All at once or one at a time is the same, from no pair to beyond all doubles."""
    rng = np.random.default_rng(0)
    few = np.array([(i, j) for i in range(7) for j in range(7)])
    near = rng.integers(0, 3000, size=(30, 2))
    far = np.array([10_000, 10_000]) + rng.integers(0, 3000, size=(20, 1)) * [-1, 1]
    most = np.array([[0, 900], [990, 0], [1, 1060], [1100, 0], [40_000, 9], [5, 50_000]])
    beyond = np.array(
        [(int(20_000 - 17 * d), int(20_000 + 17 * d)) for d in range(130, 150)]
    )
    against, favour = np.concatenate([few, near, far, far[:, ::-1], most, beyond])[
        ::every
    ].T

    for method, alternative in itertools.product(METHODS, ALTERNATIVES):
        statistics, pvalues = mcnemar_pvalues(against, favour, method, alternative)

        for b, c, statistic, pvalue in zip(
            against, favour, statistics, pvalues, strict=True
        ):
            expected = mcnemar(
                ContingencyTable(1, b, c, 0), method=method, alternative=alternative
            )
            assert expected.statistic == pytest.approx(statistic, rel=1e-12), (b, c)
            assert expected.pvalue == pytest.approx(pvalue, rel=1e-12, abs=0), (b, c)


def test_adjusted():
    """The adjusted p-values are those of the raw ones; Holm by default."""
    patterns = random_patterns(k=4)
    for adjust in [a for a in PAIRWISE_ADJUSTMENTS if a != "max-t"]:
        result = pairwise_mcnemar(patterns, adjust=adjust)

        expected = adjust_pvalues(result.pvalue, adjust)

        assert expected.tolist() == result.adjusted_pvalue.tolist()
        if adjust == "holm":
            default = pairwise_mcnemar(patterns)
            assert default.to_dict() == result.to_dict()


def test_intervals():
    """Those of McNemar's test at a level divided by the pairs, or alone with "none"."""
    patterns = random_patterns(k=3)
    for method in METHODS:
        result = pairwise_mcnemar(patterns, method=method, confidence_level=0.9)
        alone = pairwise_mcnemar(
            patterns, method=method, adjust="none", confidence_level=0.9
        )

        assert 1 - 0.1 / 3 == pytest.approx(result.interval_level)
        assert 0.9 == alone.interval_level
        for one in (result, alone):
            for i, pair in enumerate(zip(one.champion, one.challenger, strict=True)):
                test = mcnemar(patterns.contingency_table(*pair), method=method)
                expected = test.confidence_interval(one.interval_level)
                assert tuple(expected) == (one.low[i], one.high[i])
                assert one.low[i] <= one.estimate[i] <= one.high[i]


def test_bonferroni_and_intervals_agree():
    """0 is outside an interval exactly when the adjusted p is below 1 - level."""
    for method in METHODS:
        seen = set()
        for seed in range(3):
            patterns = random_patterns(n=80, k=3, seed=seed)
            result = pairwise_mcnemar(
                patterns, method=method, adjust="bonferroni", confidence_level=0.8
            )
            outside = (result.low > 0) | (result.high < 0)

            assert (result.adjusted_pvalue < 0.2).tolist() == outside.tolist()
            seen |= set(outside.tolist())

        assert {True, False} == seen


# ------------------------------------------------------------------------ control


def test_control():
    """The control is the champion of each pair, and the pairs are fewer."""
    patterns = random_patterns()
    for at, alternative in itertools.product([0, 2, 4], ALTERNATIVES):
        control = f"m{at}"
        result = pairwise_mcnemar(patterns, control=control, alternative=alternative)

        others = [name for name in patterns.names if name != control]
        assert (control,) * 4 == result.champion
        assert tuple(others) == result.challenger
        expected = [
            mcnemar(
                patterns.contingency_table(control, other), alternative=alternative
            ).pvalue
            for other in others
        ]
        assert expected == pytest.approx(result.pvalue.tolist(), rel=1e-12)
        assert adjust_pvalues(expected).tolist() == pytest.approx(
            result.adjusted_pvalue.tolist()
        )
        assert 1 - 0.05 / 4 == pytest.approx(result.interval_level)
        if alternative == "greater":
            assert (result.high == 1).all()


def test_direction():
    """A better challenger has a positive difference, and "greater" finds it."""
    patterns = CorrectnessPatterns.from_counts(
        {"01": 30, "10": 5, "11": 65}, ["old", "new"]
    )
    greater, less = (
        pairwise_mcnemar(patterns, control="old", alternative=alternative)
        for alternative in ("greater", "less")
    )

    assert [0.25] == greater.estimate.tolist()
    assert greater.pvalue[0] < 0.001
    assert less.pvalue[0] > 0.999


def test_one_sided_without_control():
    """All pairs have no direction of their own."""
    for alternative in ("less", "greater"):
        with pytest.raises(ValueError, match=r"needs a control.*Pass `control`"):
            pairwise_mcnemar(random_patterns(), alternative=alternative)


# -------------------------------------------------------------------------- edges


def test_without_discordant_records():
    """Two classifiers that are right on the same records have p = 1, and 0 inside."""
    patterns = CorrectnessPatterns.from_counts({"110": 30, "001": 5, "111": 60})
    for method, adjust in itertools.product(METHODS, PAIRWISE_ADJUSTMENTS):
        result = pairwise_mcnemar(patterns, method=method, adjust=adjust, n_resamples=199)

        assert (0.0, 0.0, 1.0, 1.0) == (
            result.estimate[0],
            result.statistic[0],
            result.pvalue[0],
            result.adjusted_pvalue[0],
        )
        assert result.low[0] < 0 < result.high[0]
        assert (result.adjusted_pvalue[1:] < 0.05).all()


def test_all_alike():
    """Classifiers that are right on the same records differ in nothing."""
    patterns = CorrectnessPatterns.from_counts({"1111": 3, "0000": 2})
    for adjust in PAIRWISE_ADJUSTMENTS:
        result = pairwise_mcnemar(patterns, adjust=adjust)

        assert [1.0] * 6 == result.adjusted_pvalue.tolist()
        assert result.omnibus.degenerate


def test_two_classifiers():
    """One pair needs no adjustment but what resampling adds to it."""
    patterns = CorrectnessPatterns.from_counts({"10": 4, "01": 15, "11": 40})
    for adjust in PAIRWISE_ADJUSTMENTS:
        result = pairwise_mcnemar(patterns, method="exact", adjust=adjust)

        assert 1 == len(result)
        assert result.pvalue[0] == pytest.approx(
            result.adjusted_pvalue[0], abs=0 if adjust != "max-t" else 0.01
        )


def test_raw_pvalues_bound_the_adjusted_ones():
    """No adjusted p is below its raw one or above 1."""
    for seed in range(3):
        patterns = random_patterns(n=60, seed=seed)
        for adjust in PAIRWISE_ADJUSTMENTS:
            for method in METHODS:
                result = pairwise_mcnemar(
                    patterns, method=method, adjust=adjust, n_resamples=99
                )
                assert (result.adjusted_pvalue >= result.pvalue).all()
                assert (result.adjusted_pvalue <= 1).all()


def test_few_discordant_records():
    """A poor approximation of some pair is flagged; pairs that are alike are not."""
    few = CorrectnessPatterns.from_counts({"110": 12, "011": 12, "100": 20, "111": 9})
    alike = CorrectnessPatterns.from_counts({"110": 30, "001": 5, "111": 60})
    for method in METHODS:
        poor = method in ("asymptotic", "corrected")

        assert poor == (
            "few-discordant-pairs" in pairwise_mcnemar(few, method=method).flags
        )
        assert () == pairwise_mcnemar(alike, method=method).flags


def test_design_is_carried():
    """Evidence of another design is flagged as it is for the omnibus test."""
    predictions = np.array([[1, 0], [0, 1], [1, 1]] * 20)
    holdout = pairwise_mcnemar(CorrectnessPatterns(predictions))
    pooled = pairwise_mcnemar(CorrectnessPatterns(predictions, design="kfold"))

    assert () == holdout.flags
    assert ("invalid-design",) == pooled.flags
    assert "flag invalid-design" in str(pooled)
    assert "cross-validation" in pooled.to_dict()["design"]


# ------------------------------------------------------------------------ as a value


def test_plain_values():
    """All numbers and settings as a dict and as JSON."""
    result = pairwise_mcnemar(published(), control="B", adjust="max-t", n_resamples=99)
    values = json.loads(json.dumps(result.to_dict()))

    assert ["B", "B"] == [pair["champion"] for pair in values["pairs"]]
    assert ["A", "C"] == [pair["challenger"] for pair in values["pairs"]]
    assert result.low.tolist() == [pair["low"] for pair in values["pairs"]]
    assert ("mid-p", "max-t", "B", "two-sided") == tuple(
        values[name] for name in ("method", "adjust", "control", "alternative")
    )
    assert cochran_q(published()).to_dict() == result.omnibus.to_dict()


@pytest.mark.parametrize("method", ["exact", "asymptotic"])
def test_error_of_drawn_pvalues(method):
    """Adjusted p-values of "max-t" vary by their standard errors from seed to seed."""
    patterns = published()
    results = [
        pairwise_mcnemar(
            patterns, method=method, adjust="max-t", n_resamples=199, random_state=seed
        )
        for seed in range(60)
    ]

    spread = np.std([result.adjusted_pvalue for result in results], axis=0)
    errors = np.mean([result.monte_carlo_error for result in results], axis=0)
    assert errors.max() > 0.01
    assert spread == pytest.approx(errors, rel=0.2, abs=1e-3)
    one = results[0]
    pairs = one.to_dict()["pairs"]
    assert one.monte_carlo_error.tolist() == [pair["monte_carlo_error"] for pair in pairs]
    assert one.to_dict() == pickle.loads(pickle.dumps(one)).to_dict()
    assert not one.monte_carlo_error.flags.writeable


def test_computed_pvalues_have_no_error():
    """Nothing is drawn for the other adjustments."""
    for adjust in [a for a in PAIRWISE_ADJUSTMENTS if a != "max-t"]:
        result = pairwise_mcnemar(published(), adjust=adjust)

        assert result.monte_carlo_error is None
    assert "monte_carlo_error" not in result.to_dict()["pairs"][0]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frame(backend):
    """The same numbers in a frame of any library, one row per pair."""
    pytest.importorskip(backend)
    result = pairwise_mcnemar(random_patterns(k=3))
    pairs = result.to_dict()["pairs"]

    frame = result.to_frame(backend)

    is_arrow = backend == "pyarrow"
    assert [*pairs[0]] == list(frame.column_names if is_arrow else frame.columns)
    for name in pairs[0]:
        column = frame[name].to_pylist() if is_arrow else list(frame[name])
        assert [pair[name] for pair in pairs] == column


def test_text_is_aligned():
    """One row per pair under its headings, and what was done above."""
    patterns = CorrectnessPatterns.from_counts(PUBLISHED["counts"], ["lr", "forest", "nn"])
    lines = str(pairwise_mcnemar(patterns)).splitlines()

    assert "pairwise McNemar (mid-p), two-sided, n = 100, p adjusted by holm" in lines[0]
    assert "intervals at 98.3333 %" in lines[0]
    assert "cochran_q (asymptotic): statistic 7.529, df 2, p 0.023" == lines[1]
    assert lines[2].split() == [
        *("champion", "challenger", "difference", "interval", "p", "adjusted", "p")
    ]
    assert 1 == len({len(line) for line in lines[2:6]})
    assert lines[3].startswith("lr        forest")
    assert "+0.0800" in lines[3]


def test_every_format_has_the_same_table():
    """Markdown and HTML have the title, the test of all, the pairs and the flags."""
    patterns = CorrectnessPatterns.from_counts(PUBLISHED["counts"], ["lr", "<nn>", "a_b"])
    result = pairwise_mcnemar(patterns)
    markdown, html = result.to_markdown(), result._repr_html_()

    assert markdown.startswith("**pairwise McNemar (mid-p), two-sided, n = 100")
    assert "- cochran\\_q (asymptotic): statistic 7.529, df 2, p 0.023" in markdown
    assert "| lr | &lt;nn> | +0.0800 |".replace(">", "\\>") in markdown
    assert '<td class="text">lr</td><th scope="row">&lt;nn&gt;</th><td>+0.0800</td>' in html
    assert "<dd>statistic 7.529, df 2, p 0.023</dd>" in html
    for caveat in result.caveats:
        assert caveat in html


def test_frozen():
    """Nothing can be changed, also after a round trip."""
    result = pairwise_mcnemar(random_patterns(k=3))
    result.low  # noqa: B018  kept for later, and not part of the value
    again = pickle.loads(pickle.dumps(result))

    assert isinstance(again, PairwiseResult)
    assert result.to_dict() == again.to_dict()
    for one in (result, again):
        with pytest.raises(FrozenInstanceError):
            one.n = 3
        for name in ("pvalue", "adjusted_pvalue", "estimate", "low"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(one, name)[0] = 0
    assert (
        "PairwiseResult(pairwise_mcnemar, 3 pairs, method='mid-p', adjust='holm'"
        in repr(result)
    )


# ------------------------------------------------------------------------- refused


def test_wrong_options():
    """Unknown choices are refused with the known ones."""
    for options, message in [
        ({"method": "midp"}, "Unknown method 'midp'. Did you mean 'mid-p'"),
        ({"adjust": "holms"}, "Unknown adjust 'holms'. Did you mean 'holm'"),
        ({"control": "m9"}, "Unknown control 'm9'"),
        ({"control": 0}, "Unknown control 0"),
        ({"alternative": "larger"}, "Unknown alternative 'larger'"),
        ({"confidence_level": 95}, "`confidence_level` must be a number between 0 and 1"),
        ({"n_resamples": 0}, "`n_resamples` must be an integer of at least 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            pairwise_mcnemar(random_patterns(), **options)


@pytest.mark.parametrize("wrong", [None, np.ones((3, 3)), ContingencyTable(1, 2, 3, 4)])
def test_wrong_evidence(wrong):
    """Other evidence is refused by the name of what is needed."""
    with pytest.raises(TypeError, match=r"needs CorrectnessPatterns\. Got"):
        pairwise_mcnemar(wrong)
