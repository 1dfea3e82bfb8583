"""Scripts by which a shell completes the command."""

import shutil
import subprocess
import sys

import pytest

from skcompare.cli import main


@pytest.fixture
def script(capsys):
    """The script of a shell."""
    pytest.importorskip("shtab")

    def printed(shell):
        assert 0 == main(["completion", shell])
        return capsys.readouterr().out

    return printed


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_each_shell_has_a_script(shell, script):
    """It has the commands, and the options of each."""
    text = script(shell)

    for word in ("monitor", "list-tests", "noninferior", "lower-is-better", "force"):
        assert word in text
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=text, text=True, check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ga"], ["gate"]),
        (["gate", "--noninf"], ["--noninferior"]),
        (["gate", "--format", "ju"], ["junit"]),
        (["gate", "old"], ["old.csv"]),
        (["init", "--policy", "ga"], ["gate.toml"]),
    ],
)
def test_bash_completes(words, expected, script, tmp_path):
    """Commands, options, choices and files."""
    (tmp_path / "old.csv").touch()
    (tmp_path / "gate.toml").touch()
    line = " ".join(["skcompare", *words])
    code = f"""
    COMP_WORDS=({line}) COMP_CWORD={len(words)}
    COMP_LINE="{line}" COMP_POINT={len(line)}
    _shtab_skcompare skcompare {words[-1]} {(["skcompare", *words])[-2]}
    printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc"],
        input=script("bash") + code,
        text=True,
        capture_output=True,
        cwd=tmp_path,
        check=True,
    )

    assert expected == done.stdout.split()


def test_without_shtab(capsys, monkeypatch):
    """The error says how to install it."""
    monkeypatch.setitem(sys.modules, "shtab", None)

    assert 2 == main(["completion", "bash"])
    assert "Completion needs shtab. Install it with" in capsys.readouterr().err
