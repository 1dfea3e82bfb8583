"""Type I error on MNIST: convolutional nets, with dropout and without.

The last column of Table V of the paper on the 5×2 BCV McNemar test (arXiv:2304.03990), by
nets that are trained side by side with torch, on a GPU where there is one. Run

    python -m benchmarks.validity.splits.mnist.mnist

for the tables of the results that are stored beside this file, ``mnist.jsonl.xz``, and

    python -m benchmarks.validity.splits.mnist.mnist --data FOLDER --results FILE

to train what is missing; ``--help`` lists the options. FOLDER holds ``mnist.npz``. FILE
keeps what is done, and the next run goes on from there; the results of further files are
added.
"""

import time
from itertools import groupby

import numpy as np

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.splits.mnist import mnist_designs as designs
from benchmarks.validity.splits.mnist.mnist_results import STORED, Results, append, tests

ALPHA = 0.05
PUBLISHED = {
    "repeated_holdout_t": 0.250,
    "kfold_t": 0.090,
    "paired_5x2_t": 0.080,
    "corrected_repeated_holdout_t published": 0.000,
    "corrected_repeated_kfold_t published": 0.080,
    "combined_5x2_t": 0.150,
    "blocked_t 3x2 published": 0.020,
    "combined_5x2_f": 0.010,
    "calibrated_5x2_f": 0.040,
    "proportional_z": 0.020,
    "cv_ci_z out": 0.090,
    "mcnemar corrected": 0.060,
    "naive_kfold_mcnemar": 0.020,
    "bcv_mcnemar": 0.010,
}
"""Table V of the paper, of 100 data sets."""
PAPER_DATASETS = 100
DEFAULTS = (
    "bcv_jackknife_t",
    "corrected_kfold_t",
    "corrected_repeated_holdout_t doubled",
    "corrected_repeated_kfold_t doubled",
    "mcnemar mid-p",
)
"""Tests that skcompare chooses for these designs unless another is requested."""

RECORDS = 10_000
"""Of a data set of the paper."""

SMALL = {"data_sets": 40, "records": 1000, "epochs": (25,), "designs": ("5x2", "holdout")}
QUICK = {"data_sets": 2, "records": 400, "epochs": (2,), "designs": ("5x2", "holdout")}


def settings_of(args, gamma):
    """Settings of a run, by epochs."""
    epochs = sorted(args.epochs)
    return [designs.Setting(args.seed, args.records, gamma, count) for count in epochs]


def level_table(results, settings):
    """Shares of data sets on which each test rejects, beside the paper's.

    The settings differ by their epochs alone.
    """
    _, records, gamma, _ = settings[0]
    is_paper = records == RECORDS and gamma == 0
    columns = [column for s in settings for column in (f"{s.epochs} epochs", "data sets")]
    table = Table(
        f"MNIST, n = {records}, dropout {gamma:g}: share of rejections at {ALPHA}",
        ("test", *columns, *(["paper"] if is_paper else []), "default"),
    )
    for name, key, decide in tests():
        cells = [cell for s in settings for cell in rejections(*decide(results, s))]
        paper = PUBLISHED.get(key)
        printed = "" if paper is None else with_error(paper, PAPER_DATASETS)
        if any(cells):
            default = "yes" if key in DEFAULTS else ""
            table.add(name, *cells, *([printed] if is_paper else []), default)
    return table


def rejections(pvalues, numbers):
    """Cells of a test: its share of rejections, and the number of data sets."""
    if not numbers:
        return "", ""
    # A test without p-value does not reject.
    return with_error(float(np.mean(pvalues < ALPHA)), len(numbers)), len(numbers)


def error_table(results, settings):
    """Error rates of both roles, and shares of discordant records."""
    columns = ("records", "epochs", "dropout", "splits", "data sets", "champion error",
               "challenger error", "discordant")  # fmt: skip
    table = Table("MNIST: error rates of the nets", columns)
    for setting in settings:
        for design, splits in designs.DESIGNS.items():
            numbers = results.numbers(setting, splits)
            if not numbers:
                continue
            counts = results.tables(setting, numbers, splits).sum(axis=1)
            shares = counts / counts.sum(axis=1, keepdims=True)
            _, champion, challenger, neither = shares.T
            values = (challenger + neither, champion + neither, champion + challenger)
            table.add(
                setting.records, setting.epochs, f"{setting.gamma:g}", design, len(numbers),
                *(_mean(value) for value in values),
            )  # fmt: skip
    return table


def spread_table(results, settings):
    """Variance of the difference of a split over data sets, and correlation of two splits.

    The variance is divided by that which the sampling of test records alone would make of
    two fixed nets.
    """
    columns = ("records", "epochs", "dropout", "splits", "data sets",
               "variance ratio", "correlation of splits")  # fmt: skip
    table = Table("MNIST: differences of accuracy", columns)
    for setting in settings:
        for design in ("5x2", "holdout"):
            splits = designs.DESIGNS[design]
            numbers, n = results.numbers(setting, splits), len(splits)
            if len(numbers) < 10:  # too few for a variance
                continue
            counts = results.tables(setting, numbers, splits).astype(float)
            records = counts.sum(axis=-1)
            champion, challenger = counts[..., 1] / records, counts[..., 2] / records
            difference = challenger - champion
            by_records = ((champion + challenger - difference**2) / records).mean()
            centred = difference - difference.mean(axis=0)
            squares = (centred**2).sum(axis=1)
            products = centred.sum(axis=1) ** 2 - squares
            pairs = n * (n - 1) * (centred**2).mean()
            # Means of data sets are centred, which takes a degree of freedom.
            by_records *= n * (1 - 1 / len(numbers))
            table.add(
                setting.records, setting.epochs, f"{setting.gamma:g}", design, len(numbers),
                _mean(squares / by_records, 2),
                _mean(products / pairs, 3) if n > 1 else "",
            )  # fmt: skip
    return table


def _mean(values, digits=5):
    mean = f"{values.mean():.{digits}f}"
    if len(values) == 1:
        return mean
    return f"{mean} ± {values.std(ddof=1) / len(values) ** 0.5:.{digits}f}"


def trainer_for(args, deadline):
    """A trainer on the device that is there."""
    try:
        import torch
    except ImportError:
        raise SystemExit(
            "Training the nets needs torch, which is not installed: pip install torch, or "
            "leave out --data to print the tables of results."
        ) from None
    from benchmarks.validity.splits.mnist.mnist_training import Trainer

    device = args.device or ("cuda" if torch.cuda.is_available() else "cpu")
    images = designs.read_images(args.data)
    trainer = Trainer(*images, device, args.side_by_side, deadline)
    name = torch.cuda.get_device_name() if device == "cuda" else device
    print(
        f"{name}, torch {torch.__version__}: {trainer.n_nets} nets side by side by "
        f"{trainer.way.__name__}",
        flush=True,
    )
    return trainer


def train(args, gammas):
    """Train what is missing, design by design, and write it as it is done."""
    begun = time.monotonic()
    results = Results([STORED, *args.results])
    trainer = trainer_for(args, begun + args.time_limit)
    for design in args.designs:
        for gamma in gammas:
            settings = settings_of(args, gamma)
            units = designs.units_of(design, args.data_sets)
            units = [unit for unit in units if not results.has(settings, unit)]
            done = 0
            for lines, taken, n_nets in trainer.run(units, settings):
                append(args.results[0], lines)
                done += n_nets
                print(
                    f"{time.monotonic() - begun:6.0f} s  {design}, dropout {gamma:g}: "
                    f"{done} of {sum(len(unit.nets) for unit in units)} nets, "
                    f"{taken / n_nets:.2f} s a net",
                    flush=True,
                )
            if done < sum(len(unit.nets) for unit in units):
                return


def study(args):
    for preset in (SMALL if args.small else {}, QUICK if args.quick else {}):
        vars(args).update(preset)
    unknown = set(args.designs) - set(designs.DESIGNS)
    if unknown:
        raise SystemExit(f"--designs takes some of {list(designs.DESIGNS)}, got {unknown}.")
    if args.data:
        train(args, args.gammas)
    results = Results([STORED, *args.results])
    settings = [s for s in results.settings if s.records == args.records]
    yield error_table(results, settings)
    yield spread_table(results, settings)
    for _, group in groupby(settings, key=lambda s: s[:3]):
        yield level_table(results, [*group])


if __name__ == "__main__":
    main(
        __doc__,
        study,
        draws=None,
        n_jobs=None,
        data=("", "folder with mnist.npz; without it nothing is trained"),
        results=(("mnist.jsonl",), "file that keeps new results, and others to add"),
        designs=(tuple(designs.DESIGNS), "designs to train, in this order"),
        data_sets=(100, "data sets"),
        records=(RECORDS, "records of a data set"),
        epochs=((250,), "epochs after which nets are tested"),
        gammas=((0.0,), "dropout rates of the challenger"),
        time_limit=(1e9, "seconds after which no more is trained"),
        device=("", "cuda or cpu; by default cuda where there is one"),
        side_by_side=(0, "nets trained together; by default 80 on a GPU, 1 on a CPU"),
        small=(False, "40 data sets of 1,000 records: an hour on two cores"),
        quick=(False, "two small data sets: a minute"),
    )
