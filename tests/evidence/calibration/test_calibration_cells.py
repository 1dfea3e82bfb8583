"""Evidence of calibration as sums over cells: how they are made, merged and refused."""

import itertools
import pickle
from functools import cache

import numpy as np
import pytest

from skcompare.evidence import PairedCalibration
from skcompare.evidence.calibration import _calibration
from skcompare.evidence.calibration import _cells as module
from skcompare.evidence.core._bins import ALL_SUMS, POWERS, SUMS, cell_sums

EDGES = np.arange(6) / 5


def predictions(kind, seed=0, n=300):
    """True labels and probabilities of two classifiers, rounded so that some are equal."""
    rng = np.random.default_rng(seed)
    k = 2 if kind == "binary" else 3
    proba = rng.dirichlet(np.full(k, 0.7), size=(2, n)).round(2)
    proba[..., -1] = 1 - proba[..., :-1].sum(axis=-1)
    return np.arange(n) % k, *proba.clip(0, 1)


def records(kind, seed=0, **options):
    return PairedCalibration.from_predictions(
        *predictions(kind, seed), kind=kind, **{"n_bins": 5} | options
    )


def group_by(calibration, names=ALL_SUMS):
    """Cells, counts and sums as an engine gives them, by a plain loop over the cells."""
    rows = np.column_stack([*calibration.codes, *calibration.outcomes]).astype(int)
    cells = np.unique(rows, axis=0)
    terms = cell_sums(calibration.proba, tuple(rows.T[2:]))
    inside = [(rows == cell).all(axis=1) for cell in cells]
    sums = {name: [float(terms[name][each].sum()) for each in inside] for name in names}
    return cells, [int(each.sum()) for each in inside], sums


def close(one, other, rel=1e-12):
    """Whether two reduced pieces of evidence have the same cells, and nearly the sums."""
    a, b = one.cells, other.cells
    assert a.code.tolist() == b.code.tolist()
    assert a.counts.tolist() == b.counts.tolist()
    assert a.sums == pytest.approx(b.sums, rel=rel, abs=1e-14 * one.n)
    assert (one.kind, one.n_bins, one.design) == (other.kind, other.n_bins, other.design)


def test_names_and_formulas():
    """Each name is its formula, and those of low powers come first."""
    p, q = np.array([[0.3, 0.0, 1.0], [0.5, 1.0, 0.2]])
    terms = cell_sums((p, q), (np.array([1, 1, 0]), np.array([1, 0, 0])))

    assert list(ALL_SUMS) == list(terms)
    assert list(SUMS) == list(cell_sums((p, q), (p, q), degree=4))
    assert (17, 47) == (len(SUMS), len(ALL_SUMS))
    assert [False, True, True] == terms["champion_refuted"].tolist()
    assert [False, True, False] == terms["challenger_refuted"].tolist()
    for name, (i, j) in POWERS.items():
        assert ((p + q) / 2) ** i * (q - p) ** j == pytest.approx(terms[name]), name


@pytest.mark.parametrize("kind", ["binary", "top_label"])
def test_bins_and_errors(kind):
    """Errors, bins and curves from sums are those of the records."""
    whole = records(kind)
    reduced = whole.reduced()

    assert None is reduced.proba is reduced.outcomes is reduced.codes is reduced.groups
    assert (whole.n, whole.n_bins) == (reduced.n, reduced.n_bins)
    assert np.array_equal(whole.edges, reduced.edges)
    for role in ("champion", "challenger"):
        one, other = whole.bins(role), reduced.bins(role)
        assert one.count.tolist() == other.count.tolist()
        assert one.outcome.tolist() == other.outcome.tolist()
        assert one.proba == pytest.approx(other.proba, rel=1e-12)
        assert whole.error(role) == pytest.approx(reduced.error(role), rel=1e-12)
        curves = (each.curve(role).high for each in (whole, reduced))
        assert next(curves) == pytest.approx(next(curves), rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("kind", ["binary", "top_label"])
def test_ways_to_the_same_cells(kind, monkeypatch):
    """Records, predictions taken a few at a time, and a group-by have the same cells."""
    whole = records(kind)
    reduced = whole.reduced()
    monkeypatch.setattr(_calibration, "CHUNK", 37)
    monkeypatch.setattr(module, "MOST_PENDING", 50)

    close(reduced, whole.reduced())
    close(reduced, records(kind, keep_values=False))
    close(reduced, records(kind, keep_values=False, edges=EDGES))
    close(reduced, PairedCalibration.from_cells(*group_by(whole), EDGES, kind=kind))


def test_cells_of_few_bins_are_those_of_many():
    """Sums of a table of all cells and sums of sorted cells are the same bits."""
    rng = np.random.default_rng(1)
    code = rng.integers(40, size=500)
    terms = [rng.random(500), rng.random(500) < 0.5]

    few, many = (module._counted(code, n_cells, terms) for n_cells in (40, 501))
    assert all(map(np.array_equal, few, many))


@pytest.mark.parametrize("strategy", ["equal_mass", "quantile"])
def test_bins_that_depend_on_the_records(strategy):
    """Bins of equal mass are laid before the records are dropped."""
    whole = records("binary", strategy=strategy)

    assert whole.reduced() == records("binary", strategy=strategy, keep_values=False)


def test_predictions_in_any_form():
    """What is taken a few records at a time is what is taken whole, labels and all."""
    for proba, y in itertools.product(
        [np.array([0.1, 0.9, 0.4]), [0.1, 0.9, 0.4], np.float32([0.5, 0.25, 0.75])],
        [[0, 1, 1], ["a", "b", "b"], [1, 1, 1], [False, True, True]],
    ):
        options = {"n_bins": 3, "pos_label": "b" if y[0] == "a" else None}
        whole = PairedCalibration.from_predictions(y, proba, proba, **options)
        parts = PairedCalibration.from_predictions(
            y, proba, proba, keep_values=False, **options
        )

        assert whole.reduced() == parts


def test_faults_are_found_in_parts(monkeypatch):
    """A fault in a later part is named by its place in all records."""
    monkeypatch.setattr(_calibration, "CHUNK", 10)
    y, one, other = predictions("top_label")
    one = one.copy()
    one[123] = [0.5, 0.6, 0.1]

    with pytest.raises(ValueError, match=r"Row 123 sums to 1\.2"):
        PairedCalibration.from_predictions(y, one, other, keep_values=False)
    one[123] = np.nan
    with pytest.raises(ValueError, match="missing values"):
        PairedCalibration.from_predictions(y, one, other, keep_values=False)


def test_repeated_and_empty_cells():
    """Cells that are repeated add up, and those without records are left out."""
    whole = records("binary")
    cells, counts, sums = group_by(whole)
    twice = PairedCalibration.from_cells(
        np.concatenate([cells, [[0, 0, 1, 0]], cells]),
        [*counts, 0, *counts],
        {name: [*values, 0.0, *values] for name, values in sums.items()},
        (EDGES, EDGES),
    )

    close(whole.reduced() + whole.reduced(), twice)
    assert 2 * whole.n == twice.n


@pytest.mark.parametrize("kind", ["binary", "top_label"])
def test_shards_add_up(kind):
    """Shards are the whole, and one with records and one without make one without."""
    one, other = records(kind, 1), records(kind, 2)
    both = (one + other).reduced()

    close(both, one.reduced() + other.reduced())
    close(both, one + other.reduced())
    close(both, one.reduced() + other)
    close(both, sum([one.reduced(), other]))
    lower = PairedCalibration.from_cells(*group_by(other, SUMS), EDGES, kind=kind)
    assert both.cells.sums[: len(SUMS)] == pytest.approx(
        (one.reduced() + lower).cells.sums, rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize("kind", ["binary", "top_label"])
def test_swap(kind):
    """Roles are exchanged in the sums as in the records, twice nothing."""
    whole = records(kind, edges=(EDGES, [0, 0.3, 1]))
    reduced = whole.reduced()

    close(whole.swap().reduced(), reduced.swap(), rel=1e-10)
    assert reduced == reduced.swap().swap()
    assert reduced != reduced.swap()


def test_equality_pickle_and_text():
    """Evidence is equal by content, comes back from pickle, and says what it is."""
    whole, reduced = records("binary"), records("binary").reduced()
    restored = pickle.loads(pickle.dumps(reduced))

    assert restored == reduced == reduced.reduced()
    assert hash(restored) == hash(reduced)
    assert whole == records("binary") == pickle.loads(pickle.dumps(whole))
    assert whole != reduced
    assert whole != records("binary", 1)
    assert reduced != records("binary", n_bins=6).reduced()
    assert whole != 1
    assert repr(reduced).endswith("n_bins=(5, 5), design='holdout', sums only)")
    for array in (restored.cells.code, restored.cells.counts, restored.cells.sums):
        with pytest.raises(ValueError, match="read-only"):
            array[:1] = 0


def test_what_has_no_sums():
    """Classwise events and groups are refused, with what to do."""
    classwise, grouped = (
        records("top_label", groups=np.arange(300) % 7),
        predictions("binary"),
    )
    with pytest.raises(ValueError, match="Groups are lost"):
        classwise.reduced()
    with pytest.raises(ValueError, match="Classwise events have no sums"):
        records("top_label").from_cells([], [], {}, EDGES, kind="classwise")
    with pytest.raises(ValueError, match="Classwise events have no sums"):
        PairedCalibration.from_predictions(
            *predictions("top_label"), kind="classwise", keep_values=False
        )
    with pytest.raises(ValueError, match="Groups are lost"):
        PairedCalibration.from_predictions(*grouped, groups=grouped[0], keep_values=False)
    with pytest.raises(TypeError, match="`keep_values` must be True or False"):
        PairedCalibration.from_predictions(*grouped, keep_values=0)


@cache
def right_cells():
    """A group-by that is right."""
    return group_by(records("binary"))


def changed(what):
    """A group-by with something wrong."""
    cells, counts, sums = right_cells()
    cells, counts = cells.copy(), list(counts)
    sums = {name: list(values) for name, values in sums.items()}
    what(cells, counts, sums)
    return cells, counts, sums


def turned(sums, name, factor=-1):
    """Sums of a name times a factor, or that where they are 0."""
    sums[name] = [factor * value if value else factor for value in sums[name]]


def test_wrong_cells():
    """Cells, counts and sums that cannot be are refused."""
    for what, message in [
        (lambda cells, counts, sums: cells.__setitem__((0, 0), 5), "below the numbers of"),
        (lambda cells, counts, sums: cells.__setitem__((0, 2), -1), "below the numbers"),
        (lambda cells, counts, sums: cells.__setitem__((0, 0), 4), "in the bin from 0.8"),
        (lambda cells, counts, sums: counts.__setitem__(0, 1.5), "whole counts"),
        (lambda cells, counts, sums: counts.pop(), r"shape \(n_cells, 4\)"),
        (lambda cells, counts, sums: counts.__imul__(0), "whole counts|n_cells"),
        (lambda cells, counts, sums: sums.pop("m2d0"), "Missing: m2d0"),
        (lambda cells, counts, sums: sums.pop("m8d0"), "Missing: m8d0"),
        (lambda cells, counts, sums: sums.update(m9d0=1), "Unknown: m9d0"),
        (lambda cells, counts, sums: sums["m2d0"].pop(), "one number per cell"),
        (lambda cells, counts, sums: sums["m2d0"].__setitem__(0, np.nan), "missing ones"),
        (lambda cells, counts, sums: sums["m2d0"].__setitem__(0, 1e9), "in \\[0, 1\\]"),
        (lambda cells, counts, sums: turned(sums, "m0d1"), "Got m0d1 that contradict"),
        (lambda cells, counts, sums: turned(sums, "m4d0"), "Got m4d0 that contradict"),
        (lambda cells, counts, sums: turned(sums, "m2d0", 0.1), "Got m2d0 that contra"),
        (lambda cells, counts, sums: turned(sums, "champion_refuted", -1), "champion_ref"),
        (lambda cells, counts, sums: cells.__setitem__((0, 2), 1 - cells[0, 2]), "same ev"),
    ]:
        with pytest.raises(ValueError, match=message):
            PairedCalibration.from_cells(*changed(what), EDGES)


def test_what_sums_do_not_say():
    """Groups cannot be distinguished in sums, and edges and names have to be there."""
    cells, counts, sums = group_by(records("binary"))
    with pytest.raises(ValueError, match="Groups are lost"):
        PairedCalibration.from_cells(cells, counts, sums, EDGES, design="grouped holdout")
    whole = records("binary")
    arrays = whole.proba, whole.outcomes, whole.edges
    with pytest.raises(ValueError, match="Groups are lost"):
        PairedCalibration(*arrays, design="grouped holdout").reduced()
    with pytest.raises(ValueError, match="`edges` must be the edges of the bins"):
        PairedCalibration.from_cells(cells, counts, sums, None)
    with pytest.raises(TypeError, match="mapping of names to arrays"):
        PairedCalibration.from_cells(cells, counts, list(sums.values()), EDGES)


def test_no_records():
    """Cells without a record are no evidence, nor cells of other bins."""
    cells, counts, sums = group_by(records("binary"))
    nothing = {name: np.zeros(len(counts)) for name in sums}
    with pytest.raises(ValueError, match="at least one record"):
        PairedCalibration.from_cells(cells, np.zeros(len(counts), int), nothing, EDGES)
    reduced = records("binary").reduced()
    with pytest.raises(ValueError, match="those of the bins that `edges` make"):
        PairedCalibration(None, None, ([0, 1], [0, 1]), cells=reduced.cells)
    whole = records("binary")
    with pytest.raises(ValueError, match="go without `proba`"):
        PairedCalibration(whole.proba, whole.outcomes, whole.edges, cells=reduced.cells)
