"""What is fetched or built once, and kept.

`$XDG_CACHE_HOME/gridproof`, else `~/.cache/gridproof`. Everything in it can be deleted: it is fetched or built again.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder; it need not exist."""
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(chosen) if os.path.isabs(chosen) else Path.home() / ".cache") / "gridproof"


def kept(place: str, make: Callable[[Path], None]) -> Path:
    """Return a folder of the cache, made by `make` in a folder of its own first where it is missing.

    Two processes may make it at once; nobody ever sees half of it.
    """
    folder = cache_folder() / place
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
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
