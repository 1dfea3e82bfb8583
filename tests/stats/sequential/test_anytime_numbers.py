"""Anytime-valid tests of losses of predicted numbers: their bound, units, and refusals."""

import numpy as np
import pytest

from skcompare import compare
from skcompare.evidence import PairedLosses
from skcompare.gate import Gate, NonInferior, Superior
from skcompare.plots import AnytimeDisplay
from skcompare.stats import AnytimeMonitor, anytime_losses


def drawn(n=400, scale=1.0):
    """Targets and two predictions from 0 to 100."""
    rng = np.random.default_rng(0)
    y = rng.uniform(0, 100, n)
    errors = rng.normal(size=(2, n)) * [[25], [12]]
    return y * scale, *np.clip(y + errors, 0, 100) * scale


def watched(scale=1.0, bound=100.0, n=400):
    """A monitor of absolute errors that looked at every 50 records."""
    monitor = AnytimeMonitor("anytime_losses", bound=bound * scale)
    y, old, new = drawn(n, scale)
    for start in range(0, n, 50):
        at = slice(start, start + 50)
        losses = PairedLosses.from_predictions(
            y[at], old[at], new[at], loss="absolute_error"
        )
        monitor.update(losses)
    return monitor


def test_all_looks_are_tests_of_all_records():
    """The last look of a monitor is the test of all losses, with its interval."""
    monitor = watched()
    losses = PairedLosses.from_predictions(*drawn(), loss="absolute_error")
    result = anytime_losses(losses, bound=100)

    assert result.pvalue == pytest.approx(monitor.history[-1].pvalue)
    assert result.estimate == pytest.approx(monitor.estimate)
    assert monitor.decided
    low, high = result.confidence_interval()
    look = monitor.history[-1]
    assert [low, high] == pytest.approx([look.low, look.high])


@pytest.mark.parametrize("scale", [1e-8, 1e7])
def test_unit_does_not_matter(scale):
    """P-values are those of other units, and texts show the digits of the estimate."""
    monitor, usual = watched(scale), watched()
    low, high = monitor.confidence_interval()

    assert usual.pvalue == pytest.approx(monitor.pvalue)
    assert usual.confidence_interval().low == pytest.approx(low / scale)
    assert low < monitor.estimate < high
    for text in (str(monitor), AnytimeDisplay.of_result(monitor).summary):
        shown = (
            text.split("estimate ")[-1] if text == str(monitor) else text.split(" is ")[1]
        )
        number = float(shown.split(",")[0])
        assert monitor.estimate == pytest.approx(number, rel=0.05)


def test_stored_and_resumed(tmp_path):
    """A monitor of numbers goes on from a file, and refuses another loss."""
    monitor = watched()
    monitor.save(tmp_path / "watch.json")
    again = AnytimeMonitor.load(tmp_path / "watch.json")
    y, old, new = drawn(20)
    more = PairedLosses.from_predictions(y, old, new, loss="absolute_error")

    assert again.update(more) == monitor.update(more)
    assert ("absolute_error", 100.0) == (again.loss, again.bound)
    other = PairedLosses.from_predictions(y, old, new, loss="squared_error")
    with pytest.raises(ValueError, match="have the loss 'absolute_error'"):
        again.update(other)


def test_clipped_losses():
    """Losses with heavy tails are clipped at a fixed value, which is their bound."""
    rng = np.random.default_rng(0)
    errors = np.abs(rng.standard_t(2, size=(2, 300))) * [[2.0], [1.0]]
    losses = PairedLosses.from_losses(*np.minimum(errors, 10.0), loss="clipped error")

    assert anytime_losses(losses, bound=10).pvalue < 0.05
    with pytest.raises(ValueError, match="clip the losses to a range"):
        anytime_losses(PairedLosses.from_losses(*errors), bound=10)


def test_losses_without_a_bound_are_refused():
    """The message speaks of errors of numbers, and says what to do."""
    y, old, new = drawn(20)
    for loss in ("absolute_error", "squared_error", "pinball_loss"):
        options = {"alpha": 0.9} if loss == "pinball_loss" else {}
        losses = PairedLosses.from_predictions(y, old, new, loss=loss, **options)
        with pytest.raises(ValueError, match=r"Pass `bound`.*Or clip the losses") as error:
            anytime_losses(losses)
        assert "probabilities" not in str(error.value)


def test_relative_losses_are_refused():
    """The loss behind R² changes with the targets that come, so no bound helps."""
    y, old, new = drawn(40)
    losses = PairedLosses.from_predictions(y, old, new, loss="relative_squared_error")
    for bound in (None, 1000):
        with pytest.raises(ValueError, match=r"changes as they come.*neg_mean_squared"):
            anytime_losses(losses, bound=bound)
    with pytest.raises(ValueError, match="changes as they come"):
        AnytimeMonitor("anytime_losses", bound=1000).update(losses)
    tests = {"anytime_losses": {"bound": 1000}}
    with pytest.raises(ValueError, match="changes as they come"):
        compare(y, {"old": old, "new": new}, scoring="r2", tests=tests)
    gate = Gate(Superior("r2", anytime=True, options={"bound": 10}))
    decision = gate.decide(y, {"old": old, "new": new})
    assert "inconclusive" == decision.outcomes[0].status
    assert "changes as they come" in " ".join(str(decision).split())


def test_known_bound_of_coverage():
    """Whether an interval holds the target differs by at most 1."""
    y, old, new = drawn(100)
    forecasts = {
        name: {
            "values": values,
            "intervals": {0.8: np.column_stack([values - w, values + w])},
        }
        for name, values, w in (("old", old, 10.0), ("new", new, 20.0))
    }
    options = {"scoring": "neg_miscoverage_loss", "tests": "anytime_losses"}
    row = compare(y, forecasts, **options).rows[-1]

    assert "anytime_losses" == row.test
    assert 1 == row.result.details["bound"]


def test_comparisons_and_gates_take_a_bound():
    """Where the usual test is replaced by one for many looks."""
    y, old, new = drawn()
    both, measure = {"old": old, "new": new}, "neg_mean_absolute_error"
    options = {"bound": 100}
    row = compare(y, both, scoring=measure, tests={"anytime_losses": options}).rows[-1]
    losses = PairedLosses.from_predictions(y, old, new, loss="absolute_error")
    better = Gate(Superior(measure, anytime=True, options=options)).decide(y, both)
    no_worse = NonInferior(measure, 1.0, anytime=True, options=options)

    assert anytime_losses(losses, bound=100).pvalue == pytest.approx(row.pvalue)
    one_sided = anytime_losses(losses, bound=100, alternative="greater")
    assert one_sided.pvalue == pytest.approx(better.outcomes[0].pvalue)
    assert "passed" == Gate(no_worse).decide(y, both).status
