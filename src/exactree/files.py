"""Atomic writing of files, which never follows a link."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, Any

__all__ = ["check_writable", "replacing", "write_text"]


@contextmanager
def replacing(path: str | Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file that replaces `path` when it is complete.

    The content is written to a new file in the same folder, which is renamed at the end. So readers
    of `path` see either the old or the new file, and an error leaves the old file. Devices and
    pipes cannot be replaced and are written directly. Line ends are written as given.

    Parameters
    ----------
    path : str or Path
        The file to write. It keeps its permissions.
    binary : bool
        Whether to write bytes instead of text.

    Yields
    ------
    file
        Open for writing, text in UTF-8.

    Raises
    ------
    OSError
        If the file cannot be written or is a symbolic link; `filename` is always `path`.
    """
    path = Path(path)
    form: dict[str, Any] = {"mode": "w", "encoding": "utf-8", "newline": ""}
    if binary:
        form = {"mode": "wb"}
    try:
        mode = _mode(path)
        if mode is not None and not stat.S_ISREG(mode):
            with open(path, **form) as file:
                yield file
            return
        # O_EXCL refuses a link that somebody has created under this name.
        new_path = path.with_name(f".{path.name[:100]}.{token_hex(8)}.new")
        handle = os.open(new_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with open(handle, **form) as file:
                if mode is not None:
                    os.chmod(new_path, stat.S_IMODE(mode))
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(new_path, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(new_path)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def write_text(path: str | Path, text: str) -> None:
    """Write a text file atomically.

    Parameters
    ----------
    path : str or Path
        The file, as in `replacing`.
    text : str
        Its content.

    Raises
    ------
    OSError
        As in `replacing`.
    """
    with replacing(path) as file:
        file.write(text)


def check_writable(path: str | Path) -> None:
    """Raise the OSError that `replacing` would raise now, without changing anything.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    OSError
        If no file can be created in its folder, or the path is a folder or a symbolic link.
    """
    path = Path(path)
    try:
        mode = _mode(path)
        if mode is not None and not stat.S_ISREG(mode):
            return
        new_path = path.with_name(f".{path.name[:100]}.{token_hex(8)}.new")
        os.close(os.open(new_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        os.unlink(new_path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _mode(path: Path) -> int | None:
    """Return the mode of the file at a path, None if there is no file."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "it is a symbolic link; name the file itself", str(path))
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return mode
