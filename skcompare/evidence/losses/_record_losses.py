"""Losses of a classifier's probabilities, record by record.

A loss is a function of the positions of the true classes among the columns and of the
probabilities. Metrics are means of these losses, and tests compare their means. They are
computed at once, or in chunks of records that stay in the cache.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from skcompare._core.arrays import (
    ArrayOperations,
    ArrayValues,
    array_of,
    as_read_only,
    is_foreign,
    on_host,
    slices_of,
)
from skcompare._core.validation import (
    as_array,
    check_groups,
    check_same_length,
    encode_labels,
    is_number,
    united_classes,
)
from skcompare._registry.metrics import CLASSES, NUMBERS, record_loss, record_losses
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._bins import EPS, of_class
from skcompare.evidence.core._counting import located, sums_of
from skcompare.evidence.core._device import space_at
from skcompare.evidence.core._named_losses import LARGEST, named_loss, target_of
from skcompare.evidence.labels._class_order import ClassColumns
from skcompare.evidence.losses._loss_moments import CHUNK, Row, merged_rows, moment_rows

OF_SECOND = frozenset({"binary_brier_loss", "brier_score", "log_loss"})
"""Losses that also take the probabilities of the second of two classes alone."""


def _squared_miss(ops: Any, y: Any, proba: Sequence[Any]) -> Any:
    miss = proba[1] - y
    return miss * miss


def _squared_misses(ops: Any, y: Any, proba: Sequence[Any]) -> Any:
    misses = ops.let(*(column - ops.flag(y == k) for k, column in enumerate(proba)))
    return reduce(add, (miss * miss for miss in misses))


def _brier_of_columns(ops: Any, y: Any, proba: Sequence[Any]) -> Any:
    return (_squared_miss if len(proba) == 2 else _squared_misses)(ops, y, proba)


def _log_of_columns(ops: Any, y: Any, proba: Sequence[Any], *, eps: float = EPS) -> Any:
    (chance,) = ops.let(of_class(ops, y, proba))
    chance = ops.where(chance < eps, eps, ops.where(chance > 1.0, 1.0, chance))
    return 0.0 - ops.log(chance)


def _direction_of_columns(ops: Any, y: Any, proba: Sequence[Any]) -> Any:
    length = ops.sqrt(reduce(add, (column * column for column in proba)))
    (loss,) = ops.let(1.0 - of_class(ops, y, proba) / length)
    return ops.where(loss < 0.0, 0.0, loss)


@record_loss(
    "binary_brier_loss",
    title="Brier loss of two classes",
    array_api=True,
    bound=1,
    expression=_squared_miss,
)
def brier(codes: IntArray, proba: FloatArray) -> FloatArray:
    """How far is the probability of one of two classes from the truth, squared [1]_?

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Position of each true class among the columns.
    proba : ndarray of shape (n_samples, 2)
        Probabilities, one column per class.

    Returns
    -------
    losses : ndarray of shape (n_samples,)
        Between 0 and 1, and the same whichever class is taken.

    References
    ----------
    .. [1] Brier, G. W. (1950). "Verification of forecasts expressed in terms of
       probability." Monthly Weather Review 78(1), 1-3.
    """
    if proba.ndim == 2 and proba.shape[1] != 2:
        raise ValueError(
            f"The loss 'binary_brier_loss' is for two classes. Got {proba.shape[1]}. Use "
            "'multiclass_brier_loss', which sums over the classes."
        )
    of_second = proba if proba.ndim == 1 else proba[:, 1]
    misses = of_second - space_at(proba).floats(codes)
    misses *= misses
    return misses


@record_loss(
    "multiclass_brier_loss",
    title="Brier loss, multi-class convention",
    array_api=True,
    bound=2,
    expression=_squared_misses,
)
def multiclass_brier(codes: IntArray, proba: FloatArray) -> FloatArray:
    """How far are the probabilities of all classes from the truth, squared and added?

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Position of each true class among the columns.
    proba : ndarray of shape (n_samples, n_classes)
        Probabilities, one column per class.

    Returns
    -------
    losses : ndarray of shape (n_samples,)
        Between 0 and 2. For two classes it is twice the loss "binary_brier_loss".
    """
    if is_foreign(proba):
        space = space_at(proba)
        true = codes[:, None] == space.up_to(proba.shape[1])[None, :]
        return _squared_lengths(proba - space.floats(true))
    losses = np.empty(len(proba))
    for part in slices_of(len(proba), CHUNK):
        # |p|² - 2 p_y + 1 needs no copy, but loses the digits of small losses.
        misses = proba[part].copy()
        misses[np.arange(len(misses)), codes[part]] -= 1
        losses[part] = _squared_lengths(misses)
    return losses


@record_loss(
    "brier_score",
    title="Brier loss, scikit-learn's convention",
    array_api=True,
    bound=2,
    expression=_brier_of_columns,
)
def brier_score(codes: IntArray, proba: FloatArray) -> FloatArray:
    """How far are probabilities from the truth, in scikit-learn's convention?

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Position of each true class among the columns.
    proba : ndarray of shape (n_samples, n_classes)
        Probabilities, one column per class.

    Returns
    -------
    losses : ndarray of shape (n_samples,)
        The loss "binary_brier_loss" for two classes, and "multiclass_brier_loss" for more.
    """
    two_classes = proba.ndim == 1 or proba.shape[1] == 2
    return brier(codes, proba) if two_classes else multiclass_brier(codes, proba)


@record_loss("log_loss", title="log loss", array_api=True, expression=_log_of_columns)
def log(codes: IntArray, proba: FloatArray, *, eps: float = EPS) -> FloatArray:
    """How surprising is the true class: the negative logarithm of its probability [1]_?

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Position of each true class among the columns.
    proba : ndarray of shape (n_samples, n_classes)
        Probabilities, one column per class.
    eps : float, default=2.220446049250313e-16
        A smaller probability of the true class counts as this much; the default is that
        of scikit-learn's `log_loss` for probabilities in double precision (in single
        precision that clips at 1.2e-7). With 0 the loss of an impossible class is infinite.

    Returns
    -------
    losses : ndarray of shape (n_samples,)
        Natural logarithms, at least 0.

    References
    ----------
    .. [1] Good, I. J. (1952). "Rational decisions." Journal of the Royal Statistical
       Society B 14(1), 107-114.
    """
    if not is_number(eps) or not 0 <= eps < 0.5:
        raise ValueError(
            f"`eps` must be a number in [0, 0.5). Got {eps!r} instead. It is the least "
            "probability of a true class; leave it out for scikit-learn's."
        )
    xp = space_at(proba).xp
    chances = xp.clip(of_true_class(codes, proba), eps, 1.0)
    # Libraries that are built on numpy warn as it does.
    with np.errstate(divide="ignore"):
        # Subtracted from 0, so that certainty gives 0 and not -0.
        return 0.0 - xp.log(chances)


@record_loss(
    "spherical_loss",
    title="spherical loss",
    array_api=True,
    bound=1,
    expression=_direction_of_columns,
)
def spherical(codes: IntArray, proba: FloatArray) -> FloatArray:
    """How far does the direction of the probabilities miss the true class [1]_?

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Position of each true class among the columns.
    proba : ndarray of shape (n_samples, n_classes)
        Probabilities, one column per class.

    Returns
    -------
    losses : ndarray of shape (n_samples,)
        One minus the probability of the true class over the length of all of them: between
        0 and 1.

    References
    ----------
    .. [1] Gneiting, T. and Raftery, A. E. (2007). "Strictly proper scoring rules,
       prediction, and estimation." Journal of the American Statistical Association
       102(477), 359-378.
    """
    xp = space_at(proba).xp
    lengths = xp.sqrt(_squared_lengths(proba))
    return xp.clip(1 - of_true_class(codes, proba) / lengths, 0.0, None)


@record_loss(
    "cost_weighted_loss",
    title="cost of the best decision",
    array_api=True,
    bound=1,
)
def cost(
    codes: IntArray, proba: FloatArray, *, cost_matrix: ArrayLike | None = None
) -> FloatArray:
    """What does the decision cost that the probabilities make look cheapest [1]_?

    Each record is assigned to the class of least expected cost, the first of several;
    the loss is the cost of this decision given the truth. It is proper: stating
    probabilities other than those one believes gains nothing.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Position of each true class among the columns.
    proba : ndarray of shape (n_samples, n_classes)
        Probabilities, one column per class.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        Cost of deciding on the class of a column when that of the row is true, as in a
        confusion matrix. By default an error costs 1.

    Returns
    -------
    losses : ndarray of shape (n_samples,)
        Entries of the cost matrix.

    References
    ----------
    .. [1] Elkan, C. (2001). "The foundations of cost-sensitive learning." Proceedings of
       the 17th International Joint Conference on Artificial Intelligence, 973-978.
    """
    n_classes = proba.shape[1]
    costs = 1 - np.eye(n_classes)
    if cost_matrix is not None:
        costs = np.asarray(on_host(cost_matrix), dtype=np.float64)
        if costs.shape != (n_classes, n_classes) or not np.isfinite(costs).all():
            raise ValueError(
                f"`cost_matrix` must hold finite costs of shape ({n_classes}, "
                f"{n_classes}), one row per true class and one column per decision. Got "
                f"shape {costs.shape}."
            )
    space = space_at(proba)
    xp, table = space.xp, space.own(costs)
    if cost_matrix is None:
        decided = xp.argmax(proba, axis=1)
    else:
        decided = xp.argmin(proba @ table, axis=1)
    return table[codes, decided]


def of_true_class(codes: IntArray, proba: FloatArray) -> FloatArray:
    """Return the probability of each record's true class."""
    space = space_at(proba)
    if proba.ndim == 1:
        return abs(proba - (codes == 0))
    if proba.shape[1] == 2:
        # A product with 0 or 1 is exact, and faster than a choice that depends on data.
        is_second = ArrayOperations(space.xp).flag(codes == 1)
        return proba[:, 1] * is_second + proba[:, 0] * (1 - is_second)
    return proba[space.up_to(proba.shape[0]), codes]


def _squared_lengths(rows: FloatArray) -> FloatArray:
    """Return the sum of the squares of each row."""
    if is_foreign(rows):
        return space_at(rows).xp.sum(rows * rows, axis=1)
    return np.einsum("ij,ij->i", rows, rows)


def n_clipped(codes: IntArray, proba: FloatArray, losses: FloatArray, eps: float) -> int:
    """Number of records whose true class has a probability below `eps`."""
    space = space_at(proba)
    # Mostly none is near it, as the largest loss shows.
    if eps == 0 or float(space.xp.max(losses)) < -np.log(eps):
        return 0
    return int(space.xp.sum(space.floats(of_true_class(codes, proba) < eps)))


def check_target_of_loss(loss: object, is_numeric: bool) -> None:
    """Check that a registered loss is for the target of the predictions."""
    target = NUMBERS if is_numeric else CLASSES
    if target_of(loss) not in (None, target):
        names = [entry.name for entry in record_losses().values() if entry.target == target]
        raise ValueError(
            f"The loss {loss!r} is of predicted {target_of(loss)}, and the target is "
            f"{target}. Choose among {', '.join(names)}."
        )


def check_name(loss: object) -> None:
    """Check that the name of precomputed losses is a string."""
    if not isinstance(loss, str):
        raise ValueError(
            f"`loss` must be the name of the losses, a str. Got {loss!r} instead. Leave it "
            "out, or have losses computed by from_predictions."
        )


def check_loss(name: str, array: FloatArray) -> None:
    """Check that the values of a loss are finite and not too large."""
    if not _within_reach(array):
        wrong = ~(np.abs(array) <= LARGEST)
        advice = "The log loss of an impossible class is infinite: leave `eps` above 0."
        if target_of(name.partition("(")[0]) == NUMBERS:
            advice = "Choose a greater unit of the numbers, or a loss that grows less."
        raise ValueError(
            f"The loss {name!r} must be finite, and at most {LARGEST:g}. Got "
            f"{int(wrong.sum())} records with another one, the first at position "
            f"{int(np.argmax(wrong))}. {advice}"
        )


def shaped_loss(name: str, losses: Any, n: int) -> FloatArray:
    """Check that a loss has one value per record, and return the values."""
    array = np.asarray(losses, dtype=np.float64)
    if array.shape != (n,):
        raise ValueError(
            f"The loss {name!r} must give one number per record, of shape ({n},). Got "
            f"shape {array.shape}."
        )
    return array


def as_losses(name: str, values: Any) -> FloatArray:
    """Check that precomputed losses are numbers, one per record, and return them."""
    try:
        array = as_array(values).astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`{name}` must be losses of shape (n_samples,), all of them numbers. {error}."
        ) from None
    if array.ndim != 1:
        raise ValueError(
            f"`{name}` must be losses of shape (n_samples,). Got shape {array.shape}. Pass "
            "one loss per record."
        )
    return array


def check_sizes(losses: Any) -> None:
    """Check that precomputed losses of both roles are finite and not too large."""
    for name in ("champion", "challenger"):
        array = getattr(losses, name)
        if not _within_reach(array):
            wrong = ~(np.abs(array) <= LARGEST)
            raise ValueError(
                f"`{name}` must be finite losses, of a size of at most {LARGEST:g}. Got "
                f"{int(wrong.sum())} others, the first at position "
                f"{int(np.argmax(wrong))}. Drop or impute these records for both roles, or "
                "divide all losses by one number."
            )


def _within_reach(array: FloatArray) -> bool:
    """Whether all numbers and their squares are finite."""
    # Both are NaN as soon as one number is.
    low, high = array.min(initial=0.0), array.max(initial=0.0)
    return bool(-low <= LARGEST and high <= LARGEST)


def rounded(values: FloatArray) -> FloatArray:
    """Round values to 12 decimals, beyond which losses differ only by rounding errors."""
    return np.round(values, 12)


@dataclass(frozen=True, slots=True, eq=False)
class LossGroups(ArrayValues):
    """Number of records in each group, and sums of the differences of losses.

    Attributes
    ----------
    labels : ndarray of shape (n_groups,)
        Labels of the groups, sorted.
    sizes : ndarray of shape (n_groups,)
        Records of each group.
    gains : ndarray of shape (n_groups,)
        Sum of the champion's losses minus the challenger's, over the records of a group.
    codes : ndarray of shape (n_samples,) or None
        Group of each record as a position in `labels`, where the losses are kept.
    """

    labels: np.ndarray = field(metadata=array_of(as_read_only, "n_groups"))
    sizes: IntArray = field(metadata=array_of(as_read_only, "n_groups"))
    gains: FloatArray = field(metadata=array_of(as_read_only, "n_groups"))
    codes: IntArray | None = field(default=None, metadata=array_of(as_read_only, "n"))

    @classmethod
    def of(
        cls, differences: FloatArray, groups: np.ndarray, counts: IntArray | None = None
    ) -> "LossGroups":
        """Sum the differences by group.

        With `counts`, each difference is the sum over a part with that many records.
        """
        labels, (codes,) = encode_labels(groups, {})
        gains = np.bincount(codes, differences, len(labels)).astype(np.float64)
        if counts is None:
            return cls(labels, np.bincount(codes, minlength=len(labels)), gains, codes)
        sizes = sums_of(codes, counts, len(labels))
        return cls(labels[sizes > 0], sizes[sizes > 0], gains[sizes > 0])

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.labels)

    def swap(self) -> "LossGroups":
        """Return the sums with the roles exchanged."""
        return replace(self, gains=-self.gains)

    def __add__(self, other: "LossGroups") -> "LossGroups":
        """Merge the sums of two shards; a group may be in both."""
        labels = united_classes(self.labels, other.labels)
        sizes, gains = np.zeros(len(labels), dtype=np.int64), np.zeros(len(labels))
        codes = []
        for shard in (self, other):
            place = np.searchsorted(labels, shard.labels)
            sizes[place] += shard.sizes
            gains[place] += shard.gains
            codes.append(None if shard.codes is None else place[shard.codes])
        kept = [each for each in codes if each is not None]
        together = np.concatenate(kept) if len(kept) == 2 else None
        return LossGroups(labels, sizes, gains, together)

    def to_dict(self) -> dict[str, Any]:
        """Return labels, sizes and sums as plain values."""
        return {
            "labels": self.labels.tolist(),
            "sizes": self.sizes.tolist(),
            "gains": self.gains.tolist(),
        }


PART = 2 * CHUNK
"""Records whose losses are computed at a time: few enough for the cache."""


class Losses(NamedTuple):
    """Losses of both roles, name of the loss, and numbers of losses clipped at `eps`."""

    name: str
    champion: FloatArray
    challenger: FloatArray
    clipped: tuple[int, int] = (0, 0)


def losses_of(
    codes: Any,
    probas: Sequence[FloatArray],
    loss: Any,
    options: Mapping[str, Any],
    weights: FloatArray | None = None,
) -> Losses:
    """Compute the losses of probabilities, from the positions of the true classes.

    Of a target of numbers they are the true and the predicted ones; a tuple has all that is
    predicted of a role. Those of several outputs have `weights`.
    """
    losses = unchecked_losses(codes, probas, loss, options, weights)
    first, second = (
        shaped_loss(losses.name, own, len(codes))
        for own in (losses.champion, losses.challenger)
    )
    return losses._replace(champion=first, challenger=second)


def check_losses(losses: Losses) -> None:
    """Check that all losses are finite and not too large."""
    check_loss(losses.name, losses.champion)
    check_loss(losses.name, losses.challenger)


def unchecked_losses(
    codes: Any,
    probas: Sequence[Any],
    loss: Any,
    options: Mapping[str, Any],
    weights: FloatArray | None = None,
) -> Losses:
    """Compute losses on the device of the probabilities, as the loss returns them."""
    name, function = named_loss(loss, **options)
    if weights is not None and isinstance(loss, str):
        function = partial(mean_over_outputs, function, weights)
    first, second = (
        function(codes, *(each if isinstance(each, tuple) else (each,))) for each in probas
    )
    if loss != "log_loss":
        return Losses(name, first, second)
    eps = EPS if options.get("eps") is None else options["eps"]
    champion, challenger = (
        n_clipped(codes, proba, own, eps)
        for proba, own in zip(probas, (first, second), strict=True)
    )
    return Losses(name, first, second, (champion, challenger))


def mean_over_outputs(
    function: Callable[..., FloatArray],
    weights: FloatArray,
    y: FloatArray,
    *forecast: Any,
) -> FloatArray:
    """Return the weighted mean over outputs of a loss of numbers, record by record.

    Parameters
    ----------
    function : callable
        The loss of one output.
    weights : ndarray of shape (n_outputs,)
        Weights with a sum of 1.
    y : ndarray of shape (n_samples, n_outputs)
        True numbers.
    *forecast : ndarray of shape (n_samples, n_outputs, ...) or tuple
        What is predicted of each output; a tuple, such as levels, is of all of them.
    """

    def of_output(k: int) -> Iterator[Any]:
        return (own if isinstance(own, tuple) else own[:, k] for own in (y, *forecast))

    # An output without weight may lie outside the domain of the loss.
    parts = (
        weight * function(*of_output(k))
        for k, weight in enumerate(weights.tolist())
        if weight
    )
    return reduce(add, parts)


def can_be_parted(predictions: Mapping[str, Any], loss: Any) -> bool:
    """Whether losses can be computed in chunks of records with the same result.

    Functions of the user's own may depend on all records.
    """
    return isinstance(loss, str) and all(
        isinstance(values, np.ndarray) for values in predictions.values()
    )


def parted_losses(
    truth: ClassColumns,
    predictions: Mapping[str, Any],
    loss: str,
    options: Mapping[str, Any],
    groups: ArrayLike | None,
    keep_values: bool,
) -> dict[str, Any]:
    """Compute fields of paired losses in chunks that stay in the cache.

    Either the losses are kept or their sums by group.
    """
    n = check_same_length({"y_true": truth.codes}, predictions)
    of_second = loss in OF_SECOND
    items = predictions.items()
    readers = [truth.reader(*item, of_second=of_second) for item in items]

    def losses(rows: slice) -> Losses:
        probas = [read(rows) for read in readers]
        return losses_of(truth.codes[rows], probas, loss, options)

    return _in_parts(losses, n, groups, keep_values)


OF_EACH = frozenset({"crps_normal", "crps_samples"})
"""Functions of each record by itself that are not expressions."""


def part_of_forecast(forecast: Sequence[Any], rows: slice) -> tuple[Any, ...]:
    """Return what a loss takes of some records: slices of arrays, and levels."""
    return tuple(own[rows] if isinstance(own, np.ndarray) else own for own in forecast)


def is_of_each_record(loss: Any) -> bool:
    """Whether a loss of numbers is an expression, of each record by itself.

    That of engines may be another one, without what depends on all records.
    """
    entry = record_losses().get(loss) if isinstance(loss, str) else None
    return entry is not None and (entry.is_expression or loss in OF_EACH)


def parted_numbers(
    y: FloatArray,
    forecasts: Sequence[tuple[Any, ...]],
    loss: str,
    options: Mapping[str, Any],
    keep_values: bool = True,
    weights: FloatArray | None = None,
) -> dict[str, Any]:
    """Compute fields of paired losses of numbers in chunks that stay in the cache."""

    def losses(rows: slice) -> Losses:
        parts: list[Any] = [part_of_forecast(forecast, rows) for forecast in forecasts]
        return losses_of(y[rows], parts, loss, options, weights)

    return _in_parts(losses, len(y), None, keep_values)


def _in_parts(
    losses: Callable[[slice], Losses],
    n: int,
    groups: ArrayLike | None,
    keep_values: bool,
) -> dict[str, Any]:
    """Return fields of paired losses, of which `losses` computes those of a slice."""
    grouping = None
    if groups is not None and not keep_values:
        group_labels = check_groups(groups)
        check_same_length(losses=range(n), groups=group_labels)
        grouping = encode_labels(group_labels, {})
        gains = np.zeros(len(grouping[0]))
    values = np.empty((2, n)) if keep_values else None
    moments: list[Row] = []
    clipped = np.zeros(2, dtype=np.int64)
    for rows in slices_of(n, PART):
        with located(lambda: losses(slice(None))):
            part = losses(rows)
        kept = None if values is None else values[:, rows]
        moments += moment_rows(part.champion, part.challenger, kept, n)
        clipped += part.clipped
        if grouping is not None:
            np.add.at(gains, grouping[1][0][rows], part.champion - part.challenger)
    sums = None
    if grouping is not None:
        labels, (codes,) = grouping
        sums = LossGroups(labels, np.bincount(codes, minlength=len(labels)), gains)
    if values is not None:
        values.setflags(write=False)
    merged = merged_rows(moments)
    if not merged.are_moderate:
        check_losses(losses(slice(None)))
    return {
        "moments": merged,
        "values": values,
        "groups": sums,
        "loss": part.name,
        "clipped": (int(clipped[0]), int(clipped[1])),
    }
