"""Queues: every item that was offered comes out exactly once.

Every value polled in the whole run is compared with every value offered; at the end of a run the queues are emptied,
and before that the first value of each queue is looked at. A poll without an answer may have taken a value. Memory: the
offers and polls.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.acknowledged import describe_origin, precedes
from gridproof_properties.judging.judge import Cause, Judge, Limit, Property, Severity
from gridproof_properties.judging.survival import KEPT_LIMITS, ORDER_LIMITS, TWICE_LIMITS, harmed_since_ms, why_lost
from gridproof_properties.judging.words import count, through

_RETRIED = Cause.CONNECTION_BROKEN | Cause.MOVED | Cause.COPY_ENDED | Cause.REMOVED_ALIVE | Cause.MESSAGE_LOST
"""The causes that may make the caller send a poll again."""
UNDONE = (
    "a poll whose answer no client saw may have taken the value, and a copy ended",
    "limits.4: what a call did that nobody saw return may vanish; calls.31",
)


@dataclass(slots=True)
class Queue:
    """What is known about one queue."""

    offers: list[OperationRecord] = field(default_factory=list)
    polls: dict[str, list[OperationRecord]] = field(default_factory=dict)
    """For each value, the polls that returned it."""
    unanswered: list[OperationRecord] = field(default_factory=list)
    """Polls whose result no client saw."""
    emptied: bool = False
    """Whether the last poll, at rest, found nothing, and nothing was offered after it."""
    last_ms: int = 0
    """The end of the last poll."""
    looks: list[OperationRecord] = field(default_factory=list)
    """The operations that looked at the queue's first value, at rest."""

    def offered(self) -> Mapping[str | None, Sequence[OperationRecord]]:
        """Return the offers of each value, by value."""
        found: dict[str | None, list[OperationRecord]] = {}
        for offer in self.offers:
            found.setdefault(offer.value, []).append(offer)
        return found


@dataclass(slots=True)
class QueueJudge(Judge):
    """Gathers the offers and polls of each queue."""

    READS = frozenset({OperationRecord})
    OPERATIONS = frozenset({OperationKind.OFFER, OperationKind.POLL, OperationKind.READ})
    UNSEEN = "no queue was emptied at rest"
    queues: dict[str, Queue] = field(default_factory=dict)
    refused: dict[tuple[str, str | None], list[OperationRecord]] = field(default_factory=dict)
    """For each queue and value, the offers that were refused."""

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if not isinstance(record, OperationRecord):
            return
        if record.kind is OperationKind.OFFER and record.outcome is Outcome.REFUSED:
            self.refused.setdefault((record.key, record.value), []).append(record)
        elif record.kind is OperationKind.OFFER:
            known = self.queues.setdefault(record.key, Queue())
            known.offers.append(record)
            known.emptied = False
        elif record.kind is OperationKind.POLL and record.outcome is not Outcome.REFUSED:
            known = self.queues.setdefault(record.key, Queue())
            if record.outcome is Outcome.UNKNOWN:
                known.unanswered.append(record)
            elif record.value is not None:
                known.polls.setdefault(record.value, []).append(record)
            is_empty = record.outcome is Outcome.OK and record.value is None
            known.emptied = is_empty and self.comparisons.is_at_rest(record.partition)
            known.last_ms = record.end_ms
        elif record.kind is OperationKind.READ and record.outcome is Outcome.OK:
            looked = self.queues.get(record.key)
            if looked is not None and self.comparisons.is_at_rest(record.partition):
                looked.looks.append(record)

    def why_lost(
        self, operation: OperationRecord, until_ms: float, since_ms: float | None = None
    ) -> tuple[str, str] | None:
        """Return why an acknowledged operation, last seen at `since_ms`, may be lost; None if it must have survived."""
        return why_lost(self.comparisons.conditions, operation, until_ms, since_ms=since_ms)

    def since_ms(self, known: Queue, offer: OperationRecord) -> float:
        """Return since when a fault may have lost an offer: since the last look at the queue that saw its value. A
        look sees only the first value of a queue: nothing is known of the other values before they are polled."""
        seen_ms = max((look.start_ms for look in known.looks if look.value == offer.value), default=offer.start_ms)
        return harmed_since_ms(self.comparisons.conditions, offer, seen_ms)

    def unseen(self, known: Queue) -> list[OperationRecord]:
        """Return the polls that may have taken a value that no client saw: unanswered, or sent again (calls.31)."""
        answered = (poll for polls in known.polls.values() for poll in polls)
        return [*known.unanswered, *(poll for poll in answered if self._may_be_retried(poll))]

    def compare_offers(
        self,
        known: Queue,
        offers: Sequence[tuple[OperationRecord, tuple[str, str] | None]],
        describe: Callable[[OperationRecord], Sequence[str]],
        until_ms: int,
    ) -> None:
        """Compare offers with the polls once the queue is empty; the reason beside an offer says why it may be missing.

        A poll without an answer may have taken one of the missing values, and so may a poll that was sent again
        (calls.31); if more offers are missing than there are such polls, the others are lost.
        """
        untaken = len(self.unseen(known))
        for offer, why in offers:
            is_missing = all(poll.start_ms > until_ms for poll in known.polls.get(offer.value or "", ()))
            since_ms = self.since_ms(known, offer)
            is_owed = why is None and self.comparisons.is_in_scope(offer.partition, since_ms, until_ms)
            if is_missing and is_owed and untaken > 0:
                untaken, is_missing = untaken - 1, False
            story = describe(offer) if is_missing else None
            self.comparisons.add(offer.partition, since_ms, until_ms, story, why)

    def _may_be_retried(self, poll: OperationRecord) -> bool:
        incidents = self.comparisons.conditions.incidents
        return incidents.find(_RETRIED, poll.partition, poll.start_ms, poll.end_ms) is not None


@dataclass(slots=True)
class _KeptJudge(QueueJudge):
    COUNTED = "{failed} of {compared:acknowledged offer} got lost"

    def finish(self) -> None:
        for key, known in self.queues.items():
            acknowledged = [offer for offer in known.offers if offer.outcome is Outcome.OK]
            look = next((one for one in known.looks if one.value is None), None)
            if look is not None:
                self._compare(key, known, [offer for offer in acknowledged if precedes(offer, look)], look.end_ms)
                acknowledged = [offer for offer in acknowledged if not precedes(offer, look)]
            if known.emptied:
                self._compare(key, known, acknowledged, known.last_ms)

    def _compare(self, key: str, known: Queue, offers: Sequence[OperationRecord], until_ms: int) -> None:
        def describe(offer: OperationRecord) -> tuple[str, ...]:
            unseen = count(len(known.unanswered), "poll")
            polls = f"only {unseen} had an unknown outcome" if known.unanswered else "every poll had been answered"
            empty = f"at {until_ms:,} ms {key} (partition {offer.partition}) was empty, though the offer of "
            empty += f"{offer.value!r} had been acknowledged, no poll had returned this value, and {polls}; an "
            empty += "acknowledged offer has to stay in its queue until a poll takes it"
            offered = f"at {offer.end_ms:,} ms client {offer.client}'s offer of {offer.value!r} (offer "
            offered += f"{offer.operation}, {offer.stage!r}) was acknowledged"
            return empty, *self.rest.history(offer.partition, until_ms, (offer.end_ms, offered))

        owed = [(offer, self.why_lost(offer, until_ms, self.since_ms(known, offer))) for offer in offers]
        self.compare_offers(known, owed, describe, until_ms)


@dataclass(slots=True)
class _OnceJudge(QueueJudge):
    COUNTED = "{failed} of {compared:value} polled came out of the queue twice"
    UNSEEN = "no value was polled"

    def finish(self) -> None:
        for key, known in self.queues.items():
            offered = known.offered()
            for value, polls in known.polls.items():
                first_ms = min((one.start_ms for one in offered.get(value, ())), default=polls[0].start_ms)
                # A poll whose change was lost with all its copies has no effect left: its value may be queued again.
                again = [(one, other, self.why_lost(one, other.end_ms)) for one, other in pairwise(polls)]
                found = next((one for one in again if one[2] is None), again[-1] if again else None)
                if found is None:
                    self.comparisons.add(polls[0].partition, first_ms, polls[0].end_ms, None)
                    continue
                before, after, why = found
                came = f"{value!r} came out of {key} (partition {after.partition}) {len(polls)} times, by "
                by = (
                    f"poll {one.operation} of client {one.client}{through(one.member)} at {one.end_ms:,} ms"
                    for one in (before, after)
                )
                came += f"{' and by '.join(by)}; an offered value may come out only once"
                story = (came, *self.rest.history(after.partition, after.end_ms))
                self.comparisons.add(after.partition, first_ms, after.end_ms, story, why)


@dataclass(frozen=True, slots=True)
class _Taken:
    """A value that came out exactly once: its poll and its offer."""

    offer: OperationRecord
    poll: OperationRecord


@dataclass(slots=True)
class _OrderJudge(QueueJudge):
    """Two values have to come out in order if the offer of the first and the poll of the second must have survived."""

    COUNTED = "{failed} of {compared:value} came out behind a value that was offered only after their acknowledgement"
    UNSEEN = "no two values were polled one after the other"

    def finish(self) -> None:
        for key, known in self.queues.items():
            unseen = self.unseen(known)
            for one, latest in _in_turn(known):
                is_behind = one.offer.end_ms < latest.offer.start_ms
                why = self._why_not_owed(one, latest, unseen) if is_behind else None
                holders = self.rest.history(one.offer.partition, one.poll.end_ms) if is_behind else ()
                story = (*_describe_order(key, one, latest), *holders) if is_behind else None
                self.comparisons.add(one.offer.partition, one.offer.start_ms, one.poll.end_ms, story, why)

    def _why_not_owed(self, one: _Taken, latest: _Taken, unseen: list[OperationRecord]) -> tuple[str, str] | None:
        """Return why a value may come out after a value that was offered later; None if nothing explains it.

        A poll whose value no client saw may have taken the value in time, and its answer may be lost with the only
        member that knew of the poll: such a poll is taken out of `unseen`, and explains one value.
        """
        for ended in (one.offer, latest.poll):
            why = self.why_lost(ended, one.poll.end_ms)
            if why is not None:
                return why
        conditions, until_ms = self.comparisons.conditions, one.poll.end_ms
        for poll in unseen:
            in_time = poll.start_ms <= latest.poll.end_ms
            if in_time and conditions.ended.are_lost(1, poll.partition, poll.start_ms, until_ms):
                unseen.remove(poll)
                return UNDONE
        return None


def _in_turn(known: Queue) -> Iterator[tuple[_Taken, _Taken]]:
    """Yield each polled value, with the value that was offered last among those that had left the queue before this
    poll began.

    A value that was seen as the first of its queue counts as one that has left it. Values polled twice are ignored.
    """
    offers = {offer.value or "": offer for offer in known.offers if offer.outcome is Outcome.OK}
    taken = [_Taken(offers[v], polls[0]) for v, polls in known.polls.items() if v in offers and len(polls) == 1]
    seen = [_Taken(offers[look.value], look) for look in known.looks if look.value in offers]
    ended = deque(sorted([*taken, *seen], key=lambda one: one.poll.end_ms))
    latest: _Taken | None = None
    for one in sorted(taken, key=lambda one: one.poll.start_ms):
        while ended and ended[0].poll.end_ms < one.poll.start_ms:
            before = ended.popleft()
            latest = before if latest is None or before.offer.start_ms > latest.offer.start_ms else latest
        if latest is not None and latest.offer is not one.offer:
            yield one, latest


def _describe_order(key: str, one: _Taken, latest: _Taken) -> tuple[str, ...]:
    is_odd = latest.offer.start_ms > latest.poll.end_ms
    taken = f", so that {latest.offer.value!r} even came out before it was offered" if is_odd else ""
    return (
        f"at {one.poll.end_ms:,} ms poll {one.poll.operation} of client {one.poll.client} took {one.offer.value!r} "
        f"from {key} (partition {one.offer.partition}){through(one.poll.member)}; {latest.offer.value!r} had come out "
        f"before it, at {latest.poll.end_ms:,} ms, though the offer of {latest.offer.value!r} began only at "
        f"{latest.offer.start_ms:,} ms, after that of {one.offer.value!r} had been acknowledged at "
        f"{one.offer.end_ms:,} ms{taken}; if an offer is acknowledged before another one begins, its value has to come "
        "out first",
        f"at {one.offer.end_ms:,} ms the offer of {one.offer.value!r} (offer {one.offer.operation}) was acknowledged; "
        f"at {latest.offer.start_ms:,} ms that of {latest.offer.value!r} (offer {latest.offer.operation}) began",
    )


@dataclass(slots=True)
class _OriginJudge(QueueJudge):
    COUNTED = "{failed} of {compared:value} polled came from no offer"
    HELD = "{all} {compared:value} polled came from an offer"
    UNSEEN = "no value was polled"

    def finish(self) -> None:
        for key, known in self.queues.items():
            offered = known.offered()
            for value, polls in known.polls.items():
                poll = min(polls, key=lambda poll: poll.end_ms)
                why, story = describe_origin(poll, offered.get(value, self.refused.get((key, value), ()))), None
                if why is not None:
                    taken = f"at {poll.end_ms:,} ms poll {poll.operation} of client {poll.client} took {value!r} from "
                    taken += f"{key} (partition {poll.partition}){through(poll.member)}, though {why}; a poll may take "
                    taken += "only offered values"
                    story = (taken, *self.rest.history(poll.partition, poll.end_ms))
                self.comparisons.add(poll.partition, poll.start_ms, poll.end_ms, story)


_NEEDS = frozenset({"operation offer"})
PROPERTIES: tuple[Property, ...] = (
    Property(
        "acknowledged-offer-kept",
        "Every acknowledged offer comes out of its queue, unless a poll without an answer may have taken it.",
        "seed: Replication Algorithm for AP Data Structures; calls.18, repair.13",
        Severity.DATA_LOSS,
        _KeptJudge,
        _NEEDS,
        KEPT_LIMITS,
    ),
    Property(
        "offer-polled-once",
        "No value comes out of a queue twice.",
        "calls.31, strict.8",
        Severity.WRONG_ANSWER,
        _OnceJudge,
        frozenset({"operation poll"}),
        (
            *TWICE_LIMITS,
            Limit(Cause.MOVED | Cause.COPY_ENDED, "calls.31: a retried offer is there twice", unless_strict=True),
        ),
    ),
    Property(
        "queue-order-kept",
        "No value comes out of a queue after another one whose offer began after its own was acknowledged.",
        "backups.10, migration.9; invariant I4",
        Severity.WRONG_ANSWER,
        _OrderJudge,
        _NEEDS,
        ORDER_LIMITS,
    ),
    Property(
        "polled-was-offered",
        "Only values that a client offered come out of a queue.",
        "calls.11",
        Severity.WRONG_ANSWER,
        _OriginJudge,
        frozenset({"operation poll"}),
    ),
)
