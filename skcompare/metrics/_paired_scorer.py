"""Scorers of a classifier against a champion, for scikit-learn's model selection."""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import is_regressor
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.validation import check_is_fitted

from skcompare._labels import check_labels
from skcompare._registry import PairedTestEntry, get_test
from skcompare._validation import check_choice, check_probabilities, unknown_name
from skcompare.predictions import LABELS, collect_fitted, n_rows
from skcompare.stats import PairedResult

__all__ = ["PairedScorer"]

RETURNS = ("difference", "statistic", "confidence")
STORED = "champion_predictions"


class PairedScorer:
    """A scorer that tests a fitted classifier against a champion.

    The base of the scorers of single tests. A scorer is called with an estimator, records
    and labels; it gives both classifiers the records, makes the evidence of the test from
    their answers and returns one number, so that greater is better.

    Parameters
    ----------
    test : str
        Name of a registered test.
    champion : fitted classifier, optional
        Where it is left out, its stored answers come as metadata.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        What is returned.
    **options
        Options of the test.
    """

    def __init__(
        self, test: str, champion: Any = None, returns: str = "difference", **options: Any
    ) -> None:
        check_choice("returns", returns, RETURNS)
        self.test = test
        self.champion = champion
        self.returns = returns
        self.options = options
        self._check_options()
        if champion is not None:
            self._check_champion()
        self._metadata_request = self._request({STORED: True if champion is None else None})

    @property
    def _entry(self) -> PairedTestEntry:
        return get_test(self.test)

    def __call__(self, estimator: Any, X: Any, y: Any, **metadata: Any) -> float:
        """Score a fitted classifier on records that neither classifier was trained on.

        Parameters
        ----------
        estimator : fitted classifier
            The challenger.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Records, handed to both classifiers as they are.
        y : array-like of shape (n_samples,)
            True labels.
        **metadata : dict
            ``champion_predictions``, the champion's answers to these records in their
            order, of shape (n_samples,), where no champion was given.

        Returns
        -------
        score : float
            Greater is better.
        """
        stored = metadata.pop(STORED, None)
        self._refuse(metadata)
        evidence = self._evidence(estimator, X, check_labels("y", y), stored)
        return self._score(self._result(evidence), evidence)

    def set_score_request(self, **requests: Any) -> "PairedScorer":
        """Ask for stored answers of the champion by scikit-learn's metadata routing.

        Parameters
        ----------
        **requests : dict
            ``champion_predictions``: True, False, None, or the name under which they are
            passed. A scorer without a champion asks for them already.

        Returns
        -------
        self : PairedScorer
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs metadata routing. Turn it on by "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        self._refuse({name: asked for name, asked in requests.items() if name != STORED})
        self._metadata_request = self._request(requests)
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """What scikit-learn hands this scorer beside records and labels.

        Returns
        -------
        request : MetadataRequest
        """
        return self._metadata_request

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of every scorer among several, with routing off.
        return False

    def __repr__(self) -> str:
        given = {"champion": self.champion, "returns": self.returns, **self._shown()}
        if self.returns == RETURNS[0]:
            del given["returns"]
        words = [f"{name}={value!r}" for name, value in given.items() if value is not None]
        return f"{type(self).__name__}({', '.join(words)})"

    def _shown(self) -> dict[str, Any]:
        """Arguments that the words for this scorer name beside the champion."""
        return {"test": self.test, **self.options}

    def _request(self, requests: dict[str, Any]) -> MetadataRequest:
        request = MetadataRequest(owner=type(self).__name__)
        for name, asked in requests.items():
            request.score.add_request(param=name, alias=asked)
        return request

    def _refuse(self, metadata: dict[str, Any]) -> None:
        if metadata.get("sample_weight") is not None:
            raise ValueError(
                f"{type(self).__name__} counts every record once: {self.test} has no "
                "version for weights. Got sample_weight. Leave it out of scoring; a "
                "classifier may still ask for it in its fit."
            )
        unknown = [name for name, value in metadata.items() if value is not None]
        if unknown:
            raise TypeError(
                f"{type(self).__name__} takes {STORED} beside records and labels. Got "
                f"{', '.join(unknown)}."
            )

    def _check_options(self) -> None:
        entry = self._entry
        known = [name for name in entry.options if name != "alternative"]
        for name in self.options:
            if name == "alternative":
                raise ValueError(
                    "A scorer chooses the alternative itself: 'greater', that the "
                    "challenger is better, for returns='confidence'. Leave it out."
                )
            if name not in known:
                raise unknown_name(f"option of {entry.name}", name, known)
        if self.returns == "confidence" and "alternative" not in entry.options:
            raise ValueError(
                f"{entry.name} has no direction, so it has no confidence that the "
                "challenger is better. Choose another test."
            )

    def _check_champion(self) -> None:
        champion, words = self.champion, f"{type(self.champion).__name__}"
        if isinstance(champion, type) or not hasattr(champion, "predict"):
            raise TypeError(
                "`champion` must be a fitted classifier. Got "
                f"{champion!r:.80}. Stored answers are passed as metadata: "
                f"scorer(estimator, X, y, {STORED}=...)."
            )
        if hasattr(champion, "__sklearn_tags__") and is_regressor(champion):
            raise TypeError(f"`champion` must be a classifier. Got the regressor {words}.")
        # check_is_fitted asks for tags, which classifiers of other packages may lack.
        if hasattr(champion, "fit") and hasattr(champion, "__sklearn_tags__"):
            try:
                check_is_fitted(champion)
            except NotFittedError as error:
                raise ValueError(
                    f"`champion` must be fitted before it can be scored against. Got a "
                    f"{words} that is not. Fit it, on records that are not scored."
                ) from error

    def _evidence(self, estimator: Any, X: Any, y: np.ndarray, stored: Any) -> Any:
        """What the test needs to know of both classifiers' answers to these records."""
        entry = self._entry
        wanted = entry.needs.wanted  # type: ignore[attr-defined]
        champion = self._champion_of(estimator, X, stored, wanted)
        pair = collect_fitted(
            [("champion", champion), ("challenger", estimator)], X, y, wanted=wanted
        ).pair("champion", "challenger")
        return entry.needs.from_pair(pair)  # type: ignore[attr-defined]

    def _result(self, evidence: Any) -> PairedResult:
        """The result of the test."""
        options = dict(self.options)
        if self.returns == "confidence":
            options["alternative"] = "greater"
        result: PairedResult = self._entry.function(evidence, **options)
        return result

    def _champion_of(
        self, estimator: Any, X: Any, stored: Any, wanted: frozenset[str]
    ) -> Any:
        """The champion, or its stored answers in the form of a classifier."""
        if (stored is None) == (self.champion is None):
            given = "both" if stored is not None else "neither"
            raise ValueError(
                f"{type(self).__name__} needs a champion: either a fitted classifier as "
                f"`champion`, or its answers to these records as {STORED}. Got {given}."
            )
        if stored is None:
            return self.champion
        if not hasattr(stored, "__len__") or n_rows(stored) != n_rows(X):
            length = n_rows(stored) if hasattr(stored, "__len__") else "no array"
            raise ValueError(
                f"{STORED} must have one answer a record, in the same order: expected "
                f"{n_rows(X)}. Got {length}. A scorer does not know which records it is "
                "given; pass the answers to all records as metadata, and let scikit-learn "
                "cut them to each test set (metadata routing)."
            )
        if LABELS in wanted:
            labels = check_labels(STORED, stored)
            return _StoredLabels(np.unique(labels), labels)
        classes = np.asarray(estimator.classes_)
        return _StoredScores(classes, check_probabilities(STORED, stored, len(classes)))

    def _score(self, result: PairedResult, evidence: Any) -> float:
        if self.returns == "confidence":
            # An undefined p counts as 1, here as in adjustments.
            score = 1 - (1.0 if math.isnan(result.pvalue) else result.pvalue)
            undefined = math.isnan(result.pvalue)
        else:
            difference = self._difference(result)
            score = difference
            if self.returns == "statistic":
                score = self._signed_root(result, difference, evidence)
            undefined = math.isnan(score)
        if undefined:
            why = "; ".join(result.caveats)
            warnings.warn(
                f"{result.test} is undefined on these {result.n:g} records, and the "
                f"{self.returns} is set to {score:g}. {why}",
                UndefinedMetricWarning,
                stacklevel=3,
            )
        return score

    def _difference(self, result: PairedResult) -> float:
        """Challenger less champion where greater is better, and the reverse of losses."""
        if self._entry.kind == "difference":
            return result.estimate
        if result.champion is None or result.challenger is None:
            raise ValueError(
                f"{result.test} compares no number of each classifier, so there is no "
                "difference and no direction. Choose another test."
            )
        sign = 1 if result.greater_is_better else -1
        return sign * (result.challenger - result.champion)

    def _signed_root(self, result: PairedResult, difference: float, evidence: Any) -> float:
        """The statistic, or its root with the sign of the difference if chi-squared."""
        statistic = result.statistic
        if math.isnan(result.pvalue):
            return math.nan
        if statistic <= 0:
            return statistic
        mirrored = self._result(evidence.swap()).statistic
        if math.isclose(mirrored, -statistic, rel_tol=1e-6):
            return statistic
        if result.df == 1:
            return math.copysign(math.sqrt(statistic), difference)
        raise ValueError(
            f"The statistic of {result.test} ({result.method}) is the same whichever "
            "classifier is better, so that it has no sign. Choose returns='confidence', "
            "or another method of the test."
        )


@dataclass(frozen=True, slots=True)
class _StoredLabels:
    """A classifier that gives stored labels, whatever records it sees."""

    classes_: np.ndarray
    labels: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        return self.labels


@dataclass(frozen=True, slots=True)
class _StoredScores:
    """A classifier that gives stored probabilities, whatever records it sees."""

    classes_: np.ndarray
    proba: np.ndarray

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.proba
