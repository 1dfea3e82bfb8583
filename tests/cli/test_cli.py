"""The shell command."""

import gzip
import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skcompare.cli import _main, main

ROOT = Path(__file__).parents[2]
MAIN = Path(_main.__file__).parents[1] / "__main__.py"
LINES = "y,champion,challenger\n" + "yes,yes,no\nno,no,no\nyes,no,yes\n" * 5


@pytest.fixture
def table(tmp_path):
    """Writes a CSV file and gives its path."""

    def write(text, name="predictions.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def without_time(text):
    """The report without the seconds, which differ between runs."""
    return re.sub(r"\d+\.\d s", "_ s", text)


@pytest.mark.newest
def test_readme_shows_what_the_demo_prints(tmp_path, capsys):
    """The README's report is the demo's, apart from the time; --html writes a page."""
    page = tmp_path / "report.html"
    assert 0 == main(["demo", "--html", str(page)])
    printed = without_time(capsys.readouterr().out)
    readme = without_time((ROOT / "README.rst").read_text(encoding="utf-8"))

    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    for line in printed.splitlines():
        assert line in readme


def test_demo_compares_two_classifiers(tmp_path, capsys):
    """Without data of one's own, and with a verdict that decides."""
    result = tmp_path / "result.json"

    assert 0 == main(["demo", "--json", str(result)])
    assert "bcv_jackknife_t" in capsys.readouterr().out
    stored = json.loads(result.read_text(encoding="utf-8"))
    assert (1797, "challenger") == (stored["n_records"], stored["verdict"]["winner"])


def test_page_and_result_are_written(table, tmp_path, capsys):
    """--html writes a page beside the report, and --json the result."""
    page, result = tmp_path / "report.html", tmp_path / "result.json"

    assert 0 == main(["compare", table(LINES), f"--html={page}", f"--json={result}"])
    assert "mcnemar" in capsys.readouterr().out
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert 15 == json.loads(result.read_text(encoding="utf-8"))["n_records"]


def test_compare_labels(table, capsys):
    """Three columns of labels are compared by McNemar's test."""
    assert 0 == main(["compare", table(LINES)])
    printed = capsys.readouterr().out

    assert "hold-out, 15 records" in printed
    assert "mcnemar" in printed


def test_compare_named_columns(table, capsys):
    """Columns can be named, and other columns are left alone."""
    path = table("id;truth;a;b\n1;0;0;1\n2;1;1;1\n3;1;0;1\n")
    names = ["--y", "truth", "--champion", "a", "--challenger", "b", "--delimiter", ";"]

    assert 0 == main(["compare", path, *names, "--format", "json"])
    stored = json.loads(capsys.readouterr().out)
    assert ("a", "b", 3) == (stored["champion"], stored["challenger"], stored["n_records"])


def test_compare_probabilities(table, capsys):
    """Columns of probabilities are of the positive label, and can be ranked."""
    path = table("y,a,b\nyes,0.9,0.8\nno,0.2,0.6\nyes,0.4,0.7\nno,0.1,0.2\n")
    scoring = ["--scoring", "accuracy,roc_auc"]

    assert 0 == main(["compare", path, "--pos-label", "yes", *scoring])
    assert re.search(r"roc_auc\s+1\.000\s+1\.000", capsys.readouterr().out)


def test_measures_of_one_class(table, capsys):
    """A comma in the brackets belongs to the class."""
    text = "y,a,b\n" + '"x,1","x,1","x,1"\n"x,1",z,"x,1"\nz,z,z\nz,"x,1",z\n' * 5
    scoring = ["--scoring", "accuracy,precision[x,1], recall[z]"]

    assert 0 == main(["compare", table(text), *scoring])
    assert re.search(
        r"accuracy .*\nprecision\[x,1\] .*\nrecall\[z\] ", capsys.readouterr().out
    )


def test_compare_mixes_numbers_as_written(table, capsys):
    """Whole numbers written as decimals are labels."""
    assert 0 == main(["compare", table("y,a,b\n0,0.0,1\n1,1.0,1\n1,0.0,1\n")])
    assert re.search(r"accuracy\s+0\.667\s+0\.667", capsys.readouterr().out)


def test_bad_input_is_one_line_and_code_2(table, capsys):
    """Bad input ends in one clear line and exit code 2, and prints no report."""
    for text, arguments, message in [
        ("", [], "empty file"),
        ("y,champion,challenger\n", [], "at least one record"),
        ("y,y,b\n1,1,1\n", [], "several columns named y"),
        ("y,a\n1,1\n", [], "Unknown column 'champion'.* Name one by --champion"),
        ("y;a;b\n1;1;0\n", [], "Unknown column 'y'.* Is --delimiter right"),
        (
            "a,b,y\n1,1,1\n",
            ["--y=a", "--champion=a", "--challenger=b"],
            "must be three columns",
        ),
        ("y,a,b\n1,0,1\n", ["--id", "key"], "Unknown column 'key'.* by --id"),
        ("id,y,a,b\n7,0,1,0\n7,1,1,1\n", ["--id", "id"], "'7'.* more than once"),
        ("a,b,c,d\n1,1,1,1\n", ["--y", "aa"], "Did you mean 'a'"),
        ("y,a,b\n1,1\n", [], "Record 1 .* has 2 fields"),
        ("y,a,b\n1,,1\n", [], "empty field"),
        ("y,a,b\n1,nan,1\n0,0,1\n", [], "missing"),
        ("y,a,b\n1,1.5,1\n0,0,1\n", [], r"in \[0, 1\]"),
        ("y,a,b\nyes,0.5,1\nno,0,1\n", [], "--pos-label"),
        ("y,a,b\nyes,Yes,no\nno,no,no\n", [], "'Yes' where `y_true` has 'yes'"),
        ("y,a,b\n1,0,1\n0,0,1\n", ["--alpha", "2"], "--alpha must be"),
        ("y,a,b\n1,0,1\n0,0,1\n", ["--scoring", "f2"], "Unknown scoring 'f2'"),
        ("y,a,b\n1,0,1\n0,0,1\n", ["--scoring", "roc_auc"], "needs predictions"),
        ("y,a,b\n1,0,1\n0,0,1\n", ["--delimiter", ";;"], "one character"),
        ('y,a,b\n"1,0,1\n', [], "not a CSV file|fields"),
        ("y,a,b\n1,0,1\n0,0,1\n", ["--json", "no/such/folder.json"], "no such folder"),
    ]:
        assert 2 == main(["compare", table(text), *arguments])
        captured = capsys.readouterr()

        assert "" == captured.out
        assert 1 == len(captured.err.splitlines())
        assert re.search(message, captured.err)


def test_files_as_they_come(tmp_path, capsys):
    """Quoted line breaks, leading zeros, tabs, blank lines and byte order marks."""
    for text, arguments, accuracy in [
        ('y,a,b\n"a\nb",ab,"a\nb"\nab,ab,ab\n', [], ("0.500", "1.000")),
        ("y,a,b\n01,1,01\n1,1,1\n", [], ("0.500", "1.000")),
        ("y\ta\tb\n0\t1\t0\n1\t1\t1\n", ["--delimiter", "\\t"], ("0.500", "1.000")),
        ("\n\ny,a,b\n0,1,0\n1,1,1\n", [], ("0.500", "1.000")),
        ("\ufeffy,a,b\r\n0,1,0\r\n1,1,1\r\n", [], ("0.500", "1.000")),
    ]:
        path = tmp_path / "predictions.csv"
        path.write_bytes(text.encode())

        assert 0 == main(["compare", str(path), *arguments])
        first, second = accuracy
        assert re.search(rf"accuracy\s+{first}\s+{second}", capsys.readouterr().out)


def test_nothing_is_written_for_bad_input(table, tmp_path, capsys):
    """Bad input leaves no page and no JSON behind."""
    path = table("y,a,b\n1,,1\n")
    page, result = tmp_path / "report.html", tmp_path / "result.json"

    assert 2 == main(["compare", path, "--html", str(page), "--json", str(result)])
    assert "empty field" in capsys.readouterr().err
    assert [tmp_path / "predictions.csv"] == list(tmp_path.iterdir())


def compared(capsys, *arguments):
    """The result as JSON, without the seconds."""
    assert 0 == main(["compare", *map(str, arguments), "--format", "json"])
    result = json.loads(capsys.readouterr().out)
    del result["seconds"]
    return result


@pytest.mark.parametrize(
    "name", ["predictions.tsv", "predictions.csv.gz", "predictions.parquet"]
)
def test_files_of_other_kinds(table, tmp_path, capsys, name):
    """TSV, compressed and Parquet files give what a CSV file gives."""
    expected = compared(capsys, table(LINES, "plain.csv"))
    path = tmp_path / name
    if name.endswith(".tsv"):
        table(LINES.replace(",", "\t"), name)
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(LINES.encode()))
    else:
        csv = pytest.importorskip("pyarrow.csv")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(csv.read_csv(tmp_path / "plain.csv"), path)

    assert expected == compared(capsys, path)


def test_parquet_without_a_reader(tmp_path, capsys, monkeypatch):
    """Where nothing reads Parquet, the line says what to install."""
    path = tmp_path / "predictions.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "narwhals", None)

    assert 2 == main(["compare", str(path)])
    assert "pip install " in capsys.readouterr().err


FILES = {
    "truth.csv": "id,y\n1,yes\n2,no\n3,yes\n",
    "old.csv": "id,label\n3,no\n1,yes\n2,no\n",
    "new.csv": "label,id\nno,2\nyes,3\nyes,1\n",
}


@pytest.fixture
def files(table):
    """Truth and two files of predictions, in three orders of records."""
    return {name: table(text, name) for name, text in FILES.items()}


def test_predictions_in_other_files(files, table, capsys):
    """Predictions in other files are joined by the id, and are called by their files."""
    one = table("y,old,new\nyes,yes,yes\nno,no,no\nyes,no,yes\n", "one.csv")
    expected = compared(capsys, one)
    actual = compared(
        capsys,
        files["truth.csv"],
        "--id=id",
        f"--champion-file={files['old.csv']}",
        f"--challenger-file={files['new.csv']}",
    )

    for role in ("champion", "challenger"):
        assert Path(actual.pop(role)).stem == expected.pop(role)
    assert expected == actual


def test_one_prediction_in_another_file(files, table, capsys):
    """One of the predictions may stand beside the truth; columns may be named."""
    main_file = table("id,y,run,other\n1,yes,yes,?\n2,no,no,?\n3,yes,no,?\n", "m.csv")
    result = compared(
        capsys,
        main_file,
        "--id=id",
        "--champion=run",
        f"--challenger-file={files['new.csv']}",
        "--challenger=label",
    )

    assert ("run", "label", 3) == (
        result["champion"],
        result["challenger"],
        result["n_records"],
    )


def test_columns_in_order_beside_the_id(table, capsys):
    """Three columns beside the id are truth, champion and challenger in order."""
    result = compared(capsys, table("a,id,b,c\n1,x,1,0\n0,y,0,0\n"), "--id", "id")

    assert ("b", "c") == (result["champion"], result["challenger"])


def test_bad_options_of_several_files(files, table, capsys):
    """What is wrong with several files is said in one line, and the exit code is 2."""
    for arguments, message in [
        (["--champion-file={old.csv}", "--champion=label"], "--champion-file needs --id"),
        (["--challenger-file={new.csv}"], "--challenger-file needs --id"),
        (
            ["--id=id", "--champion-file={old.csv}"],
            r"Unknown column 'challenger'.*truth\.csv.* by --challenger",
        ),
        (
            ["--id=key", "--champion-file={old.csv}", "--challenger-file={new.csv}"],
            "Unknown column 'key'.* by --id",
        ),
        (
            ["--id=id", "--champion-file={old.csv}", "--challenger-file={old.csv}"],
            "must be three columns",
        ),
        (
            ["--id=id", "--champion-file=missing.csv", "--challenger-file={new.csv}"],
            r"Cannot read 'missing\.csv'",
        ),
        (
            ["--id=id", "--champion-file={old.csv}", "--challenger-file={less.csv}"],
            r"less\.csv' lacks 2 of them \('1', '3'\) and .*truth\.csv' lacks 1 .* \('4'\)",
        ),
        (
            [
                "--id=id",
                "--champion-file={old.csv}",
                "--challenger-file={other.csv}",
                "--challenger=label",
            ],
            r"True labels differ .*truth\.csv'.*other\.csv' in 1 of 3 records, ids '3'",
        ),
    ]:
        paths = files | {"less.csv": table("id,label\n2,no\n4,no\n", "less.csv")}
        other = "id,label,y\n1,no,yes\n2,no,no\n3,no,no\n"
        paths["other.csv"] = table(other, "other.csv")
        filled = []
        for argument in arguments:
            for name, path in paths.items():
                argument = argument.replace(f"{{{name}}}", path)
            filled.append(argument)

        assert 2 == main(["compare", paths["truth.csv"], *filled])
        captured = capsys.readouterr()
        assert "" == captured.out
        assert 1 == len(captured.err.splitlines())
        assert re.search(message, captured.err)


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="POSIX has names of pipes")
def test_compare_what_comes_through_a_pipe(capsys):
    """Predictions may come through a pipe, which can be read only once."""
    read_from, write_to = os.pipe()
    with open(write_to, "w") as pipe:
        pipe.write(LINES)
    try:
        assert 0 == main(["compare", f"/dev/fd/{read_from}"])
    finally:
        os.close(read_from)

    assert "15 records" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pipes of a POSIX shell")
def test_reader_that_has_seen_enough():
    """A closed pipe ends the command without complaint."""
    script = f"{sys.executable} -m skcompare list-tests | head -n 1"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )

    assert "" == done.stderr


def test_files_that_cannot_be_read(tmp_path, capsys):
    """Missing and binary files are named."""
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00\x01")

    for path in (str(tmp_path / "missing.csv"), str(binary), str(tmp_path)):
        assert 2 == main(["compare", path])
        assert Path(path).name in capsys.readouterr().err


def test_lists(capsys):
    """Tests and metrics are listed with the question that they answer."""
    assert 0 == main(["list-tests"])
    assert "bcv_jackknife_t" in capsys.readouterr().out
    assert 0 == main(["list-metrics"])
    assert "multiclass_brier_loss" in capsys.readouterr().out


def test_module_is_the_command(capsys, monkeypatch):
    """`python -m skcompare` does what the command does."""
    monkeypatch.setattr(sys, "argv", ["skcompare", "compare", "missing.csv"])
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(MAIN, run_name="__main__")

    assert 2 == caught.value.code
    assert "missing.csv" in capsys.readouterr().err


@pytest.mark.slow
def test_process_ends_with_the_code():
    """An error is a line and a code for whoever started the command."""
    done = subprocess.run(
        [sys.executable, "-m", "skcompare", "compare", "missing.csv"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )

    assert 2 == done.returncode
    assert "missing.csv" in done.stderr
    assert "Traceback" not in done.stderr


def test_groups_and_tests(tmp_path, capsys):
    """A column of groups chooses the test that allows for them, and tests are named."""
    path = tmp_path / "predictions.csv"
    rows = [f"{k % 2},{k % 2},{(k + k // 9) % 2},g{k // 3}" for k in range(60)]
    path.write_text("\n".join(["y,champion,challenger,patient", *rows]), encoding="utf-8")

    assert 0 == main(["compare", str(path), "--groups", "patient"])
    grouped = capsys.readouterr().out
    assert 0 == main(["compare", str(path), "--tests", "bowker,cohen_kappa"])
    named = capsys.readouterr().out

    assert "clustered_mcnemar" in grouped
    assert "by groups" in grouped
    assert all(name in named for name in ("mcnemar", "bowker", "cohen_kappa"))
    assert 2 == main(["compare", str(path), "--groups", "nobody"])
    assert "Unknown column 'nobody'" in capsys.readouterr().err
    assert 2 == main(["compare", str(path), "--tests", "nonsense"])
    assert "Unknown test 'nonsense'" in capsys.readouterr().err


def test_demo_of_regressors(capsys):
    """The demo compares two regressors by R² and two errors."""
    assert 0 == main(["demo", "--regression"])

    report, progress = capsys.readouterr()
    assert "" == progress
    assert "challenger  BayesianRidge" in report
    assert "r2 *" in report
    assert "the challenger is better" in report


def test_demo_shows_progress_in_a_terminal(capsys, monkeypatch):
    """The bar is on stderr, so that the report can be redirected."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert 0 == main(["demo", "--regression"])

    report, progress = capsys.readouterr()
    assert "Fits" in progress
    assert "Fits" not in report


def test_numbers_in_a_file(tmp_path, capsys):
    """Columns of numbers are compared without a measure, as arrays are."""
    y = np.random.default_rng(0).normal(size=40)
    old, new = y + np.tile([1, -1], 20), y + np.tile([0.5, -0.25], 20)
    frame = pd.DataFrame({"y": y, "old": old, "new": new})
    frame.to_csv(tmp_path / "x.csv", index=False)
    columns = ["--y", "y", "--champion", "old", "--challenger", "new"]

    assert 0 == main(["compare", str(tmp_path / "x.csv"), *columns])
    assert "neg_root_mean_squared_error" in capsys.readouterr().out


def test_unknown_arguments_are_answered(table, capsys):
    """An unknown option leads to the closest one, in one line of the command."""
    path = table(LINES)
    for arguments, message in (
        (["compare", path, "--scorring", "f1"], "skcompare compare: error: .*--scoring"),
        (["compare", path, "--alpha", "0.1", path], "files come together"),
        (["compare", path, "--zzz"], r"unrecognized arguments: --zzz\. See"),
        (["demo", "x"], r"unrecognized arguments: x\. See `skcompare demo --help`"),
    ):
        with pytest.raises(SystemExit) as raised:
            main(arguments)
        assert 2 == raised.value.code
        printed = capsys.readouterr().err
        assert re.search(message, printed)
        assert 1 == printed.count("\n")
