"""`gridproof adapter`, as typed."""

import json
import shutil
from pathlib import Path

import pytest

from gridproof.commands.adapter import LANGUAGES
from gridproof_implementation.live.folders import read_manifest
from tests.front_door.command_line import CommandLine

NEEDS = {"python": "python3", "java": "javac", "go": "go", "node": "node"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_adapter_is_a_folder_with_its_own_name(gridproof: CommandLine, home: Path, language: str) -> None:
    gridproof("adapter", "new", "mine", "--language", language)

    assert read_manifest(home / "mine" / "adapter.json").name == "mine"
    assert [file.name for file in (home / "mine").iterdir() if file.name == "__pycache__"] == []


def test_a_folder_that_is_there_is_not_written_over(gridproof: CommandLine, home: Path) -> None:
    (home / "mine").mkdir()

    done = gridproof("adapter", "new", "mine")

    assert (done.status, done.err) == (2, "gridproof: mine exists already; give the name of a new folder\n")


@pytest.mark.parametrize(
    "language", ["python", "node", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("java", "go"))]
)
def test_a_new_adapter_runs_at_once(gridproof: CommandLine, home: Path, language: str) -> None:
    if shutil.which(NEEDS[language]) is None:
        pytest.skip(f"there is no {NEEDS[language]} here")
    gridproof("adapter", "new", "mine", "--language", language)

    done = gridproof("adapter", "test", "mine", "--json")

    assert [part for part in done.json["parts"] if part["complaints"] or not part["reached"]] == []
    assert done.status == 0


@pytest.mark.parametrize(
    ("kind", "promised"), [("router", "key-to-partition"), ("placer", "movement-only-to-newcomer")]
)
@pytest.mark.parametrize("language", ["python", "node", pytest.param("go", marks=pytest.mark.nightly)])
def test_a_new_library_is_tested_and_audited_as_it_is(
    gridproof: CommandLine, home: Path, language: str, kind: str, promised: str
) -> None:
    if shutil.which(NEEDS[language]) is None:
        pytest.skip(f"there is no {NEEDS[language]} here")
    gridproof("adapter", "new", "mine", "--kind", kind, "--language", language)

    tested, audited = gridproof("adapter", "test", "mine", "--json"), gridproof("check", "--system", "mine", "--json")

    assert [part for part in tested.json["parts"] if part["complaints"] or not part["reached"]] == []
    assert (tested.status, audited.status) == (0, 0)
    assert {one["property"]: one["verdict"] for one in audited.json["verdicts"]}[promised] == "holds"


@pytest.mark.parametrize("kind", ["router", "placer"])
def test_there_is_no_library_in_java(gridproof: CommandLine, home: Path, kind: str) -> None:
    done = gridproof("adapter", "new", "mine", "--kind", kind, "--language", "java")

    cure = "write one of these languages: python, go, node"
    assert done.status == 2
    assert done.err == f"gridproof: --kind {kind} --language java: no skeleton of a {kind} is in java; {cure}\n"


def test_a_complaint_is_reported_and_is_the_exit_status(gridproof: CommandLine, home: Path) -> None:
    gridproof("adapter", "new", "mine")
    agent = home / "mine" / "agent.py"
    agent.write_text(agent.read_text().replace('"rows": toy.rows()', '"rows": 3'))

    done = gridproof("adapter", "test", "mine")

    assert done.status == 1
    assert "rows must be a list, not 3" in done.out
    assert "mine: 1 complaint; mend the agent, or the system" in done.out


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        (None, "adapter.json: the manifest cannot be read: No such file or directory; `gridproof adapter new NAME`"),
        ("{", "adapter.json: the manifest is not JSON"),
        ("[]", "it is a list; it must be an object; write it like"),
        ('{"name": "a\\nb", "command": ["x"]}', '"name" must be printable, not empty, and without slashes and double'),
        ('{"name": "../b", "command": ["x"]}', '"name" must be printable, not empty, and without slashes and double'),
        ('{"name": "a", "command": ["x\\u0000y"]}', "a command must be a list of words, none empty or with a NUL"),
        ('{"name": "a"}', "it lacks the field 'command'"),
        ('{"name": "a", "command": "run"}', "it.command is 'run'; it must be a list"),
        ('{"name": "a", "command": []}', "a command must be a list of words, none empty"),
        ('{"name": "a", "command": ["x"], "build": "make"}', "it.build is 'make'; it must be a list"),
        ('{"name": "a", "command": ["x"], "biuld": []}', "it has no field 'biuld': did you mean build?"),
        ('{"name": "a", "command": ["no-such-program"]}', "no-such-program: No such file or directory; install it"),
        (
            '{"name": "a", "command": ["x"], "build": [["no-such"]]}',
            "no-such cannot run: no-such: No such file or directory",
        ),
        ('{"name": "a", "command": ["x"], "build": [["/"]]}', "/ cannot run: /: Permission denied; install it, or"),
        (
            '{"name": "a", "command": ["x"], "build": [["sh", "-c", "printf \\"\\\\377\\" >&2; false"]]}',
            "failed: \ufffd; mend",
        ),
        ('{"name": "a", "command": ["x"], "build": [["false"]]}', "false failed: no reason given; mend the"),
    ],
)
@pytest.mark.parametrize("command", ["adapter test", "check --system"])
def test_a_folder_that_is_no_adapter_is_one_line(
    gridproof: CommandLine, home: Path, manifest: str | None, expected: str, command: str
) -> None:
    (home / "mine").mkdir()
    if manifest is not None:
        (home / "mine" / "adapter.json").write_text(manifest)

    done = gridproof(*command.split(), "mine")

    assert done.status == 2
    assert expected in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("folder", "word"),
    [("my [b] grid", "'my [b] grid'"), ("valkey", "./valkey"), ("all", "./all"), ("mine", "mine"), ("-x", "./-x")],
)
def test_the_commands_that_are_named_mean_the_folder(
    gridproof: CommandLine, home: Path, folder: str, word: str
) -> None:
    done = gridproof("adapter", "new", "--", folder)

    assert done.out.startswith(f"{folder} holds an agent in python")
    assert f"  gridproof adapter test {word}    #" in done.out
    assert f"  gridproof check --system {word}  #" in done.out


@pytest.mark.parametrize("name", ["a\nb", "a..b", "\udcff"])
def test_a_folder_is_not_written_if_its_manifest_would_be_refused(
    gridproof: CommandLine, home: Path, name: str
) -> None:
    done = gridproof("adapter", "new", name)

    assert (done.status, list(home.iterdir())) == (2, [])
    assert "the name of the system must be printable, not empty" in done.err


def test_json_is_an_option_of_the_test_alone(gridproof: CommandLine, home: Path) -> None:
    assert [gridproof("adapter", "--json", what, "mine").status for what in ("new", "test")] == [2, 2]


@pytest.mark.nightly
def test_a_new_adapter_is_audited_with_the_promises_of_its_agent(gridproof: CommandLine, home: Path) -> None:
    gridproof("adapter", "new", "mine")

    done = gridproof("check", "--system", "mine", "--out", "run", "--json")

    levels = {one["property"]: (one["promise"], one["verdict"]) for one in done.json["verdicts"]}
    assert levels["acknowledged-write-kept"] == ("promised", "holds")
    assert json.loads((home / "run" / "trace.jsonl").read_text().splitlines()[1])
