"""Packages of the npm registry, kept in the cache.

Their scripts are not run, and every package is pinned, those that one of them needs, too.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.fetching import FETCH_TIMEOUT_S, cache_folder, kept, place_of, run_fetcher

_QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--no-update-notifier")


def packages_at_hand(packages: Sequence[str]) -> Path | None:
    """Return the folder that holds these packages, `name@version`; None where they were not fetched yet."""
    folder = cache_folder() / place_of("packages", packages[0], packages[1:])
    return folder if folder.is_dir() else None


def why_missing(packages: Sequence[str]) -> str | None:
    """Return what was not fetched yet or has to be installed; None when all is here."""
    if packages_at_hand(packages) is None:
        return f"{packages[0]} was not fetched yet"
    return None if shutil.which("node") else "node is not installed"


def fetch_packages(packages: Sequence[str]) -> Path:
    """Return the folder that holds these packages, fetched where it is not in the cache; AdapterError with the cure."""
    if packages_at_hand(packages) is None and shutil.which("npm") is None:
        raise AdapterError(f"{packages[0]} is not here, and neither is npm: apt-get install nodejs npm")

    def make(folder: Path) -> None:
        (folder / "package.json").write_text("{}\n")
        run_fetcher(["npm", "install", *_QUIET, *packages], folder, packages[0], FETCH_TIMEOUT_S)

    return kept(place_of("packages", packages[0], packages[1:]), make, f"fetching {packages[0]}")
