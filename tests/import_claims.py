"""Claims about imports, for a process that has imported nothing yet.

``python -m tests.import_claims FOLDER NAME ...`` prints a JSON object: the result of each
claim, or its traceback. One process does for several, because most of its time is taken by
scikit-learn.
"""

import importlib
import json
import sys
import threading
import traceback
import types
from concurrent.futures import ThreadPoolExecutor

DOORS = {
    "gate": "GateDecision",
    "plots": "ContingencyDisplay",
    "reports": "Comparison",
}
ASKED = [
    "skcompare.PairedComparator",
    "len(skcompare.metrics.metrics())",
    "len(skcompare.stats.paired_tests())",
    "sklearn.metrics.get_scorer('sensitivity')",
    "skcompare.Comparison",
    "skcompare.evidence.JointCounts",
    "skcompare.BlockRegularized5x2CV",
    "len(skcompare.stats.paired_tests())",
]


def registered():
    """Names of all tests, metrics and losses, in their order."""
    from skcompare._registry.metrics import metrics, record_losses
    from skcompare._registry.tests import paired_tests

    return [list(paired_tests()), list(metrics()), list(record_losses())]


def first_import():
    """What is loaded with the package, and what a name scores then."""
    before = set(sys.modules)
    import skcompare

    new = set(sys.modules) - before
    heavy = [name for name in ("matplotlib", "polars", "pyspark") if name in sys.modules]
    from sklearn.datasets import load_iris
    from sklearn.metrics import _scorer, get_scorer, get_scorer_names
    from sklearn.model_selection import cross_val_score
    from sklearn.naive_bayes import GaussianNB

    ece = "neg_expected_calibration_error"
    known, loaded = ece in get_scorer_names(), "skcompare.metrics" in sys.modules
    X, y = load_iris(return_X_y=True)
    by_name = cross_val_score(GaussianNB(), X, y, scoring=ece, cv=2)
    scorer = skcompare.metrics.get_scorer(ece)
    by_object = cross_val_score(GaussianNB(), X, y, scoring=scorer, cv=2)
    return {
        "new": sorted(name.removeprefix("skcompare.") for name in new),
        "heavy": heavy,
        "known": known,
        "loaded": loaded,
        "by name": by_name.tolist(),
        "by object": by_object.tolist(),
        "shown": str(get_scorer(ece)),
        "kind": type(_scorer._SCORERS[ece]).__name__,
        "registered": registered(),
    }


def modules_of_others():
    """Whether our names are known beside a proxy that fails when it is asked."""
    from sklearn.metrics import _scorer, get_scorer_names

    class Proxy:
        def __call__(self): ...

        def __getattr__(self, name):
            raise RuntimeError("outside of a request")

    _scorer._SCORERS.pop("neg_binary_brier_loss")
    app = sys.modules["app"] = types.ModuleType("app")
    app.get_scorer_names, app.request = get_scorer_names, Proxy()
    try:
        importlib.import_module("skcompare")
    finally:
        del sys.modules["app"]
    return "neg_binary_brier_loss" in get_scorer_names()


def doors():
    """What is registered, whatever is imported first."""
    found = {}
    for door, name in DOORS.items():
        forget()
        getattr(importlib.import_module(f"skcompare.{door}"), name)
        found[door] = registered()
    return found


def threads():
    """Whether threads that ask at once find what is there when all has been loaded."""
    import sklearn.metrics

    import skcompare

    names = {"skcompare": skcompare, "sklearn": sklearn}
    start = threading.Barrier(len(ASKED))

    def find(line):
        start.wait()
        return eval(line, dict(names))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    with ThreadPoolExecutor(len(ASKED)) as pool:
        found = list(pool.map(find, ASKED))
    sys.setswitchinterval(interval)
    same = [str(eval(line, names)) == str(one) for line, one in zip(ASKED, found)]
    return {"same": same, "registered": registered()}


def entries_of_others():
    """What is registered after a metric of others, and what a name that is taken raises."""
    from skcompare.metrics import metric
    from skcompare.stats import paired_test

    register = metric("toy", response_method="predict", greater_is_better=True)
    register(lambda y_true, y_pred: 0.0)
    words = {"title": "", "kind": "difference", "measures": "accuracy", "references": ()}
    error = None
    try:
        paired_test("mcnemar", needs=int, designs=("holdout",), **words)(print)
    except ValueError as raised:
        error = str(raised)
    return {"error": error, "registered": registered()}


def forget():
    """Let the package be imported again."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "skcompare"]:
        del sys.modules[name]


CLAIMS = first_import, modules_of_others, doors, threads, entries_of_others


def main(folder, *names):
    """Print the results of claims; modules are compiled once, into a folder."""
    importlib.import_module("sklearn.model_selection")
    importlib.import_module("sklearn.metrics")
    if sys.dont_write_bytecode:
        sys.dont_write_bytecode, sys.pycache_prefix = False, folder
    results = {}
    for claim in CLAIMS:
        if claim.__name__ not in names:
            continue
        forget()
        try:
            results[claim.__name__] = claim()
        except Exception:
            results[claim.__name__] = traceback.format_exc()
    print(json.dumps(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
