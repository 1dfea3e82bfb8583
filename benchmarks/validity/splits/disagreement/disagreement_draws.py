"""Data sets of Table IV of arXiv:2304.03990, and the errors in draws of them."""

import json
from pathlib import Path
from time import process_time
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd
from joblib import Memory, Parallel, delayed
from threadpoolctl import threadpool_limits

from benchmarks.validity.splits.disagreement.disagreement_classifiers import (
    CLASSIFIERS,
    Half,
    wrong_predictions,
)
from skcompare.model_selection import BlockRegularized5x2CV


class Listed(NamedTuple):
    """A row of Table IV, and the file that has it."""

    records: int
    predictors: int
    classes: int
    file: str


TABLE_IV = {
    "artificial": Listed(30654, 7, 10, ""),
    "australian": Listed(690, 14, 2, "australian"),
    "balance": Listed(625, 4, 3, "balance"),
    "car": Listed(1728, 6, 4, "car"),
    "cmc": Listed(1473, 9, 3, "cmc"),
    "credit": Listed(690, 15, 2, "credit_crx"),
    "donors": Listed(748, 4, 2, ""),
    "flare": Listed(1388, 10, 2, "flare_1389"),
    "german": Listed(1000, 20, 2, "german"),
    "krvskp": Listed(3196, 36, 2, "krvskp"),
    "letter": Listed(20000, 16, 26, "letter"),
    "magic": Listed(19020, 10, 2, "magic"),
    "mammographic": Listed(830, 5, 2, "mammographic"),
    "nursery": Listed(12960, 8, 5, "nursery"),
    "optdigits": Listed(5620, 64, 10, "optdigits"),
    "page_block": Listed(5473, 10, 5, "page_blocks"),
    "pendigits": Listed(10992, 16, 10, "pendigits"),
    "pima": Listed(768, 8, 2, "pima"),
    "ringnorm": Listed(7400, 20, 2, "ringnorm"),
    "satellite47": Listed(4435, 36, 6, "satellite"),
    "spambase": Listed(4601, 57, 2, "spambase"),
    "splice": Listed(3190, 60, 3, "splice"),
    "tic_tac_toe": Listed(958, 9, 2, "tic_tac_toe"),
    "titanic": Listed(2201, 3, 2, "titanic"),
    "transfusion": Listed(748, 4, 2, "transfusion"),
    "twonorm": Listed(7400, 20, 2, "twonorm"),
    "wave": Listed(5000, 40, 3, "waveform"),
    "wine_quality": Listed(4898, 11, 7, "wine_quality_white"),
    "yeast": Listed(1484, 7, 10, "yeast"),
}
"""By the names of the paper. "donors" is "transfusion" once more, and no file has
"artificial"."""

FLARE_COUNTS = ["c_class_flares", "m_class_flares", "x_class_flares"]


class Records(NamedTuple):
    """Numbers, one column a category, class codes, and how many predictors there were."""

    X: np.ndarray
    y: np.ndarray
    n_predictors: int

    @property
    def counts(self):
        return len(self.y), self.n_predictors, len(np.unique(self.y))


def available(folder):
    """Names of Table IV whose files are in the folder."""
    return [
        name
        for name, listed in TABLE_IV.items()
        if listed.file and (Path(folder) / f"{listed.file}.csv.gz").exists()
    ]


def load(folder, name):
    """Read a data set; it has no missing values."""
    file = TABLE_IV[name].file
    frame = pd.read_csv(Path(folder) / f"{file}.csv.gz", keep_default_na=False)
    described = json.loads((Path(folder) / "columns.json").read_text(encoding="utf-8"))
    categorical = list(described[file]["categorical_columns"])
    if name == "flare":
        # Ten predictors and two classes, as in Table IV: was there a flare of class C?
        frame["zurich_class"] = frame["target"]
        frame["target"] = frame["c_class_flares"] > 0
        frame = frame.drop(columns=FLARE_COUNTS)
        categorical.append("zurich_class")
    if name == "satellite47":
        # The training part.
        frame = frame.iloc[: TABLE_IV[name].records]
    predictors = frame.drop(columns="target")
    X = pd.get_dummies(predictors, columns=categorical, dtype=float)
    y = np.unique(frame["target"].astype(str), return_inverse=True)[1]
    return Records(X.to_numpy(dtype=float), y, predictors.shape[1])


N_RECORDS = 300
N_SPLITS = 10
CHUNK = 10
"""Repetitions that are computed together; an even number."""


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
        Training sets that have a single class.
    seconds : float
        Processor time.
    """

    both_wrong: np.ndarray
    n_test: np.ndarray
    one_class: int
    seconds: float


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


def draws_of(records, name, n_repetitions, *, seed, store, n_jobs):
    """The repetitions of a data set; those in the store are not computed again."""
    chunk = Memory(store, verbose=0).cache(one_chunk)
    entropy = (seed, crc32(name.encode()))
    chunks = Parallel(n_jobs=n_jobs)(
        delayed(chunk)(records.X, records.y, entropy, first // 2)
        for first in range(0, n_repetitions, CHUNK)
    )
    both_wrong, n_test, one_class, seconds = zip(*chunks)
    arrays = map(np.concatenate, (both_wrong, n_test))
    return Draws(*arrays, sum(one_class), sum(seconds))
