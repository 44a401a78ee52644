"""Packages of the npm registry, kept in the cache.

Their scripts are not run, and every package is pinned, those that one of them needs, too.
"""

import shutil
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.cache import cache_folder, kept
from gridproof_implementation.live.fetching import run_fetcher

FETCH_TIMEOUT_S = 600
_QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--no-update-notifier")


def packages_at_hand(packages: Sequence[str]) -> Path | None:
    """Return the folder that holds these packages, `name@version`; None where they were not fetched yet."""
    folder = cache_folder() / _place(packages)
    return folder if folder.is_dir() else None


def why_missing(packages: Sequence[str]) -> str | None:
    """Return what was not fetched yet or has to be installed; None when all is here."""
    if packages_at_hand(packages) is None:
        return f"{packages[0]} was not fetched yet"
    return None if shutil.which("node") else "node is not installed"


def fetch_packages(packages: Sequence[str]) -> Path:
    """Return the folder that holds these packages, fetched where it is not in the cache; AdapterError with the cure."""
    at_hand = packages_at_hand(packages)
    if at_hand is not None:
        return at_hand
    if shutil.which("npm") is None:
        raise AdapterError(f"{packages[0]} is not here, and neither is npm: apt-get install nodejs npm")

    def make(folder: Path) -> None:
        print(f"gridproof: fetching {packages[0]} into {cache_folder()}", file=sys.stderr, flush=True)
        (folder / "package.json").write_text("{}\n")
        run_fetcher(["npm", "install", *_QUIET, *packages], folder, packages[0], FETCH_TIMEOUT_S)

    return kept(_place(packages), make)


def _place(packages: Sequence[str]) -> str:
    more = f"-with-{sha256(' '.join(packages[1:]).encode()).hexdigest()[:8]}" if len(packages) > 1 else ""
    return f"packages/{packages[0].replace('/', '-')}{more}"
