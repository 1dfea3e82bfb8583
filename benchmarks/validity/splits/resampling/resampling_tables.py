"""Tables of the resampling study, and its power curves."""

import numpy as np

from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.splits.resampling.resampling_decisions import TESTS
from benchmarks.validity.splits.resampling.resampling_designs import SIZES
from benchmarks.validity.splits.resampling.resampling_settings import (
    ALIKE,
    PAPER_STRENGTH,
    REPETITIONS,
    SHARES,
    curve_of,
    null_of,
    position,
    published,
    strengths_of,
)

ALPHA = 0.05
FAR = 3.0
"""Standard errors between two shares that are no longer called alike."""


def is_apart(share, n, other, m):
    """Whether two simulated shares differ by more than `FAR` standard errors."""
    errors = []
    for value, count in ((share, n), (other, m)):
        inner = min(max(value, 0.5 / count), 1 - 0.5 / count)
        errors.append(inner * (1 - inner) / count)
    return abs(share - other) > FAR * sum(errors) ** 0.5


def table_of_tests(title, columns, cells):
    """A row of each test that has cells."""
    table = Table(title, ("test", *columns))
    for test in TESTS:
        row = cells(test)
        if row:
            table.add(test.title, *row)
    return table


def level_table(outcome):
    """Type I error of all tests beside the paper's."""
    name = outcome.world.name
    title = f"{name}: type I error at {ALPHA}; * differs from the paper"
    columns, for_all = ["trains on", "own null", "paper"], []
    if name in PAPER_STRENGTH:
        for_all = [position(name, PAPER_STRENGTH[name])]
        columns.insert(2, f"{outcome.world.strength} {PAPER_STRENGTH[name]:g} for all")

    def cells(test):
        paper = published(test, name)
        chosen = [null_of(name, test.size), *for_all]
        shown = [_marked(outcome, test, where, paper) for where in chosen]
        printed = "" if paper is None else with_error(paper, REPETITIONS)
        return shown[0] and (test.size, *shown, printed)

    return table_of_tests(title, columns, cells)


def _marked(outcome, test, where, paper):
    share, count = outcome.rejections(test, where, ALPHA)
    if not count:
        return ""
    apart = paper is not None and is_apart(share, count, paper, REPETITIONS)
    return with_error(share, count) + (" *" if apart else "")


def other_levels_table(outcomes, alphas=(0.01, 0.1)):
    """Type I error at other levels, each test at its own null."""
    pairs = [(outcome, alpha) for outcome in outcomes for alpha in alphas]

    def cells(test):
        found = (o.rejections(test, null_of(o.world.name, test.size), a) for o, a in pairs)
        return [with_error(share, count) if count else "" for share, count in found]

    columns = [f"{outcome.world.name}, {alpha:g}" for outcome, alpha in pairs]
    return table_of_tests("Type I error at other levels, own null", columns, cells)


def null_table(outcomes):
    """Mean difference of accuracies at the own null: 0 but for simulation error."""
    table = Table(
        "Mean difference of accuracies where both should be equally good",
        ("data", *(f"trains on {size}" for size in SIZES)),
    )
    for outcome in outcomes:
        name, cells = outcome.world.name, []
        for k, size in enumerate(SIZES):
            values = outcome.gains[:, null_of(name, size), k]
            error = values.std(ddof=1) / len(values) ** 0.5
            cells.append(f"{values.mean():+.5f} ± {error:.5f}")
        table.add(name, *cells)
    return table


def undefined_table(outcomes):
    """Share of data sets on which a test has no p-value."""

    def cells(test):
        shares = [o.undefined(test, null_of(o.world.name, test.size)) for o in outcomes]
        return any(shares) and [f"{share:.5f}" for share in shares]

    names = [outcome.world.name for outcome in outcomes]
    return table_of_tests("Data sets without a p-value, own null", names, cells)


def power_table(outcome):
    """Rejections of all tests along the strengths."""
    name, what = outcome.world.name, outcome.world.strength
    if name not in ALIKE:
        what = f"share of the largest lead, by {what}"

    def cells(test):
        curve = curve_of(name, test.size)
        shares = [outcome.rejections(test, where, ALPHA) for where in curve]
        return shares[0][1] and [f"{share:.3f}" for share, _ in shares]

    title = f"{name}: share of data sets with p < {ALPHA} along the {what}"
    return table_of_tests(title, [f"{label:g}" for label in axis_of(name)], cells)


def axis_of(name):
    """What the strengths of a power curve are called."""
    return strengths_of(name) if name in ALIKE else SHARES


def curve_table(name, strength):
    """The strengths that the shares of the lead mean, by number of training records."""
    title = f"{name}: {strength} by share of the largest lead"
    table = Table(title, ("trains on", *(f"{share:g}" for share in SHARES)))
    for size in SIZES:
        values = [strengths_of(name)[where] for where in curve_of(name, size)]
        table.add(size, *(f"{value:.4g}" for value in values))
    return table


def calibration_table(world, calibrations):
    title = (
        f"{world.name}: {world.strength} at which {world.champion} and "
        f"{world.challenger} have equal error rates"
    )
    columns = (
        "training records",
        world.strength,
        f"error of the {world.champion}",
        "± of the difference",
        f"at {world.strength} 1",
    )
    table = Table(title, columns)
    for found in calibrations:
        of_strength, of_difference = found.error()
        table.add(
            found.n_train,
            f"{found.strength():.4g} ± {of_strength:.2g}",
            f"{found.champion:.4f}",
            f"{of_difference:.5f}",
            f"{found.challenger[found.grid == 1.0][0]:.4f}",
        )
    return table


TOLERATED = 2.0
"""Standard errors by which a measured level may exceed the nominal one by chance."""

AXES = {
    "exp6": "lead, share of that at omega = 1",
    "simple": "distance Δ of the classes",
    "letter": "lead, share of that at upsilon = 1",
}


def holds_level(outcome, test):
    """Whether the type I error at the test's own null is within chance of the level."""
    share, count = outcome.rejections(test, null_of(outcome.world.name, test.size))
    return not count or share <= ALPHA + TOLERATED * (ALPHA * (1 - ALPHA) / count) ** 0.5


def draw(outcomes, path):
    """Draw power curves: in colour the tests that hold their level on all data."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "skcompare"})
    drawn = [outcome for outcome in outcomes if outcome.world.name in AXES]
    if not drawn:
        raise SystemExit("There is no power on the epsilon data. Simulate others too.")
    good = [t for t in TESTS if t.key in SHOWN and all(holds_level(o, t) for o in outcomes)]
    figure, axes = plt.subplots(
        1, len(drawn), figsize=(4 * len(drawn), 5.4), sharey=True, squeeze=False
    )
    styles = _styles(good)
    for ax, outcome in zip(axes[0], drawn):
        _draw_panel(ax, outcome, styles)
    axes[0, 0].set_ylabel(f"share of data sets with p < {ALPHA}")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=3, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.06 + 0.035 * -(-len(labels) // 3), 1, 1))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


SHOWN = {test.key for test in TESTS if test.paper} | {
    "corrected_kfold_t",
    "corrected_repeated_holdout_t doubled",
    "corrected_repeated_kfold_t doubled",
    "blocked_t 3x2 conservative",
    "blocked_t 5x2 conservative",
    "mcnemar mid-p",
}
"""Tests in the figure: those of Table V, and some more that need no further splits."""


def _styles(tests):
    """Ten colours, then the same dashed; black for the paper's own test."""
    styles = {
        test.key: {"color": f"C{k % 10}", "linestyle": "-" if k < 10 else "--"}
        for k, test in enumerate(tests)
    }
    if "bcv_mcnemar" in styles:
        styles["bcv_mcnemar"] = {"color": "black", "linestyle": "-"}
    return styles


def _draw_panel(ax, outcome, styles):
    name = outcome.world.name
    x = np.array(axis_of(name))
    grey = "over the level on some data"
    for test in TESTS:
        if test.key not in SHOWN:
            continue
        shares = [outcome.rejections(test, where) for where in curve_of(name, test.size)]
        if not shares[0][1]:
            continue
        y = [share for share, _ in shares]
        if test.key in styles:
            width = 2.2 if test.key == "bcv_mcnemar" else 1.2
            ax.plot(x, y, label=test.title, linewidth=width, **styles[test.key])
        else:
            ax.plot(x, y, label=grey, linewidth=0.8, color="0.75", zorder=0)
            grey = None
    ax.axhline(ALPHA, color="0.4", linewidth=0.6, linestyle=":")
    ax.set(title=name, xlabel=AXES[name], ylim=(0, 1))
    if name in ALIKE:
        ax.set_xlim(0, 0.5)
