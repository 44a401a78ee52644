"""A module or a configuration of a user's own that is none: one line, whatever it is, and never a traceback."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gridproof_properties.exit_status import ExitStatus
from tests.front_door.command_line import CommandLine

WHO = {
    "a specification": "show {}",
    "an argument": "prove {}:LEMMAS",
    "an observation table": "validate log.jsonl --table {}:TABLE",
    "an adapter": "check --system {}:ADAPTER",
    "an adapter of several": "check --system {}:ADAPTER --system reference",
    "a live adapter": "check --runs 1 --system {}:ADAPTER",
}
WHAT: dict[str, bytes | None] = {
    "a NUL byte": b"x = 1\n\0\n",
    "a NUL byte in a name": b"x = 'a\0b'\n",
    "not UTF-8": b"x = '\xff\xfe'\n",
    "of an encoding that there is not": b"# -*- coding: nothing -*-\n",
    "half a pair of surrogates": b"raise ValueError('\\ud800')\n",
    "a syntax error": b"def (:\n",
    "too deep for the parser": b"(" * 5_000,
    "endless recursion": b"def f(): f()\nf()\n",
    "recursion in its message": b"class E(Exception):\n  def __str__(self): return str(self)\nraise E\n",
    "it imports itself": b"from mine import nothing\n",
    "it imports who imports it": b"import other_of_mine\n",
    "a module that there is not": b"import nothing_that_is\n",
    "an exception": b"raise ValueError('a\\nb')\n",
    "an error of its own kind": b"raise type('Own', (BaseException,), {})('x')\n",
    "a group of errors": b"raise BaseExceptionGroup('x', [SystemExit(0)])\n",
    "an exit": b"import sys\nsys.exit(0)\n",
    "an exit with words": b"raise SystemExit('bye')\n",
    "generators that end": b"raise GeneratorExit\n",
    "memory": b"raise MemoryError\n",
    "nothing": b"",
    "a binary file": bytes(range(256)),
    "a folder": None,
}


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("what", WHAT)
def test_it_is_one_line_and_no_traceback(who: str, what: str, gridproof: CommandLine) -> None:
    content = WHAT[what]
    if content is None:
        Path("mine.py").mkdir()
    else:
        Path("mine.py").write_bytes(content)
    Path("other_of_mine.py").write_text("import mine\nmine.nothing\n")
    Path("log.jsonl").write_text("{}\n")

    wrong = gridproof(*WHO[who].format("mine.py").split())

    assert wrong.status in (ExitStatus.WRONG_USE, ExitStatus.UNKNOWN)
    assert (wrong.out, wrong.err.count("\n")) == ("", 1)
    assert "Traceback" not in wrong.err
    assert "mine" in wrong.err
    assert not Path("gridproof-out").exists()


CONFIGURATIONS: dict[str, bytes | None] = {
    "a NUL byte": b"hazelcast:\0\n",
    "not UTF-8": b"hazelcast: \xff\n",
    "UTF-16": "hazelcast: {}\n".encode("utf-16"),
    "too deep": b"[" * 5_000,
    "an alias of itself": b"a: &a [*a]\n",
    "an object of Python": b"!!python/object/apply:os._exit [0]\n",
    "two documents": b"a: 1\n---\nb: 2\n",
    "nothing": b"",
    "a binary file": bytes(range(256)),
    "a folder": None,
}


@pytest.mark.parametrize("name", ["c.yaml", "c.xml"])
@pytest.mark.parametrize("what", CONFIGURATIONS)
def test_a_configuration_that_is_none_is_one_line(what: str, name: str, gridproof: CommandLine) -> None:
    content = CONFIGURATIONS[what]
    if content is None:
        Path(name).mkdir()
    else:
        Path(name).write_bytes(content)

    wrong = gridproof("simulate", "--config", name)

    assert (wrong.status, wrong.out, wrong.err.count("\n")) == (ExitStatus.WRONG_USE, "", 1)
    assert name in wrong.err


def test_a_file_that_has_the_name_of_a_module_of_pythons_hides_it_from_nobody(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).with_name("little_worlds.py"), tmp_path / "queue.py")
    words = [sys.executable, "-P", "-m", "gridproof", "explore", "queue.py:symmetric", "--out", "made"]

    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (ExitStatus.HOLDS, "")
    assert (tmp_path / "made" / "report.html").is_file()


def test_an_adapter_in_such_a_file_is_one_line(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "statistics.py").write_text("ADAPTER = 3\n")

    refused = gridproof("check", "--system", "statistics.py:ADAPTER")

    assert (refused.status, refused.err.count("\n")) == (ExitStatus.WRONG_USE, 1)
    assert "Python would import another module named 'statistics' instead; rename the file" in refused.err


@pytest.mark.parametrize(
    "words",
    [
        "check --system mine.py:ADAPTER",
        "check --system mine:ADAPTER",
        "check --system mine/",
        "explore mine:SPEC",
        "validate log.jsonl --table mine:TABLE",
    ],
)
def test_a_working_folder_that_was_removed_is_blamed_itself(
    words: str, gridproof: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    wrong = gridproof(*words.split())

    assert wrong.status == ExitStatus.WRONG_USE
    assert wrong.err.endswith("the working folder was removed; change into a folder that exists\n")
    assert wrong.err.count("\n") == 1
