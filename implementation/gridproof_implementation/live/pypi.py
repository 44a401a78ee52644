"""Agents in Python, and the package that each is of: the release that is installed, or another of the package index."""

import os
import sys
from pathlib import Path

from gridproof_implementation.installed import installed_version
from gridproof_implementation.live.fetching import FETCH_TIMEOUT_S, kept, run_fetcher
from gridproof_implementation.live.process import Launch


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
