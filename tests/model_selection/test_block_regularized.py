"""Block-regularized splits: balance, overlaps, classes, groups, and scikit-learn."""

import itertools
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedGroupKFold,
    check_cv,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB

from skcompare._core.design import Design, design_of
from skcompare.model_selection import (
    BlockLayout,
    BlockRegularized5x2CV,
    BlockRegularizedMx2CV,
)
from skcompare.model_selection._hadamard import orthogonal_array, smallest_order

TABLE_III = [(1, 2, 3, 4), (1, 3, 5, 7), (1, 2, 5, 6), (1, 4, 5, 8), (1, 3, 6, 8)]


def splits_of(cv, *args, **kwargs):
    """Splits as lists, which compare by value."""
    return [(train.tolist(), test.tolist()) for train, test in cv.split(*args, **kwargs)]


def blocks_of(splits, n_repeats):
    """Recover every record's block from the repetitions in which S holds it."""
    n_records = sum(map(len, splits[0]))
    in_first = np.zeros((n_records, n_repeats), dtype=bool)
    for repeat in range(n_repeats):
        in_first[splits[2 * repeat][0], repeat] = True
    rows = {tuple(row): block for block, row in enumerate(orthogonal_array(n_repeats))}
    return np.array([rows[tuple(row)] for row in in_first])


def overlaps_of(splits):
    """Sizes of the intersections of training sets of different repetitions."""
    folds = [set(train) for train, _ in splits]
    return [
        len(folds[i] & folds[j])
        for i, j in combinations(range(len(folds)), 2)
        if i // 2 != j // 2
    ]


def bounds(n_records, n_blocks):
    """Bounds of the class docstring: of |S| - n/2 and of |S & S'| - n/4."""
    surplus = n_records % n_blocks
    s = min(surplus, n_blocks - surplus)
    return s / 2, min(3 * s, n_blocks - s) / 4


def random_labels(rng, n_records):
    """Labels of a few classes of very different sizes, none too small to be halved."""
    n_classes = rng.integers(1, 6)
    y = rng.choice(n_classes, size=n_records, p=rng.dirichlet(np.ones(n_classes)))
    sizes = np.bincount(y)
    y[sizes[y] < 3] = sizes.argmax()
    return y


SMALL_CLASSES = pytest.mark.filterwarnings("ignore:The least populated class")
"""They are not what a test is about."""


def quantile_cv(n_repeats=5, random_state=0):
    return BlockRegularizedMx2CV(n_repeats, stratify="quantile", random_state=random_state)


@pytest.fixture
def rng():
    return np.random.default_rng(20170201)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class TestSplits:
    def test_order_and_complements(self):
        """Each repetition trains on S, then on T, its complement; indices are sorted."""
        X, y = np.zeros((37, 2)), np.arange(37) % 3
        splits = list(BlockRegularizedMx2CV(6, random_state=0).split(X, y))

        assert 12 == len(splits)
        for (s, t), (t_again, s_again) in zip(splits[::2], splits[1::2], strict=True):
            assert s.tolist() == s_again.tolist()
            assert t.tolist() == t_again.tolist()
            assert list(range(37)) == sorted([*s, *t])
            assert np.intp == s.dtype == t.dtype
            assert (np.diff(s) > 0).all()
            assert (np.diff(t) > 0).all()

    def test_table_iii(self):
        """With 8 records, five repetitions are Table III of Yang et al. (2023)."""
        X = np.zeros((8, 1))
        cv = BlockRegularized5x2CV(stratify=False, random_state=1)
        splits = splits_of(cv, X)
        record_of = np.argsort(blocks_of(splits, 5))

        expected = [sorted(record_of[np.array(s) - 1].tolist()) for s in TABLE_III]
        assert expected == [train for train, _ in splits[::2]]

    @SMALL_CLASSES
    def test_five_by_two_is_a_case_of_m_by_two(self):
        """Both splitters agree at five repetitions."""
        for n_records, stratify in itertools.product([8, 40, 41, 67], [True, False]):
            X, y = np.zeros((n_records, 1)), np.arange(n_records) % 2
            options = {"stratify": stratify, "random_state": 7}

            assert splits_of(BlockRegularizedMx2CV(5, **options), X, y) == splits_of(
                BlockRegularized5x2CV(**options), X, y
            )

    def test_exact_where_blocks_divide_n(self):
        """Halves have n/2 records, and share exactly n/4 between repetitions."""
        for n_repeats in [1, 2, 3, 4, 7, 8, 11, 12, 20]:
            n_records = 3 * smallest_order(n_repeats)
            cv = BlockRegularizedMx2CV(n_repeats, stratify=False, random_state=0)
            splits = splits_of(cv, np.zeros((n_records, 1)))

            assert {n_records / 2} == {len(train) for train, _ in splits}
            assert {n_records / 4} >= set(overlaps_of(splits))

    @SMALL_CLASSES
    @pytest.mark.parametrize("stratify", [True, False])
    def test_bounds_for_any_n(self, rng, stratify):
        """Sizes and overlaps keep to the bounds of the docstring for every n."""
        for n_repeats in [2, 5, 7, 9]:
            n_blocks = smallest_order(n_repeats)
            for n_records in range(n_blocks, 3 * n_blocks):
                cv = BlockRegularizedMx2CV(
                    n_repeats, stratify=stratify, random_state=int(rng.integers(10**6))
                )
                y = random_labels(rng, n_records).astype(str)
                splits = splits_of(cv, y, y)
                of_size, of_overlap = bounds(n_records, n_blocks)
                sizes = np.array([len(train) for train, _ in splits])
                assert of_size >= np.abs(sizes - n_records / 2).max()
                overlaps = np.array(overlaps_of(splits))
                assert of_overlap >= np.abs(overlaps - n_records / 4).max()

    def test_bounds_are_reached(self):
        """Over many seeds, the largest deviations equal the bounds."""
        for n_records in range(16, 24):
            X = np.zeros((n_records, 1))
            of_size, of_overlap = 0.0, 0.0
            for seed in range(30):
                cv = BlockRegularized5x2CV(stratify=False, random_state=seed)
                splits = splits_of(cv, X)
                deviations = [abs(len(train) - n_records / 2) for train, _ in splits]
                of_size = max(of_size, *deviations)
                deviations = [abs(shared - n_records / 4) for shared in overlaps_of(splits)]
                of_overlap = max(of_overlap, *deviations)

            assert bounds(n_records, 8) == (of_size, of_overlap)

    def test_surplus_blocks_are_random(self):
        """Each block is as likely as the others to be a larger one."""
        X = np.zeros((19, 1))
        larger = np.zeros(8)
        for seed in range(160):
            cv = BlockRegularized5x2CV(stratify=False, random_state=seed)
            larger += np.array(cv.describe(X).block_sizes) == 3

        # 160 draws of probability 3/8: mean 60, standard deviation 6.1.
        assert 480 == larger.sum()
        assert 25 > np.abs(larger - 60).max()

    def test_every_record_meets_every_block(self):
        """A record is not tied to its place in X."""
        y = np.repeat([0, 1], 8)
        seen = [
            blocks_of(splits_of(BlockRegularized5x2CV(random_state=seed), y, y), 5)[0]
            for seed in range(40)
        ]

        assert set(range(8)) == set(seen)


class TestStratification:
    @SMALL_CLASSES
    def test_classes_and_blocks_are_even(self, rng):
        """Blocks differ by at most one record, and by at most one of each class."""
        for _ in range(40):
            n_records = int(rng.integers(8, 200))
            y = random_labels(rng, n_records)
            cv = BlockRegularized5x2CV(random_state=int(rng.integers(10**6)))
            blocks = blocks_of(splits_of(cv, y, y), 5)

            assert 1 >= np.ptp(np.bincount(blocks, minlength=8))
            for label in np.unique(y):
                assert 1 >= np.ptp(np.bincount(blocks[y == label], minlength=8))

    @pytest.mark.parametrize("members", [1, 2])
    def test_class_that_a_half_must_lack(self, members):
        """It is refused by name, before the first split; without `stratify` it is not."""
        y = np.repeat(["common", "rare"], [40, members])
        has = f"class 'rare' has {members} members, and 3 would do. Collect more"
        with pytest.raises(ValueError, match=f"both halves|{has}") as caught:
            BlockRegularized5x2CV(random_state=0).split(y, y)

        assert has in str(caught.value)
        assert 10 == len(splits_of(BlockRegularized5x2CV(stratify=False), y, y))

    def test_class_that_a_half_must_lack_by_groups(self):
        """Two groups with such members are too few, however many members they have."""
        groups, y = np.repeat(np.arange(12), 10), np.repeat([0, 1], [100, 20])
        with pytest.raises(ValueError, match="class 1 has 2 groups, and 3 would do"):
            BlockRegularized5x2CV(random_state=0).split(y, y, groups)

    def test_two_members_in_two_repetitions(self):
        """Here there is a deal that has one in each half."""
        y = np.repeat([0, 1], [40, 2])
        with pytest.warns(UserWarning, match="has 2 members, fewer than the 4 blocks"):
            splits = BlockRegularizedMx2CV(2, random_state=0).split(y, y)

        assert [1] * 4 == [y[test].sum() for _, test in splits]

    @pytest.mark.parametrize(("members", "groups"), [(3, None), (7, None), (40, 5)])
    def test_class_with_fewer_members_than_blocks(self, members, groups):
        """It is warned of by name, once, as by StratifiedKFold."""
        y = np.repeat([0, 1, 2], [60, 40, members])
        grouped = None
        if groups is not None:
            grouped = np.r_[np.arange(100), 100 + np.arange(members) % groups]
        what = f"{groups} groups" if groups else f"{members} members"
        words = f"The least populated class 2 has {what}, fewer than the 8 blocks"
        with pytest.warns(UserWarning, match=words) as caught:
            BlockRegularized5x2CV(random_state=0).split(y, y, grouped)

        assert [__file__] == [warning.filename for warning in caught]

    def test_without_it_labels_do_not_matter(self, rng):
        """With stratify=False, any `y` or none gives the same splits."""
        X = np.zeros((50, 1))
        cv = BlockRegularized5x2CV(stratify=False, random_state=0)
        expected = splits_of(cv, X)

        assert expected == splits_of(cv, X, rng.normal(size=50))
        assert expected == splits_of(cv, X, rng.integers(2, size=(50, 3)))

    def test_kinds_of_labels(self):
        """Labels count by value, whatever holds them."""
        X = np.zeros((40, 1))
        cv = BlockRegularized5x2CV(random_state=0)
        expected = splits_of(cv, X, np.array([0, 1] * 20))
        for y in [
            [0, 1] * 20,
            np.array([False, True] * 20),
            np.array([0.0, 1.0] * 20),
            np.array([[0], [1]] * 20),
            np.array(["no", "yes"] * 20),
            np.array(["no", "yes"] * 20, dtype=object),
            pd.Series(["no", "yes"] * 20),
            pd.Series([0, 1] * 20, dtype="Int64"),
            pd.Series(["no", "yes"] * 20, dtype="category"),
        ]:
            assert expected == splits_of(cv, X, y)

    def test_kinds_of_records(self):
        """Frames, sparse matrices and lists of texts are counted alike."""
        y = np.array([0, 1] * 20)
        cv = BlockRegularized5x2CV(random_state=0)
        expected = splits_of(cv, np.zeros((40, 1)), y)

        assert expected == splits_of(cv, pd.DataFrame({"a": range(40)}), y)
        assert expected == splits_of(cv, scipy.sparse.eye(40, format="coo"), y)
        assert expected == splits_of(cv, ["text"] * 40, y)

    def test_polars(self):
        """Polars frames and series work."""
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame({"a": range(40), "y": ["no", "yes"] * 20})
        cv = BlockRegularized5x2CV(random_state=0)

        assert splits_of(cv, np.zeros((40, 1)), frame["y"].to_list()) == splits_of(
            cv, frame, frame["y"], groups=None
        )
        assert 10 == len(splits_of(cv, frame, frame["y"], groups=frame["a"]))


class TestQuantiles:
    @pytest.mark.parametrize("n_repeats", [2, 5, 9])
    def test_each_run_gives_one_to_each_block(self, rng, n_repeats):
        """In the order of `y`, with the shorter run in the middle."""
        n_blocks = smallest_order(n_repeats)
        for n_records in (n_blocks, 2 * n_blocks + 3, 5 * n_blocks, 6 * n_blocks - 1):
            y = rng.lognormal(size=n_records)
            cv = quantile_cv(n_repeats, random_state=int(rng.integers(10**6)))
            blocks = blocks_of(splits_of(cv, y, y), n_repeats)[np.argsort(y)]

            n_below, rest = n_records // n_blocks // 2, n_records % n_blocks
            start = n_below * n_blocks
            below, middle, above = np.split(blocks, [start, start + rest])
            assert len(set(middle)) == rest
            for run in (*below.reshape(-1, n_blocks), *above.reshape(-1, n_blocks)):
                assert set(range(n_blocks)) == set(run)

    def test_bounds(self, rng):
        """Sizes and overlaps keep to those of the class, and counts below any value too."""
        for n_records in range(8, 60):
            y = rng.standard_cauchy(size=n_records)
            splits = splits_of(quantile_cv(random_state=n_records), y, y)
            of_size, of_overlap = bounds(n_records, 8)
            sizes = np.array([len(train) for train, _ in splits])
            assert of_size >= np.abs(sizes - n_records / 2).max()
            assert of_overlap >= np.abs(np.array(overlaps_of(splits)) - n_records / 4).max()
            for train, test in splits:
                sides = np.zeros(n_records)
                sides[train], sides[test] = 1, -1
                below = np.abs(np.cumsum(sides[np.argsort(y)]))
                assert (4 if n_records % 8 == 0 else 8) >= below.max()

    def test_halves_are_alike(self, rng):
        """Their means and medians differ much less than those of random halves."""
        y = rng.exponential(size=201)

        def spread(cv, of_half):
            halves = [
                of_half(y[train]) - of_half(y[test]) for train, test in cv.split(y, y)
            ]
            return np.sqrt(np.mean(np.square(halves)))

        for of_half in (np.mean, np.median):
            random_halves = BlockRegularized5x2CV(stratify=False, random_state=0)
            assert spread(random_halves, of_half) > 3 * spread(quantile_cv(), of_half)

    def test_order_alone_matters(self, rng):
        """Any increasing function of `y` gives the same splits, as does a list of it."""
        y = rng.normal(size=50)
        expected = splits_of(quantile_cv(), y, y)

        for same in (
            np.exp(y),
            y.tolist(),
            y[:, None],
            pd.Series(y),
            np.argsort(y).argsort(),
        ):
            assert expected == splits_of(quantile_cv(), y, same)
        assert expected != splits_of(quantile_cv(random_state=1), y, y)

    def test_ties_are_dealt_at_random(self):
        """Equal numbers are not tied to their place, and all equal ones are no obstacle."""
        y = np.repeat([0, 1], [9, 23])
        seen = {
            blocks_of(splits_of(quantile_cv(random_state=seed), y, y), 5)[0]
            for seed in range(60)
        }
        layout = quantile_cv().describe(y, np.zeros(32))

        assert set(range(8)) == seen
        assert ((4,) * 8, 8, 8, (), ()) == (
            layout.block_sizes,
            layout.min_overlap,
            layout.max_overlap,
            layout.small_classes,
            layout.flags,
        )

    def test_groups(self, rng):
        """Groups stay together, and their numbers are balanced as far as they allow."""
        level = rng.normal(size=80)
        groups = rng.integers(80, size=800)
        y = level[groups] + 0.3 * rng.normal(size=800)

        def spread(stratify):
            means = []
            for seed in range(5):
                cv = BlockRegularized5x2CV(stratify=stratify, random_state=seed)
                for train, test in cv.split(y, y, groups):
                    assert not set(groups[train]) & set(groups[test])
                    means.append(y[train].mean() - y[test].mean())
            return np.std(means)

        assert spread(False) > 3 * spread("quantile")

    @pytest.mark.parametrize(
        ("y", "message"),
        [
            (None, "one number per record for stratify='quantile'. Got None instead"),
            (np.repeat(["a", "b"], 8), "`y` must be numbers of shape"),
            (np.zeros((16, 2)), r"Got shape \(16, 2\). Compare several outputs one"),
            (np.r_[np.zeros(15), np.nan], "must be finite numbers. Got 1"),
        ],
    )
    def test_targets_without_order(self, y, message):
        """What cannot be sorted is refused."""
        with pytest.raises(ValueError, match=message):
            quantile_cv().split(np.zeros((16, 1)), y)

    def test_repr_and_clone(self):
        """The option is one of the splitter's parameters."""
        assert "stratify='quantile'" in repr(quantile_cv())
        y = np.linspace(0, 1, 40)
        assert splits_of(quantile_cv(), y, y) == splits_of(
            clone(quantile_cv(), safe=False), y, y
        )


class TestGroups:
    @pytest.mark.parametrize("stratify", [True, False])
    def test_groups_stay_together(self, rng, stratify):
        """No group is on both sides of a split."""
        for _ in range(15):
            n_records = int(rng.integers(60, 200))
            y = rng.integers(3, size=n_records)
            groups = np.r_[np.arange(12), rng.integers(12, 30, size=n_records - 12)]
            cv = BlockRegularized5x2CV(
                stratify=stratify, random_state=int(rng.integers(10**6))
            )
            splits = list(cv.split(y, y, groups.astype(str)))
            assert 10 == len(splits)
            for train, test in splits:
                assert len(train) > 0
                assert len(test) > 0
                assert not set(groups[train]) & set(groups[test])

    def test_sizes_are_within_the_largest_group(self, rng):
        """Longest processing time first leaves blocks within one group of each other."""
        for _ in range(30):
            groups = rng.choice(40, p=rng.dirichlet(np.ones(40)), size=500)
            cv = BlockRegularized5x2CV(stratify=False, random_state=0)
            layout = cv.describe(groups, groups=groups)

            assert np.bincount(groups).max() >= np.ptp(layout.block_sizes)

    def test_classes_are_within_the_largest_group(self, rng):
        """Where a group has one class, so are the members of that class."""
        for _ in range(20):
            label_of = rng.integers(0, 3, size=60)
            groups = rng.choice(60, p=rng.dirichlet(np.ones(60)), size=600)
            y = label_of[groups]
            blocks = blocks_of(
                splits_of(BlockRegularized5x2CV(random_state=0), y, y, groups), 5
            )
            for label in np.unique(y):
                largest = np.bincount(groups[y == label]).max()
                counts = np.bincount(blocks[y == label], minlength=8)
                assert largest >= np.ptp(counts)

    def test_classes_are_as_even_as_scikit_learns(self, rng):
        """Class shares are spread as evenly as StratifiedGroupKFold spreads them."""

        def spread(y, fold_of):
            counts = np.array([np.bincount(y[fold_of == f], minlength=3) for f in range(8)])
            return (counts / counts.sum(axis=0)).std(axis=0).mean()

        ours, theirs = [], []
        for seed in range(5):
            groups = rng.choice(100, p=rng.dirichlet(np.ones(100)), size=1000)
            bias = rng.dirichlet(np.ones(3), size=100)
            y = (rng.random(1000)[:, None] > bias.cumsum(axis=1)[groups]).sum(axis=1)
            y = np.minimum(y, 2)
            cv = BlockRegularized5x2CV(random_state=seed)
            ours.append(spread(y, blocks_of(splits_of(cv, y, y, groups), 5)))
            fold_of = np.empty(1000, dtype=int)
            folds = StratifiedGroupKFold(8).split(y, y, groups)
            for fold, (_, test) in enumerate(folds):
                fold_of[test] = fold
            theirs.append(spread(y, fold_of))

        assert np.mean(theirs) >= np.mean(ours)

    def test_groups_of_one(self, rng):
        """Groups of one record each give blocks within one record."""
        y = rng.integers(0, 2, size=83)
        for stratify in (True, False):
            cv = BlockRegularized5x2CV(stratify=stratify, random_state=0)
            sizes = cv.describe(y, y, np.arange(83)).block_sizes
            assert (2 if stratify else 1) >= np.ptp(sizes)

    def test_ties_are_random(self):
        """Equal groups land in different blocks for different seeds."""
        groups = np.repeat(np.arange(8), 3)
        splits = [
            splits_of(
                BlockRegularized5x2CV(stratify=False, random_state=seed),
                groups,
                None,
                groups,
            )
            for seed in range(10)
        ]

        assert 5 < len({str(split) for split in splits})

    def test_too_few_groups(self):
        """Fewer groups than blocks are refused."""
        groups = np.arange(40) % 7
        with pytest.raises(
            ValueError,
            match=r"at least 8 groups, one for each block of 5 repetitions. Got 7 instead",
        ):
            BlockRegularized5x2CV().split(groups, groups % 2, groups)


class TestDescribe:
    @SMALL_CLASSES
    def test_tells_of_the_splits(self, rng):
        """Sizes and overlaps are those of the splits."""
        for _ in range(20):
            n_records = int(rng.integers(8, 100))
            y = random_labels(rng, n_records)
            cv = BlockRegularizedMx2CV(6, random_state=int(rng.integers(10**6)))
            splits = splits_of(cv, y, y)
            layout = cv.describe(y, y)
            sizes = np.bincount(blocks_of(splits, 6), minlength=8)

            assert tuple(sizes) == layout.block_sizes
            assert min(overlaps_of(splits)) == layout.min_overlap
            assert max(overlaps_of(splits)) == layout.max_overlap

    def test_small_classes(self):
        """Classes with fewer members than blocks are named and flagged."""
        y = np.repeat(["a", "b", "c"], [30, 7, 8])
        layout = BlockRegularized5x2CV().describe(y, y)

        assert ("b",) == layout.small_classes
        assert ("small-class",) == layout.flags

    def test_small_classes_by_groups(self):
        """With groups, a class must be in as many groups as there are blocks."""
        y = np.repeat([0, 1], [40, 40])
        groups = np.r_[np.arange(40) % 20, np.full(40, 99)]
        cv = BlockRegularized5x2CV(random_state=0)

        assert () == cv.describe(y, y).flags
        assert (1,) == cv.describe(y, y, groups).small_classes

    def test_no_flag_without_stratification(self):
        """Labels are not looked at, so no class is small."""
        y = np.repeat([0, 1], [30, 2])
        layout = BlockRegularized5x2CV(stratify=False, random_state=0).describe(y, y)

        assert () == layout.small_classes
        assert () == layout.flags

    def test_single_repetition(self):
        """One repetition has no overlap to tell."""
        y = np.repeat([0, 1], 8)

        assert BlockLayout((4, 4, 4, 4), None, None) == BlockRegularizedMx2CV(1).describe(
            y, y
        )

    @pytest.mark.parametrize("random_state", [3, np.random.RandomState(3)])
    def test_consumes_no_random_numbers(self, random_state):
        """Describing twice, and then splitting, tells of one and the same layout."""
        y = np.arange(43) % 3
        cv = BlockRegularized5x2CV(random_state=random_state)
        first, second = cv.describe(y, y), cv.describe(y, y)
        sizes = np.bincount(blocks_of(splits_of(cv, y, y), 5), minlength=8)

        assert first == second
        assert tuple(sizes) == first.block_sizes


class TestRandomState:
    def test_int_repeats(self):
        """An int gives the same splits at every call, another int other splits."""
        y = np.arange(50) % 2
        cv = BlockRegularized5x2CV(random_state=4)

        assert splits_of(cv, y, y) == splits_of(cv, y, y)
        assert splits_of(cv, y, y) != splits_of(BlockRegularized5x2CV(random_state=5), y, y)

    @pytest.mark.parametrize("random_state", [None, np.random.RandomState(0)])
    def test_others_go_on(self, random_state):
        """None and a RandomState give other splits at every call."""
        y = np.arange(50) % 2
        cv = BlockRegularized5x2CV(random_state=random_state)

        assert splits_of(cv, y, y) != splits_of(cv, y, y)


class TestErrors:
    def test_n_repeats(self):
        """The number of repetitions is a positive integer, and checked at use."""
        for n_repeats in [0, -1, 2.0, "5", True, None]:
            cv = BlockRegularizedMx2CV(n_repeats)
            message = f"`n_repeats` must be an integer of at least 1. Got {n_repeats!r} ins"
            with pytest.raises(ValueError, match=message):
                cv.get_n_splits()
            with pytest.raises(ValueError, match=message):
                cv.split(np.zeros((8, 1)), [0, 1] * 4)

    def test_labels_passed_as_stratify(self):
        """As in train_test_split, but not here."""
        y = np.array([0, 1] * 10)
        with pytest.raises(ValueError, match=r"True, False or 'quan.*'. Got ndarray ins"):
            BlockRegularized5x2CV(stratify=y).split(y, y)
        with pytest.raises(ValueError, match=r"True, False or 'quantile'. Got str ins"):
            BlockRegularized5x2CV(stratify="quantiles").split(y, y)

    @pytest.mark.parametrize(("n_repeats", "n_blocks"), [(3, 4), (5, 8), (8, 12)])
    def test_too_few_records(self, n_repeats, n_blocks):
        """There must be a record for every block."""
        X = np.zeros((n_blocks - 1, 1))
        cv = BlockRegularizedMx2CV(n_repeats, stratify=False)
        message = f"at least {n_blocks} records, .* Got {n_blocks - 1} instead"
        with pytest.raises(ValueError, match=message):
            cv.split(X)
        assert 2 * n_repeats == len(list(cv.split(np.zeros((n_blocks, 1)))))

    def test_targets_without_classes(self):
        """Targets that are not one label per record are refused, with advice."""
        for y, message in [
            (None, "Got None instead. Use stratify=False, or pass one column"),
            (np.linspace(0, 1, 16), "'continuous' instead. .* or 'quantile' for numbers"),
            (np.eye(16, 3, dtype=int), "'multilabel-indicator' instead"),
            (np.arange(32).reshape(16, 2) % 3, "'multiclass-multioutput' instead"),
            (np.array([object() for _ in range(16)]), "'unknown' instead"),
        ]:
            with pytest.raises(ValueError, match=message):
                BlockRegularized5x2CV().split(np.zeros((16, 1)), y)

    @pytest.mark.parametrize("name", ["y", "groups"])
    def test_lengths(self, name):
        """Labels and groups are as many as records."""
        arguments = {"y": np.arange(16) % 2, name: np.arange(15) % 2}
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            BlockRegularized5x2CV().split(np.zeros((16, 1)), **arguments)

    def test_missing_groups(self):
        """A record without a group is refused."""
        groups = np.r_[np.arange(15.0), np.nan]
        with pytest.raises(ValueError, match="groups contains NaN"):
            BlockRegularized5x2CV().split(np.zeros((16, 1)), np.arange(16) % 2, groups)


class TestScikitLearn:
    @pytest.fixture
    def data(self):
        return make_classification(n_samples=120, random_state=0)

    @pytest.fixture
    def groups(self):
        return np.arange(120) // 4

    def test_repr(self):
        """The repr shows the arguments."""
        assert (
            "BlockRegularizedMx2CV(n_repeats=3, random_state=None, stratify=True)"
            == repr(BlockRegularizedMx2CV(3))
        )
        assert "BlockRegularized5x2CV(random_state=1, stratify=False)" == repr(
            BlockRegularized5x2CV(stratify=False, random_state=1)
        )

    @pytest.mark.parametrize("n_repeats", [1, 5, np.int64(9)])
    def test_get_n_splits(self, n_repeats):
        """Two splits a repetition."""
        assert 2 * n_repeats == BlockRegularizedMx2CV(n_repeats).get_n_splits()
        assert 10 == BlockRegularized5x2CV().get_n_splits(None, None, None)

    def test_design(self):
        """The design is declared to the tests."""
        assert Design("bcv", 5, 2) == BlockRegularized5x2CV().skcompare_design
        cv = BlockRegularizedMx2CV(7)
        assert Design("bcv", 7, 2, grouped=True) == design_of(cv, 14, grouped=True)

    def test_check_cv_and_clone(self, data):
        """Scikit-learn takes it for a splitter."""
        cv = BlockRegularized5x2CV(random_state=0)

        assert check_cv(cv, data[1], classifier=True) is cv
        assert splits_of(cv, *data) == splits_of(clone(cv, safe=False), *data)

    def test_grid_search(self, data):
        """A grid search runs over the ten splits."""
        search = GridSearchCV(
            GaussianNB(),
            {"var_smoothing": [0.1]},
            cv=BlockRegularized5x2CV(random_state=0),
        ).fit(*data)

        assert 10 == search.n_splits_
        assert clone(search).fit(*data).best_score_ == search.best_score_

    def test_cross_val_score(self, data):
        """Scores are those of fitting on the splits by hand."""
        X, y = data
        cv = BlockRegularizedMx2CV(2, random_state=0)
        expected = [
            GaussianNB().fit(X[train], y[train]).score(X[test], y[test])
            for train, test in cv.split(X, y)
        ]

        assert expected == cross_val_score(GaussianNB(), X, y, cv=cv).tolist()

    def test_groups_without_routing(self, data, groups):
        """Groups reach the splitter where routing is off."""
        cv = BlockRegularized5x2CV(random_state=0)
        result = cross_validate(
            GaussianNB(), *data, cv=cv, return_indices=True, groups=groups
        )
        trains = [train.tolist() for train in result["indices"]["train"]]

        assert [train for train, _ in splits_of(cv, *data, groups)] == trains

    def test_groups_with_routing(self, data, groups, routing):
        """Groups reach the splitter where routing is on, without a request."""
        cv = BlockRegularized5x2CV(random_state=0)
        result = cross_validate(
            GaussianNB(),
            *data,
            cv=cv,
            return_indices=True,
            params={"groups": groups},
        )
        trains = [train.tolist() for train in result["indices"]["train"]]

        assert [train for train, _ in splits_of(cv, *data, groups)] == trains

    def test_groups_are_optional_with_routing(self, data, routing):
        """Routing does not ask for groups that are not there."""
        cv = BlockRegularizedMx2CV(2, random_state=0)

        assert 4 == len(cross_val_score(GaussianNB(), *data, cv=cv, params={}))


@SMALL_CLASSES
def test_small_classes_are_in_both_halves_where_they_can_be():
    """Of three members they can up to 6 × 2."""
    for n_repeats, size in itertools.product([2, 3, 4, 5, 6, 7], [3, 4, 7]):
        in_both = []
        for seed in range(5):
            # Classes before it, so that the round begins anywhere.
            y = np.repeat([0, 1, 2], [30 + seed, 40, size])
            cv = BlockRegularizedMx2CV(n_repeats, random_state=seed)
            halves = [np.bincount(y[test], minlength=3)[2] for _, test in cv.split(y, y)]
            in_both.append(min(halves) > 0)
            assert np.ptp(cv.describe(y, y).block_sizes) <= 1

        assert {size > 3 or n_repeats <= 6} == set(in_both)


@SMALL_CLASSES
def test_several_small_classes_are_in_both_halves():
    """Of four classes of three members, in one order of the blocks."""
    for seed in range(10):
        y = np.repeat(range(5), [60, 3, 3, 3, 3])
        cv = BlockRegularized5x2CV(random_state=seed)
        halves = [np.bincount(y[test], minlength=5) for _, test in cv.split(y, y)]

        assert np.min(halves) > 0
