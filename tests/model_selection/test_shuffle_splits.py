"""Replicated hold-outs and hold-outs of halves: sizes, classes, order, scikit-learn."""

import itertools

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import (
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB

from skcompare._core.design import Design, design_of
from skcompare._core.flags import FLAG_TEXTS
from skcompare.model_selection import (
    HalvesShuffleSplit,
    ReplicatedShuffleSplit,
    ShuffleLayout,
)

SPLITTERS = (ReplicatedShuffleSplit, HalvesShuffleSplit)


def splits_of(cv, *args, **kwargs):
    """Splits as lists, which compare by value."""
    return [(train.tolist(), test.tolist()) for train, test in cv.split(*args, **kwargs)]


def labels(*counts):
    """Classes 0, 1, ... with these numbers of members, in mixed order."""
    y = np.repeat(np.arange(len(counts)), counts)
    return np.random.default_rng(0).permutation(y)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class TestReplicated:
    @pytest.mark.parametrize("stratify", [True, False])
    def test_splits_are_scikit_learns(self, stratify):
        """All repetitions together are one repeated hold-out of scikit-learn."""
        y = labels(30, 21)
        theirs = StratifiedShuffleSplit if stratify else ShuffleSplit
        expected = theirs(15, test_size=0.2, random_state=7)
        cv = ReplicatedShuffleSplit(
            3, n_replicates=4, test_size=0.2, stratify=stratify, random_state=7
        )

        assert splits_of(expected, y, y) == splits_of(cv, y, y)

    def test_design(self):
        """1 + R repetitions of J hold-outs, 240 by default."""
        cv = ReplicatedShuffleSplit(3, n_replicates=4)

        assert Design("replicated holdout", 5, 3) == design_of(cv, 15)
        assert 15 == cv.get_n_splits()
        assert 240 == ReplicatedShuffleSplit().get_n_splits()

    def test_describe(self):
        """Sizes, without halves."""
        y = labels(30, 21)

        assert ShuffleLayout(45, 6) == ReplicatedShuffleSplit().describe(y, y)


class TestHalves:
    @pytest.mark.parametrize("stratify", [True, False])
    def test_halves_are_disjoint(self, stratify):
        """Hold-outs of one half share no record with those of the other."""
        for n_records, test_size in itertools.product([40, 41, 57], [0.1, 7]):
            y = labels(n_records // 2, n_records - n_records // 2)
            cv = HalvesShuffleSplit(
                3, n_bisections=4, test_size=test_size, stratify=stratify, random_state=1
            )
            splits = list(cv.split(y, y))
            n_test = int(np.ceil(0.1 * n_records)) if test_size < 1 else 7
            used = [set(train) | set(test) for train, test in splits]

            assert 27 == len(splits) == cv.get_n_splits()
            assert {n_test} == {len(test) for _, test in splits}
            assert {n_records - n_test} == {len(train) for train, _ in splits[:3]}
            assert {n_records // 2 - n_test} == {len(train) for train, _ in splits[3:]}
            for train, test in splits:
                assert not set(train) & set(test)
            for start in range(3, 27, 6):
                one, other = used[start], used[start + 3]
                assert [one] * 3 == used[start : start + 3]
                assert [other] * 3 == used[start + 3 : start + 6]
                assert not one & other
                assert n_records - n_records % 2 == len(one | other)

    def test_bisections_differ(self):
        """Each bisection, and each hold-out, is drawn again."""
        y = labels(30, 30)
        cv = HalvesShuffleSplit(5, n_bisections=6, random_state=0)
        splits = list(cv.split(y, y))

        assert 6 == len({frozenset([*train, *test]) for train, test in splits[5::10]})
        assert 65 == len({frozenset(test) for _, test in splits})

    def test_odd_record_is_random(self):
        """Of an odd number of records, each is left out of some bisection."""
        y = np.zeros(9)
        left_out = set()
        for seed in range(12):
            cv = HalvesShuffleSplit(
                1, n_bisections=4, test_size=1, stratify=False, random_state=seed
            )
            splits = list(cv.split(y))[1:]
            for (a, b), (c, d) in zip(splits[::2], splits[1::2], strict=True):
                left_out |= set(range(9)) - {*a, *b, *c, *d}

        assert set(range(9)) == left_out

    @pytest.mark.parametrize("stratify", [True, False])
    def test_first_row_is_scikit_learns(self, stratify):
        """Hold-outs of all records are the repeated hold-out of scikit-learn."""
        y = labels(30, 21)
        theirs = StratifiedShuffleSplit if stratify else ShuffleSplit
        expected = theirs(4, test_size=0.1, random_state=7)
        cv = HalvesShuffleSplit(4, stratify=stratify, random_state=7)

        assert splits_of(expected, y, y) == splits_of(cv, y, y)[:4]

    def test_design(self):
        """1 + 2M repetitions of J hold-outs, 315 by default."""
        cv = HalvesShuffleSplit(3, n_bisections=4)

        assert Design("holdout in halves", 9, 3) == design_of(cv, 27)
        assert 315 == HalvesShuffleSplit().get_n_splits()

    def test_describe(self):
        """Sizes of all and of halves."""
        y = labels(30, 21)

        assert ShuffleLayout(45, 6, 19) == HalvesShuffleSplit().describe(y, y)

    @pytest.mark.parametrize("n_records", [20, 21])
    def test_least_training(self, n_records):
        """Halves must leave two records to train on."""
        X = np.zeros((n_records, 1))
        fits = HalvesShuffleSplit(1, n_bisections=1, test_size=8, stratify=False)
        small = HalvesShuffleSplit(1, n_bisections=1, test_size=9, stratify=False)

        assert {12, 13, 2} >= {len(train) for train, _ in fits.split(X)}
        with pytest.raises(ValueError, match=r"at least 2 records. Got 1 with test_size=9"):
            small.split(X)


class TestStratification:
    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_shares(self, splitter):
        """Test sets have the class shares; so do training sets and halves."""
        y = labels(60, 40, 20)
        for train, test in splitter(2, random_state=0).split(y, y):
            assert [6, 4, 2] == np.bincount(y[test]).tolist()
            assert np.bincount(y[train]) / len(train) == pytest.approx(
                [1 / 2, 1 / 3, 1 / 6]
            )

    def test_halves_within_one(self):
        """A class has the same number of members in both halves, to within one.

        That two members a half are enough for scikit-learn holds for any numbers.
        """
        rng = np.random.default_rng(5)
        for seed in range(15):
            counts = rng.integers(4, 12, size=rng.integers(2, 5))
            y = labels(*counts)
            n_test = len(counts)
            cv = HalvesShuffleSplit(1, n_bisections=2, test_size=n_test, random_state=seed)
            splits = list(cv.split(y, y))[1:]
            halves = [np.bincount(y[[*train, *test]]) for train, test in splits]
            for one, other in zip(halves[::2], halves[1::2], strict=True):
                assert 1 >= np.abs(one - other).max()
                assert (one >= 2).all()
                assert (other >= 2).all()

    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_kinds_of_labels(self, splitter):
        """Labels count by value, whatever holds them."""
        X = np.zeros((40, 1))
        cv = splitter(1, random_state=0)
        expected = splits_of(cv, X, np.array([0, 1] * 20))
        for y in [
            [0, 1] * 20,
            np.array([[0], [1]] * 20),
            np.array(["no", "yes"] * 20, dtype=object),
            pd.Series(["no", "yes"] * 20, dtype="category"),
        ]:
            assert expected == splits_of(cv, X, y)

    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_without_it_labels_do_not_matter(self, splitter):
        """With stratify=False, any `y` or none gives the same splits."""
        X = np.zeros((50, 1))
        cv = splitter(2, stratify=False, random_state=0)

        assert splits_of(cv, X) == splits_of(cv, X, np.linspace(0, 1, 50))

    @pytest.mark.parametrize(("splitter", "least"), [(SPLITTERS[0], 2), (SPLITTERS[1], 4)])
    def test_rare_class(self, splitter, least):
        """Fewer members than stratification needs are refused, with the class."""
        y = np.repeat(["common", "rare"], [50, least])
        splits = list(splitter(2, random_state=0).split(y, y))
        with pytest.raises(
            ValueError, match=rf"{least} in all. Got {least - 1} of class 'rare'. .*=False"
        ):
            splitter().split(y[:-1], y[:-1])
        assert len(splits) == splitter(2).get_n_splits()
        assert all("rare" in y[test] or "rare" in y[train] for train, test in splits)

    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_fewer_test_records_than_classes(self, splitter):
        """Each test set must have a record for each class."""
        y = labels(10, 10, 10)
        with pytest.raises(
            ValueError, match=r"of the 3 classes to stratify. .* and 2 test"
        ):
            splitter(test_size=2).split(y, y)

    @pytest.mark.parametrize(("splitter", "least"), [(SPLITTERS[0], 3), (SPLITTERS[1], 8)])
    def test_class_that_training_sets_may_lack(self, splitter, least):
        """It is named and flagged where its share of a training set is below one record."""
        few, enough = (np.repeat(["a", "b"], [60 - k, k]) for k in (least - 1, least))
        size = 40 if splitter is ReplicatedShuffleSplit else 22
        cv = splitter(10, test_size=size, random_state=0)

        assert ("b",) == cv.describe(few, few).small_classes
        assert ("class-may-be-missing",) == cv.describe(few, few).flags
        assert {"class-may-be-missing"} <= set(FLAG_TEXTS)
        assert () == cv.describe(enough, enough).flags
        assert all("b" in enough[train] for train, _ in cv.split(enough, enough))


class TestRandomState:
    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_int_repeats(self, splitter):
        """An int gives the same splits at every call, another int other splits."""
        y = labels(25, 25)
        cv = splitter(1, random_state=4)

        assert splits_of(cv, y, y) == splits_of(cv, y, y)
        assert splits_of(cv, y, y) != splits_of(splitter(1, random_state=5), y, y)

    @pytest.mark.parametrize("splitter", SPLITTERS)
    @pytest.mark.parametrize("seed", [None, 0])
    def test_others_go_on(self, splitter, seed):
        """None and a RandomState give other splits at every call."""
        y = labels(25, 25)
        state = None if seed is None else np.random.RandomState(seed)
        cv = splitter(1, random_state=state)

        assert splits_of(cv, y, y) != splits_of(cv, y, y)


class TestScikitLearn:
    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_cross_validation(self, splitter):
        """It is a `cv` as any other."""
        X = np.random.default_rng(0).normal(size=(60, 2))
        cv = splitter(1, random_state=0)
        scores = cross_val_score(GaussianNB(), X, labels(30, 30), cv=cv)

        assert cv.get_n_splits() == len(scores)

    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_representation_and_clone(self, splitter):
        """Parameters are shown, and copied by `clone`."""
        cv = splitter(4, test_size=0.3, random_state=5)
        copy = clone(cv, safe=False)

        assert repr(cv).startswith(f"{splitter.__name__}(n_")
        assert "n_splits=4, random_state=5, stratify=True" in " ".join(repr(cv).split())
        assert vars(cv) == vars(copy)
        assert copy is not cv

    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_groups_are_refused(self, splitter):
        """There is no grouped form, and nobody is told that there were one."""
        y = labels(30, 30)
        message = r"has no grouped form.*Got `groups`. Test a hold-out set"
        with pytest.raises(ValueError, match=message):
            splitter().split(y, y, groups=y)
        with pytest.raises(ValueError, match=message):
            splitter().describe(y, y, groups=y)

    @pytest.mark.usefixtures("routing")
    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_routing(self, splitter):
        """With metadata routing it works, and takes no groups either."""
        X, y = np.random.default_rng(0).normal(size=(60, 2)), labels(30, 30)
        cv = splitter(1, random_state=0)

        scores = cross_val_score(GaussianNB(), X, y, cv=cv, params={})

        assert cv.get_n_splits() == len(scores)
        with pytest.raises(TypeError, match="groups"):
            cross_val_score(GaussianNB(), X, y, cv=cv, params={"groups": y})


class TestErrors:
    def test_counts(self):
        """Numbers of splits are whole, and checked at use."""
        for cv, message in [
            (
                ReplicatedShuffleSplit(0),
                "`n_splits` must be an integer of at least 1. Got 0",
            ),
            (HalvesShuffleSplit(2.0), "`n_splits` must be .* Got 2.0"),
            (ReplicatedShuffleSplit(n_replicates=1), "`n_replicates` .* 2. Got 1"),
            (HalvesShuffleSplit(n_bisections=0), "`n_bisections` .* 1. Got 0"),
        ]:
            with pytest.raises(ValueError, match=message):
                cv.get_n_splits()
            with pytest.raises(ValueError, match=message):
                list(cv.split(np.zeros((60, 1)), labels(30, 30)))

    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_test_size(self, splitter):
        """A share below 1 or a number of records."""
        y = labels(30, 30)
        for test_size in [0, -1, 1.5, 0.0, 1.0, "0.1", None, True]:
            with pytest.raises(ValueError, match=rf"`test_size` must .* Got {test_size!r}"):
                splitter(test_size=test_size).split(y, y)

    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_more_test_records_than_there_are(self, splitter):
        """Nothing would be left to train on."""
        y = labels(30, 30)
        with pytest.raises(
            ValueError, match=r"at least 2 records. Got 0 with test_size=99"
        ):
            splitter(test_size=99).split(y, y)

    @pytest.mark.parametrize("splitter", SPLITTERS)
    def test_labels(self, splitter):
        """Labels are needed to stratify, one a record, and not as `stratify`."""
        y = labels(30, 30)
        with pytest.raises(ValueError, match=r"Got None instead. Use stratify=False"):
            splitter().split(y)
        with pytest.raises(ValueError, match=r"'continuous' instead"):
            splitter().split(y, np.linspace(0, 1, 60))
        with pytest.raises(ValueError, match=r"True or False. Got ndarray instead"):
            splitter(stratify=y).split(y, y)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            splitter().split(y, y[:-1])


def test_scikit_learns_random_halves():
    """Splits 2j and 2j + 1 are the two halves of repetition j, complementary.

    Tests of random halves read their evidence in this order.
    """
    for kind, n_records in itertools.product(
        [RepeatedKFold, RepeatedStratifiedKFold], [40, 41]
    ):
        y = labels(n_records // 2, n_records - n_records // 2)
        splits = splits_of(kind(n_splits=2, n_repeats=5, random_state=3), y, y)

        assert 10 == len(splits)
        for (train, test), (again, other) in zip(splits[::2], splits[1::2], strict=True):
            assert sorted(train) == sorted(other)
            assert sorted(test) == sorted(again)
            assert list(range(n_records)) == sorted(train + test)
        assert 5 == len({tuple(test) for _, test in splits[::2]})


@pytest.mark.parametrize("n_folds", [3, 10])
def test_scikit_learns_repetitions(n_folds):
    """Each K consecutive splits of a repeated K-fold test every record once."""
    y = labels(20, 20)
    splits = splits_of(RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=4), y, y)
    for start in range(0, 4 * n_folds, n_folds):
        tests = [test for _, test in splits[start : start + n_folds]]

        assert list(range(40)) == sorted(np.concatenate(tests))
