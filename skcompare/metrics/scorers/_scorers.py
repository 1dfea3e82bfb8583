"""Scorers for scikit-learn's model selection: against a champion, and by name."""

import inspect
import math
import warnings
from collections.abc import Callable, Mapping
from copy import copy, deepcopy
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn import get_config
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.metrics import get_scorer_names as get_sklearn_scorer_names
from sklearn.utils.metadata_routing import MetadataRequest

from skcompare._analysis import PairEngine, PreparedTest
from skcompare._analysis.measures import (
    ClassMetric,
    Measure,
    entry_of,
    known_names,
    resolve_scoring,
    scorer_names,
    scorer_of,
)
from skcompare._core.design import HOLDOUT
from skcompare._core.sklearn_private import make_known
from skcompare._core.validation import (
    check_choice,
    check_labels,
    check_numbers,
    some_of,
    unknown_name,
)
from skcompare._registry.metrics import (
    CLASSES,
    NUMBERS,
    VALUES,
    MetricEntry,
    metrics,
    on_new_metric,
    record_losses,
)
from skcompare._registry.scorer_names import PREFIX, NamedScorer
from skcompare._registry.tests import PairedTestEntry, get_test, paired_tests
from skcompare.evidence import (
    ClassPlacementValues,
    ContingencyTable,
    JointCounts,
    PairedCalibration,
    PlacementValues,
    ScoredPair,
)
from skcompare.metrics.scorers._champion import (
    check_champion,
    check_stored,
    predictions_of_both,
    stored_champion,
    stored_names,
)
from skcompare.predictions import (
    LABELS,
    RANKS,
    SCORES,
    PairedPredictions,
    n_rows,
    predictions_from_arrays,
    target_of,
)
from skcompare.stats import PairedResult
from skcompare.stats.accuracy import corrected_statistic

WITH_DIRECTION = ("difference", "ratio")
"""Kinds of tests whose estimate says which classifier is better."""

SCORING, POS_LABEL = "scoring", "pos_label"
MOST = "max_classes"
"""Attribute of evidence with the largest number of classes that it is for."""

NO_SCORE_OPTIONS = {
    "alternative": "A scorer chooses the alternative itself: 'greater', that the "
    "challenger is better, for returns='confidence'. Leave it out.",
    "interval": "A scorer returns one number and has no interval. Got `interval`. Leave "
    "it out.",
}
"""Options of tests that a scorer does not take, with the messages of its errors."""


def why_no_scorer(entry: PairedTestEntry) -> str:
    """Return the reason why a test cannot score a fitted classifier, or an empty string."""
    if entry.kind not in WITH_DIRECTION:
        return (
            f"{entry.name} has no direction: its estimate does not say which classifier "
            "is better"
        )
    if not entry.valid_for(HOLDOUT):
        return (
            f"{entry.name} is valid for {', '.join(entry.designs)} only, and a scorer "
            "sees two fitted classifiers on one test set without groups and times. "
            "PairedComparator runs it"
        )
    if not hasattr(entry.needs, "from_pair"):
        return (
            f"{entry.name} needs {entry.needs.__name__}, which is not made from the "
            "predictions of two fitted classifiers"
        )
    return ""


def evidence_options(entry: PairedTestEntry) -> tuple[str, ...]:
    """Names of the options with which a scorer computes the evidence of a test."""
    if entry.needs is ScoredPair:
        return SCORING, POS_LABEL
    return entry.evidence_options


def check_options(entry: PairedTestEntry, options: Mapping[str, Any], returns: str) -> None:
    """Raise an error for options that a scorer of this test does not use."""
    names = dict.fromkeys((*evidence_options(entry), *entry.options))
    accepted = [name for name in names if name not in NO_SCORE_OPTIONS]
    for name in options:
        if name in NO_SCORE_OPTIONS and name in names:
            raise ValueError(NO_SCORE_OPTIONS[name])
        if name not in accepted:
            raise unknown_name(f"option of {entry.name}", name, accepted)
    if "null_value" in options and returns != "confidence":
        raise ValueError(
            "`null_value` says what the confidence is about, and goes with "
            f"returns='confidence'. Got returns={returns!r}. Leave it out."
        )
    if returns == "confidence" and "alternative" not in entry.options:
        raise ValueError(
            f"{entry.name} has no one-sided version, so it has no confidence that the "
            "challenger is better. Choose returns='difference', or another test."
        )


def measure_of(
    entry: PairedTestEntry, options: Mapping[str, Any], target: str
) -> Measure | None:
    """Return the measure to compare, or None if the test determines the measure."""
    if entry.needs is not ScoredPair:
        return None
    scoring = options.get(SCORING, "accuracy" if target == CLASSES else "r2")
    measures = resolve_scoring(scoring, target)
    if len(measures) > 1:
        raise ValueError(
            f"`scoring` of a scorer must be one measure. Got {scoring!r}. Make a scorer "
            "of each."
        )
    return measures[0]


def target_of_scorer(champion: Any, options: Mapping[str, Any]) -> str:
    """Return what both estimators predict: numbers if the champion or the loss does."""
    if champion is not None:
        return target_of([("champion", champion)])
    loss = options.get("loss")
    entry = record_losses().get(loss) if isinstance(loss, str) else None
    return CLASSES if entry is None else entry.target


def predictions_required(
    entry: PairedTestEntry, measure: Measure | None, target: str
) -> frozenset[str]:
    """Kinds of predictions that both estimators need."""
    if measure is not None:
        return measure.required
    if target == NUMBERS:
        return frozenset({VALUES})
    kinds: frozenset[str] = getattr(entry.needs, "required", frozenset({LABELS, SCORES}))
    return kinds | {RANKS} if entry.needs is PlacementValues else kinds


MOST_CLASSES, PER_CLASS, LEAST_RECORDS = 50, 4, 40
"""Size of made-up predictions; tests of more classes are not rehearsed."""


def difference_of(entry: PairedTestEntry, result: PairedResult) -> float:
    """Difference of challenger and champion, positive if the challenger is better."""
    if entry.kind == "difference":
        return result.estimate
    if result.champion is None or result.challenger is None:
        raise ValueError(
            f"{result.test} compares no number of each classifier, so that there is no "
            "difference. Choose returns='confidence', or another test."
        )
    sign = 1 if result.greater_is_better else -1
    return sign * (result.challenger - result.champion)


def signed_root(test: PreparedTest, result: PairedResult) -> float:
    """Return the statistic, or its root with the sign of the difference if chi-squared.

    A statistic has a sign if it changes with the roles, and is a chi-squared if it does
    not and has one degree of freedom. Any other test of the table of correct and
    incorrect predictions counts discordant pairs, and has the root of McNemar's
    chi-squared.
    """
    if math.isnan(result.pvalue):
        return math.nan
    evidence = test.evidence
    mirrored = test.entry.function(evidence.swap(), **test.options).statistic
    statistic = result.statistic
    if statistic * mirrored < 0:
        return statistic
    if result.df == 1 and statistic > 0:
        return math.copysign(math.sqrt(statistic), difference_of(test.entry, result))
    if isinstance(evidence, ContingencyTable) and result.df is None:
        against, favour = evidence.only_champion, evidence.only_challenger
        if statistic != 0 or against != favour:
            return 0.0 + corrected_statistic(against, favour, 0.0)[1]
    if statistic == 0 and (result.df == 1 or result.pvalue == 1 or result.estimate == 0):
        return 0.0
    raise ValueError(
        f"The statistic of {result.test} ({result.method}) is the same whichever "
        "classifier is better, so that it has no sign. Choose returns='confidence', or "
        "another test."
    )


def made_up_predictions(classes: np.ndarray) -> PairedPredictions | None:
    """Return made-up predictions of two classifiers, for a trial run of a test.

    None for one class, and for too many to be quick.
    """
    n_classes = len(classes)
    if not 2 <= n_classes <= MOST_CLASSES:
        return None
    rng = np.random.default_rng(0)
    codes = np.arange(max(LEAST_RECORDS, PER_CLASS * n_classes)) % n_classes
    predictions = {}
    for name, skill in (("champion", 0.2), ("challenger", 0.4)):
        noise = rng.dirichlet(np.ones(n_classes), size=len(codes))
        proba = skill * np.eye(n_classes)[codes] + (1 - skill) * noise
        labels = classes[proba.argmax(axis=1)]
        predictions[name] = {"labels": labels, "proba": proba}
    made_up = predictions_from_arrays(classes[codes], predictions, labels=classes)
    return made_up.pair("champion", "challenger")


RETURNS = ("difference", "statistic", "confidence")
LEVEL = 0.05
"""Level of intervals, which a scorer does not use."""

OF_CLASSES = ("label", "pos_label", "cost_matrix", "edges")
"""Options that cannot be tried before the classes are known."""


class PairedScorer:
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
    champion : fitted classifier or regressor, optional
        The model in use. It is never cloned or fitted. Where it is left out its stored
        predictions are passed as metadata: ``champion_predictions`` for tests of labels or
        of predicted numbers, and ``champion_scores`` for tests of probabilities or
        rankings.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        The measure of the scored classifier minus that of the champion, with the sign
        turned for losses; the test statistic with its sign, or the signed root of a
        chi-squared one; or 1 - p of the test with ``alternative="greater"``.
    **options
        Options of the test, such as ``method``, and of its evidence, such as ``loss`` of
        a test of losses, ``n_bins`` of calibration or ``pos_label`` of a ranking. A test
        of any score has ``scoring``, the score that is compared: one name or scorer, by
        default "accuracy", or "r2" of a regressor. Of several outputs both are averaged:
        ``multioutput`` has the weights of a loss, and brackets those of a score, or the
        name of one output, such as "r2[load]". ``null_value`` goes with the confidence
        only.

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

    The confidence is 0 also where both classifiers predict the same, since p is 1 then. The
    scores of several test sets are not independent, and their mean is not a test; use it to
    choose among candidates, and `PairedComparator` to claim that one is better. In
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

    default_test: ClassVar[str] = ""
    """The test of a scorer of one subject, where none is named."""
    subject: ClassVar[str] = ""
    """What the tests of a scorer of one subject compare."""

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
        target = target_of_scorer(champion, options)
        self._measure = measure_of(self._entry, options, target)
        self._required = predictions_required(self._entry, self._measure, target)
        self._is_numeric = VALUES in self._required
        if self._is_numeric and not self._entry.of_numbers:
            raise ValueError(
                f"{test} is for classes, and the champion or the loss is of numbers. Use "
                "'paired_t', or another test of losses or of any score."
            )
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
            Sorted. Tests that require caution are omitted, but can be requested by name.
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
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True labels, or numbers.
        **metadata : dict
            For a scorer without champion, its predictions for these records in their
            order: ``champion_predictions``, labels or numbers of the shape of `y`, or
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
        check = partial(check_numbers, several=True) if self._is_numeric else check_labels
        labels, n = check("y", y), n_rows(X)
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
                is_numeric=self._is_numeric,
            )
        pair = predictions_of_both(champion, estimator, X, labels, self._required, y)
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
        if self._measure is not None or self._is_numeric:
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
            for_more = [
                repr(name)
                for name, candidate in self._suitable().items()
                if not hasattr(candidate.needs, MOST)
                and candidate.measures[0].startswith(self._entry.measures[0])
            ]
            raise ValueError(
                f"{self._entry.name} is for {most} classes, and there are {len(classes)}: "
                f"{some_of(classes)}. Choose a test of several classes"
                f"{': test=' if for_more else ''}{' or test='.join(for_more)}."
            )

    def _scored(self, pair: PairedPredictions) -> tuple[float, str]:
        """Return the score, with the reason if undefined, or else an empty string."""
        undefined = 0.0 if self.returns == "confidence" else math.nan
        try:
            score, result = self._value(pair, self.options)
        except ValueError as error:
            least = getattr(self._entry.needs, "least_per_class", 0)
            if self._is_numeric or not pair.predictions.class_counts().min() < least:
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
                "set_score_request needs metadata routing. Turn it on with "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        requested = {name: value for name, value in requests.items() if value}
        self._refuse({n: v for n, v in requested.items() if n not in self._stored})
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
                "classifier may still request it for its fit."
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


class SubjectScorer(PairedScorer):
    """Score a classifier by the tests of one subject, which a class declares.

    Its signature is made from the declaration.
    """

    evidence: ClassVar[tuple[type, ...]] = ()
    """Evidence that the tests of the subject need; none for the default test alone."""
    needs_option: ClassVar[str | None] = None
    """An option that a test of the subject must have."""
    named_options: ClassVar[Mapping[str, Any]] = {}
    """Options in the signature, with their defaults; None is that of the test."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        keywords = {"returns": RETURNS[0], **cls.named_options}
        if cls.evidence:
            keywords["test"] = cls.default_test
        kind = inspect.Parameter
        cls.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                kind("champion", kind.POSITIONAL_OR_KEYWORD, default=None, annotation=Any),
                *(
                    kind(
                        name,
                        kind.KEYWORD_ONLY,
                        default=value,
                        annotation=Any if value is None else type(value),
                    )
                    for name, value in keywords.items()
                ),
                kind("options", kind.VAR_KEYWORD, annotation=Any),
            ]
        )

    def __init__(
        self, champion: Any = None, *, returns: str = "difference", **options: Any
    ) -> None:
        if "test" in options and not self.evidence:
            names = " and ".join(f"`{name}`" for name in self.named_options)
            raise TypeError(
                f"{type(self).__name__} runs {self.default_test}, and has no `test`. Got "
                f"test={options['test']!r}. Choose the {names}, or use PairedScorer."
            )
        options = {**self.named_options, "test": self.default_test, **options}
        named = {name: value for name, value in options.items() if value is not None}
        super().__init__(named.pop("test"), champion, returns=returns, **named)

    @classmethod
    def _suits(cls, entry: PairedTestEntry) -> bool:
        if not cls.evidence:
            return entry.name == cls.default_test
        has_option = cls.needs_option is None or cls.needs_option in entry.options
        return entry.needs in cls.evidence and has_option


class McNemarScorer(SubjectScorer):
    """Score a classifier by its accuracy against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it runs McNemar's test,
    :func:`skcompare.stats.mcnemar`, on the records that exactly one of it and the champion
    predicts correctly.

    Parameters
    ----------
    champion : fitted classifier, optional
        The classifier in use. It is never cloned or fitted. Where it is left out its
        stored labels are passed as the metadata ``champion_predictions``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        Accuracy of the scored classifier minus that of the champion; the signed root of
        McNemar's chi-squared, (b - c) / sqrt(b + c) for b records that only the scored
        classifier predicts correctly and c that only the champion does; or 1 - p of the
        test with ``alternative="greater"``. Greater is better for each.
    method : {"mid-p", "exact", "asymptotic", "corrected", "exact-unconditional", \
"permutation"}, default="mid-p"
        How the p-value of the confidence is computed. The signed root is the same for each,
        except that "corrected" has that of the chi-squared with continuity correction.
    **options
        Other options of the test: ``n_resamples`` and ``random_state`` of "permutation",
        and for the confidence ``null_value``, such as -0.02 for the confidence that the
        scored classifier is at most 0.02 worse.

    Raises
    ------
    TypeError
        If the champion is not a classifier or has no predict, or a test is named.
    ValueError
        If the champion is not fitted or an option is not one of the test; when called, if
        there are neither a champion nor stored predictions, or both, stored predictions
        are not one per record, or weights are passed.

    See Also
    --------
    PairedScorer : The same for any registered test, with notes that hold for this one too.

    Notes
    -----
    A champion that was trained on records that are scored looks better than it is: score on
    others, or route its out-of-sample predictions.

    Without a record that exactly one of both predicts correctly, difference and signed
    root are 0 and the confidence is 0, since p is 1.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate, train_test_split
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare.metrics import McNemarScorer
    >>> X, y = make_classification(600, flip_y=0.2, random_state=0)
    >>> X_old, X_new, y_old, y_new = train_test_split(X, y, random_state=0)
    >>> champion = DecisionTreeClassifier(random_state=0).fit(X_old, y_old)
    >>> scoring = {
    ...     returns: McNemarScorer(champion, returns=returns)
    ...     for returns in ("difference", "statistic", "confidence")
    ... }
    >>> scores = cross_validate(LogisticRegression(), X_new, y_new, scoring=scoring, cv=3)
    >>> for returns in scoring:
    ...     print(returns, scores[f"test_{returns}"].round(2))
    difference [-0.06  0.16  0.04]
    statistic [-1.    2.31  0.58]
    confidence [0.17 0.99 0.71]
    """

    default_test: ClassVar[str] = "mcnemar"
    subject: ClassVar[str] = "accuracies by McNemar"
    named_options: ClassVar[Mapping[str, Any]] = {"method": "mid-p"}


class DeLongScorer(SubjectScorer):
    """Score a classifier by its area under the ROC curve against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it compares both areas on these records by DeLong's
    test, :func:`skcompare.stats.delong`.

    Parameters
    ----------
    champion : fitted classifier, optional
        The classifier in use, with predict_proba or decision_function. It is never cloned
        or fitted. Where it is left out its stored scores are passed as the metadata
        ``champion_scores``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        AUC of the scored classifier minus that of the champion; the difference in standard
        errors; or 1 - p of the test with ``alternative="greater"``. Greater is better for
        each.
    pos_label : label, optional
        The positive one of two classes; by default the second in sorted order. Areas are
        the same for either, but stored scores of one column are those of this class.
    test : str, default="delong"
        "delong" for two classes; "delong_ovr" or "delong_ovo" for two or more, the mean of
        the areas of each class against the rest, or of each pair of classes.
    **options
        Other options of the test, such as ``score`` and ``rare`` of "delong_ovr", and for
        the confidence ``null_value``, such as -0.01 for the confidence that the scored
        classifier is at most 0.01 worse.

    Raises
    ------
    TypeError
        If the champion is not a classifier, or has neither predict_proba nor
        decision_function.
    ValueError
        If the champion is not fitted, has more than two classes for "delong", the test is
        not one of AUCs, or an option is not one of the test; when called, if there are
        neither a champion nor stored scores, or both, stored scores are not one per record,
        or weights are passed.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two records. A difference or statistic is NaN then, and
        the confidence is 0. Stratified test sets avoid it.

    See Also
    --------
    PairedScorer : The same for any registered test, with notes that hold for this one too.

    Notes
    -----
    A champion that was trained on records that are scored looks better than it is: score on
    others, or route its out-of-sample scores.

    Stored scores are one number per record, of any scale, greater for the positive class;
    or probabilities with a column for each class in sorted order.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV, train_test_split
    >>> from sklearn.svm import LinearSVC
    >>> from skcompare.metrics import DeLongScorer
    >>> X, y = make_classification(600, flip_y=0.2, random_state=0)
    >>> X_old, X_new, y_old, y_new = train_test_split(X, y, random_state=0)
    >>> champion = LinearSVC(C=0.01, random_state=0).fit(X_old[:, :5], y_old)
    >>> scores = champion.decision_function(X_new[:, :5])
    >>> import sklearn
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     search = GridSearchCV(
    ...         LogisticRegression(), {"C": [0.001, 1.0]}, scoring=DeLongScorer(), cv=3
    ...     ).fit(X_new, y_new, champion_scores=scores)
    >>> search.best_params_, float(round(search.best_score_, 3))
    ({'C': 0.001}, -0.019)
    """

    default_test: ClassVar[str] = "delong"
    subject: ClassVar[str] = "AUCs"
    evidence: ClassVar[tuple[type, ...]] = (PlacementValues, ClassPlacementValues)
    named_options: ClassVar[Mapping[str, Any]] = {"pos_label": None}


class PrecisionScorer(SubjectScorer):
    """Score a classifier by its precision against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it compares the precisions of one class on these
    records by a registered test.

    Parameters
    ----------
    champion : fitted classifier, optional
        The classifier in use. It is never cloned or fitted. Where it is left out its
        stored predictions are passed as the metadata ``champion_predictions``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        Precision of the scored classifier minus that of the champion; the signed root of
        the test statistic, positive where the scored classifier is better; or 1 - p of the
        test with ``alternative="greater"``. Greater is better for each.
    label : label, optional
        The class; by default 1 or True of two classes, and otherwise the last one.
    test : str, default="precision_both_scores"
        A registered test of joint counts that takes a label, such as "relative_precision"
        or "updated_precision".
    **options
        Options of the test, such as ``prevalence`` of "updated_precision".

    Raises
    ------
    ValueError
        If the champion is not fitted, the test is unknown or is of no class, or an option
        is not one of the test; when called, if there are neither a champion nor stored
        predictions, or both, stored predictions are not one per record, or weights are
        passed.

    Warns
    -----
    UndefinedMetricWarning
        If the test is undefined on the records, for example because a classifier never
        predicts the class. A difference or statistic is then NaN, which `GridSearchCV`
        ranks last; the confidence is 0, because an undefined p counts as 1. Use
        `warnings.simplefilter("error")` to make it an error.

    Notes
    -----
    A champion that was trained on records that are scored knows their labels, and looks
    better than it is: cross-validate the challenger on records that the champion has not
    seen, or store out-of-sample predictions of the champion, as of `cross_val_predict`,
    and route these.

    The confidence is 0 also where both classifiers predict the same, since p is 1 then. The
    scores of several test sets are not independent, and their mean is not a test; use it to
    choose among candidates, and `PairedComparator` to claim that one is better. In
    `permutation_importance` the champion gets the permuted records too, so that the result
    is how its disadvantage depends on a feature.

    `TunedThresholdClassifierCV` takes no scorer that calls the classifier itself, as this
    one does; tune the threshold by a metric, and score what it gives.

    Sample weights are refused, as the test has no version for them. With metadata routing
    on they may still go to the fit of a classifier.

    See Also
    --------
    PairedScorer : The same for any registered test.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score, train_test_split
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare.metrics import PrecisionScorer
    >>> X, y = make_classification(600, flip_y=0.2, random_state=0)
    >>> X_old, X_new, y_old, y_new = train_test_split(X, y, random_state=0)
    >>> champion = DecisionTreeClassifier(random_state=0).fit(X_old, y_old)
    >>> scorer = PrecisionScorer(champion)
    >>> scorer
    PrecisionScorer(champion=DecisionTreeClassifier(random_state=0))
    >>> scores = cross_val_score(LogisticRegression(), X_new, y_new, scoring=scorer, cv=3)
    >>> print(scores.round(2))
    [-0.05  0.06  0.09]

    Stored predictions are cut to each test set by metadata routing:

    >>> import sklearn
    >>> stored = champion.predict(X_new)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     again = cross_val_score(
    ...         LogisticRegression(), X_new, y_new, scoring=PrecisionScorer(), cv=3,
    ...         params={"champion_predictions": stored},
    ...     )
    >>> bool((again == scores).all())
    True
    """

    default_test: ClassVar[str] = "precision_both_scores"
    subject: ClassVar[str] = "the precision of one class"
    evidence: ClassVar[tuple[type, ...]] = (JointCounts,)
    needs_option: ClassVar[str | None] = "label"
    named_options: ClassVar[Mapping[str, Any]] = {"label": None}


class CalibrationScorer(SubjectScorer):
    """Score a classifier by its calibration error against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it compares the squared calibration errors on these
    records by :func:`skcompare.stats.calibration_difference`.

    Parameters
    ----------
    champion : fitted classifier, optional
        The classifier in use, with predict_proba. It is never cloned or fitted. Where it
        is left out its stored probabilities are passed as the metadata
        ``champion_scores``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        Squared calibration error of the champion minus that of the scored classifier, so
        that greater is better; that difference in standard errors; or 1 - p of the test
        with ``alternative="greater"``.
    n_bins : int, default=15
        Number of bins.
    strategy : {"uniform", "quantile", ...}, default="uniform"
        Placement of the bins, as of :class:`skcompare.evidence.PairedCalibration`; both
        classifiers need the same number.
    pos_label : label, optional
        The class whose probabilities are compared, one of two.
    test : str, default="calibration_difference"
        A registered test of the calibration of two classifiers.
    **options
        Other options of the bins, ``edges`` and ``kind``, and of the test, such as
        ``method``. The default "analytic" takes milliseconds; "bootstrap" and
        "exchangeability" draw ``n_resamples`` at every call, and do not change the
        difference.

    Raises
    ------
    TypeError
        If the champion is not a classifier or has no predict_proba.
    ValueError
        If the champion is not fitted, the test is not one of calibration or an option is
        not one of it; when called, if there are neither a champion nor stored
        probabilities, or both, stored ones are not one per record, or weights are passed.

    Warns
    -----
    UndefinedMetricWarning
        If the difference has no variance. The statistic is NaN then, and the confidence 0.

    See Also
    --------
    PairedScorer : The same for any registered test, with notes that hold for this one too.

    Notes
    -----
    A champion that was trained on records that are scored may look better calibrated than
    it is, or worse: score on others, or route its out-of-sample probabilities.

    The error is estimated without the bias of plug-in errors, and may be negative by
    chance. A constant probability at the share of events is perfectly calibrated: this
    score alone does not find useful classifiers; use it together with one of accuracy or
    ranking.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score, train_test_split
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skcompare.metrics import CalibrationScorer
    >>> X, y = make_classification(2000, n_informative=4, n_redundant=14, random_state=0)
    >>> X_old, X_new, y_old, y_new = train_test_split(X, y, random_state=0)
    >>> champion = GaussianNB().fit(X_old, y_old)
    >>> scorer = CalibrationScorer(champion, returns="statistic", n_bins=10)
    >>> scores = cross_val_score(LogisticRegression(), X_new, y_new, scoring=scorer, cv=2)
    >>> print(scores.round(1))
    [1.9 4.4]
    """

    default_test: ClassVar[str] = "calibration_difference"
    subject: ClassVar[str] = "the calibration of two classifiers"
    evidence: ClassVar[tuple[type, ...]] = (PairedCalibration,)
    named_options: ClassVar[Mapping[str, Any]] = {
        "n_bins": 15,
        "strategy": "uniform",
        "pos_label": None,
    }


Scorer = Callable[..., float]

CHAMPION_SCORERS = {
    "delong": DeLongScorer,
    "gee_precision": PrecisionScorer,
    "mcnemar": McNemarScorer,
}
"""Scorers against a champion whose predictions are routed, by their names."""


def get_scorer(scoring: str | Scorer, **options: Any) -> Scorer:
    """Get the scorer of a metric by its name.

    For ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV` and others. An
    object works with every version of scikit-learn and in every process; where no option is
    needed, the name itself mostly does as well: see :func:`register_scorers`.

    Parameters
    ----------
    scoring : str or callable
        A name of :func:`get_scorer_names`; with ``skcompare_`` before it, it is the same.
        Other names are looked up by :func:`sklearn.metrics.get_scorer`, and a callable is
        returned as it is.
        "mcnemar", "delong" and "gee_precision" are those against a champion whose
        predictions are routed, :class:`McNemarScorer`, :class:`DeLongScorer` and
        :class:`PrecisionScorer`.
    **options
        Keywords of the metric, such as ``n_bins=10`` or ``pos_label="malignant"``, or of
        the scorer against a champion, such as ``returns="statistic"``.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)``, so that greater is better. It takes ``sample_weight``
        if the metric does, by metadata routing as other scorers of scikit-learn.

    Raises
    ------
    ValueError
        If the name or an option is unknown, or options are passed for a scorer of another
        package. When called, if the metric has no value, for example because the positive
        one of two strings is not specified.
    TypeError
        If `scoring` is neither a name nor callable.

    Notes
    -----
    The metric gets the classifier's classes, so that test records may lack some of them.
    A metric of probabilities cannot tune a threshold: `TunedThresholdClassifierCV` scores
    labels, and gets an error.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skcompare.metrics import get_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = get_scorer("neg_expected_calibration_error", n_bins=10)
    >>> scorer
    make_scorer(expected_calibration_error, greater_is_better=False,
    response_method='predict_proba', n_bins=10)
    >>> print(cross_val_score(GaussianNB(), X, y, scoring=scorer, cv=3).round(3))
    [-0.084 -0.05  -0.048]
    """
    if not isinstance(scoring, str):
        if not callable(scoring):
            raise TypeError(
                f"`scoring` must be a name or a scorer. Got {scoring!r}. Names are listed "
                "by skcompare.metrics.get_scorer_names()."
            )
        _refuse_options(scoring, options)
        return scoring
    against_champion = CHAMPION_SCORERS.get(scoring.removeprefix(PREFIX))
    if against_champion is not None:
        return against_champion(**options)
    entry = entry_of(scoring)
    # The name of a loss is not a scorer, for which less would be better.
    if entry is not None and scoring.removeprefix(PREFIX) == entry.scorer_name:
        _check_options(entry, options)
        return scorer_of(entry, options)
    if scoring not in get_sklearn_scorer_names():
        raise unknown_name("scorer", scoring, known_names())
    _refuse_options(scoring, options)
    return get_sklearn_scorer(scoring)


def get_scorer_names() -> list[str]:
    """Get the names of the scorers of all registered metrics, and against a champion.

    Losses have ``neg_`` before the metric's name, so that greater is better.

    Returns
    -------
    names : list of str
        Sorted names for :func:`get_scorer`. scikit-learn knows them too, except those of
        its own scorers: see :func:`register_scorers`.

    Examples
    --------
    >>> from skcompare.metrics import get_scorer_names
    >>> "neg_expected_calibration_error" in get_scorer_names()
    True
    """
    return sorted(scorer_names())


def register_scorers() -> list[str]:
    """Make the scorers of all registered metrics known to scikit-learn by name.

    ``import skcompare`` does this, and a metric that is registered later becomes known
    immediately. A call is needed only if a process has undone it, and is harmless
    otherwise.

    Returns
    -------
    names : list of str
        Sorted names by which scikit-learn knows them: those of :func:`get_scorer_names`, or
        with ``skcompare_`` before one that scikit-learn or another package has taken. Empty
        if this version of scikit-learn has no list that could be extended; pass the scorers
        that :func:`get_scorer` returns then.

    Notes
    -----
    scikit-learn has no public way to register a scorer. The changes are listed in the
    user guide, :doc:`/user_guide/metrics_by_name`.

    Examples
    --------
    >>> from sklearn.metrics import get_scorer as get_sklearn_scorer
    >>> from skcompare.metrics import register_scorers
    >>> names = register_scorers()
    >>> "skcompare_accuracy" in names
    True
    >>> get_sklearn_scorer("neg_expected_calibration_error")
    make_scorer(expected_calibration_error, greater_is_better=False,
    response_method='predict_proba')
    """
    # A list, because another thread may register a metric at the same time.
    entries = list(metrics().values())
    scorers = {entry.scorer_name: scorer_of(entry, {}) for entry in entries}
    against_champion = {name: NamedScorer(name, get_scorer) for name in CHAMPION_SCORERS}
    return make_known(scorers | against_champion, PREFIX)


def _check_options(entry: MetricEntry, options: dict[str, Any]) -> None:
    names = ClassMetric(entry).options
    for name in options:
        if not names:
            raise ValueError(f"{entry.name} has no options. Got {name}. Leave it out.")
        if name not in names:
            raise unknown_name(f"option of {entry.name}", name, names)


def _refuse_options(scoring: Any, options: dict[str, Any]) -> None:
    if options:
        raise ValueError(
            f"Options go with the names of our metrics. Got {', '.join(options)} with "
            f"{scoring!r}. Use sklearn.metrics.make_scorer for other metrics."
        )


def _make_known(entry: MetricEntry) -> None:
    make_known({entry.scorer_name: scorer_of(entry, {})}, PREFIX)


on_new_metric(_make_known)
