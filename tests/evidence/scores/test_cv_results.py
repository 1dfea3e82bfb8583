"""Score differences from outputs of `cross_validate`."""

from copy import deepcopy
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    LeavePGroupsOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skcompare import BlockRegularized5x2CV, BlockRegularizedMx2CV
from skcompare._core.design import Design
from skcompare.evidence import ScoreDifferences

X, Y = load_iris(return_X_y=True)
GROUPS = np.arange(150) // 2
BAYES, TREE = GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)
from_cv = ScoreDifferences.from_cv_results


def outputs(cv, *, indices=True, scoring=()):
    """What `cross_validate` gives for two classifiers."""
    made = of_folds if isinstance(cv, int) else fitted
    both = deepcopy(made(cv, *scoring))
    if not indices:
        for one in both:
            del one["indices"]
    return both


def fitted(cv, *scoring):
    """What `cross_validate` gives with the indices of the splits."""
    return tuple(
        cross_validate(
            model, X, Y, cv=cv, return_indices=True, scoring=list(scoring) or None
        )
        for model in (BAYES, TREE)
    )


of_folds = cache(fitted)
"""The same for a number of folds, made once."""


def made_up(cv, n=24):
    """Outputs with equal scores, and with the splits of `n` records in two classes."""
    groups = {"groups": np.arange(n) // 2} if isinstance(cv, LeavePGroupsOut) else {}
    splits = list(cv.split(np.zeros((n, 1)), np.arange(n) % 2, **groups))
    trains, tests = zip(*splits)
    scores = np.linspace(0, 1, len(splits))
    return {"test_score": scores, "indices": {"train": trains, "test": tests}}


def test_scores_of_two_outputs():
    """The scores, their differences, the sizes and the design are scikit-learn's."""
    old, new = outputs(StratifiedKFold(4))
    scores = from_cv(old, new)

    assert old["test_score"].tolist() == scores.champion.tolist()
    assert new["test_score"].tolist() == scores.challenger.tolist()
    assert (new["test_score"] - old["test_score"]).tolist() == scores.values.tolist()
    assert [len(t) for t in old["indices"]["train"]] == scores.n_train.tolist()
    assert [len(t) for t in old["indices"]["test"]] == scores.n_test.tolist()
    assert Design("kfold", n_folds=4) == scores.design
    assert ("score", True, ()) == (scores.score, scores.greater_is_better, scores.flags)
    assert 150 == scores.n_records


def test_swapped_roles():
    """Exchanging the outputs exchanges the roles."""
    old, new = outputs(3)

    assert from_cv(new, old) == from_cv(old, new).swap()


def test_recognised_designs():
    """Indices show the designs that they can show, and no more."""
    for cv, expected, shape in [
        (KFold(5), Design("kfold", 1, 5), (5,)),
        (KFold(2, shuffle=True, random_state=0), Design("kfold", 1, 2), (2,)),
        (LeaveOneOut(), Design("kfold", 1, 24), (24,)),
        (PredefinedSplit(np.arange(24) % 5), Design("kfold", 1, 5), (5,)),
        (
            RepeatedKFold(n_splits=4, n_repeats=3, random_state=0),
            Design("repeated kfold", 3, 4),
            (3, 4),
        ),
        (
            RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0),
            Design("random 5x2", 5, 2),
            (5, 2),
        ),
        (BlockRegularized5x2CV(random_state=0), Design("random 5x2", 5, 2), (5, 2)),
        (BlockRegularizedMx2CV(3, random_state=0), Design("repeated kfold", 3, 2), (3, 2)),
        (ShuffleSplit(1, random_state=0), Design("holdout"), (1,)),
        (ShuffleSplit(6, random_state=0), Design("repeated holdout", 6, 1), (6, 1)),
        (TimeSeriesSplit(3), Design("time ordered", 1, 3, window="expanding"), (3,)),
        (
            ShuffleSplit(4, train_size=0.5, test_size=0.2, random_state=0),
            Design("unknown", 1, 4),
            (4,),
        ),
        (LeavePGroupsOut(3), Design("repeated holdout", 220, 1), (220, 1)),
    ]:
        output = made_up(cv)
        scores = from_cv(output, output)

        assert expected == scores.design
        assert shape == scores.values.shape


def test_windows_are_no_repeated_holdout():
    """Test sets of one size that slide through time are in time order."""
    splits = [(np.arange(k, k + 8), np.arange(k + 8, k + 10)) for k in range(0, 12, 2)]
    trains, tests = zip(*splits)
    output = {"test_score": np.ones(6), "indices": {"train": trains, "test": tests}}

    expected = Design("time ordered", 1, 6, window="sliding")
    assert expected == from_cv(output, output).design


def test_repetitions_of_unequal_folds_are_unknown():
    """Three folds and then two make no repeated cross-validation."""
    one, other = made_up(KFold(3)), made_up(KFold(2))
    indices = {k: one["indices"][k] + other["indices"][k] for k in ("train", "test")}
    output = {"test_score": np.ones(5), "indices": indices}

    assert "unknown" == from_cv(output, output).design.name


@pytest.mark.parametrize(
    "several",
    [
        pytest.param(
            [StratifiedShuffleSplit(3, random_state=0), list(KFold(3).split(X)), 4],
            id="few",
        ),
        pytest.param(
            [
                BlockRegularized5x2CV(random_state=0),
                RepeatedStratifiedKFold(n_splits=2, n_repeats=3, random_state=1),
                TimeSeriesSplit(3),
            ],
            id="others",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_splitter_instead_of_indices(several):
    """A splitter makes the same sizes and at least the same design, but is a guess."""
    for cv in several:
        old, new = outputs(cv)
        blind = tuple(one.copy() for one in (old, new))
        for one in blind:
            del one["indices"]
        shown = from_cv(old, new)
        told = from_cv(*blind, X, Y, cv=cv)

        assert ("splits-not-checked",) == told.flags
        assert () == from_cv(old, new, X, Y, cv=cv).flags
        assert told.design == from_cv(old, new, cv=cv).design
        assert shown.n_train.tolist() == told.n_train.tolist()
        assert shown.n_test.tolist() == told.n_test.tolist()
        assert shown.values.ravel().tolist() == told.values.ravel().tolist()
        assert told == from_cv(*blind, y=Y, cv=cv)


def test_designs_that_must_be_told():
    """Block-regularized and time-ordered splits are known by their splitter."""
    for cv, kind in (
        (BlockRegularized5x2CV(random_state=0), "bcv"),
        (TimeSeriesSplit(3), "time ordered"),
    ):
        assert kind == from_cv(*outputs(cv), cv=cv).design.kind


def test_told_design():
    """What is told goes before what indices show."""
    for design, expected in [
        ("bcv", Design("bcv", 5, 2)),
        ("random 5x2", Design("random 5x2", 5, 2)),
        ("repeated kfold", Design("repeated kfold", 5, 2)),
        ("repeated holdout", Design("repeated holdout", 10, 1)),
        ("grouped kfold", Design("kfold", 1, 10, grouped=True)),
        (Design("repeated kfold", 2, 5), Design("repeated kfold", 2, 5)),
    ]:
        output = made_up(BlockRegularized5x2CV(random_state=0))
        scores = from_cv(output, output, design=design)

        assert expected == scores.design
        assert expected.n_splits == scores.values.size


def test_told_design_must_fit():
    """Five splits are no hold-out, no halves, and of no layout that only a name tells."""
    for design in [
        "holdout",
        "bcv",
        "repeated kfold",
        "replicated holdout",
        Design("kfold", 1, 4),
    ]:
        output = made_up(KFold(5))

        with pytest.raises(
            ValueError, match=r"does not determine how 5 splits are laid out"
        ):
            from_cv(output, output, design=design)


def test_groups():
    """With groups a design is grouped, told by them or by the splitter."""
    cv = GroupKFold(3)
    old, new = (cross_validate(m, X, Y, cv=cv, groups=GROUPS) for m in (BAYES, TREE))
    sizes = {"n_train": 100, "n_test": 50}

    assert "grouped kfold" == from_cv(old, new, cv=cv, **sizes).design.name
    assert "grouped kfold" == from_cv(old, new, X, Y, cv=cv, groups=GROUPS).design.name
    with pytest.raises(ValueError, match="splits by groups"):
        from_cv(old, new, X, Y, cv=cv)
    assert "grouped kfold" == from_cv(*outputs(3), groups=GROUPS).design.name
    assert "grouped kfold" == from_cv(*outputs(3), X, Y, cv=3, groups=GROUPS).design.name


def test_sizes_told():
    """Sizes stand for splits that nobody knows."""
    old, new = outputs(3, indices=False)
    scores = from_cv(old, new, n_train=100, n_test=[50, 50, 50])

    assert [100] * 3 == scores.n_train.tolist()
    assert "unknown" == scores.design.name
    assert ("splits-not-checked",) == scores.flags
    assert "kfold" == from_cv(old, new, cv=3, n_train=100, n_test=50).design.name


def test_indices_of_one_output():
    """They give the sizes; that the other one has the same splits is not shown."""
    (old, _), (_, new) = outputs(3), outputs(3, indices=False)
    scores = from_cv(old, new)

    assert ("splits-not-checked",) == scores.flags
    assert "kfold" == scores.design.name


def test_one_of_several_scores():
    """`scoring` names it; the negated loss is more where it is better."""
    old, new = outputs(3, scoring=["accuracy", "neg_log_loss"])
    scores = from_cv(old, new, scoring="neg_log_loss")

    assert old["test_neg_log_loss"].tolist() == scores.champion.tolist()
    assert ("neg_log_loss", True) == (scores.score, scores.greater_is_better)
    with pytest.raises(ValueError, match=r"several scores.*: accuracy, neg_log_loss"):
        from_cv(old, new)
    with pytest.raises(ValueError, match=r"no 'f1' scores, but: accuracy, neg_log_loss"):
        from_cv(old, new, scoring="f1")


def test_the_only_score_may_be_named():
    """An output that does not say what it scored takes the name that it is given."""
    assert "accuracy" == from_cv(*outputs(3), scoring="accuracy").score
    one, other = outputs(3, scoring=["accuracy"])
    assert "accuracy" == from_cv(one, other).score


def test_different_scores():
    """Accuracies are not compared with losses."""
    old, _ = outputs(3, scoring=["accuracy"])
    _, new = outputs(3, scoring=["neg_log_loss"])

    with pytest.raises(ValueError, match=r"one score. Got 'accuracy' .* 'neg_log_loss'"):
        from_cv(old, new)


def test_frames_and_lists():
    """Outputs kept in a frame, scores and indices in lists, and labels in a Series."""
    old, new = outputs(3, indices=False)
    expected = from_cv(old, new, y=Y, cv=3)
    frames = pd.DataFrame(old), pd.DataFrame(new)
    listed = outputs(3)[0]
    listed = {
        "test_score": listed["test_score"].tolist(),
        "indices": {
            k: [v.tolist() for v in listed["indices"][k]] for k in ("train", "test")
        },
    }

    assert expected == from_cv(*frames, pd.DataFrame(X), pd.Series(Y), cv=3)
    assert expected.design == from_cv(listed, listed).design


def test_masks():
    """Splits given as masks of the records are read."""
    output = made_up(KFold(3))
    masks = {
        part: [np.isin(np.arange(24), index) for index in output["indices"][part]]
        for part in ("train", "test")
    }

    assert from_cv(output, output) == from_cv(output, output | {"indices": masks})


def test_order_within_a_split():
    """A shuffled training set is the same training set."""
    output = made_up(KFold(3))
    turned = {k: [part[::-1] for part in v] for k, v in output["indices"].items()}

    assert () == from_cv(output, output | {"indices": turned}).flags


def test_other_splits_are_refused():
    """The first split that differs is named."""
    first = list(KFold(3).split(X))
    second = [first[0], first[2], first[1]]
    (old, _), (_, new) = outputs(first), outputs(second)

    with pytest.raises(
        ValueError,
        match=r"training sets of split 1 differ: 100 records of champion, 100 of "
        r"challenger, 50 in both",
    ):
        from_cv(old, new)
    with pytest.raises(ValueError, match=r"training sets of split 1 differ.*of `cv`"):
        from_cv(old, old, X, Y, cv=second)


def test_unseeded_splitter_is_refused():
    """It made other splits for each classifier, unless indices show that it did not."""
    cv = KFold(3, shuffle=True)
    old, new = outputs(3, indices=False)

    with pytest.raises(ValueError, match=r"KFold.* shuffles again each time"):
        from_cv(old, new, X, Y, cv=cv)
    with pytest.raises(ValueError, match=r"shuffles again each time"):
        from_cv(old, new, cv=KFold(3, shuffle=True, random_state=np.random.RandomState(0)))
    with pytest.raises(ValueError, match=r"sets of split 0 differ"):
        from_cv(*outputs(cv))
    assert "kfold" == from_cv(*outputs(KFold(3)), cv=cv).design.name


def test_bad_settings():
    """Each says what is missing or does not fit."""
    for settings, message in [
        ({}, "sizes of the training and test sets are not known"),
        ({"cv": 3}, "sizes of the training and test sets are not known"),
        ({"cv": 3, "X": X}, "sizes of the training and test sets are not known"),
        ({"n_train": 100}, "Pass both of `n_train` and `n_test`"),
        ({"cv": 3, "y": Y, "n_train": 9, "n_test": 9}, "Leave out `n_train`"),
        ({"cv": "5", "y": Y}, "`cv` must be a splitter.*Got '5'"),
        ({"cv": 1, "y": Y}, "`cv` must be an integer of at least 2"),
        ({"cv": 5, "y": Y}, "scores on 3 test sets, but `cv` has 5 splits"),
        ({"cv": KFold(5)}, r"but KFold.* makes 5 splits"),
        ({"cv": iter(()), "y": Y}, "`cv` has 0 splits.*generator"),
        ({"complexity": "max_depth"}, "Pass `search`"),
        ({"scoring": len}, "`scoring` must be the name"),
    ]:
        with pytest.raises(ValueError, match=message):
            from_cv(*outputs(3, indices=False), **settings)


def test_bad_indices():
    """Records that were trained on, that do not exist, or none at all."""
    output = made_up(KFold(3))
    train, test = output["indices"]["train"], output["indices"]["test"]
    leaking = output | {"indices": {"train": train, "test": [train[0], *test[1:]]}}
    empty = output | {"indices": {"train": train, "test": [test[0][:0], *test[1:]]}}
    few = output | {"indices": {"train": train[:2], "test": test[:2]}}

    with pytest.raises(ValueError, match="Split 0 of champion tests 16 records that it"):
        from_cv(leaking, output)
    with pytest.raises(
        ValueError, match="Split 0 of challenger has 16 training and 0 test"
    ):
        from_cv(output, empty)
    with pytest.raises(ValueError, match="scores on 3 test sets, but champion has 2"):
        from_cv(few, output)
    with pytest.raises(ValueError, match=r"from 0 to 19, .*Got indices from .* to 23"):
        from_cv(output, output, y=np.arange(20) % 2)


def test_failed_fit():
    """A missing score is no small score: the split is named."""
    old, new = outputs(3)
    new["test_score"][1] = np.nan

    with pytest.raises(
        ValueError, match="challenger has the score nan on split 1: its fit"
    ):
        from_cv(old, new)


def test_other_number_of_splits():
    """Scores of 3 and of 5 splits do not go together."""
    with pytest.raises(
        ValueError, match="3 scores of the champion and 5 of the challenger"
    ):
        from_cv(outputs(3)[0], outputs(5)[1])


def test_no_outputs():
    """Arrays, searches and their results are pointed to where they belong."""
    search = GridSearchCV(TREE, {"max_depth": [1, 2]}).fit(X, Y)
    with pytest.raises(TypeError, match=r"Got list.*from_scores"):
        from_cv([0.1], [0.2])
    with pytest.raises(ValueError, match=r"must hold test scores.*'fit_time'"):
        from_cv({"fit_time": [1]}, {"fit_time": [1]})
    with pytest.raises(ValueError, match="passing the search as `search`"):
        from_cv(search, search)
    with pytest.raises(ValueError, match="passing the search as `search`"):
        from_cv("simplest", "best")
    with pytest.raises(ValueError, match="Pass the search itself as `search`"):
        from_cv(search.cv_results_, search.cv_results_)
