"""Draws for `disagreement_correlations.py`: who errs on what, kept in a file a data set."""

import os
from pathlib import Path
from time import process_time
from typing import NamedTuple
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from benchmarks.validity.splits.disagreement.disagreement_classifiers import (
    CLASSIFIERS,
    Half,
    largest_departure,
    wrong_predictions,
)
from skcompare.model_selection import BlockRegularized5x2CV

N_RECORDS = 300
N_SPLITS = 10
CHUNK = 10
"""Repetitions that are computed together; an even number."""

KEPT = 100
"""Repetitions after which a file is written."""


class Draws(NamedTuple):
    """What the repetitions of one data set left.

    Each pair of repetitions, the first and second, the third and fourth and so on, is of
    records that no other of the pair has.

    Parameters
    ----------
    both_wrong : ndarray of shape (n_repetitions, 10, 7, 7)
        Numbers of records of each test set on which two classifiers err; on the diagonal,
        on which one errs.
    n_test : ndarray of shape (n_repetitions, 10)
        Numbers of records of the test sets.
    one_class : int
        Training sets that have a single class, in all repetitions that are kept.
    seconds : float
        Processor time of all repetitions that are kept.
    """

    both_wrong: np.ndarray
    n_test: np.ndarray
    one_class: int
    seconds: float

    def __add__(self, other):
        return Draws(
            np.concatenate([self.both_wrong, other.both_wrong]),
            np.concatenate([self.n_test, other.n_test]),
            self.one_class + other.one_class,
            self.seconds + other.seconds,
        )

    @property
    def n_repetitions(self):
        return len(self.n_test)


def halves(X, y, rng):
    """Draw 300 records, twice without a record in common, and halve each draw ten times.

    The splits are not stratified, as in the paper.
    """
    if len(y) < 2 * N_RECORDS:
        raise SystemExit(
            f"Two draws without a common record need {2 * N_RECORDS} records, and there "
            f"are {len(y)}. Leave this data set out by --datasets."
        )
    drawn = rng.permutation(len(y))[: 2 * N_RECORDS].reshape(2, N_RECORDS)
    for rows in drawn:
        seed = int(rng.integers(2**31))
        splitter = BlockRegularized5x2CV(stratify=False, random_state=seed)
        for i, (train, test) in enumerate(splitter.split(rows)):
            train, test = rows[train], rows[test]
            yield Half(X[train], y[train], X[test], seed // 16 + i), y[test]


def one_chunk(X, y, entropy, first_pair):
    """A chunk of repetitions; the numbers of each pair depend on its own seed only."""
    start = process_time()
    tables, sizes, one_class = [], [], 0
    with threadpool_limits(1):
        for pair in range(first_pair, first_pair + CHUNK // 2):
            rng = np.random.default_rng([*entropy, pair])
            for half, y_test in halves(X, y, rng):
                wrong = wrong_predictions(half, y_test).astype(np.int16)
                tables.append(wrong @ wrong.T)
                sizes.append(len(y_test))
                one_class += int((half.y == half.y[0]).all())
    shape = (CHUNK, N_SPLITS, len(CLASSIFIERS), len(CLASSIFIERS))
    return Draws(
        np.reshape(tables, shape),
        np.reshape(sizes, shape[:2]).astype(np.int16),
        one_class,
        process_time() - start,
    )


def check(records, name, seed):
    """Stop unless own closed forms answer as scikit-learn does, on the first draw."""
    rng = np.random.default_rng([seed, crc32(name.encode()), 0])
    share = max(largest_departure(half) for half, _ in halves(records.X, records.y, rng))
    if share > 0:
        raise SystemExit(f"{name}: {share:.1%} of answers are not those of scikit-learn.")


def draws_of(records, name, n_repetitions, *, seed, store, n_jobs):
    """Read the repetitions of a data set, and compute those that are missing."""
    settings = "|".join(
        map(str, [name, *records.counts, records.X.shape[1], seed, N_RECORDS, *CLASSIFIERS])
    )
    path = Path(store) / f"{name}.npz" if store else None
    found = _read(path, settings)
    entropy = (seed, crc32(name.encode()))
    while found is None or found.n_repetitions < n_repetitions:
        done = found.n_repetitions if found else 0
        goal = min(done + KEPT, n_repetitions)
        chunks = Parallel(n_jobs=n_jobs)(
            delayed(one_chunk)(records.X, records.y, entropy, first // 2)
            for first in range(done, goal, CHUNK)
        )
        for chunk in chunks:
            found = chunk if found is None else found + chunk
        _write(path, settings, found)
    return found._replace(
        both_wrong=found.both_wrong[:n_repetitions], n_test=found.n_test[:n_repetitions]
    )


def _read(path, settings):
    if path is None or not path.exists():
        return None
    with np.load(path) as kept:
        if str(kept["settings"]) != settings:
            raise SystemExit(
                f"{path} was made with other settings ({kept['settings']} instead of "
                f"{settings}). Name another folder with --store."
            )
        return Draws(
            kept["both_wrong"],
            kept["n_test"],
            int(kept["one_class"]),
            float(kept["seconds"]),
        )


def _write(path, settings, draws):
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with open(part, "wb") as file:
        np.savez_compressed(file, settings=settings, **draws._asdict())
    os.replace(part, path)
