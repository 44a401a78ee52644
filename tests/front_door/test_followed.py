"""Every option that `docs/options.md` says is followed shows."""

import shlex
import shutil
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from gridproof.followed import Subject
from gridproof.mutants import chosen_mutants
from tests.front_door.command_line import CommandLine
from tests.front_door.evidence import Cell, without_noise
from tests.front_door.evidence_inputs import write_inputs, write_more_inputs
from tests.front_door.evidence_table import EVIDENCE, LINES, LONG, NIGHTLY, OPEN, PLANTED, USUAL

_SEEN: dict[tuple[str, str], "Seen"] = {}
"""What came of lines, by the line and the bug that is planted."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of a line."""

    status: int
    said: tuple[str, str]
    files: Mapping[str, str]
    """What stands in the files that are new or changed; nothing of those that are no text."""
    processes: int

    def without_noise(self, option: str) -> "Seen":
        """Return it without what differs each time, and without what only repeats an option."""
        out, err = (without_noise(text, option) for text in self.said)
        files = {name: without_noise(text, option) for name, text in self.files.items()}
        return Seen(self.status, (out, err), files, self.processes)


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that lines name, made once."""
    with pytest.MonkeyPatch.context() as patch:
        return write_inputs(tmp_path_factory.mktemp("inputs"), patch)


@pytest.fixture(scope="session")
def more_inputs(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, and what only nightly lines name."""
    folder = tmp_path_factory.mktemp("more") / "inputs"
    shutil.copytree(inputs, folder)
    write_more_inputs(folder)
    return folder


@dataclass(frozen=True, slots=True)
class Typist:
    """Types a line in a copy of the files."""

    gridproof: CommandLine
    inputs: Path
    here: Path
    patch: pytest.MonkeyPatch

    def see_twice(self, line: str, option: str, mutant: str) -> Seen:
        """Return what comes of a line each time."""
        raw = _SEEN.get((line.strip(), mutant))
        if raw is None:
            raw, again = self.type(line, mutant), self.type(line, mutant)
            assert raw.without_noise("") == again.without_noise("")
            _SEEN[line.strip(), mutant] = raw
        return raw.without_noise(option)

    def see(self, line: str, option: str, mutant: str) -> Seen:
        """Return what came of a line."""
        return self.type(line, mutant).without_noise(option)

    def type(self, line: str, mutant: str) -> Seen:
        """Return what came of a line, as it stands."""
        folder = self.here / "work"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.inputs, folder)
        started: list[BaseProcess] = []
        start = BaseProcess.start

        def count(process: BaseProcess) -> None:
            started.append(process)
            start(process)

        with self.patch.context() as patch, chosen_mutants([mutant])[0].plant() if mutant else nullcontext():
            patch.chdir(folder)
            patch.setattr(BaseProcess, "start", count)
            done = self.gridproof(*shlex.split(line))
        texts = (text.replace(str(folder), ".") for text in (done.out, done.err))
        return Seen(done.status, (next(texts), next(texts)), _texts(folder, self.inputs), len(started))


@pytest.fixture
def typist(request: pytest.FixtureRequest, gridproof: CommandLine, tmp_path: Path) -> Typist:
    is_nightly = request.node.get_closest_marker("nightly") is not None
    folder = request.getfixturevalue("more_inputs" if is_nightly else "inputs")
    return Typist(gridproof, folder, tmp_path, request.getfixturevalue("monkeypatch"))


def _cells() -> Iterator[ParameterSet]:
    for subject in Subject:
        for option in sorted(subject.follows):
            if (subject, option) not in OPEN:
                cell = EVIDENCE.get(subject, {}).get(option) or USUAL.get(option)
                is_long = subject in NIGHTLY or option in LONG or (cell is not None and cell.is_long)
                marks = [pytest.mark.xdist_group(subject.name), *([pytest.mark.nightly] if is_long else [])]
                yield pytest.param(subject, option, cell, marks=marks, id=f"{subject.name} {option}")


@pytest.mark.parametrize(("subject", "option", "cell"), list(_cells()))
def test_an_option_that_is_followed_shows(typist: Typist, subject: Subject, option: str, cell: Cell | None) -> None:
    assert cell is not None, "say in evidence_table.py with which words it shows"
    mutant = cell.mutant or PLANTED.get(subject, "")
    line = f"{cell.line or LINES[subject]} {cell.beside}"

    first = typist.see_twice(f"{line} {cell.instead}", option, mutant)
    other = typist.see(f"{line} {cell.words}", option, mutant)

    assert first.status in (0, 1, 3)
    assert other.status in (0, 1, 3) or cell.ends_with_2
    assert other != first, "with the option nothing is different: follow it, or refuse it in gridproof/followed.py"


def test_a_cell_that_is_left_open_is_one() -> None:
    assert all(option in subject.follows for subject, option in OPEN)


def _texts(folder: Path, before: Path) -> Mapping[str, str]:
    found = {}
    for path in sorted(folder.rglob("*")):
        old = before / path.relative_to(folder)
        if path.is_file() and "__pycache__" not in path.parts and not (old.is_file() and _stamp(old) == _stamp(path)):
            raw = path.read_bytes()
            text = "" if b"\0" in raw[:4096] else raw.decode("utf-8", "replace")
            found[str(path.relative_to(folder))] = text.replace(str(folder), ".")
    return found


def _stamp(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_size, about.st_mtime_ns
