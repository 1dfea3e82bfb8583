"""Paired losses from sums, and from probabilities that are taken a few at a time."""

import itertools

import numpy as np
import pytest

from skcompare.evidence import PairedLosses
from skcompare.evidence.losses import _record_losses
from skcompare.evidence.losses._paired_losses import LOSS_SUMS
from skcompare.stats import clustered_t, error_correlation, paired_t

FIELDS = ("champion", "challenger", "gain", "champion_squares", "challenger_squares")
FIELDS += ("gain_squares", "products")


def predictions(seed=0, n=500):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    y = (rng.random(n) < p).astype(int)
    return y, p, np.clip(p + rng.normal(0, 0.1, size=n), 0, 1), rng.integers(9, size=n)


def summed(losses, parts):
    """Counts and sums of parts of the records, as an engine's group-by has them."""
    one, two = losses.champion, losses.challenger
    gain = one - two
    terms = one, two, gain, one * one, two * two, gain * gain, one * two
    n_parts = int(parts.max()) + 1
    sums = (np.bincount(parts, each, n_parts) for each in terms)
    return np.bincount(parts), dict(zip(LOSS_SUMS, sums, strict=True))


def moments_of(losses):
    return [getattr(losses.moments, name) for name in FIELDS]


def test_sums_of_parts():
    """However records are parted, moments and tests are those of the records."""
    for n_parts, loss in itertools.product(
        [1, 9, 500], ["binary_brier_loss", "log_loss", "spherical_loss"]
    ):
        y, p, q, _ = predictions()
        kept = PairedLosses.from_predictions(y, p, q, loss=loss)
        whole = PairedLosses.from_predictions(y, p, q, loss=loss, keep_values=False)
        parts = np.arange(500) % n_parts
        losses = PairedLosses.from_sums(*summed(kept, parts), loss=loss)

        assert moments_of(whole) == pytest.approx(moments_of(losses), rel=1e-12)
        assert (500, loss, None) == (losses.n, losses.loss, losses.values)
        for test in (paired_t, error_correlation):
            assert tuple(test(whole)) == pytest.approx(tuple(test(losses)), rel=1e-11)
        assert "moments only" in repr(losses)


def test_one_part_of_plain_numbers():
    """All records as one part need no arrays."""
    y, p, q, _ = predictions()
    counts, sums = summed(PairedLosses.from_predictions(y, p, q), np.zeros(500, dtype=int))
    plain = {name: float(values[0]) for name, values in sums.items()}

    assert PairedLosses.from_sums(500, plain) == PairedLosses.from_sums(counts, sums)


def test_groups():
    """Parts that belong to groups make the sums of groups, in a grouped design."""
    y, p, q, groups = predictions()
    labels = np.array(list("abcdefghi"))
    whole = PairedLosses.from_predictions(y, p, q, groups=labels[groups], keep_values=False)
    # Two parts a group, and a part without records of a group that does not occur.
    parts = 2 * groups + np.arange(500) % 2
    kept = PairedLosses.from_predictions(y, p, q)
    counts, sums = summed(kept, parts)
    of_parts = np.append(labels.repeat(2), "z")
    losses = PairedLosses.from_sums(
        np.append(counts, 0),
        {name: np.append(values, 0.0) for name, values in sums.items()},
        groups=of_parts,
    )

    assert whole.groups.labels.tolist() == losses.groups.labels.tolist()
    assert whole.groups.sizes.tolist() == losses.groups.sizes.tolist()
    assert whole.groups.gains == pytest.approx(losses.groups.gains, rel=1e-12)
    assert losses.design.grouped
    assert tuple(clustered_t(whole)) == pytest.approx(tuple(clustered_t(losses)), rel=1e-11)


def test_shards_and_roles():
    """Sums of shards add up to the whole, and swapped roles turn the gain."""
    y, p, q, parts = predictions()
    whole = PairedLosses.from_predictions(y, p, q)
    counts, sums = summed(whole, parts)
    shards = [
        PairedLosses.from_sums(counts[k], {name: sums[name][k] for name in sums})
        for k in range(9)
    ]
    total = sum(shards)

    assert moments_of(whole) == pytest.approx(moments_of(total), rel=1e-12)
    assert -whole.gain == pytest.approx(total.swap().gain, rel=1e-12)


def test_a_classifier_against_itself():
    """Equal losses have gain 0 and p = 1; a constant gain has no variance."""
    y, p, _, parts = predictions()
    same = PairedLosses.from_predictions(y, p, p)
    result = paired_t(PairedLosses.from_sums(*summed(same, parts)))
    shifted = PairedLosses.from_losses(same.champion + 0.3, same.champion)
    constant = PairedLosses.from_sums(*summed(shifted, parts))

    assert (0.0, 1.0) == tuple(result)
    assert 0.3 == pytest.approx(constant.gain, rel=1e-12)
    assert 0.0 == constant.moments.gain_deviation


def test_clipped_records():
    """Clipped records are counted elsewhere, and flagged as ever."""
    y, p, q, parts = predictions()
    counts, sums = summed(PairedLosses.from_predictions(y, p, q, loss="log_loss"), parts)
    losses = PairedLosses.from_sums(counts, sums, loss="log_loss", clipped=(2, 0))

    assert ((2, 0), ("clipped-probabilities",)) == (losses.clipped, losses.flags)
    with pytest.raises(ValueError, match="`clipped` must hold whole counts"):
        PairedLosses.from_sums(counts, sums, clipped=(-1, 0))
    with pytest.raises(ValueError, match="`clipped` must be a pair"):
        PairedLosses.from_sums(counts, sums, clipped=(1,))
    with pytest.raises(ValueError, match="no more than the records of `counts`"):
        PairedLosses.from_sums(counts, sums, clipped=(0, 10**6))


def test_wrong_sums():
    """Sums that are missing, not numbers or not of the same losses are refused."""
    for changes, message in [
        ({"products": None}, "`sums` must have champion, challenger"),
        ({"product": [1.0]}, "`sums` must have champion, challenger"),
        ({"products": [np.nan]}, "must be finite"),
        ({"products": [0.1, 0.2]}, "one entry per record"),
        ({"gain": [0.2]}, "of the same losses"),
        ({"gain_squares": [0.5]}, "of the same losses"),
        ({"champion": [4.0], "gain": [3.85]}, "of the same losses"),
    ]:
        kept = PairedLosses.from_losses([0.01, 0.16, 0.16, 0.04], [0.04, 0.01, 0.01, 0.09])
        counts, sums = summed(kept, np.zeros(4, dtype=int))
        sums = {
            name: values for name, values in (sums | changes).items() if values is not None
        }

        with pytest.raises(ValueError, match=message):
            PairedLosses.from_sums(counts, sums)


def test_wrong_counts():
    """Numbers of records are whole, one a part, and not all 0."""
    for counts in [0, [0], [-1], [1.5], [[1]]]:
        nothing = {name: [0.0] for name in LOSS_SUMS}
        with pytest.raises(ValueError, match="`counts` must"):
            PairedLosses.from_sums(counts, nothing)


def test_few_records_at_a_time(monkeypatch):
    """Records that come part by part have the moments of all, groups and clipping too."""
    for loss, grouped in itertools.product(
        ["binary_brier_loss", "multiclass_brier_loss", "log_loss"], [False, True]
    ):
        y, p, q, groups = predictions(n=2000)
        p[3] = float(1 - y[3])
        options = {"loss": loss, "groups": groups if grouped else None}
        whole = PairedLosses.from_predictions(y, p, q, **options)
        monkeypatch.setattr(_record_losses, "PART", 300)
        parts = PairedLosses.from_predictions(y, p, q, keep_values=False, **options)

        assert moments_of(whole) == pytest.approx(moments_of(parts), rel=1e-12)
        assert (whole.clipped, whole.design, whole.loss) == (
            parts.clipped,
            parts.design,
            parts.loss,
        )
        assert (None, None) == (parts.values, getattr(parts.groups, "codes", None))
        if grouped:
            assert whole.groups.gains.tolist() == parts.groups.gains.tolist()
            assert whole.groups.sizes.tolist() == parts.groups.sizes.tolist()


def test_faults_in_parts(monkeypatch):
    """A fault in a later part is named by its place in all records."""
    monkeypatch.setattr(_record_losses, "PART", 10)
    y, p, q, _ = predictions()
    columns = np.column_stack([1 - p, p])
    columns[345] = 0.7

    with pytest.raises(ValueError, match=r"Row 345 sums to 1\.4"):
        PairedLosses.from_predictions(y, columns, q, keep_values=False)
    with pytest.raises(ValueError, match="one entry per record"):
        PairedLosses.from_predictions(y, p, q[1:], keep_values=False)
    with pytest.raises(ValueError, match="one entry per record"):
        PairedLosses.from_predictions(y, p, q, groups=y[1:], keep_values=False)


def test_own_losses_see_all_records():
    """A loss of one's own may look at all records, so it gets them at a time."""

    def relative(codes, proba):
        return (1 - proba[np.arange(len(codes)), codes]) / len(codes)

    y, p, q, _ = predictions(n=20_000)
    whole = PairedLosses.from_predictions(y, p, q, loss=relative)

    reduced = PairedLosses.from_predictions(y, p, q, loss=relative, keep_values=False)
    assert whole.moments == reduced.moments
