"""Agents in Java: they are compiled once, and start fast.

The base classes in `java/` speak the agent protocol, and answer the verbs for members whose data is a map. A system's
sources are in its folder of `systems/`. When a system is first used, the sources are compiled against its jar and kept
in the cache with an archive of loaded classes, with which a member starts in a fifth of the time (measured:
docs/performance.md).
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from zipfile import ZipFile

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.agent import free_port
from gridproof_implementation.live.fetching import fetch_jars, jars_at_hand, kept, run_whole
from gridproof_implementation.live.process import FAILED, HOST, Fleet, Launch

BASE = ("Agent.java", "Json.java", "MapAgent.java")
SMALL = (
    "-Xmx128m",
    "-Xss512k",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:CICompilerCount=1",
    "-Xlog:disable",
)
"""JVM flags for members in tests: little memory, few threads, and no log, as standard output is for the agent only."""
_ARCHIVE = "classes.jsa"
_AGENT = "agent.jar"
_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class JavaAgent:
    """An agent in Java."""

    main: str
    """The agent's main class; the name of its file is the same."""
    folder: str
    """The folder of the agent's sources."""
    artifact: str
    """The system's jar, as group:artifact:version."""
    flags: tuple[str, ...] = ()
    """Flags for the JVM, besides those in `SMALL`."""
    optional: tuple[str, ...] = ()
    """Source files that are left out if they do not compile against the artifact."""
    libraries: tuple[str, ...] = ()
    """Further artifacts, for a system whose jar cannot run alone; their dependencies are fetched with them."""
    further: Path | None = None
    """A folder of further sources, for a caller that needs further verbs."""

    def missing(self) -> str | None:
        """Return what has to be fetched or installed first; None if the agent can start at once."""
        if not jars_at_hand(self.artifact, self.libraries):
            return f"{self.artifact} was not fetched yet"
        return next((f"{name} is not installed" for name in ("java", "javac") if _program(name) is None), None)

    def launch(self, *more: str) -> Launch:
        """Return the launch of the agent, with everything fetched and compiled; AdapterError says what to install.

        Further flags of the JVM come last, so that they take precedence over those of the agent.
        """
        java, javac = (_needed(name) for name in ("java", "javac"))
        jars = fetch_jars(self.artifact, self.libraries)
        live = files("gridproof_implementation.live")
        folders = [live / "java", live / "systems" / self.folder, *filter(None, [self.further])]
        sources = {name: text for folder in folders for name, text in _texts(folder).items()}
        inputs = repr((sources, self, _release(java))).encode()
        place = f"agents/{self.main}-{sha256(inputs).hexdigest()[:16]}"
        folder = kept(place, lambda half: self._build(half, java, javac, jars, sources))
        words = self._words(folder, jars)
        archive = kept(f"{place}-archive", lambda half: _archive(half / _ARCHIVE, java, words)) / _ARCHIVE
        archived = [f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []
        return Launch((str(java), *archived, *self._words(folder, jars, *more)))

    def _words(self, folder: Path, jars: Sequence[Path], *more: str) -> tuple[str, ...]:
        return (*SMALL, *self.flags, *more, "-cp", _joined((folder / _AGENT, *jars)), self.main)

    def _build(self, folder: Path, java: Path, javac: Path, jars: Sequence[Path], sources: dict[str, str]) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in sources.items():
                (Path(scratch) / name).write_text(text, encoding="utf-8")
            words = [str(javac), "-nowarn", "-encoding", "UTF-8", "-cp", _joined(jars)]
            errors = self._compile(words, scratch, set(sources))
            if errors:
                why = f"{self.main} cannot be compiled against {self.artifact}: {_first_of(errors)}"
                raise AdapterError(f"{why}; choose another release of {self.artifact}")
            # Java makes no archive of loaded classes if the class path has folders, so all classes go into a jar.
            with ZipFile(folder / _AGENT, "w") as packed:
                for file in sorted(Path(scratch).glob("*.class")):
                    packed.write(file, file.name)

    def _compile(self, words: Sequence[str], scratch: str, sources: set[str]) -> Sequence[str]:
        """Compile; if optional sources fail, compile once more without them. Return the compiler's last output."""
        command = [*words, *sorted(sources)]
        try:
            how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "errors": "replace"}
            done = run_whole(command, _TIMEOUT_S, cwd=scratch, **how)
        except subprocess.TimeoutExpired:
            raise AdapterError(f"{self.main} was not compiled within {_TIMEOUT_S} s; try again") from None
        lines = done.stderr.splitlines() if done.returncode else []
        failed = {name for name in self.optional if any(line.startswith(f"{name}:") for line in lines)} & sources
        return self._compile(words, scratch, sources - failed) if failed else lines


def _first_of(errors: Sequence[str]) -> str:
    """Return the first error of the compiler, with the name of what it could not find."""
    number, first = next(((n, line) for n, line in enumerate(errors) if "error:" in line), (0, "no reason given"))
    symbol = next((line for line in errors[number + 1 : number + 5] if line.lstrip().startswith("symbol:")), "")
    return " ".join(f"{first}{'; ' if symbol else ''}{symbol}".split())


def _archive(file: Path, java: Path, words: Sequence[str]) -> None:
    """Write an archive of the classes that a member loads: start a member, ask it a few questions, and let it exit. If
    no archive can be written, a member only takes longer to start."""
    dumping = (f"-XX:ArchiveClassesAtExit={file}", "-Dgridproof.exit=true")
    with Fleet() as fleet:
        process = fleet.start("archive", Launch((str(java), *dumping, *words)))
        place = {"host": HOST, "port": free_port(HOST), "seeds": [], "lite": False, "group": None}
        with suppress(*FAILED):
            process.hello(_TIMEOUT_S)
            size = {"partitions": 271, "backups": 1, "async_backups": 0}
            process.ask("start", _TIMEOUT_S, name="archive", **place, **size)
            process.ask("put", key="k", value="v")
            for verb in ("table", "settled", "replicas"):
                process.ask(verb)
            process.ask("get", key="k")
        process.wait_gone(_TIMEOUT_S)


def _joined(jars: Sequence[Path]) -> str:
    return os.pathsep.join(map(str, jars))


def _program(name: str) -> Path | None:
    home = os.environ.get("JAVA_HOME")
    beside = Path(home) / "bin" / name if home else None
    found = str(beside) if beside is not None and beside.exists() else shutil.which(name)
    return Path(found) if found else None


def _needed(name: str) -> Path:
    found = _program(name)
    if found is None:
        cure = "brew install openjdk@17" if sys.platform == "darwin" else "apt-get install openjdk-17-jdk-headless"
        raise AdapterError(f"{name} is not installed; type: {cure} (or set JAVA_HOME)")
    return found


def _release(java: Path) -> str:
    done = subprocess.run(
        [str(java), "-version"], capture_output=True, text=True, errors="replace", check=False, timeout=_TIMEOUT_S
    )
    return done.stderr


def _texts(folder: Traversable) -> dict[str, str]:
    """Return the sources in a folder, by name."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".java")}
    return dict(sorted(texts.items()))


def opens(*packages: str) -> Sequence[str]:
    """Return the flags that open packages of Java's own modules, as `module/package`."""
    return [f"--add-opens={package}=ALL-UNNAMED" for package in packages]
