"""Every option that `docs/options.md` says is followed shows."""

import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

from gridproof.arguments.followed import Subject, SubjectOfCommand
from suite.zoo.named import chosen_mutants
from tests.front_door.command_line import CommandLine
from tests.front_door.evidence import Cell, without_noise
from tests.front_door.evidence_inputs import write_inputs, write_more_inputs
from tests.front_door.evidence_stand_ins import STAND_INS
from tests.front_door.evidence_table import EVIDENCE, LINES, LIVE, LONG, NIGHTLY, PLANTED, USUAL
from tools.options_page import SUBJECTS

_SEEN: dict[tuple[str, str], tuple["Seen", "Seen"]] = {}
"""What came of lines, each typed twice, by the line and the bug that is planted."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of a line."""

    status: int
    said: tuple[str, str]
    files: Mapping[str, str]
    """What stands in the files that are new or changed; nothing of those that are no text."""
    processes: int

    def without_noise(self, option: str, fact: str = "") -> "Seen":
        """Return it without what differs each time, and without what only repeats an option; or the fact alone."""
        if fact:
            every = "\n".join([*self.said, *self.files.values()])
            found = sorted(set(map(str, re.findall(fact, every, re.MULTILINE))))
            return Seen(self.status, ("\n".join(found), ""), dict.fromkeys(self.files, ""), self.processes)
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

    def see_twice(self, line: str, option: str, cell: Cell, subject: SubjectOfCommand) -> Seen:
        """Return what comes of a line each time."""
        mutant = cell.mutant or PLANTED.get(subject, "")
        raw = _SEEN.get((line.strip(), mutant)) or (self.type(line, mutant, subject), self.type(line, mutant, subject))
        _SEEN[line.strip(), mutant] = raw
        first, again = (one.without_noise("", cell.fact) for one in raw)
        assert first == again
        return raw[0].without_noise(option, cell.fact)

    def see(self, line: str, option: str, cell: Cell, subject: SubjectOfCommand) -> Seen:
        """Return what came of a line."""
        return self.type(line, cell.mutant or PLANTED.get(subject, ""), subject).without_noise(option, cell.fact)

    def type(self, line: str, mutant: str, subject: SubjectOfCommand) -> Seen:
        """Return what came of a line, as it stands."""
        folder = self.here / "work"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.inputs, folder)
        started: list[object] = []
        start, open_process = BaseProcess.start, Popen.__init__

        def count(process: BaseProcess) -> None:
            started.append(process)
            start(process)

        def count_opened(process: Popen[bytes], *words: Any, **named: Any) -> None:
            started.append(process)
            open_process(process, *words, **named)

        with self.patch.context() as patch, chosen_mutants([mutant])[0].plant() if mutant else nullcontext():
            patch.chdir(folder)
            if subject in STAND_INS:
                STAND_INS[subject](patch)
            patch.setattr(BaseProcess, "start", count)
            patch.setattr(Popen, "__init__", count_opened)
            done = self.gridproof(*shlex.split(line))
        texts = (text.replace(str(folder), ".") for text in (done.out, done.err))
        return Seen(done.status, (next(texts), next(texts)), _texts(folder, self.inputs), len(started))


@pytest.fixture
def typist(request: pytest.FixtureRequest, gridproof: CommandLine, tmp_path: Path) -> Typist:
    is_nightly = request.node.get_closest_marker("nightly") is not None
    folder = request.getfixturevalue("more_inputs" if is_nightly else "inputs")
    return Typist(gridproof, folder, tmp_path, request.getfixturevalue("monkeypatch"))


def _cells() -> Iterator[ParameterSet]:
    for subject in SUBJECTS:
        for option in sorted(subject.follows):
            cell = EVIDENCE.get(subject, {}).get(option) or USUAL.get(option)
            is_long = subject in NIGHTLY or option in LONG or (cell is not None and cell.is_long)
            on_spark = subject is Subject.TRACES_ON_SPARK or option == "--engine"
            group = "spark" if on_spark else "live" if subject in LIVE else subject.name
            marks = [pytest.mark.xdist_group(group), *([pytest.mark.nightly] if is_long else [])]
            marks += [pytest.mark.spark] if on_spark else [pytest.mark.live] if subject in LIVE else []
            yield pytest.param(subject, option, cell, marks=marks, id=f"{subject.name} {option}")


@pytest.mark.parametrize(("subject", "option", "cell"), list(_cells()))
def test_an_option_that_is_followed_shows(
    typist: Typist, subject: SubjectOfCommand, option: str, cell: Cell | None
) -> None:
    assert cell is not None, "say in evidence_table.py with which words it shows"
    line = f"{cell.line or LINES[subject]} {cell.beside}"

    first = typist.see_twice(f"{line} {cell.instead}", option, cell, subject)
    other = typist.see(f"{line} {cell.words}", option, cell, subject)

    assert first.status in (0, 1, 3)
    assert other.status in (0, 1, 3) or cell.ends_with_2
    assert not cell.fact or any(first.said) or any(other.said), "the pattern is met by neither line"
    assert other != first, "nothing is different with the option: follow it, or refuse it in arguments/followed.py"


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
