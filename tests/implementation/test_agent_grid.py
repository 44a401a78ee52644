"""The port of a grid over agents."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gridproof_implementation.adapter import (
    Ability,
    AdapterError,
    AdapterFailure,
    CannotSayError,
    Options,
    ReplicaContent,
    Traits,
)
from gridproof_implementation.live.agent_grid import AgentGrid, open_agents
from gridproof_implementation.live.process import Launch
from gridproof_model.groups import CUT
from gridproof_model.trace import Outcome

AGENT = """
import os, sys, time
from gridproof_implementation.live.agent import ok, refused, serve, unknown
me, everybody, data, traits = "", [], {}, {}
def start(name, port, seeds, **fields):
    global me
    me = name
    everybody.extend([f"member-{i + 1:02d}" for i in range(len(seeds))] + [name])
    return {"member": name, "address": f"127.0.0.1:{port}", "group": fields.get("group") or "left"}
def table(): return {"member": me, "rows": [[me, None], ["member-01", "elsewhere"]], "versions": [3, None]}
def settled(): return {"member": me, "members": everybody, "why": None, "stamp": 1}
def partition(key): return {"partition": 1, "owner": "member-01"}
def put(key, value): data[key] = value; return ok(confirmed=2, executed_by=me)
def get(key): return ok(value=data.get(key))
def copy(p): return {"partition": p, "role": "backup", "entries": data}
def replicas(partitions=(0, 1)): return {"copies": [copy(p) for p in partitions if p]}
def leave(): return {"done": True}
verbs = [start, table, settled, partition, put, get, replicas, leave]
"""
SERVE = "\nserve('toy', '1.0', *verbs, **traits)"


@contextmanager
def opened(change: str = "", members: int = 1, deadline_s: float = 15) -> Iterator[AgentGrid]:
    """A grid of agents, changed in one place."""
    launch = Launch((sys.executable, "-c", AGENT + change + SERVE))
    with open_agents(launch, Options(partition_count=2), deadline_s) as grid:
        for _ in range(members):
            grid.start_member()
        yield grid


def test_version_and_what_is_offered_are_known_before_a_member_runs() -> None:
    with opened("traits['partitions'] = 7", members=0) as grid:
        assert (grid.version, grid.partition_count) == ("1.0", 7)
        assert grid.abilities == {Ability.CRASH, Ability.LEAVE, Ability.REPLICAS}
        assert grid.members() == ()


def test_rows_name_members_by_what_the_system_calls_them() -> None:
    with opened(members=2) as grid:
        first, second = grid.members()
        rows = grid.view_table(second)

        assert rows[0].slots == (second.id, None)
        assert rows[1].slots[0] == first.id
        assert [row.version for row in rows] == [3, None]


def test_a_table_has_a_row_for_each_partition() -> None:
    with opened("traits['partitions'] = 7") as grid, pytest.raises(AdapterError, match="has 2 rows, but the grid has"):
        grid.view_table(grid.members()[0])


def test_a_name_that_no_member_has_is_a_member_of_its_own() -> None:
    with opened() as grid:
        stranger = grid.view_table(grid.members()[0])[1].slots[1]

        assert stranger not in {None, grid.members()[0].id}
        assert grid.view_table(grid.members()[0])[1].slots[1] == stranger


def test_a_member_that_is_renamed_stays_the_same_member() -> None:
    renamed = """
def table():
    global me
    me = "again"
    return {"member": me, "rows": [[me], ["member-01"]]}
verbs[1] = table"""
    with opened(renamed) as grid:
        assert {row.slots for row in grid.view_table(grid.members()[0])} == {(grid.members()[0].id,)}


def test_the_group_is_the_one_the_agent_reports() -> None:
    with opened() as grid:
        assert grid.group_of(grid.members()[0]) == "left"


def test_a_lone_group_is_cut_in_two_until_another_group_joins() -> None:
    """Members of one zone back each other up (placement.7), and none says in which half it is."""
    with opened("def groups(): pass\nverbs.append(groups)", members=0) as grid:
        first = grid.start_member(group="left")
        assert grid.group_of(first) == "left"
        second = grid.start_member(group="left")
        assert grid.group_of(first) == grid.group_of(second) == f"left{CUT}"
        grid.start_member(group="right")
        assert grid.group_of(first) == "left"


@pytest.mark.parametrize(
    ("body", "outcome", "detail"),
    [
        ("return ok()", Outcome.OK, ""),
        ("return refused('no quorum')", Outcome.REFUSED, "no quorum"),
        ("return unknown('timeout')", Outcome.UNKNOWN, "timeout"),
        ("raise OSError('broken')", Outcome.UNKNOWN, "OSError: broken"),
        ("time.sleep(9)", Outcome.UNKNOWN, "no answer within"),
        ("os._exit(1)", Outcome.UNKNOWN, "it ended (exit status 1)"),
    ],
)
def test_in_doubt_the_outcome_of_a_write_is_unknown(body: str, outcome: Outcome, detail: str) -> None:
    with opened(f"\ndef put(key, value): {body}\nverbs[4] = put", deadline_s=0.5) as grid:
        answer = grid.write("k", "v")

        assert answer.outcome is outcome
        assert detail in answer.detail


def test_an_acknowledgement_says_its_copies_and_who_executed_it() -> None:
    with opened() as grid:
        answer = grid.write("k", "v")

        assert (answer.confirmed_copies, answer.executed_by) == (2, grid.members()[0].id)


def test_a_read_goes_to_the_owner_unless_stated_otherwise() -> None:
    with opened(members=2) as grid:
        first, second = grid.members()

        assert grid.read("k").member == first.id
        assert grid.read("k", through=second).member == second.id


@pytest.mark.parametrize(
    ("at_owner", "outcome"), [("None", Outcome.OK), ("'there'", Outcome.UNKNOWN)], ids=["agrees", "has it"]
)
def test_an_absence_that_another_has_to_confirm_counts_only_then(at_owner: str, outcome: Outcome) -> None:
    asks = f"""
def get(key): return ok(value={at_owner}) if me == "member-01" else ok(value=None, confirm="member-01")
verbs[5] = get"""
    with opened(asks, members=2) as grid:
        answer = grid.read("k", through=grid.members()[1])

        assert (answer.outcome, answer.value) == (outcome, None)


def test_all_copies_of_a_member_come_in_one_answer() -> None:
    with opened() as grid:
        grid.write("k", "v")
        (member,) = grid.members()

        assert grid.read_replicas(member) == {1: ReplicaContent("backup", None, {"k": "v"})}
        assert grid.read_replica(member, 0) is None


def test_not_to_know_what_a_member_holds_is_not_to_hold_nothing() -> None:
    blind = "\ndef replicas(partitions=()): return {'copies': [], 'unknown': [1]}\nverbs[6] = replicas"
    expected = "member-01 cannot show its entries of partition 1"
    with opened(blind) as grid, pytest.raises(CannotSayError, match=expected):
        grid.read_replica(grid.members()[0], 1)


@pytest.mark.parametrize(
    ("settled", "why"),
    [
        ("'members': everybody, 'why': None, 'stamp': 1", None),
        ("'members': [], 'why': None", "member-01 lists no member, but member-01, member-02 run"),
        ("'members': everybody, 'why': 'it moves'", "member-01: it moves"),
        ("'members': everybody, 'why': None, 'stamp': me", "the table of member-02 differs from that of member-01"),
    ],
)
def test_rest_is_every_member_at_rest_with_the_same_members_and_table(settled: str, why: str | None) -> None:
    change = "everybody[:] = []\ndef settled(): everybody[:] = ['member-01', 'member-02']; return {'member': me, %s}\n"
    with opened(change % settled + "verbs[2] = settled", members=2) as grid:
        assert grid.why_unsettled() == why


def test_a_member_that_does_not_answer_is_no_rest() -> None:
    with opened("\ndef settled(): raise ValueError('busy')\nverbs[2] = settled") as grid:
        assert grid.why_unsettled() == "member-01 does not answer: ValueError: busy"


def test_a_wrong_answer_is_one_line_that_names_verb_and_field() -> None:
    with opened("\ndef table(): return {'member': me, 'rows': 3}\nverbs[1] = table") as grid:
        expected = r"^got a wrong answer of member-01 to table: rows must be a list, not 3; see docs/"
        with pytest.raises(AdapterFailure, match=expected):
            grid.view_table(grid.members()[0])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("verbs.remove(table)", "the agent of toy does not offer table, which every audit needs"),
        ("print('hello', flush=True); os._exit(4)", r"no valid hello: it ended \(exit status 4\).* it said 'hello'"),
        ("1 / 0", "sent no valid hello: it ended .* ZeroDivisionError: division by zero"),
        ("traits['partitions'] = 0", "got a wrong answer of member-01 to hello: partitions must be a whole number"),
    ],
)
def test_an_agent_that_cannot_be_used_is_one_line(change: str, expected: str) -> None:
    with pytest.raises(AdapterError, match=expected) as raised, opened("\n" + change, members=0):
        pass
    assert "\n" not in str(raised.value)


def test_what_is_not_offered_is_refused_in_words() -> None:
    with opened(members=0) as grid:
        with pytest.raises(AdapterError, match="toy has no lite members; start an ordinary data member instead"):
            grid.start_member(lite=True)
        with pytest.raises(AdapterError, match="toy has no groups"):
            grid.start_member(group="a")


def test_members_listen_on_ports_of_their_own() -> None:
    with opened(members=2) as grid:
        addresses = {member.id.address for member in grid.members()}

        assert len(addresses) == 2
        assert {address.host for address in addresses} == {"127.0.0.1"}


def test_who_crashes_or_leaves_is_no_member_any_more() -> None:
    with opened(members=3) as grid:
        first, second, third = grid.members()
        grid.crash(first)
        grid.leave(second)

        assert grid.members() == (third,)


FOUNDER = """
traits["founders"], traits["bound"] = 3, True
def start(name, host, port, founders, seeds, **fields):
    global me
    me = name
    everybody[:] = [*founders, *seeds]
    return {"member": name, "address": f"{host}:{port}"}
verbs[0] = start
def found(founders, backups): data["found"] = str(len(founders)) + str(backups); return {"done": True}
verbs.append(found)
def repair(): data["repaired"] = "yes"; return {"done": True}
verbs.append(repair)
"""


def test_founders_start_at_once_and_the_first_founds_the_grid() -> None:
    with opened(FOUNDER, members=0) as grid:
        founders = grid.start_founders()

        assert grid.traits == Traits(founders=3, bound=True, at_once=True)
        assert len(founders) == len({member.id.address for member in founders}) == 6
        assert grid.read("found", through=founders[0]).value == "61"
        assert grid.read("found", through=founders[1]).value is None


def test_a_founder_that_is_started_again_is_given_the_founders_again() -> None:
    counts = "data['founders'] = str(len(founders))\n    everybody[:]"
    with opened(FOUNDER.replace("everybody[:]", counts), members=0) as grid:
        first, *_ = grid.start_founders()
        grid.crash(first)
        again = grid.start_again(first)
        newcomer = grid.start_member()

        assert [grid.read("founders", through=member).value for member in (again, newcomer)] == ["6", "0"]


def test_a_repair_is_asked_of_the_oldest_member() -> None:
    with opened(FOUNDER, members=0) as grid:
        first, second, *_ = grid.start_founders()
        grid.repair_copies()

        assert [grid.read("repaired", through=member).value for member in (first, second)] == ["yes", None]
        assert Ability.REPAIR in grid.abilities


def test_nobody_joins_a_fixed_grid_after_its_founders() -> None:
    with opened(FOUNDER + "traits['fixed'] = True\n", members=0) as grid:
        grid.start_founders()

        with pytest.raises(AdapterError, match="toy takes no members after its first members"):
            grid.start_member()
