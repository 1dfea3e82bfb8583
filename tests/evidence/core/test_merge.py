"""Many shards add up to the evidence of all records, without copying it again and again."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest

from skcompare._core.design import HOLDOUT, Design
from skcompare.evidence import (
    ContingencyTable,
    JointCounts,
    PairedLosses,
    PlacementValues,
    merge_evidence,
)
from skcompare.evidence.core._storage import Mergeable, added


class Records(Mergeable):
    """Evidence that keeps its records, and counts how many were copied."""

    copied = 0

    def __init__(self, records):
        self.records = records

    def __add__(self, other):
        Records.copied += len(self.records) + len(other.records)
        return Records(self.records + other.records)


def test_shards_stay_in_order_and_are_copied_seldom(monkeypatch):
    """Each record is copied at most once for each doubling of the number of shards."""
    for n_shards in [1, 2, 3, 7, 8, 100, 1000]:
        monkeypatch.setattr(Records, "copied", 0)
        merged = merge_evidence(Records([k, -k]) for k in range(n_shards))

        assert [one for k in range(n_shards) for one in (k, -k)] == merged.records
        assert Records.copied <= 2 * n_shards * math.ceil(math.log2(n_shards))


def test_evidence_of_shards_is_that_of_all_records():
    """Counts are the same, ranks too, and means up to rounding."""
    rng = np.random.default_rng(0)
    y, (a, b) = rng.integers(2, size=1100), rng.random((2, 1100))
    parts = [slice(start, start + 100) for start in range(0, 1100, 100)]
    joint, losses, placements = (
        [make(y[part], a[part], b[part]) for part in parts]
        for make in (
            lambda y, a, b: JointCounts.from_predictions(y, a > 0.5, b > 0.5),
            PairedLosses.from_predictions,
            PlacementValues.from_predictions,
        )
    )

    assert JointCounts.from_predictions(y, a > 0.5, b > 0.5) == merge_evidence(joint)
    whole = PairedLosses.from_predictions(y, a, b)
    assert whole.means == pytest.approx(merge_evidence(losses).means, rel=1e-12)
    assert (whole.values == merge_evidence(losses).values).all()
    ranked, auc = merge_evidence(placements), PlacementValues.from_predictions(y, a, b)
    assert list(auc.aucs) == list(ranked.aucs)


def test_nothing_to_merge():
    """No shard is an error, and so are shards that do not go together."""
    with pytest.raises(ValueError, match="There is no evidence to merge"):
        merge_evidence([])
    table = ContingencyTable(1, 2, 3, 4)
    assert table is merge_evidence(iter([table]))
    with pytest.raises(TypeError, match="unsupported operand"):
        merge_evidence([table, 3])


@dataclass(frozen=True, slots=True, eq=False)
class Binned(Mergeable):
    """Counts of bins, whose edges must be the same."""

    counts: np.ndarray = field(metadata={"merge": added})
    edges: np.ndarray = field(
        metadata={"merge": "Only counts of the same bins can be merged."}
    )
    design: Design = HOLDOUT


def test_arrays_that_must_be_equal():
    """A field can be an array whose shards must agree."""
    counts, edges = np.array([1, 2]), np.array([0.5, 1.0])
    shard = Binned(counts, edges)

    assert Binned(2 * counts, edges) == shard + Binned(counts, edges.copy())
    for other in (edges / 2, edges[:1]):
        with pytest.raises(ValueError, match=r"same bins can be merged\. Got \[0\.5 1"):
            shard + Binned(counts, other)
