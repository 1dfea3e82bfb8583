"""What every registered test must satisfy, written against the registry alone."""

import inspect
import json
import math
import pickle
import re
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from skcompare._core.design import DESIGN_KINDS
from skcompare._core.flags import FLAG_TEXTS
from skcompare._registry.metrics import keywords_of
from skcompare.evidence import AgreementMatrix, ClassPlacementValues
from skcompare.predictions import SCORES
from skcompare.stats import PairedResult
from skcompare.stats.margins import MarginTest, margin_result
from tests.common.subjects import (
    ONE_TEST_SET,
    QUICK,
    THOROUGH,
    Subject,
    documented_parameters,
    records_of,
    remembering,
    seeds,
)

OPPOSITE = {"two-sided": "two-sided", "less": "greater", "greater": "less"}
ALPHAS = (0.01, 0.05, 0.1, 0.3, 0.5)


def check_entry_is_described(subject):
    """A test has a name, a title, sources, a question, and says where it is valid."""
    entry = subject.entry

    assert re.fullmatch(r"[a-z][a-z0-9_]*", entry.name)
    assert not entry.name.startswith("test")
    assert entry.title.strip()
    assert entry.designs
    assert entry.measures
    assert entry.references
    assert all(re.fullmatch(r"\w+\d{4}\w?", key) for key in entry.references)
    assert entry.question.endswith((".", "?"))
    assert entry.inference in ("models", "algorithms", "recipes")


def check_docstring(subject):
    """The docstring is numpydoc, complete, and describes every option."""
    doc = inspect.getdoc(subject.entry.function)

    for section in ("Parameters", "Returns", "References", "Examples"):
        assert re.search(rf"^{section}\n-+$", doc, re.M), section
    assert set(subject.entry.options) <= set(documented_parameters(subject.entry.function))


def check_result_says_what_it_is(subject):
    """A result names its test, its subject and the design, and its flags have words."""
    for evidence, _, alternative, _, result in subject.results():
        assert isinstance(result, PairedResult)
        assert subject.entry.name == result.test
        assert subject.entry.inference == result.inference
        assert str(evidence.design) == result.design
        assert set(result.flags) <= set(FLAG_TEXTS)
        assert len(set(result.flags)) == len(result.flags)
        assert (alternative or "two-sided") == result.alternative
        assert result.estimate_name
        assert (result.statistic, result.pvalue) == pytest.approx(
            tuple(result), nan_ok=True
        )


def check_pvalue(subject):
    """0 < p <= 1 and the logarithm agrees; an undefined p is flagged."""
    for *_, result in subject.results():
        if math.isnan(result.pvalue):
            assert result.flags
            continue
        assert type(result.pvalue) is float
        assert 0 < result.pvalue <= 1
        assert math.log(result.pvalue) == pytest.approx(result.log_pvalue, abs=1e-9)


def check_record_order(subject):
    """The order of the records does not matter, if their times go with them."""
    rng = np.random.default_rng(1)
    predictions = subject.middling
    order = np.concatenate(
        [rng.permutation(np.arange(part.start, part.stop)) for part in predictions.slices()]
    )
    mixed = subject.evidence(predictions, at=order)
    for options, expected in subject.results_of_middling:
        assert_same(expected, subject.run(mixed, **options))


def check_shards(subject):
    """Merged shards of the records give the result of all of them."""
    if not hasattr(subject.entry.needs, "__add__"):
        return
    rng = np.random.default_rng(2)
    predictions = subject.middling
    in_first = rng.random(predictions.n_records) < 0.4
    first, second = (
        subject.evidence(predictions, at=np.flatnonzero(kept[records_of(predictions)]))
        for kept in (in_first, ~in_first)
    )
    merged, turned = first + second, second + first
    for options, expected in subject.results_of_middling:
        # What merging could change is the evidence, whatever the options.
        if not (QUICK and options):
            assert_same(expected, subject.run(merged, **options))
            assert_same(expected, subject.run(turned, **options))


def check_swapped_roles(subject):
    """Swapped roles keep the two-sided p-value; so does the evidence's own swap."""
    for seed in seeds(10):
        predictions = subject.predictions(40, seed, n_classes=2 + seed % 2)
        evidence = subject.evidence(predictions)
        swapped = subject.evidence(predictions, "challenger", "champion")
        for options in subject.variants:
            result = subject.run(evidence, **options)
            mirrored = subject.run(swapped, **options)

            assert result.pvalue == pytest.approx(mirrored.pvalue, rel=1e-12, nan_ok=True)
            assert (result.champion is None) == (mirrored.champion is None)
            if result.champion is not None:
                assert (result.champion, result.challenger) == pytest.approx(
                    (mirrored.challenger, mirrored.champion), nan_ok=True
                )
            if hasattr(evidence, "swap"):
                assert_same(mirrored, subject.run(evidence.swap(), **options))


def check_round_trips(subject):
    """A result survives pickling, `to_dict` and JSON, with interval and words."""
    for evidence, options, alternative in subject.samples(few=True):
        result = subject.run(evidence, alternative, **options)
        values = result.to_dict(0.9)

        again = PairedResult.from_dict(json.loads(json.dumps(values)))

        assert json.dumps(values) == json.dumps(again.to_dict(0.9))
        assert (
            str(result).splitlines()[0]
            == str(pickle.loads(pickle.dumps(result))).splitlines()[0]
        )
        assert_same(result, pickle.loads(pickle.dumps(result)), rel=0)


def check_evidence_is_left_alone(subject):
    """A test changes nothing in what it is given, and gives the same again."""
    results = subject.results(few=True)
    for evidence, options, alternative, pickled, result in results[:: 3 if QUICK else 1]:
        first = remembering(result)
        if first.has_interval:
            first.confidence_interval()

        assert pickled == pickle.dumps(evidence)
        assert_same(first, subject.run(evidence, alternative, **options), rel=0)


def check_arrays(subject):
    """Arrays are as good as the evidence that is made of them."""
    make = getattr(subject.entry.needs, "from_predictions", None)
    if make is None or subject.kind not in ONE_TEST_SET:
        return
    rng = np.random.default_rng(6)
    n_classes = 3 if subject.entry.needs is ClassPlacementValues else 2
    y_true = rng.permutation(np.arange(60) % n_classes)
    proba = rng.dirichlet(np.ones(n_classes), size=(2, 60))
    required = getattr(subject.entry.needs, "required", {SCORES})
    if n_classes > 2 or SCORES not in required:
        arrays = proba if n_classes > 2 else proba.argmax(axis=2)
    else:
        arrays = proba[:, :, 1]
    if subject.entry.needs is not AgreementMatrix:
        arrays = [y_true, *arrays]
    groups = {"groups": np.arange(60) // 3} if "groups" in keywords_of(make) else {}
    options = {"experimental": True} if subject.experimental else {}

    expected = subject.entry.function(make(*arrays, **groups), **options)

    assert_same(expected, subject.entry.function(*arrays, **groups, **options))
    names = inspect.signature(make).parameters
    if not any(parameter.kind is parameter.VAR_POSITIONAL for parameter in names.values()):
        by_name = dict(zip(names, arrays))
        assert_same(expected, subject.entry.function(**by_name, **groups, **options))
    with pytest.raises(TypeError, match=r"Unknown option of .* 'no_such_option'"):
        subject.entry.function(*arrays, no_such_option=1)


def check_wrong_evidence(subject):
    """Other evidence is refused by the name of what is needed."""
    name = subject.entry.needs.__name__
    for wrong in (None, 0.5, np.ones((2, 2)), object()):
        with pytest.raises(TypeError, match=rf"{subject.entry.name} needs {name}\. Got"):
            subject.entry.function(wrong)


def check_wrong_options(subject):
    """An unknown direction or choice is refused with the known ones."""
    evidence = subject.evidence(subject.predictions())
    if subject.directed:
        with pytest.raises(ValueError, match=r"Unknown alternative 'larger'.*two-sided"):
            subject.run(evidence, "larger")
    for name in {name for options in subject.variants for name in options}:
        with pytest.raises(ValueError, match=rf"Unknown {name} 'no such'"):
            subject.run(evidence, **{name: "no such"})
    with pytest.raises(TypeError, match="no_such_option"):
        subject.run(evidence, no_such_option=1)


def check_design(subject):
    """A design that the test does not declare is flagged, a declared one is not."""
    evidence = subject.evidence(subject.predictions(subject.small_sizes[-1], n_classes=3))
    for kind in [*DESIGN_KINDS][:: 2 if QUICK else 1]:
        for grouped in (False, True):
            design = replace(evidence.design, kind=kind, grouped=grouped)
            other = replace(evidence, design=design)
            undeclared = design.name not in subject.entry.designs

            result = subject.run(other)

            assert undeclared == ("invalid-design" in result.flags), design.name
            assert str(design) == result.design


def check_itself(subject):
    """Against itself a classifier has no difference, p is 1 and flagged so."""
    for evidence, options, alternative in subject.samples_of_itself():
        result = subject.run(evidence, alternative, **options)

        assert 0 == result.estimate
        assert math.isnan(result.statistic) or 0 == result.statistic
        assert 1 == result.pvalue
        assert 0 == result.log_pvalue
        assert result.degenerate
        if result.has_interval:
            low, high = result.confidence_interval()
            assert low <= 0 <= high


def check_difference_flips(subject):
    """Swapped roles flip the estimate, mirror the interval, exchange one-sided p's."""
    for seed in seeds(10):
        predictions = subject.predictions(40, seed)
        evidence = subject.evidence(predictions)
        swapped = subject.evidence(predictions, "challenger", "champion")
        for options, alternative in subject.choices:
            result = subject.run(evidence, alternative, **options)
            mirrored = subject.run(
                swapped, alternative and OPPOSITE[alternative], **options
            )

            assert -result.estimate == pytest.approx(mirrored.estimate, abs=1e-14)
            assert abs(result.statistic) == pytest.approx(
                abs(mirrored.statistic), rel=1e-12, nan_ok=True
            )
            assert result.pvalue == pytest.approx(mirrored.pvalue, rel=1e-12, nan_ok=True)
            assert result.has_interval == mirrored.has_interval
            if result.has_interval:
                low, high = mirrored.confidence_interval(0.9)
                assert (-high, -low) == pytest.approx(
                    result.confidence_interval(0.9), abs=1e-12, nan_ok=True
                )


def check_direction(subject):
    """A positive estimate is challenger minus champion, and "greater" finds it."""
    predictions = subject.predictions(200, 5, accuracies=(0.5, 0.9))
    evidence = subject.evidence(predictions)
    for options in subject.variants:
        result = subject.run(evidence, **options)

        assert result.estimate > 0
        if result.champion is not None:
            sign = 1 if result.greater_is_better else -1
            assert sign * (result.challenger - result.champion) == pytest.approx(
                result.estimate, abs=1e-12
            )
        if subject.directed:
            _assert_one_sided(subject, evidence, options)


def _assert_one_sided(subject, evidence, options):
    """A better challenger has a small p-value on its side, and a large one opposite.

    Of one choice of options both are looked at by default, and of others the first.
    """
    assert subject.run(evidence, "greater", **options).pvalue < 0.05
    if not (QUICK and options):
        assert subject.run(evidence, "less", **options).pvalue > 0.95


def check_margins(subject):
    """At a margin p and limit agree, and an undefined p has a reason and no limit."""
    if not subject.directed:
        return
    options = {"experimental": True} if subject.experimental else {}
    for predictions, challenger in (
        (subject.middling, "challenger"),
        (subject.predictions(70, 1), "champion"),
    ):
        evidence = subject.evidence(predictions, challenger=challenger)
        prepared = MarginTest(evidence, subject.entry, options)
        for alternative in ("greater", "less"):
            sign = 1 if alternative == "greater" else -1
            few = (-0.05, 0.0) if challenger == "challenger" else (0.0,)
            for null_value in few if QUICK else (-0.05, 0.0, 0.05):
                result = margin_result(prepared, null_value, alternative, 0.05)
                beyond = sign * (result.limit - null_value) > 0

                assert beyond == (result.pvalue < 0.05), (null_value, alternative)
                assert bool(result.reason) == math.isnan(result.pvalue)
                if result.reason:
                    assert -sign * math.inf == result.limit
                else:
                    assert 0 < result.pvalue <= 1
                if challenger == "champion" and sign * null_value >= 0:
                    assert not result.pvalue < 0.05


def check_interval_and_pvalue_agree(subject):
    """The null value is outside the interval exactly when p is below alpha.

    This holds for the published limits to the last bit, and for the raw ones but for
    rounding. It is promised for the default interval, by every method.
    """
    seen = {True: 0, False: 0}
    for n in (*subject.small_sizes, 60):
        # Every other seed, because either kind of outcome must be seen.
        for seed in seeds(4, every=2):
            evidence = subject.evidence(subject.predictions(n, seed))
            for options, alternative in subject.agreeing_choices:
                result = subject.run(evidence, alternative, **options)
                if math.isnan(result.pvalue) or not result.has_interval:
                    continue
                # Published and raw limits are the same ones, and take their time.
                result = remembering(result)
                for alpha in ALPHAS:
                    significant = _assert_agreement(result, alpha, subject.bounds)
                    seen[significant] += 1

    assert min(seen.values()) > 0 or not max(seen.values())


def _assert_agreement(result, alpha, bounds):
    null, level = result.null_value, 1 - alpha
    significant = result.pvalue < alpha
    low, high = result.confidence_interval(level)
    where = (result, alpha)
    if math.isnan(low) and math.isnan(high):
        # A test without direction may reject every difference: its interval is empty.
        assert significant, where
        assert "empty-interval" in result.flags or alpha > 0.05, where
        return significant

    assert bounds[0] - 1e-12 <= low <= high <= bounds[1] + 1e-12, where
    # One-sided limits of level 1/2 are estimates of their own, beside the usual one.
    held = low - 1e-12 <= result.estimate <= high + 1e-12
    assert alpha == 0.5 or math.isnan(result.estimate) or held, where
    assert significant == (not low <= null <= high), where

    low, high = result.limits(level, result.alternative)
    beyond = max(low - null, null - high)
    assert significant == (beyond > 0) or abs(beyond) <= 1e-9, where
    return significant


def check_intervals_nest(subject):
    """A higher confidence gives an interval around the lower one."""
    for evidence, options, alternative in subject.samples():
        result = subject.run(evidence, alternative, **options)
        if math.isnan(result.estimate) or not result.has_interval:
            continue
        limits = [result.confidence_interval(level) for level in (0.5, 0.8, 0.95, 0.999)]
        for (low, high), (lower, higher) in pairwise(limits):
            empty = math.isnan(low) and math.isnan(high)
            assert empty or lower <= low + 1e-12, (result, low, lower)
            assert empty or high <= higher + 1e-12, (result, high, higher)


def check_doubled_records(subject):
    """Every record twice leaves the estimate as it is, unless a bias is taken off it."""
    if not hasattr(subject.entry.needs, "__add__"):
        return
    for seed in seeds(10):
        evidence = subject.evidence(subject.predictions(40, seed))
        once, twice = subject.run(evidence), subject.run(evidence + evidence)

        if subject.entry.plug_in:
            assert once.estimate == pytest.approx(twice.estimate, abs=1e-12, nan_ok=True)
        assert 2 * once.n == pytest.approx(twice.n)


def _as_ratio(subject, value):
    """Ratio of two losses of whose reduction this is, or the ratio itself."""
    if subject.entry.kind == "ratio":
        return value
    return math.inf if value == 1 else 1 / (1 - value)


def check_ratio_of_itself(subject):
    """Against itself a ratio is 1 or flagged as undefined, and p is 1."""
    for evidence, options, alternative in subject.samples_of_itself():
        result = subject.run(evidence, alternative, **options)
        estimate = _as_ratio(subject, result.estimate)

        assert 1 == _as_ratio(subject, result.null_value)
        assert 1 == estimate or (math.isnan(estimate) and result.flags)
        assert 1 == result.pvalue
        assert result.degenerate
        low, high = (_as_ratio(subject, x) for x in result.confidence_interval())
        assert 0 <= low <= 1 <= high


def check_ratio_inverts(subject):
    """Swapped roles invert the estimate and the interval and exchange one-sided p's."""
    for seed in seeds(20):
        predictions = subject.predictions(40, seed)
        evidence = subject.evidence(predictions)
        swapped = subject.evidence(predictions, "challenger", "champion")
        for options in subject.variants:
            for alternative in subject.alternatives:
                result = subject.run(evidence, alternative, **options)
                mirrored = subject.run(
                    swapped, alternative and OPPOSITE[alternative], **options
                )
                low, high = (
                    _as_ratio(subject, x) for x in mirrored.confidence_interval(0.9)
                )
                inverted = [_inverse(limit) for limit in (high, low)]
                limits = [_as_ratio(subject, x) for x in result.confidence_interval(0.9)]

                assert _inverse(_as_ratio(subject, result.estimate)) == pytest.approx(
                    _as_ratio(subject, mirrored.estimate), rel=1e-12, nan_ok=True
                )
                assert result.pvalue == pytest.approx(
                    mirrored.pvalue, rel=1e-12, nan_ok=True
                )
                assert inverted == pytest.approx(limits, rel=1e-9)


def _inverse(ratio):
    return math.inf if ratio == 0 else 1 / ratio


def check_ratio_direction(subject):
    """A ratio above 1 favours the challenger, and "greater" finds it."""
    predictions = subject.predictions(200, 5, accuracies=(0.5, 0.9))
    evidence = subject.evidence(predictions)
    for options in subject.variants:
        result = subject.run(evidence, **options)

        assert _as_ratio(subject, result.estimate) > 1
        if subject.directed:
            _assert_one_sided(subject, evidence, options)


def check_roles_are_alike(subject):
    """Swapped roles change neither estimate, statistic, p-value nor interval."""
    for seed in seeds(20):
        predictions = subject.predictions(40, seed, n_classes=2 + seed % 2)
        evidence = subject.evidence(predictions)
        swapped = subject.evidence(predictions, "challenger", "champion")
        for options in subject.variants:
            result = subject.run(evidence, **options)
            mirrored = subject.run(swapped, **options)

            for name in ("estimate", "statistic", "pvalue"):
                assert getattr(result, name) == pytest.approx(
                    getattr(mirrored, name), rel=1e-10, abs=1e-12, nan_ok=True
                ), name
            assert result.has_interval == mirrored.has_interval
            if result.has_interval:
                assert tuple(result.confidence_interval(0.9)) == pytest.approx(
                    tuple(mirrored.confidence_interval(0.9)), abs=1e-10, nan_ok=True
                )


def check_association_bounds(subject):
    """Estimate and limits are within [-1, 1], or undefined and flagged."""
    for evidence, options, alternative in subject.samples():
        result = subject.run(evidence, alternative, **options)
        low, high = result.confidence_interval()
        if math.isnan(result.estimate):
            assert result.flags
            continue
        assert -1 <= low <= high <= 1
        assert low - 1e-12 <= result.estimate <= high + 1e-12


def check_omnibus_of_itself(subject):
    """Against itself nothing differs: statistic 0, p 1, flagged so."""
    for evidence, options, _ in subject.samples_of_itself():
        result = subject.run(evidence, **options)

        assert (0, 1, 0) == (result.statistic, result.pvalue, result.log_pvalue)
        assert 0 == result.estimate
        assert result.degenerate


def check_omnibus_has_no_direction(subject):
    """A test without direction takes no alternative."""
    evidence = subject.evidence(subject.predictions())

    assert not subject.directed
    with pytest.raises(TypeError, match="alternative"):
        subject.run(evidence, "greater")
    assert "two-sided" == subject.run(evidence).alternative
    assert subject.run(evidence).statistic >= 0


def check_combination_of_itself(subject):
    """Against itself no class differs: p is 1, flagged so, whatever the statistic says."""
    for evidence, options, _ in subject.samples_of_itself():
        result = subject.run(evidence, **options)

        assert (1, 0) == (result.pvalue, result.log_pvalue)
        assert math.isfinite(result.statistic)
        assert 0 == result.estimate
        assert result.degenerate


GENERAL = (
    check_entry_is_described,
    check_docstring,
    check_result_says_what_it_is,
    check_pvalue,
    check_record_order,
    check_shards,
    check_swapped_roles,
    check_round_trips,
    check_evidence_is_left_alone,
    check_arrays,
    check_wrong_evidence,
    check_wrong_options,
    check_design,
)
OF_KIND = {
    "difference": (
        check_itself,
        check_difference_flips,
        check_direction,
        check_margins,
        check_interval_and_pvalue_agree,
        check_intervals_nest,
        check_doubled_records,
    ),
    "ratio": (
        check_ratio_of_itself,
        check_ratio_inverts,
        check_ratio_direction,
        check_interval_and_pvalue_agree,
        check_intervals_nest,
        check_doubled_records,
    ),
    "reduction": (
        check_ratio_of_itself,
        check_ratio_inverts,
        check_ratio_direction,
        check_interval_and_pvalue_agree,
        check_intervals_nest,
        check_doubled_records,
    ),
    "association": (
        check_roles_are_alike,
        check_association_bounds,
        check_interval_and_pvalue_agree,
        check_intervals_nest,
        check_doubled_records,
    ),
    "omnibus": (
        check_roles_are_alike,
        check_omnibus_of_itself,
        check_omnibus_has_no_direction,
        check_doubled_records,
    ),
    "combination": (
        check_roles_are_alike,
        check_combination_of_itself,
        check_omnibus_has_no_direction,
        check_doubled_records,
    ),
}


SLOW = (
    "interval_and_pvalue_agree",
    "intervals_nest",
    "round_trips",
    "swapped_roles",
    "roles_are_alike",
)
"""Checks that take long; one set of dependencies is enough for them."""

AGAIN = (
    "itself",
    "margins",
    "shards",
    "direction",
    "difference_flips",
    "doubled_records",
    "ratio_of_itself",
    "ratio_inverts",
    "ratio_direction",
    "omnibus_of_itself",
    "combination_of_itself",
)
"""Quick checks that the slow ones repeat with all samples, for every choice of options."""


def checks_of(entry):
    """Names and callables of all checks that apply to a registered test."""
    subject = Subject(entry)
    for check in (*GENERAL, *OF_KIND.get(entry.kind, ())):
        yield check.__name__.removeprefix("check_"), partial(check, subject)


def run_checks(entry, *, slow):
    """Run the slow checks of a registered test or the others; an error names its check."""
    for title, check in checks_of(entry):
        if slow == (title in SLOW) or (slow and THOROUGH and title in AGAIN):
            try:
                check()
            except BaseException as error:
                error.add_note(f"{entry.name} fails the common check {title!r}")
                raise


def assert_same(expected, actual, rel=1e-12):
    """Two results agree in all that they say."""
    one, two = expected.to_dict(), actual.to_dict()
    details, other_details = one.pop("details"), two.pop("details")
    parts, other_parts = one.pop("parts"), two.pop("parts")
    assert one.keys() == two.keys()
    for name, value in one.items():
        required = value
        if isinstance(value, float):
            required = pytest.approx(value, rel=rel, abs=rel, nan_ok=True)
        assert required == two[name], name
    assert pytest.approx(dict(details), rel=rel, abs=rel, nan_ok=True) == other_details
    assert len(parts) == len(other_parts)
    for part, other in zip(parts, other_parts, strict=True):
        assert part.keys() == other.keys()
        for name, value in part.items():
            required = value
            if isinstance(value, float):
                required = pytest.approx(value, rel=rel, abs=rel, nan_ok=True)
            assert required == other[name], name
