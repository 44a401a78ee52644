"""What each step of `ownership` is in `tables`, where every member learns of a change of the list at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.ownership import state as ownership
from gridproof_model.specifications.tables import state as tables
from tests.exhaustive.in_step import Pair

PLENTY = 1_000_000
BUDGETS = ("changes_left", "edits_left", "orders_left", "losses_left", "endings_left")
RUNNING = (ownership.Life.RUNNING, ownership.Life.LEAVING)
SILENT = ("member_is_cut_off", "member_asks_to_leave", "late_table_is_refused", "master_forgets_migration")
"""What changes nothing that members of `tables` have."""
ENDING = ("member_crashes", "cut_off_member_resets", "lite_member_leaves", "master_lets_member_leave")


@dataclass(slots=True)
class LockStep:
    """Takes the steps of `tables` that one step of `ownership` is; mutable."""

    runner: Runner
    before: State
    after: State
    """Of `ownership`."""
    state: State
    """Of `tables`."""

    def take(self, action: str, *arguments: int) -> None:
        """Take one action; StepError where the specification refuses it."""
        self.state = self.runner.step(self.state, Event(action, arguments))

    def follow(self, event: Event) -> None:
        """Do what an event of `ownership` is."""
        arguments = [int(one) for one in event.arguments]
        if event.action not in (*SILENT, *ENDING, "master_removes_member", "master_lets_all_leave"):
            does: Callable[..., None] = getattr(self, f"_{event.action}")
            does(*arguments)
        for member, life in enumerate(self.after["life"]):
            if life is ownership.Life.GONE and not self.state["ended"][member]:
                self.take("member_ends", member)
        for member in self._running(self.after):
            self._learn_list(member)

    @property
    def _master(self) -> int:
        master: int = self.before["master"]
        return master

    def _running(self, state: State) -> Iterator[int]:
        return (member for member, life in enumerate(state["life"]) if life in RUNNING)

    def _learn_list(self, member: int) -> None:
        """Let a member learn of the list as it is now, the oldest first."""
        for other, is_listed in enumerate(self.after["listed"]):
            if (self.state["rank"][member][other] is not None) != is_listed:
                self.take("member_is_listed" if is_listed else "member_is_removed", member, other)

    def _founders_form_the_cluster(self) -> None:
        for member in self._running(self.after):
            self._learn_list(member)

    def _member_joins(self, member: int) -> None:
        self._learn_list(member)
        self.take("master_is_followed", member, self._master)
        if self.after["version"][member]:
            self._send(self._master, member)
        self._hear(member)

    def _member_restarts(self, member: int, _earlier: int) -> None:
        self._member_joins(member)

    def _send(self, sender: int, receiver: int) -> None:
        self.take("table_is_sent", sender)
        self.take("table_arrives", receiver, sender, len(self.state["sent"][sender]) - 1)

    def _hear(self, member: int) -> None:
        """Let a member hear with a table how migrations ended, and finish the one it takes part in."""
        for migration, outcome in enumerate(self.after["outcomes"][member]):
            is_unknown = self.state["outcomes"][member][migration] is tables.Outcome.UNKNOWN
            is_new = outcome not in (self.before["outcomes"][member][migration], ownership.Outcome.UNKNOWN)
            if is_new and is_unknown:
                self.take("outcome_is_learned", member, migration)
        self._finish(member)

    def _finish(self, member: int) -> None:
        """Let a member finish the migration it takes part in, if it does so in this step."""
        was, now = (state["active"][member] for state in (self.before, self.after))
        if was is not None and now is None and self.state["active"][member] is not None:
            self.take("participant_finishes", member, was)

    def _master_arranges(self, *_chosen: int) -> None:
        for slot, holder in enumerate(self.after["row"][self._master]):
            if holder is not None:
                self.take("master_fills_slot", self._master, slot, holder)

    def _member_receives_table(self, member: int) -> None:
        if self.before["version"][member] < self.before["version"][self._master]:
            self._send(self._master, member)
        self._hear(member)

    def _table_is_sent_late(self, _letter: int, sender: int, _receiver: int) -> None:
        self.take("table_is_sent", sender)

    def _late_table_arrives(self, letter: int, member: int) -> None:
        table = self.before["late"][letter]
        if self.before["version"][member] < table.version:
            sent = self.state["sent"][table.sender]
            place = next(at for at, one in enumerate(sent) if (one.row, one.version) == (table.row, table.version))
            self.take("table_arrives", member, table.sender, place)
        self._hear(member)

    def _member_hears_of_completed_migration(self, member: int, migration: int) -> None:
        self.take("completed_migration_is_applied", member, migration)
        self._finish(member)

    def _member_accepts_claim(self, member: int, candidate: int) -> None:
        for older in range(candidate):
            if self.state["rank"][member][older] is not None and not self.state["suspects"][member][older]:
                self.take("member_is_suspected", member, older)
        if member == candidate:
            self.take("claim_begins", member)
        else:
            self.take("claim_is_granted", member, candidate)

    def _candidate_becomes_master(self, candidate: int) -> None:
        self.take("claim_ends", candidate)
        # Whoever has not answered is still in the list of `ownership`, and is not waited for there.
        self.take("fetch_begins", candidate)

    def _master_fetches_most_recent_rows(self) -> None:
        master = self._master
        for gone in range(len(self.before["life"])):
            # Whoever is gone is still in the list of `ownership`, and is not waited for there.
            if self.before["life"][gone] not in RUNNING and self.state["rank"][master][gone] is not None:
                self.take("member_is_removed", master, gone)
        for migration, outcome in enumerate(self.after["outcomes"][master]):
            is_new = outcome is not self.before["outcomes"][master][migration]
            if is_new or self.before["active"][master] == migration:
                self.take("migration_is_settled", master, migration)
        row = self.after["row"][master]
        if row != self.before["row"][master] or max(self._answers()) > self.before["version"][master]:
            other = next(
                one
                for one in self._running(self.before)
                if (self.before["row"][one], self.before["version"][one]) == (row, max(self._answers()))
            )
            self.take("table_is_sent", other)
            self.take("newest_row_is_fetched", master, other, len(self.state["sent"][other]) - 1)
        for migration in range(len(self.after["stage"])):
            if self.state["version"][master] < self.after["version"][master]:
                self._lift(master, migration)
        self.take("fetch_ends", master)

    def _answers(self) -> list[int]:
        followers = (one for one in self._running(self.before) if self.before["listed"][one])
        return [self.before["version"][one] for one in followers if self.before["follows"][one] == self._master]

    def _lift(self, master: int, migration: int) -> None:
        event = Event("fetched_row_is_lifted", (master, migration))
        if self.runner.refusal(self.state, event) is None:
            lifted = self.runner.step(self.state, event)
            if lifted["version"][master] == self.after["version"][master]:
                self.state = lifted

    def _master_empties_slots(self) -> None:
        self.take("master_empties_slots", self._master)

    def _master_orders_promotion(self) -> None:
        self.take("master_orders_promotion", self._master)

    def _backup_is_promoted(self, member: int) -> None:
        sent = self.state["sent"][self._master]
        place = next(at for at in reversed(range(len(sent))) if sent[at].promotes == member)
        self.take("backup_is_promoted", member, self._master, place)
        self.take("primary_begins", member)
        self._hear(member)
        if member == self._master:
            self.take("promotion_ends", member)

    def _master_records_promotion(self) -> None:
        self.take("master_records_promotion", self._master)
        self.take("promotion_ends", self._master)

    def _promotion_fails(self) -> None:
        self.take("promotion_fails", self._master)

    def _master_assigns_lost_partition(self, member: int) -> None:
        self.take("master_fills_slot", self._master, 0, member)

    def _master_removes_replica(self, slot: int) -> None:
        self.take("master_clears_slot", self._master, slot)

    def _master_orders_migration(self, _migration: int, destination: int, slot: int) -> None:
        self.take("master_orders_migration", self._master, destination, slot)

    def _master_orders_shift_down(self, _migration: int, destination: int, slot: int, lower: int) -> None:
        self.take("master_orders_shift_down", self._master, destination, slot, lower)

    def _primary_opens_migration(self, migration: int, primary: int) -> None:
        self.take("primary_opens_migration", primary, migration)

    def _destination_gets_ready(self, migration: int, destination: int) -> None:
        self.take("destination_gets_ready", destination, migration)

    def _primary_copies_data(self, migration: int, _destination: int) -> None:
        self.take("primary_copies_data", self.before["plan"][migration].primary, migration)

    def _master_sends_commit(self, migration: int) -> None:
        self.take("master_sends_commit", self._master, migration)

    def _destination_commits(self, migration: int, destination: int) -> None:
        self.take("destination_commits", destination, migration)
        self._finish(destination)

    def _master_commits(self, migration: int) -> None:
        if self.before["row"][self._master] != self.after["row"][self._master]:
            self.take("master_commits", self._master, migration)
        self._finish(self._master)
        self.take("migration_ends", self._master, migration)

    def _request_fails(self, migration: int) -> None:
        self.take("migration_fails", self._master, migration)
        self._finish(self._master)
        self.take("migration_ends", self._master, migration)

    _migration_fails_with_its_member = _request_fails


def stepped(runner: Runner, pair: Pair, event: Event, after: State) -> Pair:
    """Return the pair after a step of `ownership`; StepError where `tables` has no such step."""
    step = LockStep(runner, pair.abstract, after, pair.concrete)
    step.follow(event)
    return Pair(after, _without_the_past(runner, step.state, after))


def _without_the_past(runner: Runner, state: State, abstract: State) -> State:
    """Return a state that remembers of what was sent, and of migrations, only what `ownership` does."""
    late = {(one.sender, one.row, one.version) for one in abstract["late"] if one.sender is not None}
    is_promoting = abstract["promotion"] is ownership.Promotion.SENT

    def kept(member: int, table: Plain) -> bool:
        is_last = is_promoting and member == abstract["master"] and table.version == abstract["version"][member] + 2
        return is_last if table.promotes is not None else (member, table.row, table.version) in late

    def sent(member: int) -> tuple[Plain, ...]:
        found = dict.fromkeys(table for table in state["sent"][member] if kept(member, table))
        return tuple(sorted(found, key=str))

    changes: dict[str, Plain] = dict.fromkeys(BUDGETS, PLENTY)
    changes["sent"] = tuple(sent(member) for member in range(len(state["sent"])))
    unused = [stage is ownership.Stage.UNUSED for stage in abstract["stage"]]
    nothing = runner.start["plan"][0]
    changes["plan"] = tuple(nothing if gone else plan for plan, gone in zip(state["plan"], unused, strict=True))
    changes["stage"] = tuple(
        tables.Stage.UNUSED if gone else stage for stage, gone in zip(state["stage"], unused, strict=True)
    )
    recorded = {
        (one.sender, migration)
        for one in abstract["late"]
        for migration, outcome in enumerate(one.outcomes)
        if outcome is not ownership.Outcome.UNKNOWN
    }
    changes["outcomes"] = tuple(
        tuple(
            tables.Outcome.UNKNOWN if gone and (member, migration) not in recorded else one
            for migration, (one, gone) in enumerate(zip(known, unused, strict=True))
        )
        for member, known in enumerate(state["outcomes"])
    )
    return state.replaced(changes)


def difference(pair: Pair) -> str | None:
    """Return in what a pair differs, None where it is alike."""
    for member, life in enumerate(pair.abstract["life"]):
        if life not in RUNNING:
            continue
        for name in ("row", "version", "follows", "active"):
            found, wanted = pair.concrete[name][member], pair.abstract[name][member]
            if found != wanted:
                return f"{name} of member {member} is {found}, and should be {wanted}"
    return None
