"""Kinds of systems that an auditor met, each as a toy: what they are right to do is not held against them.

Others of the kinds have tests elsewhere: a grid that loses under a cut and promises nothing of it, or does, in
`test_own_word.py`; founders that start again, one partition and no leader in `test_agent_check.py` and
`test_agent_helpers.py`; a router in one file of another language in `test_adapter_command.py`; another rule from key to
partition in `test_agent_library.py`.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gridproof_implementation.adapter import HALF_A_MINUTE, Traits, WriteAnswer
from gridproof_model.events.conditions import StatedTable
from gridproof_model.membership import Member, MemberId
from tests.front_door.command_line import CommandLine
from tests.properties.honest_grid import HonestGrid, adapter_of

RING = """
from gridproof_implementation.live.agent import serve
def place(keys, nodes):
    return {"placed": [row(int(key[-8:], 16), [node["name"] for node in nodes], nodes) for key in keys]}
ROW
if __name__ == "__main__":
    serve("toy-ring", "1", place, **HELLO)
"""
UNEVEN = """
def row(number, names, nodes):
    extra = SHARE if number % len(names) else 0
    return [names[0] if number // len(names) % 100 < extra else names[number % len(names)]]
"""
"""The first node takes SHARE % of what belongs to each of the others."""
APART = """
def row(number, names, nodes):
    first = number % len(names)
    others = [node["name"] for node in nodes[first:] + nodes[:first] if node["zone"] != nodes[first]["zone"]]
    return [names[first], others[0]]
"""
DEVICES = """
def row(number, names, nodes):
    return [names[(number + 2 * copy) % len(names)] for copy in range(3)]
"""
"""Three copies on devices in turn: a zone of three in seven has two of them now and then."""


def ring(folder: Path, row: str, promised: Sequence[str], **hello: Any) -> Path:
    promises = {name: {"word": "promised", "source": "its page"} for name in promised}
    said = {"kind": "placer", "promises": promises, **hello}
    (folder / "agent.py").write_text(RING.replace("ROW", row).replace("HELLO", repr(said)))
    (folder / "adapter.json").write_text(json.dumps({"name": "ring", "command": [sys.executable, "agent.py"]}))
    return folder


def verdict_on(done: Any, name: str) -> str:
    return str({one["property"]: one["verdict"] for one in done.json["verdicts"]}[name])


FACTOR = {"balance_factor": 1.25, "source": "its page"}


@pytest.mark.parametrize(
    ("share", "table", "status"), [(3, FACTOR, 0), (3, None, 1), (10, FACTOR, 1)], ids=["within", "not said", "beyond"]
)
def test_a_ring_with_a_documented_factor_is_held_to_it(
    gridproof: CommandLine, tmp_path: Path, share: int, table: dict[str, object] | None, status: int
) -> None:
    row = UNEVEN.replace("SHARE", str(share))
    folder = ring(tmp_path, row, ["balance-of-primaries"], copies=1, **({} if table is None else {"table": table}))

    assert gridproof("check", "--system", folder).status == status


BY_WEIGHT = {"ranked": False, "by_weight": True, "source": "its page"}
ZONES = ("--members", "7", "--zones", "a,a,a,b,b,c,c")


@pytest.mark.parametrize(("table", "verdict"), [(BY_WEIGHT, "unknown"), (None, "broken")], ids=["said", "not said"])
def test_a_zone_that_is_due_more_than_a_copy_may_have_two(
    gridproof: CommandLine, tmp_path: Path, table: dict[str, object] | None, verdict: str
) -> None:
    said = {} if table is None else {"table": table}
    folder = ring(tmp_path, DEVICES, ["one-replica-per-member"], copies=3, separates_zones=True, **said)

    done = gridproof("check", "--system", folder, *ZONES, "--json")

    assert (done.status, verdict_on(done, "group-separation")) == (0, verdict)


@pytest.mark.parametrize(("second", "status"), [("others[0]", 0), ("names[first - 1]", 1)], ids=["apart", "lie"])
def test_a_zone_that_is_due_less_than_a_copy_has_one(
    gridproof: CommandLine, tmp_path: Path, second: str, status: int
) -> None:
    folder = ring(
        tmp_path,
        APART.replace("others[0]", second),
        ["group-separation"],
        copies=2,
        separates_zones=True,
        table=BY_WEIGHT,
    )

    assert gridproof("check", "--system", folder, *ZONES).status == status


class NeverMakesCopiesAnew(HonestGrid):
    """Best effort: who is left of a row is the row."""

    traits = Traits(fixed=True)

    def repair(self) -> None:
        gone = {member.id for member in self.crashed}
        self.arrange([tuple(one for one in row if one not in gone) for row in self.rows])
        self.publish()


class ActiveCopies(NeverMakesCopiesAnew):
    """A database of fragments: an acknowledgement means the copies that are active; others are made by command."""

    traits = Traits()

    def repair_copies(self) -> None:
        self.arrange(self._rows_without(set()))
        self.publish()

    def write_through(self, through: Member, key: str, value: str) -> WriteAnswer:
        return replace(super().write_through(through, key, value), confirmed_copies=None)


class OneActiveCopy(ActiveCopies):
    """A lie: the first copy alone is written."""

    def put(self, holder: MemberId, partition: int, key: str, value: str) -> None:
        if self.rows[partition][0] == holder:
            super().put(holder, partition, key, value)


KEPT = ("acknowledged-write-kept",)
MEANT = ("acknowledgement-means-copies",)
ACTIVE = StatedTable(active_only=True, source="its page")
BEST_EFFORT = adapter_of(NeverMakesCopiesAnew, KEPT, HALF_A_MINUTE)
FRAGMENTS = adapter_of(ActiveCopies, MEANT, HALF_A_MINUTE, table=ACTIVE)
UNSAID = adapter_of(ActiveCopies, MEANT, HALF_A_MINUTE)
LIE = adapter_of(OneActiveCopy, MEANT, HALF_A_MINUTE, table=ACTIVE)


def test_of_a_system_that_never_makes_copies_anew_nobody_says_that_it_does(gridproof: CommandLine) -> None:
    done = gridproof("check", "--system", f"{__name__}:BEST_EFFORT", "--json")

    restored = {one["property"]: one for one in done.json["verdicts"]}["redundancy-restored"]
    assert done.status == 0
    assert "a limit of the audit, as the system states none" in " ".join(restored["witness"])
    assert "the system says" not in done.out


@pytest.mark.parametrize(("name", "status"), [("FRAGMENTS", 0), ("UNSAID", 1), ("LIE", 1)])
def test_an_acknowledgement_of_active_copies_is_held_to_those(gridproof: CommandLine, name: str, status: int) -> None:
    assert gridproof("check", "--system", f"{__name__}:{name}").status == status
