"""Queues: what was offered comes out, once.

Every value polled in the whole run is held against every value offered; the end of a run empties the queues. A poll
without an answer may have taken a value with it. Keeps what was offered and polled.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.acknowledged import Ledger
from gridproof_properties.judge import Finding, Property
from gridproof_properties.verdict import Result
from gridproof_properties.words import count


@dataclass(slots=True)
class _Queue:
    offers: list[OperationRecord] = field(default_factory=list)
    taken: dict[str, OperationRecord] = field(default_factory=dict)
    """The latest poll of each value."""
    polls: dict[str, list[int]] = field(default_factory=dict)
    """Numbers of the polls of each value."""
    unanswered: int = 0
    """Polls whose value, if there was one, nobody saw."""
    emptied: bool = False
    """Whether the last poll, at rest, found nothing."""


@dataclass(slots=True)
class _QueueJudge:
    ledger: Ledger = field(default_factory=Ledger)
    queues: dict[str, _Queue] = field(default_factory=dict)

    def observe(self, record: Record) -> None:
        self.ledger.observe(record)
        if not isinstance(record, OperationRecord):
            return
        if record.kind is OperationKind.OFFER and record.outcome is not Outcome.REFUSED:
            self.queues.setdefault(record.key, _Queue()).offers.append(record)
        elif record.kind is OperationKind.POLL and record.outcome is not Outcome.REFUSED:
            known = self.queues.setdefault(record.key, _Queue())
            if record.outcome is Outcome.UNKNOWN:
                known.unanswered += 1
            elif record.value is not None:
                known.polls.setdefault(record.value, []).append(record.operation)
                known.taken[record.value] = record
            known.emptied = record.outcome is Outcome.OK and record.value is None and self.ledger.at_rest

    def _conclude(self, faults: list[tuple[str, ...]], what: str) -> Finding:
        if faults:
            return Finding(Result.BROKEN, f"{count(len(faults), 'queue')} {what}", faults[0])
        emptied = [known for known in self.queues.values() if known.emptied]
        if not emptied:
            return Finding(Result.UNKNOWN, "no queue was emptied at rest")
        seen = count(sum(len(known.offers) for known in emptied), "offer")
        return Finding(Result.HOLDS, f"{seen} to {count(len(emptied), 'queue')}, and none {what}")


@dataclass(slots=True)
class _KeptJudge(_QueueJudge):
    def conclude(self) -> Finding:
        faults: list[tuple[str, ...]] = []
        for key, known in self.queues.items():
            owed = [o for o in known.offers if o.outcome is Outcome.OK and o.operation >= self.ledger.excused]
            missing = [offer for offer in owed if (offer.value or "") not in known.polls]
            if known.emptied and len(missing) > known.unanswered:
                told = (f"offer {offer.operation} of {offer.value!r} to {key} is acknowledged" for offer in missing)
                faults.append((*told, f"{key} is empty, nobody polled these, and {known.unanswered} polls are unknown"))
        return self._conclude(faults, "lost acknowledged offers")


@dataclass(slots=True)
class _OnceJudge(_QueueJudge):
    def conclude(self) -> Finding:
        faults: list[tuple[str, ...]] = []
        for key, known in self.queues.items():
            # A poll that was lost with all its copies is owed by nobody: its value is there again.
            owed = {value: [n for n in polls if n >= self.ledger.excused] for value, polls in known.polls.items()}
            twice = [value for value, polls in owed.items() if len(polls) > 1]
            if twice:
                faults.append(
                    tuple(f"{value!r} was polled {len(known.polls[value])} times from {key}" for value in twice)
                )
        return self._conclude(faults, "gave a value twice")


@dataclass(slots=True)
class _OrderJudge(_QueueJudge):
    def conclude(self) -> Finding:
        faults = [fault for key, known in self.queues.items() if (fault := _find_overtaking(key, known))]
        return self._conclude(faults, "gave a value behind one offered later")


def _find_overtaking(key: str, known: _Queue) -> tuple[str, ...]:
    """Return the story of the first value polled after one that was offered after it; values polled twice aside."""
    offers = {offer.value or "": offer for offer in known.offers if offer.outcome is Outcome.OK}
    taken = [(poll, offers[value]) for value, poll in known.taken.items() if _is_clear(value, known, offers)]
    ended = deque(sorted(taken, key=lambda pair: pair[0].end_ms))
    latest: OperationRecord | None = None
    for poll, offer in sorted(taken, key=lambda pair: pair[0].start_ms):
        while ended and ended[0][0].end_ms < poll.start_ms:
            _, before = ended.popleft()
            latest = before if latest is None or before.start_ms > latest.start_ms else latest
        if latest is not None and offer.end_ms < latest.start_ms:
            return (
                f"offer {offer.operation} of {offer.value!r} to {key} is acknowledged at {offer.end_ms} ms",
                f"offer {latest.operation} of {latest.value!r} begins at {latest.start_ms} ms",
                f"poll {poll.operation}, begun when {latest.value!r} was out, takes {offer.value!r}",
            )
    return ()


def _is_clear(value: str, known: _Queue, offers: Mapping[str, OperationRecord]) -> bool:
    return value in offers and len(known.polls[value]) == 1


@dataclass(slots=True)
class _OriginJudge(_QueueJudge):
    def conclude(self) -> Finding:
        faults: list[tuple[str, ...]] = []
        for key, known in self.queues.items():
            offered = {offer.value for offer in known.offers}
            strangers = [value for value in known.polls if value not in offered]
            if strangers:
                faults.append(tuple(f"{value!r} was polled from {key}, and nobody offered it" for value in strangers))
        return self._conclude(faults, "gave what nobody offered")


PROPERTIES: tuple[Property, ...] = (
    Property(
        "acknowledged-offer-kept",
        "Every acknowledged offer comes out of its queue, but for those a poll without an answer took.",
        "seed: Replication Algorithm for AP Data Structures; reference replication 11 G9, G15",
        _KeptJudge,
    ),
    Property(
        "offer-polled-once",
        "No value comes out of a queue twice.",
        "reference replication 5, 11 G10",
        _OnceJudge,
    ),
    Property(
        "queue-order-kept",
        "No value comes out of a queue after one that was offered once it was acknowledged.",
        "reference replication 2.4, 11 G4; bug-zoo I4",
        _OrderJudge,
    ),
    Property(
        "polled-was-offered",
        "Only what somebody offered comes out of a queue.",
        "reference replication 1.4",
        _OriginJudge,
    ),
)
