"""Fits on worker processes, on a real Dask cluster and on real Ray."""

import gc
import os
import re
import time
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context, get_config
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skcompare import MultipleComparator, PairedComparator, cross_compare
from skcompare.exceptions import EstimatorValueError, WorkerLostError
from skcompare.predictions import _worker_memory
from skcompare.predictions._worker_memory import run_shipped, shipped

X, Y = make_classification(160, n_features=5, flip_y=0.2, random_state=0)
TREE = DecisionTreeClassifier(max_depth=3)
# Workers import this module too, and inherit the environment.
MAIN = int(os.environ.setdefault("SKCOMPARE_TESTS_PID", str(os.getpid())))
PAGE = Path(__file__).parents[2] / "doc" / "user_guide" / "cluster.rst"


class Marked:
    """Something that notes in a folder each time a process unpickles it."""

    def __init__(self, folder):
        self.folder = str(folder)

    def __setstate__(self, state):
        self.__dict__.update(state)
        Path(self.folder, f"{os.getpid()}-{time.perf_counter_ns()}").touch()


class MarkedArray(np.ndarray):
    """An array that notes in a folder each time a process unpickles it."""

    folder = None

    def __reduce__(self):
        return marked_array, (np.asarray(self), self.folder)


def marked_array(values, folder):
    Path(folder, f"{os.getpid()}-{time.perf_counter_ns()}").touch()
    array = values.view(MarkedArray)
    array.folder = folder
    return array


class Spy(GaussianNB):
    """Refuses to fit without the settings of the caller, and with jobs elsewhere."""

    def fit(self, X, y, sample_weight=None):
        if not get_config()["assume_finite"]:
            raise ValueError("assume_finite did not come along")
        here = current_thread() is main_thread() and os.getpid() == MAIN
        if here or joblib.effective_n_jobs(None) != 1:
            raise ValueError("this is not a worker's own process or thread")
        return super().fit(X, y, sample_weight=sample_weight)


class Failing(GaussianNB):
    """Fails to fit."""

    def fit(self, X, y):
        raise ValueError("no good")


class Deadly(GaussianNB):
    """Ends its worker when it fits: once, or always."""

    def __init__(self, flag, always=False):
        super().__init__()
        self.flag, self.always = flag, always

    def fit(self, X, y):
        if os.getpid() == MAIN:
            raise ValueError("this is no worker")
        if self.always or self._is_first():
            os._exit(1)
        return super().fit(X, y)

    def _is_first(self):
        try:
            Path(self.flag).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


class Counted(GaussianNB):
    """Leaves a file in a folder for each fit."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def fit(self, X, y):
        Path(self.folder, f"{os.getpid()}-{time.perf_counter_ns()}").touch()
        return super().fit(X, y)


@pytest.fixture(scope="module")
def dask_client(tmp_path_factory):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            local_directory=str(tmp_path_factory.mktemp("dask")),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        # It drops spare copies of the records, one of which is to outlive a worker.
        client.amm.stop()
        yield client


@pytest.fixture(scope="module")
def ray_started():
    pytest.importorskip("ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.util.joblib import register_ray

    register_ray()
    ray.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error"
    )
    yield ray
    ray.shutdown()


LOKY = pytest.param("loky", marks=pytest.mark.slow)
RAY = pytest.param("ray", marks=pytest.mark.slow)


@pytest.fixture(params=["threading", LOKY, "dask", RAY])
def backend(request):
    """A backend of joblib with two workers."""
    if request.param == "dask":
        request.getfixturevalue("dask_client").wait_for_workers(2)
    if request.param == "ray":
        request.getfixturevalue("ray_started")
    with joblib.parallel_config(request.param, n_jobs=2):
        yield request.param


def told(comparator):
    """All that a fitted comparator says, times aside."""
    collected = comparator.predictions_
    predictions = [
        (a.name, a.description, *map(listed, (a.labels, a.proba, a.decision)))
        for a in collected.estimators
    ]
    made = (collected.y, collected.records, collected.bounds, collected.n_train)
    report = re.sub(r'"seconds": \S+', "", comparator.comparison_.to_json())
    return *map(listed, made), predictions, collected.fingerprint, report


def listed(array):
    return None if array is None else array.tolist()


def said(told):
    """The predictions alone, without the words for the classifiers."""
    return [prediction[2:] for prediction in told[4]]


def compared(X=X, y=Y, champion=TREE, challenger=None, **params):
    challenger = LogisticRegression() if challenger is None else challenger
    # joblib 1.3.0 takes None for one job.
    settings = {"scoring": ["accuracy", "roc_auc"], "random_state": 0, "n_jobs": 2}
    return told(PairedComparator(champion, challenger, **settings).fit(X, y, **params))


def loads(folder):
    """How often each process unpickled what is marked."""
    pids = [name.split("-")[0] for name in os.listdir(folder)]
    return [pids.count(pid) for pid in sorted({*pids} - {str(MAIN)})]


def containers():
    yield "numpy", lambda: X
    yield "sparse", lambda: sparse.csr_matrix(X)
    yield (
        "pandas",
        lambda: pytest.importorskip("pandas").DataFrame(X, columns=list("abcde")),
    )
    yield "polars", lambda: pytest.importorskip("polars").DataFrame(X, schema=list("abcde"))


def test_same_predictions(backend):
    """Every backend gives all the numbers that a single process gives."""
    with joblib.parallel_config("sequential"):
        expected = compared()

    assert expected == compared()


@pytest.mark.parametrize("name", ["sparse", "pandas", "polars"])
def test_same_predictions_of_containers(name, dask_client):
    """Sparse matrices and frames travel to a cluster as well."""
    records = dict(containers())[name]()
    with joblib.parallel_config("sequential"):
        expected = compared(records)
    with joblib.parallel_config("dask"):
        assert expected == compared(records)


def test_several_classifiers(dask_client):
    """MultipleComparator and cross_compare take their fits to a cluster too."""
    models = [("tree", TREE), ("bayes", GaussianNB()), ("linear", LogisticRegression())]

    def several():
        return told(MultipleComparator(models, random_state=0).fit(X, Y))

    def crossed():
        outputs = cross_compare(
            models, X, Y, scoring="accuracy", random_state=0, return_predictions=True
        )
        scores = [outputs[f"test_score_{name}"].tolist() for name, _ in models]
        return scores, outputs.predictions.fingerprint

    expected = several(), crossed()
    with joblib.parallel_config("dask"):
        assert expected == (several(), crossed())


def test_records_travel_once_a_worker(backend, tmp_path):
    """Twenty fits on two workers unpickle the records twice."""
    marked = X.view(MarkedArray)
    marked.folder = str(tmp_path)
    compared(marked)

    # On a busy machine, one worker may get all the tasks of loky, and Dask may send the
    # records again, but not with each of the fits.
    counts = loads(tmp_path)
    assert len(counts) <= 2 * (backend != "threading")
    assert sum(counts) <= 5


def process(task, records, mark):
    """What a task tells of where it ran."""
    return task, os.getpid() == MAIN


@pytest.mark.parametrize("name", [name for name, _ in containers()])
def test_containers_travel_once_a_worker(name, dask_client, tmp_path):
    """Whatever the records come in, a worker unpickles them once, and tasks are known."""
    records = dict(containers())[name]()
    tasks = [{"rows": np.arange(3), "number": number} for number in range(12)]
    with (
        joblib.parallel_config("dask"),
        shipped((records, Marked(tmp_path)), tasks, None) as calls,
    ):
        found = joblib.Parallel()(joblib.delayed(run_shipped)(process, *c) for c in calls)

    assert [(number, False) for number in range(12)] == [
        (task["number"], here) for task, here in found
    ]
    # A busy cluster may send the records again, but not with each of the tasks.
    counts = loads(tmp_path)
    assert 2 == len(counts)
    assert sum(counts) < len(tasks) / 2


@contextmanager
def nothing_left(client):
    """Hold that a cluster keeps nothing of what was run."""
    yield
    deadline = time.monotonic() + 10
    while kept(client) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [] == kept(client)


def kept(client):
    """Keys that the scheduler or a worker still holds."""
    held = client.run(lambda dask_worker: [*dask_worker.data])
    return [
        *client.run_on_scheduler(lambda dask_scheduler: [*dask_scheduler.tasks]),
        *(key for keys in held.values() for key in keys),
    ]


def test_nothing_stays_on_the_cluster(dask_client):
    """Records are dropped when the comparison ends, by an error as well."""
    with nothing_left(dask_client), joblib.parallel_config("dask"):
        compared()
    with (
        nothing_left(dask_client),
        joblib.parallel_config("dask"),
        pytest.raises(EstimatorValueError),
    ):
        compared(challenger=Failing())


@pytest.mark.parametrize("backend", ["dask", RAY], indirect=True)
def test_failing_classifier(backend):
    """An error of a classifier names it, the split, and what it said."""
    with pytest.raises(
        EstimatorValueError, match=r"challenger \(Failing\).*split \d+ .*no good"
    ):
        compared(challenger=Failing())


@pytest.mark.parametrize("backend", ["dask", RAY], indirect=True)
@pytest.mark.parametrize("n_jobs", [2, -1])
def test_jobs_within_a_classifier(backend, n_jobs):
    """A forest and a search with jobs of their own neither hang nor change."""
    # Threads add up the trees in any order, which changes no sum of two.
    forest = RandomForestClassifier(2, max_depth=2, n_jobs=n_jobs)
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 0.1]}, cv=2, n_jobs=n_jobs)
    with joblib.parallel_config("sequential"):
        expected = compared(champion=forest, challenger=search)

    assert expected == compared(champion=forest, challenger=search)


def test_settings_come_along(backend):
    """scikit-learn's settings and routed metadata reach the workers, jobs do not spread."""
    weight = np.linspace(0.5, 1, len(Y))
    with config_context(assume_finite=True, enable_metadata_routing=True):
        plain = GaussianNB().set_fit_request(sample_weight=True)
        spy = Spy().set_fit_request(sample_weight=True)
        champion = LogisticRegression().set_fit_request(sample_weight=True)
        with joblib.parallel_config("sequential"):
            expected = compared(champion=champion, challenger=plain, sample_weight=weight)
        actual = compared(champion=champion, challenger=spy, sample_weight=weight)

    assert said(expected) == said(actual)


def test_a_comparison_within_a_fit_on_the_cluster(dask_client):
    """cross_validate of a comparator on a cluster does not wait for itself."""
    pair = TREE, LogisticRegression()
    comparator = PairedComparator(*pair, cv=2, refit=True, random_state=0)
    expected = cross_validate(comparator, X, Y, cv=2)["test_score"]
    with joblib.parallel_config("dask"):
        actual = cross_validate(comparator, X, Y, cv=2)["test_score"]
    assert expected.tolist() == actual.tolist()


def assert_nothing_stays_in_files(backend, folder, monkeypatch):
    """Hold that local workers read a frame from a file, which is gone after an error."""
    pd = pytest.importorskip("pandas")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with joblib.parallel_config(backend, n_jobs=2), pytest.raises(EstimatorValueError):
        compared(pd.DataFrame(X), challenger=Failing())

    assert [] == [name for name in os.listdir(folder) if name.startswith("skcompare")]


def test_local_workers_read_a_file(monkeypatch, tmp_path):
    """What threads in place of processes read from a file is the frame, and it goes."""
    pd = pytest.importorskip("pandas")
    with joblib.parallel_config("sequential"):
        expected = compared(pd.DataFrame(X))
    monkeypatch.setattr(_worker_memory, "LOCAL_PROCESSES", ("ThreadingBackend",))
    monkeypatch.setattr(_worker_memory, "_cache", {})
    with joblib.parallel_config("threading", n_jobs=2):
        assert expected == compared(pd.DataFrame(X))
    assert_nothing_stays_in_files("threading", tmp_path, monkeypatch)

    (records,) = _worker_memory._cache.values()
    assert X.tolist() == records[0].to_numpy().tolist()


@pytest.mark.slow
def test_nothing_stays_in_files(monkeypatch, tmp_path):
    """The file that local processes read is removed, after an error as well."""
    assert_nothing_stays_in_files("loky", tmp_path, monkeypatch)


def lost_process():
    """Ship a task that nobody ends, and raise what joblib does then."""
    task = SimpleNamespace(name="challenger", split=3)
    with (
        joblib.parallel_config("loky", n_jobs=2),
        shipped((X,), [task], 2) as ((_, shipment),),
    ):
        running = shipment.at_work(task)
        running.__enter__()
        raise BrokenExecutor("A process is gone.")


def test_lost_local_worker_is_told():
    """The error names the fit whose process ended before it was done."""
    with pytest.raises(WorkerLostError, match=r"memory.*ran challenger in split 3\.") as no:
        lost_process()

    assert isinstance(no.value.__cause__, BrokenExecutor)


@pytest.mark.slow
def test_lost_worker_of_loky(tmp_path):
    """When a local worker is killed there is a clear error."""
    deadly = Deadly(str(tmp_path / "flag"), always=True)
    with (
        joblib.parallel_config("loky", n_jobs=2),
        pytest.raises(WorkerLostError, match="ran out of memory") as failure,
    ):
        compared(challenger=deadly)

    assert isinstance(failure.value.__cause__, BrokenExecutor)
    assert re.search(r"it ran .*challenger in split \d", str(failure.value))


def test_stored_fits_are_not_repeated(backend, tmp_path):
    """A comparison that goes on with a cache fits what it lacks, on every backend."""
    fits, cache = tmp_path / "fits", tmp_path / "cache"
    fits.mkdir()
    comparator = PairedComparator(TREE, Counted(str(fits)), cache=str(cache), n_jobs=2)
    comparator.set_params(random_state=0)

    made = told(comparator.fit(X, Y))
    assert 10 == len([*fits.iterdir()])
    stored = sorted(cache.rglob("output.pkl"))
    for path in stored[::2]:
        path.unlink()
    read = told(comparator.fit(X, Y))

    assert made == read
    assert 10 < len([*fits.iterdir()]) < 20


def wait_for_workers(client):
    """Both workers; a nanny may miss that its worker ended, and nobody waits for it."""
    try:
        client.wait_for_workers(2, timeout=60)
    except TimeoutError:
        client.restart()


def test_lost_workers_of_dask(dask_client, tmp_path):
    """Dask repeats the fits of a lost worker; with all workers lost it is an error."""
    with joblib.parallel_config("sequential"):
        expected = said(compared(challenger=GaussianNB()))
    deadly = Deadly(str(tmp_path / "flag"))
    with joblib.parallel_config("dask"), nothing_left(dask_client):
        wait_for_workers(dask_client)
        assert expected == said(compared(challenger=deadly))
        wait_for_workers(dask_client)
        with pytest.raises(
            WorkerLostError, match=r"one of 20 fits, from champion in split"
        ):
            compared(challenger=deadly.set_params(always=True))
        wait_for_workers(dask_client)


@pytest.mark.slow
def test_lost_worker_of_ray(ray_started, tmp_path):
    """When a worker of Ray is killed there is a clear error."""
    with (
        joblib.parallel_config("ray", n_jobs=2),
        pytest.raises(WorkerLostError, match="ran out of memory"),
    ):
        compared(challenger=Deadly(str(tmp_path / "flag"), always=True))


@pytest.mark.filterwarnings("ignore:Port 8787 is already in use:UserWarning")
# The scheduler of a `Client` without address leaves a socket to the garbage collector.
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@pytest.mark.parametrize("backend", ["dask", RAY])
def test_page(backend, request, capsys):
    """The code of the user guide runs, and concludes what the page shows of one machine."""
    if backend == "ray":
        request.getfixturevalue("ray_started")
    else:
        pytest.importorskip("distributed")
    text = PAGE.read_text(encoding="utf-8")
    code = re.findall(r"code-block:: python\n\n((?:(?: {4}.*)?\n)+)", text)
    (block,) = [block for block in code if f'parallel_config("{backend}"' in block]
    # What the code for Ray takes from the script for Dask, which makes it anew.
    names = dict(zip("Xy", load_breast_cancer(return_X_y=True)), __name__="__main__")
    tree = DecisionTreeClassifier(max_depth=4)
    names["comparator"] = PairedComparator(GaussianNB(), tree, random_state=0)
    exec(re.sub("^ {4}", "", block, flags=re.MULTILINE), names)
    gc.collect()

    (shown,) = {*re.findall(r"^inconclusive .*$", text, flags=re.MULTILINE)}
    assert shown == str(names["comparator"].comparison_.conclusion)
    assert ("print(" in block) == capsys.readouterr().out.startswith(shown)
