"""Losses of numbers, summed by every engine, as those of arrays of several libraries."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skcompare import compare
from skcompare._core.arrays import ArrayOperations
from skcompare._registry.metrics import of_each
from skcompare.evidence import PairedLosses, TallyRequest, record_losses, tally_frame
from skcompare.gate import Gate, NonInferior, Superior

pd = pytest.importorskip("pandas")
pytest.importorskip("narwhals")
pytest.importorskip("pyarrow")

ENGINES = ("polars", "polars scan", "duckdb", "dask", "pyspark")
N = 2000
LEVELS = (0.05, 0.5, 0.95)
OPTIONS = {
    "absolute_percentage_error": {"least": 0.01},
    "pinball_loss": {"alpha": 0.9},
    "tweedie_deviance": {"power": 1.5},
    "huber_loss": {"delta": 0.4},
}
SUMMED = {
    name: entry
    for name, entry in record_losses().items()
    if entry.target == "numbers" and entry.expression is not None
}
FORECASTS = {
    role: {
        "values": role,
        "std": f"std_{role}",
        "quantiles": dict(zip(LEVELS, (f"low_{role}", role, f"high_{role}"), strict=True)),
    }
    for role in ("old", "new")
}
MEASURES = [
    "r2",
    "neg_mean_absolute_error",
    "neg_root_mean_squared_error",
    "neg_mean_gamma_deviance",
    "log_cosh_loss",
]
SETTINGS = {"y_true": "y", "scoring": MEASURES}
BOTH = {"old": "old", "new": "new"}


@pytest.fixture(scope="module")
def frame():
    """Positive numbers, two forecasts of each, and groups as text."""
    rng = np.random.default_rng(8)
    y = rng.gamma(2, size=N) + 0.05
    columns = {"y": y, "whole": np.round(9 * y).astype(np.int32)}
    for role, error in (("old", 0.4), ("new", 0.35)):
        columns[role] = y * np.exp(error * rng.normal(size=N))
        columns[f"std_{role}"] = error * y
        columns[f"low_{role}"] = columns[role] * 0.5
        columns[f"high_{role}"] = columns[role] * 1.7
        columns[f"top_{role}"] = columns[role] * 4.0
    columns["user"] = np.array(["ann", "bob", "cid", "dan", "eve"])[rng.integers(5, size=N)]
    columns["gap"] = np.where(np.arange(N) % 1000 == 7, np.nan, y)
    return pd.DataFrame(columns)


@pytest.fixture(scope="module", params=ENGINES)
def engine(request, frame, tmp_path_factory):
    """The records on each engine."""
    name = request.param
    path = tmp_path_factory.mktemp("numbers") / "records.parquet"
    frame.to_parquet(path)
    if name.startswith("polars"):
        polars = pytest.importorskip("polars")
        eager = name == "polars"
        return polars.from_pandas(frame).lazy() if eager else polars.scan_parquet(path)
    if name == "duckdb":
        return pytest.importorskip("duckdb").read_parquet(str(path))
    if name == "dask":
        return pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)
    sql = pytest.importorskip("pyspark.sql")
    builder = sql.SparkSession.builder.master("local[2]")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    with warnings.catch_warnings():
        # About releases of pandas and Java that are newer than Spark.
        warnings.simplefilter("ignore")
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session.read.parquet(str(path))


def of_arrays(frame, role, xp=np):
    """What a role predicts, by what a loss needs."""
    own = {
        name: xp.asarray(frame[name].to_numpy(copy=True))
        for name in frame
        if name != "user"
    }
    return {
        "values": (own[role],),
        "std": (own[role], own[f"std_{role}"]),
        "quantiles": ([own[f"low_{role}"], own[role], own[f"high_{role}"]], LEVELS),
    }


@pytest.fixture(scope="module")
def losses(frame):
    """Losses of champion and challenger, as numpy evaluates their expressions."""
    ops, y, values = ArrayOperations(), frame["y"].to_numpy(), {}
    for name, entry in SUMMED.items():
        values[name] = [
            of_each(
                ops,
                y,
                entry.expression(
                    ops, y, *of_arrays(frame, role)[entry.needs], **OPTIONS.get(name, {})
                ),
            )
            for role in BOTH
        ]
    return values


def test_all_losses_at_once(engine, losses):
    """One scan has the sums, squares and extremes of all losses to 12 digits."""
    # The planners of Dask and Spark take minutes for the expressions of all together.
    at_once = 3 if type(engine).__module__.startswith(("dask", "pyspark")) else len(SUMMED)
    names, tallies = list(SUMMED), {}
    for start in range(0, len(names), at_once):
        some = names[start : start + at_once]
        options = {name: OPTIONS[name] for name in some if name in OPTIONS}
        requested = TallyRequest(losses=some, loss_options=options)
        tallies |= dict.fromkeys(some, tally_frame(engine, "y", FORECASTS, requested))

    assert 14 <= len(SUMMED)
    for name, (champion, challenger) in losses.items():
        gain, tally = champion - challenger, tallies[name]
        assert tally.n == N
        own = PairedLosses.from_tally(tally, loss=name)
        sums = {
            part: tally.tables[0].sums[f"{name}.{part}"][0]
            for part in ("champion", "challenger", "gain_squares")
        }
        assert_allclose(sums["champion"], champion.sum(), rtol=1e-12)
        assert_allclose(sums["challenger"], challenger.sum(), rtol=1e-12)
        assert_allclose(sums["gain_squares"], (gain**2).sum(), rtol=1e-12)
        assert_allclose(own.moments.extremes, (gain.min(), gain.max()), rtol=1e-11)


def test_counts_are_equal(engine, losses):
    """Sums of whole numbers are the same on all engines, bit by bit."""
    requested = TallyRequest(losses=("miscoverage_loss",))
    tally = tally_frame(engine, "y", FORECASTS, requested, groups="user")
    sums = tally.tables[0].sums

    champion, challenger = losses["miscoverage_loss"]
    assert champion.sum() == sums["miscoverage_loss.champion"].sum()
    assert challenger.sum() == sums["miscoverage_loss.challenger"].sum()
    assert (
        np.abs(champion - challenger).sum() == sums["miscoverage_loss.gain_squares"].sum()
    )


@pytest.mark.parametrize("library", ["torch", "array_api_strict"])
def test_arrays_of_libraries(frame, losses, library):
    """An array library sums what numpy does."""
    xp = pytest.importorskip(library)
    y = xp.asarray(frame["y"].to_numpy(copy=True))
    ops = ArrayOperations.of(y)
    for name, entry in SUMMED.items():
        for role, expected in zip(BOTH, losses[name], strict=True):
            forecast = of_arrays(frame, role, xp)[entry.needs]
            loss = entry.expression(ops, y, *forecast, **OPTIONS.get(name, {}))
            assert_allclose(
                float(ops.xp.sum(of_each(ops, y, loss))), expected.sum(), rtol=1e-12
            )


@pytest.mark.parametrize("groups", [None, "user"])
def test_comparison(engine, frame, groups):
    """Comparisons have the rows of records that were read."""
    read = compare(frame, BOTH, groups=groups, **SETTINGS)
    summed = compare(engine, BOTH, groups=groups, collect=0, **SETTINGS)

    assert read.verdict == summed.verdict
    for one, other in zip(read.rows, summed.rows, strict=True):
        assert (one.test, one.flags, one.note) == (other.test, other.flags, other.note)
        for name in ("champion", "challenger", "difference", "low", "high", "pvalue"):
            assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-8)


def test_same_numbers_and_gaps(engine):
    """Equal predictions give 0 and p = 1, and missing numbers are counted and refused."""
    same = compare(
        engine,
        {"old": "old", "new": "old"},
        y_true="whole",
        **{"scoring": MEASURES[:3], "collect": 0},
    )
    assert [(0, 1)] * 3 == [(row.difference, row.pvalue) for row in same.rows]
    with pytest.raises(
        ValueError, match=r"'gap' must hold finite numbers\. Got 2 of 2,000"
    ):
        compare(engine, {"old": "gap", "new": "new"}, collect=0, **SETTINGS)
    with pytest.raises(ValueError, match="not a function of sums"):
        compare(engine, BOTH, y_true="y", scoring="spearman_correlation", collect=0)


def test_gate_with_slices(engine, frame):
    """A gate judges all records, and those of a slice, as those that were read."""
    gate = Gate(
        Superior("neg_mean_absolute_error"),
        NonInferior("neg_root_mean_squared_error", 0.2, where={"user": "ann"}),
        NonInferior("neg_mean_squared_error", "5 %"),
    )
    read, summed = (
        gate.decide(data, BOTH, y_true="y", collect=0) for data in (frame, engine)
    )
    for one, other in zip(read.outcomes, summed.outcomes, strict=True):
        assert one.n_records == other.n_records
        assert_allclose(other.row.difference, one.row.difference, rtol=1e-10)


OF_TWO = {
    role: {
        "values": [role, f"high_{role}"],
        "std": [f"std_{role}", f"low_{role}"],
        "quantiles": {0.2: [f"low_{role}", role]},
        "intervals": {0.9: [[f"low_{role}", f"high_{role}"], [role, f"top_{role}"]]},
        "samples": [[role, f"low_{role}"], [f"high_{role}", f"top_{role}"]],
    }
    for role in BOTH
}
"""Columns of forecasts of two outputs."""


def arrays_of_two(frame):
    """The same forecasts as arrays."""

    def array(names):
        if isinstance(names, dict):
            return {key: array(own) for key, own in names.items()}
        if isinstance(names, list):
            return np.stack([array(own) for own in names], axis=1)
        return frame[names].to_numpy()

    return {role: array(own) for role, own in OF_TWO.items()}


def test_forecasts_of_outputs(engine, frame):
    """Columns of forecasts of several outputs give exactly what arrays of them give."""
    truth, forecasts = frame[["y", "high_old"]], arrays_of_two(frame)
    scoring = [f"neg_{loss}" for loss in ("crps_normal", "crps_quantiles", "crps_samples")]
    options = (
        {"scoring": f"{scoring[0]}[raw_values]", "adjust": "max-t"},
        {"scoring": [*scoring, f"{scoring[1]}[0.3, 0.7]", f"{scoring[2]}[high_old]"]},
    )
    for own in options:
        read = compare(truth, forecasts, **own)
        for data, collect in ((engine, 10_000), (engine, 0), (frame, 0)):
            rows = compare(data, OF_TWO, y_true=[*truth], collect=collect, **own).rows
            assert repr(read.rows) == repr(rows)
