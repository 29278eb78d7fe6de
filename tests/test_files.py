"""Files are written atomically, and never through a link."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from exactree.files import check_writable, replacing, write_text


def test_the_new_text_replaces_the_old_one_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    write_text(path, "new\r\n")
    assert path.read_bytes() == b"new\r\n"
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


def test_an_error_or_an_interrupt_during_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("old", encoding="utf-8")

    def write_half(error: type[BaseException]) -> None:
        with replacing(path) as file:
            file.write("half")
            raise error

    for error in (KeyboardInterrupt, ValueError):
        with pytest.raises(error):
            write_half(error)
    assert path.read_text(encoding="utf-8") == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """The limit on the size of files stands for a full disk: `write` fails in the middle."""
    pytest.importorskip("resource", reason="there are no limits on resources here")
    path = tmp_path / "model.json"
    path.write_text("old", encoding="utf-8")
    program = (
        "import resource, sys\n"
        "from exactree.files import write_text\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    write_text(sys.argv[1], 'x' * 100_000)\n"
        "except OSError as error:\n"
        "    print(error.filename)\n"
    )
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


def test_links_and_folders_are_refused_and_named(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old", encoding="utf-8")
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("links cannot be made here")
    for path, why in ((link, "symbolic link"), (tmp_path, "directory")):
        for write in (lambda p: write_text(p, "new"), check_writable):
            with pytest.raises(OSError, match=why) as caught:
                write(path)
            assert caught.value.filename == str(path)
    assert target.read_text(encoding="utf-8") == "old"


def test_a_missing_folder_is_named_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "none" / "model.json"
    for write in (lambda p: write_text(p, "new"), check_writable):
        with pytest.raises(FileNotFoundError) as caught:
            write(path)
        assert caught.value.filename == str(path)


def test_check_writable_leaves_no_file(tmp_path: Path) -> None:
    check_writable(tmp_path / "new.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no /dev/null here")
def test_devices_are_written_and_stay_devices() -> None:
    write_text("/dev/null", "nothing")
    assert not Path("/dev/null").is_file()
