"""What each step of `invocation` is in `calls`, where the caller is one member more, which holds no replica."""

from collections.abc import Callable
from dataclasses import dataclass

from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.calls import state as calls
from gridproof_model.specifications.invocation import state as invocation

PLENTY = 1_000_000
BUDGETS = ("changes_left", "endings_left", "handlings_left")
KINDS = {
    invocation.Kind.WRITE: calls.Kind.WRITE,
    invocation.Kind.STRICT_WRITE: calls.Kind.STRICT_WRITE,
    invocation.Kind.READ: calls.Kind.READ,
}
REFUSALS = {
    invocation.Answer.WRONG_TARGET: calls.Outcome.WRONG_TARGET,
    invocation.Answer.MIGRATING: calls.Outcome.MIGRATING,
}
PHASES = {
    invocation.Phase.IDLE: calls.Phase.IDLE,
    invocation.Phase.RESOLVING: calls.Phase.RESOLVING,
    invocation.Phase.TARGETED: calls.Phase.RESOLVING,
    invocation.Phase.WAITING: calls.Phase.WAITING,
    invocation.Phase.ENDED: calls.Phase.ENDED,
}
OUTCOMES = {
    invocation.Outcome.ACKNOWLEDGED: (calls.Outcome.ACKNOWLEDGED,),
    invocation.Outcome.UNACKNOWLEDGED: (calls.Outcome.UNACKNOWLEDGED,),
    invocation.Outcome.TIMED_OUT: (calls.Outcome.OPERATION_TIMEOUT,),
    invocation.Outcome.INDETERMINATE: (calls.Outcome.INDETERMINATE,),
    invocation.Outcome.EXHAUSTED: calls.RETRYABLE,
}
SILENT = (
    "caller_chooses_target",
    "owner_starts",
    "backup_message_for_another_slot_is_dropped",
    "late_response_changes_nothing",
    "late_acknowledgement_changes_nothing",
    "dead_member_is_removed",
    "lost_partition_is_assigned",
    "migration_begins",
    "migration_commits",
    "anti_entropy_repairs_backup",
    "caller_gets_the_row",
    "removal_concerns_no_call",
    "attempt_is_overdue",
    "another_caller_sees_the_effect",
    "request_is_lost",
    "response_is_lost",
    "backup_message_is_lost",
    "acknowledgement_is_lost",
)
"""What changes nothing but what members know, if that; and what is lost stays under way for ever."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A state of each, and which attempt of `calls` each attempt of `invocation` is, where it was sent."""

    abstract: State
    concrete: State
    numbers: tuple[int | None, ...]


@dataclass(slots=True)
class LockStep:
    """Takes the steps of `calls` that one step of `invocation` is; mutable."""

    runner: Runner
    before: State
    after: State
    """Of `invocation`."""
    state: State
    """Of `calls`."""
    numbers: list[int | None]
    sync_backups: int

    def take(self, action: str, *arguments: Plain) -> None:
        """Take one action; StepError where the specification refuses it."""
        self.state = self.runner.step(self.state, Event(action, arguments))

    def follow(self, event: Event) -> None:
        """Do what an event of `invocation` is; members learn last of what it changes."""
        if event.action not in SILENT:
            does: Callable[..., None] = getattr(self, f"_{event.action}")
            does(*event.arguments)
        self._learn()
        if self.after["phase"] is invocation.Phase.ENDED and self.state["phase"] is calls.Phase.ENDING:
            self.take("answer_is_given")

    @property
    def _caller(self) -> int:
        return len(self.after["is_up"])

    @property
    def _number(self) -> int | None:
        """The present attempt, where it was sent."""
        return self.numbers[self.before["attempt"]]

    def _learn(self) -> None:
        """Let everybody know what is so now; the caller that has chosen a target first sends to it."""
        if self.after["phase"] is not invocation.Phase.TARGETED:
            self._learn_list(self._caller, self.after["callers_list"])
            self._learn_row(self._caller, self.after["callers_row"])
        for member, is_up in enumerate(self.after["is_up"]):
            if is_up:
                self._learn_list(member, self.after["listed"])
                self._learn_row(member, self.after["row"])
                # Only the owner looks at it in `invocation`.
                is_migrating = self.after["moving_slot"] is not None and self.after["row"][0] == member
                if self.state["migrating"][member] != is_migrating:
                    self.take("migration_begins" if is_migrating else "migration_ends", member)

    def _learn_list(self, observer: int, listed: tuple[bool, ...]) -> None:
        for other, is_listed in enumerate(listed):
            if self.state["listed"][observer][other] != is_listed:
                self.take("member_is_listed" if is_listed else "member_is_removed", observer, other)
        coldest = min(max(sum(listed) - 1, 0), len(self.state["row"][0]) - 1)
        if self.state["reach"][observer] != coldest:
            self.take("groups_are_counted", observer, coldest)

    def _learn_row(self, observer: int, row: tuple[int | None, ...]) -> None:
        changed = [slot for slot, holder in enumerate(row) if self.state["row"][observer][slot] != holder]
        for slot in changed:
            if self.state["row"][observer][slot] is not None:
                self.take("slot_is_emptied", observer, slot)
        for slot in changed:
            if row[slot] is not None:
                self.take("slot_is_learned", observer, slot, row[slot])

    def _call_begins(self, kind: invocation.Kind) -> None:
        self.take("call_begins", KINDS[kind], False)

    def _caller_knows_no_owner(self) -> None:
        self.take("caller_knows_no_owner")

    def _caller_finds_the_owner_gone(self, _owner: int) -> None:
        self.take("caller_finds_the_owner_gone")

    def _caller_finds_the_owner_gone_again(self, _owner: int) -> None:
        # A call that has begun anew has asked nobody in `calls`; it is not strict, so that nothing follows from it.
        has_asked = self.state["asked"] is not None
        self.take("caller_finds_the_owner_gone_again" if has_asked else "caller_finds_the_owner_gone")

    def _attempt_is_sent(self, member: int) -> None:
        self.take("attempt_is_sent", member)
        self.numbers[self.before["attempt"]] = self.state["sent"] - 1

    def _attempt_cannot_be_sent(self, member: int) -> None:
        self.take("attempt_cannot_be_sent", member)

    def _target_refuses_an_overdue_request(self, member: int) -> None:
        self.take("target_refuses_late_request", member, self._number)

    def _target_refuses_while_it_migrates(self, member: int) -> None:
        self.take("target_refuses_while_it_migrates", member, self._number)

    def _wrong_target_refuses(self, member: int) -> None:
        self.take("wrong_target_refuses", member, self._number)

    def _owner_executes(self, member: int) -> None:
        if self.before["kind"] is invocation.Kind.READ:
            self.take("primary_executes_without_change", member, self._number)
        else:
            coldest = len(self.state["row"][0]) - 1
            self.take("primary_executes_write", member, self._number, self.sync_backups, coldest)

    def _backup_applies(self, member: int) -> None:
        message = self.before["backup_lane"][member][0]
        self.take("backup_applies", member, self.numbers[message.attempt], message.slot)

    def _response_waits_for_acknowledgements(self, number: int) -> None:
        self.take("response_is_kept", self.before["response"][number].backups)

    def _response_ends_the_call(self, number: int) -> None:
        self.take("response_ends_the_call", self.before["response"][number].backups)

    def _refusal_is_retried(self, number: int) -> None:
        self.take("refusal_arrives", REFUSALS[self.before["response"][number].kind])

    def _call_timeout_answer_ends_the_call(self, _number: int) -> None:
        self.take("late_request_ends_the_call")

    def _acknowledgement_is_counted(self, _number: int, member: int) -> None:
        self.take("acknowledgement_is_counted", member)

    def _member_crashes(self, member: int) -> None:
        self.take("member_ends", member)

    def _target_is_removed(self, _member: int) -> None:
        self._learn_list(self._caller, self.after["callers_list"])
        self.take("target_is_removed")

    def _another_member_is_removed(self, member: int) -> None:
        self._learn_list(self._caller, self.after["callers_list"])
        self.take("leaver_is_counted", member)

    def _call_times_out(self) -> None:
        self.take("call_times_out")

    def _missing_acknowledgement_is_indeterminate(self) -> None:
        self.take("missing_acknowledgement_is_indeterminate")

    def _missing_acknowledgement_is_ignored(self, _member: int) -> None:
        self.take("missing_acknowledgement_is_ignored")

    def _call_is_invoked_anew(self, _member: int) -> None:
        self.take("call_is_begun_anew")
        # Attempts are counted on in `invocation`, whose call ids are bounded, and the last one ends the call.
        self.state = self.state.replaced({"tries": self.before["attempt"]})
        if self.after["phase"] is invocation.Phase.ENDED:
            owner = self.state["row"][self._caller][0]
            if owner is None:
                self.take("caller_knows_no_owner")
            elif self.state["listed"][self._caller][owner]:
                self.take("attempt_cannot_be_sent", owner)
            else:
                self.take("caller_finds_the_owner_gone")
        else:
            self.state = self.state.replaced({"tries": self.after["attempt"]})


def stepped(runner: Runner, sync_backups: int, pair: Pair, event: Event, after: State) -> Pair:
    """Return the pair after a step of `invocation`; StepError where `calls` has no such step."""
    step = LockStep(runner, pair.abstract, after, pair.concrete, list(pair.numbers), sync_backups)
    step.follow(event)
    return Pair(after, step.state.replaced(dict.fromkeys(BUDGETS, PLENTY)), tuple(step.numbers))


def difference(pair: Pair) -> str | None:
    """Return in what a pair differs, None where it is alike."""
    abstract, concrete = pair.abstract, pair.concrete
    for name in ("received", "expected"):
        is_reset = abstract["phase"] is invocation.Phase.ENDED
        if concrete[name] != abstract[name] and not is_reset:
            return f"{name} is {concrete[name]}, and should be {abstract[name]}"
    if concrete["phase"] is not PHASES[abstract["phase"]]:
        return f"phase is {concrete['phase']}, and should be {PHASES[abstract['phase']]}"
    outcome = abstract["outcome"]
    if outcome is not None and concrete["outcome"] not in OUTCOMES[outcome]:
        return f"outcome is {concrete['outcome']}, and should be of {outcome}"
    by = abstract["ended_by"]
    if by is not None and concrete["answered_by"] != pair.numbers[by]:
        return f"answered_by is {concrete['answered_by']}, and should be {pair.numbers[by]}"
    for member, is_up in enumerate(abstract["is_up"]):
        if is_up and concrete["row"][member] != abstract["row"]:
            return f"the row of member {member} is {concrete['row'][member]}, and should be {abstract['row']}"
    return None
