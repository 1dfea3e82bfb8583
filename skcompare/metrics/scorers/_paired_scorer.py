"""Scorers of a classifier against a champion, for scikit-learn's model selection."""

import inspect
import math
import warnings
from copy import copy, deepcopy
from typing import Any, ClassVar, Self

from sklearn import get_config
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import MetadataRequest

from skcompare._analysis import PairEngine, PreparedTest
from skcompare._core.validation import check_choice, check_labels
from skcompare._registry.tests import PairedTestEntry, get_test, paired_tests
from skcompare.metrics.scorers._champion import (
    check_champion,
    check_stored,
    predictions_of_both,
    stored_champion,
    stored_names,
)
from skcompare.metrics.scorers._tests import (
    MOST,
    POS_LABEL,
    check_options,
    difference_of,
    made_up_predictions,
    measure_of,
    predictions_required,
    signed_root,
    too_many_classes,
    why_no_scorer,
)
from skcompare.predictions import PairedPredictions, n_rows
from skcompare.stats import PairedResult


class RoutedScorer:
    """A scorer that may request stored predictions of the champion."""

    default_test: ClassVar[str] = ""
    """The test of a scorer of one subject, where none is named."""
    subject: ClassVar[str] = ""
    """What the tests of a scorer of one subject compare."""

    test: str
    champion: Any
    returns: str
    options: dict[str, Any]
    _stored: tuple[str, ...]

    def set_score_request(self, **requests: Any) -> Self:
        """Request stored predictions of the champion by scikit-learn's metadata routing.

        Parameters
        ----------
        **requests : dict
            ``champion_predictions`` or ``champion_scores``, whichever the test needs:
            True, False, None, or the name under which they are passed. A scorer without
            a champion requests them already.

        Returns
        -------
        self : scorer
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs metadata routing. Turn it on by "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        requested = {name: value for name, value in requests.items() if value}
        self._refuse(
            {name: requested[name] for name in requested if name not in self._stored}
        )
        if self.champion is not None and requested:
            raise ValueError(
                f"{type(self).__name__} has a champion, and needs no stored predictions. "
                f"Got a request for {', '.join(requested)}. Leave `champion` out to score "
                "by them."
            )
        defaults = {} if self.champion is not None else dict.fromkeys(self._stored, True)
        self._request_metadata({**defaults, **requests})
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata that this scorer requests besides records and labels.

        Returns
        -------
        request : MetadataRequest
        """
        return deepcopy(self._metadata_request)

    def _request_metadata(self, requests: dict[str, Any]) -> None:
        self._metadata_request = MetadataRequest(owner=type(self).__name__)
        for name, alias in requests.items():
            self._metadata_request.score.add_request(param=name, alias=alias)

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
                f"{type(self).__name__} takes {' and '.join(self._stored)} beside records "
                f"and labels. Got {', '.join(unknown)}."
            )

    def _accept_sample_weight(self) -> bool:
        # scikit-learn calls this on scorers where weights are passed with routing off.
        return False

    @property
    def _score_func(self) -> Any:
        # Read by code that applies a metric to its own predictions; an AttributeError,
        # because scikit-learn also checks by hasattr.
        raise AttributeError(
            f"{type(self).__name__} calls both classifiers itself, and cannot score other "
            "predictions, such as those at thresholds in TunedThresholdClassifierCV. Tune "
            "by a metric, such as scoring='balanced_accuracy', and score what it gives."
        )

    def __sklearn_clone__(self) -> Self:
        # A champion may be large, and is never changed, so it can be shared.
        shared = copy(self)
        shared._metadata_request = deepcopy(self._metadata_request)
        return shared

    def __repr__(self) -> str:
        parameters = inspect.signature(type(self)).parameters
        settings = {"champion": self.champion, "returns": self.returns}
        if "test" in parameters:
            test = {"test": self.test}
            settings = {**settings, **test} if self.default_test else {**test, **settings}
        arguments = []
        for name, value in {**settings, **self.options}.items():
            default = parameters[name].default if name in parameters else None
            plain = value is None or isinstance(value, str | int | float)
            if value is not None and not (plain and value == default):
                arguments.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(arguments)})"


RETURNS = ("difference", "statistic", "confidence")
LEVEL = 0.05
"""Level of intervals, which a scorer does not use."""

OF_CLASSES = ("label", "pos_label", "cost_matrix", "edges")
"""Options that cannot be tried before the classes are known."""


class PairedScorer(RoutedScorer):
    """Score a classifier by any test of it against a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it passes them to the champion too, runs a registered
    test on both predictions, and returns one number, so that greater is better.

    `McNemarScorer`, `DeLongScorer`, `CalibrationScorer` and `PrecisionScorer` are the same
    for one subject each, with its options by name.

    Parameters
    ----------
    test : str
        Name of a registered test, one of :meth:`available_tests`. A test that calls for
        caution is not listed, but can be named.
    champion : fitted classifier, optional
        The classifier in use. It is never cloned or fitted. Where it is left out its
        stored predictions are passed as metadata: ``champion_predictions`` for tests of
        labels, and ``champion_scores`` for tests of probabilities or rankings.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        The measure of the scored classifier minus that of the champion, with the sign
        turned for losses; the test statistic with its sign, or the signed root of a
        chi-squared one; or 1 - p of the test with ``alternative="greater"``.
    **options
        Options of the test, such as ``method``, and of its evidence, such as ``loss`` of
        a test of losses, ``n_bins`` of calibration or ``pos_label`` of a ranking. A test
        of any score has ``scoring``, the score that is compared: one name or scorer,
        "accuracy" by default. ``null_value`` goes with the confidence only.

    Raises
    ------
    TypeError
        If the champion is not a classifier, or lacks the predictions that the test needs.
    ValueError
        If the champion is not fitted, the test is unknown, has no direction or is for
        resampling or groups, an option is not one of the test, or the statistic has no
        sign; when called, if there are neither a champion nor stored predictions, or
        both, stored predictions are not one per record, or weights are passed.

    Warns
    -----
    UndefinedMetricWarning
        If the test is undefined on the records, for example because a classifier never
        predicts a class, or because a class has no records. A difference or statistic is
        then NaN, which `GridSearchCV` ranks last; the confidence is 0, because an
        undefined p counts as 1. Use `warnings.simplefilter("error")` to make it an error.

    Notes
    -----
    A champion that was trained on records that are scored knows their labels, and looks
    better than it is: cross-validate the challenger on records that the champion has not
    seen, or store out-of-sample predictions of the champion, as of `cross_val_predict`,
    and route these.

    The confidence is 0 also where both classifiers predict the same, since p is 1 then.
    The scores of several test sets are not independent, and their mean is no test; use it
    to choose among candidates, and `PairedComparator` to claim that one is better. In
    `permutation_importance` the champion gets the permuted records too, so that the result
    is how its disadvantage depends on a feature.

    A statistic has a sign if exchanging the roles turns it. For tests of the table of
    correct and incorrect predictions that count discordant pairs, such as an exact McNemar
    test, the statistic is the signed root of McNemar's chi-squared, (b - c) / sqrt(b + c).
    Any other statistic without a sign is refused.

    `TunedThresholdClassifierCV` takes no scorer that calls the classifier itself, as this
    one does. A selector of features, such as `SequentialFeatureSelector`, passes only some
    of the features to the scorer, so that a champion needs stored predictions.

    Sample weights are refused, as no test has a version for them. With metadata routing
    on they may still go to the fit of a classifier. A copy made by
    :func:`sklearn.base.clone` shares the champion.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score, train_test_split
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare.metrics import PairedScorer
    >>> X, y = make_classification(600, flip_y=0.2, random_state=0)
    >>> X_old, X_new, y_old, y_new = train_test_split(X, y, random_state=0)
    >>> champion = DecisionTreeClassifier(random_state=0).fit(X_old, y_old)
    >>> scorer = PairedScorer("paired_t", champion, returns="statistic", loss="log_loss")
    >>> scores = cross_val_score(LogisticRegression(), X_new, y_new, scoring=scorer, cv=3)
    >>> print(scores.round(2))
    [2.34 4.23 4.54]
    >>> PairedScorer.available_tests()[:3]
    ['anytime_losses', 'anytime_mcnemar', 'bootstrap_difference']
    """

    def __init__(
        self,
        test: str,
        champion: Any = None,
        *,
        returns: str = "difference",
        **options: Any,
    ) -> None:
        check_choice("returns", returns, RETURNS)
        self.test = test
        self.champion = champion
        self.returns = returns
        self.options = options
        # Read by code that names scores by their scorers.
        self.__name__ = test if returns == "difference" else f"{test}_{returns}"
        # Kept, because another process may not have registered a third-party test.
        self._entry = get_test(test)
        reason = self._why_not(self._entry)
        if reason:
            example = f"{self.default_test!r} or another" if self.default_test else "one"
            listing = f"{type(self).__name__}.available_tests()"
            raise ValueError(f"{reason}. Use {example} of {listing}.")
        check_options(self._entry, options, returns)
        self._measure = measure_of(self._entry, options)
        self._required = predictions_required(self._entry, self._measure)
        self._stored = stored_names(self._required)
        if champion is not None:
            check_champion(champion, self._required, self._takes_decision)
        self._rehearse()
        self._request_metadata(
            dict.fromkeys(self._stored, True if champion is None else None)
        )

    @classmethod
    def available_tests(cls) -> list[str]:
        """Return the registered tests that this scorer can run, including custom ones.

        Returns
        -------
        names : list of str
            Sorted. Tests that call for caution are left out, and can be named.
        """
        return sorted(name for name, entry in cls._suitable().items() if not entry.caution)

    @classmethod
    def _suitable(cls) -> dict[str, PairedTestEntry]:
        return {n: entry for n, entry in paired_tests().items() if not cls._why_not(entry)}

    @classmethod
    def _why_not(cls, entry: PairedTestEntry) -> str:
        """Return the reason why a test does not suit this scorer, or an empty string."""
        if not cls._suits(entry):
            return (
                f"{cls.__name__} needs a test of {cls.subject}. Got {entry.name!r}, which "
                "is none"
            )
        return why_no_scorer(entry)

    @classmethod
    def _suits(cls, entry: PairedTestEntry) -> bool:
        """Whether a test is about the subject of this scorer, here any."""
        return True

    def __call__(self, estimator: Any, X: Any, y: Any, **metadata: Any) -> float:
        """Score a fitted classifier on records that neither classifier was trained on.

        Parameters
        ----------
        estimator : fitted classifier
            The challenger.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Records, passed to both classifiers as they are.
        y : array-like of shape (n_samples,)
            True labels.
        **metadata : dict
            For a scorer without champion, its predictions for these records in their
            order: ``champion_predictions``, labels of shape (n_samples,), or
            ``champion_scores``, probabilities of shape (n_samples, n_classes), with a
            column for each class in sorted order, or for two classes one score per
            record: of ``pos_label`` where that is an option, and else of the second class.

        Returns
        -------
        score : float
            Greater is better.
        """
        stored = {name: metadata.pop(name, None) for name in self._stored}
        stored = {name: values for name, values in stored.items() if values is not None}
        self._refuse(metadata)
        labels, n = check_labels("y", y), n_rows(X)
        if len(labels) != n:
            raise ValueError(f"`y` must have one label per record: {n}. Got {len(labels)}.")
        check_stored(type(self).__name__, self.champion, stored, self._stored, y)
        champion = self.champion
        if champion is None:
            champion = stored_champion(
                stored,
                estimator,
                labels,
                pos_label=self.options.get(POS_LABEL),
                takes_decision=self._takes_decision,
            )
        pair = predictions_of_both(champion, estimator, X, labels, self._required)
        self._check_classes(pair)
        score, reason = self._scored(pair)
        if reason:
            warnings.warn(
                f"{self.test} is undefined on these {n} records, and the {self.returns} is "
                f"set to {score:g}. {reason}",
                UndefinedMetricWarning,
                stacklevel=2,
            )
        return score

    @property
    def _takes_decision(self) -> bool:
        """Whether decision scores can replace probabilities."""
        needs = self._entry.needs
        return self._measure is not None or getattr(needs, "takes_decision", False)

    def _rehearse(self) -> None:
        """Run the test on made-up predictions, to detect invalid options early.

        Options may depend on the classes, which are known if the champion has them.
        """
        # A user's own score may take long on the resamples of its tests.
        if self._measure is not None:
            return
        classes = getattr(self.champion, "classes_", None)
        labels = check_labels("champion.classes_", [0, 1] if classes is None else classes)
        pair = made_up_predictions(labels)
        if pair is None:
            return
        self._check_classes(pair)
        try:
            self._value(pair, deepcopy(self.options))
        except ValueError:
            about_classes = any(self.options.get(name) is not None for name in OF_CLASSES)
            if classes is not None or not about_classes:
                raise

    def _check_classes(self, pair: PairedPredictions) -> None:
        """Raise an error that names other tests if there are too many classes."""
        classes, most = pair.predictions.classes, getattr(self._entry.needs, MOST, None)
        if most is not None and len(classes) > most:
            raise ValueError(too_many_classes(self._entry, classes, self._suitable()))

    def _scored(self, pair: PairedPredictions) -> tuple[float, str]:
        """Return the score, with the reason if undefined, or else an empty string."""
        undefined = 0.0 if self.returns == "confidence" else math.nan
        try:
            score, result = self._value(pair, self.options)
        except ValueError as error:
            least = getattr(self._entry.needs, "least_per_class", 0)
            if not pair.predictions.class_counts().min() < least:
                raise
            return undefined, str(error)
        if math.isnan(score):
            return undefined, "; ".join(result.caveats) or "The test gives no number."
        return score, ""

    def _value(
        self, pair: PairedPredictions, options: dict[str, Any]
    ) -> tuple[float, PairedResult]:
        """Return the score of both classifiers' predictions and the result of the test."""
        test = self._prepared(pair, options)
        result = test.run()
        if self.returns == "confidence":
            score = 1 - result.pvalue
        elif self.returns == "statistic":
            score = signed_root(test, result)
        else:
            score = difference_of(self._entry, result)
        return float(score), result

    def _prepared(self, pair: PairedPredictions, options: dict[str, Any]) -> PreparedTest:
        """Prepare the test with the evidence of these predictions."""
        measure = self._measure
        engine = PairEngine(
            pair,
            {self.test: options},
            alternative="greater" if self.returns == "confidence" else "two-sided",
            alpha=LEVEL,
            pos_label=None if measure is None else options.get(POS_LABEL),
        )
        if measure is not None:
            engine = engine.about(measure)
        return engine.prepared(self._entry, measure, self.test)
