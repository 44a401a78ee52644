"""Where results go: a fresh folder, never over something.

Without `--out`, each run gets the next free number under `gridproof-out/`. A folder that a user names must be empty or
absent: nothing there is replaced.
"""

from pathlib import Path

from gridproof.errors import UsageError

DEFAULT_PARENT = Path("gridproof-out")
TRACE_STEM = "trace"
REPORT_NAME = "report.html"
INDEX_NAME = "index.html"
AUDIT_NAME = "audit.json"


def choose_folder(wanted: Path | None, word: str) -> Path:
    """Return an empty folder, made now: the wanted one, or the next numbered one such as `gridproof-out/003-check`."""
    if wanted is None:
        return _next_numbered(word)
    if wanted.exists() and not wanted.is_dir():
        raise UsageError(f"{wanted} is a file; name a folder with --out")
    if wanted.is_dir() and any(wanted.iterdir()):
        raise UsageError(f"{wanted} is not empty; name another folder with --out, or empty it")
    return make_folder(wanted)


def _next_numbered(word: str) -> Path:
    taken = [p.name.split("-")[0] for p in DEFAULT_PARENT.glob("*-*")] if DEFAULT_PARENT.is_dir() else []
    number = max((int(name) for name in taken if name.isdecimal()), default=0) + 1
    return make_folder(DEFAULT_PARENT / f"{number:03d}-{word}")


def make_folder(folder: Path) -> Path:
    """Return a folder, made now if there is none; UsageError when it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {folder}: {error.strerror}; name another with --out") from None
    return folder
