"""Results of the MNIST study: files that add up, and decisions from them."""

import json
from pathlib import Path

import numpy as np
import pytest

from skcompare import BlockRegularizedMx2CV
from skcompare.evidence import PairedBlocks
from skcompare.stats import bcv_mcnemar

results = pytest.importorskip("benchmarks.validity.splits.mnist.mnist_results")

from benchmarks.page_tables import read_page  # noqa: E402
from benchmarks.validity.splits.mnist import mnist  # noqa: E402
from benchmarks.validity.splits.mnist import mnist_designs as designs  # noqa: E402

SETTING = designs.Setting(0, 80, 0.0, 2)


def lines(data_sets, rng, setting=SETTING, design="5x2"):
    """Units of some data sets, and lines with random predictions."""
    units = designs.units_of(design, data_sets)
    for unit in units:
        _, splits = designs.draw(setting.seed, unit.number, setting.records)
        right = [rng.random((2, splits.test[s].sum())) < 0.8 for s in unit.splits]
        yield unit, results.line_of(setting, unit, right), right


def test_files_add_up_and_a_cut_line_is_trained_again(tmp_path):
    """Units of all files are there, except one whose line was cut off."""
    paths = [tmp_path / "new" / name for name in ("a.jsonl", "b.jsonl")]
    drawn = list(lines(2, np.random.default_rng(0)))
    (first, line, right), (second, second_line, _), *others = drawn
    results.append(paths[0], [line])
    with paths[0].open("a") as file:
        file.write(second_line[:90])
    results.append(paths[1], [text for _, text, _ in others])
    cut = results.Results(paths)

    assert [True, False, True, True] == [cut.has([SETTING], unit) for unit, *_ in drawn]
    assert [1] == cut.numbers(SETTING, designs.DESIGNS["5x2"])

    results.append(paths[0], [second_line])
    whole = results.Results(paths)

    assert 3 == paths[0].read_text().count("\n")
    assert whole.has([SETTING], second)
    assert not whole.has([SETTING, SETTING._replace(epochs=3)], first)
    assert [0, 1] == whole.numbers(SETTING, designs.DESIGNS["5x2"])
    for split, expected in zip(first.splits, right):
        assert expected.tolist() == whole.right(SETTING, 0, split).tolist()


def test_decisions_are_those_of_the_library(tmp_path):
    """P-values of 5×2 BCV McNemar from files and from `PairedBlocks`."""
    path = tmp_path / "a.jsonl"
    drawn = list(lines(3, np.random.default_rng(1)))
    results.append(path, [line for _, line, _ in drawn])
    (decide,) = [decide for _, key, decide in results.tests() if key == "bcv_mcnemar"]
    pvalues, numbers = decide(results.Results([path]), SETTING)

    assert [0, 1, 2] == numbers
    for number, pvalue in zip(numbers, pvalues):
        tables = [
            [np.sum(c & g), np.sum(c & ~g), np.sum(~c & g), np.sum(~c & ~g)]
            for unit, _, right in drawn
            if unit.number == number
            for c, g in right
        ]
        blocks = PairedBlocks(np.reshape(tables, (5, 2, 4)))
        assert bcv_mcnemar(blocks).pvalue == pytest.approx(pvalue, rel=1e-12)


def test_three_repetitions_of_5x2_are_a_3x2_design():
    """Training sets of halves share a quarter of the records, as those of the splitter."""
    where = results.places()["3x2"]
    splitter = BlockRegularizedMx2CV(3, stratify=False, random_state=0)
    published = np.zeros((6, 160), bool)
    for row, (train, _) in zip(published, splitter.split(np.zeros((160, 1)))):
        row[train] = True
    _, splits = designs.draw(0, 0, 160)
    train = splits.train[where]

    assert blocks_of(published) == blocks_of(train)
    assert blocks_of(published) != blocks_of(splits.train[designs.DESIGNS["5x2"]])


def blocks_of(train):
    """Sizes of the blocks of records that are in the same training sets."""
    return sorted(np.unique(train[::2], axis=1, return_counts=True)[1].tolist())


def test_stored_results_are_whole():
    """Data sets that have all splits of a design, after 25 epochs and after 250."""
    stored = results.Results([results.STORED])
    settings = [designs.Setting(0, mnist.RECORDS, 0.0, epochs) for epochs in (25, 250)]
    numbers = {
        name: [len(stored.numbers(setting, splits)) for setting in settings]
        for name, splits in designs.DESIGNS.items()
    }

    assert settings == stored.settings
    assert numbers == {
        "5x2": [100, 100],
        "holdout": [50, 50],
        "10 folds": [24, 0],
        "random 5x2": [24, 0],
        "repeated holdout": [5, 0],
        "small holdout": [24, 0],
        "10x10": [0, 0],
    }


@pytest.mark.slow
def test_page_has_what_the_stored_results_decide():
    """Every row of the tables is on the page."""
    page = Path(__file__).parents[2] / "doc" / "user_guide" / "mnist_error_rates.rst"
    if not page.exists():
        pytest.skip("the pages are not here")
    rows = {line.strip() for line in read_page(page).split("\n")}
    stored = results.Results([results.STORED])
    for table in (
        mnist.error_table(stored, stored.settings),
        mnist.spread_table(stored, stored.settings),
        mnist.level_table(stored, stored.settings),
    ):
        body = {line.strip() for line in table.to_rst().split("\n")[3:]}
        assert len(body) > 4
        assert body <= rows


def test_lines_have_what_a_result_depends_on():
    """The setting, the data set and the splits are stored, and nothing of the machine."""
    ((unit, line, _), *_) = lines(1, np.random.default_rng(2), design="holdout")

    assert json.loads(line).keys() == {
        *designs.Setting._fields, "data_set", "splits", "champion", "challenger"
    }  # fmt: skip
    assert list(unit.splits) == json.loads(line)["splits"]
