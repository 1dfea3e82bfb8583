"""Predictions from the output of scikit-learn's `cross_validate`, and its splits."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from sklearn import model_selection

from skcompare._core.design import (
    HALVES,
    HOLDOUT,
    IN_TIME,
    KNOWN_SPLITTERS,
    Design,
    as_design,
    design_of,
    design_of_folds,
)
from skcompare._core.validation import check_count, check_labels, check_numbers
from skcompare._registry.metrics import NUMBERS, VALUES
from skcompare._typing import ArrayLike, IntArray
from skcompare.predictions._collect import (
    Fitted,
    Split,
    askable,
    disjoint_split,
    kernel_columns,
    naming,
    predict,
    predictions_of,
    seeded,
)
from skcompare.predictions._frozen_rules import fitted_pair, target_of
from skcompare.predictions._predictions import (
    CHALLENGER,
    CHAMPION,
    LABELS,
    SCORES,
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
    encoded_target,
    n_rows,
)
from skcompare.predictions._splits_in_time import ordered_by, times_of, with_windows


def recognised_design(splits: Sequence[Split], n: int, *, grouped: bool = False) -> Design:
    """Infer the design of splits of `n` records from the indices.

    One split is a hold-out. If each split trains on all records that it does not test, test
    sets with every record once are K-fold cross-validation, and several times a repeated
    one (5×2: with random halves); different test sets of the same size are a repeated
    hold-out. Several splits of which each tests later records than it trains on are in time
    order. Everything else is "unknown".

    Halves of a block-regularized cross-validation look like random ones: two halves of
    different repetitions share about n/4 records, as random halves of few records may,
    too. So "bcv" is never recognised and must be declared.
    """
    if len(splits) == 1:
        return Design(HOLDOUT.kind, 1, 1, grouped)
    unknown = with_windows(Design("unknown", 1, len(splits), grouped), splits)
    if not all(_is_complete(split, n) for split in splits):
        return unknown
    tests = [test for _, test in splits]
    n_folds = _folds_per_repetition(tests, n)
    if n_folds is not None:
        return replace(design_of_folds(len(splits) // n_folds, n_folds), grouped=grouped)
    different = len({np.sort(test).tobytes() for test in tests}) == len(tests)
    if different and len({test.size for test in tests}) == 1:
        return Design("repeated holdout", len(tests), 1, grouped)
    return unknown


def _is_complete(split: Split, n: int) -> bool:
    """Whether training and test set together have every record once."""
    train, test = split
    if train.size + test.size != n:
        return False
    return bool((np.bincount(np.concatenate([train, test]), minlength=n) == 1).all())


def _folds_per_repetition(tests: Sequence[IntArray], n: int) -> int | None:
    """Return the number of folds per repetition, or None unless constant and complete."""
    tested, n_tested, ends = np.zeros(n, dtype=bool), 0, [0]
    for position, test in enumerate(tests, start=1):
        if tested[test].any():
            return None
        tested[test] = True
        n_tested += test.size
        if n_tested == n:
            ends.append(position)
            tested[:], n_tested = False, 0
    lengths = {stop - start for start, stop in pairwise(ends)}
    return lengths.pop() if n_tested == 0 and len(lengths) == 1 else None


_GROUPED = (
    model_selection.GroupKFold,
    model_selection.GroupShuffleSplit,
    model_selection.LeaveOneGroupOut,
    model_selection.LeavePGroupsOut,
    model_selection.StratifiedGroupKFold,
)

_IN_ROWS = ("repeated kfold", "replicated holdout", "holdout in halves")
"""Designs whose number of repetitions does not follow from the number of splits."""


NOT_CHECKED = "splits-not-checked"


@dataclass(frozen=True, slots=True)
class CvSplits:
    """Sizes and design of splits, and the splits themselves if known."""

    n_train: Any
    n_test: Any
    design: Design
    flags: tuple[str, ...] = ()
    pairs: Sequence[Split] | None = None


@dataclass(frozen=True, slots=True)
class SplitInfo:
    """User-declared information about splits; X, y and groups are the data."""

    X: Any = None
    y: Any = None
    cv: Any = None
    groups: Any = None
    n_train: Any = None
    n_test: Any = None
    design: Design | str | None = None
    classifier: bool = True
    times: np.ndarray | None = None

    @property
    def has_sizes(self) -> bool:
        """Whether both sizes are declared; raises an error if only one is declared."""
        if (self.n_train is None) != (self.n_test is None):
            raise ValueError("Pass both of `n_train` and `n_test`, or none. Got one.")
        return self.n_train is not None

    @property
    def n_records(self) -> int | None:
        """Number of records, or None if no data were passed."""
        data = self.X if self.y is None else self.y
        return None if data is None else n_rows(data)

    @property
    def can_split(self) -> bool:
        """Whether splits can be made: from a list always, from a number with `y`."""
        if self.y is not None:
            return True
        is_count = self.cv is None or isinstance(self.cv, Integral)
        has_split = hasattr(self.cv, "split")
        return not is_count and (not has_split or self.X is not None)

    def splitter(self) -> Any:
        """Return the splitter of `cv`, as scikit-learn's `check_cv` does."""
        if isinstance(self.cv, str):
            raise ValueError(
                "`cv` must be a splitter, a number of folds or an iterable of splits. Got "
                f"{self.cv!r}."
            )
        if isinstance(self.cv, Integral):
            check_count("cv", self.cv, least=2)
        return model_selection.check_cv(self.cv, self.y, classifier=self.classifier)

    def for_estimators_of(self, outputs: Mapping[str, Any]) -> "SplitInfo":
        """Return the information with `cv` as `cross_validate` understood it.

        A number of folds is stratified by whole numbers for classifiers only.
        """
        fits = [(role, own.get("estimator", ())) for role, own in outputs.items()]
        fitted = [(role, own[0]) for role, own in fits if len(own)]
        is_numeric = bool(fitted) and target_of(fitted) == NUMBERS
        return replace(self, classifier=False) if is_numeric else self

    def split(self, splitter: Any) -> list[Split]:
        """Return the splits that a splitter makes of the records."""
        if self.groups is None and isinstance(splitter, _GROUPED):
            raise ValueError(
                f"{splitter} splits by groups. Got none. Pass the `groups` that the scores "
                "were made with."
            )
        X = self.X
        if X is None and self.y is not None:
            # Splitters use the number of records, and some use the labels.
            X = np.zeros((n_rows(self.y), 1))
        with warnings.catch_warnings():
            # Groups declare records as dependent, even if a splitter separates them.
            warnings.filterwarnings("ignore", message="The groups parameter is ignored")
            return self.checked("`cv`", splitter.split(X, self.y, groups=self.groups))

    def checked(self, name: str, splits: Iterable[Any]) -> list[Split]:
        """Return splits as positions; raise an error if training and test sets overlap."""
        return [
            disjoint_split(f"Split {k} of {name}", train, test, self.n_records)
            for k, (train, test) in enumerate(splits)
        ]

    def design_of(
        self, splitter: Any, n_splits: int, pairs: Sequence[Any] | None
    ) -> Design:
        """Return the design: declared, of the splitter, or inferred from indices."""
        grouped = self.groups is not None or isinstance(splitter, _GROUPED)
        recognised = Design("unknown", n_folds=n_splits, grouped=grouped)
        if pairs is not None:
            last = max(int(part.max()) for split in pairs for part in split)
            recognised = recognised_design(
                pairs, self.n_records or last + 1, grouped=grouped
            )
        if splitter is not None:
            self._check_n_splits(splitter, n_splits)
            of_splitter = design_of(splitter, n_splits, grouped=grouped)
            recognised = recognised if of_splitter.kind == "unknown" else of_splitter
        if self.design is not None:
            recognised = _declared_design(self.design, n_splits, recognised)
        if pairs is not None and (recognised.kind == IN_TIME or self.times is not None):
            return with_windows(recognised, pairs, self.times)
        return recognised

    def of_outputs(self, outputs: Mapping[str, Any], n_splits: int) -> CvSplits:
        """Return the splits shared by outputs of `cross_validate`, checked if possible."""
        known = {role: own["indices"] for role, own in outputs.items() if "indices" in own}
        splits = {
            role: self.checked(role, zip(indices["train"], indices["test"]))
            for role, indices in known.items()
        }
        flags = () if len(splits) == len(outputs) else (NOT_CHECKED,)
        splitter = None if self.cv is None else self.for_estimators_of(outputs).splitter()
        if splitter is not None and is_constant(splitter):
            if self.can_split:
                splits["`cv`"] = self.split(splitter)
        elif splitter is not None and not splits:
            raise ValueError(
                f"{splitter} shuffles again each time, so the outputs are of different "
                "splits. Set its `random_state` to an integer, and run cross_validate "
                "again for both."
            )
        _check_same(splits, n_splits)
        pairs = next(iter(splits.values()), None)
        return self._with_sizes(pairs, n_splits, splitter, flags)

    def of_pair(self, output: Any, n_splits: int) -> CvSplits:
        """Return the splits of two classifiers that were cross-validated as one estimator.

        Both have the same splits, even if these are not known any more.
        """
        if "indices" in output:
            return self.of_outputs({"the pair": output}, n_splits)
        if self.cv is None:
            return self._with_sizes(None, n_splits, None)
        return self.of_search(n_splits)

    def of_search(self, n_splits: int, *, one_run: bool = True) -> CvSplits:
        """Return the splits that all candidates of a search share.

        A search runs its splitter once for all candidates, so they share the splits even if
        these are not known any more. `one_run` is False for searches that may run it again
        for other candidates.
        """
        splitter = self.splitter()
        constant = is_constant(splitter)
        flags = () if constant or one_run else (NOT_CHECKED,)
        pairs, sized = None, self
        if self.can_split and constant:
            pairs = self.split(splitter)
            _check_same({"`cv`": pairs}, n_splits)
        elif self.can_split and not self.has_sizes and _has_known_sizes(splitter):
            redrawn = self.split(seeded(splitter, np.random.RandomState(0)))
            n_train, n_test = _sizes(redrawn)
            sized = replace(self, n_train=n_train, n_test=n_test)
        return sized._with_sizes(pairs, n_splits, splitter, flags)

    def _with_sizes(
        self,
        pairs: Sequence[Split] | None,
        n_splits: int,
        splitter: Any,
        flags: tuple[str, ...] = (),
    ) -> CvSplits:
        """Return splits with their sizes, counted if splits are known, else as declared."""
        design = self.design_of(splitter, n_splits, pairs)
        if pairs is None and not self.has_sizes:
            raise ValueError(
                "The sizes of the training and test sets are not known. Pass `X` and `y` "
                "with a `cv` that makes the same splits each time; or `n_train` and "
                "`n_test`; or run cross_validate with return_indices=True."
            )
        if pairs is not None and self.has_sizes:
            raise ValueError(
                "The splits are known, and their sizes with them. Leave out `n_train` and "
                "`n_test`."
            )
        if pairs is None:
            return CvSplits(self.n_train, self.n_test, design, flags)
        return CvSplits(*_sizes(pairs), design, flags, pairs)

    def _check_n_splits(self, splitter: Any, n_splits: int) -> None:
        """Raise an error if the splitter makes another number of splits."""
        try:
            count = splitter.get_n_splits(self.X, self.y, self.groups)
        except (AttributeError, TypeError, ValueError):
            # Some count records or groups, which were not passed.
            return
        if count != n_splits:
            raise ValueError(
                f"There are scores on {n_splits} test sets, but {splitter} makes {count} "
                "splits. Pass the `cv` that made the scores."
            )


def is_constant(splitter: Any) -> bool:
    """Whether a splitter makes the same splits each time."""
    # A splitter without `shuffle` shuffles if it has a random_state.
    seed = getattr(splitter, "random_state", 0)
    return isinstance(seed, Integral) or not getattr(splitter, "shuffle", True)


def _declared_design(design: Design | str, n_splits: int, recognised: Design) -> Design:
    """Complete a declared design with the numbers of repetitions and folds."""
    declared = as_design(design)
    if isinstance(design, str):
        n_repeats, n_folds = 1, n_splits
        if declared.kind == "holdout":
            n_folds = 1
        elif declared.kind in HALVES:
            n_repeats, n_folds = n_splits // 2, 2
        elif declared.kind == "repeated holdout":
            n_repeats, n_folds = n_splits, 1
        elif declared.kind in _IN_ROWS:
            n_repeats, n_folds = recognised.n_repeats, recognised.n_folds
        declared = replace(declared, n_repeats=n_repeats, n_folds=n_folds)
    lacks_rows = declared.kind in _IN_ROWS and declared.n_repeats == 1
    if declared.n_splits != n_splits or lacks_rows:
        raise ValueError(
            f"The design {declared.kind!r} does not determine how {n_splits} splits are "
            "laid out. Pass the splitter that made them as `cv`."
        )
    return replace(declared, grouped=declared.grouped or recognised.grouped)


def _has_known_sizes(splitter: Any) -> bool:
    """Whether the number of records in each split does not depend on which are drawn."""
    return type(splitter) in KNOWN_SPLITTERS and not isinstance(splitter, _GROUPED)


def _sizes(pairs: Sequence[Split]) -> tuple[IntArray, IntArray]:
    n_train, n_test = (np.array(list(map(len, parts))) for parts in zip(*pairs))
    return n_train, n_test


def _check_same(splits: Mapping[str, Sequence[Split]], n_splits: int) -> None:
    """Raise an error if splits differ, or if their number is not that of the scores."""
    for name, pairs in splits.items():
        if len(pairs) != n_splits:
            raise ValueError(
                f"There are scores on {n_splits} test sets, but {name} has {len(pairs)} "
                "splits. Pass the `cv` that made the scores; for a generator, which is "
                "exhausted by now, the list of its splits."
            )
    (reference, pairs), *others = splits.items() if splits else [("", ())]
    for name, other_pairs in others:
        for k, (split_a, split_b) in enumerate(zip(pairs, other_pairs, strict=True)):
            for part, a, b in zip(("training", "test"), split_a, split_b, strict=True):
                if not _are_same(a, b):
                    raise ValueError(_difference(k, part, (reference, a), (name, b)))


def _are_same(a: IntArray, b: IntArray) -> bool:
    """Whether two sets have the same records, in any order."""
    if np.array_equal(a, b):
        return True
    return a.size == b.size and np.array_equal(np.sort(a), np.sort(b))


def _difference(
    k: int, part: str, set_a: tuple[str, IntArray], set_b: tuple[str, IntArray]
) -> str:
    (name_a, a), (name_b, b) = set_a, set_b
    return (
        f"Both classifiers must have the same splits, but the {part} sets of split {k} "
        f"differ: {a.size} records of {name_a}, {b.size} of {name_b}, "
        f"{np.intersect1d(a, b).size} in both. Give both one `cv`: a list of splits, or a "
        "splitter with an integer `random_state`."
    )


NEEDED = ("estimator", "indices")


def predictions_from_cv_results(
    X: Any,
    y: ArrayLike,
    results: Mapping[str, Any],
    *,
    cv: Any = None,
    design: Design | str | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    horizon: int = 1,
    required: frozenset[str] = frozenset({LABELS, SCORES}),
) -> Predictions:
    """Predict the test sets with classifiers fitted by scikit-learn's `cross_validate`.

    Each test set is predicted by the classifiers that were trained for it. Nothing is
    fitted, and the splits must be the same for all.

    Parameters
    ----------
    X, y : array-like, sparse matrix or frame
        Records and labels that were cross-validated, in the same order.
    results : mapping of str to dict
        For each classifier the output of :func:`sklearn.model_selection.cross_validate`
        with ``return_estimator=True`` and ``return_indices=True``; or one such output of
        a ``PairedEstimator``, which has the predictions of "champion" and "challenger".
    cv : splitter, int or iterable, optional
        Splitter of the results. Its design is that of the predictions, and if it makes
        the same splits each time, they must be those of the results. Without it the
        design follows from the indices: a hold-out, (repeated) K-fold cross-validation,
        5×2 with random halves, a repeated hold-out or splits in time order.
    design : Design or str, optional
        Design of the splits, such as "bcv", if neither `cv` nor indices show it: halves of
        a block-regularized cross-validation look like random ones.
    groups : array-like of shape (n_samples,), optional
        Group of each record (patient, user); the design is then grouped.
    time : array-like of shape (n_samples,), optional
        Number or timestamp of each record, where each split tests later records than it
        trains on. Such splits are by default in the order of the records.
    horizon : int, default=1
        Time points by which forecasts are ahead.
    required : frozenset of {"labels", "scores", "values", "std"}
        Kinds of predictions to collect. Scores are probabilities, or decision values of a
        classifier without them; a classifier without both has labels only. Regressors have
        values, and standard deviations if required.

    Returns
    -------
    predictions : Predictions
        The :meth:`~Predictions.pair` of two names is the argument of `from_pair` of all
        evidence.

    Raises
    ------
    ValueError
        If estimators or indices were not returned, the splits differ, or X and y have
        other records.
    EstimatorFailedError
        If a classifier cannot predict, for example because its fit had failed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare import BlockRegularized5x2CV
    >>> from skcompare.evidence import PairedBlocks
    >>> from skcompare.predictions import predictions_from_cv_results
    >>> from skcompare.stats import bcv_mcnemar
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = BlockRegularized5x2CV(random_state=0)
    >>> keep = {"cv": cv, "return_estimator": True, "return_indices": True}
    >>> results = {
    ...     "bayes": cross_validate(GaussianNB(), X, y, **keep),
    ...     "tree": cross_validate(DecisionTreeClassifier(random_state=0), X, y, **keep),
    ... }
    >>> predictions = predictions_from_cv_results(X, y, results, cv=cv)
    >>> blocks = PairedBlocks.from_pair(predictions.pair("bayes", "tree"))
    >>> print(f"{bcv_mcnemar(blocks).estimate:+.3f}")
    -0.005
    """
    results = _named_outputs(results)
    fitted = [(name, output["estimator"][0]) for name, output in results.items()]
    is_numeric = target_of(fitted) == NUMBERS
    labels = check_numbers("y", y, several=True) if is_numeric else check_labels("y", y)
    if is_numeric and VALUES not in required:
        required = frozenset({VALUES})
    if n_rows(X) != len(labels):
        raise ValueError(
            f"`X` and `y` must be the records that were split. Got {n_rows(X)} and "
            f"{len(labels)}."
        )
    times = times_of(time, horizon, len(labels))
    info = SplitInfo(X=X, y=y, cv=cv, groups=groups, times=times, design=design)
    n_splits = len(next(iter(results.values()))["estimator"])
    splits = info.of_outputs(results, n_splits)
    pairs = splits.pairs or ()
    tests = [test for _, test in pairs]
    classes, _ = encoded_target(labels)
    predictions = predictions_of(
        fitted,
        [
            _predictions_of_output(name, output, X, tests, classes, required)
            for name, output in results.items()
        ],
        X,
        labels,
        splits=pairs,
        design=splits.design,
        groups=groups,
        flags=_flags_of(info),
        y_named=y,
    )
    return ordered_by(predictions, times, horizon)


def cross_validated_pair(
    champion: Any, challenger: Any, X: Any, y: ArrayLike | None, **options: Any
) -> PairedPredictions:
    """Predict labels with two classifiers fitted by `cross_validate`, in their roles."""
    results = outputs_of_roles(champion, challenger, X, y)
    predictions = predictions_from_cv_results(
        X,
        y,  # type: ignore[arg-type]
        results,
        required=frozenset({LABELS}),
        **options,
    )
    return predictions.pair(CHAMPION, CHALLENGER)


def outputs_of_roles(
    champion: Any, challenger: Any, X: Any, y: ArrayLike | None
) -> Mapping[str, Mapping[str, Any]]:
    """Return outputs by role, from two outputs or from one of a pair; requires X and y."""
    if X is None or y is None:
        raise ValueError(
            "The trained classifiers predict their test sets again. Pass the records and "
            "labels that were cross-validated as `X` and `y`."
        )
    if challenger is None:
        return _outputs_of_pair(champion)
    return _named_outputs({CHAMPION: champion, CHALLENGER: challenger})


def _named_outputs(results: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return outputs by classifier, checked to have trained classifiers and splits."""
    if not isinstance(results, Mapping) or not results:
        raise ValueError(
            "`results` must be a dict of names to outputs of cross_validate. Got "
            f"{type(results).__name__}."
        )
    if _is_output(results):
        return _outputs_of_pair(results)
    for name, output in results.items():
        _check_output(name, output)
        if fitted_pair(output["estimator"][0]) is not None:
            raise ValueError(
                f"The results of {name} are of a pair, which has a champion and a "
                "challenger. Pass them alone."
            )
    return results


def _outputs_of_pair(output: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return outputs by role, from the output of a cross-validated pair."""
    _check_output("the pair", output)
    pairs = [fitted_pair(estimator) for estimator in output["estimator"]]
    for k, (pair, estimator) in enumerate(zip(pairs, output["estimator"], strict=True)):
        if pair is None:
            raise ValueError(
                "One output alone must be of a PairedEstimator that was fitted on every "
                f"split. Got {type(estimator).__name__} on split {k}. Pass the outputs of "
                "both classifiers; or, if fits have failed, run cross_validate again with "
                "error_score='raise' to see why."
            )
    return {
        role: {
            "estimator": [pair[k] for pair in pairs if pair],
            "indices": output["indices"],
        }
        for k, role in enumerate((CHAMPION, CHALLENGER))
    }


def _is_output(results: Mapping[str, Any]) -> bool:
    """Whether a dict is itself an output, rather than a dict of names to outputs."""
    keys = ("fit_time", "score_time", "estimator")
    return any(key in results and not isinstance(results[key], Mapping) for key in keys)


def _check_output(name: str, output: Any) -> None:
    """Raise an error if an output lacks trained classifiers or splits."""
    held = output if isinstance(output, Mapping) else {}
    lacking = [key for key in NEEDED if key not in held]
    if lacking:
        raise ValueError(
            f"The results of {name} must be what cross_validate gives with "
            "return_estimator=True and return_indices=True. Got "
            f"{type(output).__name__} without {' and '.join(map(repr, lacking))}."
        )


def _flags_of(info: SplitInfo) -> tuple[str, ...]:
    """Return the flags with which a splitter describes its splits of the records."""
    if not hasattr(info.cv, "describe"):
        return ()
    return tuple(info.cv.describe(info.X, info.y, info.groups).flags)


def _predictions_of_output(
    name: str,
    output: Mapping[str, Any],
    X: Any,
    tests: Sequence[IntArray],
    classes: np.ndarray,
    kinds: frozenset[str],
) -> list[EstimatorPredictions]:
    """Predict each test set with the corresponding classifier of an output."""
    predictions = []
    for k, (estimator, test) in enumerate(zip(output["estimator"], tests, strict=True)):
        columns = kernel_columns(estimator, np.asarray(output["indices"]["train"][k]))
        failed = f"failed to predict split {k} ({len(test)} test records)"
        fit_time = float(output["fit_time"][k]) if "fit_time" in output else float("nan")
        fitted = Fitted(estimator, fit_time, columns)
        with naming(name, estimator, failed):
            predicted = predict(fitted, X, test, classes, askable(estimator, kinds))
        predictions.append(predicted)
    return predictions
