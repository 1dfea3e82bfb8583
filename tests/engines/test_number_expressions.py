"""Expressions of losses of numbers, as lazy engines evaluate them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skcompare._io.engine import Program
from skcompare._registry.metrics import of_each
from skcompare.evidence import record_losses

nw = pytest.importorskip("narwhals")
pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

RNG = np.random.default_rng(3)
N = 500
TRUTH, PREDICTED = RNG.gamma(2, size=(2, N)) + 1e-3
TRUTH[:3], PREDICTED[:3] = (0.0, 1e200, 1.0), (1e-3, 1.0, 1.0)
OPTIONS = {"tweedie_deviance": [{"power": p} for p in (-1, 0, 1, 1.5)]}
OPTIONS["absolute_percentage_error"] = [{"least": 1e-4}]
WITHOUT_ZERO = {"gamma_deviance", "absolute_percentage_error"}
"""Losses that a target of 0 has none of."""
LEVELS = 0.1, 0.5, 0.9
CASES = [
    (name, options)
    for name, entry in record_losses().items()
    if entry.target == "numbers" and entry.expression
    for options in OPTIONS.get(name, [{}])
]


@pytest.fixture(scope="module", params=["polars", "duckdb"])
def frame(request):
    """True and predicted numbers on an engine."""
    module = pytest.importorskip(request.param)
    columns = {"y": TRUTH, "p": PREDICTED, "q": PREDICTED + 0.5, "r": PREDICTED + 1}
    plain = pd.DataFrame({"i": np.arange(N), **columns})
    if request.param == "polars":
        return nw.from_native(module.from_pandas(plain).lazy())
    return nw.from_native(module.from_df(plain))


def evaluated(frame, name, options):
    """The loss of each record, in the order of the records."""
    columns = {"i": ("i", "whole")} | {name: (name, "fraction") for name in "ypqr"}
    ops, entry = Program(frame, columns), record_losses()[name]
    y, p, q, r = (ops.column(name) for name in "ypqr")
    forecasts = {"values": (p,), "std": (p, q), "quantiles": ([p, q, r], LEVELS)}
    loss = entry.expression(ops, y, *forecasts[entry.needs], **options)
    (losses,) = ops.let(of_each(ops, y, loss))
    table = ops.frame.select(ops.column("i").alias("i"), losses.alias("loss")).collect()
    return table.sort("i")["loss"].to_numpy()


@pytest.mark.parametrize(("name", "options"), CASES)
def test_engines_evaluate_expressions(frame, name, options):
    """Polars and DuckDB have the losses of arrays, and NaN outside the domain."""
    first = int(name in WITHOUT_ZERO)
    rows = slice(first, None)
    entry, y, p = record_losses()[name], TRUTH[rows], PREDICTED[rows]
    quantiles = np.stack([p, p + 0.5, p + 1], axis=1)
    forecasts = {"values": (p,), "std": (p, p + 0.5), "quantiles": (quantiles, LEVELS)}
    expected = entry.function(y, *forecasts[entry.needs], **options)

    losses = evaluated(frame, name, options)
    assert_allclose(losses[rows], expected, rtol=1e-12, atol=1e-14)
    assert first == np.isnan(losses).sum()


@pytest.mark.parametrize("name", ["torch", "array_api_strict"])
def test_libraries_evaluate_losses(name):
    """Arrays of other libraries have the losses of numpy, and are refused alike."""
    xp = pytest.importorskip(name)
    y, p = TRUTH[3:], PREDICTED[3:]
    forecasts = {
        "values": (p,),
        "std": (p, p + 0.5),
        "quantiles": (np.stack([p, p + 0.5, p + 1], axis=1), LEVELS),
    }
    entries = [e for e in record_losses().values() if e.target == "numbers" and e.array_api]
    assert 13 <= len(entries)
    for entry in entries:
        own = [
            xp.asarray(part) if isinstance(part, np.ndarray) else part
            for part in forecasts[entry.needs]
        ]
        losses = entry.function(xp.asarray(y), *own)
        assert type(losses) is type(own[0])
        expected = entry.function(y, *forecasts[entry.needs])
        assert_allclose(np.asarray(losses), expected, rtol=1e-12, atol=1e-14)
    refused = record_losses()["gamma_deviance"].function
    with pytest.raises(ValueError, match=r"Got 1 others, the first at position 1\."):
        refused(xp.asarray([1.0, 0.0, 2.0]), xp.asarray([1.0, 1.0, 1.0]))
