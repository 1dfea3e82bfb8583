"""Comparison of recipes that were trained several times, for one test set."""

from collections.abc import Mapping
from functools import partial
from time import perf_counter
from typing import Any

from skcompare._analysis import Settings, settings_of_several
from skcompare._core.progress import with_progress
from skcompare._core.validation import check_choice
from skcompare._io.columns import is_file
from skcompare._typing import ArrayLike
from skcompare.comparators._compare import compare_pair, compare_several, target_of_arrays
from skcompare.comparators._role_names import checked_names
from skcompare.predictions import (
    CHALLENGER,
    CHAMPION,
    Predictions,
    each_training,
    predictions_of_trainings,
    read_trainings,
)
from skcompare.reports import Comparison, MultipleComparison

RECIPES, MODELS, TRAINING_DATA = "recipes", "models", "training data"
POPULATIONS = (RECIPES, MODELS, TRAINING_DATA)
"""What a conclusion may be about."""


@with_progress
def compare_seeds(
    data: Any,
    champion: Any,
    challenger: Any = None,
    *,
    y_true: str | None = None,
    id: str | None = None,
    paired: bool | None = None,
    population: str = RECIPES,
    fixed: str | None = None,
    tests: Any = "auto",
    scoring: Any = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    adjust: str | None = "holm",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    control: str | None = None,
    verbose: int = 0,
) -> Comparison | MultipleComparison:
    """Compare training recipes by the predictions of several trainings of each.

    A neural network, or boosting, trained again with another seed is a different model. A
    conclusion about the recipe is therefore subject to the variation over seeds as well as
    over test records: a test of one training of each attributes its luck to the recipe, and
    a t test over the trainings ignores the variation over records. Here the variance has
    both parts.

    Parameters
    ----------
    data : array-like of shape (n_samples,), frame or path
        True labels, or numbers, of the test records; or a frame or file that has them in
        the column `y_true`, as for :func:`compare`.
    champion : array-like of shape (n_trainings, n_samples), list or dict
        Predictions of the champion, one row or entry for each training: labels, or
        probabilities of shape (n_samples, n_classes), or for two classes probabilities of
        `pos_label`, or numbers, as in :func:`compare`. With a frame or a file one entry per
        training: a column, a list of columns with the probabilities of the sorted classes,
        or a pair of another frame or file and its column or columns. Or a dict of two or
        more names with these, the champion's first.
    challenger : array-like of shape (n_trainings, n_samples) or list, optional
        The same for the challenger. Omitted if `champion` is a dict.
    y_true : str, optional
        Column of the true labels or numbers in `data`.
    id : str, optional
        Column by which frames and files are joined; needed if there are several.
    paired : bool, optional
        Whether trainings at the same position are a pair, such as those of one seed or one
        order of the training records. By default they are if both have the same number of
        trainings.
    population : {"recipes", "models"}, default="recipes"
        What the conclusion is about: the recipes, over new records and new trainings with
        these training records; or the mean of the models that were trained, over new
        records. A conclusion about other training records needs several training sets, see
        :class:`PairedComparator`.
    fixed : str, optional
        Name of a recipe with a single training that is treated as a fixed trained model,
        such as the one in production ("champion").
    tests, scoring, alternative, alpha, adjust, pos_label, labels, control
        As in :func:`compare`. Measures are mean losses of records, or scores with known
        influence functions, such as "accuracy", "f1", "roc_auc" and "r2".
    verbose : int, default=0
        1 shows a progress bar on stderr where resampling or reading takes longer than a
        second.

    Returns
    -------
    comparison : Comparison or MultipleComparison
        Rows, verdict, and the report in several formats. The default test is
        :func:`~skcompare.stats.crossed_t`, and :func:`~skcompare.stats.records_t` for
        models.

    Raises
    ------
    ValueError
        If a recipe was trained once and is not `fixed`, or if paired trainings differ in
        number.

    See Also
    --------
    PairedComparator : Trains both on one split with several seeds, by `n_trainings`.
    compare : Trained models, each trained once.

    Notes
    -----
    At least three trainings of each are needed for a type I error near the level, and five
    or more give far more power.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare import compare_seeds
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=1000)
    >>> right = rng.random((5, 1000)) < 0.80 + 0.01 * rng.normal(size=(5, 1))
    >>> old = np.where(right, y, 1 - y)
    >>> right = rng.random((5, 1000)) < 0.85 + 0.01 * rng.normal(size=(5, 1))
    >>> new = np.where(right, y, 1 - y)
    >>> comparison = compare_seeds(y, old, new)
    >>> row = comparison.results["accuracy"]
    >>> print(f"{row.difference:+.3f} [{row.low:.3f}, {row.high:.3f}]: {row.test}")
    +0.064 [0.032, 0.097]: crossed_t
    >>> comparison.verdict
    'challenger'
    """
    start = perf_counter()
    check_choice("population", population, POPULATIONS)
    if population == TRAINING_DATA:
        raise ValueError(
            "Recipes over new training records need training sets that are drawn again, "
            "and these trainings share one. Got population='training data'. Train on the "
            "splits of a block-regularized cross-validation, by PairedComparator(cv=None), "
            "or choose 'recipes' or 'models'."
        )
    named = _named(champion, challenger)
    several = tuple(named) if len(named) > 2 else ()
    if control is not None and not several:
        raise ValueError(
            f"`control` is for three or more recipes. Got control={control!r} and two. The "
            "first of two is the champion."
        )
    options: dict[str, Any] = {"scoring": scoring, "tests": tests, "pos_label": pos_label}
    options |= {"alternative": alternative, "alpha": alpha, "adjust": adjust}
    parse = partial(Settings.parse, **options)
    if several:
        own = {**options, "in_trainings": True}
        parse = partial(settings_of_several, several, control, **own)
    truth = data
    if y_true is not None or is_file(data):
        truth, named = read_trainings(data, named, y_true, id)
    first = {name: each_training(name, own)[0] for name, own in named.items()}
    settings = parse(target=target_of_arrays(truth, first))
    collected = predictions_of_trainings(
        truth,
        named,
        paired=paired,
        fixed=population == MODELS,
        labels=labels,
        pos_label=pos_label,
        target=settings.target,
    )
    _check_numbers(collected, population, fixed)
    if several:
        return compare_several(collected, settings, start=start)
    return compare_pair(collected.pair(*named), settings, start=start)


def _named(champion: Any, challenger: Any) -> Mapping[str, Any]:
    """Return the predictions of each recipe by its name."""
    if isinstance(champion, Mapping) and challenger is None:
        return checked_names(champion)
    if challenger is None:
        raise ValueError(
            "Recipes are compared with each other. Got the champion's predictions alone. "
            "Pass the challenger's, or a dict of names with the predictions of each."
        )
    return {CHAMPION: champion, CHALLENGER: challenger}


def _check_numbers(predictions: Predictions, population: str, fixed: str | None) -> None:
    """Raise an error if a recipe was trained once, unless it is meant as that model."""
    counts = {role.name: role.n_trainings for role in predictions.estimators}
    if fixed is not None:
        check_choice("fixed", fixed, counts)
        if counts[fixed] > 1:
            raise ValueError(
                f"`fixed` is a recipe with one training. Got fixed={fixed!r}, with "
                f"{counts[fixed]}. Pass the one that is meant, or leave `fixed` out."
            )
    if population == MODELS:
        return
    once = [name for name, count in counts.items() if count == 1 and name != fixed]
    if once or max(counts.values()) == 1:
        name = once[0] if once else next(iter(counts))
        raise ValueError(
            f"One training of {name} does not show how much its trainings vary. Train it "
            f"at least 3 times, or pass fixed={name!r} if the conclusion shall be about "
            "this trained model and the others' recipes, or population='models'."
        )
