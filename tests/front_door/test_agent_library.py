"""A router and a placement library in a file that speaks the lines."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from gridproof_implementation.adapter import Options
from gridproof_implementation.live import agent as agent_module
from gridproof_implementation.live.folders import MANIFEST, adapter_in
from gridproof_properties.audits.conformance import Extent, check_conformance
from gridproof_properties.audits.grid import GridPlan
from gridproof_properties.judging.verdict import Result
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
    assert verdicts["partition-in-range"]["compared"] > 1_000
    assert verdicts["key-to-partition"]["verdict"] == "broken"


def test_a_placer_is_audited_by_the_lines(gridproof: CommandLine, folder: Path) -> None:
    write(folder, PLACER, promised="one-replica-per-member")

    done = gridproof("check", "--system", folder, "--json")

    assert done.status == 0
    assert {one["property"]: one["compared"] for one in done.json["verdicts"]}["one-replica-per-member"] == 9_000


def test_a_placer_that_names_a_node_twice_breaks_its_promise(gridproof: CommandLine, folder: Path) -> None:
    write(folder, PLACER, ("(first + 1)", "first"), promised="one-replica-per-member")

    assert gridproof("check", "--system", folder).status == 1


@pytest.mark.parametrize(
    ("agent", "change", "expected"),
    [
        (
            PLACER,
            ("names = [", "raise ValueError('no ring') or ["),
            "the agent failed to answer place: ValueError: no ring",
        ),
        (PLACER, ("names[first], ", "'elsewhere', "), "it must be the name of a node given"),
        (PLACER, ('{"placed": ', '{"put": '), 'got a wrong answer of agent to place: "placed" is missing'),
        (
            PLACER,
            ("for first in firsts", "for first in firsts[1:]"),
            "returned 2,999 sequences of names; it must return 3,000",
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


OWN_RULE = ('kind="router"', 'kind="router", own_rule="a sum"')
SALTED = ('sum(form.encode("utf-16-le", "surrogatepass"))', "hash(form)")
"""Python's own hash of a text is another one in each process."""


@pytest.mark.parametrize(
    ("changes", "verdict", "sentence"),
    [
        ((OWN_RULE,), "holds", "are on the partition of the system's own rule"),
        ((OWN_RULE, SALTED), "broken", "are on another partition than documented"),
    ],
    ids=["a rule", "a salt"],
)
def test_a_rule_of_ones_own_is_held_against_another_process(
    gridproof: CommandLine, folder: Path, changes: tuple[tuple[str, str], ...], verdict: str, sentence: str
) -> None:
    write(folder, ROUTER, *changes, promised="key-to-partition")

    done = gridproof("check", "--system", folder, "--json")

    (found,) = [one for one in done.json["verdicts"] if one["property"] == "key-to-partition"]
    assert (found["verdict"], done.status) == (verdict, 0 if verdict == "holds" else 1)
    assert sentence in found["sentence"]
    assert re.search(r" 0 of (them|the [\d,]+ keys are) boundary keys", found["sentence"])


@pytest.mark.parametrize(
    ("agent", "changes", "complaint"),
    [
        (ROUTER, (), ""),
        (ROUTER, (SALTED,), "by one process and to"),
        (ROUTER, (("% count", "% count + 1"),), "is sent to partition 1 of 1"),
        (ROUTER, (("in keys]}", "in keys] + [1]}"),), "the agent gave 61 answers for 60 keys"),
        (
            ROUTER,
            (("[sum", "['no' and str(sum"), ("% count for", "% count) for")),
            "every one of 60 such keys is refused",
        ),
        (PLACER, (), ""),
        (PLACER, (("int(key[-8:], 16)", "hash(key)"),), "by one process and to"),
        (PLACER, (("int(key[-8:], 16)", "len(key)"), ("(first + 1)", "first")), "copies is 2, each on another node"),
        (PLACER, (("int(key[-8:], 16)", "len(key)"), ("names[first], ", "'elsewhere', ")), "which is no node"),
    ],
)
def test_a_router_and_a_placer_are_tested_before_they_are_audited(
    gridproof: CommandLine, folder: Path, agent: str, changes: tuple[tuple[str, str], ...], complaint: str
) -> None:
    changes = changes if agent is ROUTER or changes else (("int(key[-8:], 16)", "len(key)"),)
    write(folder, agent, *changes, promised="partition-in-range" if agent is ROUTER else "one-replica-per-member")

    done = gridproof("adapter", "test", folder)

    assert done.status == (1 if complaint else 0)
    assert complaint in done.out


DISAGREES = ("toy.partition_of(key),", "(toy.partition_of(key) + (toy.name == 'member-02')) % 271,")


@pytest.mark.parametrize(
    ("changes", "expected"), [((), Result.HOLDS), ((DISAGREES,), Result.BROKEN)], ids=["one", "two"]
)
def test_members_with_a_rule_of_their_own_are_held_against_each_other(
    folder: Path, changes: tuple[tuple[str, str], ...], expected: Result
) -> None:
    live = Path(agent_module.__file__).parent
    shutil.copytree(live / "skeletons" / "python", folder, dirs_exist_ok=True)
    shutil.copy(live / "agent.py", folder / "gridproof_agent.py")
    text = (folder / "agent.py").read_text()
    promised = ("PROMISES = {", 'PROMISES = {"key-to-partition": {"word": "promised", "source": "its page"},')
    for old, new in (*changes, promised, ("promises=PROMISES)", 'own_rule="MD5", promises=PROMISES)')):
        assert old in text
        text = text.replace(old, new)
    (folder / "agent.py").write_text(text)
    extent = Extent(GridPlan(key_count=12, many_calls=0, quiet_ms=1))

    verdicts = check_conformance(adapter_in(folder / MANIFEST), Options(member_count=3), extent=extent)

    assert {one.property: one.result for one in verdicts}["key-to-partition"] is expected
