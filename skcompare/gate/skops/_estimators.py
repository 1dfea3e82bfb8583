"""Saved classifiers, loaded without running code that a file brings."""

import io
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from skcompare._core.atomic_write import check_unpacked
from skcompare.exceptions import MissingDependencyError

# Arrays of nodes that compiled code follows without looking whether they exist;
# `check_contents` looks.
TREES = (
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.neighbors._ball_tree.BallTree",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.tree._tree.Tree",
)

# Distances without parameters, in nearest neighbours. The weighted ones hold arrays whose
# length nothing checks.
DISTANCES = (
    "sklearn.metrics._dist_metrics.ChebyshevDistance64",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.metrics._dist_metrics.ManhattanDistance64",
)

# Numbers of a calibration, and the classifier that they are of.
CALIBRATION = (
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.calibration._TemperatureScaling",
)

# How far training came; prediction uses none of them.
TRAINING = (
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
)

# Dictionaries with names, and the answer to a class that training did not have.
VALUES = (
    "sklearn.multiclass._ConstantPredictor",
    "sklearn.utils._bunch.Bunch",
    "sklearn.utils._metadata_requests.MetadataRequest",
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
)

# A binary Gaussian process, and functions of numbers as objects.
GAUSSIAN_PROCESSES = (
    "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
    "sklearn.gaussian_process.kernels.ConstantKernel",
    "sklearn.gaussian_process.kernels.DotProduct",
    "sklearn.gaussian_process.kernels.Matern",
    "sklearn.gaussian_process.kernels.Product",
    "sklearn.gaussian_process.kernels.RBF",
    "sklearn.gaussian_process.kernels.RationalQuadratic",
    "sklearn.gaussian_process.kernels.Sum",
    "sklearn.gaussian_process.kernels.WhiteKernel",
)

# What searches and thresholds were chosen by: functions of arrays, and what holds one.
SCORES = (
    "sklearn.feature_selection._univariate_selection.chi2",
    "sklearn.feature_selection._univariate_selection.f_classif",
    "sklearn.metrics._classification.accuracy_score",
    "sklearn.metrics._classification.balanced_accuracy_score",
    "sklearn.metrics._classification.f1_score",
    "sklearn.metrics._classification.log_loss",
    "sklearn.metrics._ranking.average_precision_score",
    "sklearn.metrics._ranking.roc_auc_score",
    "sklearn.metrics._scorer._CurveScorer",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
)

# Types of columns: a choice of columns by type, with the two types that it has.
COLUMNS = (
    "builtins.object",
    "numpy.dtype",
    "sklearn.compose._column_transformer.make_column_selector",
)

SAFE_TYPES = frozenset(
    TREES
    + DISTANCES
    + CALIBRATION
    + TRAINING
    + VALUES
    + GAUSSIAN_PROCESSES
    + SCORES
    + COLUMNS
)
"""Exact names; a type that is not here needs the trust of whoever loads the file."""


# Ensembles that hand records to their trees without checking how many features these have.
UNCHECKED = ("sklearn.ensemble._forest", "sklearn.ensemble._gb")


class BrokenTreeError(ValueError):
    """A tree names nodes, features or records that do not exist."""


def check_contents(estimator: Any) -> None:
    """Refuse trees with nodes that do not exist, anywhere in an estimator."""
    for owner, held in _held_objects(estimator):
        name = f"{type(held).__module__}.{type(held).__name__}"
        check = CHECKS.get(name)
        if check is not None:
            try:
                check(held, getattr(owner, "n_features_in_", None))
            except (AttributeError, IndexError, KeyError, TypeError) as error:
                raise BrokenTreeError(f"{name} is not complete: {error}") from error
        if type(held).__module__ in UNCHECKED and hasattr(held, "estimators_"):
            _check_members(held)


def _held_objects(root: Any) -> Iterator[tuple[Any, Any]]:
    """Everything that an estimator holds, with the object whose attribute holds it."""
    seen: dict[int, Any] = {}
    waiting: list[tuple[Any, Any]] = [(None, root)]
    while waiting:
        owner, value = waiting.pop()
        if isinstance(value, str | bytes | int | float | None) or id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, dict):
            waiting += [(owner, one) for one in value.values()]
        elif isinstance(value, list | tuple | set):
            waiting += [(owner, one) for one in value]
        elif isinstance(value, np.ndarray):
            if value.dtype == object:
                waiting += [(owner, one) for one in value.ravel()]
        else:
            yield owner, value
            waiting += [(value, one) for one in getattr(value, "__dict__", {}).values()]


def _check_members(ensemble: Any) -> None:
    for member in np.asarray(ensemble.estimators_, dtype=object).ravel():
        _check(
            getattr(member, "n_features_in_", None) == ensemble.n_features_in_,
            "a tree has other features than its ensemble",
        )


def _check(holds: Any, words: str) -> None:
    if not holds:
        raise BrokenTreeError(words)


def _check_children(
    left: NDArray[Any], right: NDArray[Any], inner: NDArray[np.bool_]
) -> None:
    """Inner nodes have two children, both of which come later and exist."""
    places = np.arange(len(inner))
    for child in (left, right):
        after = (child > places) & (child < len(inner))
        _check(after[inner].all(), "a node of a tree has a child that does not exist")


def _check_tree(tree: Any, n_features: int | None) -> None:
    _check(0 < tree.node_count == tree.capacity, "a tree has another number of nodes")
    _check(tree.n_features == n_features, "a tree has other features than its estimator")
    inner = tree.children_left != -1
    _check_children(tree.children_left, tree.children_right, inner)
    used = tree.feature[inner]
    _check(((used >= 0) & (used < tree.n_features)).all(), "a tree uses an unknown feature")


def _check_predictor(predictor: Any, n_features: int | None) -> None:
    nodes = predictor.nodes
    _check(nodes.ndim == 1 and len(nodes), "a tree has no nodes")
    inner = nodes["is_leaf"] == 0
    _check_children(nodes["left"].astype(int), nodes["right"].astype(int), inner)
    used = nodes["feature_idx"][inner]
    known = n_features is not None and ((used >= 0) & (used < n_features)).all()
    _check(known, "a tree uses an unknown feature")
    sets = nodes["bitset_idx"][inner & (nodes["is_categorical"] != 0)]
    for name in ("raw_left_cat_bitsets", "binned_left_cat_bitsets"):
        bitsets = getattr(predictor, name)
        _check(bitsets.ndim == 2 and bitsets.shape[1] == 8, "a tree has no categories")
        _check((sets < len(bitsets)).all(), "a tree uses unknown categories")


def _check_search_tree(tree: Any, n_features: int | None) -> None:
    data, records, nodes, bounds = map(np.asarray, tree.get_arrays())
    n, n_nodes = len(data), len(nodes)
    places = np.arange(n_nodes)
    _check(
        len(records) == n and ((records >= 0) & (records < n)).all(),
        "a search tree names a record that does not exist",
    )
    start, end = nodes["idx_start"], nodes["idx_end"]
    _check(
        n_nodes and ((start >= 0) & (start <= end) & (end <= n)).all(),
        "a node of a search tree has records that do not exist",
    )
    _check(
        (nodes["is_leaf"][2 * places + 2 >= n_nodes] != 0).all(),
        "a node of a search tree has a child that does not exist",
    )
    _check(
        bounds.ndim == 3
        and bounds.shape[1] == n_nodes
        and bounds.shape[2] == data.shape[1],
        "a search tree has other bounds than nodes",
    )
    # Levels and nodes are counts of their own beside the arrays.
    levels, counted = tree.__getstate__()[5:7]
    _check(counted == n_nodes == 2**levels - 1, "a search tree has another number of nodes")


CHECKS = {
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": _check_predictor,
    "sklearn.neighbors._ball_tree.BallTree": _check_search_tree,
    "sklearn.neighbors._kd_tree.KDTree": _check_search_tree,
    "sklearn.tree._tree.Tree": _check_tree,
}


LEAST_SKOPS = (0, 16)
"""Before 0.13, files can run code despite the check (CVE-2025-54412, -54413 and -54886);
before 0.16, they can name older and laxer forms of it."""

SCHEMA = "schema.json"
PICKLED = (".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle", ".sav")
# The first bytes of pickles, and of joblib's compressed ones: zlib, gzip, bz2, xz and lz4.
ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
PICKLES = (b"\x80", *ZLIB, b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x5d\x00", b"\x04\x22M\x18")
HOW = "Save the fitted classifier by `skops.io.dump(classifier, 'name.skops')`."


def load_estimator(
    path: str | os.PathLike[str], *, trust: Iterable[str] = ()
) -> BaseEstimator:
    """Load a fitted classifier that was saved by skops, without running code of the file.

    A pickle, also one of joblib, runs whatever code it brings when it is loaded, so that
    none is ever opened here. A file of skops [1]_ names the types that it is made of, and
    is loaded only if each of them is trusted: by skops itself, by a reviewed list of what
    else scikit-learn's usual classifiers are made of, or by you. The nodes of trees are
    checked, because compiled code follows them without looking.

    That keeps a file from running code. It does not make its answers right, and a file
    that was made to harm may still end the process while it predicts, which is no pass.

    Parameters
    ----------
    path : str or path-like
        The file.
    trust : iterable of str, default=()
        Exact names of further types that may be loaded, each of which the file must have.
        Trust a type only if you know what it does: it can be anything, such as a function
        of your own package.

    Returns
    -------
    estimator : BaseEstimator
        The classifier, fitted.

    Raises
    ------
    MissingDependencyError
        If skops is missing, or too old to be safe.
    OSError
        If the file cannot be read.
    ValueError
        If it is no file of skops, has types that are not trusted, or holds something else
        than a fitted classifier; or if `trust` names a type that it does not have.

    Warns
    -----
    UserWarning
        Once, if the file was saved by another version of scikit-learn.

    References
    ----------
    .. [1] skops, "Secure persistence with skops."
       https://skops.readthedocs.io/en/stable/persistence.html

    Examples
    --------
    >>> from skcompare.gate import load_estimator
    >>> load_estimator("champion.pkl")
    Traceback (most recent call last):
        ...
    ValueError: 'champion.pkl' is a pickle by its name, and loading one runs any code ...
    """
    (estimator,) = load_estimators([path], trust=trust)
    return estimator


def load_estimators(
    paths: Sequence[str | os.PathLike[str]], *, trust: Iterable[str] = ()
) -> list[BaseEstimator]:
    """Several at once; each type of `trust` must be in one of the files."""
    if isinstance(trust, str):
        raise TypeError(
            f"`trust` must be a list of names of types. Got the text {trust!r}. Pass "
            f"[{trust!r}]."
        )
    names = [str(name) for name in trust]
    words = [repr(os.fspath(path)) for path in paths]
    contents = [_content(os.fspath(path)) for path in paths]
    skops_io = _skops_io()
    types = [
        _checked(skops_io.get_untrusted_types, content, who)
        for content, who in zip(contents, words, strict=True)
    ]
    _check_trust(names, types, words)
    for found, who in zip(types, words, strict=True):
        _check_types(found, names, who)
    return [
        _classifier(_loaded(skops_io, content, found, who), who)
        for content, found, who in zip(contents, types, words, strict=True)
    ]


def _content(path: str) -> bytes:
    """The bytes of a file that can be one of skops.

    They are read once, so that what is checked is what is loaded.
    """
    if path.lower().endswith(PICKLED):
        raise ValueError(_pickle_words(path, "by its name"))
    with open(path, "rb") as file:
        start = file.read(8)
        if start.startswith(PICKLES):
            raise ValueError(_pickle_words(path, "by its content"))
        if not start.startswith(b"PK"):
            raise ValueError(f"{path!r} is no file of skops. {HOW}")
        content = start + file.read()
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
    except (BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise ValueError(f"{path!r} is damaged: {error}. {HOW}") from None
    if SCHEMA not in [info.filename for info in infos]:
        raise ValueError(f"{path!r} is an archive, but none of skops. {HOW}")
    size = sum(info.file_size for info in infos)
    check_unpacked(repr(path), size, len(content), HOW)
    return content


def _pickle_words(path: str, how: str) -> str:
    return (
        f"{path!r} is a pickle {how}, and loading one runs any code that it brings. {HOW} "
        "Then pass that file."
    )


def _skops_io() -> Any:
    try:
        skops_io = import_module("skops.io")
        installed = version("skops")
    except ImportError as error:
        raise MissingDependencyError(
            "Loading a saved classifier needs skops. Install it: pip install "
            "'skcompare[skops]'."
        ) from error
    numbers = tuple(int(part) for part in installed.split(".")[:2] if part.isdigit())
    if numbers < LEAST_SKOPS:
        raise MissingDependencyError(
            f"skops {installed} lets some files run code despite its check. Install "
            f"{'.'.join(map(str, LEAST_SKOPS))} or newer: pip install 'skcompare[skops]'."
        )
    return skops_io


def _checked(get: Callable[..., Any], content: bytes, who: str, **given: Any) -> Any:
    """What skops makes of a file; a damaged one fails in any way."""
    try:
        return get(data=content, **given)
    except MemoryError:
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(
            f"{who} cannot be read by skops, and is damaged or made by another version "
            f"({reason[:200]}). {HOW}"
        ) from error


def _check_trust(
    names: Sequence[str], types: Sequence[Sequence[str]], words: Sequence[str]
) -> None:
    """Refuse names that no file has, which are misspelled or remained from before."""
    held = sorted({name for found in types for name in found})
    unknown = [name for name in names if name not in held]
    if unknown:
        needed = [name for name in held if name not in SAFE_TYPES]
        raise ValueError(
            f"`trust` names {', '.join(unknown)}, which is not among the types of "
            f"{' and '.join(words)} that need trust. These are: "
            f"{', '.join(needed) or 'none'}. Leave it out, or write one of them."
        )


def _check_types(found: Sequence[str], names: Sequence[str], who: str) -> None:
    lacking = [name for name in found if name not in SAFE_TYPES and name not in names]
    if lacking:
        options = " ".join(f"--trust {name}" for name in lacking)
        raise ValueError(
            f"{who} has types that are not trusted: {', '.join(lacking)}. They could run "
            "any code. If you know what they do and who made the file, pass "
            f"trust={lacking!r}, or on the command line {options}."
        )


def _loaded(skops_io: Any, content: bytes, types: Sequence[str], who: str) -> Any:
    """The object, with one warning for all about another version of scikit-learn."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = _checked(skops_io.loads, content, who, trusted=list(types))
    told = dict.fromkeys((one.category, str(one.message)) for one in caught)
    other = [one.message for one in caught if one.category is InconsistentVersionWarning]
    for category, message in told:
        if category is not InconsistentVersionWarning:
            warnings.warn(f"{who}: {message}", category, stacklevel=4)
    if other:
        first: Any = other[0]
        warnings.warn(
            f"{who} was saved by scikit-learn {first.original_sklearn_version}, and this "
            f"is {first.current_sklearn_version}: its answers may differ. Save it again by "
            "this version.",
            UserWarning,
            stacklevel=4,
        )
    return loaded


def _classifier(loaded: Any, who: str) -> BaseEstimator:
    """The object, if it is a fitted classifier whose trees can be followed."""
    is_one = isinstance(loaded, BaseEstimator)
    try:
        is_one = is_one and is_classifier(loaded) and hasattr(loaded, "predict")
        if is_one:
            check_is_fitted(loaded)
            check_contents(loaded)
            # One of an older version lacks parameters, and could not even be shown.
            loaded.get_params()
    except NotFittedError:
        raise ValueError(
            f"{who} holds {type(loaded).__name__} that is not fitted. Fit it, and save it "
            "again."
        ) from None
    except Exception as error:
        raise ValueError(
            f"{who} holds {type(loaded).__name__} that is not whole: {error}. {HOW}"
        ) from error
    if not is_one:
        raise ValueError(
            f"{who} holds {type(loaded).__name__}, and a classifier is needed. {HOW}"
        )
    return loaded
