"""One seed is a whole world."""

import hashlib
import os
import subprocess
import sys

import pytest

from gridproof_implementation.simulator.draw import draw_scenario, draw_scripts, span_ms
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.faults import DRAWN
from gridproof_implementation.simulator.protocol_names import protocol_steps
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.workload import Workload
from gridproof_implementation.simulator.workloads import EVERY_WORKLOAD
from gridproof_implementation.trace.json_lines import encode
from gridproof_model.events.conditions import Configured, CopiesEnded, RemovedEnded, RowChanged
from gridproof_model.events.harness import ResourcesHeld, Settled
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.replication import BackupApplied
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    Outcome,
    Record,
    RunRecord,
    ViewRecord,
)
from tests.implementation.simulator.worlds import operations_of, run_of, short_scenario

SEEDS = range(4)
PROGRAM = """
from tests.implementation.simulator.test_runs import SEEDS, fingerprint
print([fingerprint(seed) for seed in SEEDS])
"""


def fingerprint(seed: int) -> str:
    """Return a digest of every byte of a trace."""
    hasher = hashlib.sha256()
    simulate(draw_scenario(seed), lambda record: hasher.update(encode(record).encode()))
    return hasher.hexdigest()


def stages_of(records: list[Record]) -> list[str]:
    events = (record.event for record in records if isinstance(record, EventRecord))
    return [event.stage for event in events if isinstance(event, Settled)]


def test_a_seed_gives_the_same_bytes_in_every_process_whatever_its_hashes() -> None:
    def other_process(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert other_process("1") == other_process("2") == str([fingerprint(seed) for seed in SEEDS])


def test_a_run_says_what_members_have_taken_and_at_rest_that_is_nothing() -> None:
    _, records = run_of(short_scenario())

    events = [record.event for record in records if isinstance(record, EventRecord)]
    at_rest = [dict(event.counts) for event in events if isinstance(event, ResourcesHeld) and event.settled]

    assert at_rest
    assert {"sync_permits", "calls", "parked_operations"} < at_rest[0].keys()
    assert {count for counts in at_rest for count in counts.values()} == {0}


def test_other_seeds_are_other_worlds() -> None:
    assert len({fingerprint(seed) for seed in range(5)}) == 5


def test_a_draw_option_changes_nothing_else() -> None:
    plain, asked = draw_scenario(11), draw_scenario(11, DrawOptions(workload="lock"))

    assert (plain.members, plain.partition_count, plain.properties) == (
        asked.members, asked.partition_count, asked.properties,
    )  # fmt: skip


def test_draw_options_are_followed() -> None:
    scenario = draw_scenario(4, DrawOptions(members=5, sync_backups=2, faults=("pause",), workload="queue"))

    assert (scenario.members, scenario.sync_backups, scenario.workload) == (5, 2, "queue")
    assert {fault_event.fault for fault_event in scenario.fault_events()} <= {"pause"}


def test_a_calm_run_has_no_fault() -> None:
    assert list(draw_scenario(4, DrawOptions(faults=())).fault_events()) == []


def test_every_fault_is_drawn_by_some_seed() -> None:
    drawn = {fault_event.fault for seed in range(200) for fault_event in draw_scenario(seed).fault_events()}

    assert drawn == {fault.name for fault in DRAWN}


def test_steps_of_every_part_can_be_crashed_at() -> None:
    assert {"Executed", "BackupApplied", "Heartbeat", "MigrationCommit", "Response"} <= set(protocol_steps())


def test_the_first_record_is_the_head_of_the_run() -> None:
    _, records = run_of(short_scenario())

    assert isinstance(records[0], RunRecord)
    assert records[0].seed == 3


def test_a_run_ends_with_rest_and_reveal() -> None:
    _, records = run_of(short_scenario())

    assert stages_of(records) == ["started", "rest 1", "anti-entropy still", "at rest", "revealed 1"]


def test_as_many_members_are_crashed_in_the_end_as_there_are_backups() -> None:
    _, records = run_of(short_scenario())

    crashed = [r for r in records if isinstance(r, MemberRecord) and r.change is MemberChange.CRASHED]
    assert len(crashed) == 1


def test_every_key_is_read_after_the_reveal() -> None:
    _, records = run_of(short_scenario())
    operations = operations_of(records)

    read = {operation.key for operation in operations if operation.stage == "after reveal 1"}
    assert read == {operation.key for operation in operations}


def test_at_rest_every_member_shows_its_table_and_its_contents() -> None:
    _, records = run_of(short_scenario())

    views = [r for r in records if isinstance(r, ViewRecord) and r.stage == "at rest"]
    digests = [r for r in records if isinstance(r, DigestRecord) and r.stage == "at rest"]
    assert [view.observer for view in views] == [0, 1, 2]
    assert all(view.settled for view in views)
    assert digests


def test_steps_of_the_protocol_are_events() -> None:
    _, records = run_of(short_scenario())

    kinds = {record.kind for record in records if isinstance(record, EventRecord)}
    assert {Executed, BackupApplied, RowInstalled} <= kinds


def test_only_the_steps_that_are_wanted_are_reported() -> None:
    records: list[Record] = []
    simulate(short_scenario(), records.append, recorded=frozenset({Executed}))

    kinds = {record.kind for record in records if isinstance(record, EventRecord)}
    assert kinds == {Settled, ResourcesHeld, Executed, Configured, RowChanged, CopiesEnded, RemovedEnded}


@pytest.mark.parametrize("workload", EVERY_WORKLOAD, ids=lambda workload: workload.name)
def test_without_faults_every_operation_of_a_workload_has_an_answer(workload: Workload) -> None:
    _, records = run_of(short_scenario(workload.name))

    outcomes = {operation.outcome for operation in operations_of(records) if operation.kind != OperationKind.UNLOCK}
    assert outcomes == {Outcome.OK}


def test_operations_are_numbered_in_the_order_of_their_beginnings() -> None:
    _, records = run_of(short_scenario())
    operations = sorted(operations_of(records), key=lambda operation: operation.operation)

    starts = [operation.start_ms for operation in operations]
    assert starts == sorted(starts)


def test_no_two_writes_of_a_run_write_the_same() -> None:
    _, records = run_of(short_scenario("mixed", client_operations=80))

    written = [o.value for o in operations_of(records) if o.kind in (OperationKind.WRITE, OperationKind.APPEND)]
    assert len(written) == len(set(written))


def test_a_long_run_goes_on_until_its_minutes_are_over() -> None:
    draw_options = DrawOptions(members=2, faults=(), workload="register", minutes=2)
    scenario = draw_scenario(1, draw_options)

    scripts = list(draw_scripts(scenario, draw_options))

    assert scenario.scripts == ()
    assert sum(map(span_ms, scripts)) >= 120_000


def test_a_promoted_member_that_crashes_was_a_data_member() -> None:
    promote, crash = FaultEvent("promote-lite", 10, 30, (3,)), FaultEvent("crash", 2_000, 60_000, (3,))
    _, records = run_of(short_scenario(fault_events=(promote, crash)))

    changes = [(one.change, one.lite) for one in records if isinstance(one, MemberRecord) and one.member == 3]
    assert changes == [(MemberChange.JOINED, True), (MemberChange.CRASHED, False)]
