"""Parameters of an estimator that holds a list of named estimators."""

from collections.abc import Iterable, Sequence
from typing import Any, Self

from sklearn.base import BaseEstimator

TAKEN = ("splitter", "method_mapping", "inconclusive")
"""Names that mean something else: in metadata routing, and in verdicts."""


class NamedEstimatorsMixin(BaseEstimator):
    """Each of `estimators` is a parameter by its name, and its parameters are too."""

    estimators: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, and those of the named estimators.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the estimators by name, and their parameters as
            ``name__parameter``.

        Returns
        -------
        params : dict
        """
        params: dict[str, Any] = super().get_params(deep=deep)
        if not deep:
            return params
        for name, estimator in named_pairs(self.estimators):
            params[name] = estimator
            if hasattr(estimator, "get_params"):
                nested = estimator.get_params(deep=True)
                params |= {f"{name}__{key}": value for key, value in nested.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, replace an estimator by its name, or set what it has.

        Parameters
        ----------
        **params : dict
            `estimators` first, then estimators by name, then ``name__parameter``.

        Returns
        -------
        self : object
        """
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        named = named_pairs(self.estimators)
        if any(name in params for name, _ in named):
            self.estimators = [(name, params.pop(name, known)) for name, known in named]
        super().set_params(**params)
        return self


def check_named_estimators(estimators: Any, parameters: Iterable[str], least: int) -> None:
    """Refuse what is no list of named estimators, and names that mean something else."""
    if not _is_named(estimators):
        raise TypeError(
            "`estimators` must be a list of pairs of a name and a classifier. Got "
            f"{estimators!r:.80}. Write [('old', LogisticRegression()), ...]."
        )
    names = [name for name, _ in estimators]
    if len(names) < least:
        raise ValueError(
            f"`estimators` must have at least {least} classifiers. Got {len(names)}. Use "
            "PairedComparator for two."
        )
    if len(set(names)) < len(names):
        raise ValueError(f"Names of classifiers must differ. Got {', '.join(names)}.")
    for name in names:
        if not name.strip() or "__" in name or name in (*parameters, *TAKEN):
            raise ValueError(
                "A classifier's name must not be empty, have two underscores in a row, or "
                f"be one of {', '.join(sorted({*parameters, *TAKEN}))}. Got {name!r}."
            )


def named_pairs(estimators: Any) -> list[tuple[str, Any]]:
    """The names with their estimators; none where that is not what was passed."""
    return [(name, part) for name, part in estimators] if _is_named(estimators) else []


def _is_named(estimators: Any) -> bool:
    return isinstance(estimators, Sequence) and all(
        isinstance(pair, Sequence)
        and not isinstance(pair, str)
        and len(pair) == 2
        and isinstance(pair[0], str)
        for pair in estimators
    )
