"""Comparisons in every form: text, Markdown, HTML, JSON and a frame."""

import json
import re
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skcompare import (
    BlockRegularized5x2CV,
    MultipleComparator,
    PairedComparator,
    PairedEstimator,
    compare,
    compare_cv_results,
    compare_scores,
    make_paired_scorer,
)
from skcompare.evidence import (
    ClusterSums,
    CorrectnessPatterns,
    JointCounts,
    PlacementValues,
)
from skcompare.stats import (
    pairwise_delong,
    pairwise_mcnemar,
    pairwise_precision,
    plan_auc_comparison,
    plan_comparison,
    precision_by_class,
)

DROPPED = re.compile(r"<(style|script|svg)\b.*?</\1>|<!--.*?-->", re.DOTALL)
"""Of a page: how it looks, and pictures, whose alternatives in words stay."""

ATTRIBUTES = re.compile(r'\s(class|style|id|role|scope|tabindex|[\w]+-[\w-]+)="[^"]*"')
DATA = re.compile(r"(data:[\w/+-]+;base64),[\w+/=]+")
"""The numbers of a page, which are those of its JSON."""


def plain_html(page):
    """The tags and the words of a page."""
    page = DROPPED.sub(lambda found: f"<{found.group(1) or 'comment'}/>", page)
    page = DATA.sub(r"\1", ATTRIBUTES.sub("", page))
    return "\n".join(line.strip() for line in page.splitlines() if line.strip())


def trees():
    return DecisionTreeClassifier(max_depth=2, random_state=0), GaussianNB()


def linear():
    return make_pipeline(StandardScaler(), LogisticRegression())


IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
EASY = make_classification(200, flip_y=0.1, random_state=1)
TEXT = np.array(["benign", "malignant"])


def predictions(n=300, seed=0, k=2, classes=2):
    """True labels, and the probabilities of k classifiers, each better than the last."""
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    columns = {}
    for name, skill in zip(("old", "new", "third", "fourth"), (0.8, 1.4, 1.5, 2.2)):
        odds = np.exp(rng.normal(size=(n, classes)) + skill * np.eye(classes)[y])
        columns[name] = odds / odds.sum(axis=1, keepdims=True)
    return y, dict([*columns.items()][:k])


def labels_of(y, columns):
    return y, {name: proba.argmax(axis=1) for name, proba in columns.items()}


def fitted(*roles, data=EASY, **settings):
    """A comparison of two that are fitted on the same splits."""
    fit = {"groups": settings.pop("groups")} if "groups" in settings else {}
    settings = {"random_state": 0} | settings
    return PairedComparator(*(roles or trees()), **settings).fit(*data, **fit).comparison_


def several(*names, data=IRIS, **settings):
    """A comparison of several that are fitted on the same splits."""
    known = {
        "prior": DummyClassifier(),
        "Bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
        "linear": linear(),
    }
    named = [(name, known[name]) for name in names or known]
    settings = {"random_state": 0} | settings
    return MultipleComparator(named, **settings).fit(*data).comparison_


def prefit(scoring="accuracy", data=CANCER, **settings):
    X, y = data
    pair = [one.fit(X[::2], y[::2]) for one in (GaussianNB(), linear())]
    return fitted(*pair, data=(X[1::2], y[1::2]), cv="prefit", scoring=scoring, **settings)


def of_cv_results(cv, **settings):
    X, y = EASY
    keep = {"return_estimator": True, "return_indices": True}
    pair = PairedEstimator(*trees(), random_state=0)
    output = cross_validate(pair, X, y, cv=cv, scoring=make_paired_scorer("f1"), **keep)
    return compare_cv_results(output, X=X, y=y, cv=cv, **settings)


def item_scores(**settings):
    rng = np.random.default_rng(2)
    old = rng.normal(0.5, 0.2, size=80)
    return compare_scores(old, old + rng.normal(0.03, 0.1, 80), **settings)


FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
GROUPS = np.arange(200) // 4
TWO, THREE = predictions(), predictions(classes=3, seed=1)
BLOCKS = BlockRegularized5x2CV(random_state=0)
MEASURES = ["accuracy", "roc_auc", "neg_log_loss", "f1"]
COMPARISONS = {
    "labels": lambda: compare(*labels_of(*TWO)),
    "labels, all tests": lambda: compare(*labels_of(*TWO), tests="all"),
    "labels, greater": lambda: compare(*labels_of(*TWO), alternative="greater"),
    "labels, level": lambda: compare(*labels_of(*TWO), alpha=0.2),
    "labels, alike": lambda: compare(TWO[0], dict.fromkeys("ab", TWO[0])),
    "labels, few": lambda: compare([0, 1, 1, 0], {"a": [0, 1, 1, 1], "b": [0, 1, 0, 0]}),
    "labels of three classes": lambda: compare(*labels_of(*THREE)),
    "precision of classes": lambda: compare(
        *labels_of(*THREE), scoring=["precision[0]", "recall[2]", "f1_macro"]
    ),
    "precision of all classes": lambda: compare(
        *labels_of(*THREE), scoring="precision_macro", tests="all"
    ),
    "words": lambda: compare(
        TEXT[TWO[0]],
        {name: TEXT[p.argmax(axis=1)] for name, p in TWO[1].items()},
        scoring=["sensitivity", "specificity"],
        pos_label="malignant",
    ),
    "named tests": lambda: compare(
        *labels_of(*TWO),
        tests={
            "mcnemar": {"method": "exact"},
            "bowker": {},
            "yule_q": {},
            "error_kappa": {},
        },
    ),
    "no truth": lambda: compare(None, labels_of(*THREE)[1]),
    "no truth, all": lambda: compare(None, labels_of(*THREE)[1], tests="all"),
    "groups": lambda: compare(*labels_of(*TWO), groups=np.arange(300) // 5),
    "groups, all": lambda: compare(*TWO, groups=np.arange(300) // 5, tests="all"),
    "probabilities": lambda: compare(*TWO, scoring=MEASURES),
    "probabilities, all": lambda: compare(*TWO, scoring=MEASURES, tests="all"),
    "probabilities of three": lambda: compare(
        *THREE, scoring=["roc_auc_ovr", "roc_auc_ovo", "multiclass_brier_loss"]
    ),
    "ranking": lambda: compare(*TWO, scoring=["roc_auc", "average_precision"]),
    "calibration": lambda: compare(
        *TWO, scoring=["squared_calibration_error", "expected_calibration_error"]
    ),
    "losses": lambda: compare(
        *TWO,
        scoring=["binary_brier_loss", "spherical_loss", "cost_weighted_loss"],
        adjust="none",
    ),
    "operating points": lambda: compare(
        *TWO, scoring=["sensitivity_at_specificity", "specificity_at_sensitivity"]
    ),
    "of the splitter": lambda: fitted(),
    "of the splitter, measures": lambda: fitted(scoring=MEASURES),
    "of the splitter, tests": lambda: fitted(tests=["bcv_mcnemar", "mcnemar"]),
    "of the splitter, macro": lambda: fitted(data=IRIS, scoring=["f1_macro", "accuracy"]),
    "of the splitter, class": lambda: fitted(data=IRIS, scoring="precision[2]"),
    "of the splitter, groups": lambda: fitted(groups=GROUPS),
    "equal": lambda: fitted(GaussianNB(), GaussianNB(), scoring=MEASURES),
    "folds": lambda: fitted(cv=FOLDS, scoring=MEASURES),
    "folds, all": lambda: fitted(cv=FOLDS, tests="all"),
    "repeated folds": lambda: fitted(
        cv=RepeatedKFold(n_splits=4, n_repeats=3, random_state=0)
    ),
    "5x2": lambda: fitted(
        cv=RepeatedKFold(n_splits=2, n_repeats=5, random_state=0), tests="paired_5x2_t"
    ),
    "repeated hold-out": lambda: fitted(cv=ShuffleSplit(8, random_state=0)),
    "one split": lambda: fitted(cv=ShuffleSplit(1, test_size=0.5, random_state=0)),
    "time": lambda: fitted(cv=TimeSeriesSplit(4)),
    "folds of groups": lambda: fitted(cv=GroupKFold(5), groups=GROUPS),
    "decision scores": lambda: fitted(
        LinearSVC(), LogisticRegression(), cv=FOLDS, scoring="roc_auc"
    ),
    "trained": lambda: prefit(),
    "trained, measures": lambda: prefit(MEASURES),
    "trained, greater": lambda: prefit("roc_auc", alternative="greater"),
    "no measure for the design": lambda: fitted(scoring="average_precision"),
    "less": lambda: fitted(GaussianNB(), DummyClassifier(), alternative="less"),
    "cross_validate": lambda: of_cv_results(BLOCKS),
    "cross_validate, AUC": lambda: of_cv_results(FOLDS, scoring="roc_auc"),
    "item scores": lambda: item_scores(),
    "item scores, greater": lambda: item_scores(alternative="greater"),
    "several": lambda: several(),
    "several, control": lambda: several(control="prior"),
    "several, greater": lambda: several(control="prior", alternative="greater"),
    "several, adjusted": lambda: several(adjust="hochberg"),
    "several, measures": lambda: several(scoring=["f1_macro", "accuracy"]),
    "several, folds": lambda: several(cv=FOLDS),
    "several of a hold-out": lambda: compare(*labels_of(*predictions(k=4))),
    "several of a hold-out, all": lambda: compare(*predictions(k=4), tests="all"),
    "several, max-t": lambda: compare(
        *predictions(k=3), scoring=["accuracy", "roc_auc"], adjust="max-t"
    ),
    "several, max-t, control": lambda: compare(
        *predictions(k=3), scoring="roc_auc", adjust="max-t", control="old"
    ),
    "several, precision": lambda: compare(
        *labels_of(*predictions(k=3)), scoring="precision", adjust="max-t"
    ),
    "several of groups": lambda: compare(
        *labels_of(*predictions(k=3)), groups=np.arange(300) // 5
    ),
}


def evidence(kind, k=2, classes=2, scores=False):
    """What tests take, of k classifiers."""
    y, columns = predictions(k=k, classes=classes, seed=3)
    given = [p[:, 1] if scores else p.argmax(axis=1) for p in columns.values()]
    names = {} if k == 2 else {"names": [*columns]}
    return kind.from_predictions(y, *given, **names)


TABLES = {
    "by class": lambda: precision_by_class(evidence(JointCounts, classes=3)),
    "by class, recall": lambda: precision_by_class(
        evidence(JointCounts, classes=4), score="recall", alternative="greater"
    ),
    "by class, hochberg": lambda: precision_by_class(
        evidence(JointCounts, classes=3), adjust="hochberg", confidence_level=0.9
    ),
    "plan": lambda: plan_comparison(0.80, 0.85, disagreement=0.15),
    "plan of AUCs": lambda: plan_auc_comparison(
        0.90, 0.92, correlation=0.5, prevalence=0.3
    ),
}
for way in ("holm", "max-t", "none"):
    for control in (None, "old"):
        settings = {"adjust": way, "control": control}
        TABLES |= {
            f"pairwise McNemar {settings}": lambda settings=settings: pairwise_mcnemar(
                evidence(CorrectnessPatterns, k=4), **settings
            ),
            f"pairwise DeLong {settings}": lambda settings=settings: pairwise_delong(
                evidence(PlacementValues, k=3, scores=True), **settings
            ),
            f"pairwise precision {settings}": lambda settings=settings: pairwise_precision(
                evidence(ClusterSums, k=3), **settings
            ),
        }


def forms(comparison):
    """A comparison in every form."""
    yield "text", str(comparison)
    yield "markdown", comparison.to_markdown()
    yield "html", plain_html(comparison.to_html())
    yield "json", json.dumps(json.loads(comparison.to_json()), indent=0, ensure_ascii=False)
    yield "frame", comparison.to_frame().to_csv()


def lines():
    """Every comparison in every form, each under a headline."""
    for name, make in COMPARISONS.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            comparison = make()
        for warning in caught:
            yield f"==== {name} | warning {warning.category.__name__}: {warning.message}"
        for form, text in forms(comparison):
            yield f"==== {name} | {form}"
            yield text
    for name, make in TABLES.items():
        result = make()
        yield f"==== {name} | text"
        yield str(result)
        if hasattr(result, "to_frame"):
            yield f"==== {name} | frame"
            yield result.to_frame().to_csv()
