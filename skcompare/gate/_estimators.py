"""Saved classifiers, loaded without running code that a file brings."""

import io
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any
from zipfile import BadZipFile, ZipFile

from sklearn.base import BaseEstimator, is_classifier
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from skcompare._core.atomic_write import check_unpacked
from skcompare.exceptions import MissingDependencyError
from skcompare.gate._safe_types import SAFE_TYPES
from skcompare.gate._tree_checks import check_contents

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

    .. versionadded:: 0.1
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
