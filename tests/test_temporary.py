"""Temporary files."""

import os
import subprocess
import sys

import pytest

from tiebreak._base.temporary import remove, temporary_file


def test_file_is_kept_until_it_is_removed_and_only_its_owner_reads_it(tmp_path):
    with temporary_file(str(tmp_path / "draft-")) as file:
        file.write(b"text")
    (path,) = tmp_path.iterdir()
    assert path.name.startswith("draft-") and path.read_bytes() == b"text"
    assert os.name != "posix" or path.stat().st_mode & 0o777 == 0o600
    remove(str(path))
    remove(str(path))  # it may be gone already
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failure", [OSError, KeyboardInterrupt, SystemExit])
def test_file_of_work_that_fails_is_removed_at_once(tmp_path, failure):
    with pytest.raises(failure), temporary_file(str(tmp_path / "draft-")):
        raise failure
    assert list(tmp_path.iterdir()) == []


def test_file_is_removed_at_exit(tmp_path):
    script = f"from tiebreak._base.temporary import temporary_file\nwith temporary_file({str(tmp_path / 'x')!r}): pass"
    subprocess.run([sys.executable, "-c", script], check=True)
    assert list(tmp_path.iterdir()) == []
