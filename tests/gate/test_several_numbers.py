"""Gates on several outputs and on forecasts: conditions, columns of files, and refusals."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Lasso, Ridge

from skcompare import compare
from skcompare.cli._main import main
from skcompare.evidence import PairedLosses
from skcompare.gate import Gate, GateNotPassed, NonInferior, Policy, Superior, assert_better
from skcompare.gate._files import GateFiles, judge_files
from skcompare.stats import paired_t

pd = pytest.importorskip("pandas")

MAE = "neg_mean_absolute_error"
N = 200
RNG = np.random.default_rng(0)
Y = RNG.normal(size=(N, 2)) * [1, 5]
OLD = Y + RNG.normal(size=(N, 2)) * [1, 3]
NEW = Y + RNG.normal(size=(N, 2)) * [0.6, 3]
BOTH = {"old": OLD, "new": NEW}
LIMITS = {"old": (OLD[:, 0] - 1.3, OLD[:, 0] + 1.3), "new": (NEW[:, 0] - 1, NEW[:, 0] + 1)}
STD = {"old": np.full(N, 1.0), "new": np.full(N, 0.6)}


def columns_of(role):
    """The columns of one model's file."""
    first, second = BOTH[role].T
    low, high = LIMITS[role]
    values = {"p": first, "q": second, "s": STD[role], "l": low, "h": high}
    values |= {"t": 3 * STD[role], "m": second - 4, "k": second + 3}
    return {"id": np.arange(N), **values}


@pytest.fixture
def files(tmp_path):
    """The champion's file with the true numbers, and the challenger's in another order."""
    champion = pd.DataFrame({**columns_of("old"), "u": Y[:, 0], "v": Y[:, 1]})
    challenger = pd.DataFrame(columns_of("new")).sample(frac=1, random_state=0)
    paths = [str(tmp_path / f"{name}.csv") for name in BOTH]
    for frame, path in zip((champion, challenger), paths, strict=True):
        frame.to_csv(path, index=False)
    return paths


@pytest.fixture
def one_file(tmp_path):
    """One file with the columns of both, by their roles."""
    table = {"u": Y[:, 0], "v": Y[:, 1]}
    for role in BOTH:
        own = columns_of(role)
        table |= {f"{role}_{name}": values for name, values in own.items() if name != "id"}
    path = str(tmp_path / "both.csv")
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def judged(paths, columns, *conditions, **files):
    """The decision by a policy with these columns."""
    tables = [c if isinstance(c, dict) else {"superior": c} for c in conditions]
    policy = Policy.from_dict({"data": columns, "condition": tables})
    assert policy.digest == Policy.from_dict(policy.to_dict()).digest
    return judge_files(GateFiles.of_policy(policy, *paths, **files), policy)


def test_conditions_on_outputs():
    """A condition on an output is the one on that output alone; on all, their mean."""
    gate = Gate(Superior(f"{MAE}[0]"), NonInferior(f"{MAE}[1]", "20 %"), Superior("r2"))
    decision = gate.decide(Y, BOTH)
    for k, condition in enumerate((Superior(MAE), NonInferior(MAE, "20 %"))):
        own = {name: values[:, k] for name, values in BOTH.items()}
        (alone,) = Gate(condition).decide(Y[:, k], own).outcomes
        outcome = decision.outcomes[k]
        assert (outcome.status, outcome.pvalue) == (alone.status, alone.pvalue)
        assert (outcome.low, outcome.high, outcome.flags) == (
            alone.low,
            alone.high,
            alone.flags,
        )
    assert ["passed", "passed"] == [o.status for o in decision.outcomes[:2]]
    assert f"{MAE}[1] is worse by less than 20 %" in str(decision)


def test_gate_fails_where_one_output_is_worse():
    """The mean of the outputs may be better although a condition on one fails."""
    worse = np.column_stack([NEW[:, 0], Y[:, 1] + 1.5 * (OLD - Y)[:, 1]])
    gate = Gate(NonInferior(f"{MAE}[1]", "5 %"), Superior(f"{MAE}[0]"))

    assert "failed" == gate.decide(Y, {"old": OLD, "new": worse}).status


def test_weights_in_conditions():
    """Weights are in brackets, or an option of the test."""
    bracket = Gate(Superior(f"{MAE}[0.9,0.1]")).decide(Y, BOTH).outcomes[0]
    options = {"test": "paired_t", "options": {"multioutput": [9, 1]}}
    option = Gate(Superior(MAE, **options)).decide(Y, BOTH).outcomes[0]
    losses = {"loss": "absolute_error", "multioutput": [0.9, 0.1]}
    expected = PairedLosses.from_predictions(Y, OLD, NEW, **losses)

    assert_allclose(bracket.row.difference, expected.gain, rtol=1e-12)
    assert_allclose(bracket.pvalue, option.pvalue, rtol=1e-12)


@pytest.mark.parametrize(
    ("condition", "error"),
    [
        (f"{MAE}[raw_values]", "a measure of each output, and a condition is about one"),
        (f"{MAE}[2]", "an output that does not occur"),
        (f"{MAE}[1,2,3]", "must be 2 numbers"),
        (f"{MAE}[variance_weighted]", "is for R²"),
    ],
)
def test_unsuited_conditions(condition, error):
    """Conditions on outputs that do not exist end in one line."""
    with pytest.raises(ValueError, match=error):
        Gate(Superior(condition)).decide(Y, BOTH)


def test_assertions():
    """An assertion about one output, and one that does not hold."""
    assert_better(Y, OLD, NEW, by=f"{MAE}[0]")
    with pytest.raises(GateNotPassed, match=r"error\[1\]"):
        assert_better(Y, OLD, NEW, by=f"{MAE}[1]")


def test_outputs_in_files(files, one_file):
    """Columns of several outputs are those of arrays, in one file and in two."""
    conditions = f"{MAE}[u]", {"noninferior": f"{MAE}[v]", "margin": "20 %"}
    arrays = Gate(Superior(f"{MAE}[0]"), NonInferior(f"{MAE}[1]", "20 %")).decide(Y, BOTH)
    names = {role: [f"{role}_p", f"{role}_q"] for role in BOTH}
    own = {"champion": names["old"], "challenger": names["new"]}
    decisions = [
        judged(files, {"y": ["u", "v"], "value": ["p", "q"]}, *conditions),
        judged([one_file], {"y": ["u", "v"], **own}, *conditions),
    ]

    for decision in decisions:
        assert "passed" == decision.status
        for outcome, expected in zip(decision.outcomes, arrays.outcomes, strict=True):
            assert_allclose(outcome.pvalue, expected.pvalue, rtol=1e-9)


FORECASTS = {
    "neg_crps_normal": {"value": "p", "std": "s"},
    "neg_log_score_normal": {"value": "p", "std": "s"},
    "neg_interval_score": {"value": "p", "intervals": {"0.8": ["l", "h"]}},
    "neg_crps_quantiles": {"quantiles": {".1": "l", "0.50": "p", "0.9": "h"}},
    "neg_crps_samples": {"samples": ["l", "p", "h"]},
}
KINDS = {"value": "values"}


OF_TWO = {
    "neg_crps_normal": {"value": ["p", "q"], "std": ["s", "t"]},
    "neg_interval_score[v]": {
        "value": ["p", "q"],
        "intervals": {"0.8": [["l", "h"], ["m", "k"]]},
    },
    "neg_crps_quantiles[0.2,0.8]": {
        "quantiles": {".1": ["l", "m"], "0.50": ["p", "q"], "0.9": ["h", "k"]}
    },
    "neg_crps_samples": {"samples": [["l", "p", "h"], ["m", "q", "k"]]},
}
TRUTH = pd.DataFrame(Y, columns=["u", "v"])
CASES = [("u", Y[:, 0], *case) for case in FORECASTS.items()]
CASES += [(["u", "v"], TRUTH, *case) for case in OF_TWO.items()]


def forecast(role, columns):
    """The arrays of a forecast with these columns."""
    if isinstance(columns, dict):
        return {
            KINDS.get(key, key) if key.isalpha() else float(key): forecast(role, own)
            for key, own in columns.items()
        }
    if isinstance(columns, list):
        return np.stack([forecast(role, name) for name in columns], axis=1)
    return columns_of(role)[columns]


def prefixed(columns, role):
    """The columns of a forecast in the file of both."""
    if isinstance(columns, dict):
        return {KINDS.get(k, k): prefixed(own, role) for k, own in columns.items()}
    if isinstance(columns, list):
        return [prefixed(name, role) for name in columns]
    return f"{role}_{columns}"


@pytest.mark.parametrize(("y", "truth", "measure", "columns"), CASES)
def test_forecasts_in_files(files, one_file, y, truth, measure, columns):
    """Columns of forecasts are those of arrays, in one file and in two."""
    arrays = Gate(Superior(measure)).decide(
        truth, {role: forecast(role, columns) for role in BOTH}
    )
    both = {"champion": prefixed(columns, "old"), "challenger": prefixed(columns, "new")}
    decisions = [
        judged(files, {"y": y, **columns}, measure),
        judged([one_file], {"y": y, **both}, measure),
    ]

    for decision in decisions:
        assert decision.status == arrays.status
        # Sums over columns in another order of memory may differ in the last digits.
        expected = pytest.approx(arrays.outcomes[0].pvalue, rel=1e-12)
        assert expected == decision.outcomes[0].pvalue


def test_slices_of_forecasts_of_outputs(files):
    """A condition on a slice is about the forecasts of its records."""
    kept = np.arange(N) % 3 == 0
    frame = pd.read_csv(files[0])
    frame.assign(place=np.where(kept, "here", "there")).to_csv(files[0], index=False)
    for measure, columns in OF_TWO.items():
        condition = {"superior": measure, "where": {"place": "here"}}
        decision = judged(files, {"y": ["u", "v"], **columns}, condition)
        arrays = Gate(Superior(measure, where={"place": "here"})).decide(
            TRUTH,
            {role: forecast(role, columns) for role in BOTH},
            columns={"place": np.where(kept, "here", "there")},
        )
        assert decision.outcomes[0].n_records == kept.sum()
        # Sums over columns in another order of memory may differ in the last digits.
        expected = pytest.approx(arrays.outcomes[0].pvalue, rel=1e-12)
        assert expected == decision.outcomes[0].pvalue


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ({"quantiles": {"x": "l"}}, "different numbers between 0 and 1"),
        ({"quantiles": {"1.5": "l"}}, "different numbers between 0 and 1"),
        ({"quantiles": {"nan": "l"}}, "different numbers between 0 and 1"),
        ({"quantiles": {"0.1": "l", ".10": "h"}}, "different numbers between 0 and 1"),
        ({"quantiles": {}}, "a table of columns by level. Got an empty table"),
        ({"quantiles": "l"}, "a table of columns by level"),
        ({"quantiles": {"0.1": [["l"]]}}, "must be text"),
        ({"intervals": {"0.9": "l"}}, "an array of names of columns"),
        ({"intervals": {"0.9": ["l", "h", "p"]}}, "an array of 2 columns"),
        ({"intervals": {"0.9": ["l", "l"]}}, "different names"),
        ({"intervals": {"0.9": [["l", "h"], ["p"]]}}, "or one such array for each output"),
        ({"intervals": {"0.9": [["l", "h"], ["h", "p"]]}}, "different names"),
        ({"intervals": {"0.9": [["l", "h"], "p"]}}, "must be text"),
        ({"std": [["s"]]}, "must be text"),
        ({"samples": []}, "array of names of columns"),
        ({"samples": [["l"], ["p", "h"]]}, "must be arrays of one length for all outputs"),
        ({"champion": {"values": "p", "stdd": "s"}}, "Did you mean 'std'"),
        ({"champion": {"values": "p", "labels": "s"}}, "Unknown key"),
        ({"y": []}, "array of names of columns"),
    ],
)
def test_malformed_policies(data, error):
    """Odd columns of forecasts in a policy end in one line that names their place."""
    with pytest.raises((ValueError, TypeError), match=error):
        Policy.from_dict({"data": data, "condition": [{"superior": MAE}]})


@pytest.mark.parametrize(
    ("data", "measure", "error"),
    [
        ({"value": "p", "std": "x"}, MAE, "Unknown column 'x'"),
        ({"value": "p", "std": "l"}, MAE, "must be positive"),
        ({"value": "p", "std": "p"}, MAE, "must be positive"),
        ({"std": "s"}, MAE, "must have 'values' or the quantile of level 0.5"),
        ({"quantiles": {"0.1": "h", "0.5": "l"}}, MAE, "must not fall as their level"),
        ({"value": ["p", "q"]}, MAE, "each of 1 output of a record. Got 2"),
        ({"value": "p", "std": "s"}, "accuracy", "is about numbers"),
        (
            {"value": "p", "std": "s", "champion": "p", "challenger": "p"},
            MAE,
            "Leave one of them out",
        ),
        ({"y": ["u", "v"], "value": "p"}, MAE, "each of 2 outputs of a record. Got 1"),
        ({"y": ["u", "x"], "value": ["p", "q"]}, MAE, "Unknown column 'x'"),
        ({"y": ["u", "v"], "value": ["u", "q"]}, MAE, "Unknown column 'u'|cannot be both"),
        (
            {"y": ["u", "v"], "value": ["p", "q"], "std": "s"},
            MAE,
            "each of 2 outputs of a record. Got 1",
        ),
    ],
)
def test_unsuited_columns(files, data, measure, error):
    """Columns that cannot be forecasts end in one line, and pass nothing."""
    with pytest.raises((ValueError, TypeError), match=error):
        judged(files, {"y": "u"} | data, measure)


def test_true_numbers_come_from_the_champion(files, tmp_path):
    """No output's true numbers are taken from the challenger's file alone."""
    champion, challenger = (pd.read_csv(path) for path in files)
    data = {"y": ["u", "v"], "value": ["p", "q"]}
    paths = [str(tmp_path / "c.csv"), str(tmp_path / "d.csv")]
    champion.drop(columns="v").to_csv(paths[0], index=False)
    challenger.assign(v=0.0).to_csv(paths[1], index=False)
    with pytest.raises(ValueError, match="must not bring the true labels"):
        judged(paths, data, f"{MAE}[u]")
    with pytest.raises(ValueError, match="all columns of the true numbers, or none"):
        judged([files[0], paths[1]], data, f"{MAE}[u]")
    with pytest.raises(ValueError, match="has true labels"):
        judged([files[0], paths[1]], data, f"{MAE}[u]", ledger=str(tmp_path / "l"))
    both = challenger.assign(u=0.0, v=0.0)
    both.to_csv(paths[1], index=False)
    with pytest.raises(ValueError, match="True labels differ"):
        judged([files[0], paths[1]], data, f"{MAE}[u]")


def test_ledger_knows_outputs_and_forecasts(files, tmp_path):
    """A look is a repeat only if numbers and deviations are the same."""
    ledger = {"ledger": str(tmp_path / "ledger.jsonl")}
    data = {"y": "u", "value": "p", "std": "s"}
    first = judged(files, data, "neg_crps_normal", **ledger)
    same = judged(files, data, "neg_crps_normal", **ledger)
    frame = pd.read_csv(files[1])
    frame.assign(s=frame["s"] * 2).to_csv(files[1], index=False)
    other = judged(files, data, "neg_crps_normal", **ledger)
    levels = [decision.outcomes[0].level for decision in (first, same, other)]

    assert levels[0] == levels[1] > levels[2]
    ledger = {"ledger": str(tmp_path / "other.jsonl")}
    orders = [["u", "v"], ["v", "u"]]
    levels = [
        judged(
            files,
            {"y": order, "value": [{"u": "p", "v": "q"}[name] for name in order]},
            f"{MAE}[u]",
            **ledger,
        )
        .outcomes[0]
        .level
        for order in orders
    ]
    # The order of outputs makes no other hold-out set.
    assert levels[0] > levels[1]


@pytest.mark.parametrize(("measure", "changed"), [*zip(OF_TWO, "tkmk", strict=True)])
def test_ledger_knows_forecasts_of_outputs(files, tmp_path, measure, changed):
    """A look is a repeat only if what is predicted of the second output is the same."""
    ledger = {"ledger": str(tmp_path / "ledger.jsonl")}
    data = {"y": ["u", "v"], **OF_TWO[measure]}
    looks = [judged(files, data, measure, **ledger) for _ in range(2)]
    frame = pd.read_csv(files[1])
    values = frame[changed]
    frame.assign(**{changed: values + 0.1 * abs(values)}).to_csv(files[1], index=False)
    looks.append(judged(files, data, measure, **ledger))
    levels = [decision.outcomes[0].level for decision in looks]

    assert levels[0] == levels[1] > levels[2]


def test_saved_regressors(tmp_path):
    """Saved regressors of several outputs are judged on the columns of a file."""
    dump = pytest.importorskip("skops.io").dump
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, 3))
    y = X[:, :2] + rng.normal(size=(N, 2))
    paths = [str(tmp_path / f"{name}.skops") for name in BOTH]
    models = [model.fit(X[:100], y[:100]) for model in (Lasso(), Ridge())]
    for model, path in zip(models, paths, strict=True):
        dump(model, path)
    table = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "u": y[:, 0], "v": y[:, 1]}
    data = str(tmp_path / "data.csv")
    pd.DataFrame(table)[100:].to_csv(data, index=False)
    decision = judged(paths, {"y": ["u", "v"]}, f"{MAE}[v]", data=data)
    predicted = [model.predict(X[100:])[:, 1] for model in models]
    losses = paired_t(y[100:, 1], *predicted, loss="absolute_error")

    assert_allclose(decision.outcomes[0].row.difference, losses.estimate, rtol=1e-9)


def test_shell(files, one_file, capsys):
    """The shell compares and judges the same columns."""
    y = ["--y", "u", "--y", "v"]
    roles = []
    for role, option in (("old", "champion"), ("new", "challenger")):
        roles += [f"--{option}", f"{role}_p", f"--{option}", f"{role}_q"]
    adjust = ["--scoring", f"{MAE}[raw_values]", "--adjust", "max-t"]
    assert 0 == main(["compare", one_file, *y, *roles, *adjust])
    text = capsys.readouterr().out
    assert f"{MAE}[v]" in text
    assert "p (max-t)" in text
    value = ["--value", "p", "--value", "q", "--superior", f"{MAE}[u]"]
    assert 0 == main(["gate", *files, *y, *value])
    assert "PASSED" in capsys.readouterr().out
    value = ["--value", "p", "--value", "q", "--superior", f"{MAE}[v]"]
    assert 1 == main(["gate", *files, *y, *value])


@pytest.mark.parametrize(
    ("case", "texts"),
    [
        (0, "p std=s"),
        (2, "values=p interval:0.8=l,h"),
        (3, "quantile:.1=l quantile:0.5=p quantile:0.9=h"),
        (4, "samples=l,p,h"),
        (5, "p q std=s std=t"),
        (6, "p interval:0.8=l,h interval:0.8=m,k q"),
        (7, "quantile:.1=l quantile:0.5=p quantile:0.9=h quantile:.1=m quantile:0.5=q "
         "quantile:0.9=k"),
        (8, "samples=l,p,h samples=m,q,k"),
    ],
)  # fmt: skip
def test_forecasts_in_the_shell(files, one_file, capsys, case, texts):
    """Kinds before columns say what is predicted, once an output, for both commands."""
    names, truth, measure, columns = CASES[case]
    texts, y = texts.split(), [part for name in names for part in ("--y", name)]
    arrays = {role: forecast(role, columns) for role in BOTH}
    expected = compare(truth, arrays, scoring=measure).rows[0].difference
    options = [*y, "--scoring", measure, "--format", "json"]
    for role, option in (("old", "champion"), ("new", "challenger")):
        for text in texts:
            kind, equals, names = text.rpartition("=")
            own = ",".join(f"{role}_{name}" for name in names.split(","))
            options += [f"--{option}", f"{kind}{equals}{own}"]
    assert 0 == main(["compare", one_file, *options])
    assert f'"difference": {expected:.6g}'[:20] in capsys.readouterr().out
    own_files = ["--challenger-file", files[1], "--id", "id", *y]
    for text in texts:
        own_files += ["--champion", text, "--challenger", text]
    pvalues = []
    for arguments in ([files[0], *own_files], [*files, *own_files[2:]]):
        assert 0 == main(["compare", *arguments, "--scoring", measure, "--format", "json"])
        pvalues.append(json.loads(capsys.readouterr().out)["rows"][0]["pvalue"])
    assert pvalues[0] == pvalues[1]
    value = [part for text in texts for part in ("--value", text)]
    code = main(["gate", *files, *y, *value, "--superior", measure])
    assert code in (0, 1)


@pytest.mark.parametrize(
    ("texts", "error"),
    [
        (["quantile:x=l"], "different numbers between 0 and 1"),
        (["p", "quantile:0.1=l", "quantile:0.1=h"], "each of 1 output of a record. Got 2"),
        (["p", "quantile:=l"], "different numbers between 0 and 1"),
        (["p", "quantile:0.1=l", "quantile:0.1=l"], "must be an array of different names"),
        (["interval:0.9=l"], "must be an array of 2 columns"),
        (["p", "std=s", "std=l"], "each of 1 output of a record. Got 2"),
        (["samples=l,p", "samples=m"], "must be arrays of one length for all outputs"),
        (["p", "std=zz"], "Unknown column 'zz'"),
    ],
)
def test_refusals_in_the_shell(files, capsys, texts, error):
    """Odd kinds and columns end in one line and exit code 2."""
    value = [part for text in texts for part in ("--value", text)]

    assert 2 == main(["gate", *files, "--y", "u", *value, "--superior", MAE])
    lines = capsys.readouterr().err.strip().splitlines()
    assert 1 == len(lines)
    assert error in lines[0]
