"""Jars from a Maven repository, kept in the cache.

Through Maven where it is installed, else through the resolver that comes with Spark; both find the repository the way
the user has set them up.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.fetching import FETCH_TIMEOUT_S, cache_folder, kept, place_of, run_fetcher

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>gridproof</groupId><artifactId>fetch</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>{}</dependencies></project>
"""
_DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"


def jars_at_hand(artifact: str, libraries: Sequence[str] = ()) -> tuple[Path, ...]:
    """Return the jars of the cache that `fetch_jars` would return; none where they were not fetched yet."""
    return tuple(sorted((cache_folder() / place_of("jars", artifact, libraries)).glob("*.jar")))


def fetch_jars(artifact: str, libraries: Sequence[str] = ()) -> tuple[Path, ...]:
    """Return an artifact's jar, `group:artifact:version`, alone; or with libraries and all that any of them needs.

    They are fetched where they are not in the cache. AdapterError with what to install.
    """
    fetch = _fetcher(artifact, libraries)

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            fetch((artifact, *libraries), folder, Path(scratch))
        if not list(folder.glob("*.jar")):
            raise AdapterError(f"{artifact} was fetched, but no jar came; try again, or put it into {folder}")

    if not jars_at_hand(artifact, libraries):
        kept(place_of("jars", artifact, libraries), make, f"fetching {artifact}")
    return jars_at_hand(artifact, libraries)


def _fetcher(artifact: str, libraries: Sequence[str]) -> Callable[[Sequence[str], Path, Path], None]:
    if jars_at_hand(artifact, libraries) or shutil.which("mvn"):
        return _by_maven
    if _spark_submit() is not None:
        return _by_spark
    raise AdapterError(
        f"{artifact} is not here, and neither is Maven: apt-get install maven (or pip install 'gridproof[spark]')"
    )


def _by_maven(artifacts: Sequence[str], folder: Path, scratch: Path) -> None:
    maven = ["mvn", "--batch-mode", "--quiet"]
    words = [f"-DoutputDirectory={folder}", "-Dmdep.useBaseVersion=true"]
    if len(artifacts) == 1:
        (scratch / "pom.xml").write_text(_POM.format(""))
        words = ["dependency:copy", f"-Dartifact={artifacts[0]}", *words]
    else:
        (scratch / "pom.xml").write_text(_POM.format("".join(_DEPENDENCY.format(*one.split(":")) for one in artifacts)))
        words = ["dependency:copy-dependencies", "-DincludeScope=runtime", *words]
    run_fetcher([*maven, *words], scratch, artifacts[0], FETCH_TIMEOUT_S)


def _by_spark(artifacts: Sequence[str], folder: Path, scratch: Path) -> None:
    (scratch / "nothing.py").write_text("")
    settings = ["--master", "local[1]", "--conf", f"spark.jars.ivy={scratch / 'ivy'}"]
    words = [str(_spark_submit()), *settings, "--packages", ",".join(artifacts), "nothing.py"]
    run_fetcher(words, scratch, artifacts[0], FETCH_TIMEOUT_S)
    group, name, version = artifacts[0].split(":")
    wanted = f"{group}_{name}-{version}.jar" if len(artifacts) == 1 else "*.jar"
    for jar in (scratch / "ivy" / "jars").glob(wanted):
        shutil.copy(jar, folder / jar.name)


def _spark_submit() -> Path | None:
    beside = Path(sys.executable).parent / "spark-submit"
    found = shutil.which("spark-submit")
    return beside if beside.exists() else Path(found) if found else None
