"""Mutated simulations: changed histories of lists, counters, queues, locks and sessions."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from gridproof_model.events.harness import JobSeen, MemberFailed, Settled, Unsettled
from gridproof_model.trace import DigestRecord, EventRecord, OperationKind, OperationRecord, Outcome
from gridproof_properties.simulated.rest import STILL
from suite.zoo.trace_mutation import Mutate, Mutation, NothingToMutateError, Records, TraceMutation, last

NOWHERE = "from-nowhere"
"""A value that no client ever writes."""
Chosen = Callable[[OperationRecord], bool]


def _operations(records: Records) -> list[OperationRecord]:
    return [record for record in records if isinstance(record, OperationRecord)]


def _keys(records: Records, kind: OperationKind) -> set[str]:
    return {operation.key for operation in _operations(records) if operation.kind is kind}


def _find(operations: Iterable[OperationRecord], chosen: Chosen) -> OperationRecord:
    """Return the last of the operations that are chosen; raise NothingToMutateError if there is none."""
    found = [operation for operation in operations if chosen(operation)]
    if not found:
        raise NothingToMutateError("the run has no operation to change; mutate another run")
    return found[-1]


def _put(records: Records, *changed: OperationRecord) -> Records:
    """Return the records with some operations, given by their numbers, changed."""
    by_number = {operation.operation: operation for operation in changed}
    return [by_number.get(r.operation, r) if isinstance(r, OperationRecord) else r for r in records]


AT_REST = "at rest"
"""The stage in which everything is read, before the final reveal crashes members one by one."""


def _is_rest(record: EventRecord) -> bool:
    return isinstance(record.event, Settled)


_ERROR = "KeyError(2) was raised in attempts._end while member 4 handled Response"
_let_a_member_fail = last(EventRecord, _is_rest, event=MemberFailed(_ERROR))
_never_rest = last(EventRecord, _is_rest, event=Unsettled("at rest", "slot 1 of partition 0 to be filled"))


def _read_of(kind: OperationKind, change: Callable[[str], str]) -> Mutate:
    """Return the mutation that changes the value of the last read of a structure with operations of one kind."""

    def mutate(records: Records) -> Records:
        keys = _keys(records, kind)
        reads = [one for one in _operations(records) if one.kind is OperationKind.READ and one.stage == AT_REST]
        read = _find(reads, lambda o: o.key in keys and bool(o.value))
        return _put(records, replace(read, value=change(read.value or "")))

    return mutate


def _answer_to(kind: OperationKind, before: str | None, after: str | None) -> Mutate:
    """Return the mutation that changes the last answer to an operation of one kind; if `before` is None, any answer."""

    def is_meant(operation: OperationRecord) -> bool:
        is_answer = operation.value is not None if before is None else operation.value == before
        return operation.kind is kind and operation.outcome is Outcome.OK and is_answer

    def mutate(records: Records) -> Records:
        return _put(records, replace(_find(_operations(records), is_meant), value=after))

    return mutate


def _job_seen(change: Callable[[JobSeen], JobSeen]) -> Mutate:
    """Return the mutation that changes the result that a job has at the end."""

    def changed(record: EventRecord) -> EventRecord:
        assert isinstance(record.event, JobSeen)
        return replace(record, event=change(record.event))

    return last(EventRecord, lambda one: isinstance(one.event, JobSeen), changed)


def _polls_of_one_queue(records: Records) -> tuple[OperationRecord, OperationRecord]:
    """Return the first and the last poll of a value from the queue that was polled last of all."""
    polls = [one for one in _operations(records) if one.kind is OperationKind.POLL and one.value is not None]
    last = _find(polls, lambda poll: True)
    return next(poll for poll in polls if poll.key == last.key), last


def _poll_twice(records: Records) -> Records:
    first, last = _polls_of_one_queue(records)
    return _put(records, replace(last, value=first.value))


def _poll_out_of_order(records: Records) -> Records:
    first, last = _polls_of_one_queue(records)
    return _put(records, replace(first, value=last.value), replace(last, value=first.value))


def _refuse_the_first_lock(records: Records) -> Records:
    first = _find(list(_operations(records))[::-1], lambda one: one.kind is OperationKind.LOCK and one.value == "true")
    return _put(records, replace(first, value="false"))


def _read_backwards(records: Records) -> Records:
    """Change the records so that a client that read two values of a key reads the first value again."""
    seen: dict[tuple[int, str], list[str]] = {}
    for operation in _operations(records):
        if operation.kind is not OperationKind.READ or operation.value is None:
            continue
        values = seen.setdefault((operation.client, operation.key), [])
        if len(set(values)) > 1 and values[-1] != values[0]:
            return _put(records, replace(operation, value=values[0]))
        values.append(operation.value)
    raise NothingToMutateError("no client read a key three times and saw its value change; mutate another run")


def _last_reads_of_a_lasting_write(records: Records) -> tuple[OperationRecord, list[OperationRecord]]:
    """Return the last write of a key without removals, by a client that reads the key later, and these reads."""
    operations, removed = _operations(records), _keys(records, OperationKind.REMOVE)
    for write in reversed([one for one in operations if one.kind is OperationKind.WRITE and one.key not in removed]):
        after = operations[operations.index(write) + 1 :]
        reads = [one for one in after if one.key == write.key and one.kind is OperationKind.READ]
        is_last = all(one.kind is OperationKind.READ for one in after if one.key == write.key)
        is_read = len(reads) > 1 and any(read.client == write.client for read in reads)
        if is_last and is_read and write.outcome is Outcome.OK:
            return write, reads
    raise NothingToMutateError("no key of the run was read twice after its last write; mutate another run")


def _forget_own_write(records: Records) -> Records:
    write, reads = _last_reads_of_a_lasting_write(records)
    own = _find(reads, lambda read: read.client == write.client and read.stage in (write.stage, AT_REST))
    return _put(records, replace(own, value=None))


def _take_back_what_was_read(records: Records) -> Records:
    write, reads = _last_reads_of_a_lasting_write(records)
    at_rest = _find(reads[1:], lambda read: read.stage == AT_REST)
    return _put(records, replace(write, outcome=Outcome.UNKNOWN), replace(at_rest, value=None))


_ADD, _APPEND, _POLL = OperationKind.ADD, OperationKind.APPEND, OperationKind.POLL
TRACE_MUTATIONS: tuple[TraceMutation, ...] = (
    Mutation("never-at-rest", "invariant M6", breaks=("comes-to-rest",)).by("The last rest is none.", _never_rest),
    Mutation("member-failed", "calls.25", breaks=("no-member-fails",)).by("A member fails.", _let_a_member_fail),
    Mutation("backup-differs-before-anti-entropy", "mutant M12", breaks=("copies-equal-without-anti-entropy",)).by(
        "The last backup looked at before anti-entropy goes on holds something else.",
        last(
            DigestRecord,
            lambda held: held.stage == STILL and held.entries > 0 and held.role != "primary",
            digest="5eed0fa11d1ffe2e",
        ),
    ),
    Mutation("append-lost", "invariant P2", breaks=("acknowledged-append-kept", "exactly-once-when-strict")).by(
        "The last list read lacks its last value.", _read_of(_APPEND, lambda value: " ".join(value.split()[:-1]))
    ),
    Mutation("append-twice", "invariant I1", breaks=("append-executed-once", "exactly-once-when-strict")).by(
        "The last list read has its last value once more.",
        _read_of(_APPEND, lambda value: f"{value} {value.split()[-1]}"),
    ),
    Mutation("appends-backwards", "invariant I4", breaks=("append-order-kept",)).by(
        "The last list read is in the reverse order.",
        _read_of(_APPEND, lambda value: " ".join(reversed(value.split()))),
    ),
    Mutation("append-from-nowhere", "calls.11", breaks=("appended-by-somebody",)).by(
        "The last list read has a value nobody appended.", _read_of(_APPEND, lambda value: f"{value} {NOWHERE}")
    ),
    Mutation("additions-lost", "invariant P2", breaks=("acknowledged-addition-kept",)).by(
        "The last counter read is 0.", _read_of(_ADD, lambda value: "0")
    ),
    Mutation("additions-twice", "invariant I1", breaks=("addition-executed-once",)).by(
        "The last counter read is twice as large.", _read_of(_ADD, lambda value: str(2 * int(value)))
    ),
    Mutation("size-of-too-many", "invariant I7", breaks=("size-within-bounds",)).by(
        "The last size counts a million entries.", _answer_to(OperationKind.SIZE, None, "1000000")
    ),
    Mutation("there-and-not", "calls.27", breaks=("size-within-bounds",)).by(
        "The last answer whether an entry is there that was no is yes.",
        _answer_to(OperationKind.CONTAINS, "false", "true"),
    ),
    Mutation("offer-lost", "invariant P2", breaks=("acknowledged-offer-kept",)).by(
        "The last value polled is none.", _answer_to(_POLL, None, None)
    ),
    Mutation("offer-twice", "invariant I1", breaks=("offer-polled-once",)).by(
        "The last value polled is the first.", _poll_twice
    ),
    Mutation("queue-backwards", "invariant I4", breaks=("queue-order-kept",)).by(
        "The first and the last value polled change places.", _poll_out_of_order
    ),
    Mutation("poll-from-nowhere", "calls.11", breaks=("polled-was-offered",)).by(
        "The last value polled is nobody's.", _answer_to(_POLL, None, NOWHERE)
    ),
    Mutation("lock-got-twice", "limits.7", breaks=("lock-excludes",)).by(
        "Who last waited for a lock in vain got it.", _answer_to(OperationKind.LOCK, "false", "true")
    ),
    Mutation("safety-denied", "sync.19", breaks=("safe-at-rest",)).by(
        "Who last asks at rest how safe data is, and is answered that it is, is answered that it is not.",
        _answer_to(OperationKind.ASK_SAFE, "true", "false"),
    ),
    Mutation("lock-refused", "calls.33", breaks=("free-lock-is-given",)).by(
        "Who first asked for a lock is answered that somebody has it.", _refuse_the_first_lock
    ),
    Mutation("lock-kept", "calls.32", breaks=("held-as-often-as-taken",)).by(
        "Who last gave a lock back is answered that it has it a hundred times more.",
        _answer_to(OperationKind.UNLOCK, None, "100"),
    ),
    Mutation("read-backwards", "limits.6", breaks=("monotonic-reads",)).by(
        "A client reads what it saw replaced.", _read_backwards
    ),
    Mutation("own-write-forgotten", "invariant I5", breaks=("read-your-writes",)).by(
        "A client does not find what it wrote.", _forget_own_write
    ),
    Mutation("read-from-nowhere", "calls.11", breaks=("read-was-written",)).by(
        "The last entry read has a value nobody wrote.", _read_of(OperationKind.WRITE, lambda value: NOWHERE)
    ),
    Mutation("dirty-read", "limits.4", breaks=("no-dirty-read",)).by(
        "A write that was read loses its outcome, and then its value.", _take_back_what_was_read
    ),
    Mutation("job-counts-nothing", "jobs.12", breaks=("job-totals-right",)).by(
        "A job that completed has counted no item of its first key.",
        _job_seen(lambda seen: replace(seen, totals=((seen.totals[0][0], 0, 0), *seen.totals[1:]))),
    ),
    Mutation("job-fails", "jobs.19: issue 18675", breaks=("confirmed-job-completes",)).by(
        "A job that was confirmed says that it failed.", _job_seen(lambda seen: replace(seen, status="failed"))
    ),
)
