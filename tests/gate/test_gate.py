"""What a gate decides, and that everything but evidence is no pass."""

import copy
import itertools
import pickle
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import skcompare.gate
from skcompare import PairedComparator
from skcompare.evidence import ContingencyTable
from skcompare.gate import AnyOf, Equivalent, Gate, NonInferior, Policy, Superior
from skcompare.stats import mcnemar


def predictions_of(table):
    """Truth and the predictions of both classifiers with these counts by who was right."""
    y = np.arange(table.n) % 2
    right = np.repeat(
        [(1, 1), (1, 0), (0, 1), (0, 0)],
        [table.both_correct, table.only_champion, table.only_challenger, table.both_wrong],
        axis=0,
    )
    right = np.random.default_rng(0).permutation(right)
    old, new = (np.where(column == 1, y, 1 - y) for column in right.T)
    return y, {"old": old, "new": new}


def scored(n, seed=0, shift=1.0):
    """A frame of truth, two columns of probabilities, and two of what records are."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    old = 1 / (1 + np.exp(-(y - 0.5 + rng.normal(size=n))))
    new = 1 / (1 + np.exp(-(shift * (y - 0.5) * 2 + rng.normal(size=n))))
    site = rng.choice(["north", "south"], n)
    return pd.DataFrame({"y": y, "old": old, "new": new, "site": site, "wave": y * 0 + 3})


COLUMNS = {"old": "old", "new": "new"}
BETTER = ContingencyTable(150, 12, 40, 10)
ALIKE = ContingencyTable(160, 15, 15, 10)


DELONG = {"test": "delong", "options": {"interval": "agreeing"}}
TANGO = {"test": "mcnemar", "options": {"method": "asymptotic"}}


def one(condition, *predictions, **given):
    """The outcome of a gate of one condition."""
    return Gate(condition).decide(*predictions, **given).outcomes[0]


def test_a_boundary_is_tested_as_the_null_value():
    """p and limit are those of McNemar's one-sided test with the boundary as null value."""
    for table, (condition, null) in itertools.product(
        [BETTER, ALIKE, BETTER.swap()],
        [
            (Superior("accuracy", **TANGO), 0.0),
            (Superior("accuracy", margin=0.02, **TANGO), 0.02),
            (NonInferior("accuracy", margin=0.05, **TANGO), -0.05),
        ],
    ):
        outcome = one(condition, *predictions_of(table))
        words = {"method": "asymptotic", "null_value": null}
        above = mcnemar(table, alternative="greater", **words)
        below = mcnemar(table, alternative="less", **words)

        assert above.pvalue == outcome.pvalue
        assert above.confidence_interval().low == outcome.low
        assert below.confidence_interval().high == outcome.high
        assert (above.pvalue < 0.05) is outcome.passed
        assert (below.pvalue < 0.05) is (outcome.status == "failed")
        assert table.n_discordant == outcome.n_discordant


def test_published_margins():
    """The worked example of non-inferiority and equivalence by Tango's score."""
    table = ContingencyTable(150, 15, 25, 10)
    predictions = predictions_of(table)
    close = one(NonInferior("accuracy", margin=0.05, **TANGO), *predictions)
    wide = one(Equivalent("accuracy", margin=0.10, **TANGO), *predictions)

    assert 0.0011614 == pytest.approx(close.pvalue, abs=5e-8)
    assert 0.0608387 == pytest.approx(wide.pvalue, abs=5e-8)
    assert ("passed", "inconclusive") == (close.status, wide.status)


def test_equivalence_takes_both_sides():
    """Shown where both limits are within the margin; shown not to hold beyond either."""
    condition = Equivalent("accuracy", margin=0.06, **TANGO)
    shown = one(condition, *predictions_of(ContingencyTable(150, 3, 4, 43)))
    for table in (BETTER, BETTER.swap()):
        refuted = one(condition, *predictions_of(table))
        assert "failed" == refuted.status

    assert shown.passed
    assert -0.06 < shown.low < shown.high < 0.06


def test_all_conditions_must_hold():
    """One that is not shown keeps the gate closed, without a correction of the others."""
    y, predictions = predictions_of(BETTER)
    gate = Gate(Superior("accuracy"), Superior("accuracy", margin=0.12))
    decision = gate.decide(y, predictions)

    assert ["passed", "inconclusive"] == [one.status for one in decision.outcomes]
    assert "inconclusive" == decision.status
    assert not decision
    assert "intersection-union" in decision.correction
    assert [0.05, 0.05] == [one.level for one in decision.outcomes]


def test_any_of_adjusts_its_pvalues():
    """One of several is enough, with p-values adjusted by Holm's method."""
    frame = scored(400, shift=0.85)
    parts = Superior("accuracy"), Superior("roc_auc"), Superior("f1_macro", margin=0.2)
    decision = Gate(AnyOf(*parts)).decide(frame, COLUMNS, y_true="y")
    (outcome,) = decision.outcomes
    raw = [part.pvalue for part in outcome.parts]

    assert "Holm" in decision.correction
    assert min(raw) * 3 == pytest.approx(min(p.adjusted_pvalue for p in outcome.parts))
    assert any(p.adjusted_pvalue < 0.05 for p in outcome.parts) is outcome.passed
    assert decision.status == outcome.status
    assert all(p.passed is (p.adjusted_pvalue < 0.05) for p in outcome.parts)


def test_slices_are_judged_alone():
    """A condition of a slice sees its records only, from arrays and frames alike."""
    frame = scored(600)
    frame.loc[::6, "wave"] = 4
    frame.loc[1::6, "wave"] = 5
    north = frame[(frame.site == "north") & (frame.wave != 4)]
    condition = Superior("accuracy", where={"site": "north", "wave": [3, 5]})
    outcome = one(condition, frame, COLUMNS, y_true="y")
    alone = one(Superior("accuracy"), north, COLUMNS, y_true="y")
    columns = {"site": frame.site, "wave": frame.wave.to_numpy()}
    arrays = {name: frame[name].to_numpy() for name in COLUMNS}
    given = one(condition, frame.y.to_numpy(), arrays, columns=columns)

    assert len(north) == outcome.n_records
    assert alone.pvalue == outcome.pvalue == given.pvalue


def test_no_evidence_is_no_pass():
    """An empty slice, a class too rare or too few records conclude nothing."""
    for condition, reason in [
        (Superior("accuracy", where={"site": "east"}), "no record is in the slice"),
        (Superior("accuracy", where={"wave": "3"}), "no record is in the slice"),
        (Superior("roc_auc", where={"wave": 3, "y": 1}), "no evidence: "),
        (Superior("accuracy", min_records=500), "300 records, and at least 500"),
        (Superior("accuracy", min_discordant=299), "discordant pairs, and at least 299"),
        (Superior("roc_auc", min_discordant=1), "this test counts none"),
        (Superior("accuracy", test="bcv_mcnemar"), "is not valid for hold-out"),
    ]:
        decision = Gate(condition).decide(scored(300, shift=3), COLUMNS, y_true="y")

        assert "inconclusive" == decision.status
        assert reason in decision.outcomes[0].reasons[0]


def test_exact_is_exact_or_nothing():
    """Where an exact test was requested, no other one takes its place."""
    y, predictions = predictions_of(BETTER)
    exact = Superior("accuracy", exact=True)
    grouped = one(exact, y, predictions, groups=np.arange(len(y)) // 4)
    single = one(exact, y, predictions)

    assert "an exact test was requested" in grouped.reasons[0]
    assert (single.passed, grouped.status) == (True, "inconclusive")


def test_a_champion_without_skill_is_no_measure():
    """Probabilities of the wrong class rank worse than chance, which is said."""
    frame = scored(400, shift=3)
    wrong = frame.assign(old=1 - frame.old, new=1 - frame.new)
    condition = NonInferior("roc_auc", margin=0.2)
    found = one(condition, wrong, COLUMNS, y_true="y")

    assert "worse-than-no-skill" in found.flags
    assert () == one(condition, frame, COLUMNS, y_true="y").flags


def test_text_tell_sides_apart():
    """A limit just below 0 is not shown as 0, and a refuted condition has its own p."""
    close = one(Superior("accuracy"), *predictions_of(ContingencyTable(800, 40, 56, 104)))
    worse = one(Superior("accuracy"), *predictions_of(BETTER.swap()))
    nobody = one(
        Superior("accuracy", where={"site": "Nord"}), scored(50), COLUMNS, y_true="y"
    )

    assert "must be above 0 (95 % confidence)" in close.reasons[0]
    assert "at least 0.000" not in close.reasons[0]
    assert "p of the opposite = " in worse.reasons[0]
    assert nobody.reasons[0].endswith("in the slice: site has north, south")


def test_the_same_predictions_never_pass():
    """A model against itself is no challenger, also where it is surely not worse."""
    y, predictions = predictions_of(BETTER)
    gate = Gate(NonInferior("accuracy", margin=0.1))
    decision = gate.decide(y, {"old": predictions["new"], "new": predictions["new"]})

    assert decision.outcomes[0].passed
    assert "inconclusive" == decision.status
    assert ("same-predictions",) == decision.flags
    assert decision.reasons[0].startswith("same-predictions")


def test_numbers_of_the_gate_are_those_of_its_conditions():
    """A condition without own numbers has those of the gate, where its test has them."""
    frame = scored(300)
    conditions = Superior("accuracy"), Superior("accuracy", min_records=200, margin=0.01)
    gate = Gate(*conditions, Superior("roc_auc"), min_records=400, min_discordant=5)
    decision = gate.decide(frame, COLUMNS, y_true="y")

    assert [True, False, True] == [outcome.blocked for outcome in decision.outcomes]
    assert [400, 400] == [o.records_needed for o in decision.outcomes if o.blocked]


def test_what_was_trained_anew_is_judged_by_its_design():
    """A fitted comparator has the tests of its splits; another one is refused."""
    frame = scored(400)
    X = frame[["old", "new"]].to_numpy()
    pair = DummyClassifier(), LogisticRegression()
    comparator = PairedComparator(*pair, random_state=0)
    conditions = [
        Superior("accuracy", margin=0.05),
        NonInferior("balanced_accuracy", margin=0.1),
    ]
    gate = Gate(*conditions)
    with pytest.raises(ValueError, match="not fitted yet"):
        gate.decide(comparator)
    decision = gate.decide(comparator.fit(X, frame.y))

    assert ["bcv_jackknife_t", "bcv_jackknife_t"] == [o.row.test for o in decision.outcomes]
    assert decision.passed
    with pytest.raises(ValueError, match="roc_auc needs probabilities"):
        Gate(Superior("roc_auc")).decide(comparator)


def test_refused():
    """What no gate can be made of is refused with what to do."""
    for make, message in [
        (lambda: Superior("expected_calibration_error"), "'squared_calibration_error'"),
        (lambda: Superior("acuracy"), "Did you mean 'accuracy'"),
        (lambda: Superior(max), "must be a name"),
        (lambda: NonInferior("accuracy", margin=-0.02), "greater than 0. Got -0.02"),
        (lambda: NonInferior("accuracy", margin=float("nan")), "Got nan"),
        (lambda: Equivalent("accuracy", margin=True), "Got True"),
        (lambda: Superior("accuracy", margin=float("inf")), "Got inf"),
        (lambda: Superior("accuracy", test="delong"), "not a test of accuracy"),
        (lambda: Superior("accuracy", test="relative_accuracy"), "of kind 'ratio'"),
        (lambda: Superior("accuracy", test="mcnemer"), "Did you mean 'mcnemar'"),
        (lambda: Superior("accuracy", options={"method": "exact"}), "needs `test`"),
        (
            lambda: Superior(
                "neg_log_loss", test="paired_t", options={"loss": "spherical_loss"}
            ),
            r"mean of the loss 'log_loss'\. Got loss='spherical_loss'",
        ),
        (
            lambda: Superior("accuracy", test="mcnemar", options={"null_value": 1}),
            "follows from the condition",
        ),
        (lambda: Superior("accuracy", test="mcnemar", anytime=True), "Pass one of them"),
        (lambda: Superior("accuracy", exact=1), "exact"),
        (lambda: Superior("f1", exact=True), "is for accuracy. Got 'f1'"),
        (lambda: Superior("accuracy", test="conservative_z", exact=True), "as well"),
        (
            lambda: Superior(
                "accuracy", test="mcnemar", options={"method": "mid-p"}, exact=True
            ),
            "Got method='mid-p' as well",
        ),
        (lambda: Superior("accuracy", min_records=0), "min_records"),
        (lambda: Superior("accuracy", where={}), "`where` must be a dict"),
        (lambda: Superior("accuracy", where={"site": {}}), "Got 'site': {}"),
        (lambda: AnyOf(Superior("accuracy")), "two or more"),
        (lambda: AnyOf(Superior("f1"), Superior("f1")), "occur once"),
        (lambda: Gate(), "Got no condition"),
        (lambda: Gate("accuracy"), "Got str"),
        (lambda: Gate(Superior("accuracy"), alpha=0.5), "below 1/2"),
        (lambda: Gate(Superior("accuracy"), tell_inconclusive=1), "True or False"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message.replace("(", r"\(")):
            make()


def test_refused_data():
    """A gate judges two, by true labels, with the columns of its slices."""
    y, predictions = predictions_of(BETTER)
    gate = Gate(Superior("accuracy", where={"site": "north"}))
    with pytest.raises(ValueError, match="compares two, the champion first"):
        gate.decide(y, predictions | {"newest": y})
    with pytest.raises(ValueError, match="needs true labels"):
        gate.decide(None, predictions)
    with pytest.raises(ValueError, match="needs column 'site'"):
        gate.decide(y, predictions)
    with pytest.raises(ValueError, match=r"Columns can be named where .* id='record'"):
        gate.decide(y, predictions, id="record")
    with pytest.raises(ValueError, match="true labels were passed twice"):
        gate.decide(y, predictions, y_true=y)
    with pytest.raises(ValueError, match="site"):
        gate.decide(scored(20), COLUMNS | {"new": "site"}, y_true="no column")


def test_training_records_are_not_judged():
    """Records that were trained on are refused, by id or by their features."""
    frame = scored(60).assign(id=range(60), x=np.linspace(0, 1, 60))
    gate = Gate(Superior("accuracy"))
    apart = frame.assign(id=range(100, 160), x=frame.x + 2)
    words = {"y_true": "y", "id": "id"}
    for train, given in (
        (frame.iloc[[3, 5]], {}),
        (frame.iloc[[3, 5]].drop(columns="id"), {"features": ["x"]}),
    ):
        with pytest.raises(ValueError, match=r"2 of 60 records of .* ids 3, 5"):
            gate.decide(frame, COLUMNS, train=train, **given, **words)

    assert gate.decide(frame, COLUMNS, train=apart, **words).n_records == 60
    with pytest.raises(ValueError, match="cannot be looked up"):
        gate.decide(frame, COLUMNS, y_true="y", train=apart)
    with pytest.raises(ValueError, match="Got arrays of predictions"):
        gate.decide(frame.y, {n: frame[n] for n in COLUMNS}, train=apart)


def test_features_are_those_of_training_data():
    """Features without training data, or one text in their place, are refused."""
    frame = scored(60).assign(x=np.linspace(0, 1, 60))
    gate = Gate(Superior("accuracy"))
    words = {"y_true": "y"}

    with pytest.raises(
        ValueError, match=r"no training data is given. Got features=\['x'\]"
    ):
        gate.decide(frame, COLUMNS, features=["x"], **words)
    with pytest.raises(ValueError, match="Pass `train`, or leave `features` out"):
        gate.decide(frame.y, {n: frame[n] for n in COLUMNS}, features=("x",))
    with pytest.raises(TypeError, match=r"Got 'x'. Pass \['x'\]"):
        gate.decide(frame, COLUMNS, features="x", train=frame, **words)


def test_records_are_not_sliced_by_predictions():
    """Columns of predictions make no slices and no groups, as in the shell."""
    frame = scored(60)
    frame = frame.assign(a=1 - frame.new, said=frame.new.round().astype(int))
    other = frame[["new", "site"]].assign(id=range(60))
    forms = (
        ("old", COLUMNS, {}),
        ("new", COLUMNS, {}),
        ("a", COLUMNS | {"new": ["a", "new"]}, {}),
        ("said", COLUMNS | {"new": {"labels": "said", "proba": "new"}}, {}),
        ("new", COLUMNS | {"new": (other, "new")}, {"id": "id"}),
    )
    for name, predictions, words in forms:
        gate = Gate(Superior("accuracy"), Superior("f1", where={name: [0, 1]}))
        with pytest.raises(ValueError, match=f"Column '{name}' has the .*'s predictions"):
            gate.decide(frame.assign(id=range(60)), predictions, y_true="y", **words)
    with pytest.raises(ValueError, match="not sliced or grouped by predictions"):
        Gate(Superior("accuracy")).decide(frame, COLUMNS, y_true="y", groups="new")
    # What is passed beside the frame is no column of it.
    gate = Gate(Superior("accuracy", where={"new": "north"}))
    decision = gate.decide(frame, COLUMNS, y_true="y", columns={"new": frame.site})

    assert (frame.site == "north").sum() == decision.outcomes[0].n_records


def test_conditions_are_values():
    """Equal conditions are equal, say what they ask, and cannot be changed by accident."""
    where = {"site": ("north", "south")}
    condition = NonInferior("precision[1]", margin=0.02, where=where)
    where["site"] = "east"

    assert "precision[1] is worse by less than 0.02, where site in north, south" == (
        condition.text
    )
    assert condition == NonInferior(
        "precision[1]", margin=0.02, where={"site": ["north", "south"]}
    )
    assert isinstance(condition.where, MappingProxyType)
    assert {
        "noninferior": "precision[1]",
        "margin": 0.02,
        "where": {"site": ["north", "south"]},
    } == condition.to_dict()
    values = Gate(condition, AnyOf(Superior("f1"), Superior("roc_auc"))).to_dict()
    assert ["noninferior", "any_of"] == [next(iter(one)) for one in values["condition"]]
    assert values == Policy.from_dict(values).gate.to_dict()


def test_conditions_and_gates_show_what_was_written():
    """What is printed makes the same again, and leaves out what is the default."""
    part = NonInferior("f1", margin=0.02, where={"site": ["north"]}, min_records=50)
    gate = Gate(Superior("accuracy", exact=True), AnyOf(part, Superior("f1")), alpha=0.01)

    assert "Superior('accuracy')" == repr(Superior("accuracy"))
    assert gate == eval(repr(gate))
    assert hash(gate) == hash(eval(repr(gate)))
    assert repr(gate).endswith("Superior('f1')), alpha=0.01)")


def test_gates_and_decisions_travel():
    """A gate and its decision are what they were after a pickle and a deep copy."""
    where = {"site": ["north", "south"]}
    parts = Superior("f1_macro", where=where), Superior("roc_auc", **DELONG)
    gate = Gate(NonInferior("accuracy", margin=0.02, where=where), AnyOf(*parts))
    decision = gate.decide(scored(200), COLUMNS, y_true="y")

    for travelled in (lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy):
        assert gate == travelled(gate)
        assert str(decision) == str(travelled(decision))


def test_names_are_found_when_requested_for():
    """The package lists its names, and an unknown one is an error that names it."""
    assert set(skcompare.gate.__all__) <= set(dir(skcompare.gate))
    for name in skcompare.gate.__all__:
        assert getattr(skcompare.gate, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Gates'"):
        _ = skcompare.gate.Gates
