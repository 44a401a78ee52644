"""Files that a CI server reads, each whole.

Paths are tried before the work begins. A file is written beside its place under another name and then put there in one
step, so that nobody ever reads half of it; an older one is replaced.
"""

import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gridproof.errors import UsageError, reason_of
from gridproof_model.whole_file import write_whole

DEVICES = ("/dev", "/proc")


def check_paths(paths: Mapping[str, Path | None]) -> None:
    """Try to write beside each path, by option; UsageError in one line where that fails or two are the same."""
    taken: dict[Path, str] = {}
    for option, path in paths.items():
        if path is None:
            continue
        _try(option, path)
        other = taken.setdefault(path.resolve(), option)
        if other != option:
            raise UsageError(f"{option} {path}: {other} names the same file; give each its own")


def write_result(option: str, path: Path, text: str) -> None:
    """Put a text at a path in one step; UsageError in one line where that fails, and nothing is changed then."""
    try:
        write_whole(path, text)
    except OSError as error:
        raise UsageError(f"{option} {path}: {error.strerror}; name another file") from None


def _try(option: str, path: Path) -> None:
    try:
        if not _is_free(path):
            raise UsageError(f"{option} {path} is no ordinary file; name another")
        folder = next(parent for parent in path.resolve().parents if parent.exists())
        handle, beside = tempfile.mkstemp(dir=folder, prefix=".gridproof-")
        os.close(handle)
        Path(beside).unlink()
    except (OSError, ValueError) as error:  # a name that no system takes, a folder that nobody may write to
        raise UsageError(f"{option} {path}: {reason_of(error)}; name another file") from None


def _is_free(path: Path) -> bool:
    """Whether a file can be put here: there is none, or an ordinary one that may be replaced."""
    if any(path.absolute().is_relative_to(root) for root in DEVICES):
        return False  # /dev/stdout leads to a file where the output is redirected to one: it must not be replaced
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True
