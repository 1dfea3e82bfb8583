"""Losses of several models for the same records."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from skcompare._core.arrays import AS_DESIGN, array_of
from skcompare._core.design import HOLDOUT, Design
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence.core._storage import SAME_CLASSIFIERS, Mergeable, joined
from skcompare.evidence.labels._patterns import check_classifier_names
from skcompare.evidence.losses._paired_losses import PairedLosses
from skcompare.evidence.losses._record_losses import as_losses
from skcompare.predictions import PairedPredictions, Predictions


def _as_rows(name: str, values: Any) -> FloatArray:
    rows = np.asarray(values)
    if rows.ndim != 2 or len(rows) < 2 or not rows.shape[1]:
        raise ValueError(
            f"`{name}` must be losses of at least two models, of shape (n_models, "
            f"n_samples). Got shape {rows.shape}."
        )
    return np.stack([as_losses(name, row) for row in rows])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointLosses(Mergeable):
    """Losses of several models for the same records.

    Parameters
    ----------
    values : array-like of shape (n_models, n_samples)
        Loss of each record by each model, where lower is better.
    names : iterable of str, optional
        Names of the models, all different; by default "classifier 1" and so on.
    loss : str, default="losses"
        Name of the loss, with its options.
    design : Design or str, default="holdout"
        How the records were collected.

    Raises
    ------
    ValueError
        If there are fewer than two models or no record, a loss is not finite, or names are
        not as many as models.

    Examples
    --------
    >>> from skcompare.evidence import JointLosses
    >>> y, first, second, third = [1.0, 2.0, 4.0], [2.0, 3.0, 5.0], [1.5, 2, 4], [1, 2, 3]
    >>> losses = JointLosses.from_predictions(y, first, second, third, loss="squared_error")
    >>> losses.means.round(3).tolist()
    [1.0, 0.083, 0.333]
    """

    values: FloatArray = field(metadata=array_of(_as_rows, "n_models", "n_samples"))
    names: tuple[str, ...] = None  # type: ignore[assignment]
    loss: str = "losses"
    design: Design = field(default=HOLDOUT, metadata=AS_DESIGN)

    required: ClassVar[frozenset[str]] = PairedLosses.required

    def _check_together(self) -> None:
        self._set(names=check_classifier_names(self.names, len(self.values)))

    def __repr__(self) -> str:
        means = dict(zip(self.names, (float(f"{mean:.4g}") for mean in self.means)))
        return f"JointLosses(n={self.n}, loss={self.loss!r}, means={means})"

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        *predictions: Any,
        names: Iterable[str] | None = None,
        loss: str = "absolute_error",
        **options: Any,
    ) -> "JointLosses":
        """Compute the losses of several predictions for the records of a hold-out set.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True numbers, or labels.
        *predictions : array-like or dict
            Predictions of each model, as for :meth:`PairedLosses.from_predictions`.
        names : iterable of str, optional
            Names of the models.
        loss : str, default="absolute_error"
            A registered loss.
        **options : dict
            Options of the loss.
        """
        models = check_classifier_names(names, len(predictions))
        if len(models) < 2:
            raise ValueError(
                f"At least two predictions are needed. Got {len(models)}. Pass one after "
                "the other."
            )
        pairs = [
            PairedLosses.from_predictions(
                y_true, predictions[0], other, loss=loss, **options
            )
            for other in predictions[1:]
        ]
        return cls._of(pairs, models)

    @classmethod
    def from_predictions_of(
        cls, predictions: Predictions, *, loss: Any = None, **options: Any
    ) -> "JointLosses":
        """Compute the losses of all models for the records of a hold-out set."""
        first, *others = predictions.names
        pairs = [
            PairedLosses.from_pair(predictions.pair(first, other), loss=loss, **options)
            for other in others
        ]
        return cls._of(pairs, predictions.names)

    @classmethod
    def from_pair(
        cls, pair: PairedPredictions, *, loss: Any = None, **options: Any
    ) -> "JointLosses":
        """Compute the losses of champion and challenger."""
        return cls.from_predictions_of(pair.alone, loss=loss, **options)

    @classmethod
    def _of(cls, pairs: list[PairedLosses], names: Iterable[str]) -> "JointLosses":
        """Join the losses of pairs of which the first model is the champion."""
        rows = [pairs[0].champion, *(pair.challenger for pair in pairs)]
        return cls(np.stack(rows), tuple(names), pairs[0].loss, pairs[0].design)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.values.shape[1])

    @property
    def means(self) -> FloatArray:
        """Mean loss of each model."""
        return self.values.mean(axis=1)

    @property
    def covariance(self) -> FloatArray:
        """Covariances of the mean losses, of shape (n_models, n_models)."""
        return np.atleast_2d(np.cov(self.values)) / self.n

    def pair(self, champion: int, challenger: int) -> PairedLosses:
        """Return the losses of two models, by position."""
        first, second = self.values[champion], self.values[challenger]
        return PairedLosses.from_losses(first, second, loss=self.loss)

    def swap(self) -> "JointLosses":
        """Reverse the order of the models; exchange the roles if there are two."""
        return JointLosses(self.values[::-1], self.names[::-1], self.loss, self.design)

    def _merged(self, other: "JointLosses") -> "JointLosses":
        self._check_same("names", other, SAME_CLASSIFIERS)
        self._check_same("loss", other, "Only losses of one kind can be merged.")
        values = joined(self.values, other.values, axis=1)
        return JointLosses(values, self.names, self.loss, self.design)
