"""Runs as no system shows them.

Every record is well formed; what they say is random. Small numbers throughout, so that accidents happen: the same
slots under another version, members of one group in a row, reads of what was never written.
"""

from collections.abc import Iterator
from enum import StrEnum
from random import Random
from typing import Any, get_type_hints

from gridproof_model.events import CONDITIONS
from gridproof_model.events.conditions import NO_PARTITION, CopiesEnded
from gridproof_model.events.harness import AuditStopped, KeyRefused
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RouteRecord,
    RowRecord,
    RunRecord,
    ViewRecord,
)
from gridproof_properties.checkers.durability import AFTER_CRASH
from gridproof_properties.judging.samples import ACKNOWLEDGEMENT

FEW, MANY = 3, 40
"""Partitions of a run; many, so that shares are large enough to be judged."""
STAGES = ("joined 1", "joined 2", ACKNOWLEDGEMENT, f"{AFTER_CRASH} 1")


def random_run(seed: int, first_member: int = 0, slot_count: int = 3) -> Iterator[Record]:
    """Yield one run; a large `first_member` or `slot_count` makes rows that do not fit a 64-bit word."""
    rng, run = Random(seed), f"random-{seed}-{first_member}-{slot_count}"
    members = list(range(first_member, first_member + rng.randint(2, 4)))
    partitions, backups = rng.choice([FEW, FEW, FEW, MANY]), rng.randint(0, 2)
    yield RunRecord(run, "random", "1", seed, partitions, backups)
    yield from (_condition(rng, run, 0, members) for _ in range(rng.randint(0, 2)))
    steadiness = rng.choice([0.5, 0.9]) * rng.random()
    rows = [_slots(rng, members, slot_count)] * partitions
    versions = [rng.randint(1, 3) if rng.random() < 0.9 else None for _ in range(partitions)]
    for step in range(rng.randint(4, 10)):
        for _ in range(rng.randint(0, 2)):
            if rng.random() < 0.5:
                yield _condition(rng, run, step, members)
            yield _member(rng, run, step, members)
        yield _view(rng, run, step, members)
        for partition in range(partitions if rng.random() < 0.9 else 1):
            if rng.random() < steadiness:
                rows[partition] = _slots(rng, members, slot_count)
                versions[partition] = rng.randint(1, 4) if rng.random() < 0.9 else None
            yield RowRecord(run, step, partition, rows[partition], versions[partition])
        yield from (_happening(rng, run, step * 20 + number, members) for number in range(rng.randint(0, 20)))


def _slots(rng: Random, members: list[int], slot_count: int) -> tuple[int | None, ...]:
    if rng.random() < 0.3:
        return tuple(rng.choice([None, *members]) for _ in range(rng.randint(1, slot_count)))
    held = rng.sample(members, rng.randint(1, min(len(members), slot_count)))
    return (*held, *[None] * (slot_count - len(held)))


def _condition(rng: Random, run: str, step: int, members: list[int]) -> EventRecord:
    """Return some condition of a run: any words, and numbers as small as those of members and partitions."""
    kind: Any = rng.choice([*sorted(CONDITIONS, key=lambda one: one.__name__), CopiesEnded, CopiesEnded])
    values: dict[str, Any] = {name: _value(rng, hint, members) for name, hint in get_type_hints(kind).items()}
    if "partition" in values:
        values["partition"] = rng.randrange(NO_PARTITION, FEW)
    return EventRecord(run, step, None, kind(**values))


def _value(rng: Random, hint: object, members: list[int]) -> object:
    if hint is bool:
        return rng.random() < 0.5
    if hint is int:
        return rng.choice([0, 1, *members])
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return rng.choice(list(hint))
    if hint is float:
        return rng.choice([0.0, 1.25])
    if hint is str:
        return "a word"
    if hint == tuple[int, ...]:
        return tuple(rng.sample(range(FEW), rng.randint(0, FEW)))
    return tuple(rng.sample(["members", "messages", "freezes", "trust"], rng.randint(0, 2)))


def _member(rng: Random, run: str, step: int, members: list[int]) -> MemberRecord:
    member = rng.choice(members)
    weight = rng.choice([1.0, 1.0, 1.0, 2.0])
    return MemberRecord(run, step, member, rng.choice(list(MemberChange)), f"m{member}", "g", weight=weight)


def _view(rng: Random, run: str, step: int, members: list[int]) -> ViewRecord:
    fewer = rng.choice([len(members), len(members), len(members) - 1, len(members) - 1, rng.randint(1, len(members))])
    alive = tuple(rng.sample(members, max(fewer, 1)))
    owners = alive if rng.random() < 0.8 else alive[1:]
    names = [f"g{member}" for member in range(members[-1] + 1)]
    groups = names if rng.random() < 0.7 else [rng.choice(["", "g1", "g2", "g3"]) for _ in names]
    stage, settled = rng.choice(STAGES), rng.random() < 0.8
    return ViewRecord(run, step, step, stage, rng.choice(alive), settled, alive, owners, tuple(groups))


def _happening(rng: Random, run: str, number: int, members: list[int]) -> Record:
    stage, member, partition = rng.choice(STAGES), rng.choice(members), rng.randrange(FEW)
    match rng.choice(["operation"] * 6 + ["digest", "digest", "route", "event"]):
        case "operation":
            return _operation(rng, run, number, stage, member)
        case "digest":
            entries = rng.randint(0, 2)
            return DigestRecord(
                run, number, stage, rng.random() < 0.8, member, partition, "backup", 1, entries, f"{entries}"
            )
        case "route":
            payload = rng.randbytes(rng.randint(0, 3))
            key_type = rng.choice(["raw", "bytes"])
            partition, documented = rng.randint(-1, 5), rng.choice([None, None, 0, 3])
            return RouteRecord(run, key_type, payload, 5, partition, payload.hex(), rng.random() < 0.5, documented)
        case _:
            refused = KeyRefused(rng.choice(["int", "long"]), "7", "is refused")
            event = refused if rng.random() < 0.8 else AuditStopped("int 7 is refused")
            return EventRecord(run, number, None, event)


def _operation(rng: Random, run: str, number: int, stage: str, member: int) -> OperationRecord:
    kind = rng.choice(list(OperationKind))
    value = None if kind is OperationKind.REMOVE else rng.choice([None, f"v{number - 1}", f"v{number}", "v0"])
    outcome = rng.choice([Outcome.OK, Outcome.OK, Outcome.OK, Outcome.UNKNOWN, Outcome.REFUSED])
    confirmed = rng.choice([None, None, 2])
    asked = member if kind is OperationKind.READ_REPLICA else None
    span = number, number + rng.randint(0, 3)
    key = rng.choice(["a", "b", 'ä\n"'])
    return OperationRecord(run, number, 0, kind, key, 0, value, outcome, confirmed, asked, *span, stage)
