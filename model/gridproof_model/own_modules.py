"""A user's own modules and files.

Files that a user, or someone else, names are read here as a whole, up to a limit of their size. Traces and logs are not
read here: they may be larger than any limit, and are read one record at a time.
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
"""The size limit: larger than any scenario, plan, baseline or configuration that people work with."""
NOT_ORDINARY = "it is no ordinary file; copy what it holds into one"


def read_text(path: Path) -> str:
    """Return the text of a file, without a byte order mark; ValueError if it is not UTF-8, OSErrors as `read_bytes`."""
    return read_bytes(path).decode("utf-8-sig").replace("\r\n", "\n")


class TooLargeError(OSError):
    """A file is larger than its reader accepts."""


def read_bytes(path: Path, most: int = BYTES_MAX) -> bytes:
    """Return the content of a file of at most `most` bytes.

    Raise OSError if the file cannot be read, or is a pipe or a device; if it is larger, raise TooLargeError, which is
    an OSError.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, NOT_ORDINARY, str(path))
        data = file.read(most + 1)
    if len(data) > most:
        raise TooLargeError(errno.EINVAL, f"it is larger than {most:,} bytes", str(path))
    return data


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # opening a pipe would wait for a writer


_THERE_BEFORE = len(sys.path)
"""How many folders, of Python and of packages, an import searches first; the user's last-named folder comes next."""


def make_importable(folder: Path) -> None:
    """Let the modules of a folder be imported from now on, except modules whose name could be imported before."""
    if str(folder) not in sys.path:
        sys.path.insert(_THERE_BEFORE, str(folder))


def absolute(path: Path) -> Path:
    """Return a path from the root on; raise UserError if the path is relative to a working folder that was removed."""
    try:
        return path.absolute()
    except OSError:
        raise UserError("the working folder was removed; change into a folder that exists") from None


@contextmanager
def folder_kept() -> Iterator[None]:
    """At the end of the block, return to the working folder as it was before, even if a user's code changed it."""
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
    """Return whether Python or an installed package has a module with the name of this file."""
    try:
        found = find_spec(path.stem)
    except (ImportError, ValueError):
        return False
    return found is not None and (found.origin is None or Path(found.origin).resolve() != path.resolve())


def module_in(named: str) -> str:
    """Return the name of the module that a name or a file refers to, and let it be imported from its folder."""
    notify(Notice.OWN, named)
    if not named.endswith(".py"):
        make_importable(absolute(Path()))
        return named
    path = absolute(Path(named)).resolve()
    make_importable(path.parent)
    if path.is_file() and is_taken(path):
        raise UserError(f"{named}: Python would import another module named {path.stem!r} instead; rename the file")
    return path.stem
