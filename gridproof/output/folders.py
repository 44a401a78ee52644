"""Where results go: a fresh folder, never over something.

Without `--out`, each run gets the next free number under `gridproof-out/`. A folder that a user names must be empty or
absent: nothing there is replaced. Folders named after what a trace or an adapter calls itself have a plain name.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from gridproof.errors import UsageError, reason_of
from gridproof_model.whole_file import Notice, clear_left, notify, write_whole

DEFAULT_PARENT = Path("gridproof-out")
REPORT_NAME = "report.html"
INDEX_NAME = "index.html"
AUDIT_NAME = "audit.json"


NAME_CHARACTERS_MAX = 80


@contextmanager
def fresh_folder(wanted: Path | None, word: str) -> Iterator[Path]:
    """Give an empty folder, chosen before the work begins; where the work fails, what was made and is empty goes."""
    missing = _missing(DEFAULT_PARENT if wanted is None else wanted)
    folder = choose_folder(wanted, word)
    made = [folder, *missing] if wanted is None else missing
    for one in reversed(made):
        notify(Notice.MADE, one)
    try:
        yield folder
    except BaseException:
        inside = sorted((one for one in folder.rglob("*") if one.is_dir()), reverse=True)
        for empty in [*inside, *made]:
            with suppress(OSError):  # something was written: it stays, and so does what holds it
                empty.rmdir()
        raise


def _missing(folder: Path) -> list[Path]:
    """Return the folders that are not there, this one and those above, innermost first."""
    try:
        return [one for one in (folder, *folder.parents) if not one.exists()]
    except (OSError, ValueError):  # a name that no system takes: whoever makes it says so
        return []


def plain_name(name: str) -> str:
    """Return a name that is one folder on every system, close to the one given: letters, digits, dots, dashes."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:NAME_CHARACTERS_MAX]
    return plain or "unnamed"


def choose_folder(wanted: Path | None, word: str) -> Path:
    """Return an empty folder, made now: the wanted one, or the next numbered one such as `gridproof-out/003-check`."""
    if wanted is None:
        for one in DEFAULT_PARENT.glob("*-*"):
            clear_left(one)
        return _next_numbered(word)
    try:
        clear_left(wanted)
        is_file, is_full = wanted.exists() and not wanted.is_dir(), wanted.is_dir() and any(wanted.iterdir())
    except (OSError, ValueError) as error:  # a name that no system takes, a folder that nobody may read
        raise UsageError(f"cannot look at the folder {wanted}: {reason_of(error)}; name another with --out") from None
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
        except FileExistsError:  # another run began in the same moment
            number += 1
        except OSError as error:
            raise UsageError(f"cannot make the folder {folder}: {reason_of(error)}; name another with --out") from None
        else:
            return folder


def make_folder(folder: Path) -> Path:
    """Return a folder, made now if there is none; UsageError when it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot make the folder {folder}: {reason_of(error)}; name another with --out") from None
    return folder


def write_files(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write files by their names and return their paths; UsageError for one that cannot be, which is then not there."""
    written: list[Path] = []
    for name, content in contents.items():
        path = folder / name
        try:
            write_whole(path, content)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {reason_of(error)}; name another folder with --out") from None
        written.append(path)
    return written
