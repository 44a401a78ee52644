"""Packages of the npm registry and of the Python index, kept in the cache.

Those of npm are pinned, with what any of them needs, and their scripts are not run. Of the Python index it is the
release that is installed, or another one that is fetched, without what it needs.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.installed import installed_version
from gridproof_implementation.live.fetching import FETCH_TIMEOUT_S, cache_folder, kept, place_of, run_fetcher
from gridproof_implementation.live.process import Launch

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


def python_agent(system: str, package: str, version: str = "") -> Launch:
    """Return what starts a system's agent, which needs a package; AdapterError where that is not installed.

    Another release than the one that is installed is fetched, and stands before it where Python looks.
    """
    words = (sys.executable, "-m", f"gridproof_implementation.live.systems.{system}.agent")
    if version in ("", installed_version(package)):
        return Launch(words)
    places = [str(fetch_release(package, version)), *filter(None, [os.environ.get("PYTHONPATH")])]
    return Launch(words, {"PYTHONPATH": os.pathsep.join(places)})


def fetch_release(package: str, version: str) -> Path:
    """Return a folder with one release of a package, without what it needs; AdapterError where there is none."""
    wanted = f"{package}=={version}"

    def make(folder: Path) -> None:
        words = ["--quiet", "--disable-pip-version-check", "--no-deps", "--target", str(folder), wanted]
        run_fetcher([sys.executable, "-m", "pip", "install", *words], folder, wanted, FETCH_TIMEOUT_S)

    return kept(f"packages/{package}-{version}", make, f"fetching {wanted}")
