"""Saved classifiers load without running code of a file, and nothing else loads."""

import json
import operator
import os
import pickle
import warnings
import zipfile
from functools import partial

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skcompare.exceptions import MissingDependencyError
from skcompare.gate import _skops as _estimators
from skcompare.gate import load_estimator
from skcompare.gate._skops import (
    SAFE_TYPES,
    BrokenTreeError,
    check_contents,
    load_estimators,
)

skops_io = pytest.importorskip("skops.io")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
Y = np.array(["no", "yes"])[(X[:, 0] + RNG.normal(size=90) > 0).astype(int)]
LINEAR = LogisticRegression()
TREE = DecisionTreeClassifier(max_depth=2)


def own_step(values):
    """A function that no list can know."""
    return values


USUAL = {
    "pipeline": make_pipeline(StandardScaler(), LINEAR),
    "imputed bins": make_pipeline(SimpleImputer(), KBinsDiscretizer(3), LinearSVC()),
    "selected": make_pipeline(SelectKBest(k=2), GaussianNB()),
    "logs": make_pipeline(FunctionTransformer(np.abs), SGDClassifier(loss="log_loss")),
    "path": LogisticRegressionCV(Cs=2, cv=2),
    "svc": SVC(),
    "tree": TREE,
    "forest": RandomForestClassifier(3, random_state=np.random.RandomState(0)),
    "extra trees": ExtraTreesClassifier(3),
    "bagging": BaggingClassifier(TREE, 3, max_features=0.5),
    "boosting": GradientBoostingClassifier(n_estimators=3),
    "histograms": HistGradientBoostingClassifier(max_iter=3),
    "early stop": HistGradientBoostingClassifier(max_iter=3, early_stopping=True),
    "neighbours": KNeighborsClassifier(algorithm="kd_tree"),
    "ball tree": KNeighborsClassifier(algorithm="ball_tree", p=1),
    "network": MLPClassifier(4, max_iter=3),
    "sgd network": MLPClassifier(4, solver="sgd", max_iter=3),
    "sigmoid": CalibratedClassifierCV(LINEAR, cv=2),
    "isotonic": CalibratedClassifierCV(TREE, method="isotonic", cv=2),
    "voting": VotingClassifier([("a", LINEAR), ("b", TREE)], voting="soft"),
    "stacking": StackingClassifier([("a", LINEAR), ("b", TREE)], cv=2),
    "search": GridSearchCV(LINEAR, {"C": [1, 2]}, cv=2, scoring="roc_auc"),
    "threshold": TunedThresholdClassifierCV(LINEAR, cv=2, thresholds=5),
    "process": GaussianProcessClassifier(),
}


def saved(tmp_path, estimator, name="new.skops"):
    """The path of an estimator that was saved."""
    path = tmp_path / name
    skops_io.dump(estimator, path)
    return path


def changed(path, change):
    """A file with another schema, as somebody who means harm would write it."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(files["schema.json"])
    files["schema.json"] = json.dumps(change(schema) or schema).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


QUICK = ["pipeline", "imputed bins", "selected", "logs", "svc", "forest", "histograms"]
QUICK += ["neighbours", "network", "isotonic", "search"]
OTHER = sorted(set(USUAL) - set(QUICK))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "names", [QUICK, pytest.param(OTHER, marks=pytest.mark.slow)], ids=["some", "others"]
)
def test_usual_classifiers_need_no_trust(tmp_path, names):
    """They load, and prediction as before."""
    for name in names:
        with warnings.catch_warnings():
            # Newer versions of scikit-learn deprecate some of their defaults.
            warnings.simplefilter("ignore", FutureWarning)
            fitted = USUAL[name].fit(X, Y)
            loaded = load_estimator(saved(tmp_path, fitted))

        assert type(loaded) is type(fitted)
        assert (loaded.predict(X) == fitted.predict(X)).all()


def test_usual_regressors_need_no_trust(tmp_path):
    """They load, and predict the same numbers."""
    for estimator in (
        make_pipeline(SelectKBest(f_regression, k=2), Ridge()),
        GridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=2, scoring="neg_mean_absolute_error"),
        RandomForestRegressor(3),
        HistGradientBoostingRegressor(max_iter=3),
        KNeighborsRegressor(algorithm="kd_tree"),
    ):
        fitted = estimator.fit(X, X[:, 0] + X[:, 1] ** 2)
        loaded = load_estimator(saved(tmp_path, fitted))

        assert (loaded.predict(X) == fitted.predict(X)).all()


def test_classifier_of_a_frame(tmp_path):
    """Columns that are chosen by name and by type."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd")).assign(
        site=np.where(X[:, 1] > 0, "n", "s")
    )
    chosen = make_column_selector(dtype_include="number")
    columns = make_column_transformer(
        (OneHotEncoder(), ["site"]), (StandardScaler(), chosen)
    )
    fitted = make_pipeline(columns, LINEAR).fit(frame, Y)

    loaded = load_estimator(saved(tmp_path, fitted))

    assert (loaded.predict(frame) == fitted.predict(frame)).all()


STEPS = [
    (own_step, "own_step"),
    (partial(np.log1p), "functools.partial"),
    (operator.methodcaller("sort"), "operator.methodcaller"),
    (operator.attrgetter("sort"), "operator.attrgetter"),
    (StandardScaler().fit, "StandardScaler.fit"),
]
if os.name == "posix":
    # Another module has it elsewhere.
    STEPS.append((os.system, "posix.system"))


def test_functions_are_refused(tmp_path):
    """Calls of any kind need trust, also in files that claim to be older."""
    pipeline = make_pipeline(FunctionTransformer(), LINEAR).fit(X, Y)
    n_saved = 0
    for step, name in STEPS:
        pipeline[0].func = step
        try:
            path = saved(tmp_path, pipeline)
        except TypeError:
            # No version of skops saves all of them.
            continue
        n_saved += 1
        for protocol in (None, 0, 1):
            if protocol is not None:
                changed(path, lambda schema, old=protocol: schema | {"protocol": old})

            with pytest.raises(ValueError, match=r"not trusted|cannot be read") as caught:
                load_estimator(path)

            if "cannot be read" not in str(caught.value):
                assert name in str(caught.value)
                assert "--trust" in str(caught.value)

    assert n_saved >= 4


@pytest.mark.parametrize(
    "loader", ["ConstructorFromReduceNode", "ObjectNode", "TypeNode", "ReduceNode"]
)
def test_nothing_of_a_file_runs(tmp_path, loader):
    """A constructor that starts a program, and a module that is never imported."""
    mark = tmp_path / "ran"
    (tmp_path / "harm.py").write_text(f"open({str(mark)!r}, 'w')")
    path = saved(tmp_path, LINEAR.fit(X, Y))

    def run_program(schema):
        argument = {
            "__class__": "str",
            "__module__": "builtins",
            "__loader__": "JsonNode",
            "content": json.dumps(["touch", str(mark)]),
            "is_json": True,
        }
        schema["content"]["content"]["C"] = {
            "__class__": "Popen",
            "__module__": "subprocess",
            "__loader__": loader,
            "content": {
                "__class__": "tuple",
                "__module__": "builtins",
                "__loader__": "TupleNode",
                "content": [argument],
            },
        }
        schema["content"]["content"]["tol"] = {
            "__class__": "harm",
            "__module__": "harm",
            "__loader__": "TypeNode",
        }

    changed(path, run_program)

    with pytest.raises(ValueError, match=r"not trusted|cannot be read"):
        load_estimator(path)
    assert not mark.exists()


def test_trusted_types_load(tmp_path):
    """Exact names let a type through, and only those that the file has."""
    pipeline = make_pipeline(FunctionTransformer(np.log), LINEAR).fit(X**2, Y)
    pipeline[0].func = partial(np.log)
    path = saved(tmp_path, pipeline)

    loaded = load_estimator(path, trust=["functools.partial"])

    assert (loaded.predict(X**2) == pipeline.predict(X**2)).all()
    with pytest.raises(ValueError, match=r"functools\.partia, which is not among"):
        load_estimator(path, trust=["functools.partia"])
    with pytest.raises(TypeError, match="must be a list"):
        load_estimator(path, trust="functools.partial")
    with pytest.raises(ValueError, match="not among"):
        load_estimator(path, trust=["functools.partial", "functools.*"])


def test_trust_is_for_several_files_together(tmp_path):
    """A type may be in one of the files only."""
    plain = saved(tmp_path, LINEAR.fit(X, Y), "old.skops")
    pipeline = make_pipeline(FunctionTransformer(partial(np.abs)), LINEAR).fit(X, Y)
    other = saved(tmp_path, pipeline)

    loaded = load_estimators([plain, other], trust=["functools.partial"])

    assert ["LogisticRegression", "Pipeline"] == [type(one).__name__ for one in loaded]


def test_pickles_are_refused(tmp_path):
    """By their name or by their first bytes; with what to do instead."""
    model = LINEAR.fit(X, Y)
    paths = [tmp_path / name for name in ("a.joblib", "a.pkl", "a.skops")]
    joblib.dump(model, paths[0])
    for path in paths[1:]:
        path.write_bytes(pickle.dumps(model))
    for how in ("zlib", "gzip", "bz2", "lzma", "xz"):
        paths.append(tmp_path / f"{how}.skops")
        joblib.dump(model, paths[-1], compress=how)

    for path in paths:
        with pytest.raises(ValueError, match=r"is a pickle by its .* `skops.io.dump"):
            load_estimator(path)


def test_other_files_are_refused(tmp_path):
    """Files of other kinds and broken archives."""
    for content in [b"", b"y,old,new\n", b"PK", b"PK\x03\x04" + b"a" * 99]:
        path = tmp_path / "new.skops"
        path.write_bytes(content)

        with pytest.raises(ValueError, match=r"not a file of skops|is damaged"):
            load_estimator(path)


def test_other_archives_are_refused(tmp_path):
    """Arrays of NumPy are archives too."""
    path = tmp_path / "new.skops"
    with path.open("wb") as file:
        np.savez(file, a=X)

    with pytest.raises(ValueError, match="an archive, but not one of skops"):
        load_estimator(path)


def test_archives_that_swell_are_refused(tmp_path, monkeypatch):
    """A file whose content is far larger than it is never unpacked."""
    monkeypatch.setattr("skcompare._core.atomic_write.ALWAYS_FINE", 1000)
    path = tmp_path / "new.skops"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", b" " * 1_000_000)

    with pytest.raises(ValueError, match="1,000,000 bytes"):
        load_estimator(path)


def test_damaged_files_are_refused(tmp_path):
    """A file that was cut, or whose bytes changed, loads as it was or not at all."""
    path = saved(tmp_path, make_pipeline(StandardScaler(), TREE).fit(X, Y))
    whole, expected = path.read_bytes(), load_estimator(path).predict_proba(X)
    rng = np.random.default_rng(0)
    refused = {"cut": 0, "changed": 0}
    for k in range(60):
        content = bytearray(whole)
        if k % 2:
            del content[rng.integers(len(whole)) :]
        else:
            content[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        path.write_bytes(bytes(content))
        try:
            loaded = load_estimator(path)
        except ValueError:
            refused["cut" if k % 2 else "changed"] += 1
        else:
            assert expected.tolist() == loaded.predict_proba(X).tolist()

    assert 30 == refused["cut"]
    assert 10 < refused["changed"]


def test_other_schemas_are_refused(tmp_path):
    """Nothing in the file leads to another error."""
    for schema in [
        b"",
        b"[]",
        b"{}",
        b"null",
        b'{"protocol": 2}',
        b'{"protocol": 99}',
        b"[" * 9999,
    ]:
        path = tmp_path / "new.skops"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("schema.json", schema)

        with pytest.raises(ValueError, match="cannot be read by skops"):
            load_estimator(path)


def test_only_fitted_predictors(tmp_path):
    """What does not predict, or has learned nothing, cannot be judged."""
    for held, words in [
        (LINEAR, "is not fitted"),
        (StandardScaler().fit(X), "a classifier or regressor is needed"),
        ({"a": 1}, "a classifier or regressor is needed"),
        (X, "a classifier or regressor is needed"),
    ]:
        held = LogisticRegression() if held is LINEAR else held

        with pytest.raises(ValueError, match=words):
            load_estimator(saved(tmp_path, held))


def test_missing_file(tmp_path):
    """A path that does not exist is no bad file."""
    with pytest.raises(FileNotFoundError):
        load_estimator(tmp_path / "none.skops")


def test_another_version_is_told_once(tmp_path):
    """One line, however many parts a pipeline has."""
    path = saved(
        tmp_path, make_pipeline(StandardScaler(), RandomForestClassifier(2)).fit(X, Y)
    )

    def older(schema):
        version = json.dumps(json.dumps(sklearn.__version__))
        return json.loads(json.dumps(schema).replace(version, json.dumps('"0.1"')))

    changed(path, older)

    with pytest.warns(UserWarning, match=r"was saved by scikit-learn 0\.1, and") as caught:
        load_estimator(path)
    assert 1 == len(caught)


@pytest.mark.parametrize("installed", [None, "0.13.0"])
def test_skops_must_be_there_and_safe(tmp_path, monkeypatch, installed):
    """The message names the extra."""
    path = saved(tmp_path, LINEAR.fit(X, Y))

    def lacking(name):
        raise ImportError(name)

    if installed is None:
        monkeypatch.setattr(_estimators, "import_module", lacking)
    else:
        monkeypatch.setattr(_estimators, "version", lambda name: installed)

    with pytest.raises(MissingDependencyError, match=r"pip install 'skops>=0\.16'"):
        load_estimator(path)


def test_list_has_exact_names_only():
    """No pattern, and nothing that calls what a file says."""
    assert all(name.replace(".", "").replace("_", "").isalnum() for name in SAFE_TYPES)
    assert not {"functools.partial", "builtins.getattr", "builtins.eval"} & SAFE_TYPES


def test_trees_that_lead_nowhere_are_refused():
    """Nodes, features and records that do not exist, in each kind of tree."""
    tree = DecisionTreeClassifier(random_state=0).fit(X, Y)
    for name, value in (("left_child", 10**6), ("right_child", 0), ("feature", 99)):
        state = tree.tree_.__getstate__()
        state["nodes"] = state["nodes"].copy()
        state["nodes"][name][0] = value
        broken = DecisionTreeClassifier(random_state=0).fit(X, Y)
        broken.tree_.__setstate__(state)
        with pytest.raises(BrokenTreeError):
            check_contents(make_pipeline(StandardScaler(), broken))
    for name, value in (("left", 10**6), ("right", 0), ("feature_idx", 99)):
        model = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2).fit(X, Y)
        model._predictors[1][0].nodes[name][0] = value
        with pytest.raises(BrokenTreeError):
            check_contents(model)
    for kind in ("kd_tree", "ball_tree"):
        for place, value in ((1, 10**6), (6, 99)):
            model = KNeighborsClassifier(algorithm=kind).fit(X, Y)
            state = list(model._tree.__getstate__())
            if place == 1:
                state[1] = np.array(state[1])
                state[1][0] = value
            else:
                state[place] = value
            model._tree.__setstate__(tuple(state))
            with pytest.raises(BrokenTreeError):
                check_contents(model)
    forest = RandomForestClassifier(2).fit(X, Y)
    forest.n_features_in_ = 2
    with pytest.raises(BrokenTreeError, match="different features from its ensemble"):
        check_contents(forest)
