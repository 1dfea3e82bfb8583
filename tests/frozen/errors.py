"""What bad input is told: some hundreds of messages."""

import inspect
import warnings

import numpy as np
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import skcompare.evidence
import skcompare.stats
from skcompare import (
    BlockRegularized5x2CV,
    BlockRegularizedMx2CV,
    MultipleComparator,
    PairedComparator,
    PairedEstimator,
    compare,
    compare_cv_results,
    compare_scores,
    cross_compare,
)
from skcompare._registry.tests import paired_tests
from skcompare.evidence import ContingencyTable, JointCounts, PairedLosses, PlacementValues
from skcompare.gate import AnyOf, Equivalent, Gate, NonInferior, Superior
from skcompare.metrics import get_scorer, metrics
from tests.common.subjects import Subject
from tests.frozen.results import said

X, Y = make_classification(80, random_state=0)
A, B = 1 - Y, Y.copy()
P = np.column_stack([0.3 + 0 * Y, 0.7 + 0 * Y])
NAN, LONG = np.where(np.arange(80) == 3, np.nan, 0.5), np.zeros(81, dtype=int)
PAIR = GaussianNB(), DummyClassifier()


def message(name, call):
    """What a call says, in one line; it must complain."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = call()
        except Exception as error:
            return f"{name} | {said(error)}"
    return f"{name} | no error: {type(result).__name__}"


def of_tests():
    """Options that no test has, and evidence of another kind."""
    for name, entry in sorted(paired_tests().items()):
        subject = Subject(entry)
        try:
            evidence = subject.evidence(subject.predictions(60, 0))
        except ValueError as error:
            yield f"{name} | {said(error)}"
            continue
        for option in entry.options:
            for value in ("no such thing", -7, None):
                yield message(
                    f"{name}, {option}={value!r}",
                    lambda run=entry.function, given=evidence, o=option, v=value: run(
                        given, **{o: v}
                    ),
                )
        yield message(f"{name} of None", lambda run=entry.function: run(None))
        yield message(f"{name} of a list", lambda run=entry.function: run([1, 2]))


def of_metrics():
    """Labels and probabilities that are none."""
    for name, entry in sorted(metrics().items()):
        labels = entry.response_method == "predict"
        right = Y if labels else P
        cases = {
            "other lengths": (LONG, right),
            "nothing": ([], []),
            "missing truth": (NAN, right),
            "missing predictions": (Y, NAN if labels else np.where(P > 0.5, np.nan, P)),
            "beyond 1": (Y, 3 * P),
            "no sum of 1": (Y, P / 2),
            "three columns": (Y, np.full((80, 3), 1 / 3)),
            "words": (Y, np.full(80, "perhaps")),
            "a table of truth": (np.column_stack([Y, Y]), right),
            "floats of truth": (Y + 0.5, right),
        }
        for what, given in cases.items():
            yield message(
                f"{name}, {what}", lambda run=entry.function, given=given: run(*given)
            )


def of_constructors():
    """Evidence of numbers that are none."""
    for name in sorted(skcompare.evidence.__all__):
        kind = getattr(skcompare.evidence, name)
        if not inspect.isclass(kind) or not hasattr(kind, "from_predictions"):
            continue
        make = kind.from_predictions
        for what, given in {
            "nothing": ([], [], []),
            "other lengths": (Y, A, LONG),
            "missing": (Y, NAN, NAN),
            "tables": (np.column_stack([Y, Y]), A, B),
            "words": (Y, np.full(80, "a"), np.full(80, "b")),
            "None": (None, None, None),
        }.items():
            yield message(f"{name}, {what}", lambda make=make, given=given: make(*given))
    yield message("negative cells", lambda: ContingencyTable(-1, 2, 3, 4))
    yield message("cells of words", lambda: ContingencyTable("a", 2, 3, 4))
    yield message("losses of nan", lambda: PairedLosses.from_losses(NAN, NAN))
    yield message("losses of none", lambda: PairedLosses.from_losses([], []))
    yield message("unknown loss", lambda: PairedLosses.from_predictions(Y, P, P, loss="x"))
    yield message("one class", lambda: PlacementValues.from_predictions(0 * Y, NAN, NAN))
    yield message("add", lambda: ContingencyTable(1, 2, 3, 4) + 1)
    yield message("add others", lambda: JointCounts.from_predictions(Y, A, B) + "a")


COMPARED = {
    "no dict": lambda: compare(Y, A),
    "one": lambda: compare(Y, {"a": A}),
    "names": lambda: compare(Y, {"a": A, 3: B}),
    "empty name": lambda: compare(Y, {"a": A, " ": B}),
    "lengths": lambda: compare(Y, {"a": A, "b": LONG}),
    "nothing": lambda: compare([], {"a": [], "b": []}),
    "missing": lambda: compare(Y, {"a": A, "b": NAN}),
    "missing truth": lambda: compare(NAN, {"a": A, "b": B}),
    "truth twice": lambda: compare(Y, {"a": A, "b": B}, y_true=Y),
    "unknown label": lambda: compare(Y, {"a": A, "b": 7 * B}),
    "words": lambda: compare(Y, {"a": A, "b": np.full(80, "b")}),
    "beyond 1": lambda: compare(Y, {"a": P, "b": 3 * P}),
    "no sum": lambda: compare(Y, {"a": P, "b": P / 2}),
    "columns": lambda: compare(Y, {"a": P, "b": np.full((80, 3), 1 / 3)}),
    "scoring": lambda: compare(Y, {"a": A, "b": B}, scoring="acuracy"),
    "scoring None": lambda: compare(Y, {"a": A, "b": B}, scoring=None),
    "scoring of scores": lambda: compare(Y, {"a": A, "b": B}, scoring="roc_auc"),
    "scoring without truth": lambda: compare(None, {"a": A, "b": B}, scoring="f1"),
    "tests": lambda: compare(Y, {"a": A, "b": B}, tests="mcnemr"),
    "no tests": lambda: compare(Y, {"a": A, "b": B}, tests=[]),
    "test option": lambda: compare(Y, {"a": A, "b": B}, tests={"mcnemar": {"x": 1}}),
    "alpha": lambda: compare(Y, {"a": A, "b": B}, alpha=0),
    "alternative": lambda: compare(Y, {"a": A, "b": B}, alternative="bigger"),
    "adjust": lambda: compare(Y, {"a": A, "b": B}, adjust="tukey"),
    "max-t of two": lambda: compare(Y, {"a": A, "b": B}, adjust="max-t"),
    "control": lambda: compare(Y, {"a": A, "b": B}, control="a"),
    "pos_label": lambda: compare(Y, {"a": A, "b": B}, pos_label="x"),
    "groups": lambda: compare(Y, {"a": A, "b": B}, groups=[1, 2]),
    "weights of groups": lambda: compare(Y, {"a": A, "b": B}, groups=NAN),
    "roles": lambda: compare(Y, {"challenger": A, "champion": B}),
    "file": lambda: compare("missing.csv", {"a": "a", "b": "b"}, y_true="y"),
    "scores": lambda: compare_scores([1, 2], [1]),
    "scores missing": lambda: compare_scores([1, np.nan], [1, 2]),
    "scores of nothing": lambda: compare_scores([], []),
    "scores alone": lambda: compare_scores([1, 2]),
    "cv results": lambda: compare_cv_results({}, {}, X, Y),
    "cv results of a list": lambda: compare_cv_results([1], [2], X, Y),
}


def fitted(*roles, data=(X, Y), kind=PairedComparator, **settings):
    return lambda: kind(*(roles or PAIR), **settings).fit(*data)


NAMED = [("a", GaussianNB()), ("b", DummyClassifier()), ("c", GaussianNB())]
RARE = np.repeat([0, 1], [78, 2])
FITS = {
    "alpha": fitted(alpha=2),
    "alternative": fitted(alternative="bigger"),
    "adjust": fitted(adjust="holms"),
    "n_jobs": fitted(n_jobs="two"),
    "verbose": fitted(verbose="much"),
    "random_state": fitted(random_state="zero"),
    "refit": fitted(refit="yes"),
    "scoring": fitted(scoring="acuracy"),
    "scoring of a number": fitted(scoring=3),
    "scoring of scores": fitted(GaussianNB(), LinearSVC(), scoring="binary_brier_loss"),
    "scoring of a champion": fitted(scoring="mcnemar"),
    "tests": fitted(tests="mcnemr"),
    "test option": fitted(tests={"bcv_mcnemar": {"rho1": 5}}),
    "test of another design": fitted(cv=KFold(5), tests="bcv_mcnemar"),
    "cv": fitted(cv="prefitted"),
    "folds": fitted(cv=1),
    "too many folds": fitted(cv=StratifiedKFold(60)),
    "no split": fitted(cv=[]),
    "overlap": fitted(cv=[(range(80), range(5))]),
    "beyond": fitted(cv=[([0, 1, 500], [2])]),
    "prefit": fitted(cv="prefit"),
    "classes": fitted(GaussianNB, GaussianNB()),
    "regressor": fitted(GaussianNB(), __import__("sklearn.svm").svm.SVR()),
    "no estimator": fitted("a", "b"),
    "rare class": fitted(data=(X, RARE)),
    "one class": fitted(data=(X, 0 * Y)),
    "numbers": fitted(data=(X, X[:, 0])),
    "lengths": fitted(data=(X, Y[:-1])),
    "missing labels": fitted(data=(X, np.where(np.arange(80) == 2, np.nan, Y))),
    "pos_label": fitted(pos_label="x", scoring="f1"),
    "few": fitted(data=(X[:6], Y[:6])),
    "failing": fitted(GaussianNB(priors=[0.1, 0.2, 0.7]), GaussianNB()),
    "two": fitted(NAMED[:2], kind=MultipleComparator),
    "names": fitted([*NAMED, NAMED[0]], kind=MultipleComparator),
    "no names": fitted([GaussianNB()] * 3, kind=MultipleComparator),
    "control": fitted(NAMED, kind=MultipleComparator, control="d"),
    "direction": fitted(NAMED, kind=MultipleComparator, alternative="greater"),
    "several tests": fitted(NAMED, kind=MultipleComparator, tests="yule_q"),
    "max-t": fitted(NAMED, kind=MultipleComparator, adjust="max-t"),
    "pair": fitted(GaussianNB, GaussianNB(), kind=PairedEstimator),
    "pair predicts": lambda: PairedEstimator(*PAIR).fit(X, Y).predict(X),
    "not fitted": lambda: PairedComparator(*PAIR, refit=True).predict(X),
    "not refitted": lambda: PairedComparator(*PAIR).fit(X, Y).predict(X),
    "crossed": lambda: cross_compare({"a": GaussianNB()}, X, Y, scoring="acuracy"),
    "crossed names": lambda: cross_compare([GaussianNB()], X, Y),
    "crossed none": lambda: cross_compare({}, X, Y),
    "crossed error_score": lambda: cross_compare(dict(NAMED), X, Y, error_score="x"),
    "repeats": lambda: [*BlockRegularizedMx2CV(0).split(X, Y)],
    "stratify": lambda: [*BlockRegularized5x2CV(stratify=1).split(X, Y)],
    "records": lambda: [*BlockRegularized5x2CV().split(X[:5], Y[:5])],
    "stratify numbers": lambda: [*BlockRegularized5x2CV().split(X, X[:, 0])],
    "groups": lambda: [*BlockRegularized5x2CV().split(X, Y, groups=Y)],
}
ONE_BETTER = {"a": A, "b": B}
JUDGED = {
    "no condition": lambda: Gate(),
    "no measure": lambda: Superior("acuracy"),
    "no margin": lambda: NonInferior("accuracy"),
    "margin": lambda: NonInferior("accuracy", margin=-1),
    "margin of words": lambda: NonInferior("accuracy", margin="a"),
    "equivalent": lambda: Equivalent("accuracy", margin=0),
    "test": lambda: Superior("accuracy", test="mcnemr"),
    "option": lambda: Superior("accuracy", test="mcnemar", options={"x": 1}),
    "any of one": lambda: AnyOf(Superior("accuracy")),
    "any of words": lambda: AnyOf("accuracy", "f1"),
    "alpha": lambda: Gate(Superior("accuracy"), alpha=2),
    "min_records": lambda: Gate(Superior("accuracy"), min_records=0),
    "three": lambda: Gate(Superior("accuracy")).decide(Y, {**ONE_BETTER, "c": A}),
    "lengths": lambda: Gate(Superior("accuracy")).decide(Y, {"a": A, "b": LONG}),
    "no truth": lambda: Gate(Superior("accuracy")).decide(None, ONE_BETTER),
    "where": lambda: Gate(Superior("accuracy", where={"x": 1})).decide(Y, ONE_BETTER),
    "blind": lambda: Gate(Superior("accuracy")).decide(Y, ONE_BETTER, blind=True),
    "labels": lambda: Gate(Superior("accuracy")).decide(Y, {"a": A, "b": 3 * B}),
    "scorer": lambda: get_scorer("acuracy"),
}


def of_public_functions():
    """Planning and the rest of the statistics, called without sense."""
    for name in sorted(skcompare.stats.__all__):
        function = getattr(skcompare.stats, name)
        if inspect.isclass(function) or not callable(function) or name in paired_tests():
            continue
        for what, given in {"nothing": (), "words": ("a", "b"), "None": (None,)}.items():
            yield message(f"{name} of {what}", lambda run=function, g=given: run(*g))


def lines():
    """A line for each."""
    yield from of_tests()
    yield from of_metrics()
    yield from of_constructors()
    yield from of_public_functions()
    for room, calls in (("compare", COMPARED), ("fit", FITS), ("gate", JUDGED)):
        for name, call in calls.items():
            yield message(f"{room}, {name}", call)
