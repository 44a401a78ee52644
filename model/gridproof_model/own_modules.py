"""Modules of a user's own."""

import sys
from pathlib import Path

from gridproof_model.whole_file import Notice, notify


def make_importable(folder: Path) -> None:
    """Let modules of a folder be imported from now on, as for a program that lies there."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def module_in(named: str) -> str:
    """Return the module that is meant by a name or a file, and let it be found: from this folder, or the file's."""
    notify(Notice.OWN, named)
    if not named.endswith(".py"):
        make_importable(Path().resolve())
        return named
    path = Path(named).resolve()
    make_importable(path.parent)
    return path.stem
