"""Downloads and builds: external programs make each download or build once, and a cache keeps it.

The cache is the folder `$XDG_CACHE_HOME/gridproof`, or `~/.cache/gridproof` if that variable is not set. The whole
cache can be deleted: downloads and builds that are needed again are then made again.

Jars come from a Maven repository: through Maven if it is installed, else through the resolver that comes with Spark.
Maven and Spark's resolver both use the repository that the user has configured.

Go programs are downloaded from the Go module proxy and built from source. A build takes minutes, longer than a call of
an adapter may take: so the user has to ask for it by name, and an adapter whose program has not been built says so. The
adapter pins the version of the module, and the module's `go.mod` pins those of its dependencies; Go checks each
download against its public checksum.

Packages come from the npm registry and from the Python index. Packages of npm are pinned, with their dependencies, and
their install scripts are not run. For Python, either the installed release of a package is used, or another release is
fetched from the index without its dependencies.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.installed import installed_version
from gridproof_implementation.live.process import EndWatch, Launch

FETCH_TIMEOUT_S = 600
REASON_MAX = 200
_ELSEWHERE = "set XDG_CACHE_HOME to an absolute path of a folder that you may write"
_ABSENT = (
    "Could not find artifact",
    "could not be found in central",
    "No matching distribution found",
    "unknown revision",
    "notarget",
)
"""Texts by which Maven, pip, Go and npm say that a release does not exist."""


def cache_folder() -> Path:
    """Return the folder of the cache, which need not exist; AdapterError if the user has no home for it."""
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(chosen):
        return Path(chosen) / "gridproof"
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        raise AdapterError(f"there is no home directory, and so no cache of what is fetched; {_ELSEWHERE}")
    return Path(home) / ".cache" / "gridproof"


def kept(place: str, make: Callable[[Path], None], doing: str = "", how_long: str = "") -> Path:
    """Return a folder of the cache; if there is none, print `doing`, and let `make` fill a temporary folder first.

    Two processes may make the folder at the same time, and no process ever sees an incomplete folder.
    """
    folder = cache_folder() / place
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        half = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise AdapterError(f"cannot write into the cache {folder.parent}: {error.strerror}; {_ELSEWHERE}") from None
    if doing:
        print(f"gridproof: {doing} into {cache_folder()}{how_long}", file=sys.stderr, flush=True)
    try:
        make(half)
        half.chmod(0o755)
        try:
            half.rename(folder)
        except OSError:
            if not folder.is_dir():  # another process was faster
                raise
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return folder


def place_of(kind: str, wanted: str, further: Sequence[str] = ()) -> str:
    """Return the folder in the cache for a download or build, by its kind, its name, and what was fetched with it."""
    more = f"-with-{sha256(' '.join(further).encode()).hexdigest()[:8]}" if further else ""
    return f"{kind}/{re.sub('[:/]', '-', wanted)}{more}"


def run_fetcher(
    command: Sequence[str],
    folder: Path,
    wanted: str,
    timeout_s: float,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a command in a folder; if it fails or takes too long, AdapterError says what was wanted and why it failed."""
    try:
        done = run_whole(
            command,
            timeout_s,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise AdapterError(f"{wanted} was not fetched within {timeout_s:.0f} s; try again") from None
    if done.returncode != 0 and any(sign in done.stdout + done.stderr for sign in _ABSENT):
        raise AdapterError(f"{Path(command[0]).name} finds no release {wanted}; name a release that exists")
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
        reason = next((line for line in lines if _is_reason(line)), "no reason given")
        failed = f"{Path(command[0]).name} could not fetch {wanted}: {reason[:REASON_MAX]}"
        raise AdapterError(f"{failed}; mend this cause, and try again")


def run_whole(command: Sequence[str], timeout_s: float, **how: Any) -> subprocess.CompletedProcess[Any]:
    """Run a program to its end; if it is late, or the suite ends before it, it ends with all that it started."""
    with subprocess.Popen(command, start_new_session=True, **how) as program:
        watch = EndWatch(program.pid)
        try:
            output, errors = program.communicate(timeout=timeout_s)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            raise
        finally:
            watch.dismiss()
    return subprocess.CompletedProcess(command, program.returncode, output, errors)


def _is_reason(line: str) -> bool:
    is_go = line.startswith("go:") and not line.startswith(("go: downloading", "go: added", "go: creating"))
    return "ERROR" in line or "unresolved" in line.lower() or is_go


_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>gridproof</groupId><artifactId>fetch</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>{}</dependencies></project>
"""
_DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"


def jars_at_hand(artifact: str, libraries: Sequence[str] = ()) -> tuple[Path, ...]:
    """Return the jars that `fetch_jars` would return, if they are in the cache; none if they were not fetched yet."""
    return tuple(sorted((cache_folder() / place_of("jars", artifact, libraries)).glob("*.jar")))


def fetch_jars(artifact: str, libraries: Sequence[str] = ()) -> tuple[Path, ...]:
    """Return the jar of an artifact, `group:artifact:version`; with `libraries`, also their jars and all dependencies.

    Jars that are not in the cache are fetched. AdapterError says what to install.
    """
    fetch = _fetcher(artifact, libraries)

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            fetch((artifact, *libraries), folder, Path(scratch))
        if not list(folder.glob("*.jar")):
            raise AdapterError(f"{artifact} was fetched without a jar file; try again, or put the jar into {folder}")

    if not jars_at_hand(artifact, libraries):
        kept(place_of("jars", artifact, libraries), make, f"fetching {artifact}")
    return jars_at_hand(artifact, libraries)


def _fetcher(artifact: str, libraries: Sequence[str]) -> Callable[[Sequence[str], Path, Path], None]:
    if jars_at_hand(artifact, libraries) or shutil.which("mvn"):
        return _by_maven
    if _spark_submit() is not None:
        return _by_spark
    raise AdapterError(
        f"{artifact} has to be fetched with Maven, which is not installed; type: apt-get install maven "
        "(or pip install 'gridproof[spark]')"
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


BUILD_TIMEOUT_S = 3_600


@dataclass(frozen=True, slots=True)
class GoProgram:
    """A program whose source is a package of a Go module."""

    name: str
    module: str
    version: str
    """The version in the form that Go uses: `v3.7.3`."""

    @property
    def wanted(self) -> str:
        """The module and version, as Go names them."""
        return f"{self.module}@{self.version}"

    @property
    def file(self) -> Path:
        """The path of the program once it is built."""
        return cache_folder() / self._place / self.name

    @property
    def _place(self) -> str:
        return f"programs/{self.name}-{self.version}"

    def missing(self) -> str | None:
        """Return what has to be built; None if the program is in the cache."""
        return None if self.file.exists() else f"{self.wanted} was not built yet"

    def build(self) -> Path:
        """Return the program, built if it is not in the cache; AdapterError says what to install."""
        go = shutil.which("go")
        if self.file.exists():
            return self.file
        if go is None:
            cure = "install the version of Go that its go.mod names"
            raise AdapterError(f"{self.wanted} has to be built with Go, which is not installed; {cure}")
        kept(self._place, lambda folder: self._build_in(folder, go), f"building {self.wanted}", " (minutes)")
        return self.file

    def _build_in(self, folder: Path, go: str) -> None:
        # `go install module@version` refuses a module that replaces others, so a module around it is built.
        source = folder / "source"
        source.mkdir()
        environment = {**os.environ, "CGO_ENABLED": "0"}
        for words in (
            ("mod", "init", "gridproof.example/build"),
            ("get", self.wanted),
            ("build", "-o", str(folder / self.name), self.module),
        ):
            run_fetcher([go, *words], source, self.wanted, BUILD_TIMEOUT_S, environment)
        shutil.rmtree(source)


_QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--no-update-notifier")


def packages_at_hand(packages: Sequence[str]) -> Path | None:
    """Return the folder that holds these packages, `name@version`; None if they were not fetched yet."""
    folder = cache_folder() / place_of("packages", packages[0], packages[1:])
    return folder if folder.is_dir() else None


def why_missing(packages: Sequence[str]) -> str | None:
    """Return what was not fetched yet or what has to be installed; None if everything is here."""
    if packages_at_hand(packages) is None:
        return f"{packages[0]} was not fetched yet"
    return None if shutil.which("node") else "node is not installed"


def fetch_packages(packages: Sequence[str]) -> Path:
    """Return the folder that holds these packages, fetched if it is not in the cache; AdapterError with the cure."""
    if packages_at_hand(packages) is None and shutil.which("npm") is None:
        cure = "type: apt-get install nodejs npm"
        raise AdapterError(f"{packages[0]} has to be fetched with npm, which is not installed; {cure}")

    def make(folder: Path) -> None:
        (folder / "package.json").write_text("{}\n")
        run_fetcher(["npm", "install", *_QUIET, *packages], folder, packages[0], FETCH_TIMEOUT_S)

    return kept(place_of("packages", packages[0], packages[1:]), make, f"fetching {packages[0]}")


def python_agent(system: str, package: str, version: str = "") -> Launch:
    """Return the launch of the agent of a system that needs a package; AdapterError if the package is not installed.

    If a release other than the installed one is chosen, it is fetched, and comes first on Python's path.
    """
    words = (sys.executable, "-m", f"gridproof_implementation.live.systems.{system}.agent")
    if version in ("", installed_version(package)):
        return Launch(words)
    places = [str(fetch_release(package, version)), *filter(None, [os.environ.get("PYTHONPATH")])]
    return Launch(words, {"PYTHONPATH": os.pathsep.join(places)})


def fetch_release(package: str, version: str) -> Path:
    """Return a folder with one release of a package, without its dependencies; AdapterError if there is no such
    release."""
    wanted = f"{package}=={version}"

    def make(folder: Path) -> None:
        words = ["--quiet", "--disable-pip-version-check", "--no-deps", "--target", str(folder), wanted]
        run_fetcher([sys.executable, "-m", "pip", "install", *words], folder, wanted, FETCH_TIMEOUT_S)

    return kept(f"packages/{package}-{version}", make, f"fetching {wanted}")
