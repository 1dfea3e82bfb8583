"""What cross_compare gives back: scikit-learn's dict of arrays, for several estimators."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skcompare._core.validation import unknown_name
from skcompare._io.columns import frame_from_columns
from skcompare.predictions import Predictions

INDICES, ESTIMATOR, TEST = "indices", "estimator", "test_"


class CrossComparison(dict[str, Any]):
    """Times and scores of several classifiers on the same splits.

    A dict of arrays as :func:`sklearn.model_selection.cross_validate` gives it, with the
    name of the classifier behind each key: ``fit_time_<name>``, ``score_time_<name>``,
    ``test_score_<name>`` or ``test_<metric>_<name>``, on request also
    ``train_..._<name>``, ``estimator_<name>``, and ``indices``, which are those of all.

    Parameters
    ----------
    outputs : mapping of str to dict
        For each classifier what `cross_validate` gives, in its order.
    cv : splitter
        What made the splits.
    predictions : Predictions, optional
        What the classifiers answered.

    Attributes
    ----------
    names : tuple of str
        The classifiers in the order they were passed.
    cv : splitter
        What made the splits; :func:`~skcompare.compare_cv_results` reads the design off it.

    See Also
    --------
    skcompare.cross_compare : Makes it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare import cross_compare
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    >>> results = cross_compare(models, X, y, cv=5, random_state=0)
    >>> list(results)[-2:]
    ['test_score_bayes', 'test_score_tree']
    >>> list(results.of("tree"))
    ['fit_time', 'score_time', 'test_score']

    .. versionadded:: 0.1
    """

    def __init__(
        self,
        outputs: Mapping[str, Mapping[str, Any]],
        *,
        cv: Any = None,
        predictions: Predictions | None = None,
    ) -> None:
        super().__init__()
        self.names = tuple(outputs)
        self.cv = cv
        self._predictions = predictions
        self._keys = {name: tuple(output) for name, output in outputs.items()}
        metrics = [
            key.removeprefix(TEST) for key in self._all_keys() if key.startswith(TEST)
        ]
        check_keys(self.names, metrics)
        for key in self._all_keys():
            for name, output in outputs.items():
                if key in output:
                    self[_flat(key, name)] = output[key]

    def of(self, name: str) -> dict[str, Any]:
        """What `cross_validate` gives for one classifier: the same keys and arrays.

        Parameters
        ----------
        name : str
            Name of the classifier.

        Returns
        -------
        output : dict of str to array
            Two of them are what :func:`~skcompare.compare_cv_results` and
            :meth:`skcompare.evidence.ScoreDifferences.from_cv_results` take.
        """
        if name not in self._keys:
            raise unknown_name("classifier", name, self.names)
        return {key: self[_flat(key, name)] for key in self._keys[name]}

    @property
    def predictions(self) -> Predictions:
        """What all classifiers answered; with ``return_predictions=True`` only."""
        if self._predictions is None:
            raise AttributeError(
                "The answers were not kept. Pass return_predictions=True to cross_compare."
            )
        return self._predictions

    def to_frame(self, backend: str = "pandas") -> Any:
        """A row for each classifier and split, with times and scores in columns.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library whose frame is returned.

        Returns
        -------
        frame : frame
            Columns estimator, split, fit_time, score_time, test_score or test_<metric>,
            and train scores where there are any. A score that a classifier does not have
            is NaN.
        """
        columns: dict[str, list[Any]] = {"estimator": [], "split": []}
        outputs = {name: self.of(name) for name in self.names}
        numbers = [key for key in self._all_keys() if key not in (INDICES, ESTIMATOR)]
        for name, output in outputs.items():
            n_splits = len(output["fit_time"])
            columns["estimator"] += [name] * n_splits
            columns["split"] += range(n_splits)
            for key in numbers:
                values = output.get(key, np.full(n_splits, np.nan))
                columns.setdefault(key, []).extend(np.asarray(values).tolist())
        return frame_from_columns(columns, backend)

    def _all_keys(self) -> list[str]:
        """Keys that any classifier has, in their order."""
        return list(dict.fromkeys(key for keys in self._keys.values() for key in keys))


def _flat(key: str, name: str) -> str:
    """The key of one classifier's array; splits are shared by all."""
    return key if key == INDICES else f"{key}_{name}"


def check_keys(names: Sequence[str], metrics: Sequence[str]) -> None:
    """Refuse names that make one key of two arrays, as the metric b of x_y and b_x of y."""
    owners: dict[str, tuple[str, str]] = {}
    for name in names:
        for metric in metrics:
            key = _flat(f"test_{metric}", name)
            if key in owners:
                metric_0, name_0 = owners[key]
                raise ValueError(
                    f"{metric_0!r} of {name_0!r} and {metric!r} of {name!r} would have "
                    f"the same key {key!r}. Choose another name for a classifier."
                )
            owners[key] = metric, name
