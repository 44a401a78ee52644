"""Folders and files for results: each folder is new, and never replaces anything.

Without `--out`, each run gets the folder with the next free number under `gridproof-out/`. A folder that a user names
must be empty or absent, so that nothing in it is replaced. A folder that is named after a trace or an adapter gets a
simple form of that name.

Files for a CI server are always complete files. Before the work begins, it is tried whether the paths of files for a CI
server can be written. A file is written next to its place under another name and then moved there in one step, so that
no reader sees a part of it; an older file is replaced.
"""

import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from gridproof.command import UsageError, reason_of
from gridproof_model.whole_file import Notice, clear_left, notify, write_whole

DEFAULT_PARENT = Path("gridproof-out")
REPORT_NAME = "report.html"
INDEX_NAME = "index.html"
AUDIT_NAME = "audit.json"


NAME_CHARACTERS_MAX = 80


@contextmanager
def fresh_folder(wanted: Path | None, word: str) -> Iterator[Path]:
    """Yield an empty folder, chosen before the work begins; if that fails, created folders that are empty are
    removed."""
    missing = missing_folders(DEFAULT_PARENT if wanted is None else wanted)
    folder = choose_folder(wanted, word)
    with kept_if_used(folder, [folder, *missing] if wanted is None else missing):
        yield folder


@contextmanager
def kept_if_used(folder: Path, made: Sequence[Path]) -> Iterator[None]:
    """If the block fails, remove the empty ones of the folders that the command made, and of those in `folder`."""
    for one in reversed(made):
        notify(Notice.MADE, one)
    try:
        yield
    except BaseException:
        inside = sorted((one for one in folder.rglob("*") if one.is_dir()), reverse=True)
        for empty in [*inside, *made]:
            with suppress(OSError):  # a folder with files stays, and so do the folders above it
                empty.rmdir()
        raise


def missing_folders(folder: Path) -> list[Path]:
    """Return those of a folder and the folders above it that do not exist, the innermost first."""
    try:
        return [one for one in (folder, *folder.parents) if not one.exists()]
    except (OSError, ValueError):  # an invalid name: creating the folder will report it
        return []


def plain_name(name: str) -> str:
    """Return a similar name that every system allows for a folder: it has letters, digits, dots and dashes."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:NAME_CHARACTERS_MAX]
    return plain or "unnamed"


def choose_folder(wanted: Path | None, word: str) -> Path:
    """Create and return an empty folder: the wanted one, or the next numbered one: `gridproof-out/003-check`."""
    if wanted is None:
        for one in DEFAULT_PARENT.glob("*-*"):
            clear_left(one)
        return _next_numbered(word)
    try:
        clear_left(wanted)
        is_file, is_full = wanted.exists() and not wanted.is_dir(), wanted.is_dir() and any(wanted.iterdir())
    except (OSError, ValueError) as error:  # an invalid name, an unreadable folder
        why = f"cannot read the folder {wanted}: {reason_of(error)}"
        raise UsageError(f"{why}; name another folder with --out") from None
    if is_file:
        raise UsageError(f"{wanted} is a file; name a folder with --out")
    if is_full:
        raise UsageError(f"{wanted} is not empty; name another folder with --out, or empty it")
    return make_folder(wanted)


def _next_numbered(word: str) -> Path:
    taken = [p.name.split("-")[0] for p in DEFAULT_PARENT.glob("*-*")] if DEFAULT_PARENT.is_dir() else []
    number = max((int(name) for name in taken if name.isdecimal()), default=0) + 1
    make_folder(DEFAULT_PARENT)
    while True:
        folder = DEFAULT_PARENT / f"{number:03d}-{plain_name(word)}"
        try:
            folder.mkdir()
        except FileExistsError:  # another run began at the same moment
            number += 1
        except OSError as error:
            why = f"cannot make the folder {folder}: {reason_of(error)}"
            raise UsageError(f"{why}; name another folder with --out") from None
        else:
            return folder


def make_folder(folder: Path) -> Path:
    """Return a folder, which is created if it does not exist; raise UsageError if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        why = f"cannot make the folder {folder}: {reason_of(error)}"
        raise UsageError(f"{why}; name another folder with --out") from None
    return folder


def write_files(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write files, given by their names, and return their paths; raise UsageError if a file cannot be written."""
    written: list[Path] = []
    for name, content in contents.items():
        path = folder / name
        try:
            write_whole(path, content)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {reason_of(error)}; name another folder with --out") from None
        written.append(path)
    return written


DEVICES = ("/dev", "/proc")


def check_paths(paths: Mapping[str, Path | None]) -> None:
    """Try to write next to each option's path; UsageError, in one line, if that fails or two paths are the same."""
    taken: dict[Path, str] = {}
    for option, path in paths.items():
        if path is None:
            continue
        _try(option, path)
        other = taken.setdefault(path.resolve(), option)
        if other != option:
            raise UsageError(f"{option} {path}: {other} names the same file; name another file with {option}")


def write_result(option: str, path: Path, text: str) -> None:
    """Write a text to a path in one step; UsageError, in one line and with nothing changed, if that fails."""
    try:
        write_whole(path, text)
    except OSError as error:
        raise UsageError(f"{option} {path}: {error.strerror}; name another file") from None


def _try(option: str, path: Path) -> None:
    try:
        if not _is_free(path):
            raise UsageError(f"{option} {path} is no ordinary file; name another file")
        folder = next(parent for parent in path.resolve().parents if parent.exists())
        handle, beside = tempfile.mkstemp(dir=folder, prefix=".gridproof-")
        os.close(handle)
        Path(beside).unlink()
    except (OSError, ValueError) as error:  # an invalid name, a folder without write permission
        raise UsageError(f"{option} {path}: {reason_of(error)}; name another file") from None


def _is_free(path: Path) -> bool:
    """Return whether a file can be written here: there is nothing, or an ordinary file, which may be replaced."""
    if any(path.absolute().is_relative_to(root) for root in DEVICES):
        return False  # with redirected output, /dev/stdout leads to a file, which must not be replaced
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True
