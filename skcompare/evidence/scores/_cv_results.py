"""Scores of splits from scikit-learn's `cross_validate` and searches."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.utils.validation import check_is_fitted

from skcompare._core.validation import (
    check_choice,
    is_number,
    is_whole,
    some_of,
    unknown_name,
)
from skcompare._typing import FloatArray, IntArray
from skcompare.predictions import CHALLENGER, CHAMPION, CvSplits, SplitInfo

BEST, RUNNER_UP, SIMPLEST = "best", "runner-up", "simplest"

Complexity = str | Sequence[str] | Callable[[Mapping[str, Any]], Any]
"""Measure of how simple a candidate is; see `ScoreDifferences.from_cv_results`."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Scores of all candidates of a search by one measure, on every split."""

    params: Sequence[Mapping[str, Any]]
    scores: FloatArray
    score: str
    best: int | None
    iterations: IntArray | None = None

    @classmethod
    def of(cls, search: Any, scoring: Any) -> "Candidates":
        """Construct from a fitted search; `scoring` selects one of several measures."""
        if not hasattr(search, "fit"):
            raise TypeError(
                "`search` must be a fitted GridSearchCV, RandomizedSearchCV or a similar "
                f"search. Got {type(search).__name__}. Pass the search itself, not its "
                "results."
            )
        check_is_fitted(search, "cv_results_")
        results = search.cv_results_
        metric = _metric(search, scoring)
        pattern = re.compile(rf"split(\d+)_test_{re.escape(metric)}")
        splits = sorted(int(m[1]) for m in map(pattern.fullmatch, results) if m)
        columns = [results[f"split{k}_test_{metric}"] for k in splits]
        iterations = results.get("iter")
        return cls(
            params=results["params"],
            scores=np.column_stack(columns).astype(np.float64),
            score=_name(search, scoring, metric),
            best=getattr(search, "best_index_", None),
            iterations=None if iterations is None else np.asarray(iterations),
        )

    @property
    def ranking(self) -> list[int]:
        """Candidates of the last iteration by mean score, the best one first."""
        # One that failed on a split has no mean, and comes last.
        means = np.nan_to_num(self.scores.mean(axis=1), nan=-np.inf)
        order = np.argsort(-means, kind="stable").tolist()
        return [k for k in order if k in self._last]

    @property
    def _last(self) -> frozenset[int]:
        """Candidates of the last iteration of the search."""
        if self.iterations is None:
            return frozenset(range(len(self.params)))
        return frozenset(np.flatnonzero(self.iterations == self.iterations.max()).tolist())

    def find(self, role: str, named: Any, complexity: Complexity | None) -> int:
        """Find the index of a candidate by index, parameters or name."""
        if isinstance(named, str):
            return self._by_name(role, named, complexity)
        if isinstance(named, Mapping):
            return self._by_params(role, named)
        if is_whole(named) and 0 <= named < len(self.params):
            return int(named)
        raise ValueError(
            f"`{role}` must be a candidate of the search: its index, from 0 to "
            f"{len(self.params) - 1}, a dict of its parameters, 'best', 'runner-up' or "
            f"'simplest'. Got {named!r:.200}."
        )

    def _by_name(self, role: str, name: str, complexity: Complexity | None) -> int:
        check_choice(role, name, (BEST, RUNNER_UP, SIMPLEST))
        ranking = self.ranking
        best = ranking[0] if self.best is None else int(self.best)
        if name == BEST:
            return best
        if name == RUNNER_UP:
            others = [k for k in ranking if k != best]
            if not others:
                raise ValueError(
                    f"{role}='runner-up' needs two candidates in the last iteration. Got "
                    "one. Pass indices of two candidates that were scored together."
                )
            return others[0]
        if complexity is None:
            raise ValueError(
                f"{role}='simplest' needs to know what is simple. Pass `complexity`: a "
                "parameter, where less is simpler, or a function of the parameters."
            )
        complexity_of = _complexity_key(complexity)
        # Of equally simple candidates, the one that scores best.
        return min(ranking, key=lambda k: complexity_of(self.params[k]))

    def _by_params(self, role: str, selection: Mapping[str, Any]) -> int:
        names = {key for params in self.params for key in params}
        for key in selection:
            if key not in names:
                raise unknown_name("parameter", key, names)
        matches = [
            k
            for k, params in enumerate(self.params)
            if all(
                key in params and _equal(params[key], selection[key]) for key in selection
            )
        ]
        if self.iterations is not None and matches:
            # A candidate that survived has one row per iteration.
            last = max(self.iterations[k] for k in matches)
            matches = [k for k in matches if self.iterations[k] == last]
        if len(matches) != 1:
            listed = ", ".join(map(str, self.params[:5]))
            more = ", ..." if len(self.params) > 5 else ""
            raise ValueError(
                f"`{role}` must name one candidate. Got {dict(selection)}, which "
                f"{len(matches)} have. Name all parameters that differ, or pass an index. "
                f"Known: {listed}{more}."
            )
        return matches[0]

    def check_comparable(self, champion: int, challenger: int) -> None:
        """Raise an error if candidates are the same, or of different iterations."""
        if champion == challenger:
            raise ValueError(
                f"The champion and the challenger are one candidate, {champion}: "
                f"{self.params[champion]}. Name two."
            )
        if self.iterations is None:
            return
        first, second = (int(self.iterations[k]) for k in (champion, challenger))
        if first != second:
            raise ValueError(
                "Candidates of different iterations had different resources. Got the "
                f"champion of iteration {first} and the challenger of {second}. Pass "
                "indices of candidates with the same `iter` in cv_results_."
            )

    def was_chosen(self, *candidates: Any, indices: Sequence[int]) -> bool:
        """Whether the scores themselves decided which candidates are compared."""
        by_rank = any(isinstance(k, str) and k in (BEST, RUNNER_UP) for k in candidates)
        return by_rank or self.best in indices or self.ranking[0] in indices


def _metric(search: Any, scoring: Any) -> str:
    """Return the key of the measure in the results: "score" if there is only one."""
    names = [
        key.removeprefix("mean_test_")
        for key in search.cv_results_
        if key.startswith("mean_test_")
    ]
    if not search.multimetric_:
        # The score of a classifier itself is its accuracy.
        own = "accuracy" if search.scoring is None else search.scoring
        if scoring is not None and isinstance(own, str) and scoring != own:
            raise ValueError(
                f"The search scored {own!r}. Got scoring={scoring!r}. Leave `scoring` out."
            )
        return names[0]
    if scoring is None and isinstance(search.refit, str):
        return search.refit
    if scoring is None:
        raise _several("search", names)
    return check_choice("scoring", scoring, names)


def _several(source: str, names: Sequence[str]) -> ValueError:
    """Return the error for several scores of which none was requested."""
    return ValueError(
        f"The {source} has several scores. Pass one as `scoring`: {', '.join(names)}."
    )


def _name(search: Any, scoring: Any, metric: str) -> str:
    """Return the name of the score in reports."""
    if search.multimetric_:
        return metric
    scorer = search.scoring if scoring is None else scoring
    return scorer if isinstance(scorer, str) else metric


def _complexity_key(complexity: Complexity) -> Callable[[Mapping[str, Any]], Any]:
    """Return a key function that sorts candidates by increasing complexity."""
    if callable(complexity):
        return complexity
    names = [complexity] if isinstance(complexity, str) else list(complexity)
    return lambda params: tuple(_parameter_complexity(name, params) for name in names)


def _parameter_complexity(name: str, params: Mapping[str, Any]) -> float:
    """Return the value of a parameter, negated if more is simpler; None is infinite."""
    key = name.removeprefix("-")
    if key not in params:
        raise unknown_name("parameter", key, params)
    value = np.inf if params[key] is None else params[key]
    if not is_number(value) and not isinstance(value, bool | np.bool_):
        raise ValueError(
            f"`complexity` must name parameters that are numbers or None. {key} is "
            f"{value!r}. Pass a function of the parameters."
        )
    return -float(value) if name.startswith("-") else float(value)


def _equal(first: Any, second: Any) -> bool:
    if first is second:
        return True
    try:
        return bool(np.all(first == second))
    except (TypeError, ValueError):
        return False


CHOSEN = "chosen-on-these-scores"

PREFIX, DIFFERENCE = "test_", "difference"


@dataclass(frozen=True, slots=True)
class CvScores:
    """Scores of both roles on each split, and the splits."""

    roles: tuple[FloatArray, FloatArray]
    splits: CvSplits
    score: str
    flags: tuple[str, ...]
    greater_is_better: bool = True


def scores_found(
    champion: Any,
    challenger: Any,
    info: SplitInfo,
    search: Any,
    scoring: str | None,
    complexity: Complexity | None,
) -> CvScores:
    """Return the scores of outputs of `cross_validate`, or of candidates of a search."""
    names = [role for role in (champion, challenger) if isinstance(role, str)]
    if complexity is not None and (search is None or SIMPLEST not in names):
        raise ValueError(
            "`complexity` says which candidate of a search is the simplest. Pass `search` "
            "and name one candidate 'simplest', or leave `complexity` out."
        )
    candidates = {CHAMPION: champion, CHALLENGER: challenger}
    if search is None and challenger is None:
        return _of_pair(champion, info, scoring)
    if search is None:
        return _of_outputs(candidates, info, scoring)
    return _of_candidates(search, candidates, info, scoring, complexity)


def _of_outputs(
    outputs: Mapping[str, Any], declared: SplitInfo, scoring: str | None
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
    splits = declared.of_outputs(outputs, first.size)
    return CvScores((first, second), splits, score, splits.flags)


def _of_pair(output: Any, declared: SplitInfo, scoring: str | None) -> CvScores:
    """Return the scores of both roles from the columns of a paired scorer."""
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
        raise _several("pair", list(columns))
    score = check_choice("scoring", scoring or next(iter(columns)), list(columns))
    first, second, gain = (
        _test_scores(role, output[key])
        for role, key in zip((CHAMPION, CHALLENGER, DIFFERENCE), columns[score])
    )
    # The roles have a loss as it is, and its difference is a gain.
    is_loss = bool((gain == first - second).all()) and bool((gain != second - first).any())
    splits = declared.of_pair(output, first.size)
    return CvScores((first, second), splits, score, splits.flags, not is_loss)


def _of_candidates(
    search: Any,
    roles: Mapping[str, Any],
    declared: SplitInfo,
    scoring: str | None,
    complexity: Complexity | None,
) -> CvScores:
    candidates = Candidates.of(search, scoring)
    indices = [candidates.find(role, k, complexity) for role, k in roles.items()]
    candidates.check_comparable(*indices)
    declared = replace(
        declared,
        cv=search.cv if declared.cv is None else declared.cv,
        classifier=is_classifier(search.estimator),
    )
    # Halving needs a splitter that makes the same splits each time; other searches than
    # scikit-learn's may run it once for each round of candidates.
    one_run = isinstance(search, GridSearchCV | RandomizedSearchCV)
    n_splits = candidates.scores.shape[1]
    splits = declared.of_search(n_splits, one_run=one_run)
    if candidates.iterations is not None and search.resource == "n_samples":
        n_resources = int(search.cv_results_["n_resources"][indices[0]])
        splits = _subsampled(splits, n_resources, declared)
    first, second = (
        _test_scores(role, candidates.scores[k])
        for role, k in zip(roles, indices, strict=True)
    )
    chosen = candidates.was_chosen(*roles.values(), indices=indices)
    flags = (*splits.flags, CHOSEN) if chosen else splits.flags
    return CvScores((first, second), splits, candidates.score, flags)


def _subsampled(splits: CvSplits, n_resources: int, declared: SplitInfo) -> CvSplits:
    """Return the splits of the records used by an iteration of a halving search.

    The search draws from each training and test set separately, so test and training sets
    no longer complement each other, and no test is known for the design.
    """
    n = declared.n_records
    if n == n_resources:
        return splits
    if n is None and not declared.has_sizes:
        raise ValueError(
            "The search gave each iteration a share of the records. Pass `y`, to tell how "
            "many that are."
        )
    n_train, n_test = splits.n_train, splits.n_test
    if n is not None and not declared.has_sizes:
        n_train, n_test = (
            (n_resources / n * size).astype(int) for size in (n_train, n_test)
        )
    design = splits.design
    if declared.design is None:
        design = replace(design, kind="unknown")
    return CvSplits(n_train, n_test, design, splits.flags)


def _check_output(role: str, output: Any) -> None:
    """Check that an output was returned by `cross_validate`."""
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
    """Return the names of the scores in an output, such as "score"."""
    return [str(k).removeprefix(PREFIX) for k in output if str(k).startswith(PREFIX)]


def _keys(outputs: Mapping[str, Any], scoring: Any) -> tuple[list[str], str]:
    """Return the keys of the score in both outputs, and the name of the score."""
    names = {role: _names(output) for role, output in outputs.items()}
    if scoring is not None and not isinstance(scoring, str):
        raise ValueError(f"`scoring` must be the name of a score. Got {scoring!r}.")
    chosen = []
    for role, role_names in names.items():
        if scoring in role_names or role_names == ["score"]:
            chosen.append(scoring if scoring in role_names else "score")
        elif scoring is not None:
            raise ValueError(
                f"The {role} has no {scoring!r} scores, but: {', '.join(role_names)}. "
                "Pass one of them as `scoring`."
            )
        elif len(role_names) > 1:
            raise _several(role, role_names)
        else:
            chosen.append(role_names[0])
    if scoring is None and len(set(chosen)) > 1:
        raise ValueError(
            "Both classifiers must be compared by one score. Got "
            f"{chosen[0]!r} of the champion and {chosen[1]!r} of the challenger."
        )
    return [f"{PREFIX}{name}" for name in chosen], scoring or chosen[0]


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
