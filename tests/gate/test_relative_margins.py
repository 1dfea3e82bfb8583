"""Margins that are a share of the champion's mean loss."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso, Ridge

from skcompare import BlockRegularized5x2CV, PairedComparator
from skcompare._registry.metrics import record_loss
from skcompare.cli import main
from skcompare.evidence import PairedLosses
from skcompare.gate import (
    AnyOf,
    Equivalent,
    Gate,
    GateDecision,
    Ledger,
    NonInferior,
    Policy,
    Superior,
    assert_better,
)
from skcompare.stats import margin_test

MAE = "neg_mean_absolute_error"
N = 400
RNG = np.random.default_rng(5)
Y = RNG.gamma(3, 40, N)
OLD = Y + RNG.normal(0, 20, N)
NEW = 0.6 * OLD + 0.4 * Y + RNG.normal(0, 9, N)
BOTH = {"old": OLD, "new": NEW}
LOSSES = np.abs(OLD - Y), np.abs(NEW - Y)


def judged(condition, y=Y, both=BOTH, **options):
    """The outcome of one condition."""
    (outcome,) = Gate(condition).decide(y, both, **options).outcomes
    return outcome


def exact(both, n=20_000, seed=0):
    """Many records without skewness, where the t test alone is the test of a gate."""
    rng = np.random.default_rng(seed)
    champion = 2 + rng.uniform(-1, 1, n)
    challenger = both * 2 + rng.uniform(-1, 1, n)
    return np.zeros(n), {"old": champion, "new": challenger}


# What a relative margin is.


def test_texts():
    """One way of writing it, in conditions, policies and texts."""
    for text in ("2 %", "2%", " 2.0 % ", "02 %"):
        condition = NonInferior(MAE, text)
        assert "2 %" == condition.margin
        assert {"noninferior": MAE, "margin": "2 %"} == condition.to_dict()
        assert f"{MAE} is worse by less than 2 %" == condition.text
    assert f"{MAE} is better by more than 0.5 %" == Superior(MAE, ".5 %").text
    policies = [
        Policy.from_dict({"condition": [{"equivalent": MAE, "margin": text}]})
        for text in ("3 %", "3%")
    ]
    assert 1 == len({policy.digest for policy in policies})
    assert policies[0] == Policy.from_dict(policies[0].to_dict())


def test_boundaries():
    """Reductions of the loss that must be excluded."""
    assert ((-0.02, "greater"),) == NonInferior(MAE, "2 %").boundaries
    assert ((0.02, "greater"),) == Superior(MAE, "2 %").boundaries
    assert ((-0.25, "greater"), (0.25, "less")) == Equivalent(MAE, "25 %").boundaries


@pytest.mark.parametrize(
    "text",
    ["2", "2%%", "-2 %", "200 %", "100 %", "0 %", "", " ", "%", "two %", "2 % %", "nan %"]
    + ["inf %", "1e-1 %", "2,5 %", "0.02", "2 percent", "٢ %", "2 ‰", "+2 %", "2\n%"]
    + ["9" * 400 + " %", "0." + "0" * 400 + "1 %", "0.0000000000001 %"],
)
@pytest.mark.parametrize("kind", [Superior, NonInferior, Equivalent])
def test_odd_texts(kind, text):
    """What is no share of more than 0 % and less than 100 % is refused in one line."""
    with pytest.raises(ValueError, match=r"such as '2 %'\. Got") as caught:
        kind(MAE, text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "measure", ["accuracy", "roc_auc", "f1_macro", "precision[spam]", "mean_score", "r2"]
)
def test_measures_that_are_no_mean_losses(measure):
    """A share needs a mean of losses; others are refused with what to do."""
    with pytest.raises(ValueError, match=r"not a mean of losses.*units of|No test of r2"):
        NonInferior(measure, "2 %")


def test_margin_of_a_root():
    """A share of the root of a mean is one of the mean, which the error names."""
    with pytest.raises(ValueError, match=r"choose 'neg_mean_squared_error'.* 4.04 %"):
        NonInferior("neg_root_mean_squared_error", "2 %")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "wilcoxon"}, "wilcoxon tests no reduction"),
        ({"anytime": True}, "anytime_losses tests no reduction"),
        ({"exact": True}, "`exact` is for accuracy"),
    ],
)
def test_tests_that_are_not_of_means(options, message):
    """Ranks, and looks at a stream, have no relative margin."""
    with pytest.raises(ValueError, match=message):
        Superior(MAE, "2 %", **options)


# Decisions by hand.


@pytest.mark.parametrize(
    ("condition", "sides"),
    [
        (NonInferior(MAE, "2 %"), [(1.02, "greater")]),
        (Superior(MAE, "2 %"), [(0.98, "greater")]),
        (Equivalent(MAE, "2 %"), [(1.02, "greater"), (0.98, "less")]),
    ],
)
def test_t_test_of_weighted_losses(condition, sides):
    """The p-value is that of SciPy's one-sided t test of w L_champion - L_challenger."""
    statuses = set()
    for ratio in (0.96, 0.99, 1.01, 1.04):
        y, both = exact(ratio, n=6_000)
        outcome = judged(condition, y, both)
        expected = max(
            stats.ttest_1samp(w * both["old"] - both["new"], 0, alternative=side).pvalue
            for w, side in sides
        )
        statuses.add(outcome.status)

        assert outcome.passed == (expected < 0.05)
        if 0.005 < expected < 0.5:
            # The allowance for skewness that few records hide adds a little.
            assert outcome.pvalue == pytest.approx(expected, rel=0.15)
            assert outcome.pvalue > expected
    assert {"passed", "failed"} <= statuses


def test_limits_are_nearly_those_of_fieller():
    """Of many records without skewness the limits are Fieller's."""
    y, both = exact(0.99)
    found = judged(NonInferior(MAE, "2 %"), y, both).reduction
    (vc, cov), (_, vn) = np.cov(both["old"], both["new"]) / len(y)
    c, m, q = both["old"].mean(), both["new"].mean(), stats.t.isf(0.05, len(y) - 1)
    # Roots of (w c - m)^2 = q^2 (w^2 vc - 2 w cov + vn).
    roots = np.roots([c**2 - q**2 * vc, -2 * (c * m - q**2 * cov), m**2 - q**2 * vn])

    assert 1 - m / c == pytest.approx(found.estimate, abs=1e-12)
    assert sorted(1 - roots) == pytest.approx([found.low, found.high], abs=1e-4)


def test_a_limit_is_where_the_p_value_is_the_level():
    """The allowance for skewness is in the limits of the reduction, too."""
    found = judged(Equivalent(MAE, "10 %")).reduction
    losses = PairedLosses.from_losses(*LOSSES)
    for limit, side in ((found.low, "greater"), (found.high, "less")):
        result = margin_test(losses.weighted(1 - limit), "paired_t", alternative=side)
        assert 0.05 == pytest.approx(result.pvalue, rel=1e-6)
    assert found.low < found.estimate < found.high


@pytest.mark.parametrize("share", [0.5, 1, 2, 5, 8, 10, 12, 15, 20, 30, 50])
def test_decision_and_limits_agree(share):
    """A condition is shown exactly if the limit of the reduction is beyond its boundary."""
    for kind in (Superior, NonInferior, Equivalent):
        outcome = judged(kind(MAE, f"{share} %"))
        shown = [
            outcome.reduction.low > at if side == "greater" else outcome.reduction.high < at
            for at, side in outcome.condition.boundaries
        ]
        assert outcome.passed == all(shown)


def test_the_boundary_itself_is_not_shown():
    """With a margin that is the limit, to all digits, nothing changes sides."""
    low = judged(NonInferior(MAE, "50 %")).reduction.low
    for share in (-100 * low * (1 + shift) for shift in (-1e-9, 1e-9, -1e-3, 1e-3)):
        kind = NonInferior if share > 0 else Superior
        outcome = judged(kind(MAE, f"{abs(share):.9f} %"))
        ((boundary, _),) = outcome.condition.boundaries
        assert outcome.passed == (outcome.reduction.low > boundary)


def test_units_do_not_matter():
    """A reduction is the same in cents and in euros, an absolute margin is not."""
    cents = {name: 100 * values for name, values in BOTH.items()}
    first = judged(NonInferior(MAE, "5 %"))
    second = judged(NonInferior(MAE, "5 %"), 100 * Y, cents)

    assert first.pvalue == pytest.approx(second.pvalue, rel=1e-9)
    assert first.reduction == pytest.approx(second.reduction, abs=1e-9)


def test_swapped_roles_have_the_inverse_ratio():
    """The limits of the inverse are the inverses of the limits."""
    first = judged(Equivalent(MAE, "5 %")).reduction
    second = judged(Equivalent(MAE, "5 %"), both={"a": NEW, "b": OLD}).reduction

    inverse = [1 - 1 / (1 - value) for value in (first.estimate, first.high, first.low)]
    assert inverse == pytest.approx(second, abs=1e-6)


@pytest.mark.parametrize(
    "measure", ["neg_log_loss", "neg_brier_score", "binary_brier_loss"]
)
def test_mean_losses_of_classifiers(measure):
    """Log losses and Brier's are mean losses as well."""
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=600)
    old, new = (
        np.clip(0.5 + pull * (y - 0.5) + rng.normal(0, 0.2, 600), 0.02, 0.98)
        for pull in (0.5, 0.7)
    )
    outcome = judged(Superior(measure, "5 %"), y, {"old": old, "new": new})

    assert outcome.passed
    means = abs(outcome.row.challenger) / abs(outcome.row.champion)
    assert 1 - means == pytest.approx(outcome.reduction.estimate, abs=1e-12)


def test_bounded_losses_allow_for_rare_errors():
    """The bound of Brier's loss holds for weighted losses too: few records show little."""
    y = np.tile([0, 1], 50)
    old = np.where(y == 1, 0.9, 0.1) + np.linspace(-0.02, 0.02, 100)
    both = {"old": old, "new": old + np.linspace(0.001, -0.001, 100)}
    outcome = judged(NonInferior("binary_brier_loss", "20 %"), y, both)
    losses = PairedLosses.from_predictions(y, both["old"], both["new"])
    alone = margin_test(losses.weighted(1.2), "paired_t")

    assert alone.pvalue < 1e-5
    assert not outcome.passed


# What has no relative margin.


@pytest.mark.parametrize("kind", [Superior, NonInferior, Equivalent])
def test_perfect_champion(kind):
    """A share of no loss is no margin: nothing is concluded, in one line."""
    both = {"old": Y, "new": NEW}
    outcome = judged(kind(MAE, "2 %"), both=both)

    assert "inconclusive" == outcome.status
    (reason,) = outcome.reasons
    assert "there is a mean loss of 0. Name the margin in units of the measure" in reason


def test_perfect_challenger():
    """A challenger without any loss is shown to be better by any share."""
    outcome = judged(Superior(MAE, "50 %"), both={"old": OLD, "new": Y})

    assert outcome.passed
    assert 1 == outcome.reduction.estimate == outcome.reduction.high


def test_negative_losses(monkeypatch):
    """Losses below 0 have no zero that a share could refer to."""
    from skcompare._registry import metrics as registry

    monkeypatch.setattr(registry, "_losses", dict(registry._losses))

    @record_loss("shifted", target="numbers")
    def shifted(y_true, y_pred):
        """Squared distance less a number."""
        return (y_true - y_pred) ** 2 - 1.0

    outcome = judged(NonInferior("neg_shifted", "2 %"))

    assert "inconclusive" == outcome.status
    assert "and there is a loss of -" in outcome.reasons[0]


def test_a_few_records_that_decide():
    """What is allowed for at an absolute margin is allowed for at a relative one."""
    wild = {"old": OLD, "new": NEW + np.where(np.arange(N) == 0, 3000.0, 0.0)}
    for margin in (30.0, "90 %"):
        outcome = judged(NonInferior(MAE, margin), both=wild)
        assert "inconclusive" == outcome.status
        assert "no limit" in outcome.reasons[0] or outcome.low < -30


def test_few_records_and_constant_ratios():
    """Too few records, or one ratio in all of them, are no pass by accident."""
    for n in (1, 2, 29):
        few = {name: values[:n] for name, values in BOTH.items()}
        assert "inconclusive" == judged(NonInferior(MAE, "50 %"), Y[:n], few).status
    constant = {"old": Y + 10.0, "new": Y + 10.1}
    outcome = judged(NonInferior(MAE, "1 %"), both=constant)
    assert not outcome.passed


def test_a_champion_whose_loss_is_not_known_has_no_limit():
    """Where the champion's mean loss may be nearly 0, the reduction has no limit."""
    y = np.tile([0, 1], 40)
    right = np.where(np.arange(80) % 41 == 0, 1e-3, 1 - 1e-9)
    both = {"old": right, "new": np.full(80, 0.7) + RNG.uniform(-0.1, 0.1, 80)}
    both = {name: np.where(y == 1, own, 1 - own) for name, own in both.items()}
    decision = Gate(NonInferior("neg_log_loss", "90 %")).decide(y, both)
    (outcome,) = decision.outcomes

    assert not outcome.passed
    assert -math.inf == outcome.reduction.low
    assert "no limit below" in outcome.reasons[0]
    read = GateDecision.from_json(decision.to_json()).outcomes[0]
    assert read.reduction == outcome.reduction


def test_resampled_regressors_have_scores_of_splits():
    """A margin in units of the measure is for them; a relative one concludes nothing."""
    X, y = load_diabetes(return_X_y=True)
    cv = BlockRegularized5x2CV(random_state=0, stratify=False)
    comparator = PairedComparator(Lasso(), Ridge(), cv=cv, scoring=MAE).fit(X, y)
    (outcome,) = Gate(NonInferior(MAE, "5 %")).decide(comparator).outcomes

    assert "inconclusive" == outcome.status
    assert "name the margin in units of the measure" in outcome.reasons[0]


# Slices, groups, ledgers and reports.


def test_slices_and_groups():
    """Each slice has the reduction of its own records, and groups a test of groups."""
    columns = {"site": np.tile(["n", "s"], N // 2)}
    outcome = judged(NonInferior(MAE, "10 %", where={"site": "n"}), columns=columns)
    part = LOSSES[0][::2], LOSSES[1][::2]
    reduction = 1 - part[1].mean() / part[0].mean()
    assert reduction == pytest.approx(outcome.reduction.estimate)
    assert N // 2 == outcome.n_records

    groups = np.arange(N) // 4
    outcome = judged(NonInferior(MAE, "10 %"), groups=groups)
    losses = PairedLosses.from_losses(*LOSSES, groups).weighted(1.1)
    assert "clustered_t" == outcome.row.test
    assert margin_test(losses, "clustered_t").pvalue == outcome.pvalue


def test_looks_are_at_a_relative_margin(tmp_path):
    """A ledger tells one share from another, and repeats a look at the same."""
    ledger = Ledger(tmp_path / "looks.jsonl")
    looks = [
        Gate(NonInferior(MAE, text)).decide(Y, BOTH, ledger=ledger).look
        for text in ("1 %", "1%", "2 %")
    ]

    assert [(1, False), (1, True), (2, False)] == [
        (look["number"], look["repeated"]) for look in looks
    ]
    for both in (BOTH, {"old": Y, "new": NEW}):
        blind = Gate(NonInferior(MAE, "1 %")).decide(
            Y, both, ledger=Ledger(tmp_path / f"blind{len(both['old'])}.jsonl"), blind=True
        )
        assert () == blind.outcomes
        (tmp_path / f"blind{len(both['old'])}.jsonl").unlink()


def test_records_needed():
    """Where the observed reduction is within the margin, so many records would show it."""
    few = {name: values[:150] for name, values in BOTH.items()}
    outcome = judged(Superior(MAE, "25 %"), Y[:150], few)
    assert "inconclusive" == outcome.status
    needed = int(outcome.records_needed)
    rng = np.random.default_rng(0)
    passed = 0
    for _ in range(100):
        rows = rng.integers(150, size=needed)
        drawn = PairedLosses.from_losses(*(loss[:150][rows] for loss in LOSSES))
        passed += margin_test(drawn.weighted(0.75), "paired_t").pvalue < 0.05
    assert passed / 100 == pytest.approx(0.8, abs=0.12)
    beyond = judged(Superior(MAE, "26 %"))
    assert math.isinf(beyond.records_needed)


def test_any_of():
    """Reductions are adjusted and reported as differences are."""
    decision = Gate(AnyOf(Superior(MAE, "1 %"), Superior(MAE, "60 %"))).decide(Y, BOTH)
    first, second = decision.outcomes[0].parts

    assert first.passed
    assert "failed" == second.status
    assert "shown to be below +60 %" in second.reasons[0]
    assert second.reduction.high < 0.6


def test_reports():
    """The reduction and its limits are in each form of a report."""
    decision = Gate(NonInferior(MAE, "2 %"), Equivalent(MAE, "3 %")).decide(Y, BOTH)
    reduction = decision.outcomes[0].reduction
    estimate, low, high = (f"{100 * value:.1f}" for value in reduction)
    shown = f"{estimate} % [{low}, {high}]"
    stored = json.loads(decision.to_json())["outcomes"][0]

    assert stored["reduction"] == reduction._asdict()
    assert "2 %" == stored["condition"]["margin"]
    assert shown in str(decision)
    sentence = f"loss reduced by +{estimate} %, at least +{low} % (95 % confidence)"
    assert sentence in " ".join(str(decision).split())
    assert shown.replace("[", "\\[").replace("]", "\\]") in decision.to_markdown() or (
        shown in decision.to_markdown()
    )
    assert "loss reduced by" in decision.to_junit()
    page = decision.to_html()
    assert "+3 %" in page
    words = "the limit is that of the reduction of the loss"
    assert words in page
    assert words not in Gate(NonInferior(MAE, 2.0)).decide(Y, BOTH).to_html()
    assert f"difference +{100 * reduction.estimate:.3f} %" in page
    assert GateDecision.from_json(decision.to_json()) == decision
    values = json.loads(decision.to_json())
    del values["outcomes"][0]["reduction"]
    assert GateDecision.from_json(json.dumps(values)).outcomes[0].reduction is None


def test_wide_margins():
    """With a bound, a share may be so wide that nothing could fail."""
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=300)
    p = np.clip(1 - y + rng.normal(0, 0.2, 300), 0, 1)
    q = np.clip(p + rng.normal(0, 0.1, 300), 0, 1)
    outcome = judged(NonInferior("binary_brier_loss", "90 %"), y, {"old": p, "new": q})

    assert outcome.blocked
    assert "nothing could fail" in outcome.reasons[0]


# The shell and assertions.


def in_shell(tmp_path, condition, *more):
    """The exit code of a gate on a CSV file."""
    path = tmp_path / "houses.csv"
    pd.DataFrame({"y": Y, **BOTH}).to_csv(path, index=False)
    columns = ["--champion", "old", "--challenger", "new"]
    return main(["gate", *condition, *columns, *more, str(path)])


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        (["--noninferior", f"{MAE}:2 %"], 0),
        (["--superior", f"{MAE}:5%"], 0),
        (["--superior", f"{MAE}:60 %"], 1),
        (["--equivalent", f"{MAE}:1 %"], 1),
        (["--noninferior", f"{MAE}:2%%"], 2),
        (["--noninferior", f"{MAE}:-2 %"], 2),
        (["--noninferior", f"{MAE}:200 %"], 2),
        (["--noninferior", f"{MAE}:two"], 2),
        (["--noninferior", "accuracy:2 %"], 2),
    ],
)
def test_shell(tmp_path, capsys, condition, code):
    """Exit codes of relative margins, with one line where they are odd."""
    assert code == in_shell(tmp_path, condition)
    shown = capsys.readouterr()
    assert (code == 2) == (1 == len(shown.err.splitlines()))


def test_policy_file(tmp_path, capsys):
    """A policy has a share as text; an odd one names its place."""
    policy = tmp_path / "gate.toml"
    text = '[[condition]]\nnoninferior = "{}"\nmargin = "{}"\n'
    for margin, code in (("2 %", 0), ("2", 2), ("2%%", 2), ("200 %", 2)):
        policy.write_text(text.format(MAE, margin))
        assert code == in_shell(tmp_path, ["--policy", str(policy)])
        if code == 2:
            assert "Condition 1: `margin` of noninferior" in capsys.readouterr().err


def test_assertion():
    """`assert_better` takes a share."""
    assert assert_better(Y, OLD, NEW, by=MAE, margin="5 %")
    with pytest.raises(AssertionError, match="loss reduced by"):
        assert_better(Y, OLD, NEW, by=MAE, margin="80 %")


def test_counted_losses():
    """Losses that an engine sums up have the reduction of the records behind them."""
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=9000)
    old, new = (
        np.clip(0.5 + pull * (y - 0.5) + rng.normal(0, 0.2, 9000), 0.02, 0.98)
        for pull in (0.5, 0.6)
    )
    frame = pl.DataFrame({"y": y, "old": old, "new": new, "site": np.arange(9000) % 3})
    columns = {"old": "old", "new": "new"}
    for where in (None, {"site": [0, 1]}):
        gate = Gate(NonInferior("neg_brier_score", "10 %", where=where))
        (read,) = gate.decide(frame, columns, y_true="y").outcomes
        (counted,) = gate.decide(frame.lazy(), columns, y_true="y", collect=0).outcomes

        expected = pytest.approx(counted.reduction.estimate, abs=1e-9)
        assert expected == read.reduction.estimate
        # Counted records are supposed to be skewed.
        assert read.pvalue < counted.pvalue < 0.05
        assert read.reduction.low > counted.reduction.low > -0.1
