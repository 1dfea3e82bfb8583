"""Losses item by item, such as errors of regressors: lower is better."""

import json

import numpy as np
import pandas as pd
import pytest

from skcompare import compare, compare_scores
from skcompare.cli import main
from skcompare.gate import Gate, Superior
from skcompare.predictions import ItemScores


def drawn(n=120):
    """Targets and two predictions."""
    rng = np.random.default_rng(0)
    y = 50 + 10 * rng.normal(size=n)
    return y, *(y + rng.normal(size=(2, n)) * [[12], [9]])


def errors(scale=1.0, n=120):
    y, old, new = drawn(n)
    return np.abs(old - y) * scale, np.abs(new - y) * scale


LOWER = {"greater_is_better": False}


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(40), 3)])
def test_errors_as_losses_are_those_of_predictions(groups):
    """Absolute errors as items give the test of the mean absolute error."""
    y, old, new = drawn()
    items = compare_scores(*errors(), **LOWER, group=groups).rows[0]
    both = {"old": old, "new": new}
    row = compare(y, both, scoring="neg_mean_absolute_error", groups=groups).rows[0]

    assert row.test == items.test
    assert row.pvalue == pytest.approx(items.pvalue, rel=1e-12)
    assert [row.difference, row.low, row.high] == pytest.approx(
        [items.difference, items.low, items.high]
    )
    assert [-row.champion, -row.challenger] == pytest.approx(
        [items.champion, items.challenger]
    )
    assert ("mean_loss", False) == (items.measure, items.greater_is_better)


def test_negated_losses_are_scores():
    """The same verdict and p-value as of scores that are negated losses."""
    of_losses = compare_scores(*errors(), **LOWER)
    of_scores = compare_scores(*(-each for each in errors()))

    assert of_scores.verdict == of_losses.verdict
    assert of_scores.rows[0].pvalue == pytest.approx(of_losses.rows[0].pvalue)
    assert of_scores.rows[0].difference == pytest.approx(of_losses.rows[0].difference)
    assert "lower is better" in str(of_losses)


def test_losses_have_reductions():
    """Unlike negated scores, so that a report has "how much less error"."""
    rows = compare_scores(*errors(), **LOWER, tests="all", bounds=(0, 100)).rows
    of_losses = {row.test: row for row in rows}

    assert {"relative_loss", "anytime_losses", "wilcoxon"} <= set(of_losses)
    first, second = (each.mean() for each in errors())
    reduction = of_losses["relative_loss"].result.estimate
    assert 1 - second / first == pytest.approx(reduction)


@pytest.mark.parametrize("scale", [1e-8, 1e6])
def test_unit_does_not_matter(scale):
    """Nor does a report write small gains as 0."""
    row = compare_scores(*errors(scale), **LOWER).rows[0]
    usual = compare_scores(*errors(), **LOWER).rows[0]

    assert usual.pvalue == pytest.approx(row.pvalue)
    assert usual.difference == pytest.approx(row.difference / scale)
    assert "+0.000 " not in str(compare_scores(*errors(scale), **LOWER))


def test_roles_turn_the_gain():
    """The sign changes, and the two-sided p-value stays."""
    old, new = errors()
    first, second = (
        compare_scores(*pair, **LOWER).rows[0] for pair in ((old, new), (new, old))
    )
    scores = ItemScores.from_scores(old, new, **LOWER)

    assert first.difference == -second.difference > 0
    assert first.pvalue == second.pvalue
    assert scores.differences.mean() == pytest.approx(first.difference)
    assert (-scores.swap().differences).tolist() == scores.differences.tolist()
    assert not scores.subset(old > 1).greater_is_better


def test_wrong_answers_as_losses_are_graded():
    """0 is the best loss, so that McNemar's test does not take it for a wrong answer."""
    old, new = ((each > 9).astype(int) for each in errors())
    row = compare_scores(old, new, **LOWER).rows[0]

    assert "paired_t" == row.test
    assert old.mean() - new.mean() == pytest.approx(row.difference)
    with pytest.raises(ValueError, match="or are losses"):
        compare_scores(old, new, **LOWER, tests="mcnemar")


def test_few_losses_may_be_those_of_folds():
    """They get no verdict, or the corrected test, with the right sign."""
    old, new = (each[:10] for each in errors())
    unnamed = compare_scores(old, new, **LOWER).rows[0]
    folds = compare_scores(old, new, **LOWER, folds=(900, 100)).rows[0]
    negated = compare_scores(-old, -new, folds=(900, 100)).rows[0]

    for row in (unnamed, folds, negated):
        assert (old - new).mean() == pytest.approx(row.difference)
    assert negated.pvalue == pytest.approx(folds.pvalue)
    assert "mean_loss" == folds.measure == unnamed.measure


def test_files_in_the_shell(tmp_path, capsys):
    """`--lower-is-better` reads columns of losses."""
    old, new = errors()
    path = tmp_path / "errors.csv"
    pd.DataFrame({"id": np.arange(len(old)), "old": old, "new": new}).to_csv(
        path, index=False
    )
    command = ["compare", "--scores", str(path), "--score", "old,new", "--id", "id"]
    code = main([*command, "--lower-is-better", "--format", "json"])
    row = json.loads(capsys.readouterr().out)["rows"][0]

    assert 0 == code
    assert ("mean_loss", False) == (row["measure"], row["greater_is_better"])
    assert 2 == main(["compare", str(path), "--lower-is-better"])
    assert "--lower-is-better is about --scores" in capsys.readouterr().err


def test_refusals():
    """Where the direction is in the scores already, or a gate would turn it round."""
    scores = ItemScores.from_scores(*errors(), **LOWER)
    assert compare_scores(scores).rows[0].measure == "mean_loss"
    with pytest.raises(ValueError, match="`greater_is_better` as well"):
        compare_scores(scores, **LOWER)
    with pytest.raises(TypeError, match="must be True or False"):
        compare_scores(*errors(), greater_is_better="no")
    with pytest.raises(ValueError, match="Negate them"):
        Gate(Superior("mean_score")).decide(scores)
