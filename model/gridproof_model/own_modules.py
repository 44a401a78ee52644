"""Modules of a user's own.

Files that a user, or a stranger, names: read whole, and never without an end. Traces and logs are not read here: they
are larger than any limit, and are read a record at a time.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from gridproof_model.user_error import UserError
from gridproof_model.whole_file import Notice, notify

BYTES_MAX = 16 * 1024 * 1024
"""More than a scenario, a plan, a baseline or a configuration that people work with."""
NOT_ORDINARY = "it is no ordinary file; copy what it holds into one"


def read_text(path: Path) -> str:
    """Return the text of a file; a ValueError where it is not UTF-8, and OSError as `read_bytes`."""
    return read_bytes(path).decode("utf-8").replace("\r\n", "\n")


class TooLargeError(OSError):
    """A file is larger than whoever reads it takes."""


def read_bytes(path: Path, most: int = BYTES_MAX) -> bytes:
    """Return what a file holds, of `most` bytes.

    OSError where it cannot be read, or is a pipe or a device; TooLargeError, which is one, where it is larger.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, NOT_ORDINARY, str(path))
        data = file.read(most + 1)
    if len(data) > most:
        raise TooLargeError(errno.EINVAL, f"it is larger than {most:,} bytes", str(path))
    return data


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe waits for somebody who writes


_THERE_BEFORE = len(sys.path)
"""Folders of Python and of what is installed; behind them the folder that was named last comes first."""


def make_importable(folder: Path) -> None:
    """Let modules of a folder be imported from now on, but those that bear the name of one that was there before."""
    if str(folder) not in sys.path:
        sys.path.insert(_THERE_BEFORE, str(folder))


@contextmanager
def folder_kept() -> Iterator[None]:
    """Come back to the folder this process is in, wherever code of a user's own goes meanwhile."""
    try:
        folder = Path.cwd()
    except OSError:  # it was removed
        yield
        return
    try:
        yield
    finally:
        os.chdir(folder)


def is_taken(path: Path) -> bool:
    """Return whether Python, or what is installed, has a module of a file's name."""
    try:
        found = find_spec(path.stem)
    except (ImportError, ValueError):
        return False
    return found is not None and (found.origin is None or Path(found.origin).resolve() != path.resolve())


def module_in(named: str) -> str:
    """Return the module that is meant by a name or a file, and let it be found: from this folder, or the file's."""
    notify(Notice.OWN, named)
    if not named.endswith(".py"):
        make_importable(Path().resolve())
        return named
    path = Path(named).resolve()
    make_importable(path.parent)
    if path.is_file() and is_taken(path):
        raise UserError(f"{named}: Python has another module {path.stem}; give the file another name")
    return path.stem
