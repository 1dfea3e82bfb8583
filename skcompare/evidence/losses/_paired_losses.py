"""Losses of two classifiers on the same records, or their moments only."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from skcompare._core.arrays import (
    AS_DESIGN,
    all_on_host,
    array_of,
    is_foreign,
    on_host,
    plain_values,
)
from skcompare._core.design import GROUPED_HOLDOUT, HOLDOUT, Design, as_design
from skcompare._core.validation import check_groups, check_same_length, is_number
from skcompare._registry.metrics import (
    NUMBERS,
    keywords_of,
    options_of_losses,
    record_losses,
    reserve_options,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._counting import check_whole, groups_of
from skcompare.evidence.core._device import space_of
from skcompare.evidence.core._named_losses import LARGEST, forecasts_for, target_of
from skcompare.evidence.core._storage import Mergeable, added, joined, reversed_
from skcompare.evidence.labels._class_order import ClassColumns
from skcompare.evidence.losses import _relative_losses  # noqa: F401
from skcompare.evidence.losses._loss_moments import LossMoments, merged_rows, moment_rows
from skcompare.evidence.losses._losses_at_once import losses_at_once
from skcompare.evidence.losses._record_losses import (
    Losses,
    LossGroups,
    as_losses,
    can_be_parted,
    check_losses,
    check_name,
    check_sizes,
    check_target_of_loss,
    is_of_each_record,
    losses_of,
    parted_losses,
    parted_numbers,
    rounded,
    unchecked_losses,
)
from skcompare.evidence.tally._number_tally import LossSums, NumberPlan, sums_of_loss
from skcompare.evidence.tally._tally import Tally, TallyRequest, takes_eps
from skcompare.evidence.tally._tally_engine import tally_frame
from skcompare.predictions import (
    ROLES,
    SCORES,
    EstimatorPredictions,
    PairedPredictions,
    checked_numbers,
    predictions_from_arrays,
    weights_of,
)

LOSS_SUMS = tuple(field.name for field in fields(LossMoments) if not field.kw_only)[1:]
"""Names of the sums of losses that every part has besides its number of records.

`gain` is the champion's loss minus the challenger's, subtracted record by record, because
a difference of two sums would lose digits; `products` is the product of both losses.
"""

ROUNDING = 2.0**-52
"""Relative rounding error of a term."""

FEW_TERMS = 16
"""Terms added to the number of those summed in the bound of rounding errors."""

CONTRARY = 1e-6
"""Relative difference beyond which sums are not of the same losses."""


def checked_counts(counts: ArrayLike) -> IntArray:
    """Check the numbers of records of the parts, and return them as a vector."""
    vector = np.atleast_1d(check_whole("counts", counts))
    if vector.ndim != 1 or not vector.any():
        raise ValueError(
            "`counts` must be records of each part, of shape (n_parts,), not all 0. Got "
            f"shape {vector.shape}, {int(vector.sum())} records."
        )
    return vector


def checked_sums(sums: Mapping[str, ArrayLike], counts: IntArray) -> dict[str, FloatArray]:
    """Check that the sums of losses are consistent, and return them as vectors."""
    if set(sums) != set(LOSS_SUMS):
        raise ValueError(
            f"`sums` must have {', '.join(LOSS_SUMS)}. Got {', '.join(map(str, sums))}."
        )
    vectors = {
        name: np.atleast_1d(np.asarray(sums[name], dtype=np.float64)) for name in LOSS_SUMS
    }
    check_same_length({"counts": counts}, vectors)
    if not all(np.isfinite(values).all() for values in vectors.values()):
        raise ValueError(
            "`sums` must be finite. Got others: check the probabilities, or leave `eps` of "
            "the log loss above 0."
        )
    squares = vectors["champion_squares"] + vectors["challenger_squares"]
    size = np.sqrt(np.maximum(counts * squares, 0.0))
    gain_error = vectors["gain"] - (vectors["champion"] - vectors["challenger"])
    square_error = vectors["gain_squares"] - squares + 2 * vectors["products"]
    # The root of a mean square is no less than a mean (Cauchy and Schwarz).
    excess = np.abs(vectors["champion"]) + np.abs(vectors["challenger"]) - 2 * size
    for distance, scale in (
        (np.abs(gain_error), size),
        (np.abs(square_error), squares),
        (excess, size),
    ):
        if (distance > CONTRARY * scale).any():
            raise ValueError(
                "`sums` must be of the same losses: `gain` those of champion minus "
                "challenger, `squares` and `products` of each record, then summed. Got "
                "sums that no losses have."
            )
    return vectors


def moments_from_sums(counts: IntArray, sums: Mapping[str, FloatArray]) -> LossMoments:
    """Compute the moments of all records from checked counts and sums of parts.

    Each part is centred, and then the means of the parts, so that digits are lost only
    where the variation within a part is small relative to its mean. A part's variation
    that is within the rounding error of its sums counts as none.
    """
    occupied = counts > 0
    size = counts[occupied].astype(np.float64)
    means, within = {}, {}
    for name in ("champion", "challenger", "gain"):
        mean, square = sums[name][occupied] / size, sums[f"{name}_squares"][occupied]
        squares_within = square - size * mean**2
        means[name] = mean
        within[name] = np.where(
            squares_within > ROUNDING * (FEW_TERMS + size) * square, squares_within, 0.0
        )
    champion, challenger = means["champion"], means["challenger"]
    products_within = sums["products"][occupied] - size * champion * challenger
    products_within = np.where(
        within["champion"] * within["challenger"] > 0, products_within, 0.0
    )
    squares = [*within.values(), products_within]
    exact = np.zeros((3, len(size)))
    extremes = np.full((2, len(size)), np.nan)
    columns = [size, *means.values(), *exact, *squares, *extremes]
    return merged_rows(np.stack(columns, axis=1))


def device_losses(
    codes: Any,
    probas: Sequence[Any],
    loss: Any,
    options: Mapping[str, Any],
    keep_values: bool,
) -> dict[str, Any] | None:
    """Compute the fields of paired losses on a device, or return None to use numpy.

    Codes and probabilities are those of :class:`ClassColumns`. A user's own functions, and
    losses that are not registered as taking such arrays, get numpy arrays.
    """
    entry = record_losses().get(loss) if isinstance(loss, str) else None
    on_device = all(map(is_foreign, (codes, *probas)))
    if not on_device or entry is None or not entry.array_api:
        return None
    name, champion, challenger, clipped = unchecked_losses(codes, probas, loss, options)
    moments = LossMoments.on_device(champion, challenger, LARGEST)
    if moments is None:
        return None
    values = None
    if keep_values:
        values = np.stack(all_on_host(champion, challenger))
        values.setflags(write=False)
    return {"moments": moments, "values": values, "loss": name, "clipped": clipped}


CLIPPED = "clipped-probabilities"


def _as_floats(name: str, values: FloatArray) -> FloatArray:
    """Copy values that another may write to; those of a shard are read-only."""
    return np.array(values, dtype=np.float64) if values.flags.writeable else values


def _both(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    return first[0] + second[0], first[1] + second[1]


def _same_loss(first: str, second: str) -> str:
    """Return the loss of two shards, unless it is relative to each shard's own targets."""
    if first != second:
        raise ValueError(
            f"Only losses of one kind can be merged. Got {first!r} and {second!r}."
        )
    entry = record_losses().get(first.partition("(")[0])
    if entry is not None and entry.relative:
        raise ValueError(
            f"The loss {first!r} is relative to the targets of all records, which shards "
            "do not know. Got two shards. Merge the predictions, or losses that are not "
            "relative."
        )
    return first


def with_option(loss: str, option: str) -> str:
    """Return the name of a loss with an option, so that the name says which loss it is."""
    if not option:
        return loss
    base, _, options = loss.removesuffix(")").partition("(")
    return f"{base}({', '.join(filter(None, (options, option)))})"


def weighting_of(weights: FloatArray | None) -> str:
    """Format unequal weights of outputs as an option of a loss; equal ones are omitted."""
    if weights is None or np.ptp(weights) < ROUNDING:
        return ""
    return f"multioutput={':'.join(f'{weight:g}' for weight in weights.tolist())}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairedLosses(Mergeable):
    """Losses of a champion and a challenger, record by record.

    Made by :meth:`from_predictions` from probabilities, by :meth:`from_losses` from other
    losses, such as squared errors, by :meth:`from_moments` from published moments, or by
    :meth:`from_sums` from sums over records. Shards add up. Tests that rank or permute
    need the losses, others their moments only.

    Parameters
    ----------
    moments : LossMoments
        Number of records, means and centred sums of squares.
    values : ndarray of shape (2, n_samples) or None, default=None
        The losses of champion and challenger.
    groups : LossGroups or None, default=None
        Sums of the differences in each group, where records come in groups.
    loss : str, default="losses"
        Name of the loss, with its options.
    clipped : tuple of two int, default=(0, 0)
        Records of each role whose log loss is that of `eps`.
    design : Design or str, default="holdout"
        How the records were collected.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> losses = PairedLosses.from_predictions(
    ...     y_true=[1, 0, 1, 0],
    ...     champion_proba=[0.9, 0.2, 0.6, 0.4],
    ...     challenger_proba=[0.8, 0.1, 0.9, 0.3],
    ... )
    >>> losses
    PairedLosses(n=4, loss='binary_brier_loss', champion=0.0925, challenger=0.0375,
    design='holdout')
    >>> losses.differences.round(3).tolist()
    [-0.03, 0.03, 0.15, 0.07]
    """

    moments: LossMoments = field(metadata={"merge": added, "swap": LossMoments.swap})
    values: FloatArray | None = field(
        default=None,
        metadata=array_of(_as_floats, "n_roles", "n_samples")
        | {"merge": partial(joined, axis=1), "swap": reversed_},
    )
    groups: LossGroups | None = field(
        default=None, metadata={"merge": added, "swap": LossGroups.swap}
    )
    loss: str = field(default="losses", metadata={"merge": _same_loss})
    clipped: tuple[int, int] = field(
        default=(0, 0), metadata={"merge": _both, "swap": reversed_}
    )
    design: Design = field(default=HOLDOUT, metadata=AS_DESIGN)

    required: ClassVar[frozenset[str]] = frozenset({SCORES})
    counted: ClassVar[str] = "losses"
    takes_values: ClassVar[bool] = True
    least_records: ClassVar[int] = 2

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        champion_proba: ArrayLike,
        challenger_proba: ArrayLike,
        *,
        loss: Any = "binary_brier_loss",
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        groups: ArrayLike | None = None,
        keep_values: bool = True,
        multioutput: Any = None,
        **options: Any,
    ) -> Self:
        """Compute the losses of probabilities, or of numbers, on a hold-out set.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True labels, or numbers.
        champion_proba, challenger_proba : array-like of shape (n_samples, n_classes) or \
(n_samples,)
            Probabilities, one column per class in sorted order (in any order, where a
            frame names them by the classes); one column is that of `pos_label`. For a loss
            of numbers the predicted numbers, of the shape of `y_true`, or a dict with what
            else is predicted, as for :func:`skcompare.compare`.
        loss : str or callable, default="binary_brier_loss"
            A registered loss ("binary_brier_loss" for two classes, "multiclass_brier_loss",
            "brier_score", "log_loss", "spherical_loss", "cost_weighted_loss"; of numbers
            "squared_error", "absolute_error", "pinball_loss" and others), or a function of
            the positions of the true classes among the columns and of the probabilities
            that gives the loss of each record.
        labels : array-like of shape (n_classes,), optional
            All class labels, sorted, where `y_true` lacks some of them.
        pos_label : label, optional
            The class of a single column. By default the greater of two numeric or
            boolean labels; strings have no default.
        groups : array-like of shape (n_samples,), optional
            Group of each record (patient, user); the design is then grouped.
        keep_values : bool, default=True
            False keeps moments only, and sums of groups. The losses of arrays are then
            computed a few records at a time, except by your own functions.
        multioutput : {"uniform_average", "variance_weighted"} or array-like of shape \
(n_outputs,), optional
            Weights of several outputs, over which the losses of a record are averaged as
            scikit-learn averages its errors: equal ones by default, in proportion to the
            variances of the true numbers, or others, which are divided by their sum. An
            output in small units, whose errors are large numbers, decides an average with
            equal weights. A function of your own takes all outputs at once.
        **options : dict
            Options of the loss, which are keyword arguments of its function: `eps` of
            "log_loss" is the least probability of a true class, `cost_matrix` of
            "cost_weighted_loss" the cost of a decision (column) given the truth (row),
            `alpha` of "pinball_loss" the level of the quantile. None counts as left out.

        Examples
        --------
        >>> from skcompare.evidence import PairedLosses
        >>> y, old, new = [1.0, 2.0, 4.0], [2.0, 3.0, 5.0], [1.5, 2.0, 4.5]
        >>> PairedLosses.from_predictions(y, old, new, loss="pinball_loss", alpha=0.9)
        PairedLosses(n=3, loss='pinball_loss(alpha=0.9)', champion=0.1, challenger=0.03333,
        design='holdout')
        """
        inputs = {"champion_proba": champion_proba, "challenger_proba": challenger_proba}
        if target_of(loss) == NUMBERS:
            y, roles = checked_numbers(y_true, inputs)
            if y is not None and y.ndim == 1 and multioutput is None:
                kept = keep_values or groups is not None
                losses = cls._of_numbers(y, roles, loss, options, None, kept)
            else:
                numbers = predictions_from_arrays(y_true, inputs, target=NUMBERS)
                options |= {} if multioutput is None else {"multioutput": multioutput}
                losses = cls.from_pair(numbers.pair(*inputs), loss=loss, **options)
            return losses._with_groups(groups)._kept(keep_values)
        if multioutput is not None:
            raise ValueError(
                f"`multioutput` is for losses of numbers. Got the loss {loss!r:.60}. Leave "
                "it out."
            )
        space = space_of(**inputs)
        if space is None:
            inputs = {name: on_host(values) for name, values in inputs.items()}
        truth = ClassColumns(y_true, labels, pos_label, there=space)
        if can_be_parted(inputs, loss):
            parted = parted_losses(truth, inputs, loss, options, groups, keep_values)
            if keep_values:
                return cls(**parted)._with_groups(groups)
            design = HOLDOUT if groups is None else GROUPED_HOLDOUT
            return cls(**parted, design=design)
        probas = [truth.probabilities(*item) for item in inputs.items()]
        kept = keep_values or groups is not None
        on_device = device_losses(truth.codes, probas, loss, options, kept)
        if on_device is not None:
            return cls(**on_device)._with_groups(groups)._kept(keep_values)
        codes, *probas = all_on_host(truth.codes, *probas)
        losses = cls._of(losses_of(codes, probas, loss, options))
        return losses._with_groups(groups)._kept(keep_values)

    @classmethod
    def from_pair(
        cls,
        pair: PairedPredictions,
        *,
        loss: Any = None,
        multioutput: Any = None,
        **options: Any,
    ) -> Self:
        """Compute the losses of the pooled predictions for all test sets.

        The options are those of :meth:`from_predictions`. By default the loss is
        "brier_score" of classes and "absolute_error" of numbers. Groups are positions in
        the sorted labels of the groups, and mean the same in shards of these predictions
        only.
        """
        predictions = pair.predictions
        if loss is None:
            loss = "absolute_error" if predictions.is_numeric else "brier_score"
        check_target_of_loss(loss, predictions.is_numeric)
        y = predictions.y_predicted()
        for role in () if predictions.is_numeric else pair.roles:
            if role.proba is None:
                raise ValueError(
                    f"{role.name} has no probabilities, and a loss is made of them. Use a "
                    "classifier with predict_proba, or measures of labels or ranking."
                )
        weights = weights_of(predictions, multioutput, loss)
        if predictions.is_numeric:
            losses = cls._of_numbers(y, pair.roles, loss, options, weights)
        else:
            probas: list[Any] = [role.proba for role in pair.roles]
            losses = cls._of(losses_of(y, probas, loss, options, weights))
        losses = replace(losses, loss=with_option(losses.loss, weighting_of(weights)))
        return replace(losses._with_groups(groups_of(predictions)), design=pair.design)

    @classmethod
    def _of_numbers(
        cls,
        y: FloatArray,
        roles: Sequence[EstimatorPredictions],
        loss: Any,
        options: Mapping[str, Any],
        weights: FloatArray | None,
        keep_values: bool = True,
    ) -> Self:
        """Construct losses of numbers; those of several outputs have `weights`."""
        forecasts: list[Any] = forecasts_for(loss, roles)
        if is_of_each_record(loss) and len(y):
            return cls(**parted_numbers(y, forecasts, loss, options, keep_values, weights))
        return cls._of(losses_of(y, forecasts, loss, options, weights))

    @classmethod
    def by_loss(
        cls,
        y_true: ArrayLike,
        champion: ArrayLike,
        challenger: ArrayLike,
        losses: Sequence[str] | Mapping[str, Mapping[str, Any]],
        *,
        groups: ArrayLike | None = None,
        keep_values: bool = False,
    ) -> dict[str, Self]:
        """Compute several losses of numbers in one pass over the predictions.

        The numbers are checked once, and read once more, a few records at a time, which
        are in the cache for all losses.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True numbers.
        champion, challenger : array-like of shape (n_samples,) or dict
            Predicted numbers, or a dict with what else is predicted, as for
            :func:`skcompare.compare`.
        losses : sequence of str, or mapping of str to mapping
            Names of losses, or their options by name. Those relative to the targets of all
            records are computed by :meth:`from_predictions` alone.
        groups : array-like of shape (n_samples,), optional
            Group of each record (patient, user); the design is then grouped.
        keep_values : bool, default=False
            Whether the losses of the records are kept, for tests that need them.

        Returns
        -------
        losses : dict of str to PairedLosses
            By name of the loss.

        Examples
        --------
        >>> from skcompare.evidence import PairedLosses
        >>> y, old, new = [1.0, 2.0, 4.0], [2.0, 3.0, 5.0], [1.5, 2.0, 4.5]
        >>> losses = ["squared_error", "poisson_deviance"]
        >>> for name, own in PairedLosses.by_loss(y, old, new, losses).items():
        ...     print(f"{name}: gain {own.gain:.3f}")
        squared_error: gain 0.833
        poisson_deviance: gain 0.320
        """
        inputs = {"champion": champion, "challenger": challenger}
        y, roles = checked_numbers(y_true, inputs)
        if y is None or y.ndim > 1:
            raise ValueError(
                "Several losses at once need one true number of each record. Got "
                f"{'none' if y is None else f'{y.shape[1]} outputs'}. Pass one output, or "
                "compute one loss at a time by PairedLosses.from_predictions."
            )
        options: dict[str, Any] = {name: {} for name in losses}
        options |= losses if isinstance(losses, Mapping) else {}
        kept = keep_values or groups is not None
        made = losses_at_once(y, roles, options, kept)
        return {
            name: cls(**own)._with_groups(groups)._kept(keep_values)
            for name, own in made.items()
        }

    @classmethod
    def from_losses(
        cls,
        champion: ArrayLike,
        challenger: ArrayLike,
        groups: ArrayLike | None = None,
        *,
        loss: str = "losses",
        keep_values: bool = True,
    ) -> Self:
        """Construct from the loss of each record, where lower is better.

        Parameters
        ----------
        champion, challenger : array-like of shape (n_samples,)
            Loss of each record. Below 1e-150 it counts as 0; above 1e140 it is refused.
        groups : array-like of shape (n_samples,), optional
            Group of each record; the design is then grouped.
        loss : str, default="losses"
            Name of the loss.
        keep_values : bool, default=True
            False keeps moments only, and sums of groups.
        """
        check_name(loss)
        first = as_losses("champion", champion)
        second = as_losses("challenger", challenger)
        check_same_length(champion=first, challenger=second)
        kept = keep_values or groups is not None
        losses = cls._of(Losses(loss, first, second), kept, check_sizes)
        return losses._with_groups(groups)._kept(keep_values)

    @classmethod
    def from_moments(
        cls,
        n: int,
        means: Sequence[float],
        *,
        variances: Sequence[float],
        covariance: float | None = None,
        difference_variance: float | None = None,
        loss: str = "losses",
        design: Design | str = HOLDOUT,
    ) -> Self:
        """Construct from the moments of losses, such as published ones.

        Parameters
        ----------
        n : int
            Number of records, at least 2.
        means, variances : pair of float
            Of the losses of champion and challenger; variances divide by n - 1.
        covariance, difference_variance : float
            The covariance of the losses or the variance of their differences, one of them.
        loss : str, default="losses"
            Name of the loss.
        design : Design or str, default="holdout"
            How the records were collected.
        """
        moments = LossMoments.from_variances(
            n, means, variances, covariance, difference_variance
        )
        return cls(moments, loss=loss, design=design)  # type: ignore[arg-type]

    @classmethod
    def from_sums(
        cls,
        counts: ArrayLike,
        sums: Mapping[str, ArrayLike],
        *,
        groups: ArrayLike | None = None,
        loss: str = "losses",
        clipped: tuple[int, int] = (0, 0),
        design: Design | str = HOLDOUT,
    ) -> Self:
        """Construct from sums of losses, such as the result of a group-by.

        Means and squares are merged part by part, so that the result is that of the
        records to 12 digits where losses vary within parts about as much as they are
        large, as those of probabilities do. Variation within a part that is within the
        rounding error of its sums counts as none.

        Parameters
        ----------
        counts : array-like of shape (n_parts,), or int
            Records of each part, or of all.
        sums : mapping of str to array-like of shape (n_parts,), or to float
            Sums over the records of each part: "champion" and "challenger" of the losses,
            "gain" of the champion's minus the challenger's, "champion_squares",
            "challenger_squares" and "gain_squares" of the squares of these three, and
            "products" of the product of both losses.
        groups : array-like of shape (n_parts,), optional
            Group of the records of each part; several parts may have the same group. The
            design is then grouped.
        loss : str, default="losses"
            Name of the loss.
        clipped : pair of int, default=(0, 0)
            Records of champion and challenger whose log loss is that of `eps`.
        design : Design or str, default="holdout"
            How the records were collected.

        Raises
        ------
        ValueError
            If a sum is missing or not finite, or the sums are not of the same losses.

        Examples
        --------
        >>> from skcompare.evidence import PairedLosses
        >>> sums = {"champion": 0.37, "challenger": 0.15, "gain": 0.22}
        >>> squares = {"champion_squares": 0.0533, "challenger_squares": 0.0099}
        >>> sums |= squares | {"gain_squares": 0.0292, "products": 0.017}
        >>> losses = PairedLosses.from_sums(4, sums, loss="binary_brier_loss")
        >>> [round(mean, 4) for mean in losses.means], losses.values
        ([0.0925, 0.0375], None)
        """
        check_name(loss)
        size = checked_counts(counts)
        vectors = checked_sums(sums, size)
        loss_groups, declared = None, as_design(design)
        if groups is not None:
            labels = np.atleast_1d(check_groups(groups))
            check_same_length(counts=size, groups=labels)
            loss_groups = LossGroups.of(vectors["gain"], labels, size)
            declared = Design(declared.kind, grouped=True)
        clips = check_whole("clipped", clipped)
        if clips.shape != (2,):
            raise ValueError(
                "`clipped` must be a pair, records of champion and challenger. Got "
                f"{clipped!r}."
            )
        if (clips > size.sum()).any():
            raise ValueError(
                "`clipped` must be no more than the records of `counts`. Got "
                f"{clips.tolist()} of {int(size.sum())}. Count records, not classes."
            )
        moments = moments_from_sums(size, vectors)
        pair = int(clips[0]), int(clips[1])
        return cls(moments, None, loss_groups, loss, pair, declared)

    @classmethod
    def _of(
        cls, losses: Losses, keep_values: bool = True, check: Any = check_losses
    ) -> Self:
        champion, challenger = losses.champion, losses.challenger
        values = np.empty((2, len(champion))) if keep_values else None
        moments = merged_rows(moment_rows(champion, challenger, values))
        if not moments.are_moderate:
            check(losses)
        if values is not None:
            values.setflags(write=False)
        return cls(moments, values, loss=losses.name, clipped=losses.clipped)

    def _with_groups(self: Any, groups: ArrayLike | None) -> Any:
        if groups is None:
            return self
        labels = check_groups(groups)
        check_same_length(losses=self.champion, groups=labels)
        grouped = Design(self.design.kind, grouped=True)
        return replace(self, groups=LossGroups.of(self.differences, labels), design=grouped)

    def _kept(self: Any, keep_values: bool) -> Any:
        if keep_values:
            return self
        groups = None if self.groups is None else replace(self.groups, codes=None)
        return replace(self, values=None, groups=groups)

    @classmethod
    def from_tally(cls, tally: Tally, *, loss: str | None = None) -> Self:
        """Construct from a tally with losses.

        Parameters
        ----------
        tally : Tally
            A tally with losses.
        loss : str, optional
            Name of the loss, where the tally has several; by default that of
            :meth:`from_pair`, if it is among them.
        """
        losses, of_numbers = tally.plan.losses, isinstance(tally.plan, NumberPlan)
        usual = "absolute_error" if of_numbers else "brier_score"
        default = losses[0] if len(losses) == 1 else usual
        chosen = default if loss is None else loss
        if chosen not in losses:
            raise ValueError(
                f"`loss` must be one of the losses of the tally: "
                f"{', '.join(losses) or '-'}. Got {loss!r}. "
                "Request it when the tally is made."
            )
        if of_numbers:
            return cls._of_sums(sums_of_loss(tally, chosen))
        prefix = f"{chosen}."
        names = [name for name in tally.sums if name.startswith(prefix)]
        parts = tally.parts(names)
        sums = {name.removeprefix(prefix): parts.sums[name] for name in names}
        squares = sums["champion_squares"] + sums["challenger_squares"]
        sums["products"] = (squares - sums["gain_squares"]) / 2
        clipped = [int(sums.pop(f"{name}_clipped", np.zeros(1)).sum()) for name in ROLES]
        groups = None
        if tally.groups is not None:
            groups = tally.groups[parts.keys["group"]]
        plan = tally.plan
        label = f"{chosen}(eps={plan.eps!r})" if plan.eps and takes_eps(chosen) else chosen
        return cls.from_sums(
            parts.counts,
            sums,
            groups=groups,
            loss=label,
            clipped=(clipped[0], clipped[1]),
            design=plan.design,
        )

    @classmethod
    def _of_sums(cls, own: LossSums) -> Self:
        """Construct from sums of losses of numbers, with the extremes of the gains."""
        losses = cls.from_sums(own.counts, own.sums, groups=own.groups, loss=own.loss)
        return replace(losses, moments=replace(losses.moments, extremes=own.extremes))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        y_true: Any = "y",
        champion: Any = "a",
        challenger: Any = "b",
        loss: str = "brier_score",
        eps: float | None = None,
        id: str | None = None,
        groups: Any = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        **options: Any,
    ) -> Self:
        """Compute moments of losses on a hold-out set, from data frames or files.

        An engine adds up its own records, by one group-by after a query of the labels; see
        :doc:`/user_guide/large_data`. The losses themselves are not kept, so that tests
        that rank or permute them need :meth:`from_predictions`.

        Parameters
        ----------
        frame, id
            As for :meth:`JointCounts.from_frame`.
        y_true : str or tuple
            Column of true labels, or numbers.
        champion, challenger : str, list of str, or tuple
            Column of the probabilities of `pos_label`; a list of columns, one per class in
            sorted order; or a pair of another frame or file and these. Of a loss of
            numbers the column of the predicted ones, or a dict as for
            :func:`skcompare.compare`.
        loss : str, default="brier_score"
            One of "binary_brier_loss", "multiclass_brier_loss", "brier_score", "log_loss"
            and "spherical_loss"; or a loss of numbers that is an expression of columns,
            such as "squared_error", or "relative_squared_error".
        eps, labels, pos_label
            As for :meth:`from_predictions`.
        groups : str or tuple, optional
            Column of the group of each record.
        **options : dict
            Options of a loss of numbers, such as `alpha` of "pinball_loss".

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.evidence import PairedLosses
        >>> frame = pd.DataFrame({
        ...     "y": [1, 0, 1, 0], "a": [0.9, 0.2, 0.6, 0.4], "b": [0.8, 0.1, 0.9, 0.3]
        ... })
        >>> round(PairedLosses.from_frame(frame).gain, 3)
        0.055
        """
        tally = tally_frame(
            frame,
            y_true,
            {"champion": champion, "challenger": challenger},
            TallyRequest(
                losses=(loss,), eps=eps, pos_label=pos_label, loss_options={loss: options}
            ),
            id=id,
            groups=groups,
            labels=labels,
        )
        return cls.from_tally(tally)

    @staticmethod
    def more_options() -> tuple[str, ...]:
        """Names of the options of all registered losses, which the constructors take."""
        return options_of_losses()

    def __repr__(self) -> str:
        champion, challenger = self.means
        groups = "" if self.groups is None else f", n_groups={self.groups.n_groups}"
        values = "" if self.values is not None else ", moments only"
        return (
            f"PairedLosses(n={self.n}{groups}, loss={self.loss!r}, "
            f"champion={champion:.4g}, challenger={challenger:.4g}, "
            f"design={self.design.name!r}{values})"
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return self.moments.n

    @property
    def means(self) -> tuple[float, float]:
        """Mean losses of champion and challenger."""
        return self.moments.champion, self.moments.challenger

    @property
    def gain(self) -> float:
        """Mean loss of the champion minus that of the challenger."""
        return self.moments.gain

    @property
    def n_independent(self) -> int:
        """Number of independent differences, where there are no groups."""
        return self.n

    @property
    def difference_bound(self) -> float | None:
        """Largest possible difference of two losses of a record; None if unknown."""
        entry = record_losses().get(self.loss)
        return None if entry is None or entry.bound is None else float(entry.bound)

    @property
    def unit(self) -> float:
        """Power of ten of the larger mean loss, for losses of numbers below 1; or else 1.

        Those have the unit of the target, so that what is a rounding error depends on it.
        """
        size = max(map(abs, self.means))
        if not self.of_numbers or not 0 < size < 1:
            return 1.0
        return float(10.0 ** math.floor(math.log10(size)))

    @property
    def of_numbers(self) -> bool:
        """Whether the loss, with its options left out, is one of predicted numbers."""
        return target_of(self.loss.partition("(")[0]) == NUMBERS

    @property
    def constant_difference(self) -> float | None:
        """Difference of all records, or None if they vary."""
        if self.moments.gain_deviation > 0:
            return None
        return 0.0 if self.moments.no_gain else self.gain

    @property
    def flags(self) -> tuple[str, ...]:
        """Caveats about the losses, such as clipped probabilities."""
        return (CLIPPED,) if any(self.clipped) else ()

    @property
    def champion(self) -> FloatArray:
        """Loss of the champion for each record."""
        return self._kept_values[0]

    @property
    def challenger(self) -> FloatArray:
        """Loss of the challenger for each record."""
        return self._kept_values[1]

    @property
    def _kept_values(self) -> FloatArray:
        if self.values is None:
            raise ValueError(
                "These losses were reduced to their moments, and a test that ranks or "
                "permutes them needs them all. Keep them by keep_values=True, or use "
                "paired_t."
            )
        return self.values

    @property
    def differences(self) -> FloatArray:
        """Losses of champion minus challenger; positive values favour the challenger."""
        return self.champion - self.challenger

    @property
    def rounded_differences(self) -> FloatArray:
        """Differences rounded to 12 decimals, for tests that rank them or look for zeros.

        (0.7 - 1)² and 0.3² differ in floating point; rounded, they are tied.
        """
        return rounded(self.differences)

    def weighted(self, champion: float, challenger: float = 1.0) -> Self:
        """Multiply the losses of each role by a weight.

        The gain of losses with the weights (1.02, 1) is above 0 exactly where the
        challenger's mean loss is below 1.02 of the champion's, so that a test of it is one
        of non-inferiority with a margin of 2 % of the champion's loss.

        Parameters
        ----------
        champion, challenger : float
            The weights, above 0.

        Returns
        -------
        losses : PairedLosses
            The weighted losses, with the weights in their name. They declare no bound: it
            is that of the losses times the greater weight, if one loss is at least 0.

        Raises
        ------
        ValueError
            If a weight is not above 0, or only sums of groups were kept.

        Examples
        --------
        >>> from skcompare.evidence import PairedLosses
        >>> from skcompare.stats import margin_test
        >>> losses = PairedLosses.from_losses([3.0, 5.0, 4.0] * 20, [3.1, 4.8, 4.2] * 20)
        >>> result = margin_test(losses.weighted(1.02), "paired_t")
        >>> print(f"p = {result.pvalue:.4f}")
        p = 0.0563
        """
        check_weights(champion, challenger)
        groups, values = self.groups, None
        if groups is not None and (self.values is None or groups.codes is None):
            raise ValueError(
                "Only sums of the differences were kept of each group, and weights need "
                "every record. Keep them by keep_values=True."
            )
        if self.values is not None:
            values = self.values * np.array([[champion], [challenger]])
            values.setflags(write=False)
            moments = merged_rows(moment_rows(values[0], values[1], None))
        else:
            moments = self.moments.weighted(champion, challenger)
        if groups is not None and values is not None:
            groups = LossGroups.of(values[0] - values[1], groups.labels[groups.codes])
        name = weighted_name(self.loss, champion, challenger)
        return replace(self, moments=moments, values=values, groups=groups, loss=name)

    def to_dict(self) -> dict[str, Any]:
        """Return moments, losses, groups and design as plain values."""
        values = plain_values(self)
        if self.groups is not None:
            values["groups"] = self.groups.to_dict()
        moments: dict[str, Any] = values.pop("moments")
        return moments | values


def check_weights(champion: float, challenger: float) -> None:
    """Raise an error unless the weights of both losses are above 0."""
    for name, weight in {"champion": champion, "challenger": challenger}.items():
        if not is_number(weight) or not 0 < weight < math.inf:
            raise ValueError(
                f"The weight of `{name}` must be a number above 0. Got {weight!r}."
            )


def weighted_name(loss: str, champion: float, challenger: float) -> str:
    """Name of a loss with the weights of both roles."""
    return with_option(loss, f"weights={champion:g}:{challenger:g}")


reserve_options("PairedLosses", keywords_of(PairedLosses.from_predictions))
