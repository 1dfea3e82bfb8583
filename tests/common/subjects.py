"""Registered tests with the evidence that they can be given.

Evidence is made from random predictions through its own `from_pair`, on splits that
scikit-learn and skcompare make, so that a test which is added needs no word here.
"""

import inspect
import itertools
import os
import pickle
import re
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, TimeSeriesSplit

from skcompare._core.design import TRAININGS, Design, design_of
from skcompare._registry.tests import ANY_LOSS
from skcompare.model_selection import (
    BlockRegularizedMx2CV,
    HalvesShuffleSplit,
    ReplicatedShuffleSplit,
)
from skcompare.predictions import (
    VALUES,
    EstimatorPredictions,
    Predictions,
    predictions_from_arrays,
)

ALTERNATIVES = ("two-sided", "less", "greater")
CLASSES = np.array(["ant", "bee", "cow"])

# A hold-out of one record is the smallest evidence there is; block-regularized splits
# need a record a block.
SPLITTERS = {
    "bcv": lambda seed: BlockRegularizedMx2CV(5, stratify=False, random_state=seed),
    "random 5x2": lambda seed: RepeatedKFold(n_splits=2, n_repeats=5, random_state=seed),
    "kfold": lambda seed: KFold(4, shuffle=True, random_state=seed),
    "repeated kfold": lambda seed: RepeatedKFold(
        n_splits=4, n_repeats=3, random_state=seed
    ),
    "repeated holdout": lambda seed: ShuffleSplit(6, test_size=0.3, random_state=seed),
    "replicated holdout": lambda seed: ReplicatedShuffleSplit(
        3, n_replicates=5, test_size=0.3, stratify=False, random_state=seed
    ),
    "holdout in halves": lambda seed: HalvesShuffleSplit(
        3, n_bisections=4, test_size=0.2, stratify=False, random_state=seed
    ),
    "time ordered": lambda seed: TimeSeriesSplit(4),
}
ONE_TEST_SET = ("holdout", "time-ordered holdout", "unknown")
"""Designs with one test set, whose records need no split."""

SAMPLES = os.environ.get("SKCOMPARE_TEST_SAMPLES", "few")
"""How many samples the checks look at: "few" of them, a tenth or so, "half" or "all"."""
THOROUGH, QUICK = SAMPLES == "all", SAMPLES == "few"

SMALL = (8, 9, 12, 17, 25)
SMALL_HOLDOUT = (1, 2, 3, 5, 8, 13, 21)


def seeds(n, every=1):
    """The seeds of a check of up to `n` samples: the first ones, or every other one."""
    if THOROUGH:
        return range(n)
    if every > 1:
        return range(0, n, every)
    return range(-(-n // (10 if QUICK else 2)))


def random_predictions(kind, n, seed, *, n_classes=2, accuracies=None, least=0):
    """Predictions of two classifiers, "champion" and "challenger", to random records.

    Every class occurs at least `least` times.
    """
    rng = np.random.default_rng([seed, n])
    y = rng.integers(n_classes, size=n)
    if least:
        y[: least * n_classes] = np.tile(np.arange(n_classes), least)
    if kind in ONE_TEST_SET:
        records, bounds, n_train, design = None, None, None, Design(kind)
        truth = y
    elif kind in TRAININGS:
        records, bounds = np.tile(np.arange(n), 4), n * np.arange(5)
        n_train, design = None, Design(kind, n_repeats=4)
        truth = y[records]
    else:
        splitter = SPLITTERS[kind](seed)
        splits = list(splitter.split(np.zeros((n, 1)), y))
        tests = [test for _, test in splits]
        records = np.concatenate(tests)
        bounds = np.concatenate([[0], np.cumsum([len(test) for test in tests])])
        n_train = np.array([len(train) for train, _ in splits])
        design = design_of(splitter, len(splits))
        truth = y[records]
    if accuracies is None:
        accuracies = rng.choice([0.0, 0.4, 0.6, 0.8, 0.95, 1.0], size=2)
    predictions = tuple(
        _random_predictions(name, truth, n_classes, accuracy, rng)
        for name, accuracy in zip(("champion", "challenger"), accuracies, strict=True)
    )
    return Predictions(
        CLASSES[:n_classes], y, predictions, design, records, bounds, n_train
    )


def _random_predictions(name, truth, n_classes, accuracy, rng):
    wrong = (truth + rng.integers(1, n_classes, size=len(truth))) % n_classes
    labels = np.where(rng.random(len(truth)) < accuracy, truth, wrong)
    proba = rng.dirichlet(np.ones(n_classes), size=len(truth))
    best = proba.argmax(axis=1)
    rows = np.arange(len(truth))
    top = proba[rows, best].copy()
    proba[rows, best] = proba[rows, labels]
    proba[rows, labels] = top
    return EstimatorPredictions(name, name, labels, proba)


def random_numbers(n, seed, accuracies=None):
    """Predictions of numbers by two models, with a part of their errors in common."""
    rng = np.random.default_rng([seed, n])
    if accuracies is None:
        accuracies = rng.choice([0.4, 0.6, 0.8, 0.95], size=2)
    y, common, *own = rng.normal(size=(4, n))
    values = [
        10 * y + 20 * (1 - accuracy) * (common + noise)
        for accuracy, noise in zip(accuracies, own, strict=True)
    ]
    names = ("champion", "challenger")
    return predictions_from_arrays(10 * y, dict(zip(names, values)), target="numbers")


def taken(collected, position):
    """The predictions with their predictions reordered or left out, by position.

    `position` chooses predictions, split after split; records that nobody is asked about
    any more are left out.
    """
    requested = records_of(collected)[position]
    kept, records = np.unique(requested, return_inverse=True)
    bounds = collected.bounds
    split_of = np.zeros(len(records_of(collected)), dtype=int)
    if bounds is not None:
        split_of = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))[position]
        assert (np.diff(split_of) >= 0).all()
        bounds = np.concatenate([[0], np.cumsum(np.bincount(split_of))])
    else:
        kept, records = position, None
    groups = collected.groups
    predictions = tuple(
        replace(
            prediction,
            **{
                kind: getattr(prediction, kind)[position]
                for kind in ("labels", "proba", "values")
                if getattr(prediction, kind) is not None
            },
        )
        for prediction in collected.estimators
    )
    return replace(
        collected,
        y=collected.y[kept],
        estimators=predictions,
        records=records,
        bounds=bounds,
        groups=None if groups is None else groups[kept],
    )


def records_of(predictions):
    """The record behind each prediction."""
    if predictions.records is None:
        return np.arange(predictions.n_records)
    return predictions.records


class Tested(NamedTuple):
    """A sample with its result, and its evidence pickled before the first test of it."""

    evidence: object
    options: dict
    alternative: str | None
    pickled: bytes
    result: object


@dataclass(frozen=True)
class Subject:
    """A registered test with the evidence that it can be given."""

    entry: object

    @property
    def kind(self):
        """The first design that the test is valid for."""
        return self.entry.designs[0].removeprefix("grouped ")

    @cached_property
    def directed(self):
        """Whether the test has one-sided alternatives."""
        return "alternative" in self.entry.options

    @cached_property
    def experimental(self):
        """Whether the test runs only for those who know that it is experimental."""
        return "experimental" in self.entry.options

    @property
    def alternatives(self):
        """The alternatives that the test takes; `None` where it has no direction."""
        return ALTERNATIVES if self.directed else (None,)

    @property
    def small_sizes(self):
        """Few records, fewer than any approximation likes."""
        holdouts = (*ONE_TEST_SET, *TRAININGS)
        sizes = SMALL_HOLDOUT if self.kind in holdouts else SMALL
        sizes = sizes[self.entry.designs[0].startswith("grouped ") :]  # two groups at least
        return [n for n in sizes if n >= max(self.least_records, 2 * 2 * self.least)]

    @property
    def least(self):
        """How often every class must occur at least."""
        return getattr(self.entry.needs, "least_per_class", 0)

    @property
    def least_records(self):
        """The fewest records that the test takes."""
        return getattr(self.entry.needs, "least_records", 1)

    def evidence(
        self, predictions, champion="champion", challenger="challenger", *, at=None
    ):
        """What the test needs, from two of the classifiers in their roles.

        Of the predictions at some positions, in that order. A test that depends on the
        order of the records is told it as their time, which goes wherever they go.
        """
        options = {}
        if "time" in self.entry.evidence_options:
            options["time"] = np.arange(len(records_of(predictions))) if at is None else at
        if at is not None:
            predictions = taken(predictions, at)
        return self.entry.needs.from_pair(predictions.pair(champion, challenger), **options)

    def run(self, evidence, alternative=None, **options):
        """The result; `alternative` is left out where the test has none.

        An experimental test is told that this is known.
        """
        if self.experimental:
            options["experimental"] = True
        if alternative is not None:
            options["alternative"] = alternative
        return self.entry.function(evidence, **options)

    def predictions(self, n=60, seed=0, n_classes=2, **settings):
        """Predictions for a design that the test is valid for."""
        if self.of_numbers:
            return random_numbers(n, seed, **settings)
        n_classes = min(n_classes, getattr(self.entry.needs, "max_classes", n_classes))
        collected = random_predictions(
            self.kind, n, seed, n_classes=n_classes, least=self.least, **settings
        )
        if not self.entry.designs[0].startswith("grouped "):
            return collected
        groups = np.random.default_rng(seed).permutation(np.arange(n) % max(2, n // 3))
        return replace(
            collected, groups=groups, design=replace(collected.design, grouped=True)
        )

    @property
    def of_numbers(self):
        """Whether the evidence is made of predicted numbers only."""
        return VALUES in getattr(self.entry.needs, "required", ())

    @property
    def bounds(self):
        """The least and the greatest value that an estimate of the kind can have."""
        if self.entry.kind == "ratio":
            return 0, np.inf
        if self.entry.kind == "reduction":
            return -np.inf, 1
        if ANY_LOSS in self.entry.measures:
            return -np.inf, np.inf
        # A score such as a correlation lies in [-1, 1], so that two of them differ by 2.
        return (-1, 1) if self.entry.measures == ("accuracy",) else (-2, 2)

    @cached_property
    def variants(self):
        """An options dict for every documented choice of every option but the direction."""
        return _variants(self.entry.function, self.entry.options)

    @property
    def choices(self):
        """Pairs of options and an alternative: all of them, or each at least once."""
        if not QUICK:
            return list(itertools.product(self.variants, self.alternatives))
        first, *others = self.variants
        return [
            *((first, alternative) for alternative in self.alternatives),
            *zip(others, itertools.cycle(self.alternatives)),
        ]

    @property
    def agreeing_choices(self):
        """The choices whose interval is the one that goes with the p-value.

        An option called `interval` chooses another one, whatever the p-value, and need not
        go with every choice of the other options. What it promises is tested beside it.
        """
        return [choice for choice in self.choices if "interval" not in choice[0]]

    def samples(self, *, few=False):
        """Large and small evidence, an options dict, and an alternative.

        Few are enough where the numbers do not matter.
        """
        sizes = (*self.small_sizes, 200)
        few = few or QUICK
        sizes = sizes[:: len(sizes) // 2] if few else sizes
        # Two and three classes; of each size one of them is enough by default.
        chosen = [
            (n, seed)
            for k, n in enumerate(sizes)
            for seed in (range(2) if THOROUGH and not few else [0 if few else k % 2])
        ]
        evidence = [
            self.evidence(self.predictions(n, seed, n_classes=2 + seed))
            for n, seed in chosen
        ]
        for options, alternative in self.choices:
            for one in evidence:
                yield one, options, alternative

    def results(self, *, few=False):
        """The samples with their results, each tested once for all checks of a subject."""
        few = few or QUICK
        if few not in self._results:
            before, tested = {}, []
            for evidence, options, alternative in self.samples(few=few):
                pickled = before.setdefault(id(evidence), pickle.dumps(evidence))
                result = self.run(evidence, alternative, **options)
                tested.append(Tested(evidence, options, alternative, pickled, result))
            self._results[few] = tested
        return self._results[few]

    @cached_property
    def _results(self):
        return {}

    @cached_property
    def middling(self):
        """Predictions about some records of up to three classes."""
        return self.predictions(70, 1, n_classes=3)

    @cached_property
    def results_of_middling(self):
        """Options with the result of the middling predictions, whose limits are kept."""
        evidence = self.evidence(self.middling)
        return [
            (options, remembering(self.run(evidence, **options)))
            for options in self.variants
        ]

    def samples_of_itself(self):
        """Evidence of a classifier against itself, an options dict, and an alternative."""
        sizes = (*self.small_sizes, 100)
        for k, n in enumerate(sizes[::3] if QUICK else sizes):
            predictions = self.predictions(n, n)
            # Of each size one of both is enough by default.
            names = ("champion", "challenger")
            for name in [names[k % 2]] if QUICK else names:
                evidence = self.evidence(predictions, name, name)
                for options, alternative in self.choices:
                    yield evidence, options, alternative


def remembering(result):
    """The result, with limits that are computed once."""
    return replace(result, limits=result.limits and cache(result.limits))


@cache
def _variants(function, options):
    parameters = documented_parameters(function)
    defaults = inspect.signature(function).parameters
    found = [{}]
    for name in options:
        choices = re.match(r"\{(.*)\}", parameters.get(name, ""))
        if choices and name != "alternative":
            # The default choice is what no options are.
            found += [
                {name: choice}
                for choice in re.findall(r'"(.*?)"', choices.group(1))
                if choice != defaults[name].default
            ]
    return found


def documented_parameters(function):
    """Names of the parameters in a numpydoc docstring with what they are."""
    doc = inspect.getdoc(function) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", doc, re.M | re.S)
    lines = re.findall(r"^(\w[\w, *]*?) : (.*)$", section.group(1) if section else "", re.M)
    return {name.strip(): what for names, what in lines for name in names.split(",")}
