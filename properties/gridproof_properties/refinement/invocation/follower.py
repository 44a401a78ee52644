"""Events of one call, as actions of the specification.

The caller's events say how its attempts go, the target's what came of a request, the backups' what they applied. Rows
and member lists are each one's own: before a step they are put into the state as the member that takes it has them. So
what is held against the specification is what caller, target and backups do with what they know.
"""

from gridproof_model.events.invocation import (
    AcknowledgementCounted,
    AttemptFailed,
    AttemptSent,
    CallBegun,
    CallEnded,
    LeaverCounted,
    ResponseKept,
)
from gridproof_model.events.operation import Executed, Refused
from gridproof_model.events.replication import BackupApplied
from gridproof_model.language import Plain
from gridproof_model.language.values import record_value
from gridproof_model.specifications.invocation.state import Answer, Kind, Outcome, Phase, Request, backup_messages
from gridproof_properties.refinement.behaviour import Behaviour, OutOfScopeError, with_value
from gridproof_properties.refinement.invocation.differences import (
    BROKEN_CONNECTION,
    FAILS,
    FRESH_READS,
    LAST_WORDS,
    LATE_EXECUTION,
    NEW_INCARNATION,
    RETRIES,
    SECOND_EXECUTION,
    SENT_BACK,
)
from gridproof_properties.refinement.invocation.surroundings import Surroundings
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import RefusedError

OfAnAttempt = AttemptFailed | ResponseKept | AcknowledgementCounted | Executed | Refused | BackupApplied
"""Events that name an attempt by its call id."""
RETRIED_AT_TARGET = ("wrong target", "partition migrating", "caller not member")
OUTCOMES = {
    "acknowledged": Outcome.ACKNOWLEDGED,
    "unacknowledged": Outcome.UNACKNOWLEDGED,
    "operation timeout": Outcome.TIMED_OUT,
    "indeterminate operation state": Outcome.INDETERMINATE,
    "wrong target": Outcome.EXHAUSTED,
    "partition migrating": Outcome.EXHAUSTED,
    "caller not member": Outcome.EXHAUSTED,
    "target not member": Outcome.EXHAUSTED,
    "member left": Outcome.EXHAUSTED,
    "not sent": Outcome.EXHAUSTED,
}


class Follower:
    """Follows one call from its beginning to its answer."""

    def __init__(
        self, behaviour: Behaviour, scene: Scene, step: Step, event: CallBegun, backups: int, retries: int
    ) -> None:
        self.behaviour = behaviour
        self.caller = step.member
        self.place = (step.member, event.invocation)
        self._retries = retries
        self._failed = 0
        """Attempts that have failed."""
        self.call_ids: dict[int, int] = {}
        """Attempts of the specification by the call ids they were sent with."""
        self._around = Surroundings(behaviour, scene, self.caller, event.partition, backups)
        kind = Kind.STRICT_WRITE if event.is_strict else Kind.WRITE
        behaviour.take(step, "call_begins", Kind.READ if event.is_read_only else kind)

    def sent(self, step: Step, event: AttemptSent) -> None:
        """A target was found by the caller's own table and list, and asked."""
        self._around.show_caller()
        target = self._around.index(event.target)
        self.behaviour.take(step, "caller_chooses_target", target)
        self.behaviour.take(step, "attempt_is_sent", target)
        self.call_ids[event.call_id] = self.behaviour["attempt"]

    def failed(self, step: Step, event: AttemptFailed) -> None:
        """An attempt ended with a failure."""
        why, behaviour = event.why, self.behaviour
        self._failed += 1
        self._around.show_caller()
        if why not in OUTCOMES:
            raise OutOfScopeError(FAILS)
        self._around.make_room_for_attempts()
        if event.call_id == 0:
            self._not_sent(step, why)
        elif why == "member left":
            self._removed_from_list(step, self._target(step), "target_is_removed")
        elif why == "operation timeout":
            if not behaviour["is_overdue"]:
                behaviour.take(step, "attempt_is_overdue")
            behaviour.take(step, "call_times_out")
        elif why in RETRIED_AT_TARGET:
            behaviour.take(step, "refusal_is_retried", self._attempt(step, event))
        else:
            behaviour.refuse(step, f"an attempt that was sent fails with {why!r}")

    def kept(self, step: Step, event: ResponseKept) -> None:
        """A response waits for acknowledgements."""
        self.behaviour.take(step, "response_waits_for_acknowledgements", self._attempt(step, event))
        self.behaviour.agree(step, "expected", event.expected, self.behaviour["expected"])
        self.behaviour.agree(step, "received", event.received, self.behaviour["received"])

    def counted(self, step: Step, event: AcknowledgementCounted) -> None:
        """A backup's acknowledgement was counted."""
        backup = self._around.index(event.backup)
        self.behaviour.take(step, "acknowledgement_is_counted", self._attempt(step, event), backup)
        self.behaviour.agree(step, "received", event.received, self.behaviour["received"])

    def leaver_counted(self, step: Step, event: LeaverCounted) -> None:
        """A member that left was counted."""
        self._around.show_caller()
        self._removed_from_list(step, event.gone, "another_member_is_removed")
        self.behaviour.agree(step, "received", event.received, self.behaviour["received"])

    def begun_anew(self, step: Step) -> None:
        """Acknowledgements are missing and the target is gone."""
        self._around.show_caller()
        self._around.make_room_for_attempts()
        self.behaviour.take(step, "call_is_invoked_anew", self._around.index(self._target(step)))

    def ended(self, step: Step, event: CallEnded) -> None:
        """The call has its answer; what the specification has not ended yet it must be able to end just so."""
        behaviour, how = self.behaviour, event.how
        outcome = OUTCOMES.get(how)
        if outcome is None:
            raise OutOfScopeError(FAILS)
        if behaviour["phase"] is not Phase.ENDED:
            self._end(step, outcome)
        behaviour.agree(step, "how", outcome.value, behaviour["outcome"].value)
        if outcome in (Outcome.ACKNOWLEDGED, Outcome.UNACKNOWLEDGED):
            answered_by = self.call_ids.get(event.answered_by)
            behaviour.agree(step, "answered_by", answered_by, behaviour["ended_by"])

    def executed(self, step: Step, event: Executed) -> None:
        """The target executed the operation and sent its backups."""
        behaviour = self.behaviour
        if not self._is_present(event):
            behaviour.differ(LATE_EXECUTION)
            return
        self._around.show_target(step.member, told=event.sent_to)
        target = self._around.index(step.member)
        if behaviour["request"] is not Request.RUNNING:
            behaviour.take(step, "owner_starts", target)
        if any(behaviour["backup_lane"]):
            behaviour.differ(SECOND_EXECUTION, {"backup_lane": tuple(() for _ in behaviour["backup_lane"])})
        behaviour.take(step, "owner_executes", target)
        self._respond(step, event.acks)

    def refused(self, step: Step, event: Refused) -> None:
        """The target did not execute the operation."""
        behaviour, why = self.behaviour, event.why
        if not self._is_present(event):
            return
        self._around.show_target(step.member, is_migrating=why == "partition migrating")
        target, owner = self._around.index(step.member), behaviour["row"][0]
        match why:
            case "operation timeout":
                if not behaviour["is_overdue"]:
                    behaviour.take(step, "attempt_is_overdue")
                behaviour.take(step, "target_refuses_an_overdue_request", target)
            case "partition migrating" if behaviour["kind"] is Kind.READ:
                self._send_back(FRESH_READS, Answer.MIGRATING)
            case "partition migrating" if owner == target:
                behaviour.take(step, "target_refuses_while_it_migrates", target)
            case "wrong target" if not behaviour["is_up"][behaviour["target"][behaviour["attempt"]]]:
                self._send_back(NEW_INCARNATION, Answer.WRONG_TARGET)
            case "wrong target":
                behaviour.take(step, "wrong_target_refuses", target)
            case _ if why in RETRIED_AT_TARGET:
                self._send_back(SENT_BACK, Answer.WRONG_TARGET)
            case _:
                raise OutOfScopeError(FAILS)

    def backup_applied(self, step: Step, event: BackupApplied) -> None:
        """A backup applied the update, and if it is sync acknowledged it."""
        member = self._around.index(step.member)
        if self._is_untold(event):
            self._tell_last_words(event, member)
        if not self.behaviour["backup_lane"][member]:
            return
        slot = self.behaviour["backup_lane"][member][0].slot
        row = self.behaviour["row"]
        self._around.put(row=(*row[:slot], member, *row[slot + 1 :]))
        self.behaviour.take(step, "backup_applies", member)

    def backup_refused(self, step: Step) -> None:
        """A backup dropped the update."""
        member = self._around.index(step.member)
        lane = self.behaviour["backup_lane"][member]
        if lane:
            sender = self.behaviour["target"][lane[0].attempt]
            self.behaviour.take(step, "backup_message_is_lost", sender, member)

    def member_ended(self, step: Step, member: int) -> None:
        """A member is gone, with whatever it was about to do."""
        index = self._around.indices.get(member)
        if index is not None and self.behaviour["is_up"][index]:
            self.behaviour.take(step, "member_crashes", index)

    def _not_sent(self, step: Step, why: str) -> None:
        """An attempt ended before it was sent."""
        behaviour, owner = self.behaviour, self.behaviour["callers_row"][0]
        match why:
            case "wrong target":
                behaviour.take(step, "caller_knows_no_owner")
            case "target not member":
                behaviour.take(step, "caller_finds_the_owner_gone", owner)
            case "member left":
                behaviour.take(step, "caller_finds_the_owner_gone_again", owner)
            case "not sent":
                behaviour.take(step, "caller_chooses_target", owner)
                is_up = behaviour["is_up"]
                if is_up[owner]:
                    behaviour.differ(BROKEN_CONNECTION)
                    self._around.put(is_up=(*is_up[:owner], False, *is_up[owner + 1 :]))
                behaviour.take(step, "attempt_cannot_be_sent", owner)
                self._around.put(is_up=is_up)
            case _:
                behaviour.refuse(step, f"an attempt that was not sent fails with {why!r}")

    def _end(self, step: Step, outcome: Outcome) -> None:
        behaviour, attempt = self.behaviour, self.behaviour["attempt"]
        match outcome:
            case Outcome.ACKNOWLEDGED:
                behaviour.take(step, "response_ends_the_call", attempt)
            case Outcome.UNACKNOWLEDGED:
                self._around.show_caller()
                target = behaviour["target"][attempt]
                if not behaviour["callers_list"][target]:
                    behaviour.differ(NEW_INCARNATION)
                    self._around.put(callers_list=tuple(True for _ in behaviour["callers_list"]))
                behaviour.take(step, "missing_acknowledgement_is_ignored", target)
            case Outcome.INDETERMINATE:
                behaviour.take(step, "missing_acknowledgement_is_indeterminate")
            case Outcome.TIMED_OUT:
                behaviour.take(step, "call_timeout_answer_ends_the_call", attempt)
            case _ if self._failed >= self._retries:
                raise OutOfScopeError(RETRIES)
            case _:
                behaviour.refuse(step, "the call ends with retries left")

    def _removed_from_list(self, step: Step, gone: int, action: str) -> None:
        """Take the news that a member is removed, when the caller's list really has lost it."""
        behaviour, index = self.behaviour, self._around.index(gone)
        still_listed = self._around.is_listed(gone)
        behaviour.agree(step, "still in the caller's list:", still_listed, False)
        self._around.put(callers_list=with_value(behaviour["callers_list"], index, True))
        self._around.put(listed=with_value(behaviour["listed"], index, False))
        behaviour.take(step, action, index)
        self._around.put(listed=with_value(behaviour["listed"], index, True))

    def _respond(self, step: Step, acks: int) -> None:
        """Let the response tell of so many backups: which of them are sync is configured, not decided."""
        behaviour, attempt = self.behaviour, self.behaviour["attempt"]
        response = behaviour["response"][attempt]
        if acks > response.backups:
            behaviour.agree(step, "acks", acks, response.backups)
        self._around.put(response=with_value(behaviour["response"], attempt, response._replace(backups=acks)))

    def _send_back(self, difference: Plain, answer: Answer) -> None:
        behaviour, attempt = self.behaviour, self.behaviour["attempt"]
        response = behaviour["response"][attempt]._replace(kind=answer)
        changes = {"request": Request.NOWHERE, "response": with_value(behaviour["response"], attempt, response)}
        behaviour.differ(difference, changes)

    def _is_untold(self, event: BackupApplied) -> bool:
        """Whether a backup has what its dead target never recorded that it executed."""
        behaviour = self.behaviour
        if not self._is_present(event):
            return False
        target, response = (behaviour[name][behaviour["attempt"]] for name in ("target", "response"))
        return not behaviour["is_up"][target] and response.kind is Answer.NONE

    def _tell_last_words(self, event: BackupApplied, member: int) -> None:
        """Put the message of a target that died while it sent its backups under way."""
        behaviour = self.behaviour
        message = record_value(backup_messages, (behaviour["attempt"], event.index))
        behaviour.differ(LAST_WORDS, {"backup_lane": with_value(behaviour["backup_lane"], member, (message,))})

    def _attempt(self, step: Step, event: OfAnAttempt) -> int:
        call_id = event.call_id
        if call_id not in self.call_ids:
            self.behaviour.refuse(step, f"call id {call_id} was never sent")
        return self.call_ids[call_id]

    def _target(self, step: Step) -> int:
        """Return whom the present attempt asked."""
        index: int | None = self.behaviour["target"][self.behaviour["attempt"]]
        for member, number in self._around.indices.items():
            if number == index:
                return member
        raise RefusedError(f"{step.told()}: the present attempt has asked nobody", lambda: (str(step),))

    def _is_present(self, event: OfAnAttempt) -> bool:
        """Whether a target's event is about the attempt its caller still waits for."""
        attempt = self.call_ids.get(event.call_id)
        return attempt == self.behaviour["attempt"] and self.behaviour["phase"] is Phase.WAITING
