"""What each step of `replication` is in `replicas`, where every member learns of a change at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.replicas.state import Kind
from gridproof_model.specifications.replication.state import NormalKind, Standing, UrgentKind

PLENTY = 1_000
VERDICTS = {
    "stale_backup_message_is_dropped": "stale_update_is_dropped",
    "equal_backup_message_is_applied": "equal_update_is_applied",
    "next_backup_message_is_applied": "next_update_is_applied",
    "gapped_backup_message_is_applied": "gapped_update_is_applied",
}
BUDGETS = ("changes_left", "moves_left", "checks_left", "endings_left")
KINDS = {
    NormalKind.BACKUP: Kind.UPDATE,
    NormalKind.CHECK: Kind.CHECK,
    UrgentKind.ANSWER: Kind.ANSWER,
    UrgentKind.RETRY: Kind.RETRY,
}


@dataclass(frozen=True, slots=True)
class Pair:
    """A state of each, and which member holds which slot."""

    abstract: State
    concrete: State
    holders: tuple[int | None, ...]


@dataclass(slots=True)
class LockStep:
    """Takes the steps of `replicas` that one step of `replication` is; mutable."""

    runner: Runner
    before: State
    after: State
    """Of `replication`."""
    state: State
    """Of `replicas`."""
    holders: list[int | None]

    def take(self, action: str, *arguments: int) -> None:
        """Take one action; StepError where the specification refuses it."""
        self.state = self.runner.step(self.state, Event(action, arguments))

    def follow(self, event: Event) -> None:
        """Do what an event of `replication` is."""
        name, arguments = event.action, [int(one) for one in event.arguments]
        if name in VERDICTS:
            self._judge(VERDICTS[name], *arguments)
            return
        does: Callable[..., None] = getattr(self, f"_{name}")
        does(*arguments)

    @property
    def _primary(self) -> int:
        assert self.holders[0] is not None
        return self.holders[0]

    def _holder(self, backup: int) -> int:
        holder = self.holders[backup + 1]
        assert holder is not None
        return holder

    def _alive(self) -> Iterator[int]:
        return (member for member, ended in enumerate(self.state["ended"]) if not ended)

    def _spare(self) -> int:
        return next(member for member in self._alive() if member not in self.holders)

    def _take_from_mail(self, action: str, member: int, kind: Kind, **wanted: Plain) -> None:
        for place, message in enumerate(self.state["mail"][member]):
            if message.kind is kind and all(getattr(message, name) == value for name, value in wanted.items()):
                self.take(action, member, place)
                return
        raise AssertionError(f"{action}: no {kind.value} with {wanted} waits for member {member}")

    def _ask_if_registered(self, backup: int) -> None:
        was, now = (one["backup_replica"][backup].is_syncing for one in (self.before, self.after))
        if now and not was:
            self.take("sync_is_requested", self._holder(backup), backup)

    def _normal_message_is_lost(self, backup: int) -> None:
        self._lose(backup, self.before["link"][backup].normal[0])

    _message_for_another_slot_is_dropped = _normal_message_is_lost

    def _urgent_message_is_lost(self, backup: int) -> None:
        self._lose(backup, self.before["link"][backup].urgent[0])

    _answer_for_another_slot_is_dropped = _urgent_message_is_lost

    def _request_is_lost(self, backup: int) -> None:
        self._answer("message_is_lost", backup)

    def _lose(self, backup: int, message: Plain) -> None:
        self._take_from_mail("message_is_lost", self._holder(backup), KINDS[message.kind], backup=message.index)

    def _primary_executes_write(self, _entry: int) -> None:
        listed = sum(replica.standing is not Standing.EMPTY for replica in self.before["backup_replica"])
        reach = min(listed + self.before["spares"], len(self.holders) - 1)
        if self.state["reach"][self._primary] != reach:
            self.take("groups_are_counted", self._primary, reach)
        self.take("primary_executes_write", self._primary)

    def _judge(self, action: str, backup: int) -> None:
        message = self.before["link"][backup].normal[0]
        wanted = {"backup": message.index, "versions": message.versions, "sender": self._primary}
        self._take_from_mail(action, self._holder(backup), Kind.UPDATE, **wanted)
        self._ask_if_registered(backup)

    def _primary_sends_check(self, backup: int) -> None:
        self.take("primary_sends_check", self._primary, backup)

    def _check_is_compared(self, backup: int) -> None:
        check, held = self.before["link"][backup].normal[0], self.before["backup_replica"][backup]
        is_behind = held.is_dirty or held.versions[backup] != check.versions[backup]
        action = "check_finds_difference" if is_behind else "check_finds_nothing"
        wanted = {"backup": check.index, "versions": check.versions, "sender": self._primary}
        self._take_from_mail(action, self._holder(backup), Kind.CHECK, **wanted)
        self._ask_if_registered(backup)

    def _primary_answers(self, backup: int) -> None:
        self._answer("request_is_answered", backup)

    def _primary_turns_request_down(self, backup: int) -> None:
        self._answer("request_is_turned_down", backup)

    def _answer(self, action: str, backup: int) -> None:
        index = self.before["link"][backup].request
        self._take_from_mail(action, self._primary, Kind.REQUEST, sender=self._holder(backup), backup=index)

    def _answer_is_applied(self, backup: int) -> None:
        answer = self.before["link"][backup].urgent[0]
        wanted = {"backup": answer.index, "versions": answer.versions}
        self._take_from_mail("answer_is_installed", self._holder(backup), Kind.ANSWER, **wanted)

    def _retry_is_received(self, backup: int) -> None:
        index = self.before["link"][backup].urgent[0].index
        if index == backup:
            self._take_from_mail("retry_is_received", self._holder(backup), Kind.RETRY, backup=index)

    def _registration_expires(self, backup: int) -> None:
        self.take("sync_expires", self._holder(backup), backup)

    def _primary_crashes(self) -> None:
        self.take("member_ends", self._primary)

    def _backup_crashes(self, backup: int) -> None:
        self.take("member_ends", self._holder(backup))

    def _crashed_primary_is_removed(self) -> None:
        self._remove(0)
        for backup, replica in enumerate(self.before["backup_replica"]):
            if replica.is_syncing:
                self.take("sync_expires", self._holder(backup), backup)

    def _crashed_backup_is_removed(self, backup: int) -> None:
        self._remove(backup + 1)

    def _remove(self, slot: int) -> None:
        gone = self.holders[slot]
        assert gone is not None
        for member in self._alive():
            self.take("member_is_removed", member, gone)
        self._learn(slot, None)

    def _learn(self, slot: int, holder: int | None) -> None:
        """Let everybody learn who has a slot now."""
        self.holders[slot] = holder
        for member in self._alive():
            if self.state["row"][member][slot] == holder:
                continue
            if holder is None:
                self.take("slot_is_emptied", member, slot)
            else:
                self.take("slot_is_learned", member, slot, holder)

    def _backup_is_promoted(self, backup: int) -> None:
        heir = self._holder(backup)
        self._learn(backup + 1, None)
        self._learn(0, heir)
        self.take("replica_is_cut_down", heir, 0)
        self.take("replica_is_promoted", heir, backup)

    def _lost_partition_is_assigned(self) -> None:
        spare = self._spare()
        self._learn(0, spare)
        self.take("replica_is_cut_down", spare, 0)

    def _replica_is_copied(self, backup: int) -> None:
        self._migrate(self._spare(), backup + 1)

    def _replica_is_shifted_up(self, colder: int, backup: int) -> None:
        member = self._holder(colder)
        self._migrate(member, backup + 1, left_slot=colder + 1)

    def _replica_is_shifted_down(self, backup: int, colder: int) -> None:
        steps_down = self._holder(backup)
        self._migrate(self._spare(), backup + 1)
        self._learn(colder + 1, steps_down)
        self.take("replica_is_cut_down", steps_down, colder + 1)
        if self.before["backup_replica"][backup].is_syncing:
            self.take("sync_expires", steps_down, backup)

    def _migrate(self, member: int, slot: int, left_slot: int | None = None) -> None:
        for one in (self._primary, member):
            self.take("migration_begins", one)
        self.take("replica_is_copied", self._primary, member, slot)
        if left_slot is not None:
            self._learn(left_slot, None)
        self._learn(slot, member)
        self.take("replica_is_cut_down", member, slot)
        for one in (self._primary, member):
            self.take("migration_ends", one)


def stepped(runner: Runner, pair: Pair, event: Event, after: State) -> Pair:
    """Return the pair after a step of `replication`; StepError where `replicas` has no such step."""
    step = LockStep(runner, pair.abstract, after, pair.concrete, list(pair.holders))
    step.follow(event)
    concrete = step.state.replaced(dict.fromkeys(BUDGETS, PLENTY))
    return Pair(after, concrete, tuple(step.holders))


def difference(pair: Pair) -> str | None:
    """Return in what a pair differs, None where it is alike."""
    primary = pair.abstract["primary"]
    if primary.standing is Standing.UP and pair.holders[0] is not None:
        held = pair.concrete["replica"][pair.holders[0]]
        if held.versions != primary.versions:
            return f"the primary has {held.versions}, and should have {primary.versions}"
    for backup, replica in enumerate(pair.abstract["backup_replica"]):
        holder = pair.holders[backup + 1]
        if replica.standing is not Standing.UP or holder is None:
            continue
        held, asked = pair.concrete["replica"][holder], pair.concrete["asked"][holder][backup]
        found = (held.versions, held.is_dirty, asked is not None)
        wanted = (replica.versions, replica.is_dirty, replica.is_syncing)
        if found != wanted:
            return f"backup {backup} has {found}, and should have {wanted}"
    return None
