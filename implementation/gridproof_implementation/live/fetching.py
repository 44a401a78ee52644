"""What is fetched or built once, and kept; by programs of others, run to their end.

`$XDG_CACHE_HOME/gridproof`, else `~/.cache/gridproof`. Everything in it can be deleted: it is fetched or built again.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from gridproof_implementation.adapter import AdapterError

FETCH_TIMEOUT_S = 600
REASON_MAX = 200
_ABSENT = (
    "Could not find artifact",
    "could not be found in central",
    "No matching distribution found",
    "unknown revision",
    "notarget",
)
"""How Maven, pip, Go and npm say that there is no such release."""


def cache_folder() -> Path:
    """Return the folder; it need not exist."""
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(chosen) if os.path.isabs(chosen) else Path.home() / ".cache") / "gridproof"


def kept(place: str, make: Callable[[Path], None], doing: str = "", how_long: str = "") -> Path:
    """Return a folder of the cache, made by `make` in a folder of its own first where it is missing; say what is done.

    Two processes may make it at once; nobody ever sees half of it.
    """
    folder = cache_folder() / place
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    if doing:
        print(f"gridproof: {doing} into {cache_folder()}{how_long}", file=sys.stderr, flush=True)
    half = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        make(half)
        half.chmod(0o755)
        try:
            half.rename(folder)
        except OSError:
            if not folder.is_dir():  # somebody else was faster
                raise
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return folder


def place_of(kind: str, wanted: str, further: Sequence[str] = ()) -> str:
    """Return where in the cache something is, by its kind and by what was fetched with it."""
    more = f"-with-{sha256(' '.join(further).encode()).hexdigest()[:8]}" if further else ""
    return f"{kind}/{re.sub('[:/]', '-', wanted)}{more}"


def run_fetcher(
    command: Sequence[str],
    folder: Path,
    wanted: str,
    timeout_s: float,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a command in a folder; AdapterError with what was wanted and the reason where it fails or takes too long."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=timeout_s, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        raise AdapterError(f"{wanted} could not be had within {timeout_s:.0f} s; try again") from None
    if done.returncode != 0 and any(sign in done.stdout + done.stderr for sign in _ABSENT):
        raise AdapterError(f"{wanted} is nowhere where {Path(command[0]).name} looks; name a release that there is")
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
        reason = next((line for line in lines if _is_reason(line)), "no reason given")
        raise AdapterError(f"{Path(command[0]).name} could not fetch {wanted}: {reason[:REASON_MAX]}")


def _is_reason(line: str) -> bool:
    is_go = line.startswith("go:") and not line.startswith(("go: downloading", "go: added", "go: creating"))
    return "ERROR" in line or "unresolved" in line.lower() or is_go
