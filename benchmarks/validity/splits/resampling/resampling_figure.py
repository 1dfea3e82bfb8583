"""Power curves of the resampling study: as a figure, and as CSV."""

import csv

import numpy as np

from benchmarks.validity.splits.resampling.resampling_decisions import TESTS
from benchmarks.validity.splits.resampling.resampling_settings import (
    ALIKE,
    curve_of,
    null_of,
    strengths_of,
)
from benchmarks.validity.splits.resampling.resampling_tables import ALPHA, axis_of

ALPHAS = (0.01, 0.05, 0.1)

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


def write_csv(outcomes, path):
    """One line for every test, strength and level."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        head = ("data", "test", "trains_on", "strength", "own_null")
        writer.writerow((*head, "data_sets", "alpha", "rejections"))
        for outcome in outcomes:
            writer.writerows(_lines(outcome))


def _lines(outcome):
    name = outcome.world.name
    for test in TESTS:
        null = null_of(name, test.size)
        for where, strength in enumerate(strengths_of(name)):
            label = (name, test.key, test.size, f"{strength:g}", int(where == null))
            for alpha in ALPHAS:
                share, count = outcome.rejections(test, where, alpha)
                if count:
                    yield (*label, count, alpha, round(share * count))


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
