"""Scorers of registered metrics by name, also for scikit-learn."""

from collections.abc import Callable
from typing import Any

from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.metrics import get_scorer_names as get_sklearn_scorer_names

from skcompare._analysis.measures import (
    ClassMetric,
    entry_of,
    known_names,
    scorer_names,
    scorer_of,
)
from skcompare._core.sklearn_private import make_known
from skcompare._core.validation import unknown_name
from skcompare._registry.metrics import MetricEntry, metrics, on_new_metric
from skcompare._registry.scorer_names import PREFIX, NamedScorer
from skcompare.metrics.scorers._paired_scorer import (
    DeLongScorer,
    McNemarScorer,
    PrecisionScorer,
)

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
    if entry is not None and _greater_is_better(scoring, entry):
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

    ``import skcompare`` does it, and a metric that is registered later is made known at
    once. A call is needed only where a process has undone it, and is harmless elsewhere.

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


def _greater_is_better(name: str, entry: MetricEntry) -> bool:
    """Whether a name is that of the scorer rather than that of a loss."""
    return name.removeprefix(PREFIX) == entry.scorer_name


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
