"""Gates on records, and items, whose order in time counts."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skcompare.cli import main
from skcompare.evidence import OrderedDifferences
from skcompare.gate import (
    Equivalent,
    Gate,
    GateDecision,
    Ledger,
    NonInferior,
    Superior,
    assert_better,
    load_policy,
)
from skcompare.predictions import ItemScores
from skcompare.stats import diebold_mariano, influence_moments, margin_test

N = 400
DAYS = np.arange("2024-01-01", N, dtype="datetime64[D]")


def answers(n=N, seed=0, old=0.7, new=0.85):
    """True and predicted labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    right = (rng.random(n) < share for share in (old, new))
    first, second = (np.where(own, y, 1 - y) for own in right)
    return y, {"old": first, "new": second}


def differences(seed=0, n=N, rho=0.0):
    """Differences that are an autoregression about 0.2."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n)
    for t in range(1, n):
        values[t] = rho * values[t - 1] + np.sqrt(1 - rho**2) * values[t]
    return OrderedDifferences.from_differences(0.2 + values)


def test_superior():
    """The p-value is not below the one-sided one of the default test."""
    y, predictions = answers()
    decision = Gate(Superior("accuracy")).decide(y, predictions, time=DAYS, horizon=2)
    (outcome,) = decision.outcomes
    wrong = [(own != y).astype(float) for own in predictions.values()]
    ordered = OrderedDifferences.from_losses(*wrong, horizon=2)
    alone = diebold_mariano(ordered, alternative="greater")

    assert "passed" == decision.status
    assert "diebold_mariano" == outcome.row.test
    assert alone.pvalue <= outcome.pvalue
    assert "time-ordered hold-out" == decision.design
    assert "400 records at 400 times, horizon 2" == decision.size
    assert decision.status == GateDecision.from_json(decision.to_json()).status


@pytest.mark.parametrize(
    "condition", [NonInferior("accuracy", 0.05), Equivalent("f1", 0.5)]
)
def test_margins(condition):
    """Margins of scores by influences are tested, and the limits go with the p-values."""
    y, predictions = answers()
    decision = Gate(condition).decide(y, predictions, time=DAYS)

    assert decision.passed
    assert decision.outcomes[0].pvalue < 0.05


def test_permuted_records():
    """Records in any order, with their times, have one decision."""
    y, predictions = answers()
    order = np.random.default_rng(0).permutation(N)
    permuted = {name: own[order] for name, own in predictions.items()}
    gate = Gate(Superior("accuracy"))
    outcome = gate.decide(y, predictions, time=DAYS).outcomes[0]
    other = gate.decide(y[order], permuted, time=DAYS[order]).outcomes[0]

    assert outcome.pvalue == pytest.approx(other.pvalue, rel=1e-9)
    assert outcome.low == pytest.approx(other.low, rel=1e-9)


def test_too_few_times():
    """A gate without enough times is inconclusive, and says what to collect."""
    y, predictions = answers(39)
    decision = Gate(Superior("accuracy")).decide(y, predictions, time=DAYS[:39], horizon=5)

    assert "inconclusive" == decision.status
    assert "collect records over a longer time" in str(decision).replace("\n", " ").replace(
        "            ", ""
    )


def test_times_that_are_alike():
    """Differences that hardly change, or few independent times, conclude nothing."""
    flagged = differences(rho=0.995, n=60)
    assert "too-few-independent-times" in diebold_mariano(flagged).flags
    few = differences(rho=0.9, n=60)
    for ordered in (flagged, few):
        result = margin_test(ordered, "diebold_mariano", -10.0)

        assert np.isnan(result.pvalue)
        assert result.reason


def test_unrelated_times_are_counted():
    """Where times are alike, as many count as would be independent."""
    assert 300 < influence_moments(differences()).units <= N
    assert 20 < influence_moments(differences(n=4000, rho=0.9)).units < 600


def test_equal_models():
    """Nothing passes where both predict the same."""
    y, predictions = answers()
    same = {"old": predictions["old"], "new": predictions["old"].copy()}
    decision = Gate(NonInferior("accuracy", 0.05)).decide(y, same, time=DAYS)

    assert "inconclusive" == decision.status


@pytest.mark.parametrize("test", ["mcnemar", "paired_t"])
def test_tests_of_unrelated_records(test):
    """A test that takes records as unrelated decides nothing."""
    y, predictions = answers()
    proba = {name: 0.1 + 0.8 * own for name, own in predictions.items()}
    measure = "accuracy" if test == "mcnemar" else "neg_log_loss"
    decision = Gate(Superior(measure, test=test)).decide(y, proba, time=DAYS)

    assert "inconclusive" == decision.status
    assert f"{test} is not valid for time-ordered hold-out" in str(decision)


def test_such_series():
    """By name, the question is about such series."""
    y, predictions = answers()
    store, day = np.arange(N) % 25, np.arange(N) // 25
    gates = [Gate(Superior("accuracy")), Gate(Superior("accuracy", test="two_way_t"))]
    settings = {"time": day, "groups": store}
    these, such = (g.decide(y, predictions, **settings).outcomes[0] for g in gates)

    assert ["diebold_mariano", "two_way_t"] == [these.row.test, such.row.test]


def test_slices_keep_their_times():
    """A slice is in the order of time too."""
    y, predictions = answers()
    region = np.where(np.arange(N) % 2, "north", "south")
    gate = Gate(Superior("accuracy", where={"region": "north"}))
    decision = gate.decide(y, predictions, time=DAYS, columns={"region": region})
    (outcome,) = decision.outcomes
    keep = region == "north"
    alone = Gate(Superior("accuracy")).decide(
        y[keep], {name: own[keep] for name, own in predictions.items()}, time=DAYS[keep]
    )

    assert alone.outcomes[0].pvalue == pytest.approx(outcome.pvalue)


def test_assertion():
    """Assertions take time for predictions and for fitted classifiers."""
    y, predictions = answers()
    settings = {"time": DAYS, "horizon": 2}
    decision = assert_better(y, *predictions.values(), **settings)
    assert "400 records at 400 times, horizon 2" == decision.size
    X = np.column_stack([*predictions.values()]).astype(float)
    old = LogisticRegression().fit(X * [1, 0], y)
    new = LogisticRegression().fit(X, y)
    fitted = assert_better(y, old, new, X=X, **settings)
    assert "time-ordered hold-out" == fitted.design
    with pytest.raises(ValueError, match="without `time`"):
        assert_better(y, *predictions.values(), horizon=2)


def test_items():
    """Scores of items have the time in them."""
    y, predictions = answers()
    correct = [(own == y).astype(int) for own in predictions.values()]
    scores = ItemScores.from_scores(*correct, time=DAYS)
    decision = Gate(Superior("mean_score")).decide(scores)

    assert decision.passed
    assert "diebold_mariano" == decision.outcomes[0].row.test
    with pytest.raises(ValueError, match="Got time as well"):
        Gate(Superior("mean_score")).decide(scores, time=DAYS)


def test_ledger(tmp_path):
    """Other times or another horizon are another look at the same records."""
    y, predictions = answers()
    ledger = Ledger(tmp_path / "looks.jsonl")
    gate = Gate(Superior("accuracy"))

    def look(**settings):
        return gate.decide(y, predictions, ledger=ledger, **settings).look["number"]

    assert 1 == look(time=DAYS)
    assert 1 == look(time=DAYS)
    assert 2 == look(time=DAYS[::-1])
    assert 3 == look(time=DAYS, horizon=2)
    assert 4 == look()


POLICY = """\
[data]
time = "day"
horizon = 2
{more}

[[condition]]
superior = "{measure}"
"""


@pytest.fixture
def policy(tmp_path):
    """A function that writes a policy and returns its path."""

    def written(measure="accuracy", more=""):
        path = tmp_path / "policy.toml"
        path.write_text(POLICY.format(measure=measure, more=more))
        return str(path)

    return written


def test_policy(policy, tmp_path, capsys):
    """A policy names the column of times and the horizon; files are joined by ids."""
    y, predictions = answers()
    paths = []
    for k, (name, own) in enumerate(predictions.items()):
        rows = zip(range(N), y, own, DAYS)
        lines = ["id,y,label,day"] if k == 0 else ["id,label"]
        lines += [
            f"{i},{t},{p},{d}" if k == 0 else f"{i},{p}" for i, t, p, d in reversed([*rows])
        ]
        paths.append(str(tmp_path / f"{name}.csv"))
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    path = policy(more='label = "label"')
    settings = load_policy(path).data
    assert ("day", 2) == (settings.time, settings.horizon)
    assert 0 == main(["gate", "--policy", path, "--format", "json", *paths])
    decision = json.loads(capsys.readouterr().out)
    expected = Gate(Superior("accuracy")).decide(y, predictions, time=DAYS, horizon=2)
    assert "400 records at 400 times, horizon 2" == decision["size"]
    assert expected.outcomes[0].pvalue == pytest.approx(decision["outcomes"][0]["pvalue"])


def test_times_of_the_challenger(policy, tmp_path, capsys):
    """Whoever submits a challenger does not choose the times."""
    y, _ = answers(20)
    (tmp_path / "old.csv").write_text(
        "\n".join(["id,y,label", *(f"{i},{t},{t}" for i, t in enumerate(y))])
    )
    (tmp_path / "new.csv").write_text(
        "\n".join(["id,label,day", *(f"{i},{t},{i}" for i, t in enumerate(y))])
    )
    files = [str(tmp_path / "old.csv"), str(tmp_path / "new.csv")]
    code = main(["gate", "--policy", policy(more='label = "label"'), *files])

    assert 2 == code
    assert "the challenger's file" in capsys.readouterr().err


@pytest.mark.parametrize("horizon", ["0", '"2"', "1.5"])
def test_wrong_horizon(tmp_path, horizon):
    """A horizon is a whole number."""
    path = tmp_path / "policy.toml"
    text = POLICY.format(measure="accuracy", more="").replace("= 2", f"= {horizon}")
    path.write_text(text)
    with pytest.raises((TypeError, ValueError), match="a whole number"):
        load_policy(str(path))


def test_scored_items_in_files(policy, tmp_path, capsys):
    """The time of items is in the champion's file."""
    y, predictions = answers()
    for name, own in predictions.items():
        rows = [f"{i},{int(p == t)},{i}" for i, (p, t) in enumerate(zip(own, y))]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,score,day", *rows]))
    files = [str(tmp_path / "old.csv"), str(tmp_path / "new.csv")]
    assert 0 == main(["gate", "--policy", policy("mean_score"), *files])
    assert "400 items, at 400 times, horizon 2" in " ".join(capsys.readouterr().out.split())


MAE = "neg_mean_absolute_error"


def forecasts(n=N, seed=2, worse=1.0):
    """Numbers and two forecasts of them, whose errors drift."""
    rng = np.random.default_rng(seed)
    errors = rng.normal(size=(2, n)) + 2.0
    for t in range(1, n):
        errors[:, t] += 0.3 * (errors[:, t - 1] - 2.0)
    y = rng.normal(size=n)
    return y, {"old": y + np.abs(errors[0]), "new": y + worse * np.abs(errors[1])}


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_relative_margins(share):
    """A share of the champion's loss is tested by the gain of weighted losses in order."""
    y, both = forecasts()
    old, new = (np.abs(own - y) for own in both.values())
    condition = NonInferior(MAE, f"{100 * share:g} %")
    (outcome,) = Gate(condition).decide(y, both, time=DAYS).outcomes
    gain = OrderedDifferences.from_losses((1 + share) * old, new)
    expected = margin_test(gain, "diebold_mariano")

    assert "diebold_mariano" == outcome.row.test
    assert expected.pvalue == pytest.approx(outcome.pvalue, rel=1e-9)
    assert (outcome.reduction.low > -share) is (outcome.pvalue < 0.05)
    assert 1 - new.mean() / old.mean() == pytest.approx(outcome.reduction.estimate)


def test_relative_margins_in_another_unit_and_order():
    """The unit of the numbers, and the order of the records, do not matter."""
    y, both = forecasts(worse=0.9)
    order = np.random.default_rng(0).permutation(N)
    gate = Gate(Superior(MAE, "1 %"))
    (outcome,) = gate.decide(y, both, time=DAYS).outcomes
    scaled = {name: 1000 * own[order] for name, own in both.items()}
    (other,) = gate.decide(1000 * y[order], scaled, time=DAYS[order]).outcomes

    assert outcome.pvalue == pytest.approx(other.pvalue, rel=1e-8)
    assert outcome.reduction.low == pytest.approx(other.reduction.low, rel=1e-6)


def test_relative_margins_of_equal_models():
    """Models that predict the same are within any margin, but not proven better."""
    y, both = forecasts()
    same = {"old": both["old"], "new": both["old"].copy()}
    (better,) = Gate(Superior(MAE)).decide(y, same, time=DAYS).outcomes
    (within,) = Gate(NonInferior(MAE, "5 %")).decide(y, same, time=DAYS).outcomes

    assert "passed" != better.status
    assert "passed" == within.status
