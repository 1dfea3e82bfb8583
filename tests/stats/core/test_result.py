"""What a test returns."""

import itertools
import json
import math
from dataclasses import FrozenInstanceError, replace

import pytest

from skcompare.evidence import ContingencyTable, PairedBlocks
from skcompare.stats import ConfidenceInterval, PairedResult, bcv_mcnemar, mcnemar

TABLE = ContingencyTable(150, 25, 15, 10)


def result_with_limits(low, high, pvalue, estimate=0.1):
    """A result whose raw limits, p-value and estimate are as given."""
    return PairedResult(
        statistic=1.0,
        pvalue=pvalue,
        log_pvalue=math.log(pvalue),
        df=None,
        estimate=estimate,
        estimate_name="difference",
        champion=0.5,
        challenger=0.6,
        alternative="two-sided",
        method="made up",
        n=10,
        limits=lambda level, alternative: (low, high),
    )


def test_unpacks_to_statistic_and_pvalue():
    """It unpacks as scipy's results do."""
    result = mcnemar(TABLE, method="asymptotic")
    statistic, pvalue = result

    assert (result.statistic, result.pvalue) == (statistic, pvalue)
    assert 1 == result.df


def test_text():
    """The text has the test, its direction, the effect with interval, p and subject."""
    words = str(mcnemar(TABLE))

    for part in (
        "mcnemar (mid-p), two-sided, n = 200",
        "champion 0.8750, challenger 0.8250",
        "difference of accuracies -0.0500, 95 % interval [-0.1118, 0.0125]",
        "p 0.12",
        "about two trained models, over new records",
    ):
        assert part in words
    assert "flag" not in words


def test_text_of_flags():
    """Flags come with their meaning, and caveats are the same words."""
    result = mcnemar(ContingencyTable(8, 0, 0, 2))

    assert 2 == len(result.caveats)
    for caveat in result.caveats:
        assert f"flag {caveat}" in str(result)
    assert result.caveats[0].startswith("degenerate: no observed difference")


def test_text_of_a_subject():
    """A cross-validation speaks of algorithms."""
    blocks = PairedBlocks([[[30, 5, 12, 3], [30, 5, 12, 3]]] * 5)

    assert "about two learning algorithms" in str(bcv_mcnemar(blocks))


def test_vanishing_pvalue_in_text():
    """A p below the doubles is shown as a bound, never as 0."""
    words = str(mcnemar(ContingencyTable(0, 0, 5000, 0)))

    assert "p < 1e-300" in words


def test_interval_is_named():
    """Limits are called low and high, at 95 % unless told."""
    interval = mcnemar(TABLE).confidence_interval()

    assert isinstance(interval, ConfidenceInterval)
    assert interval == mcnemar(TABLE).confidence_interval(0.95)
    assert interval.low < interval.high


def test_confidence_level_out_of_range():
    """A confidence level is between 0 and 1; 95 is a common slip."""
    for wrong in [0, 1, 95, -0.5, math.nan, "0.95", None, True]:
        with pytest.raises(
            ValueError, match=r"`confidence_level` must be .* between 0 and 1"
        ):
            mcnemar(TABLE).confidence_interval(wrong)


def test_rounding_follows_the_pvalue():
    """A limit within rounding of the null value is on the side that p says.

    So it is for tiny differences, and for those that favour the champion.
    """
    for scale, (low, high, pvalue, excluded) in itertools.product(
        [1, 1e-6, 1e-12],
        [
            (1e-12, 0.3, 0.0500001, False),
            (-1e-12, 0.3, 0.0499999, True),
            (0.0, 0.3, 0.04, True),
            (0.0, 0.3, 0.06, False),
        ],
    ):
        low, high, estimate = low * scale, high * scale, 0.1 * scale
        interval = result_with_limits(low, high, pvalue, estimate).confidence_interval()
        mirrored = result_with_limits(-high, -low, pvalue, -estimate).confidence_interval()

        assert (-interval.high, -interval.low) == mirrored
        assert excluded == (not interval.low <= 0 <= interval.high)
        assert abs(interval.low - low) <= 1e-12 * scale
        assert high == interval.high


def test_only_the_limit_beside_the_null_value_is_moved():
    """A tiny interval that is far from 0 for its size is left as it is."""
    interval = result_with_limits(1e-11, 9e-11, 0.01, 5e-11).confidence_interval()
    inside = result_with_limits(-1e-11, 9e-11, 0.5, 4e-11).confidence_interval()

    assert (1e-11, 9e-11) == interval
    assert (-1e-11, 9e-11) == inside


@pytest.mark.slow
def test_interval_and_pvalue_agree_for_tiny_differences():
    """However small a difference is, its interval is in order and agrees with p."""
    for method, alternative, n, (b, c) in itertools.product(
        ["mid-p", "exact", "asymptotic", "corrected"],
        ["two-sided", "less", "greater"],
        [10**4, 10**7, 10**10, 10**12],
        [(0, 6), (0, 5), (0, 3), (1, 0), (2, 2), (12, 3), (100, 200), (100, 129)],
    ):
        result = mcnemar(
            ContingencyTable(n - b - c, b, c, 0), method=method, alternative=alternative
        )
        for alpha in (0.01, 0.05, 0.3):
            low, high = result.confidence_interval(1 - alpha)

            assert low <= result.estimate <= high
            assert (result.pvalue < alpha) == (not low <= 0 <= high)
            # Far from all records being discordant, limits go with 1 / n.
            for limit in (low, high):
                assert abs(limit) == 1 or abs(limit * n) < 3 * (b + c + 8)


def test_a_limit_beyond_rounding_is_left_alone():
    """Only rounding is mended; a real contradiction stays visible."""
    interval = result_with_limits(0.01, 0.3, 0.9).confidence_interval(0.95)

    assert (0.01, 0.3) == interval


def test_interval_of_an_undefined_pvalue():
    """Without a p-value there is nothing to agree with: the limits stand."""
    result = replace(result_with_limits(0.0, 0.3, 0.5), pvalue=math.nan)

    assert (0.0, 0.3) == result.confidence_interval()


def test_stored_result_knows_one_level():
    """Read from a file, another level is refused with a way on."""
    values = mcnemar(TABLE).to_dict(0.9)
    stored = PairedResult.from_dict(values)

    assert mcnemar(TABLE).confidence_interval(0.9) == stored.confidence_interval(0.9)
    with pytest.raises(ValueError, match=r"stored with its 0.9 interval.*Run the test"):
        stored.confidence_interval(0.95)
    with pytest.raises(ValueError, match=r"stored with its 0.9 interval"):
        stored.to_dict()


def test_dict_is_plain():
    """The dict has strings, numbers, lists and dicts only, with all that is known."""
    values = mcnemar(TABLE).to_dict()

    assert values == json.loads(json.dumps(values))
    for name in ("test", "estimate", "pvalue", "log_pvalue", "low", "high", "n", "design"):
        assert name in values


def test_stored_text():
    """A result read from a file with its usual interval prints the same."""
    result = mcnemar(TABLE)

    assert str(result) == str(PairedResult.from_dict(result.to_dict()))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frame(backend):
    """A frame of one row in the user's library."""
    pytest.importorskip("narwhals")
    pytest.importorskip(backend)
    frame = mcnemar(ContingencyTable(8, 0, 0, 2)).to_frame(backend)

    assert type(frame).__module__.startswith(backend)
    assert 1 == len(frame)
    columns = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert {"pvalue", "low", "high", "flags"} <= set(columns)
    flags = frame["flags"][0]
    assert "degenerate no-discordant-pairs" == str(flags)


def test_is_frozen():
    """A result cannot be changed by accident."""
    with pytest.raises(FrozenInstanceError):
        mcnemar(TABLE).pvalue = 0.01


def test_degenerate():
    """It is known as a property too."""
    assert mcnemar(ContingencyTable(8, 0, 0, 2)).degenerate
    assert not mcnemar(TABLE).degenerate


def test_pvalue_that_is_alpha():
    """p = alpha to the last digit does not reject, and the interval holds the null."""
    result = result_with_limits(1e-12, 0.2, pvalue=0.05)

    assert 1 - 0.95 > 0.05
    assert 0 == result.confidence_interval(0.95).low
    assert 0 < result.confidence_interval(0.949).low
