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
CASES = [
    (name, options)
    for name, entry in record_losses().items()
    if entry.target == "numbers" and entry.needs == "values" and entry.expression
    for options in OPTIONS.get(name, [{}])
]


@pytest.fixture(scope="module", params=["polars", "duckdb"])
def frame(request):
    """True and predicted numbers on an engine."""
    module = pytest.importorskip(request.param)
    plain = pd.DataFrame({"i": np.arange(N), "y": TRUTH, "p": PREDICTED})
    if request.param == "polars":
        return nw.from_native(module.from_pandas(plain).lazy())
    return nw.from_native(module.from_df(plain))


def evaluated(frame, name, options):
    """The loss of each record, in the order of the records."""
    columns = {"i": ("i", "whole"), "y": ("y", "fraction"), "p": ("p", "fraction")}
    ops = Program(frame, columns)
    loss = record_losses()[name].expression
    y, predicted = ops.column("y"), ops.column("p")
    (losses,) = ops.let(of_each(ops, y, loss(ops, y, predicted, **options)))
    table = ops.frame.select(ops.column("i").alias("i"), losses.alias("loss")).collect()
    return table.sort("i")["loss"].to_numpy()


@pytest.mark.parametrize(("name", "options"), CASES)
def test_engines_evaluate_expressions(frame, name, options):
    """Polars and DuckDB have the losses of arrays, and NaN outside the domain."""
    first = 1 if name == "gamma_deviance" else 0
    rows = slice(first, None)
    function = record_losses()[name].function
    expected = function(TRUTH[rows], PREDICTED[rows], **options)

    losses = evaluated(frame, name, options)
    assert_allclose(losses[rows], expected, rtol=1e-12, atol=1e-14)
    assert first == np.isnan(losses).sum()
