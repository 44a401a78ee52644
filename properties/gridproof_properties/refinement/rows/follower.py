"""Events of repair, promotion, spreading and succession, as actions.

Each step is taken from what all members have at that moment, and what comes of it is compared with the row that
was installed. A table that arrives must be one that its sender has had.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.membership import (
    ClaimBegun,
    ClaimGranted,
    MastershipClaimed,
    MemberListInstalled,
    MemberRemoved,
)
from gridproof_model.events.migration import MigrationOrdered
from gridproof_model.events.partitioning import (
    FetchBegun,
    Promoted,
    PromotionEnded,
    PromotionOrdered,
    RowInstalled,
    RowsFetched,
    TableReceived,
    TableRefused,
)
from gridproof_model.language import Plain
from gridproof_model.partition_table import MAX_REPLICA_COUNT
from gridproof_model.specifications.ownership.state import Promotion
from gridproof_properties.refinement.behaviour import Behaviour, OutOfScopeError
from gridproof_properties.refinement.rows.differences import ANOTHER_ORDER, ELSEWHERE, LEARNT, SETTLES, SPLIT
from gridproof_properties.refinement.rows.everybody import NOBODY, Everybody, Row
from gridproof_properties.refinement.step import Slots, Step

OfPromotion = (
    RowInstalled | PromotionOrdered | Promoted | PromotionEnded | TableReceived | TableRefused | MigrationOrdered
)
OfSuccession = (
    ClaimBegun | ClaimGranted | MastershipClaimed | FetchBegun | RowsFetched | MemberListInstalled | MemberRemoved
)
Read = OfPromotion | OfSuccession
"""What is read of a run."""


@dataclass(slots=True)
class Follower:
    """Follows the rows of one run; mutable."""

    everybody: Everybody
    differences: Counter[str]
    partition_count: int = 0
    steps: int = 0
    _had: set[tuple[int, int, Row]] = field(default_factory=set)
    """Every row that a member ever had of a partition."""
    _arriving: dict[int, list[tuple[Step, RowInstalled, Row]]] = field(default_factory=dict)
    """Rows of a table that a member is taking, with the partition and what it had before."""
    _promoting: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The promotion that a master has asked for, by partition: the master, who is to be promoted."""
    _promoted: set[tuple[int, int]] = field(default_factory=set)
    """Members that have applied theirs, with the partition."""
    _orders: dict[int, set[int]] = field(default_factory=dict)
    """Partitions of the migrations of a number."""
    _fetched: dict[tuple[int, int], Row] = field(default_factory=dict)
    """What a new master had before it collected rows, where that was changed."""
    _asked: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def take(self, step: Step, event: Read) -> None:
        """Take the next step of anybody."""
        if isinstance(event, OfPromotion):
            self._take_of_promotion(step, event)
        else:
            self._take_of_succession(step, event)

    def _take_of_promotion(self, step: Step, event: OfPromotion) -> None:
        match event:
            case RowInstalled():
                self.row_installed(step, event)
            case PromotionOrdered():
                self.promotion_ordered(step, event)
            case Promoted():
                self.promoted(step, event)
            case PromotionEnded():
                self.promotion_ended(event)
            case TableReceived():
                self.table_received(step, event)
            case TableRefused():
                self.table_refused(step, event)
            case MigrationOrdered():
                self.migration_ordered(event)
            case _:
                assert_never(event)

    def _take_of_succession(self, step: Step, event: OfSuccession) -> None:
        match event:
            case ClaimBegun():
                self.claim_begun(step)
            case ClaimGranted():
                self.claim_granted(step, event)
            case MastershipClaimed():
                self.mastership_claimed(step, event)
            case FetchBegun():
                self.fetch_begun(step, event)
            case RowsFetched():
                self.rows_fetched(step, event)
            case MemberListInstalled():
                self.list_installed(step, event)
            case MemberRemoved():
                self.member_removed(step, event)
            case _:
                assert_never(event)

    def row_installed(self, step: Step, event: RowInstalled) -> None:
        """A row has changed: take the step that it is, and remember the row."""
        place = (step.member, event.partition)
        before, now = (
            self.everybody.rows.get(place, (NOBODY, 0)),
            (_filled(event.slots), event.version),
        )
        match event.why:
            case "received":
                self._arriving.setdefault(step.member, []).append((step, event, before))
            case "fetched":
                self._fetched[place] = before
            case "repaired":
                self._edit(step, event, "master_empties_slots", now)
            case "promoted":
                self._edit(step, event, "master_records_promotion", now, promotion=Promotion.DONE)
            case "failed" if self._is_promoting(step, event):
                self._edit(step, event, "promotion_fails", now, promotion=Promotion.SENT)
            case _:
                self.differences[ELSEWHERE.name] += 1
        self.everybody.rows[place] = now
        self._had.add((*place, now))

    def promotion_ordered(self, step: Step, event: PromotionOrdered) -> None:
        """A master asks the lowest survivor."""
        behaviour = self.everybody.look(step.member, event.partition)
        self._take(behaviour, step, "master_orders_promotion")
        row = self.everybody.row(step.member, event.partition)[0]
        lowest = next(slot for slot, holder in enumerate(row) if holder is not None)
        behaviour.agree(step, "destination", event.destination, row[lowest])
        behaviour.agree(step, "from_index", event.from_index, lowest)
        self._promoting[event.partition] = (step.member, event.destination)

    def promoted(self, step: Step, event: Promoted) -> None:
        """A backup has become the primary: its table must have come first."""
        place = (step.member, event.partition)
        if place not in self._promoted:
            self.everybody.look(*place).refuse(step, "no table of its master made it the primary")
        self._promoted.discard(place)

    def promotion_ended(self, event: PromotionEnded) -> None:
        """The master knows how a promotion ended."""
        self._promoting.pop(event.partition, None)

    def table_received(self, step: Step, event: TableReceived) -> None:
        """A table was taken: each row that was newer is a step."""
        for installed, row, before in self._arriving.pop(step.member, []):
            self._arrive(installed, row, event.sender, before)

    def table_refused(self, step: Step, event: TableRefused) -> None:
        """A table was thrown away: its sender is not the receiver's master."""
        if event.what == "table" and event.sender in self.everybody.scene.alive:
            sender, rows = event.sender, self.everybody.row(event.sender, 0)
            behaviour = self.everybody.look(step.member, 0, late=(sender, step.member, rows))
            self._take(behaviour, step, "late_table_is_refused", 0)

    def claim_begun(self, step: Step) -> None:
        """A member takes everybody older for dead, and follows itself first."""
        self._accept(step, step.member)

    def claim_granted(self, step: Step, event: ClaimGranted) -> None:
        """A member follows a candidate."""
        if self.everybody.masters.get(step.member) != event.candidate:
            self._accept(step, event.candidate)

    def mastership_claimed(self, step: Step, event: MastershipClaimed) -> None:
        """Everybody that lives follows the candidate: it is master."""
        listed = self.everybody.scene.lists.get(step.member, ())
        old = min(listed, default=step.member)
        if old == step.member or self._is_in_another_order(listed):
            return
        stay = event.members
        if any(member in self.everybody.scene.alive and member not in stay for member in listed):
            raise OutOfScopeError(SPLIT)
        behaviour = self.everybody.look(old, 0, lists=step.member)
        self._take(behaviour, step, "candidate_becomes_master", step.member)
        for member in stay:
            if member not in listed and self._is_told_of(member, stay):
                self.differences[LEARNT.name] += 1
                continue
            is_listed = member < len(behaviour["listed"]) and behaviour["listed"][member]
            behaviour.agree(step, f"member {member} in the new list", True, is_listed)

    def _is_told_of(self, newcomer: int, followers: Sequence[int]) -> bool:
        """Whether somebody who follows a candidate has a member in its list already."""
        return any(self.everybody.scene.lists_member(one, newcomer) for one in followers)

    def fetch_begun(self, step: Step, event: FetchBegun) -> None:
        """A new master asks everybody for rows."""
        self._asked[step.member] = event.asked

    def rows_fetched(self, step: Step, event: RowsFetched) -> None:
        """A new master has the newest rows: of every partition in which it settled no migration."""
        master = step.member
        touched = {place for number in (*event.succeeded, *event.failed) for place in self._orders[number]}
        self.differences[SETTLES.name] += len(touched)
        answered = dict.fromkeys((*self._asked.get(master, ()), master), master)
        for partition in set(range(self.partition_count)) - touched:
            now, before = self.everybody.row(master, partition), self._fetched.get((master, partition))
            behaviour = self.everybody.look(master, partition, fetching=True, follows=answered, mine=before)
            self._take(behaviour, step, "master_fetches_most_recent_rows")
            self._compare(behaviour, step, master, now)
        self._fetched.clear()

    def migration_ordered(self, event: MigrationOrdered) -> None:
        """Remember whose migration a number is."""
        self._orders.setdefault(event.number, set()).add(event.partition)

    def list_installed(self, step: Step, event: MemberListInstalled) -> None:
        """A member has a new list, and with it a master."""
        self.everybody.scene.list_installed(step, event)
        self.everybody.masters[step.member] = event.members[0]

    def member_removed(self, step: Step, event: MemberRemoved) -> None:
        """A member struck another off its list."""
        if event.member in self.everybody.scene.alive:
            raise OutOfScopeError(SPLIT)
        self.everybody.scene.removed(step.member, event.member)

    def _edit(
        self, step: Step, event: RowInstalled, action: str, now: Row, promotion: Promotion = Promotion.NONE
    ) -> None:
        behaviour = self.everybody.look(step.member, event.partition, promotion=promotion)
        self._take(behaviour, step, action)
        self._compare(behaviour, step, step.member, now)

    def _arrive(self, step: Step, event: RowInstalled, sender: int, before: Row) -> None:
        partition, now = event.partition, (_filled(event.slots), event.version)
        master, destination = self._promoting.get(partition, (-1, -1))
        is_new = sender == step.member or self.everybody.row(sender, partition)[0][0] != step.member
        if (master, destination) == (sender, step.member) and now[0][0] == step.member and is_new:
            behaviour = self.everybody.look(sender, partition, promotion=Promotion.SENT, changed={step.member: before})
            self._take(behaviour, step, "backup_is_promoted", step.member)
            self._promoted.add((step.member, partition))
        else:
            behaviour = self.everybody.look(step.member, partition, late=(sender, step.member, now), mine=before)
            self._take(behaviour, step, "late_table_arrives", 0, step.member)
            if (sender, partition, now) not in self._had:
                behaviour.refuse(step, f"member {sender}, whose table it is, never had such a row")
        self._compare(behaviour, step, step.member, now)

    def _accept(self, step: Step, candidate: int) -> None:
        listed = self.everybody.scene.lists.get(step.member, ())
        if any(older < candidate and older in self.everybody.scene.alive for older in listed):
            raise OutOfScopeError(SPLIT)
        if not self._is_in_another_order(listed):
            behaviour = self.everybody.look(self.everybody.masters.get(step.member, step.member), 0, lists=step.member)
            self._take(behaviour, step, "member_accepts_claim", step.member, candidate)
        self.everybody.masters[step.member] = candidate

    def _is_in_another_order(self, listed: tuple[int, ...]) -> bool:
        is_so = list(listed) != sorted(listed)
        self.differences[ANOTHER_ORDER.name] += is_so
        return is_so

    def _is_promoting(self, step: Step, event: RowInstalled) -> bool:
        return self._promoting.get(event.partition, (-1, -1))[0] == step.member

    def _take(self, behaviour: Behaviour, step: Step, action: str, *arguments: Plain) -> None:
        behaviour.take(step, action, *arguments)
        self.steps += 1

    def _compare(self, behaviour: Behaviour, step: Step, member: int, now: Row) -> None:
        behaviour.agree(step, "slots", now[0], behaviour["row"][member])
        behaviour.agree(step, "version", now[1], behaviour["version"][member])


def _filled(slots: Slots) -> Slots:
    return (*slots, *NOBODY)[:MAX_REPLICA_COUNT]
