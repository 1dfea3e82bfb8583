"""Public names with their signatures, flags, registries, and how often is fitted."""

import inspect
import re
import warnings
from importlib import import_module

from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import skcompare
from skcompare import MultipleComparator, PairedComparator, PairedEstimator, cross_compare
from skcompare._core.flags import FLAG_TEXTS, explain
from skcompare._registry.metrics import record_losses
from skcompare._registry.tests import paired_tests
from skcompare.metrics import get_scorer_names, metrics

ROOMS = (
    "skcompare",
    *(
        f"skcompare.{name}"
        for name in (
            "comparators", "datasets", "evidence", "exceptions", "gate", "metrics",
            "model_selection", "plots", "predictions", "reports", "stats",
        )
    ),
)  # fmt: skip
PLAIN = re.compile(r" at 0x[0-9a-f]+|skcompare(\.\w+)*\.(?=\w)")


def signature(thing):
    """The parameters of something, if it has any."""
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""
    return PLAIN.sub("", text)


def members(kind):
    """The public methods and properties of a class, its own and inherited ones of ours."""
    for name in sorted(dir(kind)):
        owner = next((base for base in kind.__mro__ if name in vars(base)), None)
        if name.startswith("_") or owner is None or not owner.__module__.startswith("skc"):
            continue
        member = inspect.getattr_static(kind, name)
        if isinstance(member, property):
            yield f"    .{name}"
        elif callable(getattr(kind, name)):
            yield f"    .{name}{signature(getattr(kind, name))}"


def public_names():
    """Every name that a public room offers."""
    for room in ROOMS:
        module = import_module(room)
        for name in sorted(module.__all__):
            thing = getattr(module, name)
            kind = "class" if inspect.isclass(thing) else type(thing).__name__
            yield f"{room}.{name} {kind} {signature(thing) if callable(thing) else ''}"
            if inspect.isclass(thing):
                yield from members(thing)


def registries():
    """What is registered, by name."""
    for name, entry in sorted(paired_tests().items()):
        needs = getattr(entry.needs, "__name__", entry.needs)
        yield (
            f"test {name} | {entry.title} | {entry.kind} | {', '.join(entry.designs)} | "
            f"{', '.join(map(str, entry.measures))} | {', '.join(entry.references)} | "
            f"{entry.question} | {entry.inference} | {', '.join(entry.options)} | "
            f"{', '.join(entry.evidence_options)} | {needs} | {entry.caution}"
        )
    for name, entry in sorted(metrics().items()):
        yield (
            f"metric {name} | {entry.title} | {entry.scorer_name} | "
            f"{entry.response_method} | {entry.greater_is_better} | {entry.instead}"
        )
    for name, entry in sorted(record_losses().items()):
        yield f"loss {name} | {entry.title} | {entry.measures} | {entry.bound}"
    yield f"scorers {', '.join(get_scorer_names())}"


def flags():
    """Every flag with its words."""
    for code in [*FLAG_TEXTS]:
        explain([code])
    for code in sorted(FLAG_TEXTS):
        yield f"flag {code} | {FLAG_TEXTS[code]}"


class Counting(GaussianNB):
    """Counts all fits."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counting.fits += 1
        return super().fit(X, y, sample_weight)


def numbers_of_fits():
    """What a comparison costs."""
    X, y = make_classification(120, random_state=0)
    three = [(name, Counting()) for name in "abc"]
    pair = Counting(), Counting()
    ways = {
        "pair": PairedComparator(*pair),
        "pair, folds": PairedComparator(*pair, cv=StratifiedKFold(5)),
        "pair, refit": PairedComparator(*pair, refit=True),
        "pair, twice": PairedComparator(*pair, check_reproducible=True),
        "three": MultipleComparator(three),
        "together": PairedEstimator(*pair),
    }
    runs = {name: lambda one=one: one.fit(X, y) for name, one in ways.items()}
    runs["cross_compare"] = lambda: cross_compare(dict(three), X, y, cv=4)
    for name, run in runs.items():
        Counting.fits = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run()
        yield f"fits {name} | {Counting.fits}"


def lines():
    """Names, registries, flags and fits."""
    assert skcompare.__version__
    yield from public_names()
    yield from registries()
    yield from flags()
    yield from numbers_of_fits()
