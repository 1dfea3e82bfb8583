"""From the outcomes of all fits to what cross_validate gives, and what went wrong."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import FitFailedWarning

from skcompare.comparators._cross_tasks import CrossOutcome
from skcompare.predictions._disjoint import Split

ByName = Mapping[str, Sequence[CrossOutcome]]


def outputs_of(
    by_name: ByName,
    splits: Sequence[Split],
    metrics: tuple[str, ...] | None,
    error_score: Any,
    keep: Mapping[str, bool],
) -> dict[str, dict[str, Any]]:
    """For each classifier the keys and arrays of `cross_validate`, in its order."""
    everything = [outcome for own in by_name.values() for outcome in own]
    trains, tests = zip(*splits)
    outputs = {}
    for name, own in by_name.items():
        output: dict[str, Any] = {
            "fit_time": np.array([outcome.fit_time for outcome in own]),
            "score_time": np.array([outcome.score_time for outcome in own]),
        }
        if keep["estimator"]:
            output["estimator"] = [outcome.estimator for outcome in own]
        if keep["indices"]:
            output["indices"] = {"train": trains, "test": tests}
        for metric in metrics or _named(own) or _named(everything) or (None,):
            key = "score" if metric is None else metric
            scores = [outcome.test_score for outcome in own]
            output[f"test_{key}"] = _column(scores, metric, error_score)
            if keep["train"]:
                scores = [outcome.train_score for outcome in own]
                output[f"train_{key}"] = _column(scores, metric, error_score)
        outputs[name] = output
    return outputs


def _named(outcomes: Iterable[CrossOutcome]) -> tuple[str, ...]:
    """Names that a callable gave its scores; none where it gave a number."""
    scores = (outcome.test_score for outcome in outcomes)
    return next((tuple(score) for score in scores if isinstance(score, dict)), ())


def _column(scores: Iterable[Any], metric: str | None, error_score: Any) -> np.ndarray:
    """Scores by one metric, where a fit or a whole scorer failed the error score."""

    def one(score: Any) -> Any:
        if metric is None:
            return error_score if score is None else score
        return score.get(metric, np.nan) if isinstance(score, dict) else error_score

    return np.array([one(score) for score in scores])


def report_failures(by_name: ByName, error_score: Any) -> None:
    """Warn of fits and scorers that failed; an error where all fits did."""
    errors = {
        name: [o.fit_error for o in own if o.fit_error] for name, own in by_name.items()
    }
    n_fits = sum(map(len, by_name.values()))
    n_failed = sum(map(len, errors.values()))
    if n_failed == n_fits:
        raise ValueError(
            f"All {n_fits} fits failed. Pass error_score='raise' to stop at the first.\n\n"
            f"{_listed(errors)}"
        )
    if n_failed:
        warnings.warn(
            f"{n_failed} of {n_fits} fits failed, and their scores are set to "
            f"{error_score}. Pass error_score='raise' to stop at the first.\n\n"
            f"{_listed(errors)}",
            FitFailedWarning,
            stacklevel=3,
        )
    errors = {
        name: [text for outcome in own for text in outcome.score_errors]
        for name, own in by_name.items()
    }
    n_failed = sum(map(len, errors.values()))
    if n_failed:
        warnings.warn(
            f"Scoring failed {n_failed} times, and these scores are set to {error_score}. "
            f"Pass error_score='raise' to stop at the first.\n\n{_listed(errors)}",
            UserWarning,
            stacklevel=3,
        )


def _listed(errors: Mapping[str, Sequence[str]]) -> str:
    """Each different failure of each classifier with how often it happened."""
    return "\n".join(
        f"{name}, {count} times:\n{text}"
        for name, texts in errors.items()
        for text, count in Counter(texts).items()
    )
