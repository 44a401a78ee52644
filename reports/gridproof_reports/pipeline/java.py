"""Finds the Java that Spark needs: 17 or 21.

`python -m gridproof_reports.pipeline.java` prints what it found; with `--install` it installs Java if it can (on Debian
and related systems, as root), and otherwise prints the command to type. Exit status: 0 if found, 2 if not found.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gridproof_model.user_error import UserError

SUPPORTED_VERSIONS = (17, 21)
USUAL_PLACES = (
    "/usr/lib/jvm/*",
    "/usr/local/openjdk-*",
    "/opt/java/*",
    "/opt/homebrew/opt/openjdk@*",
    "/usr/local/opt/openjdk@*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
)
PACKAGES = tuple(f"openjdk-{version}-jre-headless" for version in SUPPORTED_VERSIONS)
_WANTED = " or ".join(map(str, SUPPORTED_VERSIONS))
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_ANSWER_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that was found and that has stated its version."""

    home: Path
    version: int
    """The first number of the version: 17 for version 17.0.15."""

    def __str__(self) -> str:
        return f"Java {self.version} in {self.home}"


def find_java(environment: Mapping[str, str] | None = None, places: Sequence[str] = USUAL_PLACES) -> Java:
    """Return the first supported Java in JAVA_HOME, on the PATH and in the usual places.

    Raise PipelineError, which names what was found instead and the command to type, if there is none.
    """
    others: list[str] = []
    for home in dict.fromkeys(_homes(os.environ if environment is None else environment, places)):
        try:
            java = ask_version(home)
        except subprocess.TimeoutExpired:  # On a busy machine, Java may be slow to start.
            others.append(f"one in {home} that did not say its version within {_ANSWER_SECONDS} s")
            continue
        if java is not None and java.version in SUPPORTED_VERSIONS:
            return java
        if java is not None:
            others.append(str(java))
    found = f" (found only {', '.join(others)})" if others else ""
    raise PipelineError(f"Spark needs Java {_WANTED}{found}; {advice()}")


def ask_version(home: Path) -> Java | None:
    """Return the Java in this home directory, None if there is none; raise TimeoutExpired if it does not answer."""
    try:
        done = subprocess.run(
            [home / "bin" / "java", "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_SECONDS,
            check=False,
        )
    except OSError:
        return None
    version = _VERSION.search(done.stderr + done.stdout)
    return Java(home, int(version.group(1))) if done.returncode == 0 and version else None


def _homes(environment: Mapping[str, str], places: Sequence[str]) -> Iterator[Path]:
    if environment.get("JAVA_HOME"):
        yield Path(environment["JAVA_HOME"])
    program = shutil.which("java", path=environment.get("PATH", ""))
    if program is not None:
        yield Path(program).resolve().parent.parent
    for place in places:
        pattern = Path(os.path.expanduser(place))
        if not pattern.is_absolute():  # the user has no home directory
            continue
        root = Path(pattern.anchor)
        for home in sorted(root.glob(str(pattern.relative_to(root)))):
            if home.is_dir():
                yield home.resolve()


def advice() -> str:
    """Return the cure: the exact command to type on this machine, if the command is known."""
    if sys.platform == "darwin":
        return f"type: brew install openjdk@{SUPPORTED_VERSIONS[0]}"
    if shutil.which("apt-get") is not None:
        as_root = "" if os.geteuid() == 0 else "sudo "
        return f"type: {as_root}apt-get install --yes {PACKAGES[0]}"
    if shutil.which("dnf") is not None:
        return f"type: sudo dnf install java-{SUPPORTED_VERSIONS[-1]}-openjdk-headless"
    return f"install a Java {_WANTED} and set JAVA_HOME to its directory"


def may_install() -> bool:
    """Return whether this process can install packages: on Debian or a related system, as root."""
    return Path("/etc/debian_version").exists() and shutil.which("apt-get") is not None and os.geteuid() == 0


def install_java() -> None:
    """Install a supported Java with apt-get, and update package lists if needed; raise PipelineError if that fails."""
    failure = ""
    for lists_are_new in (False, True):
        if lists_are_new:
            _apt_get("update")
        for package in PACKAGES:
            failure = _apt_get("install", "--yes", "--no-install-recommends", package)
            if not failure:
                return
    raise PipelineError(f"apt-get could not install {' or '.join(PACKAGES)} ({failure}); {advice()}")


def _apt_get(*arguments: str) -> str:
    """Run apt-get; return the last line of its error output, or an empty text if it succeeded."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        ["apt-get", "-q", *arguments], env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode == 0:
        return ""
    return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print which Java was found, or install one, or print the command to type."""
    parser = argparse.ArgumentParser(prog="python -m gridproof_reports.pipeline.java", description=__doc__)
    parser.add_argument("--install", action="store_true", help="install one where this process may")
    chosen = parser.parse_args(arguments)
    try:
        try:
            found = find_java()
        except PipelineError:
            if not (chosen.install and may_install()):
                raise
            print(f"java: none of version {_WANTED}; installing {PACKAGES[0]} with apt-get", flush=True)
            install_java()
            found = find_java()
    except PipelineError as error:
        print(f"java: {error}", file=sys.stderr)
        return 2
    print(f"java: {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())


class PipelineError(UserError):
    """Raised if Java, PySpark or the master is missing; the message is one line: what is missing, and the cure."""
