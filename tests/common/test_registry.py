"""Every registered test satisfies the common checks, and the checks can tell."""

import math
from dataclasses import replace

import pytest

from skcompare._registry import tests
from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar, paired_test, paired_tests
from tests.common import subjects
from tests.common.checks import checks_of, run_checks


@pytest.mark.parametrize("name", paired_tests())
def test_registered_test(name):
    """What the quick checks' own docstrings say holds for the test."""
    run_checks(paired_tests()[name], slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", paired_tests())
def test_registered_test_by_slow_checks(name):
    """What the slow checks' own docstrings say holds for the test."""
    run_checks(paired_tests()[name], slow=True)


def test_all_registered_tests_are_checked():
    """The two tests of the first release are among those that are checked."""
    assert {"mcnemar", "bcv_mcnemar"} <= set(paired_tests())


def _wrong_way(table, alternative):
    result = mcnemar(table, alternative=alternative)
    return replace(result, estimate=-result.estimate)


def _never_one_sided(table, alternative):
    result = mcnemar(table)
    return replace(result, alternative=alternative)


def _favours_challenger(table, alternative):
    result = mcnemar(table, alternative=alternative)
    return replace(result, estimate=result.estimate + 0.01)


def _zero_pvalue(table, alternative):
    result = mcnemar(table, alternative=alternative)
    return replace(result, pvalue=0.0) if result.pvalue < 1e-6 else result


def _other_interval(table, alternative):
    other = mcnemar(table, method="asymptotic", alternative=alternative)
    return replace(mcnemar(table, alternative=alternative), limits=other.limits)


def _undefined_against_itself(table, alternative):
    result = mcnemar(table, alternative=alternative)
    undefined = table.n_discordant == 0
    return replace(result, pvalue=math.nan) if undefined else result


def _forgets_direction_check(table, alternative):
    known = alternative if alternative in ("less", "greater") else "two-sided"
    return mcnemar(table, alternative=known)


@pytest.mark.parametrize(
    ("broken", "title"),
    [
        (_wrong_way, "direction"),
        (_never_one_sided, "direction"),
        (_favours_challenger, "difference_flips"),
        (_zero_pvalue, "pvalue"),
        (_other_interval, "interval_and_pvalue_agree"),
        (_undefined_against_itself, "itself"),
        (_forgets_direction_check, "wrong_options"),
    ],
)
def test_checks_find_a_broken_test(broken, title, monkeypatch):
    """A test with the fault fails the check that is there for it, of enough samples."""
    monkeypatch.setattr(tests, "_tests", {})
    monkeypatch.setattr(subjects, "QUICK", False)

    @paired_test(
        "broken",
        title="Broken test",
        needs=ContingencyTable,
        kind="difference",
        measures="accuracy",
        designs=("holdout",),
        references=("Nobody2000",),
    )
    def run(table, *, alternative="two-sided"):
        return broken(table, alternative)

    check = dict(checks_of(tests.paired_tests()["broken"]))[title]

    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check()
