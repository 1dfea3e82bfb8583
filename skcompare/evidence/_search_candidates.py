"""The candidates of a scikit-learn search, and how two of them are named."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skcompare._core.validation import check_choice, is_number, is_whole, unknown_name
from skcompare._typing import FloatArray, IntArray

BEST, RUNNER_UP, SIMPLEST = "best", "runner-up", "simplest"

Complexity = str | Sequence[str] | Callable[[Mapping[str, Any]], Any]
"""What makes a candidate simple; see `ScoreDifferences.from_cv_results`."""


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
        """The candidates of a fitted search; `scoring` names one of several measures."""
        if not hasattr(search, "fit"):
            raise TypeError(
                "`search` must be a fitted GridSearchCV, RandomizedSearchCV or the like. "
                f"Got {type(search).__name__}. Pass the search itself, not its results."
            )
        check_is_fitted(search, "cv_results_")
        results = search.cv_results_
        metric = _metric(search, scoring)
        pattern = re.compile(rf"split(\d+)_test_{re.escape(metric)}")
        found = sorted(int(m[1]) for m in map(pattern.fullmatch, results) if m)
        columns = [results[f"split{k}_test_{metric}"] for k in found]
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
        """Candidates that the search had in its last iteration."""
        if self.iterations is None:
            return frozenset(range(len(self.params)))
        return frozenset(np.flatnonzero(self.iterations == self.iterations.max()).tolist())

    def find(self, role: str, named: Any, complexity: Complexity | None) -> int:
        """The index of a candidate that is named by index, parameters or a word."""
        if isinstance(named, str):
            return self._by_word(role, named, complexity)
        if isinstance(named, Mapping):
            return self._by_params(role, named)
        if is_whole(named) and 0 <= named < len(self.params):
            return int(named)
        raise ValueError(
            f"`{role}` must be a candidate of the search: its index, from 0 to "
            f"{len(self.params) - 1}, a dict of its parameters, 'best', 'runner-up' or "
            f"'simplest'. Got {named!r:.200}."
        )

    def _by_word(self, role: str, word: str, complexity: Complexity | None) -> int:
        check_choice(role, word, (BEST, RUNNER_UP, SIMPLEST))
        ranking = self.ranking
        best = ranking[0] if self.best is None else int(self.best)
        if word == BEST:
            return best
        if word == RUNNER_UP:
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
        cost = _cost(complexity)
        # Of equally simple ones the one that scores best.
        return min(ranking, key=lambda k: cost(self.params[k]))

    def _by_params(self, role: str, named: Mapping[str, Any]) -> int:
        known = {key for params in self.params for key in params}
        for key in named:
            if key not in known:
                raise unknown_name("parameter", key, known)
        found = [
            k
            for k, params in enumerate(self.params)
            if all(key in params and _equal(params[key], named[key]) for key in named)
        ]
        if self.iterations is not None and found:
            # A candidate that stayed in the race has a row an iteration.
            last = max(self.iterations[k] for k in found)
            found = [k for k in found if self.iterations[k] == last]
        if len(found) != 1:
            listed = ", ".join(map(str, self.params[:5]))
            more = ", ..." if len(self.params) > 5 else ""
            raise ValueError(
                f"`{role}` must name one candidate. Got {dict(named)}, which "
                f"{len(found)} have. Name all parameters that differ, or pass an index. "
                f"Known: {listed}{more}."
            )
        return found[0]

    def check_comparable(self, champion: int, challenger: int) -> None:
        """Refuse a candidate against itself, and candidates of different iterations."""
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

    def was_chosen(self, *named: Any, indices: Sequence[int]) -> bool:
        """Whether the scores themselves decided which candidates are compared."""
        by_rank = any(isinstance(n, str) and n in (BEST, RUNNER_UP) for n in named)
        return by_rank or self.best in indices or self.ranking[0] in indices


def _metric(search: Any, scoring: Any) -> str:
    """The measure in the names of the results: "score" where there is only one."""
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
        raise ValueError(
            f"The search has several scores. Pass one as `scoring`: {', '.join(names)}."
        )
    return check_choice("scoring", scoring, names)


def _name(search: Any, scoring: Any, metric: str) -> str:
    """Words for the score."""
    if search.multimetric_:
        return metric
    given = search.scoring if scoring is None else scoring
    return given if isinstance(given, str) else metric


def _cost(complexity: Complexity) -> Callable[[Mapping[str, Any]], Any]:
    """A function by which candidates are ordered, the simplest one first."""
    if callable(complexity):
        return complexity
    names = [complexity] if isinstance(complexity, str) else list(complexity)
    return lambda params: tuple(_cost_of(name, params) for name in names)


def _cost_of(name: str, params: Mapping[str, Any]) -> float:
    """The value of a parameter; negated where more is simpler; None is without limit."""
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


def _equal(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        return bool(np.all(one == other))
    except (TypeError, ValueError):
        return False
