"""Calls are behaviours of `invocation`, and wrong steps are refused."""

from dataclasses import replace
from unittest.mock import patch

import pytest

from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.invocation.answers import Answers, Timeouts
from gridproof_implementation.protocol.invocation.attempts import Attempts, Invocation, Registry
from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario
from gridproof_model.events.invocation import AcknowledgementCounted, AttemptFailed, AttemptSent, CallEnded
from gridproof_model.events.merging import EntriesCollected
from gridproof_model.events.operation import Executed, Refused
from gridproof_model.grid_properties import FAIL_ON_INDETERMINATE_STATE, OPERATION_BACKUP_TIMEOUT
from gridproof_model.identity import MemberId
from gridproof_model.trace import EventRecord, MemberRecord
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.verdict import Result
from gridproof_properties.refinement.invocation.differences import LAST_WORDS, NEW_INCARNATION
from gridproof_properties.refinement.invocation.judge import PROPERTY
from tests.properties.followed_runs import away, judged, mutated, run_of, scenario, simulated, told

CALM = scenario()
TARGET_CRASHES = replace(scenario(FaultEvent("crash", 30, 3_000, (1,), 1), pause_ms=20), partition_count=2)
"""The caller is at seat 0, and its target falls silent at once, with a call under way."""
BACKUPS_FAIL = scenario(*(FaultEvent("failing-backup", 200, 3_000, (seat,), 100) for seat in range(3)))


def strict(given: Scenario) -> Scenario:
    properties = ((FAIL_ON_INDETERMINATE_STATE.name, "true"), (OPERATION_BACKUP_TIMEOUT.name, "500"))
    return replace(given, properties=properties)


@pytest.mark.parametrize("given", [CALM, TARGET_CRASHES, strict(BACKUPS_FAIL)], ids=["calm", "crash", "strict"])
def test_calls_are_behaviours(given: Scenario) -> None:
    finding = judged(PROPERTY, run_of(given))
    assert finding.result is Result.HOLDS, finding


def test_an_answer_without_an_execution_is_explained() -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), Executed, away, 2))
    assert finding.result is Result.BROKEN
    assert any("guard 2 of response_" in line and "(answers.py:" in line for line in finding.witness)
    assert any("owner_starts(member 0), then owner_executes(member 0)" in line for line in finding.witness)


def test_an_acknowledgement_counted_twice_is_refused() -> None:
    records = list(run_of(CALM))
    place = next(
        i for i, record in enumerate(records) if isinstance(getattr(record, "event", None), AcknowledgementCounted)
    )
    finding = judged(PROPERTY, [*records[: place + 1], *records[place:]])
    assert "the specification refuses acknowledgement_is_counted" in finding.sentence or "received" in finding.sentence


def found(owner: object, rule: str, instead: object, given: Scenario) -> Finding:
    with patch.object(owner, rule, instead):
        finding = judged(PROPERTY, simulated(given))
    assert finding.result is Result.BROKEN, finding
    return finding


def test_a_success_before_its_acknowledgements_is_refused() -> None:
    def succeed(self: Answers, sender: MemberId, response: object) -> None:
        invocation = self._registry.waiting[response.call_id]  # type: ignore[attr-defined]
        invocation.response = response  # type: ignore[assignment]
        self._registry.succeed(invocation, "acknowledged")

    finding = found(Answers, "on_response", succeed, strict(BACKUPS_FAIL))
    assert "response_ends_the_call" in finding.sentence


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
    assert finding.witness[-1].endswith("target_is_removed(member 0)")


def test_a_strict_call_that_succeeds_unacknowledged_is_refused() -> None:
    finding = found(Timeouts, "is_indeterminate", lambda *given: False, strict(BACKUPS_FAIL))
    assert "missing_acknowledgement_is_ignored" in finding.sentence


def test_a_target_that_left_and_is_counted_is_refused() -> None:
    finding = found(Answers, "has_target_left", lambda *given: False, TARGET_CRASHES)
    assert any("is_target(member) " in line or "another_member_is_removed" in line for line in finding.witness)


def test_a_response_of_another_attempt_is_told() -> None:
    whole = Registry.succeed

    def succeed(self: Registry, invocation: Invocation, how: str) -> None:
        assert invocation.response is not None
        invocation.response = replace(invocation.response, call_id=invocation.response.call_id + 1)
        whole(self, invocation, how)

    assert "answered_by None" in found(Registry, "succeed", succeed, CALM).sentence


def test_what_is_sent_to_a_target_that_has_just_died_is_refused_by_who_sits_there_now() -> None:
    records = list(run_of(TARGET_CRASHES))
    joined = next(
        place for place, record in enumerate(records) if isinstance(record, MemberRecord) and record.member == 3
    )
    refused = Refused(1, "Put", 0, 3, "wrong target")
    records.insert(joined + 1, told(3, refused, 3_390))

    followed = judged(PROPERTY, mutated(records, AttemptFailed, lambda one: replace(one, why="wrong target")))

    assert followed.result is Result.HOLDS, followed
    assert f"{NEW_INCARNATION.name} (1)" in followed.sentence
    alive = [record for record in records if not (isinstance(record, MemberRecord) and record.member == 1)]
    assert judged(PROPERTY, alive).result is Result.BROKEN


def test_a_caller_that_goes_over_to_another_cluster_ends_its_calls_as_it_likes() -> None:
    records = list(run_of(CALM))
    sent = next(i for i, record in enumerate(records) if isinstance(getattr(record, "event", None), AttemptSent))
    begun = records[sent]
    assert isinstance(begun, EventRecord)
    assert isinstance(begun.event, AttemptSent)
    ended = told(begun.member, CallEnded(begun.event.invocation, "member left", 0, 0), begun.at_ms)
    goes = told(begun.member, EntriesCollected(0, "another"), begun.at_ms)

    followed = judged(PROPERTY, [*records[: sent + 1], goes, ended])

    assert followed.result is not Result.BROKEN, followed
    assert judged(PROPERTY, [*records[: sent + 1], ended]).result is Result.BROKEN


def test_a_target_may_die_while_it_sends_its_backups() -> None:
    records = list(run_of(TARGET_CRASHES))
    dies = [record for record in records if isinstance(record, MemberRecord) and record.member == 1][1:2]
    executed = next(i for i, record in enumerate(records) if getattr(getattr(record, "event", None), "changed", False))
    before, (for_slot_2, for_slot_1, counted) = records[:executed], records[executed + 1 : executed + 4]

    followed = judged(PROPERTY, [*before, *dies, for_slot_2, for_slot_1, counted])

    assert followed.result is Result.HOLDS, followed
    assert f"{LAST_WORDS.name} (2)" in followed.sentence
    assert judged(PROPERTY, [*before, for_slot_2, for_slot_1, counted]).result is Result.BROKEN
    assert judged(PROPERTY, [*before, *dies, for_slot_2, counted]).result is Result.BROKEN
