"""What members record of calls is a behaviour of `invocation`, and wrong steps are refused."""

from collections import Counter
from dataclasses import fields, replace
from enum import Enum
from typing import Any
from unittest.mock import patch

import pytest

from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.invocation.answers import Answers, Timeouts
from gridproof_implementation.protocol.invocation.attempts import Attempts, Invocation, Registry
from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.simulator.draw import draw_scenario, draw_scripts
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario
from gridproof_model.events.invocation import (
    AcknowledgementCounted,
    AttemptFailed,
    AttemptSent,
    CallBegun,
    CallEnded,
    LeaverCounted,
)
from gridproof_model.events.membership import MemberListInstalled
from gridproof_model.events.merging import EntriesCollected
from gridproof_model.events.migration import MigrationOpened
from gridproof_model.events.operation import Executed, MadeSync, Parked, Refused
from gridproof_model.events.replication import BackupApplied
from gridproof_model.events.words import CallEnding, Failure
from gridproof_model.grid_properties import FAIL_ON_INDETERMINATE_STATE, OPERATION_BACKUP_TIMEOUT
from gridproof_model.membership import MemberId
from gridproof_model.specifications.invocation.state import Outcome
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.verdict import Result
from gridproof_properties.refinement import invocation
from gridproof_properties.refinement.invocation import CallsJudge
from gridproof_properties.validation.engine import Observation, Validation
from tests.properties.validated_runs import away, judged, mutated, recorded, run_of, scenario, simulated

PROPERTY = get_property("refines-invocation")

CALM = scenario()
TARGET_CRASHES = replace(scenario(FaultEvent("crash", 30, 3_000, (1,), 1), pause_ms=20), partition_count=2)
"""The caller is at address 0, and its target falls silent at once, with a call under way."""
BACKUPS_FAIL = scenario(
    *(FaultEvent("failing-backup", 200, 3_000, (address_index,), 100) for address_index in range(3))
)


def strict(given: Scenario) -> Scenario:
    properties = ((FAIL_ON_INDETERMINATE_STATE.name, "true"), (OPERATION_BACKUP_TIMEOUT.name, "500"))
    return replace(given, properties=properties)


def drawn(seed: int, options: DrawOptions) -> Scenario:
    found = draw_scenario(seed, options)
    return found.with_scripts(tuple(found.scripts or draw_scripts(found, options)))


def taken(given: Scenario) -> Counter[str]:
    """Return how often each action was taken in a run."""
    actions: Counter[str] = Counter()
    judge = CallsJudge().shown_to(lambda before, event, after: actions.update([event.action]))
    for record in run_of(given):
        judge.observe(record)
    finding = judge.conclude()
    assert finding.result is Result.HOLDS, finding
    return actions


def place_of(records: list[Record], kind: type) -> int:
    """Return where the first event of a type is."""
    return next(place for place, record in enumerate(records) if isinstance(getattr(record, "event", None), kind))


def found(owner: object, rule: str, instead: object, given: Scenario) -> Finding:
    with patch.object(owner, rule, instead):
        finding = judged(PROPERTY, simulated(given))
    assert finding.result is Result.BROKEN, finding
    return finding


@pytest.mark.parametrize("given", [CALM, TARGET_CRASHES, strict(BACKUPS_FAIL)], ids=["calm", "crash", "strict"])
def test_calls_are_behaviours(given: Scenario) -> None:
    finding = judged(PROPERTY, run_of(given))
    assert finding.result is Result.HOLDS, finding


def test_what_a_call_is_made_of_is_one_action_each() -> None:
    actions = taken(CALM)

    assert actions["call_begins"] <= actions["attempt_is_sent"]
    assert 0 < actions["primary_executes_write"] < actions["backup_applies"]
    assert actions["acknowledgement_is_counted"] > 0


def test_a_target_that_leaves_is_a_step_of_its_caller() -> None:
    assert taken(TARGET_CRASHES)["target_is_removed"] > 0


def test_operations_that_wait_are_validated() -> None:
    actions = taken(drawn(12, DrawOptions(workload="queue", faults=())))

    assert actions["request_waits"] > 0
    assert actions["request_waits_in_vain"] > 0


def test_runs_with_repeated_messages_are_judged() -> None:
    actions = taken(drawn(2, DrawOptions(workload="register", faults=("duplicate",))))

    assert actions["call_begins"] > 0


def test_an_answer_without_an_execution_is_explained() -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), Executed, away, 2))

    assert "the specification refuses the action response_" in finding.sentence
    assert any("of response_" in line and "(calling.py:" in line for line in finding.witness)
    assert any("primary_executes_w" in line for line in finding.witness)


def test_an_acknowledgement_counted_twice_is_refused() -> None:
    records = list(run_of(CALM))
    place = place_of(records, AcknowledgementCounted)

    finding = judged(PROPERTY, [*records[: place + 1], *records[place:]])

    assert "the specification refuses the action acknowledgement_is_counted" in finding.sentence


def test_an_acknowledgement_of_a_backup_that_applied_nothing_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), BackupApplied, away))

    assert "the specification refuses the action acknowledgement_is_counted" in finding.sentence


def test_an_update_that_nobody_sent_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), BackupApplied, lambda one: replace(one, index=0)))

    assert "the specification refuses the action backup_applies" in finding.sentence


def first_write() -> int:
    """Return which of the executed operations of the calm run is the first that changes something."""
    events = (record.event for record in run_of(CALM) if isinstance(record, EventRecord))
    executed = (event for event in events if isinstance(event, Executed))
    return next(number for number, one in enumerate(executed, 1) if one.changed)


def test_a_write_sent_to_fewer_backups_than_there_are_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), Executed, lambda one: replace(one, sent_to=()), first_write()))

    assert "it states addressed backups ()" in finding.sentence


def test_a_response_that_reports_another_number_of_backups_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), Executed, lambda one: replace(one, acks=0), first_write()))

    assert "it states acks 0" in finding.sentence


def test_a_member_that_is_not_the_primary_executes_nothing() -> None:
    records = list(run_of(CALM))
    place = place_of(records, Executed)
    executed = records[place]
    assert isinstance(executed, EventRecord)
    records[place] = replace(executed, member=(executed.member or 0) + 1)

    finding = judged(PROPERTY, records)

    assert "the specification refuses the action primary_executes" in finding.sentence


def test_an_attempt_at_somebody_else_than_the_owner_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), AttemptSent, lambda one: replace(one, target=one.target + 1)))

    assert "the specification refuses the action attempt_is_sent" in finding.sentence


def test_a_refusal_without_a_reason_is_refused() -> None:
    records = list(run_of(CALM))
    place = place_of(records, Executed)
    executed = records[place]
    assert isinstance(executed, EventRecord)
    assert isinstance(executed.event, Executed)
    of = executed.event
    for why, action in (
        (Failure.WRONG_TARGET, "wrong_target_refuses"),
        (Failure.PARTITION_MIGRATING, "target_refuses_while_it_migrates"),
        (Failure.CALLER_NOT_MEMBER, "target_refuses_a_stranger"),
    ):
        refused = Refused(of.partition, of.operation, of.caller, of.call_id, why)
        finding = judged(PROPERTY, [*records[:place], replace(executed, event=refused)])
        assert f"the specification refuses the action {action}" in finding.sentence


def test_a_leaver_that_nobody_removed_is_refused() -> None:
    records = list(run_of(CALM))
    place = place_of(records, AttemptSent)
    sent = records[place]
    assert isinstance(sent, EventRecord)
    assert isinstance(sent.event, AttemptSent)
    counted = recorded(sent.member, LeaverCounted(sent.event.invocation, sent.event.call_id, 2, 1), sent.at_ms)

    finding = judged(PROPERTY, [*records[: place + 1], counted])

    assert "the specification refuses the action leaver_is_counted(member 2)" in finding.sentence


def test_a_leaver_is_counted_by_a_call_that_begins_in_the_step_in_which_it_is_removed() -> None:
    records = list(run_of(CALM))
    begun, place = place_of(records, CallBegun), place_of(records, AttemptSent)
    sent = records[place]
    assert isinstance(sent, EventRecord)
    assert isinstance(sent.event, AttemptSent)
    left = next(one for one in range(3) if one not in (sent.member, sent.event.target))
    remaining = tuple(one for one in range(3) if one != left)
    counted = recorded(sent.member, LeaverCounted(sent.event.invocation, sent.event.call_id, left, 1), sent.at_ms)
    removed = recorded(sent.member, MemberListInstalled(9, remaining), sent.at_ms)
    before, after = records[:begun], records[begun : place + 1]

    assert judged(PROPERTY, [*before, removed, *after, counted]).result is not Result.BROKEN
    earlier = replace(removed, at_ms=sent.at_ms - 1)
    assert judged(PROPERTY, [*before, earlier, *after, counted]).result is Result.BROKEN


def test_a_success_before_its_acknowledgements_is_refused() -> None:
    def succeed(self: Answers, sender: MemberId, response: object) -> None:
        invocation = self._registry.waiting[response.call_id]  # type: ignore[attr-defined]
        invocation.response = response  # type: ignore[assignment]
        self._registry.succeed(invocation, CallEnding.ACKNOWLEDGED)

    assert "action response_ends_the_call" in found(Answers, "on_response", succeed, strict(BACKUPS_FAIL)).sentence


def test_a_refusing_backup_that_acknowledges_is_refused() -> None:
    whole = ReplicationPart.on_backup

    def on_backup(self: ReplicationPart, sender: MemberId, backup: Backup) -> None:
        failed = self.failed_backups
        whole(self, sender, backup)
        if self.failed_backups > failed:
            self.acknowledge(backup)

    finding = found(ReplicationPart, "on_backup", on_backup, BACKUPS_FAIL)
    assert "acknowledgement_is_counted" in finding.sentence


def test_a_strict_call_that_is_sent_again_is_refused() -> None:
    finding = found(Attempts, "is_indeterminate", lambda *given: False, strict(TARGET_CRASHES))
    assert any("phase = ending" in line for line in finding.witness)


def test_a_strict_call_that_succeeds_unacknowledged_is_refused() -> None:
    finding = found(Timeouts, "is_indeterminate", lambda *given: False, strict(BACKUPS_FAIL))
    assert "missing_acknowledgement_is_ignored" in finding.sentence


def test_a_target_that_left_and_is_counted_is_refused() -> None:
    finding = found(Answers, "has_target_left", lambda *given: False, TARGET_CRASHES)
    assert "refuses the action leaver_is_counted" in finding.sentence


def test_a_response_of_another_attempt_is_reported() -> None:
    whole = Registry.succeed

    def succeed(self: Registry, invocation: Invocation, how: CallEnding) -> None:
        assert invocation.response is not None
        invocation.response = replace(invocation.response, call_id=invocation.response.call_id + 1)
        whole(self, invocation, how)

    assert found(Registry, "succeed", succeed, CALM).result is Result.BROKEN


def test_a_migrating_partition_that_is_written_to_is_refused() -> None:
    records = list(run_of(CALM))
    place = next(i for i, record in enumerate(records) if getattr(getattr(record, "event", None), "changed", False))
    executed = records[place]
    assert isinstance(executed, EventRecord)
    opened = recorded(executed.member, MigrationOpened(0, 1, 0), executed.at_ms)

    finding = judged(PROPERTY, [*records[:place], opened, *records[place:]])

    assert "refuses the action primary_executes_write" in finding.sentence


def test_what_is_sent_to_a_target_that_has_just_died_is_refused_by_who_sits_there_now() -> None:
    records = list(run_of(TARGET_CRASHES))
    joined = next(
        place for place, record in enumerate(records) if isinstance(record, MemberRecord) and record.member == 3
    )
    refused = Refused(1, "Put", 0, 3, Failure.WRONG_TARGET)
    ended = mutated(records, AttemptFailed, lambda one: replace(one, why=Failure.WRONG_TARGET))
    stranger = [*ended[: joined + 1], recorded(3, replace(refused, why=Failure.CALLER_NOT_MEMBER), 3_390)]

    assert judged(PROPERTY, stranger).result is not Result.BROKEN
    there = stranger[joined]
    assert isinstance(there, MemberRecord)
    elsewhere = [*stranger[:joined], replace(there, name="127.0.0.9:5701/elsewhere"), *stranger[joined + 1 :]]
    assert judged(PROPERTY, elsewhere).result is Result.BROKEN


def test_a_caller_that_goes_over_to_another_cluster_ends_its_calls() -> None:
    records = list(run_of(CALM))
    sent = place_of(records, AttemptSent)
    begun = records[sent]
    assert isinstance(begun, EventRecord)
    assert isinstance(begun.event, AttemptSent)
    ended = recorded(begun.member, CallEnded(begun.event.invocation, Failure.MEMBER_LEFT, 0, 0), begun.at_ms)
    goes = recorded(begun.member, EntriesCollected(0, "another"), begun.at_ms)

    assert judged(PROPERTY, [*records[: sent + 1], goes, ended]).result is not Result.BROKEN
    assert judged(PROPERTY, [*records[: sent + 1], ended]).result is Result.BROKEN


def test_a_target_may_die_while_it_sends_its_backups() -> None:
    records = list(run_of(TARGET_CRASHES))
    dies = [record for record in records if isinstance(record, MemberRecord) and record.member == 1][1:2]
    executed = next(i for i, record in enumerate(records) if getattr(getattr(record, "event", None), "changed", False))
    before, (for_slot_2, for_slot_1, counted) = records[:executed], records[executed + 1 : executed + 4]

    found = judged(PROPERTY, [*before, *dies, for_slot_2, for_slot_1, counted])

    assert found.result is Result.HOLDS, found
    assert judged(PROPERTY, [*before, for_slot_2, for_slot_1, counted]).result is Result.BROKEN
    assert judged(PROPERTY, [*before, *dies, for_slot_2, counted]).result is Result.BROKEN


def test_a_request_that_waits_may_be_sent_back_by_a_target_that_dies_in_that_step() -> None:
    records = list(run_of(drawn(1, DrawOptions(workload="lock", faults=()))))
    place, target, of = next(
        (place, record.member, record.event)
        for place, record in enumerate(records)
        if isinstance(record, EventRecord) and isinstance(record.event, Parked) and record.member != record.event.caller
    )
    call = next(
        record.event.invocation
        for record in records
        if isinstance(record, EventRecord)
        and isinstance(record.event, AttemptSent)
        and (record.member, record.event.call_id) == (of.caller, of.call_id)
    )
    joined = next(record for record in records if isinstance(record, MemberRecord) and record.member == target)
    dies = replace(joined, change=MemberChange.CRASHED)
    failed = recorded(of.caller, AttemptFailed(call, 1, of.call_id, Failure.PARTITION_MIGRATING))

    assert judged(PROPERTY, [*records[: place + 1], dies, failed]).result is not Result.BROKEN
    assert judged(PROPERTY, [*records[:place], failed]).result is Result.BROKEN


def test_backups_that_back_pressure_waits_for_are_asked_to_acknowledge() -> None:
    records = list(run_of(CALM))
    place = next(i for i, record in enumerate(records) if getattr(getattr(record, "event", None), "changed", False))
    executed = records[place]
    assert isinstance(executed, EventRecord)
    assert isinstance(executed.event, Executed)
    of = executed.event
    both = replace(executed, event=replace(of, acks=2))
    made_sync = recorded(executed.member, MadeSync(of.partition, of.caller, of.call_id), executed.at_ms)

    assert judged(PROPERTY, [*records[:place], made_sync, both]).result is not Result.BROKEN
    assert judged(PROPERTY, [*records[:place], both]).result is Result.BROKEN


def test_the_specification_has_every_word_for_how_a_call_or_an_attempt_ends() -> None:
    assert {outcome.value for outcome in Outcome} == {*Failure, *CallEnding}


def another(value: Any) -> Any:
    """Return another value of the same type."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case Enum():
            return next(one for one in type(value) if one is not value)
        case str():
            return "Lock"
        case tuple():
            return value[:-1]
        case _:
            raise AssertionError(value)


def repeated(records: list[Record]) -> list[int]:
    """Return the places of records that are explained by the step of an earlier call."""
    judge, computed, taken = CallsJudge(), set[int](), list[int]()
    take = Validation.take

    def counted(validation: Validation, *observations: Observation) -> None:
        computed.add(place)
        take(validation, *observations)

    judge.shown_to(lambda before, event, after: taken.append(place))
    with patch.object(Validation, "take", counted):
        for place in range(len(records)):
            judge.observe(records[place])
    return [place for place in taken if place not in computed]


@pytest.mark.parametrize("kind", invocation.READ, ids=lambda kind: kind.__name__)
def test_a_step_of_an_earlier_call_is_repeated_only_if_the_event_states_the_same(
    kind: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = (list(run_of(one)) for one in (CALM, drawn(34, DrawOptions())))
    found = ((run, place, run[place]) for run in runs for place in repeated(run))
    records, place, record = next(one for one in found if type(getattr(one[2], "event", None)) is kind)
    assert isinstance(record, EventRecord)

    for field in fields(kind):
        forged = {field.name: another(getattr(record.event, field.name))}
        changed = [*records[:place], replace(record, event=replace(record.event, **forged)), *records[place + 1 :]]
        with monkeypatch.context() as nothing_kept:
            nothing_kept.setattr(invocation, "REPEATED_MAX", 0)
            alone = judged(PROPERTY, changed)

        assert judged(PROPERTY, changed) == alone, field.name


def test_most_calls_take_the_steps_of_earlier_ones() -> None:
    records = list(run_of(CALM))
    begun = [place for place, one in enumerate(records) if isinstance(getattr(one, "event", None), CallBegun)]

    assert len({*begun} & {*repeated(records)}) > len(begun) / 2
