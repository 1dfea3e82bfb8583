"""Records that are counted and added up where they are."""

import decimal
import itertools
import re
import sys

import numpy as np
import pytest

from skcompare._io import engine
from skcompare._io.columns import source_of
from skcompare._io.engine import table_of
from skcompare._registry import metrics
from skcompare.evidence import (
    ClusterSums,
    JointCounts,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
    ScoreBins,
    TallyRequest,
    tally_arrays,
    tally_frame,
)
from skcompare.evidence.tally._tally import summable_losses

ALL = {"labels": True, "losses": ("brier_score", "log_loss"), "calibration": True}
ROLES = "champion", "challenger"
BOTH = {"champion": "p", "challenger": "q"}
SUMS = "n", "champion", "challenger", "gain"
SQUARES = "champion_squares", "challenger_squares", "gain_squares", "products"


def records(n=600, seed=3):
    """Columns of labels, probabilities, scores and groups."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    p = np.clip(0.3 * y + 0.7 * rng.random(n), 0, 1)
    q = np.clip(p + 0.1 * rng.standard_normal(n), 0, 1)
    third = rng.dirichlet([1, 1, 1], (2, n))
    words = np.array(["no", "yes"])
    return {
        "y": y,
        "word": words[y],
        "three": rng.integers(0, 3, n),
        "a": (p > 0.5).astype(int),
        "b": (q > 0.5).astype(int),
        "said": words[(q > 0.5).astype(int)],
        "p": p,
        "q": q,
        "few": q.round(2),
        "score": 10 * q - 3,
        "user": rng.integers(0, 20, n),
        "id": rng.permutation(n),
    } | {f"{role}{k}": third[i, :, k] for i, role in enumerate("uv") for k in range(3)}


@pytest.fixture(scope="module")
def columns():
    """600 records."""
    return records()


@pytest.fixture
def polars():
    """Polars, whose lazy frames are the engine of the usual tests."""
    pytest.importorskip("narwhals")
    pytest.importorskip("pyarrow")
    return pytest.importorskip("polars")


def lazy(polars, columns):
    """A lazy frame of some columns."""
    return polars.DataFrame(dict(columns)).lazy()


def assert_same_losses(expected, actual):
    """Moments agree to 12 digits, counts exactly."""
    assert (expected.clipped, expected.loss) == (actual.clipped, actual.loss)
    for name in (*SUMS, *SQUARES):
        own, others = (getattr(one.moments, name) for one in (expected, actual))
        assert own == pytest.approx(others, rel=1e-11, abs=1e-13)
    assert (expected.groups is None) == (actual.groups is None)
    if expected.groups is not None:
        assert expected.groups.labels.tolist() == actual.groups.labels.tolist()
        assert expected.groups.gains == pytest.approx(actual.groups.gains, abs=1e-12)


def assert_same_bins(expected, actual):
    """Bins agree to 12 digits, counts exactly."""
    assert (expected.kind, expected.n_bins) == (actual.kind, actual.n_bins)
    for role in (0, 1):
        own, others = expected.bins(role), actual.bins(role)
        assert own.count.tolist() == others.count.tolist()
        assert expected.error(role) == pytest.approx(actual.error(role), rel=1e-12)


@pytest.mark.parametrize("truth", ["y", "word"])
def test_labels_of_an_engine(polars, columns, truth):
    """Counts of a lazy frame are those of the arrays, of numbers and of texts."""
    own = ("a", "b") if truth == "y" else ("said", "said")
    names = {"y_true": truth, "champion": own[0], "challenger": own[1]}
    arrays = [columns[name] for name in names.values()]

    assert JointCounts.from_predictions(*arrays) == JointCounts.from_frame(
        lazy(polars, columns), **names
    )
    assert ClusterSums.from_predictions(
        *arrays, groups=columns["user"]
    ) == ClusterSums.from_frame(lazy(polars, columns), **names, groups="user")


def test_losses_of_an_engine(polars, columns):
    """Moments of a lazy frame are those of the arrays."""
    for loss, groups in itertools.product(summable_losses(), [None, "user"]):
        options = {"loss": loss, "eps": 0.01} if loss == "log_loss" else {"loss": loss}
        expected = PairedLosses.from_predictions(
            columns["y"],
            columns["p"],
            columns["q"],
            groups=None if groups is None else columns[groups],
            keep_values=False,
            **options,
        )

        assert_same_losses(
            expected,
            PairedLosses.from_frame(
                lazy(polars, columns), **BOTH, groups=groups, **options
            ),
        )


def test_simple_expressions_of_an_engine(polars, columns, monkeypatch):
    """One number for all, and truth values, are losses of arrays and engines alike."""
    monkeypatch.setattr(metrics, "_losses", dict(metrics._losses))
    metrics.record_loss("constant", expression=True)(lambda ops, y, proba: 1)
    metrics.record_loss("surprise", expression=True)(lambda ops, y, proba: proba[1] < y / 2)

    for loss in ("constant", "surprise"):
        expected = PairedLosses.from_predictions(
            columns["y"], columns["p"], columns["q"], loss=loss, keep_values=False
        )
        own = PairedLosses.from_frame(lazy(polars, columns), **BOTH, loss=loss)
        assert_same_losses(expected, own)
    metrics.record_loss("plain", target="numbers")(lambda y, p: p)
    with pytest.raises(ValueError, match="Unknown loss of sums 'plain'"):
        TallyRequest(losses=("plain",))


def test_own_eps_of_an_engine(polars, columns, monkeypatch):
    """A loss with an option `eps` has its own default, or is the only one that takes it."""
    monkeypatch.setattr(metrics, "_losses", dict(metrics._losses))

    @metrics.record_loss("bounded", expression=True)
    def bounded(ops, y, proba, *, eps=0.2):
        return ops.where(proba[1] < eps, eps, proba[1])

    for options in ({"loss": "bounded"}, {"loss": "bounded", "eps": 0.4}):
        expected = PairedLosses.from_predictions(
            columns["y"], columns["p"], columns["q"], keep_values=False, **options
        )
        own = PairedLosses.from_frame(lazy(polars, columns), **BOTH, **options)
        assert_same_losses(expected, own)
        assert expected.loss == own.loss
    with pytest.raises(ValueError, match=r"Got eps=0\.4 and log_loss, bounded\."):
        TallyRequest(losses=("log_loss", "bounded"), eps=0.4)


def test_three_classes_of_an_engine(polars, columns):
    """Columns of three classes give the losses, top-label bins and labels of arrays."""
    sides = {side: [f"{side}{k}" for k in range(3)] for side in "uv"}
    names = {"champion": sides["u"], "challenger": sides["v"], "y_true": "three"}
    arrays = [np.column_stack([columns[one] for one in own]) for own in sides.values()]
    frame = lazy(polars, columns)
    tally = tally_frame(frame, "three", sides, TallyRequest(labels=True))

    for loss in ("multiclass_brier_loss", "brier_score", "log_loss", "spherical_loss"):
        assert_same_losses(
            PairedLosses.from_predictions(
                columns["three"], *arrays, loss=loss, keep_values=False
            ),
            PairedLosses.from_frame(frame, **names, loss=loss),
        )
    assert_same_bins(
        PairedCalibration.from_predictions(columns["three"], *arrays),
        PairedCalibration.from_frame(frame, **names),
    )
    assert JointCounts.from_predictions(
        columns["three"], *(array.argmax(axis=1) for array in arrays)
    ) == JointCounts.from_tally(tally)


def test_calibration_of_an_engine(polars, columns):
    """Bins of a lazy frame are those of the arrays."""
    for options in [
        {},
        {"n_bins": 7},
        {"edges": [0, 0.1, 0.5, 1, 1]},
        {"kind": "top_label"},
    ]:
        assert_same_bins(
            PairedCalibration.from_predictions(
                columns["y"], columns["p"], columns["q"], **options
            ),
            PairedCalibration.from_frame(lazy(polars, columns), **BOTH, **options),
        )


def test_probabilities_at_edges(polars):
    """A probability at an edge, or beside one, is in the same bin on an engine."""
    for n_bins in [3, 10, 15, 49]:
        edges = np.arange(n_bins + 1) / n_bins
        p = np.unique(
            np.clip([edges, np.nextafter(edges, 0), np.nextafter(edges, 1)], 0, 1)
        )
        y = np.arange(len(p)) % 2
        frame = lazy(polars, {"y": y, "p": p, "q": p[::-1].copy()})

        assert_same_bins(
            PairedCalibration.from_predictions(y, p, p[::-1], n_bins=n_bins),
            PairedCalibration.from_frame(frame, **BOTH, n_bins=n_bins),
        )


@pytest.mark.parametrize("pos_label", [None, "no", "yes"])
def test_one_column_of_either_class(polars, columns, pos_label):
    """One column is of the class that is named, and strings have no default."""
    frame = lazy(polars, columns)
    names = {"y_true": "word", **BOTH, "pos_label": pos_label}
    arrays = columns["word"], columns["p"], columns["q"]
    if pos_label is None:
        with pytest.raises(ValueError, match="pass `pos_label`"):
            PairedLosses.from_frame(frame, **names)
        return

    assert_same_losses(
        PairedLosses.from_predictions(
            *arrays, loss="brier_score", pos_label=pos_label, keep_values=False
        ),
        PairedLosses.from_frame(frame, **names),
    )
    assert_same_bins(
        PairedCalibration.from_predictions(*arrays, pos_label=pos_label),
        PairedCalibration.from_frame(frame, **names),
    )
    assert PlacementValues.from_predictions(
        *arrays, pos_label=pos_label, names=ROLES
    ) == PlacementValues.from_frame(frame, **names)


def test_ranking_by_few_scores_is_exact(polars, columns):
    """Scores with few different values are ranked as they are, also from counts."""
    expected = PlacementValues.from_predictions(
        columns["y"], columns["few"], columns["few"]
    )
    counted = PlacementValues.from_frame(
        lazy(polars, columns), champion="few", challenger="few", collect=0
    )

    assert counted.score_bins is None
    assert expected.aucs.tolist() == counted.aucs.tolist()
    assert expected.covariance.tolist() == counted.covariance.tolist()


@pytest.mark.parametrize("name", ["p", "score"])
def test_ranking_by_levels(polars, columns, name):
    """Levels of an engine give the cells of arrays with the same levels."""
    frame = lazy(polars, columns)
    counted = PlacementValues.from_frame(
        frame, champion=name, challenger="few", collect=0, n_score_bins=128
    )
    scores = columns[name], columns["few"]

    assert 128 == counted.score_bins[0].n_score_bins
    assert counted.score_bins[1].is_distinct
    assert counted == PlacementValues.from_predictions(
        columns["y"], *scores, score_bins=counted.score_bins, names=ROLES
    )
    assert counted == PlacementValues.from_frame(
        frame, champion=name, challenger="few", score_bins=counted.score_bins
    )


def test_sorted_scores_do_not_mislead(polars):
    """The first records of a sorted column repeat few values, and the others do not."""
    scores = np.sort(np.concatenate([np.zeros(30_000), np.linspace(0, 1, 10_000)]))
    y = np.arange(len(scores)) % 2
    frame = lazy(polars, {"y": y, "p": scores, "q": scores})
    counted = PlacementValues.from_frame(frame, **BOTH, collect=0)

    assert 512 == counted.score_bins[0].n_score_bins
    assert 0.5 == pytest.approx(counted.aucs[0], abs=1e-3)


def test_all_at_once(polars, columns):
    """One tally holds everything, and is that of the arrays."""
    requested = TallyRequest(**ALL, ranking=True)
    predictions = {"old": "p", "new": "q"}
    counted = tally_frame(lazy(polars, columns), "y", predictions, requested)
    known = tally_arrays(
        columns["y"], {"old": columns["p"], "new": columns["q"]}, requested
    )

    assert JointCounts.from_tally(known) == JointCounts.from_tally(counted)
    assert PlacementValues.from_tally(known) == PlacementValues.from_tally(counted)
    assert_same_bins(
        PairedCalibration.from_tally(known), PairedCalibration.from_tally(counted)
    )
    for loss in ("brier_score", "log_loss"):
        assert_same_losses(
            PairedLosses.from_tally(known, loss=loss),
            PairedLosses.from_tally(counted, loss=loss),
        )


def test_batches_add_up(columns):
    """Tallies of batches are that of all records, with groups in several batches."""
    truth, predictions = columns["y"], {"old": columns["p"], "new": columns["q"]}

    def tally(rows, requested, groups):
        some = {name: values[rows] for name, values in predictions.items()}
        own = columns["user"][rows] if groups else None
        return tally_arrays(truth[rows], some, requested, groups=own)

    plain = TallyRequest(**ALL, ranking=True, score_bins=ScoreBins.uniform(64))
    grouped = TallyRequest(labels=True, losses=("binary_brier_loss",))
    parts = [slice(0, 100), slice(100, 350), slice(350, None)]
    for requested, groups in ((plain, False), (grouped, True)):
        whole = tally(slice(None), requested, groups)
        added = sum(tally(rows, requested, groups) for rows in parts)

        assert whole.n == added.n
        assert JointCounts.from_tally(whole) == JointCounts.from_tally(added)
        loss = requested.losses[0]
        assert_same_losses(
            PairedLosses.from_tally(whole, loss=loss),
            PairedLosses.from_tally(added, loss=loss),
        )
    assert ClusterSums.from_tally(whole) == ClusterSums.from_tally(added)


def test_batches_lack_classes():
    """Of labels batches may lack classes; columns of probabilities need the same ones."""
    requested = TallyRequest(labels=True)
    one = tally_arrays([0, 0, 1], {"a": [0, 1, 1], "b": [0, 0, 1]}, requested)
    other = tally_arrays([2, 2, 1], {"a": [1, 2, 1], "b": [2, 2, 2]}, requested)

    assert JointCounts.from_predictions(
        [0, 0, 1, 2, 2, 1], [0, 1, 1, 1, 2, 1], [0, 0, 1, 2, 2, 2]
    ) == JointCounts.from_tally(one + other)
    proba = TallyRequest(losses=("brier_score",))
    one = tally_arrays([0, 1], {"a": [0.5, 0.6], "b": [0.5, 0.6]}, proba)
    other = tally_arrays([0, 2], {"a": [0.5, 0.6], "b": [0.5, 0.6]}, proba)
    with pytest.raises(ValueError, match="Pass all class labels as `labels`"):
        one + other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"losses": ("binary_brier_loss",)}, {"losses": ("log_loss",)}),
        ({"calibration": True}, {"calibration": True, "n_bins": 9}),
        ({"ranking": True, "score_bins": ScoreBins.uniform(8)}, {"ranking": True}),
    ],
)
def test_only_tallies_of_one_plan_add_up(one, other):
    """Sums by other rules are refused."""
    data = [0, 1, 1], {"a": [0.1, 0.6, 0.7], "b": [0.2, 0.6, 0.8]}

    with pytest.raises(ValueError, match="Only tallies"):
        tally_arrays(*data, TallyRequest(**one)) + tally_arrays(
            *data, TallyRequest(**other)
        )


def test_types_of_labels(polars, columns):
    """Small integers do not overflow, and whole fractions and booleans are labels."""
    for dtype in ["Int8", "UInt8", "Int64", "Float32", "Boolean"]:
        names = ["y", "a", "b"]
        frame = lazy(polars, columns).with_columns(
            polars.col(name).cast(getattr(polars, dtype)) for name in names
        )
        arrays = [columns[name] for name in names]
        expected = JointCounts.from_predictions(*arrays)
        names = {"y_true": "y", "champion": "p", "challenger": "q"}

        assert expected.counts.tolist() == JointCounts.from_frame(frame).counts.tolist()
        assert PairedLosses.from_predictions(
            *(columns[name] for name in names.values()), loss="binary_brier_loss"
        ).gain == pytest.approx(PairedLosses.from_frame(frame, **names).gain, rel=1e-12)


def test_types_of_probabilities(polars, columns):
    """Probabilities in single precision and decimals are taken as they are."""
    p = columns["p"].astype(np.float32)
    q = [decimal.Decimal(f"{value:.4f}") for value in columns["q"]]
    frame = lazy(polars, {"y": columns["y"], "p": p, "q": q})
    q = np.array(q, dtype=float)

    assert_same_losses(
        PairedLosses.from_predictions(
            columns["y"], p, q, loss="brier_score", keep_values=False
        ),
        PairedLosses.from_frame(frame, **BOTH),
    )


def test_categories(polars, columns):
    """Categories are their labels."""
    frame = lazy(polars, columns)
    kinds = polars.Categorical, polars.Enum(["yes", "no"])
    frame = frame.with_columns(word=polars.col("word").cast(kinds[0])).with_columns(
        said=polars.col("said").cast(kinds[1])
    )

    assert JointCounts.from_predictions(
        columns["word"], columns["said"], columns["said"]
    ) == JointCounts.from_frame(frame, y_true="word", champion="said", challenger="said")


def test_no_probability(polars):
    """What is no probability is refused, with the column and how many there are."""
    for value in [None, float("nan"), -0.1, 1.5, float("inf")]:
        frame = lazy(
            polars, {"y": [0, 1, 1, 0], "p": [0.5] * 4, "q": [0.5, value, 0.1, value]}
        )
        message = "'q' must hold a probability in [0, 1] in each record. Got 2 of 4 records"

        with pytest.raises(ValueError, match=re.escape(message)):
            PairedLosses.from_frame(frame, **BOTH)
        # The others ask for the same check.
        if value not in (None, 1.5):
            continue
        with pytest.raises(ValueError, match=re.escape(message)):
            PairedCalibration.from_frame(frame, **BOTH)
        with pytest.raises(ValueError, match=re.escape(message)):
            tally_frame(frame, "y", {"p": "p", "q": "q"}, TallyRequest(ranking=True))


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_no_score(polars, value):
    """What cannot be ranked is refused, also when all is counted."""
    frame = lazy(
        polars, {"y": [0, 1, 1, 0], "p": [5.0, 6, 7, 8.5], "q": [5.0, value, 1, 2.5]}
    )

    with pytest.raises(ValueError, match=re.escape("'q' must hold a finite score")):
        PlacementValues.from_frame(frame, **BOTH, collect=0)
    with pytest.raises(ValueError, match=r"missing|finite"):
        PlacementValues.from_frame(frame, **BOTH)


def test_sum_of_columns(polars):
    """Rows of probabilities that do not sum to 1 are counted and refused."""
    frame = lazy(polars, {"y": [0, 1, 1], "p": [0.5, 0.2, 0.1], "q": [0.5, 0.8, 0.8]})
    predictions = {"champion": ["p", "q"], "challenger": ["p", "q"]}

    with pytest.raises(ValueError, match=re.escape("a sum of 1. Got 1 of 3 records")):
        PairedLosses.from_frame(frame, **predictions)


@pytest.mark.parametrize("column", ["y", "a", "user"])
def test_missing_labels(polars, column):
    """A missing label or group is refused, with the column and how many there are."""
    columns = {
        "y": [0, 1, 1, 0],
        "a": [0, 1, 0, 0],
        "b": [0, 1, 1, 0],
        "user": [1, 1, 2, 2],
    }
    columns[column] = [0, None, None, 1]
    frame = lazy(polars, columns)

    with pytest.raises(ValueError, match=f"'{column}' of .*Got 2 of 4 records"):
        ClusterSums.from_frame(frame, groups="user")


def test_labels_that_are_no_class(polars):
    """With all labels named, others are refused."""
    frame = lazy(polars, {"y": [0, 1, 2], "p": [0.1, 0.2, 0.3], "q": [0.1, 0.2, 0.3]})

    with pytest.raises(ValueError, match=re.escape("one of the classes 0, 1 in each")):
        PairedLosses.from_frame(frame, **BOTH, labels=[0, 1])
    with pytest.raises(ValueError, match="labels that are not classes"):
        tally_frame(
            frame, "y", {"a": "y", "b": "y"}, TallyRequest(labels=True), labels=[0, 1]
        )


def test_refused_columns(polars, columns):
    """Unknown columns, lists, dates and texts for numbers are refused by name."""
    frame = lazy(polars, columns).with_columns(
        nested=polars.concat_list("p", "q"), day=polars.date(2020, 1, 1)
    )
    for champion, message in (
        ("word_", "Did you mean 'word'"),
        ("nested", "must hold one value per record"),
        ("day", "must hold labels. Got dates"),
        ("word", "has no probabilities"),
        (["p", "word"], "must hold numbers"),
        (["u0", "u1", "u2"], "probabilities of 3 classes, but the labels have 2"),
    ):
        with pytest.raises(ValueError, match=message):
            PairedLosses.from_frame(frame, champion=champion, challenger="q")
    with pytest.raises(ValueError, match="numeric labels"):
        JointCounts.from_frame(frame, y_true="word")
    with pytest.raises(ValueError, match="not whole"):
        JointCounts.from_frame(frame, y_true="p")


def test_empty_frame(polars, columns):
    """A frame without records is refused."""
    frame = lazy(polars, columns).filter(polars.col("y") > 5)

    with pytest.raises(ValueError, match="must have at least one record"):
        JointCounts.from_frame(frame)
    with pytest.raises(ValueError, match="must have at least one record"):
        PairedLosses.from_frame(frame, **BOTH)


def test_refused_questions(columns):
    """What cannot be counted is refused before anything is counted."""
    with pytest.raises(ValueError, match="Request at least one"):
        TallyRequest()
    with pytest.raises(ValueError, match="Others need the records in memory"):
        TallyRequest(losses=("cost_weighted_loss",))
    with pytest.raises(ValueError, match="`eps` must be a number"):
        TallyRequest(losses=("log_loss",), eps=0)
    predictions = {"old": columns["p"], "new": columns["q"]}
    with pytest.raises(ValueError, match="Calibration and ranking of grouped records"):
        tally_arrays(
            columns["y"], predictions, TallyRequest(ranking=True), groups=columns["user"]
        )
    with pytest.raises(ValueError, match="classwise"):
        tally_arrays(
            columns["y"], predictions, TallyRequest(calibration=True, kind="classwise")
        )
    with pytest.raises(ValueError, match="two classifiers"):
        tally_arrays(
            columns["y"], predictions | {"third": columns["p"]}, TallyRequest(labels=True)
        )
    tally = tally_arrays(columns["y"], predictions, TallyRequest(labels=True))
    assert tally.n == ClusterSums.from_tally(tally).n_groups
    for kind in (PlacementValues, PairedCalibration):
        with pytest.raises(ValueError, match="does not hold"):
            kind.from_tally(tally)
    with pytest.raises(ValueError, match="`loss` must be one of"):
        PairedLosses.from_tally(tally)


def test_frames_joined_on_an_engine(polars, columns):
    """Lazy frames are joined by the id, whatever their order."""
    order = np.random.default_rng(0).permutation(600)
    other = {name: columns[name][order] for name in ("id", "b", "q")}
    frames = lazy(polars, columns), lazy(polars, other)
    joint = JointCounts.from_frame(
        frames[0].drop("b"), challenger=(frames[1], "b"), id="id"
    )
    losses = PairedLosses.from_frame(
        frames[0].drop("q"), champion="p", challenger=(frames[1], "q"), id="id"
    )

    assert JointCounts.from_predictions(*(columns[name] for name in "yab")) == joint
    assert_same_losses(
        PairedLosses.from_predictions(
            *(columns[name] for name in "ypq"), loss="brier_score", keep_values=False
        ),
        losses,
    )


def test_ids_that_do_not_match(polars, columns):
    """Ids that are repeated, missing, or in one frame only are counted and refused."""
    frame = lazy(polars, columns)
    for expression, message in (
        (polars.col("id") + 1, "lacks 1 of them"),
        (polars.col("id") // 2, "has 300 of them more than once"),
        (polars.col("id").replace_strict({5: None}, default=polars.col("id")), "missing"),
    ):
        other = frame.with_columns(id=expression)
        with pytest.raises(ValueError, match=message):
            JointCounts.from_frame(frame, challenger=(other, "b"), id="id")
    with pytest.raises(ValueError, match="Name it as `id`"):
        JointCounts.from_frame(frame, challenger=(frame.select("b"), "b"))


def test_ids_of_two_types(polars, columns):
    """Numbers and text are compared as they are written."""
    frame = lazy(polars, columns)
    other = frame.with_columns(id=polars.col("id").cast(polars.String))

    assert JointCounts.from_frame(frame) == JointCounts.from_frame(
        frame, challenger=(other, "b"), id="id"
    )


def test_large_parquet_files(polars, columns, tmp_path, monkeypatch):
    """Large files and folders of them are left to an engine, small ones are read."""
    folder = tmp_path / "all.parquet"
    folder.mkdir()
    lazy(polars, columns).collect().write_parquet(folder / "one.parquet")
    paths = folder / "one.parquet", folder
    expected = JointCounts.from_frame(paths[0])
    dataset = pytest.importorskip("pyarrow.dataset").dataset(paths[0])

    assert table_of(source_of(paths[0])) is None
    monkeypatch.setattr(engine, "READ_AT_ONCE", 0)
    for path in (*map(str, paths), dataset):
        assert expected == JointCounts.from_frame(path)
        assert expected.n == PlacementValues.from_frame(path, **BOTH, collect=0).n


def test_repr(columns):
    """A tally says what it is about."""
    tally = tally_arrays([0, 1], {"old": [0, 1], "new": [1, 1]}, TallyRequest(labels=True))

    assert "Tally(n=2, names=['old', 'new'], n_cells=2)" == repr(tally)


def test_csv_files_need_no_other_package(tmp_path, monkeypatch):
    """A CSV file is counted where narwhals is not installed."""
    path = tmp_path / "records.csv"
    path.write_text("y,a,b\n0,0,1\n1,1,1\n", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "narwhals", None)

    assert 2 == JointCounts.from_frame(path).n
    assert (
        2 == tally_frame(path, "y", {"old": "a", "new": "b"}, TallyRequest(labels=True)).n
    )


@pytest.mark.parametrize("lazy", [False, True], ids=["frame", "lazy"])
def test_few_values_are_exact_wherever_they_are(lazy):
    """Up to 512 values are ranked exactly, close together or rare, in a sorted frame."""
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(7)
    values = np.concatenate([rng.random(509), [1e-7, 2e-7, 3e-7]])
    p = np.sort(values[rng.integers(512, size=30_000)])
    frame = pl.DataFrame({"y": rng.integers(2, size=len(p)), "a": p, "b": p[::-1]})
    predictions = {"old": "a", "new": "b"}
    requested = TallyRequest(ranking=True)
    tally = tally_frame(frame.lazy() if lazy else frame, "y", predictions, requested)
    more = frame.with_columns(a=pl.Series(np.sort(rng.random(len(p)))))
    others = tally_frame(more.lazy() if lazy else more, "y", predictions, requested)

    assert PlacementValues.from_tally(tally).is_exact
    assert not PlacementValues.from_tally(others).is_exact
