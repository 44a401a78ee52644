"""An adapter that is a folder with a manifest and an agent.

`adapter.json` says how the agent is started: `{"name": "mine", "command": ["python3", "agent.py"]}`, and `"build"`, a
list of commands that are run first if a file of the folder is newer than the last build. Everything else, promises
included, is what the agent itself says in its hello.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from gridproof_implementation.adapter import HALF_A_MINUTE, Adapter, AdapterError, Kind
from gridproof_implementation.live.agent_grid import agents
from gridproof_implementation.live.agent_library import check_offers, greet, libraries
from gridproof_implementation.live.fetching import run_whole
from gridproof_implementation.live.process import Fleet, Launch
from gridproof_implementation.trace.schema import RUN_NAME, is_run_name
from gridproof_model.own_modules import absolute
from gridproof_model.typed_json import UnfitError, read_json, typed

MANIFEST = "adapter.json"
BUILD_TIMEOUT_S = 300
_BUILT = ".built"
_EXAMPLE = '{"name": "mine", "command": ["python3", "agent.py"]}'


@dataclass(frozen=True, slots=True)
class _Written:
    """The fields of a manifest file."""

    name: str
    command: tuple[str, ...]
    build: tuple[tuple[str, ...], ...] = ()
    """Commands that are run before the first agent is started."""


@dataclass(frozen=True, slots=True)
class Manifest(_Written):
    """How the agents of a folder are started."""

    folder: Path = Path()

    def launch(self) -> Launch:
        """Return the launch of an agent, built first if needed; AdapterError if it cannot be built."""
        if self.build and self._is_changed():
            for command in self.build:
                self._build(command)
            (self.folder / _BUILT).touch()
        program = self.folder / self.command[0]
        first = str(program) if "/" in self.command[0] else self.command[0]
        return Launch((first, *self.command[1:]), folder=self.folder)

    def _is_changed(self) -> bool:
        built = self.folder / _BUILT
        files = [file for file in self.folder.iterdir() if file.is_file() and file != built]
        return not built.exists() or any(file.stat().st_mtime_ns > built.stat().st_mtime_ns for file in files)

    def _build(self, command: Sequence[str]) -> None:
        called = " ".join(command)
        # The build's output goes to files: a process that it leaves running (a compile server) would keep a pipe open.
        with TemporaryFile() as output, TemporaryFile() as errors:
            try:
                done = run_whole(
                    command, BUILD_TIMEOUT_S, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=errors
                )
            except OSError as error:
                why = f"{command[0]}: {error.strerror}; install it, or mend the manifest"
                raise AdapterError(f"{self.folder}: {called} cannot run: {why}") from None
            except subprocess.TimeoutExpired:
                late = f"did not end within {BUILD_TIMEOUT_S} s; run the command yourself to see why"
                raise AdapterError(f"{self.folder}: {called} {late}") from None
            if done.returncode != 0:
                errors.seek(0)
                output.seek(0)
                lines = (errors.read() + output.read()).decode(errors="replace").strip().splitlines()
                first = next(iter(lines), "no reason given")[:200]
                raise AdapterError(f"{self.folder}: {called} failed: {first}; mend the build, and try again")


def manifest_at(name: str) -> Path | None:
    """Return the manifest that a name refers to: the file itself, or the one in a folder; None if it is neither."""
    path = Path(name)
    if path.name == MANIFEST:
        return absolute(path)
    return absolute(path / MANIFEST) if name and (path.is_dir() or name.endswith("/")) else None


def read_manifest(path: Path) -> Manifest:
    """Return the manifest, read and checked; AdapterError says what is wrong with it."""
    try:
        found = typed(_Written, read_json(path), "it")
    except OSError as error:
        cure = "`gridproof adapter new NAME` writes a folder with a manifest"
        raise AdapterError(f"{path}: the manifest cannot be read: {error.strerror}; {cure}") from None
    except UnfitError as error:
        raise AdapterError(f"{path}: the manifest is wrong: {error}; write it like {_EXAMPLE}") from None
    except ValueError as error:
        raise AdapterError(f"{path}: the manifest is not JSON ({error}); write it like {_EXAMPLE}") from None
    if not is_run_name(found.name):
        raise AdapterError(f'{path}: "name" must be {RUN_NAME}; write the manifest like {_EXAMPLE}')
    if not all(
        command and all(word and "\0" not in word for word in command) for command in (found.command, *found.build)
    ):
        words = "a command must be a list of words, none empty or with a NUL"
        raise AdapterError(f"{path}: {words}; write the file like {_EXAMPLE}")
    return Manifest(found.name, found.command, found.build, path.parent)


def adapter_in(path: Path) -> Adapter:
    """Return the adapter of a manifest, with the promises that its agent states; AdapterError if no hello comes."""
    manifest = read_manifest(path)
    launch = manifest.launch()
    with Fleet() as fleet:
        try:
            _, hello = greet(fleet, launch)
        except AdapterError as error:
            raise type(error)(f"{manifest.name}: {error}") from error
    if hello.kind is Kind.GRID:
        check_offers(hello)
    return Adapter(
        name=manifest.name,
        summary=f"{hello.system} {hello.version}, by the agent in {manifest.folder}",
        kind=hello.kind,
        open=(agents if hello.kind is Kind.GRID else libraries)(lambda _: launch),
        repeatable=hello.kind is not Kind.GRID,
        promises=hello.promises,
        weaknesses=hello.weaknesses,
        times=hello.times or HALF_A_MINUTE,
        attached=hello.attached is not None,
        table=hello.table,
        own_rule=bool(hello.traits.own_rule),
    )
