"""Losses of real regressors on a huge test set, whose mean difference is then known."""

import warnings
from functools import cache

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from benchmarks.validity.regressors.holdout_worlds import OF_ERRORS, noise

TRAINING, POOL = 300, 200_000
PART = 20_000
PAIRS = (
    ("ridge", "kNN"),
    ("kNN", "tree"),
    ("tree", "forest"),
    ("forest", "boosting"),
    ("boosting", "MLP"),
    ("MLP", "ridge"),
)
LOSSES = ("squared", "absolute", "pinball 0.9")
ERRORS = ("normal", "t3", "lognormal")


def learner(name):
    """A regressor by its name."""
    scaled = {
        "kNN": KNeighborsRegressor(7),
        "ridge": Ridge(),
        "MLP": MLPRegressor(
            hidden_layer_sizes=(30,),
            alpha=1.0,
            solver="lbfgs",
            max_iter=200,
            random_state=0,
        ),
    }
    if name in scaled:
        return make_pipeline(StandardScaler(), scaled[name])
    return {
        "tree": DecisionTreeRegressor(min_samples_leaf=5, random_state=0),
        "forest": RandomForestRegressor(50, min_samples_leaf=3, random_state=0),
        "boosting": HistGradientBoostingRegressor(max_iter=60, random_state=0),
    }[name]


def draw(kind, n, rng):
    """Records of Friedman's first function (1991), with noise of one fifth of its spread.

    Two of the features have heavy tails, so that some records are far from all others.
    """
    X = rng.random((n, 10))
    X[:, 8:] = rng.standard_t(4, size=(n, 2))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + X[:, 8] + 2 * noise(kind, n, rng)


@cache
def errors_of(kind):
    """Errors of all learners on the pool."""
    rng = np.random.default_rng([17, ERRORS.index(kind)])
    X, y = draw(kind, TRAINING, rng)
    names = dict.fromkeys(name for pair in PAIRS for name in pair)
    with warnings.catch_warnings():
        # The network stops after some steps, as a user's would.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = {name: learner(name).fit(X, y) for name in names}
    parts = {name: [] for name in names}
    for _ in range(POOL // PART):
        X, y = draw(kind, PART, rng)
        for name, model in fitted.items():
            parts[name].append(y - model.predict(X))
    return {name: np.concatenate(errors) for name, errors in parts.items()}


def pool_of(pair, loss, kind):
    """Differences of the losses of a pair on the pool, less their mean."""
    errors = errors_of(kind)
    champion, challenger = (OF_ERRORS[loss](errors[name], None) for name in pair)
    gains = champion - challenger
    return gains - gains.mean()
