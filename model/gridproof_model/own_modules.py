"""Modules of a user's own."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from gridproof_model.user_error import UserError
from gridproof_model.whole_file import Notice, notify

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
        raise UserError(f"{named}: there is a module {path.stem} that is not yours; give the file another name")
    return path.stem
