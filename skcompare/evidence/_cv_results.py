"""Scores on every split from scikit-learn's own results, with what is known of these."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

from skcompare._core.design import Design
from skcompare._core.validation import check_choice, some_of
from skcompare._typing import FloatArray
from skcompare.evidence._search_candidates import SIMPLEST, Candidates, Complexity
from skcompare.predictions._cv_splits import (
    CvSplits,
    splits_of_outputs,
    splits_of_pair,
    splits_of_search,
)
from skcompare.predictions._fitted_pair import CHALLENGER, CHAMPION
from skcompare.predictions._told import ToldOfSplits

CHOSEN = "chosen-on-these-scores"

PREFIX, DIFFERENCE = "test_", "difference"


@dataclass(frozen=True, slots=True)
class CvScores:
    """Scores of both roles, split after split, and the splits."""

    roles: tuple[FloatArray, FloatArray]
    splits: CvSplits
    score: str
    flags: tuple[str, ...]
    greater_is_better: bool = True

    @property
    def design(self) -> Design:
        """How the records were split."""
        return self.splits.design


def scores_found(
    champion: Any,
    challenger: Any,
    told: ToldOfSplits,
    search: Any,
    scoring: str | None,
    complexity: Complexity | None,
) -> CvScores:
    """Scores of one or two outputs of `cross_validate`, or of candidates of a search."""
    words = [role for role in (champion, challenger) if isinstance(role, str)]
    if complexity is not None and (search is None or SIMPLEST not in words):
        raise ValueError(
            "`complexity` says which candidate of a search is the simplest. Pass `search` "
            "and name one candidate 'simplest', or leave `complexity` out."
        )
    named = {CHAMPION: champion, CHALLENGER: challenger}
    if search is None and challenger is None:
        return _of_pair(champion, told, scoring)
    if search is None:
        return _of_outputs(named, told, scoring)
    return _of_candidates(search, named, told, scoring, complexity)


def _of_outputs(
    outputs: Mapping[str, Any], told: ToldOfSplits, scoring: str | None
) -> CvScores:
    for role, output in outputs.items():
        _check_output(role, output)
    keys, score = _keys(outputs, scoring)
    first, second = (
        _test_scores(role, output[key])
        for (role, output), key in zip(outputs.items(), keys, strict=True)
    )
    if first.size != second.size:
        raise ValueError(
            "Both classifiers must have been scored on the same splits. Got "
            f"{first.size} scores of the champion and {second.size} of the challenger."
        )
    splits = splits_of_outputs(outputs, first.size, told)
    return CvScores((first, second), splits, score, splits.flags)


def _of_pair(output: Any, told: ToldOfSplits, scoring: str | None) -> CvScores:
    """Scores of both roles in the columns that the scorer of a pair makes."""
    _check_output(CHAMPION, output)
    names = [name.removesuffix(f"_{DIFFERENCE}") for name in _names(output)]
    columns = {
        name: [f"{PREFIX}{name}_{part}" for part in (CHAMPION, CHALLENGER, DIFFERENCE)]
        for name in dict.fromkeys(names)
    }
    columns = {n: keys for n, keys in columns.items() if all(key in output for key in keys)}
    if not columns:
        raise ValueError(
            "One output alone must have the scores of a champion, of a challenger, and "
            "their difference, as make_paired_scorer makes them. Got "
            f"{', '.join(_names(output))}. Pass the output of the challenger too."
        )
    if scoring is None and len(columns) > 1:
        raise ValueError(
            f"The pair has several scores. Pass one as `scoring`: {', '.join(columns)}."
        )
    score = check_choice("scoring", scoring or next(iter(columns)), list(columns))
    first, second, gain = (
        _test_scores(role, output[key])
        for role, key in zip((CHAMPION, CHALLENGER, DIFFERENCE), columns[score])
    )
    # The roles have a loss as it is, and its difference is a gain.
    is_loss = bool((gain == first - second).all()) and bool((gain != second - first).any())
    splits = splits_of_pair(output, first.size, told)
    return CvScores((first, second), splits, score, splits.flags, not is_loss)


def _of_candidates(
    search: Any,
    named: Mapping[str, Any],
    told: ToldOfSplits,
    scoring: str | None,
    complexity: Complexity | None,
) -> CvScores:
    candidates = Candidates.of(search, scoring)
    indices = [candidates.find(role, n, complexity) for role, n in named.items()]
    candidates.check_comparable(*indices)
    told = replace(
        told,
        cv=search.cv if told.cv is None else told.cv,
        classifier=is_classifier(search.estimator),
    )
    # Halving needs a splitter that makes the same splits each time; other searches than
    # scikit-learn's may run it once for each round of candidates.
    one_run = isinstance(search, GridSearchCV | RandomizedSearchCV)
    n_splits = candidates.scores.shape[1]
    splits = splits_of_search(n_splits, told, one_run=one_run)
    if candidates.iterations is not None and search.resource == "n_samples":
        n_resources = int(search.cv_results_["n_resources"][indices[0]])
        splits = _subsampled(splits, n_resources, told)
    first, second = (
        _test_scores(role, candidates.scores[k])
        for role, k in zip(named, indices, strict=True)
    )
    chosen = candidates.was_chosen(*named.values(), indices=indices)
    flags = (*splits.flags, CHOSEN) if chosen else splits.flags
    return CvScores((first, second), splits, candidates.score, flags)


def _subsampled(splits: CvSplits, n_resources: int, told: ToldOfSplits) -> CvSplits:
    """Splits of which a halving search took as many records as an iteration may use.

    It draws from each training and test set apart, so test sets and training sets no
    longer complete each other, and the design is none that has a test.
    """
    n = told.n_records
    if n == n_resources:
        return splits
    if n is None and not told.has_sizes:
        raise ValueError(
            "The search gave each iteration a share of the records. Pass `y`, to tell how "
            "many that are."
        )
    n_train, n_test = splits.n_train, splits.n_test
    if n is not None and not told.has_sizes:
        n_train, n_test = (
            (n_resources / n * size).astype(int) for size in (n_train, n_test)
        )
    design = splits.design
    if told.design is None:
        design = replace(design, kind="unknown")
    return CvSplits(n_train, n_test, design, splits.flags)


def _check_output(role: str, output: Any) -> None:
    """Refuse what is no output of `cross_validate`, with the way to pass it."""
    if hasattr(output, "cv_results_") or isinstance(output, str):
        raise ValueError(
            "Candidates of a search are compared by naming two of them, such as "
            "'simplest' and 'best', and passing the search as `search`. Got "
            f"{output!r:.60} as `{role}`."
        )
    if not isinstance(output, Mapping) and not hasattr(output, "columns"):
        raise TypeError(
            f"`{role}` must be what cross_validate returned. Got {type(output).__name__}. "
            "Scores in arrays are compared by ScoreDifferences.from_scores."
        )
    if any(str(key).startswith("split0_test_") for key in output):
        raise ValueError(
            f"`{role}` is the cv_results_ of a search. Pass the search itself as `search`, "
            "and name two of its candidates."
        )
    if not _names(output):
        raise ValueError(
            f"`{role}` must hold test scores, as cross_validate returns them. Got "
            f"{some_of(np.array(list(map(str, output))))}."
        )


def _names(output: Any) -> list[str]:
    """What an output scored: "score" where scikit-learn gives no name."""
    return [str(k).removeprefix(PREFIX) for k in output if str(k).startswith(PREFIX)]


def _keys(outputs: Mapping[str, Any], scoring: Any) -> tuple[list[str], str]:
    """Where each output holds the score, and the name of the score."""
    names = {role: _names(output) for role, output in outputs.items()}
    if scoring is not None and not isinstance(scoring, str):
        raise ValueError(f"`scoring` must be the name of a score. Got {scoring!r}.")
    found = []
    for role, known in names.items():
        if scoring in known or known == ["score"]:
            found.append(scoring if scoring in known else "score")
        elif scoring is not None:
            raise ValueError(
                f"The {role} has no {scoring!r} scores, but: {', '.join(known)}. Pass one "
                "of them as `scoring`."
            )
        elif len(known) > 1:
            raise ValueError(
                f"The {role} has several scores. Pass one as `scoring`: {', '.join(known)}."
            )
        else:
            found.append(known[0])
    if scoring is None and len(set(found)) > 1:
        raise ValueError(
            "Both classifiers must be compared by one score. Got "
            f"{found[0]!r} of the champion and {found[1]!r} of the challenger."
        )
    return [f"{PREFIX}{name}" for name in found], scoring or found[0]


def _test_scores(role: str, values: Any) -> FloatArray:
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1 or scores.size == 0:
        raise ValueError(
            f"The scores of the {role} must have shape (n_splits,). Got {scores.shape}."
        )
    undefined = np.flatnonzero(~np.isfinite(scores))
    if undefined.size:
        raise ValueError(
            f"The {role} has the score {scores[undefined[0]]} on split {undefined[0]}: its "
            "fit failed there, or scoring did, or the score is not defined. Run it again "
            "with error_score='raise' to see why."
        )
    return scores
