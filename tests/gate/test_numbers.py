"""Gates on regressors: every way in, decisions by hand, and looks in a ledger."""

import sys
from functools import partial
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Lasso, LinearRegression, Ridge
from sklearn.metrics import mean_squared_error, r2_score

from skcompare import PairedComparator, compare
from skcompare.cli import main
from skcompare.evidence import PairedLosses, TallyRequest, tally_frame
from skcompare.gate import (
    AnyOf,
    Equivalent,
    Gate,
    GateNotPassed,
    Ledger,
    NonInferior,
    Superior,
    assert_better,
)
from skcompare.gate._assertions import GateFixture
from skcompare.gate._conditions import target_of
from skcompare.predictions import ItemScores
from skcompare.stats import margin_test

MAE = "neg_mean_absolute_error"
X, Y = load_diabetes(return_X_y=True)
GATE = Gate(NonInferior(MAE, margin=50))
N = 200
RNG = np.random.default_rng(7)
TRUTH = RNG.gamma(3, 40, N)
OLD = TRUTH + RNG.normal(0, 20, N)
NEW = TRUTH + RNG.normal(0, 15, N)
BOTH = {"old": OLD, "new": NEW}
SITE = np.tile(["north", "south"], N // 2)
RATES = {"old": 0.6, "new": 0.8}
ENDINGS = [".csv", ".jsonl", ".npz"] + [".parquet"] * bool(find_spec("pyarrow"))


def compared(alpha=1.0, champion=None):
    """A champion and a ridge regression, compared on records that neither has seen."""
    models = [champion or Lasso(), Ridge(alpha)]
    fitted = [model.fit(X[:200], Y[:200]) for model in models]
    return PairedComparator(*fitted, cv="prefit", scoring=MAE).fit(X[200:], Y[200:])


def test_flag_of_a_gate_is_explained_once():
    """One record makes the difference, which does not pass, and the text says so once."""
    wild = {"old": OLD + np.where(np.arange(N) == 0, 200.0, 0.0), "new": NEW}
    gate = Gate(Superior(MAE), Superior("kendall_tau"))
    decision = gate.decide(TRUTH, wild)

    assert "inconclusive" == decision.status
    assert "decided-by-few-records" in decision.outcomes[0].flags
    assert 1 == str(decision).count("decided-by-few-records")


def test_equal_regressors_are_refused():
    """A challenger that predicts what the champion does cannot pass."""
    decision = GATE.decide(compared(champion=Ridge(1.0)))

    assert not decision.passed
    assert "same" in " ".join(decision.reasons)
    assert GATE.decide(compared()).passed


@pytest.mark.parametrize("blind", [False, True])
def test_looks_tell_predictions_apart(tmp_path, blind):
    """The same predictions are the same look, and others are another."""
    path = tmp_path / "ledger.json"
    gate = Gate(NonInferior(MAE, margin=1e-9))
    looks = [
        gate.decide(compared(alpha), ledger=Ledger(path), blind=blind).look
        for alpha in (50.0, 50.0, 60.0)
    ]

    assert [(1, False), (1, True), (2, False)] == [
        (look["number"], look["repeated"]) for look in looks
    ]


def test_another_set_of_numbers_is_refused(tmp_path):
    """A ledger is about the numbers of one hold-out set, in any order of them."""
    fitted = [model.fit(X[:200], Y[:200]) for model in (Lasso(), Ridge(50.0))]
    gate, ledger = Gate(NonInferior(MAE, margin=1e-9)), Ledger(tmp_path / "ledger.json")

    def look(records, numbers):
        comparator = PairedComparator(*fitted, cv="prefit", scoring=MAE)
        return gate.decide(comparator.fit(records, numbers), ledger=ledger).look["number"]

    assert 1 == look(X[200:], Y[200:])
    assert 2 == look(X[:199:-1], Y[:199:-1])
    with pytest.raises(ValueError, match="the true labels differ"):
        look(X[200:], Y[200:] + 1)


def test_measures_of_classes():
    """A gate on accuracy says that the predictions are numbers."""
    with pytest.raises(ValueError, match="of classes, and the predictions are numbers"):
        assert_better(compared())


# The target is that of the measures.


def test_one_target():
    """Conditions are of numbers or of classes, and not of both."""
    assert ["numbers", "classes"] == [
        target_of([Superior(measure)]) for measure in (MAE, "accuracy")
    ]
    assert "classes" == Gate(Superior("mean_score")).target
    mixed = Superior(MAE), AnyOf(Superior("accuracy"), Superior("roc_auc"))
    with pytest.raises(ValueError, match=r"one target\. Got 'neg_mean_ab.*'accuracy'"):
        Gate(*mixed)


def test_numbers_are_not_guessed():
    """Whole numbers are classes to an accuracy, and numbers to an absolute error."""
    y = np.arange(N) % 7
    wrong = (y + 1) % 7
    both = {name: np.where(RNG.random(N) < p, y, wrong) for name, p in RATES.items()}

    assert Gate(Superior("accuracy")).decide(y, both).passed
    (outcome,) = Gate(Superior(MAE)).decide(y, both).outcomes
    expected = -np.abs(both["new"] - y).mean()
    assert outcome.row.challenger == pytest.approx(expected)


@pytest.mark.parametrize("by", ["arrays", "a frame", "fitted"])
@pytest.mark.parametrize("extra", [{"pos_label": 1}, {"labels": [0, 1]}])
def test_arguments_of_classes(by, extra):
    """Labels and positive classes are refused where numbers are judged."""
    (name,) = extra
    gate, frame = Gate(Superior(MAE)), pd.DataFrame({"y": TRUTH, **BOTH})
    models = [model.fit(X, Y) for model in (Lasso(), Ridge())]
    ways = {
        "arrays": partial(gate.decide, TRUTH, BOTH),
        "a frame": partial(gate.decide, frame, {"old": "old", "new": "new"}, y_true="y"),
        "fitted": partial(assert_better, Y, *models, X=X, by=MAE),
    }
    with pytest.raises(ValueError, match=f"`{name}` is "):
        ways[by](**extra)


# Decisions are those of tests by hand.


@pytest.mark.parametrize("seed", range(4))
def test_decisions_by_hand(seed):
    """One-sided t tests of SciPy decide where nothing is skewed and records are many."""
    rng = np.random.default_rng(seed)
    n = 100_000
    y = rng.normal(size=n)
    both = {"old": y + 2.0, "new": y + 2.0 + rng.normal(0.0, 1.0, n).clip(-1.9, 1.9)}
    gains = np.abs(both["old"] - y) - np.abs(both["new"] - y)
    for kind, margin, sides in (
        (Superior, 0.0, [(0.0, "greater")]),
        (Superior, 0.004, [(0.004, "greater")]),
        (NonInferior, 0.006, [(-0.006, "greater")]),
        (Equivalent, 0.008, [(-0.008, "greater"), (0.008, "less")]),
    ):
        (outcome,) = Gate(kind(MAE, margin)).decide(y, both).outcomes
        expected = max(
            stats.ttest_1samp(gains, null, alternative=side).pvalue for null, side in sides
        )
        assert outcome.passed == (expected < 0.05)
        # Skewness is allowed for: a little more than t, and never less.
        assert expected <= outcome.pvalue < (expected + 0.01 if expected < 0.5 else 1.1)


def test_decision_is_that_of_a_margin_test():
    """The p-value and the limit are those of the test of a single condition."""
    (outcome,) = Gate(NonInferior(MAE, 1.5)).decide(TRUTH, BOTH).outcomes
    losses = PairedLosses.from_losses(np.abs(OLD - TRUTH), np.abs(NEW - TRUTH))
    test = margin_test(losses, "paired_t", -1.5)

    assert (test.pvalue, test.limit) == (outcome.pvalue, outcome.low)


def test_a_pair_at_the_boundary_does_not_pass():
    """A constant difference says nothing about how losses vary, whatever its size."""
    for shift, margin in ((1.0, 2.0), (0.0, 1.0), (-1.0, 0.5)):
        both = {"old": TRUTH + 3.0, "new": TRUTH + 3.0 + shift}
        decision = Gate(NonInferior(MAE, margin)).decide(TRUTH, both)
        assert not decision.passed


# Every way in.


def save(frame, path):
    """Writes a frame in the format of its name."""
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True, double_precision=15)
    else:
        texts = {name: column.to_numpy() for name, column in frame.items()}
        np.savez(path, **texts | {"site": frame["site"].to_numpy(str)})
    return path


def frames():
    """Files of both roles, in orders of their own."""
    own = {"id": np.arange(N), "y": TRUTH, "site": SITE}
    champion = pd.DataFrame(own | {"forecast": OLD})
    challenger = pd.DataFrame(own | {"forecast": NEW}).sample(frac=1, random_state=1)
    return champion, challenger


def in_shell(*arguments):
    """The exit code of a gate."""
    return main(["gate", *map(str, arguments)])


@pytest.mark.parametrize("ending", ENDINGS)
def test_files(tmp_path, ending, capsys):
    """Two files in each format are judged as arrays are, through the shell."""
    paths = [
        save(frame, tmp_path / f"{name}{ending}")
        for frame, name in zip(frames(), ("old", "new"), strict=True)
    ]
    common = [*paths, "--value", "forecast", "--format", "json"]
    expected = Gate(Superior(MAE)).decide(TRUTH, BOTH)

    assert 0 == in_shell(*common, "--superior", MAE)
    shown = capsys.readouterr().out
    assert f'"pvalue": {expected.outcomes[0].pvalue!r}'[:20] in shown
    assert 1 == in_shell(*common, "--superior", f"{MAE}:40")
    assert 0 == in_shell(*common, "--equivalent", f"{MAE}:30")
    policy = tmp_path / "gate.toml"
    policy.write_text(
        f'tell_inconclusive = true\n[data]\nvalue = "forecast"\n'
        f'[[condition]]\nsuperior = "{MAE}"\nmargin = 4\nwhere = {{site = "north"}}\n'
    )
    assert 3 == in_shell("--policy", policy, *paths)


def test_one_file_with_both(tmp_path, capsys):
    """A CSV file with a continuous target, by the columns of both roles."""
    path = tmp_path / "houses.csv"
    pd.DataFrame({"price": TRUTH, **BOTH}).to_csv(path, index=False)
    columns = ["--y", "price", "--champion", "old", "--challenger", "new", path]

    assert 0 == in_shell("--superior", MAE, *columns)
    assert "PASSED" in capsys.readouterr().out
    assert 1 == in_shell("--superior", f"{MAE}:20", *columns)
    assert 2 == in_shell("--superior", MAE, *columns[2:])
    for wrong in (["--pos-label", "1"], ["--superior", "accuracy"]):
        capsys.readouterr()
        assert 2 == in_shell("--superior", MAE, *columns, *wrong)
        (line,) = capsys.readouterr().err.splitlines()
        assert "of numbers" in line or "one target" in line


def test_columns_of_another_target(tmp_path, capsys):
    """What is about classes is refused for numbers, and the other way round."""
    paths = [
        save(frame, tmp_path / f"{name}.csv")
        for frame, name in zip(frames(), ("old", "new"), strict=True)
    ]
    for measure, option, words in (
        (MAE, "--label", "`label` is about classes, and the conditions are of numbers"),
        (MAE, "--proba", "`proba` is about classes, and the conditions are of numbers"),
        ("accuracy", "--value", "`value` is about numbers, and the conditions are of cl"),
    ):
        assert 2 == in_shell("--superior", measure, option, "forecast", *paths)
        assert words in capsys.readouterr().err
    assert 2 == in_shell("--superior", MAE, "--value", "forecast", paths[0])
    assert "Got one file" in capsys.readouterr().err


def test_frames_and_engines():
    """Frames are read, and an engine sums losses of all records and of slices alike."""
    pl = pytest.importorskip("polars")
    table = pl.DataFrame({"y": TRUTH, "site": SITE, **BOTH})
    columns = {"old": "old", "new": "new"}
    gate = Gate(Superior(MAE), NonInferior(MAE, 30, where={"site": "north"}))
    read = gate.decide(table.lazy(), columns, y_true="y")

    assert read.passed
    assert [N, N // 2] == [outcome.n_records for outcome in read.outcomes]
    arrays = Gate(Superior(MAE)).decide(TRUTH, BOTH).outcomes[0]
    assert arrays.pvalue == read.outcomes[0].pvalue
    # The skewness of losses is supposed where they are summed, so that more are needed.
    many = pl.concat([table] * 20).lazy()
    read, summed = (gate.decide(many, columns, y_true="y", collect=n) for n in (10**6, 0))
    assert read.passed
    assert summed.passed
    for one, other in zip(read.outcomes, summed.outcomes, strict=True):
        assert one.n_records == other.n_records
        assert one.row.difference == pytest.approx(other.row.difference, rel=1e-12)
    with pytest.raises(ValueError, match="not a function of sums over the records"):
        compare(table.lazy(), columns, y_true="y", scoring="kendall_tau", collect=0)
    unsuited = Gate(Superior("kendall_tau"))
    refused = unsuited.decide(table.lazy(), columns, y_true="y", collect=0)
    assert not refused.passed
    assert "needs every record" in refused.outcomes[0].reasons[0]


def test_tallies_of_classes():
    """Counts of labels are no numbers, and nor are scored items."""
    frame = pd.DataFrame({"y": [0, 1] * 20, "old": [0] * 40, "new": [1] * 40})
    tally = tally_frame(frame, "y", {"old": "old", "new": "new"}, TallyRequest(labels=True))
    with pytest.raises(ValueError, match="of numbers, and the predictions are of classes"):
        Gate(Superior(MAE)).decide(tally)
    with pytest.raises(ValueError, match="Choose 'mean_score'"):
        Gate(Superior(MAE)).decide(ItemScores.from_scores([0, 1, 0], [1, 1, 0]))


def test_fitted_regressors():
    """Regressors predict for the records, and classifiers are refused."""
    models = [model.fit(X[:200], Y[:200]) for model in (Lasso(5.0), LinearRegression())]
    decision = assert_better(Y[200:], *models, X=X[200:], by=MAE)
    losses = [np.abs(model.predict(X[200:]) - Y[200:]) for model in models]
    row = decision.outcomes[0].row

    assert [-loss.mean() for loss in losses] == pytest.approx(
        [row.champion, row.challenger]
    )
    with pytest.raises(GateNotPassed, match="keep the champion"):
        assert_better(Y[200:], *models[::-1], X=X[200:], by=MAE)
    with pytest.raises(ValueError, match=r"a regressor\. Got the classifier"):
        assert_better(Y, DummyClassifier().fit(X, Y > 100), models[0], X=X, by=MAE)
    with pytest.raises(ValueError, match=r"a classifier\. Got the regressor"):
        assert_better(Y > 100, *models, X=X)


def test_stored_regressors(tmp_path, capsys):
    """Saved regressors predict the records of a file; a classifier among them is told."""
    skops_io = pytest.importorskip("skops.io")
    data = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    for name, model in (("lasso", Lasso(5.0)), ("linear", LinearRegression())):
        skops_io.dump(model.fit(data[:200], Y[:200]), tmp_path / f"{name}.skops")
    skops_io.dump(DummyClassifier().fit(data, Y > 100), tmp_path / "labels.skops")
    data.assign(y=Y, id=np.arange(len(Y)))[200:].to_csv(tmp_path / "data.csv", index=False)
    paths = [tmp_path / f"{name}.skops" for name in ("lasso", "linear", "labels")]
    common = ["--data", tmp_path / "data.csv"]

    assert 0 == in_shell("--superior", MAE, *common, *paths[:2])
    assert 1 == in_shell("--superior", MAE, *common, *paths[1::-1])
    capsys.readouterr()
    for measure, files, words in (
        (MAE, paths[1:], "must be a regressor. Got the classifier"),
        ("accuracy", paths[:2], "y` must be class labels"),
    ):
        assert 2 == in_shell("--superior", measure, *common, *files)
        (line,) = capsys.readouterr().err.splitlines()
        assert words in line or "must be a classifier. Got the regressor" in line
    assert 2 == in_shell("--superior", MAE, "--pos-label", "1", *common, *paths[:2])


def test_fixture(tmp_path):
    """The pytest fixture judges numbers too, and its policy may be of them."""
    config = SimpleNamespace(rootpath=tmp_path, getoption=lambda name: None)
    request = SimpleNamespace(node=SimpleNamespace(nodeid="test"), config=config)
    gate = GateFixture(request, [])
    paths = [
        save(frame, tmp_path / f"{name}.csv")
        for frame, name in zip(frames(), ("old", "new"), strict=True)
    ]
    (tmp_path / "gate.toml").write_text(
        f'[data]\nvalue = "forecast"\n[[condition]]\nsuperior = "{MAE}"\n'
    )

    assert gate(Superior(MAE)).check(TRUTH, BOTH)
    assert gate.policy("gate.toml").check(*paths)
    assert gate.assert_better(TRUTH, OLD, NEW, by=MAE)
    assert ["passed"] * 3 == [entry["status"] for entry in gate.entries]


def test_training_records(tmp_path, capsys):
    """Records of the training data are not judged."""
    paths = [
        save(frame, tmp_path / f"{name}.csv")
        for frame, name in zip(frames(), ("old", "new"), strict=True)
    ]
    (tmp_path / "train.csv").write_text("id\n7\n900\n")
    common = ["--superior", MAE, "--value", "forecast", *paths]

    assert 2 == in_shell(*common, "--train", tmp_path / "train.csv")
    assert "1 of 200 records" in capsys.readouterr().err


def test_uncertain_forecasts_differ_by_their_spread():
    """The same numbers with other standard deviations are other predictions."""
    both = {
        name: {"values": OLD, "std": np.full(N, spread)}
        for name, spread in (("old", 1.0), ("new", 2.0))
    }
    decision = Gate(NonInferior(MAE, 1.0)).decide(TRUTH, both)

    assert "same-predictions" not in decision.flags
    both["new"]["std"] = both["old"]["std"]
    assert "same-predictions" in Gate(NonInferior(MAE, 1.0)).decide(TRUTH, both).flags


# What is no number, or too few of them.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"y": np.r_[np.nan, TRUTH[1:]]},
            "`y_true` must be finite numbers. Got 1 that are",
        ),
        (
            {"y": np.r_[np.inf, TRUTH[1:]]},
            "`y_true` must be finite numbers. Got 1 that are",
        ),
        ({"new": np.r_[TRUTH[1:], -np.inf]}, "`new` must be finite numbers"),
        ({"y": TRUTH.astype(str)}, "`y_true` must be numbers"),
        ({"new": ["a"] * N}, "`new` must be numbers"),
        ({"new": NEW[1:]}, "new has 199"),
        ({"new": np.column_stack([NEW, NEW])}, "each of 1 output of a record. Got 2"),
        ({"y": None}, "A gate needs true labels"),
    ],
)
def test_no_numbers(change, message):
    """Missing, infinite and other values end in one line, before any test."""
    values = {"y": TRUTH, **BOTH} | change
    y = values.pop("y")
    with pytest.raises(ValueError, match=message):
        Gate(Superior(MAE)).decide(y, values)


def test_few_records_conclude_nothing():
    """One record, or a few, have no approximation, and no pass."""
    for n in (1, 2, 29):
        decision = Gate(Superior(MAE)).decide(
            TRUTH[:n], {"old": TRUTH[:n] + 9, "new": TRUTH[:n] + RNG.random(n)}
        )
        assert "inconclusive" == decision.status


def test_huge_numbers_do_not_pass():
    """Losses beyond what squares can hold are no evidence; large ones are."""
    huge = {"old": TRUTH * 1e200, "new": TRUTH}
    (outcome,) = Gate(Superior(MAE)).decide(TRUTH, huge).outcomes
    assert "inconclusive" == outcome.status
    assert "at most 1e+140" in outcome.reasons[0]
    scale = 2.0**100
    large = {name: values * scale for name, values in BOTH.items()}
    expected = Gate(Superior(MAE)).decide(TRUTH, BOTH).outcomes[0].pvalue
    found = Gate(Superior(MAE)).decide(TRUTH * scale, large).outcomes[0]

    assert found.pvalue == pytest.approx(expected, rel=1e-9)


@pytest.mark.skipif(sys.maxsize < 2**32, reason="needs 64 bits")
def test_order_of_records_does_not_matter():
    """Shuffled records have the same decision."""
    order = np.random.default_rng(3).permutation(N)
    first = Gate(Superior(MAE, 2.0)).decide(TRUTH, BOTH).outcomes[0]
    shuffled = {name: values[order] for name, values in BOTH.items()}
    second = Gate(Superior(MAE, 2.0)).decide(TRUTH[order], shuffled).outcomes[0]

    assert first.pvalue == pytest.approx(second.pvalue, rel=1e-9)
    assert first.status == second.status


@pytest.mark.parametrize(
    ("measure", "margin", "score"),
    [
        ("neg_mean_squared_error", "30 %", mean_squared_error),
        ("neg_root_mean_squared_error", 3.0, lambda *own: mean_squared_error(*own) ** 0.5),
        ("r2", 0.05, r2_score),
    ],
)
def test_other_measures_of_numbers(measure, margin, score):
    """Any measure of numbers that has a test with a direction makes conditions."""
    (outcome,) = Gate(NonInferior(measure, margin)).decide(TRUTH, BOTH).outcomes
    expected = score(TRUTH, OLD), score(TRUTH, NEW)

    assert outcome.passed
    assert expected == pytest.approx(
        (abs(outcome.row.champion), abs(outcome.row.challenger))
    )


@pytest.mark.parametrize(
    ("margin", "flagged"), [(3.0, False), ("20 %", False), (60.0, True), ("99 %", False)]
)
def test_margins_that_admit_a_constant(margin, flagged):
    """A margin within which one number for every record would be is flagged."""
    (outcome,) = Gate(NonInferior(MAE, margin)).decide(TRUTH, BOTH).outcomes
    constant = np.abs(TRUTH - np.median(TRUTH)).mean()
    units = outcome.condition.distance_at(outcome.row.champion)

    assert outcome.passed
    assert flagged == ("margin-admits-no-skill" in outcome.flags)
    assert flagged == (constant + outcome.row.champion < units)


def test_slices_of_numbers_have_constants_of_their_own():
    """The constant is that of the slice, and of squared errors its mean."""
    y = np.where(SITE == "north", TRUTH, 50 + TRUTH / 100)
    both = {"old": y + RNG.normal(0, 2, N), "new": y + RNG.normal(0, 1, N)}
    flags = [
        Gate(NonInferior("neg_mean_squared_error", 20.0, where={"site": site}))
        .decide(y, both, columns={"site": SITE})
        .outcomes[0]
        .flags
        for site in ("north", "south")
    ]

    assert [False, True] == ["margin-admits-no-skill" in own for own in flags]


def test_a_record_that_keeps_a_gate_from_passing():
    """The reason names the record without which the condition would be shown."""
    truth = np.arange(200.0)
    champion, challenger = truth + 10 + RNG.normal(0, 1, 200), truth + RNG.normal(0, 1, 200)
    challenger[17] += 900
    both = {"old": champion, "new": challenger}
    for condition in (Superior(MAE), NonInferior(MAE, "2 %")):
        decision = Gate(condition).decide(truth, both)
        text = " ".join(decision.outcomes[0].reasons)

        assert "inconclusive" == decision.status
        assert "the record at position 17 alone makes" in text
        assert "collect more records" in text
    equal = Gate(Superior(MAE)).decide(TRUTH, {"old": OLD, "new": OLD + 0.01})
    assert "alone makes" not in " ".join(equal.outcomes[0].reasons)
