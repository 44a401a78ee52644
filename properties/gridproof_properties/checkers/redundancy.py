"""Whether lost copies are replaced in time.

When a member crashes, every partition of which the member held a copy has a copy too few. Within the time that the
system states, the table must name again as many living members as there is room for; if members show contents, these
must be equal on all of them. The judge keeps, for each partition that lost a copy, whether it still lacks one, and the
digests of one stage.
"""

from dataclasses import dataclass, field
from math import inf

from gridproof_model import trace
from gridproof_model.events import kinds_of
from gridproof_model.events.conditions import StatedTimes
from gridproof_properties.judging.guarantee import OF_ONE_CRASH
from gridproof_properties.judging.judge import Asking, Cause, Judge, Limit, Property, Severity
from gridproof_properties.judging.resting import holders_in
from gridproof_properties.judging.scene import SettledTable
from gridproof_properties.judging.words import count, within

HELD_BACK = (
    Limit(Cause.FROZEN, "repair.15: nothing is copied"),
    Limit(
        ~(Cause.COPY_ENDED | Cause.PRIMARY_ENDED | Cause.MOVED | Cause.FROZEN),
        "sync.18, limits.13: convergence is promised once faults stop",
        anybody=OF_ONE_CRASH,
    ),
)
ANOTHER_CHANGE = ("another member came or went before the grid was at rest", "sync.18")


@dataclass(slots=True)
class _Looks:
    """The contents that members showed in one stage, with the state of the grid by which they are judged."""

    rested_ms: int
    alive: frozenset[int]
    room: int
    """How many copies of a partition there can be."""
    digests: dict[int, dict[int, str]] = field(default_factory=dict)
    """The digests by partition and member."""


@dataclass(slots=True)
class _RedundancyJudge(Judge):
    READS = frozenset(
        {trace.OperationRecord, trace.DigestRecord, trace.MemberRecord, trace.ViewRecord, trace.RowRecord}
    )
    WATCHED = kinds_of(StatedTimes)
    COUNTED = "{failed} of {compared:partition} that lost a copy did not have all copies again in time"
    HELD = "{all} {compared:partition} that lost a copy had all copies again in time"
    UNSEEN = "no member that held a copy crashed while the grid was at rest"
    stated_ms: int | None = None
    stated_by: str = ""
    fault: trace.MemberRecord | None = None
    also: tuple[str, str] | None = None
    lacking: dict[int, int | None] = field(default_factory=dict)
    """For each partition that lost a copy, when it was seen complete again; None if it has not been seen so yet."""
    shows_contents: bool = False
    was_resting: bool = False
    now_ms: int = 0
    table: SettledTable | None = None
    """The latest table at rest that was looked at."""
    has_looked: bool = False
    """Whether a table at rest was looked at since the latest fault: without rows, missing copies are not known."""
    looks: _Looks | None = None

    def observe(self, record: trace.Record) -> None:
        match record:
            case trace.OperationRecord():
                self.now_ms = max(self.now_ms, record.end_ms)
            case trace.DigestRecord():
                self.now_ms = record.at_ms
                if record.settled and self.rest.is_resting:
                    self._look(record)
            case trace.EventRecord(event=StatedTimes(restored_within_ms=stated_ms, source=source)):
                self.stated_ms, self.stated_by = stated_ms, source
            case trace.MemberRecord():
                self._change(record)
            case trace.ViewRecord():
                self.now_ms = record.at_ms
                self._judge_looks()
                self.was_resting = record.settled
            case trace.RowRecord():
                if self.fault is not None and self.rest.table is not self.table:
                    self.table = self.rest.table
                    self.has_looked = True
                    if not self.shows_contents:
                        self._judge_table()
            case _:
                pass

    def break_off(self) -> None:
        """Forget copies that count as missing, but perhaps have just not been looked at yet."""
        self.lacking.clear()

    def finish(self) -> None:
        self._close(self.was_resting)

    def say_unseen(self) -> str:
        unstated = "the system states no time in which a lost copy is restored"
        return unstated if self.stated_ms is None else self.UNSEEN

    def _change(self, record: trace.MemberRecord) -> None:
        self._judge_looks()
        self.now_ms = record.at_ms
        was_resting, self.was_resting = self.was_resting, False
        if not was_resting and self.fault is not None:
            self.also = ANOTHER_CHANGE
            return
        self._close(was_resting)
        if record.change is trace.MemberChange.CRASHED and was_resting and self.rest.current is not None:
            self.fault, self.has_looked = record, False
            held = range(len(self.rest.current.rows))
            self.lacking = {p: None for p in held if record.member in self.rest.holders(p)}

    def _look(self, digest: trace.DigestRecord) -> None:
        self.shows_contents = True
        if self.looks is None:
            self.looks = _Looks(self.rest.since_ms, self.rest.scene.alive, self._room())
        self.looks.digests.setdefault(digest.partition, {})[digest.member] = digest.digest

    def _judge_looks(self) -> None:
        """Note which partitions are complete, judging by the contents shown in a stage that is over."""
        looks, self.looks = self.looks, None
        if looks is None:
            return
        for partition, seen in self.lacking.items():
            holders = self._holders(partition)
            held = {looks.digests.get(partition, {}).get(member) for member in holders}
            is_full = len(looks.alive.intersection(holders)) >= looks.room
            if seen is None and is_full and len(held) == 1 and None not in held:
                self.lacking[partition] = looks.rested_ms

    def _judge_table(self) -> None:
        """Note which partitions are complete, judging by a table at rest, if no member shows contents."""
        alive, room = self.rest.scene.alive, self._room()
        for partition, seen in self.lacking.items():
            if seen is None and len(alive.intersection(self._holders(partition))) >= room:
                self.lacking[partition] = self.rest.since_ms

    def _holders(self, partition: int) -> tuple[int, ...]:
        """Return the members that the latest table names, though the views of another stage may have begun."""
        return () if self.rest.table is None else holders_in(self.rest.table, partition, self.rest.scene.copies)

    def _room(self) -> int:
        return self.rest.scene.wanted

    def _close(self, was_resting: bool) -> None:
        """Compare when each partition was complete again after the latest fault with the time that is stated."""
        self._judge_looks()
        fault, self.fault, also, self.also = self.fault, None, self.also, None
        lacking, self.lacking = self.lacking, {}
        if fault is None or self.stated_ms is None:
            return
        until_ms = fault.at_ms + self.stated_ms
        for partition, seen in lacking.items():
            if seen is None and (not self.has_looked or (self.now_ms < until_ms and not was_resting)):
                continue  # the time was not over yet, or no table shows the partition since
            is_late = seen is None or seen > until_ms
            story = self._describe(fault, partition, seen) if is_late else None
            end_ms = min(until_ms, self.now_ms) if seen is None else seen
            self.comparisons.add(partition, fault.at_ms, end_ms, story, also)

    def _describe(self, fault: trace.MemberRecord, partition: int, seen: int | None) -> tuple[str, ...]:
        copies = count(self.rest.scene.copies, "copy", "copies")
        whole = f"{copies}{', all equal,' if self.shows_contents else ''} on living members"
        limit = within("a partition has to have all its copies again", self.stated_ms or 0, self.stated_by)
        late = "the partition was not seen at rest again"
        if seen is not None:
            late = f"only at {seen:,} ms, {seen - fault.at_ms:,} ms later, was the partition seen at rest again"
        fell = f"at {fault.at_ms:,} ms {self.rest.scene.call(fault.member)} crashed, which had a copy of partition "
        return f"{fell}{partition}, and {late} with {whole}; {limit}", *self.rest.history(partition, inf)


PROPERTIES: tuple[Property, ...] = (
    Property(
        "redundancy-restored",
        "After one member crashed, every partition has all its copies again within the time that the system states.",
        "seed: Data Partitioning and Replication; repair.12, sync.18",
        Severity.REDUNDANCY,
        _RedundancyJudge,
        frozenset({"digest", "row"}),
        HELD_BACK,
        asked_by=Asking.AUDITS,
    ),
)
