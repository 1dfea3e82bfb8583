"""Loading of saved classifiers and regressors without running code from the file."""

import io
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from skcompare._core.atomic_write import check_unpacked
from skcompare._io.columns import is_older
from skcompare.exceptions import MissingDependencyError

# Ensembles that do not check the number of features of their trees.
UNCHECKED = ("sklearn.ensemble._forest", "sklearn.ensemble._gb")


class BrokenTreeError(ValueError):
    """Exception raised if a tree has nodes, features or records that do not exist."""


def check_contents(estimator: Any) -> None:
    """Check that all trees within an estimator are valid."""
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
    """Yield pairs of owner and object for each object within an estimator."""
    seen: dict[int, Any] = {}
    waiting: list[tuple[Any, Any]] = [(None, root)]
    while waiting:
        owner, value = waiting.pop()
        if isinstance(value, str | bytes | int | float | None) or id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, dict):
            waiting += [(owner, member) for member in value.values()]
        elif isinstance(value, list | tuple | set):
            waiting += [(owner, member) for member in value]
        elif isinstance(value, np.ndarray):
            if value.dtype == object:
                waiting += [(owner, member) for member in value.ravel()]
        else:
            yield owner, value
            attributes = getattr(value, "__dict__", {}).values()
            waiting += [(value, member) for member in attributes]


def _check_members(ensemble: Any) -> None:
    for member in np.asarray(ensemble.estimators_, dtype=object).ravel():
        _check(
            getattr(member, "n_features_in_", None) == ensemble.n_features_in_,
            "a tree has different features from its ensemble",
        )


def _check(holds: Any, message: str) -> None:
    if not holds:
        raise BrokenTreeError(message)


def _check_children(
    left: NDArray[Any], right: NDArray[Any], inner: NDArray[np.bool_]
) -> None:
    """Check that inner nodes have two children, which exist and come later."""
    places = np.arange(len(inner))
    for child in (left, right):
        after = (child > places) & (child < len(inner))
        _check(after[inner].all(), "a node of a tree has a child that does not exist")


def _check_tree(tree: Any, n_features: int | None) -> None:
    _check(0 < tree.node_count == tree.capacity, "a tree has a different number of nodes")
    _check(
        tree.n_features == n_features, "a tree has different features from its estimator"
    )
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
    exist = n_features is not None and ((used >= 0) & (used < n_features)).all()
    _check(exist, "a tree uses an unknown feature")
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
    # The numbers of levels and nodes are stored separately from the arrays.
    levels, counted = tree.__getstate__()[5:7]
    _check(
        counted == n_nodes == 2**levels - 1, "a search tree has a different number of nodes"
    )


CHECKS = {
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": _check_predictor,
    "sklearn.neighbors._ball_tree.BallTree": _check_search_tree,
    "sklearn.neighbors._kd_tree.KDTree": _check_search_tree,
    "sklearn.tree._tree.Tree": _check_tree,
}


SAFE_TYPES = frozenset(
    {
        # Arrays of nodes that compiled code follows without checking whether they exist;
        # `check_contents` does.
        *CHECKS,
        # Distances without parameters, in nearest neighbours. The weighted ones hold
        # arrays whose length nothing checks.
        "sklearn.metrics._dist_metrics.ChebyshevDistance64",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.metrics._dist_metrics.ManhattanDistance64",
        # Parameters of a calibration, and its classifier.
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.calibration._TemperatureScaling",
        # State of training; prediction uses none of them.
        "sklearn.model_selection._split.KFold",
        "sklearn.model_selection._split.StratifiedKFold",
        "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
        "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
        # Dictionaries with names, and the predictor of a class that training did not have.
        "sklearn.multiclass._ConstantPredictor",
        "sklearn.utils._bunch.Bunch",
        "sklearn.utils._metadata_requests.MetadataRequest",
        "sklearn.utils._metadata_requests.MethodMetadataRequest",
        # A binary Gaussian process, and functions of numbers as objects.
        "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
        "sklearn.gaussian_process.kernels.ConstantKernel",
        "sklearn.gaussian_process.kernels.DotProduct",
        "sklearn.gaussian_process.kernels.Matern",
        "sklearn.gaussian_process.kernels.Product",
        "sklearn.gaussian_process.kernels.RBF",
        "sklearn.gaussian_process.kernels.RationalQuadratic",
        "sklearn.gaussian_process.kernels.Sum",
        "sklearn.gaussian_process.kernels.WhiteKernel",
        # Scores of searches and thresholds: functions of arrays, and scorers.
        "sklearn.feature_selection._univariate_selection.chi2",
        "sklearn.feature_selection._univariate_selection.f_classif",
        "sklearn.feature_selection._univariate_selection.f_regression",
        "sklearn.metrics._classification.accuracy_score",
        "sklearn.metrics._classification.balanced_accuracy_score",
        "sklearn.metrics._classification.f1_score",
        "sklearn.metrics._classification.log_loss",
        "sklearn.metrics._ranking.average_precision_score",
        "sklearn.metrics._ranking.roc_auc_score",
        "sklearn.metrics._regression.mean_absolute_error",
        "sklearn.metrics._regression.mean_squared_error",
        "sklearn.metrics._regression.median_absolute_error",
        "sklearn.metrics._regression.r2_score",
        "sklearn.metrics._regression.root_mean_squared_error",
        "sklearn.metrics._scorer._CurveScorer",
        "sklearn.metrics._scorer._PassthroughScorer",
        "sklearn.metrics._scorer._Scorer",
        # Choice of columns by type, with the two types that it holds.
        "builtins.object",
        "numpy.dtype",
        "sklearn.compose._column_transformer.make_column_selector",
    }
)
"""Exact names of types; others must be trusted by the person who loads the file."""


LEAST_SKOPS = (0, 16)
"""Before 0.13, files can run code despite the check (CVE-2025-54412, -54413 and -54886);
before 0.16, they can name older and laxer forms of it."""

INSTALL_SKOPS = f"pip install 'skops>={'.'.join(map(str, LEAST_SKOPS))}'"

SCHEMA = "schema.json"
PICKLED = (".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle", ".sav")
# The first bytes of pickles, and of joblib's compressed ones: zlib, gzip, bz2, xz and lz4.
ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
PICKLES = (b"\x80", *ZLIB, b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x5d\x00", b"\x04\x22M\x18")
HOW = "Save the fitted classifier by `skops.io.dump(classifier, 'name.skops')`."


def load_estimator(
    path: str | os.PathLike[str], *, trust: Iterable[str] = ()
) -> BaseEstimator:
    """Load a fitted estimator saved by skops, without running code from the file.

    A pickle, including those of joblib, runs any code that it contains when it is loaded,
    so none is ever opened here. A file of skops [1]_ lists the types that it contains, and
    is loaded only if each of them is trusted: by skops itself, by a reviewed list of
    further types in scikit-learn's usual estimators, or by you. The nodes of trees are
    checked, because compiled code follows them without checks.

    This prevents a file from running code. It does not make its predictions correct, and a
    malicious file may still end the process while it predicts, which does not pass.

    Parameters
    ----------
    path : str or path-like
        The file.
    trust : iterable of str, default=()
        Exact names of further types that may be loaded, each of which the file must have.
        Trust a type only if you know its effects: it can be anything, such as a function of
        your own package.

    Returns
    -------
    estimator : BaseEstimator
        The classifier or regressor, fitted.

    Raises
    ------
    MissingDependencyError
        If skops is missing, or too old to be safe.
    OSError
        If the file cannot be read.
    ValueError
        If it is not a file of skops, has types that are not trusted, or holds something
        else than a fitted classifier or regressor; or if `trust` names a type that it does
        not have.

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
    """Load several estimators; each type of `trust` must be in one of the files."""
    if isinstance(trust, str):
        raise TypeError(
            f"`trust` must be a list of names of types. Got the text {trust!r}. Pass "
            f"[{trust!r}]."
        )
    names = [str(name) for name in trust]
    contents = {repr(os.fspath(path)): _content(os.fspath(path)) for path in paths}
    skops_io = _skops_io()
    types = {
        label: _checked(skops_io.get_untrusted_types, content, label)
        for label, content in contents.items()
    }
    _check_trust(names, types)
    for label, own_types in types.items():
        _check_types(own_types, names, label)
    return [
        _predictor(_loaded(skops_io, content, types[label], label), label)
        for label, content in contents.items()
    ]


def _content(path: str) -> bytes:
    """Read the bytes of a file, and check that the format is that of skops.

    They are read once, so that the checked bytes are those that are loaded.
    """
    if path.lower().endswith(PICKLED):
        raise ValueError(_pickle_message(path, "by its name"))
    with open(path, "rb") as file:
        start = file.read(8)
        if start.startswith(PICKLES):
            raise ValueError(_pickle_message(path, "by its content"))
        if not start.startswith(b"PK"):
            raise ValueError(f"{path!r} is not a file of skops. {HOW}")
        content = start + file.read()
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
    except (BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise ValueError(f"{path!r} is damaged: {error}. {HOW}") from None
    if SCHEMA not in [info.filename for info in infos]:
        raise ValueError(f"{path!r} is an archive, but not one of skops. {HOW}")
    size = sum(info.file_size for info in infos)
    check_unpacked(repr(path), size, len(content), HOW)
    return content


def _pickle_message(path: str, how: str) -> str:
    return (
        f"{path!r} is a pickle {how}, and loading one runs any code that it contains. "
        f"{HOW} Then pass that file."
    )


def _skops_io() -> Any:
    try:
        skops_io = import_module("skops.io")
        installed = version("skops")
    except ImportError as error:
        raise MissingDependencyError(
            f"Loading a saved classifier needs skops. Install it: {INSTALL_SKOPS}."
        ) from error
    if is_older(installed, LEAST_SKOPS):
        raise MissingDependencyError(
            f"skops {installed} lets some files run code despite its check. Install "
            f"a newer one: {INSTALL_SKOPS}."
        )
    return skops_io


def _checked(read: Callable[..., Any], content: bytes, label: str, **options: Any) -> Any:
    """Call a function of skops, and raise a ValueError for any error of a damaged file."""
    try:
        return read(data=content, **options)
    except MemoryError:
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(
            f"{label} cannot be read by skops, and is damaged or made by another version "
            f"({reason[:200]}). {HOW}"
        ) from error


def _check_trust(names: Sequence[str], types: Mapping[str, Sequence[str]]) -> None:
    """Raise an error if a trusted type occurs in none of the files."""
    present = sorted({name for own_types in types.values() for name in own_types})
    unknown = [name for name in names if name not in present]
    if unknown:
        needed = [name for name in present if name not in SAFE_TYPES]
        raise ValueError(
            f"`trust` names {', '.join(unknown)}, which is not among the types of "
            f"{' and '.join(types)} that need trust. These are: "
            f"{', '.join(needed) or 'none'}. Leave it out, or write one of them."
        )


def _check_types(types: Sequence[str], names: Sequence[str], label: str) -> None:
    untrusted = [name for name in types if name not in SAFE_TYPES and name not in names]
    if untrusted:
        options = " ".join(f"--trust {name}" for name in untrusted)
        raise ValueError(
            f"{label} has types that are not trusted: {', '.join(untrusted)}. They could "
            "run any code. If you know what they do and who made the file, pass "
            f"trust={untrusted!r}, or on the command line {options}."
        )


def _loaded(skops_io: Any, content: bytes, types: Sequence[str], label: str) -> Any:
    """Load the object, with a single warning about another version of scikit-learn."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = _checked(skops_io.loads, content, label, trusted=list(types))
    messages = dict.fromkeys((w.category, str(w.message)) for w in caught)
    inconsistent = [w.message for w in caught if w.category is InconsistentVersionWarning]
    for category, message in messages:
        if category is not InconsistentVersionWarning:
            warnings.warn(f"{label}: {message}", category, stacklevel=4)
    if inconsistent:
        warning: Any = inconsistent[0]
        warnings.warn(
            f"{label} was saved by scikit-learn {warning.original_sklearn_version}, and "
            f"this is {warning.current_sklearn_version}: its predictions may differ. Save "
            "it again by this version.",
            UserWarning,
            stacklevel=4,
        )
    return loaded


def _predictor(loaded: Any, label: str) -> BaseEstimator:
    """Check that an object is a fitted predictor with intact trees, and return it."""
    is_suitable = isinstance(loaded, BaseEstimator)
    try:
        is_suitable = is_suitable and (is_classifier(loaded) or is_regressor(loaded))
        is_suitable = is_suitable and hasattr(loaded, "predict")
        if is_suitable:
            check_is_fitted(loaded)
            check_contents(loaded)
            # One of an older version lacks parameters, and could not even be displayed.
            loaded.get_params()
    except NotFittedError:
        raise ValueError(
            f"{label} holds {type(loaded).__name__} that is not fitted. Fit it, and save "
            "it again."
        ) from None
    except Exception as error:
        raise ValueError(
            f"{label} holds {type(loaded).__name__} that is not whole: {error}. {HOW}"
        ) from error
    if not is_suitable:
        raise ValueError(
            f"{label} holds {type(loaded).__name__}, and a classifier or regressor is "
            f"needed. {HOW}"
        )
    return loaded
