"""What clients ask for, and its records."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_model import grid_properties as known
from gridproof_model.events.conditions import StructureForgotten
from gridproof_model.trace import EventRecord, OperationKind, OperationRecord, Outcome
from tests.implementation.simulator.worlds import operations_of, run_of, short_scenario

KIND = OperationKind


def done(
    *client_operations: ClientOperation, fault_events: tuple[FaultEvent, ...] = (), **grid: object
) -> Sequence[OperationRecord]:
    """Return what a run records of some operations of one client, one after another."""
    use = "+".join(dict.fromkeys(client_operation.use for client_operation in client_operations))
    scenario = replace(short_scenario(), workload=use, scripts=(Script(client_operations, fault_events),), **grid)  # type: ignore[arg-type]
    _, records = run_of(scenario)
    return [operation for operation in operations_of(records) if operation.stage == "busy 1"]


def test_an_entry_is_set_where_it_is_absent_and_only_there() -> None:
    first, second = done(
        ClientOperation("cells", KIND.PUT_IF_ABSENT, "cells-0", "v0"),
        ClientOperation("cells", KIND.PUT_IF_ABSENT, "cells-0", "v1"),
    )

    assert (first.value, first.answer) == ("v0", None)
    assert (second.value, second.answer) == ("v1", "v0")


def test_a_comparison_says_what_was_expected_and_whether_it_held() -> None:
    _, held, missed, removed, there = done(
        ClientOperation("cells", KIND.PUT_IF_ABSENT, "cells-0", "v0"),
        ClientOperation("cells", KIND.COMPARE_AND_SET, "cells-0", "v1", expected="v0"),
        ClientOperation("cells", KIND.COMPARE_AND_SET, "cells-0", "v2", expected="v0"),
        ClientOperation("cells", KIND.COMPARE_AND_REMOVE, "cells-0", expected="v1"),
        ClientOperation("cells", KIND.CONTAINS, "cells-0"),
    )

    assert [(one.value, one.expected, one.answer) for one in (held, missed, removed)] == [
        ("v1", "v0", "true"), ("v2", "v0", "false"), (None, "v1", "true"),
    ]  # fmt: skip
    assert there.value == "false"


def test_a_set_says_what_changed_and_what_is_in_it() -> None:
    inserted, again, discarded, read = done(
        ClientOperation("sets", KIND.INSERT, "sets-0", "b"),
        ClientOperation("sets", KIND.INSERT, "sets-0", "a"),
        ClientOperation("sets", KIND.DISCARD, "sets-0", "c"),
        ClientOperation("sets", KIND.READ, "sets-0"),
    )

    assert [one.answer for one in (inserted, again, discarded)] == ["true", "true", "false"]
    assert read.value == "a b"


def test_entries_are_counted_and_cleared_in_one_call() -> None:
    operations = done(
        ClientOperation("entries", KIND.WRITE, "entries-0 entries-1 entries-2", "v0 v1 v2"),
        ClientOperation("entries", KIND.SIZE, "entries"),
        ClientOperation("entries", KIND.REMOVE, "entries-0 entries-1 entries-2"),
        ClientOperation("entries", KIND.SIZE, "entries"),
    )

    assert [one.value for one in operations if one.kind is KIND.SIZE] == ["3", "0"]
    assert [one.key for one in operations if one.kind is KIND.REMOVE] == ["entries-0", "entries-1", "entries-2"]


def test_structures_of_a_kind_hold_entries_of_their_own() -> None:
    operations = done(
        ClientOperation("entries", KIND.WRITE, "entries.2-0", "v0"),
        ClientOperation("entries", KIND.SIZE, "entries"),
        ClientOperation("entries", KIND.SIZE, "entries.2"),
    )

    assert [one.value for one in operations if one.kind is KIND.SIZE] == ["0", "1"]


def test_a_structure_that_is_destroyed_is_forgotten_and_made_again() -> None:
    scenario = short_scenario().with_scripts(
        (
            Script(
                (
                    ClientOperation("register", KIND.WRITE, "register-0", "v0"),
                    ClientOperation("register", KIND.DESTROY, "register-0 register-1", pause_ms=50),
                    ClientOperation("register", KIND.READ, "register-0", pause_ms=50),
                    ClientOperation("register", KIND.WRITE, "register-0", "v1"),
                    ClientOperation("register", KIND.READ, "register-0"),
                )
            ),
        )
    )
    _, records = run_of(scenario)

    operations = [one for one in operations_of(records) if one.stage == "busy 1"]
    ends = [one for one in operations if one.kind is KIND.DESTROY]
    forgotten = [r for r in records if isinstance(r, EventRecord) and isinstance(r.event, StructureForgotten)]
    assert [(one.key, one.outcome, one.reason) for one in ends] == [
        ("register-0", Outcome.UNKNOWN, "nobody answers"), ("register-1", Outcome.UNKNOWN, "nobody answers"),
    ]  # fmt: skip
    assert [one.value for one in operations if one.kind is KIND.READ] == [None, "v1"]
    assert {one.event for one in forgotten} == {StructureForgotten(member, "map:register") for member in range(3)}


def test_a_backup_may_answer_a_read_and_vouches_for_no_copies() -> None:
    write, read = done(
        ClientOperation("register", KIND.WRITE, "register-0", "v0"),
        ClientOperation("register", KIND.READ_BACKUP, "register-0"),
    )

    assert (read.kind, read.value, read.outcome) == (KIND.READ_BACKUP, "v0", Outcome.OK)
    assert write.confirmed_copies == 2


@pytest.mark.parametrize("key", ["safety-cluster", "safety-member", "safety-forced"])
def test_a_grid_at_rest_says_that_it_is_safe(key: str) -> None:
    write, asked = done(
        ClientOperation("register", KIND.WRITE, "register-0", "v0"),
        ClientOperation("safety", KIND.ASK_SAFE, key, "5000000", pause_ms=3_000),
    )

    assert write.outcome is Outcome.OK
    assert (asked.key, asked.value, asked.partition) == (key, "true", None)


def test_a_member_says_what_keeps_it_from_being_safe() -> None:
    asked = done(
        *(ClientOperation("safety", KIND.ASK_SAFE, "safety-member", pause_ms=20) for _ in range(20)),
        fault_events=(FaultEvent("crash", 10, 60_000, (1,)),),
    )

    assert "replica not in sync" in {one.answer for one in asked}


def test_a_call_that_finds_no_room_is_refused_and_says_why() -> None:
    crowd = tuple(
        ClientOperation("register", KIND.WRITE, f"register-{number}", f"v{number}", client=number)
        for number in range(12)
    )
    properties = {
        **dict(short_scenario().properties),
        known.BACKPRESSURE_ENABLED.name: "true",
        known.BACKPRESSURE_MAX_INVOCATIONS.name: "1",
        known.BACKPRESSURE_BACKOFF_TIMEOUT.name: "0",
    }
    scenario = Scenario(3, members=1, partition_count=1, properties=tuple(properties.items()))

    _, records = run_of(scenario.with_scripts((Script(crowd),)))
    refused = [one for one in operations_of(records) if one.outcome is Outcome.REFUSED]

    assert {one.reason for one in refused} == {"overload"}


def test_what_a_member_took_along_is_unknown_and_says_so() -> None:
    writes = tuple(ClientOperation("register", KIND.WRITE, f"register-{n}", f"v{n}", 1, 10) for n in range(40))
    unknown = [
        one.reason
        for one in done(
            *writes, fault_events=(FaultEvent("slow", 0, 5_000, (0,), 30_000), FaultEvent("restart", 205, 0, (1,)))
        )
        if one.outcome is Outcome.UNKNOWN
    ]

    assert unknown == ["the member asked has ended"]
