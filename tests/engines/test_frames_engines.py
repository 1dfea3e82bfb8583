"""The same numbers from every engine, on real ones: two Dask workers, Spark on Java."""

import re
import warnings

import numpy as np
import pytest

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
from skcompare.gate import Gate, NonInferior, Superior

pytest.importorskip("narwhals")
pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

ENGINES = ("pandas", "pyarrow", "polars", "polars scan", "duckdb", "dask", "pyspark")
PREDICTIONS = {"old": "p", "new": "q"}
N_BINS = 10


@pytest.fixture(scope="module")
def frame():
    """3,000 records, also with probabilities at the edges of bins and beside them."""
    rng = np.random.default_rng(5)
    n = 3000
    y = rng.integers(0, 2, n)
    p = np.clip(0.3 * y + 0.7 * rng.random(n), 0, 1)
    edges = np.arange(N_BINS + 1) / N_BINS
    edges = np.clip([edges, np.nextafter(edges, 0), np.nextafter(edges, 1)], 0, 1).ravel()
    p[: len(edges)] = edges
    q = np.clip(p + 0.1 * rng.standard_normal(n), 0, 1)
    words = np.array(["no", "yes"])
    return pd.DataFrame(
        {
            "y": y.astype(np.int8),
            "word": words[y],
            "said": words[(p > 0.5).astype(int)],
            "other": words[(q > 0.5).astype(int)],
            "truth": y == 1,
            "gap": np.where(np.arange(n) % 1000 == 7, None, words[y]),
            "p": p,
            "q": q,
            "few": q.round(2),
            "user": words[rng.integers(0, 2, n)],
            "bad": np.where(np.arange(n) % 1000 == 7, 1.5, p),
            "lack": np.where(np.arange(n) % 1000 == 7, np.nan, p),
        }
    )


@pytest.fixture(scope="module")
def workers():
    """Two worker processes of Dask."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def session():
    """Spark with two threads on this machine."""
    sql = pytest.importorskip("pyspark.sql")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = sql.SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        # About releases of pandas and Java that are newer than Spark.
        warnings.simplefilter("ignore")
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module", params=ENGINES)
def engine(request, frame, tmp_path_factory):
    """The records on each engine."""
    name = request.param
    path = tmp_path_factory.mktemp("engine") / "records.parquet"
    if name == "pandas":
        return frame
    if name == "pyarrow":
        return pytest.importorskip("pyarrow").Table.from_pandas(frame)
    frame.to_parquet(path)
    if name.startswith("polars"):
        polars = pytest.importorskip("polars")
        return (
            polars.from_pandas(frame).lazy()
            if name == "polars"
            else polars.scan_parquet(path)
        )
    if name == "duckdb":
        return pytest.importorskip("duckdb").read_parquet(str(path))
    if name == "dask":
        request.getfixturevalue("workers")
        return pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)
    return request.getfixturevalue("session").read.parquet(str(path))


def near(expected):
    """A number that is the same to 12 digits, however its terms were added."""
    return pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.fixture(scope="module")
def requested(frame):
    """All evidence of probabilities."""
    return TallyRequest(
        labels=True,
        losses=("binary_brier_loss",),
        calibration=True,
        n_bins=N_BINS,
        ranking=True,
        score_bins=(ScoreBins.uniform(), ScoreBins.fitted(frame["q"], 100)),
    )


@pytest.fixture(scope="module")
def of_arrays(frame, requested):
    """What arrays give."""
    predictions = {name: frame[column] for name, column in PREDICTIONS.items()}
    return tally_arrays(frame["y"], predictions, requested)


def test_everything_at_once(engine, requested, of_arrays):
    """All evidence of probabilities is that of the arrays: counts exactly."""
    expected = of_arrays
    actual = tally_frame(engine, "y", PREDICTIONS, requested)

    assert JointCounts.from_tally(expected) == JointCounts.from_tally(actual)
    assert PlacementValues.from_tally(expected) == PlacementValues.from_tally(actual)
    for loss in requested.losses:
        one, other = (PairedLosses.from_tally(t, loss=loss) for t in (expected, actual))
        for name in ("champion", "challenger", "gain", "gain_squares", "products"):
            assert near(getattr(one.moments, name)) == getattr(other.moments, name)
    one, other = (PairedCalibration.from_tally(t) for t in (expected, actual))
    for role in (0, 1):
        assert one.bins(role).count.tolist() == other.bins(role).count.tolist()
        assert near(one.error(role)) == other.error(role)


def test_texts_and_groups(frame, engine):
    """Labels and groups of text are counted as those of arrays."""
    names = {"y_true": "word", "champion": "said", "challenger": "other"}

    assert ClusterSums.from_predictions(
        *(frame[name] for name in names.values()), groups=frame["user"]
    ) == ClusterSums.from_frame(engine, **names, groups="user")
    losses = PairedLosses.from_frame(
        engine,
        y_true="word",
        champion="p",
        challenger="q",
        loss="log_loss",
        pos_label="yes",
        groups="user",
    )
    assert (
        near(
            PairedLosses.from_predictions(
                frame["word"],
                frame["p"],
                frame["q"],
                loss="log_loss",
                pos_label="yes",
                groups=frame["user"],
            ).groups.gains
        )
        == losses.groups.gains
    )


def test_few_scores(frame, engine):
    """Few different scores are found to be so and ranked exactly, by boolean labels."""
    expected = PlacementValues.from_predictions(frame["y"], frame["few"], frame["few"])
    actual = PlacementValues.from_frame(
        engine, y_true="truth", champion="few", challenger="few", collect=0
    )

    assert actual.score_bins is None
    assert expected.aucs.tolist() == actual.aucs.tolist()


def test_bad_probabilities(frame, engine):
    """Values that are missing or no probabilities are refused, not counted."""
    for column in ["bad", "lack"]:
        with pytest.raises(
            ValueError, match=re.escape("missing") + "|in " + re.escape("[0, 1]")
        ):
            PairedLosses.from_frame(engine, champion=column, challenger="q", labels=[0, 1])


def test_missing_labels(engine):
    """A missing label or group is refused, not counted."""
    with pytest.raises(ValueError, match="must not have missing"):
        ClusterSums.from_frame(
            engine, y_true="gap", champion="said", challenger="other", groups="user"
        )
    with pytest.raises(ValueError, match="must not have missing"):
        ClusterSums.from_frame(
            engine, y_true="word", champion="said", challenger="other", groups="gap"
        )


GATE = Gate(
    Superior("accuracy"),
    NonInferior("binary_brier_loss", margin=0.3, where={"user": "yes"}),
    NonInferior("accuracy", margin=0.05, where={"user": "yes", "truth": True}),
    NonInferior("precision[1]", margin=0.05, where={"y": [0, 1], "user": ["no"]}),
    Superior("accuracy", where={"user": 1}),
)


@pytest.fixture(scope="module")
def read(frame):
    """What the gate decides of records that it has read."""
    return GATE.decide(frame, PREDICTIONS, y_true="y")


def test_gates_count_the_records_of_slices(engine, read):
    """Every engine counts what the conditions of each slice need, as if it were read."""
    counted = GATE.decide(engine, PREDICTIONS, y_true="y", collect=0)

    for one, other in zip(read.outcomes, counted.outcomes, strict=True):
        assert (one.n_records, one.status) == (other.n_records, other.status)
        if one.low is not None:
            # Of moments more is allowed for than of the losses themselves.
            assert one.low == pytest.approx(other.low, abs=5e-3)
