"""What a score is made of: miscalibration, discrimination and uncertainty."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import xlogy
from sklearn.isotonic import isotonic_regression

from skcompare._core.validation import check_choice, check_count, check_switches
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence._calibration_bins import STRATEGIES, bin_codes, bin_edges
from skcompare.evidence._class_columns import ClassColumns
from skcompare.evidence._record_losses import EPS
from skcompare.metrics._labels import check_weights

LOSSES = ("brier", "log")
METHODS = ("corp", "murphy")


@dataclass(frozen=True, slots=True)
class ScoreDecomposition:
    """A mean loss, split; made by :func:`score_decomposition`.

    Attributes
    ----------
    score : float
        The mean loss. It is ``miscalibration - discrimination + uncertainty +
        within_bin_variance - within_bin_covariance``.
    miscalibration : float
        What would be gained by recalibration; Murphy's reliability.
    discrimination : float
        What the recalibrated probabilities gain over the shares of the classes; Murphy's
        resolution.
    uncertainty : float
        The mean loss of the shares of the classes, whatever the classifier.
    within_bin_variance, within_bin_covariance : float
        Of probabilities in one bin, and of these with the outcomes, twice; 0 without bins.
    loss, method : str
        As asked for.
    n_bins : int or None
        Bins with records in them; None without bins and for a sum over classes.
    label : object
        The class that it is of; None for a sum over classes.
    classes : tuple of ScoreDecomposition
        Of more than two classes: what each adds, in their order.

    .. versionadded:: 0.1
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    within_bin_variance: float = 0.0
    within_bin_covariance: float = 0.0
    loss: str = "brier"
    method: str = "corp"
    n_bins: int | None = None
    label: Any = None
    classes: tuple["ScoreDecomposition", ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The parts as plain values."""
        return asdict(self) | {"classes": [one.to_dict() for one in self.classes]}


def score_decomposition(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    loss: str = "brier",
    method: str = "corp",
    n_bins: int = 10,
    strategy: str = "uniform",
    bias_corrected: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> ScoreDecomposition:
    """How much of a loss is miscalibration, and how much does the classifier tell apart?

    Two classifiers with equal Brier loss differ in what to do about them: miscalibration
    is mended by recalibration, lack of discrimination is not.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities, a column a class in sorted order; one column is that of `pos_label`.
    loss : {"brier", "log"}, default="brier"
        The loss. "brier" of two classes is the squared distance of the probability of one
        class from 0 or 1; of more it is the sum over the classes, each against the rest.
        "log" is for two classes; probabilities below 2.2e-16 count as this much.
    method : {"corp", "murphy"}, default="corp"
        "corp" recalibrates by isotonic regression (the pool-adjacent-violators algorithm)
        and needs no bins [1]_. "murphy" compares means of bins [2]_, for the Brier loss.
    n_bins : int, default=10
        Of "murphy": number of bins.
    strategy : {"uniform", "equal_mass", "quantile"}, default="uniform"
        Of "murphy": how the bins are laid; with `sample_weight`, "uniform" only.
    bias_corrected : bool, default=False
        Of "murphy", without weights: whether the bias of the three parts that comes of
        few records a bin is taken off [4]_. Bins of one record are left as they are.
    labels : array-like of shape (n_classes,), optional
        All class labels, where `y_true` lacks some of them.
    pos_label : label, optional
        The class that one column is of. By default the greater of two numeric or boolean
        labels; strings have no default.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each record; integer weights equal repetition.

    Returns
    -------
    parts : ScoreDecomposition
        The score and its parts, which add up to it.

    Raises
    ------
    ValueError
        If "murphy" or more than two classes are asked for with the log loss; if options
        do not go together.

    Notes
    -----
    Of "corp", with S the mean loss, C that of the recalibrated probabilities and U that of
    the share of the class, miscalibration is S - C and discrimination U - C. Neither is
    negative. Recalibrated probabilities of 0 and 1 cost nothing where they are right, and
    they are never wrong.

    Murphy's three parts add up to the score only where all probabilities in a bin are
    equal. The variance of the probabilities within bins and twice their covariance with
    the outcomes, given besides, make up the difference [3]_.

    If all records are of one class, uncertainty and discrimination are 0, and the score is
    all miscalibration.

    References
    ----------
    .. [1] Dimitriadis, T., Gneiting, T. and Jordan, A. I. (2021). "Stable reliability
       diagrams for probabilistic classifiers." Proceedings of the National Academy of
       Sciences 118(8), e2016191118.
    .. [2] Murphy, A. H. (1973). "A new vector partition of the probability score." Journal
       of Applied Meteorology 12(4), 595-600.
    .. [3] Stephenson, D. B., Coelho, C. A. S. and Jolliffe, I. T. (2008). "Two extra
       components in the Brier score decomposition." Weather and Forecasting 23(4),
       752-757.
    .. [4] Ferro, C. A. T. and Fricker, T. E. (2012). "A bias-corrected decomposition of
       the Brier score." Quarterly Journal of the Royal Meteorological Society 138,
       1954-1960.

    Examples
    --------
    >>> from skcompare.metrics import score_decomposition
    >>> y_true = [0, 0, 1, 0, 1, 1]
    >>> y_proba = [0.1, 0.2, 0.3, 0.6, 0.7, 0.9]
    >>> parts = score_decomposition(y_true, y_proba)
    >>> print(f"{parts.score:.4f} = {parts.miscalibration:.4f} "
    ...       f"- {parts.discrimination:.4f} + {parts.uncertainty:.4f}")
    0.1667 = 0.0833 - 0.1667 + 0.2500

    .. versionadded:: 0.1
    """
    check_choice("loss", loss, LOSSES)
    check_choice("method", method, METHODS)
    check_choice("strategy", strategy, STRATEGIES)
    check_count("n_bins", n_bins)
    check_switches(bias_corrected=bias_corrected)
    _check_together(loss, method, strategy, bias_corrected, sample_weight is not None)
    truth = ClassColumns(y_true, labels, pos_label)
    proba = truth.probabilities("y_proba", y_proba)
    weights = np.ones(len(proba))
    if sample_weight is not None:
        weights = check_weights(truth.codes, sample_weight)
    if loss == "log" and len(truth.classes) > 2:
        raise ValueError(
            f"The log loss is decomposed for two classes. Got {len(truth.classes)}. Use "
            'loss="brier", which is a sum over classes, or decompose one class against the '
            "rest."
        )

    def of_class(position: int) -> ScoreDecomposition:
        # Records without weight would make blocks and bins of their own.
        kept = weights > 0
        outcomes = (truth.codes[kept] == position).astype(np.float64)
        p, w = proba[kept, position], weights[kept] / weights.sum()
        label = truth.classes[position].item()
        if method == "corp":
            return _corp(outcomes, p, w, loss, label)
        codes = bin_codes(p, bin_edges(p, n_bins, strategy))
        return _murphy(outcomes, p, w, codes, bias_corrected, label)

    if len(truth.classes) == 2:
        positive = 1
        if pos_label is not None:
            positive = int(np.argmax(truth.classes == pos_label))
        return of_class(positive)
    return _summed([of_class(position) for position in range(len(truth.classes))])


def _check_together(
    loss: str, method: str, strategy: str, bias_corrected: bool, weighted: bool
) -> None:
    """Refuse options that do not go together."""
    if method == "murphy" and loss == "log":
        raise ValueError(
            'Murphy\'s decomposition is one of the Brier loss. Got loss="log". Use '
            'method="corp", which is for both.'
        )
    if bias_corrected and (method == "corp" or weighted):
        raise ValueError(
            'The bias is known of method="murphy" without `sample_weight`. Got '
            f"method={method!r}{' and weights' if weighted else ''}. Leave out "
            "`bias_corrected`."
        )
    if weighted and method == "murphy" and strategy != "uniform":
        raise ValueError(
            '`sample_weight` goes with strategy="uniform". Got '
            f"strategy={strategy!r}, which lays bins by the number of records."
        )


def _corp(
    outcomes: FloatArray, p: FloatArray, w: FloatArray, loss: str, label: Any
) -> ScoreDecomposition:
    """The decomposition by isotonic regression; weights add up to 1."""
    # Equal probabilities stay equal: they are one point with the mean of their outcomes.
    _, group = np.unique(p, return_inverse=True)
    at_point = np.bincount(group, w)
    means = np.minimum(np.bincount(group, w * outcomes) / at_point, 1.0)
    recalibrated = np.clip(isotonic_regression(means, sample_weight=at_point), 0.0, 1.0)
    # Beside weights that differ by many orders a pooled mean can round to 0 or 1.
    inside = np.clip(recalibrated, EPS, 1 - EPS)
    recalibrated = np.where(recalibrated == means, recalibrated, inside)
    share = np.minimum(w @ outcomes, 1.0)
    cost = _brier_cost if loss == "brier" else _log_cost
    score = float(w @ cost(outcomes, p if loss == "brier" else np.clip(p, EPS, 1 - EPS)))
    calibrated = float(at_point @ cost(means, recalibrated))
    uncertainty = float(cost(share, share))
    return ScoreDecomposition(
        score=score,
        miscalibration=max(0.0, score - calibrated),
        discrimination=max(0.0, uncertainty - calibrated),
        uncertainty=uncertainty,
        loss=loss,
        method="corp",
        label=label,
    )


def _brier_cost(means: FloatArray, p: FloatArray) -> FloatArray:
    """Mean squared distance of a probability from outcomes with these means."""
    return (p - means) ** 2 + means * (1 - means)


def _log_cost(means: FloatArray, p: FloatArray) -> FloatArray:
    """Mean log loss of a probability for outcomes with these means."""
    # 0 log 0 is 0: what is certain and happens costs nothing.
    return np.asarray(-xlogy(means, p) - xlogy(1 - means, 1 - p))


def _murphy(
    outcomes: FloatArray,
    p: FloatArray,
    w: FloatArray,
    codes: Any,
    bias_corrected: bool,
    label: Any,
) -> ScoreDecomposition:
    """The decomposition by bins; weights add up to 1."""
    _, group = np.unique(codes, return_inverse=True)
    in_bin = np.bincount(group, w)
    mean_p = np.bincount(group, w * p) / in_bin
    share_in_bin = np.bincount(group, w * outcomes) / in_bin
    share = float(w @ outcomes)
    p_off, outcome_off = p - mean_p[group], outcomes - share_in_bin[group]
    reliability = float(in_bin @ (mean_p - share_in_bin) ** 2)
    resolution = float(in_bin @ (share_in_bin - share) ** 2)
    uncertainty = share * (1 - share)
    if bias_corrected:
        n, count = len(p), np.bincount(group)
        variances = share_in_bin * (1 - share_in_bin) / np.maximum(count - 1, 1)
        of_bins = float(count @ np.where(count > 1, variances, 0.0)) / n
        of_share = uncertainty / max(n - 1, 1)
        reliability -= of_bins
        resolution += of_share - of_bins
        uncertainty += of_share
    return ScoreDecomposition(
        score=float(w @ _brier_cost(outcomes, p)),
        miscalibration=reliability,
        discrimination=resolution,
        uncertainty=uncertainty,
        within_bin_variance=float(w @ p_off**2),
        within_bin_covariance=2 * float(w @ (outcome_off * p_off)),
        method="murphy",
        n_bins=len(in_bin),
        label=label,
    )


SUMMED = (
    "score",
    "miscalibration",
    "discrimination",
    "uncertainty",
    "within_bin_variance",
    "within_bin_covariance",
)


def _summed(classes: list[ScoreDecomposition]) -> ScoreDecomposition:
    """The decomposition of a sum over classes."""
    sums = {name: sum(getattr(one, name) for one in classes) for name in SUMMED}
    return ScoreDecomposition(
        **sums, loss=classes[0].loss, method=classes[0].method, classes=tuple(classes)
    )
