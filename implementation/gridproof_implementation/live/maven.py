"""Jars from a Maven repository, kept in the cache.

Through Maven where it is installed, else through the resolver that comes with Spark; both find the repository the way
the user has set them up.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.cache import cache_folder, kept

FETCH_TIMEOUT_S = 600
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>gridproof</groupId><artifactId>fetch</artifactId><version>1</version><packaging>pom</packaging></project>
"""


def jar_at_hand(coordinates: str) -> Path | None:
    """Return a jar of the cache, by `group:artifact:version`; None where it was not fetched yet."""
    return next(iter(sorted((cache_folder() / _place(coordinates)).glob("*.jar"))), None)


def fetch_jar(coordinates: str) -> Path:
    """Return a jar, fetched where it is not in the cache; AdapterError with what to install."""
    fetch = _fetcher(coordinates)

    def make(folder: Path) -> None:
        print(f"gridproof: fetching {coordinates} into {cache_folder()}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as scratch:
            fetch(coordinates, folder, Path(scratch))
        if not list(folder.glob("*.jar")):
            raise AdapterError(f"{coordinates} was fetched, but no jar came; try again, or put it into {folder}")

    at_hand = jar_at_hand(coordinates)
    return at_hand or next(kept(_place(coordinates), make).glob("*.jar"))


def _place(coordinates: str) -> str:
    return f"jars/{coordinates.replace(':', '-')}"


def _fetcher(coordinates: str) -> Callable[[str, Path, Path], None]:
    if jar_at_hand(coordinates) is not None or shutil.which("mvn"):
        return _by_maven
    if _spark_submit() is not None:
        return _by_spark
    raise AdapterError(
        f"{coordinates} is not here, and neither is Maven: apt-get install maven (or pip install 'gridproof[spark]')"
    )


def _by_maven(coordinates: str, folder: Path, scratch: Path) -> None:
    (scratch / "pom.xml").write_text(_POM)
    words = [f"-Dartifact={coordinates}", f"-DoutputDirectory={folder}", "-Dmdep.useBaseVersion=true"]
    _run(["mvn", "--batch-mode", "--quiet", "dependency:copy", *words], scratch, coordinates)


def _by_spark(coordinates: str, folder: Path, scratch: Path) -> None:
    (scratch / "nothing.py").write_text("")
    settings = ["--master", "local[1]", "--conf", f"spark.jars.ivy={scratch / 'ivy'}"]
    _run([str(_spark_submit()), *settings, "--packages", coordinates, "nothing.py"], scratch, coordinates)
    group, artifact, version = coordinates.split(":")
    shutil.copy(scratch / "ivy" / "jars" / f"{group}_{artifact}-{version}.jar", folder / f"{artifact}-{version}.jar")


def _spark_submit() -> Path | None:
    beside = Path(sys.executable).parent / "spark-submit"
    found = shutil.which("spark-submit")
    return beside if beside.exists() else Path(found) if found else None


def _run(command: Sequence[str], folder: Path, coordinates: str) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        raise AdapterError(f"{coordinates} could not be fetched within {FETCH_TIMEOUT_S} s; try again") from None
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
        told = next((line for line in lines if "ERROR" in line or "unresolved" in line.lower()), "no reason given")
        raise AdapterError(f"{Path(command[0]).name} could not fetch {coordinates}: {told[:200]}")
