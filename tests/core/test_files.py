"""Files that appear whole or not at all."""

import os
import stat
import sys

import pytest

from skcompare._core.atomic_write import write_text

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


@posix
def test_links_are_followed_and_permissions_kept(tmp_path):
    """The file behind a link is replaced, and stays as private as it was."""
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    write_text(link, "new")

    assert link.is_symlink()
    assert "new" == target.read_text()
    assert 0o600 == stat.S_IMODE(target.stat().st_mode)


@posix
def test_what_is_no_file_is_written_directly(tmp_path):
    """A pipe stays a pipe, and its reader gets the text."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text(pipe, "text")

    assert b"text" == os.read(reader, 100)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    os.close(reader)


def test_folders_are_refused(tmp_path):
    """A folder, and a file in a folder that is not there, are refused by name."""
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_text(tmp_path, "text")
    with pytest.raises(FileNotFoundError, match="no such folder"):
        write_text(tmp_path / "missing" / "file.html", "text")
