"""One scenario, two worlds: each field is followed by real members, or refused by its name."""

from dataclasses import fields, replace
from typing import Any

import pytest

from gridproof_implementation.adapter import Adapter, Kind, Options, Traits
from gridproof_implementation.live.answers import Hello
from gridproof_implementation.live.configured import structure_flags
from gridproof_implementation.live.draw import (
    IN_OWN_TIME,
    LiveDrawOptions,
    draw_live_scenario,
    group_of,
    options_of,
    why_not_followed,
)
from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
from gridproof_implementation.live.operations import NEEDED
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script, StreamJob
from gridproof_model.groups import GroupType
from gridproof_model.trace import OperationKind


def nobody(_: Options) -> Any:
    raise AssertionError


KINDS = frozenset(kind for kinds in NEEDED.values() for kind in kinds)
PLAIN = Adapter("plain", "agents that offer what every one does", Kind.GRID, nobody, repeatable=False)
WHOLE = replace(PLAIN, name="whole", takes_config=True)
OFFERS_LITTLE = Hello("plain", "1", frozenset(), None, {}, Traits(), {}, frozenset())
OFFERS_ALL = replace(
    OFFERS_LITTLE, offers=frozenset({"lite", "groups", "put_many"}), operations=KINDS - {OperationKind.PUT_IF_ABSENT}
)
OFFERS_EVERYTHING = replace(
    OFFERS_LITTLE, offers=frozenset({"put_many", "remove"}), operations=KINDS | set(OperationKind)
)


def work(use: str, kind: OperationKind) -> tuple[Script, ...]:
    return (Script((ClientOperation(use, kind, f"{use}-1", "v"),)),)


def many(kind: OperationKind, keys: str, values: str) -> tuple[Script, ...]:
    return (Script((ClientOperation("entries", kind, keys, values),)),)


def struck(fault: FaultEvent) -> tuple[Script, ...]:
    return (Script((), (fault,)),)


FOLLOWED: dict[str, Any] = {
    "seed": 7,
    "members": 5,
    "sync_backups": 2,
    "async_backups": 1,
    "partition_count": 11,
    "workload": "counter",
    "scripts": work("queue", OperationKind.POLL),
    "lite": (2,),
    "zones": 2,
    "grouping": GroupType.NODE_AWARE.value,
    "properties": (("hazelcast.partition.backup.sync.interval", "5"),),
    "merge_policy": "LatestUpdateMergePolicy",
    "quorum": 2,
    "protect_on": "WRITE",
}
REFUSED: dict[str, Any] = {
    "arranged": False,
    "job": StreamJob(1, 0),
    "latency": "uniform(1ms, 2ms)",
    "placement": "hrw",
    "away": 1,
}
NOT_OFFERED = ("lite", "zones", "properties", "merge_policy", "quorum")


def test_every_field_of_a_scenario_is_followed_refused_or_about_the_simulated_clock() -> None:
    assert {one.name for one in fields(Scenario)} == FOLLOWED.keys() | REFUSED.keys() | set(IN_OWN_TIME)


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_fleet_follows(name: str) -> None:
    assert why_not_followed(replace(Scenario(0), **{name: FOLLOWED[name]}), WHOLE, OFFERS_ALL) is None


@pytest.mark.parametrize("name", REFUSED)
def test_a_fleet_refuses_by_name(name: str) -> None:
    found = why_not_followed(replace(Scenario(0), **{name: REFUSED[name]}), WHOLE, OFFERS_ALL)

    assert found is not None
    assert found.startswith(name)


@pytest.mark.parametrize("name", NOT_OFFERED)
def test_what_an_agent_does_not_offer_is_refused_by_name(name: str) -> None:
    found = why_not_followed(replace(Scenario(0), **{name: FOLLOWED[name]}), PLAIN, OFFERS_LITTLE)

    assert found is not None
    assert found.startswith(f"{name} is ")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"members": 0}, "members is 0"),
        ({"lite": (0, 1, 2)}, "lite names every member"),
        ({"lite": (3,)}, r"lite is \(3,\): write addresses from 0 to 2"),
        ({"quorum": 4}, "quorum is 4: write 0 to 3"),
        ({"scripts": work("cells", OperationKind.PUT_IF_ABSENT)}, "client_operations ask for put-if-absent, which"),
        ({"scripts": many(OperationKind.REMOVE, "a b", "")}, "client_operations ask for remove, which"),
        ({"scripts": many(OperationKind.READ, "a b", "")}, "read of 'a b' needs one key"),
        ({"scripts": many(OperationKind.WRITE, "", "")}, "write of '' needs one key"),
        ({"scripts": many(OperationKind.WRITE, "a b", "v")}, "write of 'a b' needs one value for each key, not 1"),
        ({"scripts": struck(FaultEvent("split", 0, 9, (-1,)))}, "split names the member at address -1; addresses"),
        ({"scripts": struck(FaultEvent("crash", 0, 9, (0, 1)))}, "fault_events: crash needs exactly one address"),
        ({"scripts": struck(FaultEvent("pause", 0, 9, (0,), 5))}, "cannot be given pause of amount 5"),
        ({"scripts": struck(FaultEvent("crash", 0, 9, (0,), step="put"))}, "step and share of crash apply to"),
        ({"scripts": struck(FaultEvent("crash", -1, 9, (0,)))}, "crash at -1 ms for 9 ms: write times"),
    ],
)
def test_what_no_fleet_can_play_is_one_line(change: dict[str, Any], expected: str) -> None:
    found = why_not_followed(replace(Scenario(0), **change), WHOLE, OFFERS_ALL)

    with pytest.raises(ValueError, match=expected):
        raise ValueError(found)


@pytest.mark.parametrize(
    ("members", "hello", "expected"),
    [
        (4, replace(OFFERS_ALL, traits=Traits(founders=3, bound=True)), "with --backups 1 needs 6 to start"),
        (6, replace(OFFERS_ALL, traits=Traits(founders=3, bound=True)), None),
        (3, replace(OFFERS_ALL, partitions=16_384), "partition_count is 7: whole has 16384"),
    ],
)
def test_sizes_are_those_that_the_system_has(members: int, hello: Hello, expected: str | None) -> None:
    found = why_not_followed(Scenario(0, members=members), WHOLE, hello)

    assert found == expected if expected is None or found is None else expected in found


@pytest.mark.parametrize("use", NEEDED)
def test_a_fleet_whose_agent_offers_everything_follows_what_is_drawn_of_a_workload(use: str) -> None:
    drawn = draw_live_scenario(
        3, LiveDrawOptions(3, 1, 0, 7, patience_ms=200, faults=(), networked=False, workload=use)
    )

    assert why_not_followed(drawn, PLAIN, OFFERS_EVERYTHING) is None


def test_a_write_of_several_entries_is_refused_where_the_agent_does_not_offer_it() -> None:
    several = Scenario(0, scripts=many(OperationKind.WRITE, "a b", "v w"))

    assert "ask for put_many, which" in (why_not_followed(several, PLAIN, OFFERS_LITTLE) or "")


def test_options_say_what_the_scenario_says() -> None:
    whole = replace(Scenario(0), **FOLLOWED)
    options = options_of(whole, WHOLE, OFFERS_ALL, Options())

    assert (options.seed, options.member_count, options.backup_count, options.async_backup_count) == (7, 5, 3, 1)
    assert options.config is not None
    assert options.is_grouped
    assert options.config.properties.texts[-1] == ("hazelcast.partition.count", "11")
    assert [group_of(whole, index) for index in range(3)] == ["zone-0", "zone-1", "zone-0"]
    assert structure_flags(options) == [
        "-Dgridproof.merge.policy=com.hazelcast.spi.merge.LatestUpdateMergePolicy",
        "-Dgridproof.quorum=2",
        "-Dgridproof.protect.on=WRITE",
    ]


def test_a_plain_scenario_leaves_members_as_they_come() -> None:
    options = options_of(Scenario(0), WHOLE, OFFERS_ALL, Options())

    assert (options.config, options.structure, structure_flags(options)) == (None, None, [])


def test_a_cut_at_an_address_where_nobody_is_cuts_nobody() -> None:
    class Nowhere(list[int]):
        def hosts(self, address_indices: tuple[int, ...]) -> list[int]:
            return [index for index in address_indices if index < len(self)]

    addresses: Any = Nowhere([0, 1])

    assert LIVE_FAULTS_BY_NAME["split"].inject(addresses, FaultEvent("split", 0, 9, (7,))) is None
    assert LIVE_FAULTS_BY_NAME["slow-link"].inject(addresses, FaultEvent("slow-link", 0, 9, (7,))) is None
