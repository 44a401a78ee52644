"""A small run to report on: joins and a crash."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from gridproof_model.events.harness import Remark
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
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict

RUN = "sample-7"
Row = tuple[int | None, ...]


def sample_records(partition_count: int = 271, key_count: int = 60) -> Iterator[Record]:
    """Yield a 3 → 4 → 3 member run with one acknowledged write lost after the crash."""
    yield RunRecord(RUN, "samplegrid", "1.4.2", 7, partition_count, 1)
    three = [deal(partition, (0, 1, 2)) for partition in range(partition_count)]
    four = [deal(partition, (0, 1, 2, 3)) if partition % 4 == 3 else row for partition, row in enumerate(three)]
    after = [without(row, 1, (0, 2, 3)[partition % 3]) for partition, row in enumerate(four)]
    for member in range(3):
        yield joined(member, 200 * member)
    yield from looks(0, 900, "3 members", (0, 1, 2), three)
    yield from writes(key_count, "3 members", 1000)
    yield joined(3, 4000)
    yield from looks(3, 5600, "fourth joined", (0, 1, 2, 3), four)
    yield from digests("fourth joined", 5700, four, differing=())
    yield EventRecord(RUN, 6000, 1, Remark("SIGKILL", "sent to the process of member 1"))
    yield MemberRecord(RUN, 6002, 1, MemberChange.CRASHED, "127.0.0.1:5702/b1", "127.0.0.1:5702/b1")
    yield from looks(7, 9100, "after crash", (0, 2, 3), after)
    yield from digests("after crash", 9200, after, differing=(17,))
    yield from reads(key_count, "reveal", 9300)


def deal(partition: int, members: Sequence[int]) -> Row:
    """Return a row of a primary and one backup, dealt round."""
    count = len(members)
    return members[partition % count], members[(partition + 1 + partition // count % (count - 1)) % count]


def without(row: Row, gone: int, newcomer: int) -> Row:
    """Return the row after a crash: survivors move up, a copy is made elsewhere."""
    if gone not in row:
        return row
    survivors = [held for held in row if held != gone]
    return survivors[0], next(m for m in (newcomer, 0, 2) if m != survivors[0])


def joined(member: int, at_ms: int) -> MemberRecord:
    """Return the record of a member that joins."""
    name = f"127.0.0.1:{5701 + member}/{'abcdefghijkl'[member % 12]}{member}"
    return MemberRecord(RUN, at_ms, member, MemberChange.JOINED, name, name)


def looks(view: int, at_ms: int, stage: str, members: Sequence[int], rows: Sequence[Row]) -> Iterator[Record]:
    """Yield a settled look at the table from every member."""
    for offset, observer in enumerate(members):
        yield from look(view + offset, at_ms + offset, stage, observer, members, rows)


def look(
    view: int, at_ms: int, stage: str, observer: int, members: Sequence[int], rows: Sequence[Row], settled: bool = True
) -> Iterator[Record]:
    """Yield one look at the table."""
    groups = tuple(f"group {member}" for member in range(1 + max(members)))
    yield ViewRecord(RUN, view, at_ms, stage, observer, settled, tuple(members), tuple(members), groups)
    for partition, row in enumerate(rows):
        yield RowRecord(RUN, view, partition, row, 1)


def operation(number: int, kind: OperationKind, value: str | None, outcome: Outcome, at_ms: int, stage: str) -> Record:
    """Return one operation on key k<number>."""
    return OperationRecord(
        RUN, number, 0, kind, f"k{number}", number, value, outcome, None, None, at_ms, at_ms + 2, stage
    )


def writes(count: int, stage: str, at_ms: int) -> Iterator[Record]:
    """Yield writes, of which every twentieth is left unknown."""
    for number in range(count):
        outcome = Outcome.UNKNOWN if number % 20 == 19 else Outcome.OK
        yield operation(number, OperationKind.WRITE, f"v{number}", outcome, at_ms + number, stage)


def reads(count: int, stage: str, at_ms: int) -> Iterator[Record]:
    """Yield reads that find everything but the value of k17."""
    for number in range(count):
        value = None if number == 17 else f"v{number}"
        yield operation(number, OperationKind.READ, value, Outcome.OK, at_ms + number, stage)


def digests(stage: str, at_ms: int, rows: Sequence[Row], differing: Sequence[int]) -> Iterator[Record]:
    """Yield what each member holds of each partition."""
    for partition, row in enumerate(rows):
        for slot, member in enumerate(row):
            if member is not None:
                role = "backup" if slot else "primary"
                digest = "00" if slot and partition in differing else sha256(str(partition).encode()).hexdigest()[:8]
                yield DigestRecord(RUN, at_ms, stage, True, member, partition, role, 1, 3, digest)


def routes(payloads: Sequence[tuple[str, bytes, int]], partition_count: int = 271) -> Iterator[Record]:
    """Yield the head of a run of routes, and a route of each (type, payload, partition)."""
    yield RunRecord(RUN, "samplerouter", "5.0", 7, partition_count, 0)
    for key_type, payload, partition in payloads:
        yield RouteRecord(RUN, key_type, payload, partition_count, partition, repr(payload), False)


LOST = Verdict(
    "acknowledged-writes-survive",
    Result.BROKEN,
    "1 of 57 acknowledged writes is gone after one member crashed, though each had a backup.",
    (
        "Key k17 lives on partition 17; member 0 is its primary and member 1 its backup.",
        "A client writes v17 to k17 through member 2; it is acknowledged, and no other write of k17 follows.",
        "Member 1 is killed; members 0, 2 and 3 settle, and member 2 becomes the backup of partition 17.",
        "A client reads k17 through member 3: it is absent, though its write was acknowledged and no one removed it.",
    ),
)
VERDICTS = (
    Verdict(
        "one-replica-per-member", Result.HOLDS, "No member holds two copies of a partition in any of 2,710 rows seen."
    ),
    LOST,
    Verdict(
        "balance", Result.HOLDS, "Members hold 135 to 136 primaries at every settled table.", (), PromiseLevel.NONE
    ),
    Verdict(
        "full-rows",
        Result.UNKNOWN,
        "The grid did not settle within 30 s after the crash, so nobody promised full rows.",
    ),
    Verdict(
        "no-duplicate-execution",
        Result.BROKEN,
        "3 of 60 operations were executed twice.",
        ("Operation 4 times out at its caller.", "It is sent again, and executed by members 0 and 2."),
        PromiseLevel.WEAKNESS,
    ),
)
