"""A router and a placement library in a file that speaks the lines."""

import json
import sys
from pathlib import Path

import pytest

from tests.front_door.command_line import CommandLine

ROUTER = """
from gridproof_implementation.live.agent import serve
def partitions_of(keys, count):
    return {"partitions": [sum(form.encode("utf-16-le", "surrogatepass")) % count for _, form in keys]}
if __name__ == "__main__":
    serve("toy-client", "1.2", partitions_of, kind="router", promises=PROMISES)
"""
PLACER = """
from gridproof_implementation.live.agent import serve
def place(keys, nodes):
    names = [node["name"] for node in nodes]
    firsts = [hash_of(key) % len(names) for key in keys]
    return {"placed": [[names[first], names[(first + 1) % len(names)]] for first in firsts]}
def hash_of(key): return int(key[-8:], 16)
if __name__ == "__main__":
    serve("toy-ring", "0.1", place, kind="placer", copies=2, promises=PROMISES)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    manifest = {"name": "mine", "command": [sys.executable, "agent.py"]}
    (tmp_path / "mine" / "adapter.json").write_text(json.dumps(manifest))
    return tmp_path / "mine"


def write(folder: Path, agent: str, *changes: tuple[str, str], promised: str) -> None:
    promises = {promised: {"word": "promised", "source": "its page"}}
    for old, new in changes:
        assert old in agent
        agent = agent.replace(old, new)
    (folder / "agent.py").write_text(agent.replace("PROMISES", repr(promises)))


def test_a_router_is_audited_by_the_lines(gridproof: CommandLine, folder: Path) -> None:
    write(folder, ROUTER, promised="partition-in-range")

    done = gridproof("check", "--system", folder, "--json")

    verdicts = {one["property"]: one for one in done.json["verdicts"]}
    assert (done.status, done.json["version"]) == (0, "1.2")
    assert verdicts["partition-in-range"]["compared"] > 100_000
    assert verdicts["key-to-partition"]["verdict"] == "broken"


def test_a_placer_is_audited_by_the_lines(gridproof: CommandLine, folder: Path) -> None:
    write(folder, PLACER, promised="one-replica-per-member")

    done = gridproof("check", "--system", folder, "--json")

    assert done.status == 0
    assert {one["property"]: one["compared"] for one in done.json["verdicts"]}["one-replica-per-member"] == 60_000


def test_a_placer_that_names_a_node_twice_breaks_its_promise(gridproof: CommandLine, folder: Path) -> None:
    write(folder, PLACER, ("(first + 1)", "first"), promised="one-replica-per-member")

    assert gridproof("check", "--system", folder).status == 1


@pytest.mark.parametrize(
    ("agent", "change", "expected"),
    [
        (
            PLACER,
            ("names = [", "raise ValueError('no ring') or ["),
            "the agent cannot be asked to place: ValueError: no ring",
        ),
        (PLACER, ("names[first], ", "'elsewhere', "), "it must be the name of a node given"),
        (PLACER, ('{"placed": ', '{"put": '), 'an answer of agent to place that is wrong: "placed" is missing'),
        (
            PLACER,
            ("for first in firsts", "for first in firsts[1:]"),
            "returned 19,999 sequences of names; it must be 20,000",
        ),
        (PLACER, ("def place", "raise SystemExit('no such city')\ndef place"), "no such city"),
        (PLACER, ('"placer"', '"router"'), "is a router and does not offer partitions_of"),
        (PLACER, ('"placer"', '"ring"'), "kind must be router or placer or grid, not 'ring'"),
        (ROUTER, ('kind="router"', 'key_types=["string"]'), "does not offer start, which every audit needs"),
        (ROUTER, ('kind="router"', 'kind="router", key_types=["text"]'), "key_types[0] must be string or char or"),
    ],
    ids=lambda one: "" if isinstance(one, str) else one[1][:20],
)
def test_what_is_wrong_is_one_line(
    gridproof: CommandLine, folder: Path, agent: str, change: tuple[str, str], expected: str
) -> None:
    write(folder, agent, change, promised="one-replica-per-member")

    done = gridproof("check", "--system", folder)

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert expected in done.err


def test_what_is_no_member_of_a_grid_is_not_tested_as_one(gridproof: CommandLine, folder: Path) -> None:
    write(folder, ROUTER, promised="partition-in-range")

    done = gridproof("adapter", "test", folder)

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "the agent of toy-client is a router, and no member of a grid" in done.err
