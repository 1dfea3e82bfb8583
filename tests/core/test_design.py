"""How evidence was collected, and which splitters make which design."""

import numpy as np
import pytest
from sklearn import model_selection as ms
from sklearn.model_selection import check_cv
from sklearn.model_selection._split import _CVIterableWrapper  # what check_cv returns

from skcompare import BlockRegularized5x2CV, BlockRegularizedMx2CV
from skcompare._core.design import (
    DESIGN_KINDS,
    HOLDOUT,
    UNKNOWN,
    Design,
    as_design,
    design_of,
    remedy,
)
from skcompare.stats import paired_tests

X = np.zeros((24, 1))
Y = np.tile([0, 1], 12)
GROUPS = np.repeat(np.arange(12), 2)


def n_splits_of(splitter, groups=None):
    return len(list(splitter.split(X, Y, groups)))


SPLITTERS = [
    (ms.KFold(4), Design("kfold", n_folds=4)),
    (ms.StratifiedKFold(10, shuffle=True), Design("kfold", n_folds=10)),
    (ms.LeaveOneOut(), Design("kfold", n_folds=24)),
    (ms.RepeatedKFold(n_splits=3, n_repeats=4), Design("repeated kfold", 4, 3)),
    (ms.RepeatedStratifiedKFold(n_splits=5, n_repeats=2), Design("repeated kfold", 2, 5)),
    (ms.RepeatedStratifiedKFold(n_splits=2, n_repeats=5), Design("random 5x2", 5, 2)),
    (ms.RepeatedKFold(n_splits=2, n_repeats=5), Design("random 5x2", 5, 2)),
    (ms.RepeatedKFold(n_splits=2, n_repeats=6), Design("repeated kfold", 6, 2)),
    (ms.RepeatedKFold(n_splits=5, n_repeats=1), Design("kfold", n_folds=5)),
    (ms.ShuffleSplit(15), Design("repeated holdout", n_repeats=15)),
    (ms.StratifiedShuffleSplit(7, test_size=0.5), Design("repeated holdout", 7)),
    (ms.ShuffleSplit(1), HOLDOUT),
    (ms.StratifiedShuffleSplit(1, test_size=0.5), HOLDOUT),
    (ms.PredefinedSplit(np.repeat([-1, 0], 12)), HOLDOUT),
    (ms.PredefinedSplit(np.repeat([0, 1, 2], 8)), Design("kfold", n_folds=3)),
    (ms.TimeSeriesSplit(5), Design("time ordered", n_folds=5)),
    (BlockRegularized5x2CV(), Design("bcv", 5, 2)),
    (BlockRegularizedMx2CV(3), Design("bcv", 3, 2)),
]
GROUP_SPLITTERS = [
    (ms.GroupKFold(3), Design("kfold", n_folds=3, grouped=True)),
    (ms.StratifiedGroupKFold(4), Design("kfold", n_folds=4, grouped=True)),
    (ms.LeaveOneGroupOut(), Design("kfold", n_folds=12, grouped=True)),
    (ms.GroupShuffleSplit(6), Design("repeated holdout", n_repeats=6, grouped=True)),
    (ms.GroupShuffleSplit(1), Design("holdout", grouped=True)),
    (ms.LeavePGroupsOut(2), Design("unknown", 1, 66, grouped=True)),
]


def test_known_splitters():
    """Every splitter of scikit-learn has its design, with its numbers."""
    for splitter, design in SPLITTERS:
        assert design == design_of(splitter, n_splits_of(splitter))


def test_group_splitters():
    """Splitters that keep groups together make a grouped design."""
    for splitter, design in GROUP_SPLITTERS:
        assert design == design_of(splitter, n_splits_of(splitter, GROUPS), grouped=True)


def test_groups_make_any_design_grouped():
    """Records of groups are dependent, whether or not the splitter looks at groups."""
    for splitter, design in SPLITTERS:
        expected = Design(design.kind, design.n_repeats, design.n_folds, grouped=True)

        actual = design_of(splitter, n_splits_of(splitter), grouped=True)

        assert expected == actual
        assert f"grouped {design.kind}" == actual.name


def test_splitters_without_a_design():
    """Overlapping test sets of LeavePOut, and splits from an iterable, are unknown."""
    iterable = check_cv([(np.arange(12), np.arange(12, 24))] * 3)

    assert isinstance(iterable, _CVIterableWrapper)
    assert Design("unknown", 1, 3) == design_of(iterable, 3)
    assert Design("unknown", 1, 276) == design_of(ms.LeavePOut(2), 276)
    assert UNKNOWN == design_of(object(), 1)


def test_every_splitter_of_scikit_learn_is_considered():
    """A splitter that a new scikit-learn brings is unknown until somebody decides."""
    splitters = {
        name
        for name in ms.__all__
        if not name.startswith("Halving")  # searches, which need an import of their own
        and isinstance(getattr(ms, name), type)
        and hasattr(getattr(ms, name), "split")
    }
    considered = {type(splitter).__name__ for splitter, _ in SPLITTERS + GROUP_SPLITTERS}

    assert splitters <= considered | {
        "BaseCrossValidator",
        "BaseShuffleSplit",
        "LeavePOut",
    }


def test_number_of_folds_is_resolved():
    """`cv=5` is stratified 5-fold."""
    splitter = check_cv(5, Y, classifier=True)

    assert Design("kfold", n_folds=5) == design_of(splitter, 5)


class Reordered(ms.KFold):
    """A subclass may split in another way."""


class Declared(ms.KFold):
    """A subclass that says what it does."""

    skcompare_design = "kfold"


class Told:
    """A splitter of somebody else."""

    def __init__(self, skcompare_design):
        self.skcompare_design = skcompare_design


def test_subclass_is_unknown_unless_it_declares():
    """An unfamiliar type is not taken for what it is derived from."""
    assert Design("unknown", 1, 4) == design_of(Reordered(4), 4)
    assert Design("kfold", 1, 4) == design_of(Declared(4), 4)


def test_declared_design():
    """A name or a design as the public attribute is believed."""
    for declared, expected in [
        ("kfold", Design("kfold", 1, 6)),
        ("grouped kfold", Design("kfold", 1, 6, grouped=True)),
        (Design("bcv", 3, 2), Design("bcv", 3, 2)),
        (
            Design("repeated kfold", 2, 3, grouped=True),
            Design("repeated kfold", 2, 3, True),
        ),
    ]:
        assert expected == design_of(Told(declared), 6)


def test_declared_design_that_is_unknown():
    """A misspelt declaration is refused with the known names."""
    with pytest.raises(ValueError, match=r"Unknown design 'k-fold'. Known: holdout"):
        design_of(Told("k-fold"), 5)


def test_number_of_splits_is_that_of_the_splits():
    """Where a declaration and the splits disagree, the splits are counted."""
    design = design_of(Told(Design("repeated kfold", 2, 3)), 5)

    assert "repeated kfold" == design.kind
    assert 5 == design.n_splits


def test_names():
    """A design's name leads back to it, grouped or not, and advice has words for it."""
    for kind in DESIGN_KINDS:
        for grouped in (False, True):
            design = Design(kind, grouped=grouped)

            assert design == as_design(design.name)
            assert design == as_design(design)
            assert remedy(design.name)
            assert grouped == remedy(design.name).endswith("with groups")
            assert grouped == str(design).endswith("by groups")


def test_text():
    """Reports name the design with its numbers."""
    for design, words in [
        (HOLDOUT, "hold-out"),
        (Design("bcv", 5, 2), "5×2 block-regularized cross-validation"),
        (Design("kfold", 1, 10), "10-fold cross-validation"),
        (Design("repeated kfold", 3, 10), "3×10-fold cross-validation"),
        (Design("repeated holdout", 15), "15-times repeated hold-out"),
        (Design("holdout", grouped=True), "hold-out by groups"),
    ]:
        assert words == str(design)


def test_validity_of_the_first_tests():
    """A McNemar test is for one test set, its cross-validated form for bcv, only."""
    valid = {
        name: {
            design.name
            for kind in DESIGN_KINDS
            for design in (Design(kind), Design(kind, grouped=True))
            if entry.valid_for(design)
        }
        for name, entry in paired_tests().items()
    }

    assert {"holdout"} == valid["mcnemar"]
    assert {"bcv"} == valid["bcv_mcnemar"]
