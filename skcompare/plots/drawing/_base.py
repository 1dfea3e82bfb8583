"""Base classes of displays, with their constructors."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import NotFittedError

import skcompare.metrics
import skcompare.stats  # noqa: F401
from skcompare._core.design import IN_TIME, TIME_ORDERED_HOLDOUT
from skcompare._core.formatting import in_one_line
from skcompare._core.sklearn_private import SideBySideMixin
from skcompare._io.columns import frame_from_columns
from skcompare._registry.metrics import CLASSES, NUMBERS, VALUES, keywords_of
from skcompare._registry.tests import options_of
from skcompare._typing import ArrayLike
from skcompare.plots.drawing._layout import (
    ROLES,
    Room,
    fit_room,
    name_labels,
    name_roles,
    named,
    room_for,
)
from skcompare.plots.drawing._style import plain_ticks, suit_paper
from skcompare.predictions import (
    PairedPredictions,
    outputs_of_roles,
    predictions_from_arrays,
    predictions_from_cv_results,
    predictions_of_fitted,
    target_of,
)


def comparison_behind(result: Any) -> Any:
    """Return the comparison of a fitted comparator, or any other object unchanged.

    Raises
    ------
    NotFittedError
        If it is a comparator that is not fitted.
    """
    # Comparators are in a higher layer, and are recognised by their mixin.
    if isinstance(result, SideBySideMixin) and not hasattr(result, "comparison_"):
        raise NotFittedError(
            f"This {type(result).__name__} is not fitted yet, so it has no comparison to "
            "draw. Call `fit` first."
        )
    return getattr(result, "comparison_", result)


def sides_behind(result: Any) -> tuple[str, str]:
    """Return the names of the models that a result is about, or their roles."""
    holder = comparison_behind(result)
    if hasattr(holder, "from_pair") and not isinstance(holder, PairedPredictions):
        # Some evidence has names; the roles are numbers, if there are any.
        names: Any = getattr(holder, "names", ROLES)
    else:
        roles = [getattr(holder, role, None) for role in ROLES]
        names = [getattr(role, "name", role) for role in roles]
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        return ROLES
    return in_one_line(names[0]), in_one_line(names[1])


def checked_sides(names: Any) -> tuple[str, str]:
    """Return the names of champion and challenger, which by default are these words."""
    if names is None:
        return ROLES
    is_pair = isinstance(names, Sequence) and not isinstance(names, str) and len(names) == 2
    if not (is_pair and all(isinstance(name, str) and name.strip() for name in names)):
        raise ValueError(
            "`names` must be the names of champion and challenger, such as ('old', 'new'). "
            f"Got {names!r:.80}."
        )
    if names[0] == names[1]:
        raise ValueError(f"`names` must differ. Got {names[0]!r:.80} twice.")
    return names[0], names[1]


def pair_behind(result: Any) -> PairedPredictions | None:
    """Return the predictions that a result has, or None."""
    if isinstance(result, PairedPredictions):
        return result
    source = getattr(comparison_behind(result), "source", None)
    return getattr(source, "pair", None)


def check_targets(who: type["Display"], result: Any, targets: Iterable[str]) -> None:
    """Raise an error if a display does not show predictions of the target of a result."""
    pair = pair_behind(result)
    if pair is None:
        return
    outputs = pair.predictions.outputs
    if outputs and getattr(who, "needs", None) is PairedPredictions:
        raise ValueError(
            f"{who.__name__} shows one number per record, and these predictions are of "
            f"{len(outputs)} outputs. Pass the predictions of one of them."
        )
    target, other = NUMBERS, CLASSES
    if not pair.predictions.is_numeric:
        target, other = other, target
    if target not in targets:
        *names, last = (
            name for name, d in _displays.items() if target in getattr(d, "targets", ())
        )
        raise ValueError(
            f"{who.__name__} shows predictions of {other}, and these are of {target}. "
            f"Use {', '.join(names)} or {last}."
        )


def target_behind(named: Sequence[tuple[str, Any]], y_true: Any = None) -> str:
    """Return "numbers" for regressors, and for true values with fractions, else "classes".

    Fractions cannot be labels; whole numbers are taken for them.
    """
    if named:
        return target_of(named)
    if y_true is None:
        return CLASSES
    values = np.asarray(y_true)
    is_fraction = values.dtype.kind == "f" and bool((values % 1 != 0).any())
    return NUMBERS if is_fraction else CLASSES


def check_options(who: type, options: Iterable[str], known: Iterable[str]) -> None:
    """Raise an error for options that a display does not accept."""
    names = sorted(set(known))
    if unknown := [name for name in options if name not in names]:
        raise TypeError(
            f"{who.__name__} has no option {', '.join(unknown)}. Known: {', '.join(names)}."
        )


DRAWN = ("ax_", "axes_", "figure_")


ONCE = ("holdout", "kfold")
"""Designs with one prediction per record, so that predictions can be pooled."""
ONCE_IN_ANY_ORDER = (*ONCE, TIME_ORDERED_HOLDOUT.kind, IN_TIME)
"""The same with those in time order, for displays that have no limits of their own."""
OF_LABELS = ("accuracy", "zero_one_loss")
"""Losses of labels, which the contingency table determines."""


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a display in the report of two classifiers.

    Pictures are in the order of `rank`. A row belongs to one by its measure, or by the
    name of the evidence that its test needs. The picture has the numbers of a row on the
    same quantity: of one of the measures `same`, or of the test `test`. Without `designs`
    there is a picture for every design. With several splits a picture that is `averaged`
    has their mean, without limits of its own, and one that is `pooled` is of all
    predictions together, which no row is about: it is left out where a row has the mean,
    which is another number of the same name.
    """

    rank: int = 0
    measures: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    test: str | None = None
    designs: tuple[str, ...] = ()
    averaged: bool = False
    pooled: bool = False


_displays: dict[str, type["Display"]] = {}


def displays() -> Mapping[str, type["Display"]]:
    """All displays that have a title, by name."""
    return MappingProxyType(_displays)


def placed_displays() -> list[tuple[Place, Any]]:
    """Return the displays of a report of two classifiers, with their places in order."""
    placed = [(d.place, d) for d in _displays.values() if d.place is not None]
    return sorted(placed, key=lambda item: item[0].rank)


class Display(ABC):
    """Base class of displays of precomputed numbers.

    A class with a `title` is registered as a display, and one with a `place` is shown in
    reports of two classifiers beside the rows that it belongs to.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes last drawn on; the main one of several.
    axes_ : list of matplotlib Axes
        All of them.
    figure_ : matplotlib Figure
        The figure that they are in.

    Notes
    -----
    A pickled display keeps its numbers and texts, even without matplotlib, but not the
    figure: draw it again by :meth:`plot`.
    """

    ax_: Any
    axes_: list[Any]
    figure_: Any

    title: ClassVar[str] = ""
    place: ClassVar[Place | None] = None
    # Names of the models, which `plot` and `summary` put in the place of their roles.
    sides: tuple[str, str] = ROLES

    def __init_subclass__(cls, *, title: str = "", place: Place | None = None) -> None:
        super().__init_subclass__()
        if title:
            cls.title, cls.place = title, place
            _displays[cls.__name__] = cls

    def __repr__(self) -> str:
        # The numbers are in `frame()`, and there may be thousands.
        return f"<{type(self).__name__}: {self.summary}>"

    def __getstate__(self) -> dict[str, Any]:
        # Without figures: these belong to one version of matplotlib, which the process that
        # reads the numbers may lack.
        return {name: value for name, value in vars(self).items() if name not in DRAWN}

    @property
    def figsize(self) -> tuple[float, float]:
        """Width and height of the figure in inches."""
        room = self._room()
        return room.width, room.height

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Colours suit the background of the figure, be it light or dark. The settings of
        matplotlib are not changed.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            Axes to draw on; a new figure by default. A picture with several panels takes as
            many axes, or replaces a single empty one of a grid, such as those of
            ``plt.subplots()``, by its panels. Where they have less room than `figsize`
            states, text is scaled down, to half its size at most, and titles are wrapped;
            use a figure of ``layout="constrained"``.

        Returns
        -------
        display : Display
            Itself, with `ax_`, `axes_` and `figure_`.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        """
        self.figure_, self.axes_ = room_for(ax, self._room())
        self.ax_ = self.axes_[0]
        self._draw(*self.axes_)
        for panel in self.axes_:
            plain_ticks(panel)
        name_roles(self.axes_, self.sides)
        if ax is not None:
            fit_room(self.axes_, self._room_on(self.axes_))
        name_labels(self.axes_, self.sides)
        suit_paper(self.axes_)
        return self

    def frame(self, backend: str = "pandas") -> Any:
        """Return the plotted numbers as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the frame.

        Returns
        -------
        frame : frame of `backend`
            One row per mark, line or cell.
        """
        columns = {name: list(values) for name, values in self._columns().items()}
        return frame_from_columns(columns, backend)

    @property
    def summary(self) -> str:
        """Text alternative to the plot, in a few sentences."""
        return named(f"{'. '.join(self._sentences())}.", self.sides)

    def _named_by(self, result: Any) -> Self:
        """Take the names of the models from a result."""
        self.sides = sides_behind(result)
        return self

    def _sentences(self) -> list[str]:
        """Return the sentences of the summary, without full stops."""
        raise NotImplementedError

    @abstractmethod
    def _room(self) -> Room:
        """Return the size of the figure and of its panels."""

    def _room_on(self, axes: Sequence[Any]) -> Room:
        """Return the room that the picture needs on axes that were given."""
        return self._room()

    @abstractmethod
    def _draw(self, *axes: Any) -> None:
        """Draw the numbers on the axes of the panels."""

    @abstractmethod
    def _columns(self) -> Mapping[str, Any]:
        """Return the columns of the data frame."""


class PairDisplay(Display):
    """Base class of displays of evidence about a champion and a challenger.

    A subclass names the evidence in `needs` and is made of it by `_of`; all constructors
    make the evidence and call `_of`. It shows predictions of the `targets`.
    """

    needs: ClassVar[Any]
    targets: ClassVar[tuple[str, ...]] = (CLASSES,)

    @classmethod
    @abstractmethod
    def _of(cls, *args: Any, **kwargs: Any) -> Self:
        """Create the display from evidence and options, without drawing it."""

    @classmethod
    def from_estimators(
        cls,
        champion: Any,
        challenger: Any,
        X: Any,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        names: tuple[str, str] | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the predictions of two fitted classifiers for a hold-out set.

        Parameters
        ----------
        champion, challenger : estimator
            Fitted classifiers, or regressors for a display of numbers.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Records of a hold-out set.
        y : array-like of shape (n_samples,)
            True labels.
        groups : array-like of shape (n_samples,), optional
            Group of each record (patient, user).
        names : tuple of str, optional
            Names of both models in the picture, instead of champion and challenger.
        ax : matplotlib Axes or sequence of Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            Options of :meth:`from_result`.

        Returns
        -------
        display : Display
            The display, drawn.
        """
        names = checked_sides(names)
        predictions = predictions_of_fitted(
            dict(zip(names, (champion, challenger), strict=True)),
            X,
            y,
            required=cls._required_for(options, champion, challenger),
            groups=groups,
            why="Pictures show what trained classifiers predict.",
        )
        return cls.from_result(predictions.pair(*names), ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | None,
        champion: Any,
        challenger: Any,
        *,
        labels: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        pos_label: Any = None,
        names: tuple[str, str] | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot precomputed predictions for a hold-out set.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        champion, challenger : array-like or mapping
            Predicted labels of shape (n_samples,), probabilities of shape
            (n_samples, n_classes), or for two classes of shape (n_samples,); both as
            ``{"labels": ..., "proba": ...}``. Predicted numbers for a display of numbers.
        labels : array-like of shape (n_classes,), optional
            All class labels, where `y_true` lacks some.
        groups : array-like of shape (n_samples,), optional
            Group of each record (patient, user).
        pos_label : label, optional
            The positive class of two.
        names : tuple of str, optional
            Names of both models in the picture, instead of champion and challenger.
        ax : matplotlib Axes or sequence of Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            Options of :meth:`from_result`.

        Returns
        -------
        display : Display
            The display, drawn.
        """
        names = checked_sides(names)
        predictions = predictions_from_arrays(
            y_true,
            dict(zip(names, (champion, challenger), strict=True)),
            labels=labels,
            pos_label=pos_label,
            groups=groups,
            target=cls._target_of(options, y_true=y_true),
        )
        if pos_label is not None and "pos_label" in cls._evidence_options():
            options["pos_label"] = pos_label
        return cls.from_result(predictions.pair(*names), ax=ax, **options)

    @classmethod
    def from_cv_results(
        cls,
        champion: Any,
        challenger: Any = None,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        cv: Any = None,
        design: Any = None,
        groups: ArrayLike | None = None,
        names: tuple[str, str] | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the predictions of classifiers fitted by `cross_validate`.

        Parameters
        ----------
        champion : dict
            Output of :func:`sklearn.model_selection.cross_validate` with
            ``return_estimator=True`` and ``return_indices=True``: for the champion; or,
            without `challenger`, for a :class:`~skcompare.PairedEstimator`.
        challenger : dict, optional
            The same for the challenger, on the same splits.
        X, y : array-like, sparse matrix or frame
            The records and labels that were cross-validated, in the same order.
        cv : splitter, int or iterable, optional
            The splitter that made the splits, as for
            :func:`~skcompare.compare_cv_results`.
        design : Design or str, optional
            Design of the splits, where `cv` does not determine it.
        groups : array-like of shape (n_samples,), optional
            Group of each record (patient, user).
        names : tuple of str, optional
            Names of both models in the picture, instead of champion and challenger.
        ax : matplotlib Axes or sequence of Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            Options of :meth:`from_result`.

        Returns
        -------
        display : Display
            The display, drawn.
        """
        names = checked_sides(names)
        outputs = outputs_of_roles(champion, challenger, X, y)
        predictions = predictions_from_cv_results(
            X,
            y,  # type: ignore[arg-type]
            {name: outputs[role] for name, role in zip(names, ROLES, strict=True)},
            cv=cv,
            design=design,
            groups=groups,
            required=cls._required_for(options),
        )
        return cls.from_result(predictions.pair(*names), ax=ax, **options)

    @classmethod
    def from_result(cls, result: Any, *, ax: Any = None, **options: Any) -> Self:
        """Plot the evidence of a comparison.

        Parameters
        ----------
        result : Comparison, fitted PairedComparator, PairedPredictions, or evidence
            A comparison that was read from JSON has no predictions to draw.
        ax : matplotlib Axes or sequence of Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            Options of the evidence and of the display.

        Returns
        -------
        display : Display
            The display, drawn.
        """
        return cls.of_result(result, **options).plot(ax=ax)

    @classmethod
    def of_result(cls, result: Any, **options: Any) -> Self:
        """Create the display from a result, without drawing it.

        Parameters
        ----------
        result : Comparison, fitted PairedComparator, PairedPredictions, or evidence
            Source of the numbers.
        **options : dict
            Options of :meth:`from_result`.

        Returns
        -------
        display : Display
            Its `frame()` needs no matplotlib.
        """
        names = cls._evidence_options()
        check_options(cls, options, (*names, *cls._own_options()))
        check_targets(cls, result, cls.targets)
        made_by = {name: options.pop(name) for name in names if name in options}
        if isinstance(result, cls.needs):
            if made_by:
                raise ValueError(
                    f"{', '.join(made_by)}: the evidence is made already. Pass this to "
                    f"{cls.needs.__name__}, or leave it out."
                )
            return cls._of(result, **options)._named_by(result)
        evidence = cls._evidence_of(result, cls.needs, made_by)
        return cls._of(evidence, **options)._named_by(result)

    @classmethod
    def _target_of(
        cls, options: Mapping[str, Any], *estimators: Any, y_true: Any = None
    ) -> str:
        """Return the target of predictions, by the options, the estimators or the truth."""
        if len(cls.targets) == 1:
            return cls.targets[0]
        return target_behind([("", each) for each in estimators], y_true)

    @classmethod
    def _required_for(cls, options: Mapping[str, Any], *estimators: Any) -> frozenset[str]:
        """Return the kinds of predictions to collect, of classes or of numbers."""
        if cls._target_of(options, *estimators) == NUMBERS:
            return frozenset({VALUES})
        return cls._required_of(*estimators)

    @classmethod
    def _required_of(cls, *estimators: Any) -> frozenset[str]:
        """Return the kinds of predictions to collect from fitted classifiers."""
        kinds: frozenset[str] = cls.needs.required
        return kinds

    @classmethod
    def _own_options(cls) -> tuple[str, ...]:
        """Return the names of the options of the display."""
        return keywords_of(cls._of)

    @classmethod
    def _evidence_options(cls) -> tuple[str, ...]:
        """Return the names of the options of the evidence."""
        return options_of(cls.needs, "from_pair")

    @staticmethod
    def _evidence_of(result: Any, needs: Any, options: dict[str, Any]) -> Any:
        """Create evidence of type `needs` from a result with predictions."""
        if isinstance(result, PairedPredictions):
            return needs.from_pair(result, **options)
        # A fitted comparator has its comparison, which holds the predictions.
        holder = comparison_behind(result)
        if not hasattr(holder, "evidence"):
            kinds = "a Comparison", "a fitted PairedComparator", "PairedPredictions"
            *others, last = dict.fromkeys((*kinds, needs.__name__))
            raise TypeError(
                f"`result` must be {', '.join(others)} or {last}. Got "
                f"{type(result).__name__}."
            )
        return holder.evidence(needs, **options)
