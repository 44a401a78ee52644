"""What agents in Python need not write again."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gridproof_implementation.live.agent import (
    RefusedError,
    copies,
    free_port,
    own_folder,
    own_port,
    reserve,
    role,
    run_folder,
    until,
)
from gridproof_implementation.live.process import AgentError, Fleet, Launch

ROWS: list[list[str | None]] = [["a", "b"], ["b", None], ["a", "c"], [None]]
TABLE = {"member": "b", "rows": ROWS}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRIDPROOF_FOLDER", str(tmp_path))
    return tmp_path


def test_a_role_is_by_the_row() -> None:
    assert [role(row, "b") for row in ROWS] == ["backup", "primary", "left over", "left over"]
    assert role(["a", "b"], "b", "replica") == "replica"


def test_a_copy_is_of_what_a_row_or_an_entry_says() -> None:
    found = copies({0: {"k": "v"}, 2: {"old": "v"}}, TABLE)

    assert found == {
        "copies": [
            {"partition": 0, "role": "backup", "entries": {"k": "v"}},
            {"partition": 1, "role": "primary", "entries": {}},
            {"partition": 2, "role": "left over", "entries": {"old": "v"}},
        ],
        "unknown": [],
    }


def test_copies_are_of_the_partitions_asked_for_and_never_of_unknown_ones() -> None:
    found = copies({0: {"k": "v"}}, TABLE, [1, 0], unknown={0, 2})

    assert [copy["partition"] for copy in found["copies"]] == [1]
    assert found["unknown"] == [0]


def test_without_a_table_nobody_can_say_what_a_copy_is() -> None:
    shown = {"member": "b", "rows": None, "why": "no leader"}

    assert copies({0: {"k": "v"}}, shown) == {"copies": [], "unknown": [0]}
    assert copies({}, shown) == {"copies": [], "unknown": [0]}
    assert copies({}, shown, [2, 1]) == {"copies": [], "unknown": [1, 2]}


def test_until_looks_until_nothing_is_missing() -> None:
    missing = iter(["all", "one", None, "never asked for"])

    until(lambda: next(missing))

    assert next(missing) == "never asked for"


def test_a_look_that_fails_misses_something() -> None:
    looks: list[int] = []

    def look() -> None:
        looks.append(1)
        if len(looks) == 1:
            raise OSError("nobody listens")

    until(look)

    assert len(looks) == 2


def test_at_the_end_what_is_missing_is_said() -> None:
    with pytest.raises(TimeoutError, match=r"^OSError: nobody listens$"):
        until(lambda: (_ for _ in ()).throw(OSError("nobody listens")), within_s=0)


def test_a_member_that_is_started_again_finds_its_folder_and_its_port(folder: Path) -> None:
    first, was_here = own_folder("one")
    port = own_port(first, "127.0.0.1")

    assert (run_folder(), first.parent, was_here) == (folder, folder, False)
    assert own_folder("one") == (first, True)
    assert own_port(first, "127.0.0.1") == port
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", port))


def test_only_a_call_is_answered_as_refused() -> None:
    source = """
from gridproof_implementation.live.agent import RefusedError, serve
def put(key, value): raise RefusedError("nobody listens")
def table(): raise RefusedError("nobody listens")
serve("toy", "1", put, table)
"""
    with Fleet() as fleet:
        agent = fleet.start("one", Launch((sys.executable, "-c", source)))
        agent.hello(30)

        assert agent.ask("put", key="k", value="v")["outcome"] == "refused"
        assert agent.ask("put", key="k", value="v")["why"] == "nobody listens"
        with pytest.raises(AgentError, match=r"^RefusedError: nobody listens$"):
            agent.ask("table")


def test_the_base_needs_the_standard_library_only() -> None:
    source = Path(str(sys.modules[RefusedError.__module__].__file__)).read_text()
    imported = [line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))]

    assert set(imported) <= sys.stdlib_module_names


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has names of sockets without a file")
def test_a_port_that_one_process_was_given_is_given_to_no_other() -> None:
    port = free_port("127.0.0.1")
    asked = f"from gridproof_implementation.live.agent import reserve; print(reserve('127.0.0.1', {port}))"

    other = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)

    assert not reserve("127.0.0.1", port)
    assert other.stdout == "False\n"
