"""Mutants of calls: of attempts, of acknowledgements, and of operations that are answered twice."""

from dataclasses import replace
from unittest.mock import patch

from gridproof_implementation.protocol import calls
from gridproof_implementation.protocol.calls import IteratingRequest, Request
from gridproof_implementation.protocol.invocation.answers import Answers
from gridproof_implementation.protocol.invocation.attempts import NOT_REGISTERED, Attempts, Invocation, Registry
from gridproof_implementation.protocol.invocation.part import InvocationPart
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.operation.holdings import Holdings
from gridproof_implementation.protocol.operation.parking import ParkingLot
from gridproof_implementation.protocol.operation.part import OperationPart
from gridproof_implementation.protocol.structure import Execution, Origin
from gridproof_implementation.protocol.structures.lock import LockPart
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent
from gridproof_model.events.words import Failure
from gridproof_model.grid_properties import FAIL_ON_INDETERMINATE_STATE
from gridproof_model.membership import MemberId
from gridproof_model.trace import OperationKind
from suite.zoo.mutant import (
    ARRANGING,
    Bug,
    Interposer,
    MemberMutant,
    leaving_out,
    replacing,
    scripted,
    search_drawn,
    writes,
)

JOIN = FaultEvent("join", 100, 60_000, (3,))


_fail = Registry.fail


def _stay_registered(registry: Registry, invocation: Invocation) -> None:
    invocation.call_id = NOT_REGISTERED


def _wait_under_the_first_id(registry: Registry, invocation: Invocation) -> None:
    call_id = invocation.call_id = registry.next_call_id()
    if invocation.reference_id == NOT_REGISTERED:
        invocation.reference_id = call_id
    registry.waiting[invocation.reference_id] = invocation


_lock = LockPart._lock


def _keep_what_was_given_back(part: LockPart, key: str, origin: Origin) -> Execution:
    held = part._locks.get(key)
    return Execution(wait=True) if held is not None and not held.is_by(origin) else _lock(part, key, origin)


def _doubt_every_failure(registry: Registry, invocation: Invocation, failure: Failure) -> None:
    invocation.may_have_run = True
    _fail(registry, invocation, failure)


def _doubt_nothing(registry: Registry, invocation: Invocation, failure: Failure) -> None:
    invocation.may_have_run = False
    _fail(registry, invocation, failure)


def _ask_as_configured(part: InvocationPart, call: Call) -> bool:
    wanted = call.fail_on_indeterminate_state
    return part._node.settings.fail_on_indeterminate_state if wanted is None else wanted


_on_iterating_request = OperationPart.on_iterating_request


def _name_the_batch(part: OperationPart, sender: MemberId, request: IteratingRequest) -> None:
    """The mutant executes each operation under the call id of its batch."""
    with patch.object(calls, "Request", lambda _, *rest, **more: Request(request.call_id, *rest, **more)):
        _on_iterating_request(part, sender, request)


LOCK_AND_UNLOCK = (
    ClientOperation("lock", OperationKind.LOCK, "lock-0", "0", 1, 50),
    ClientOperation("lock", OperationKind.UNLOCK, "lock-0", None, 1, 50),
)
NEXT_LOCK = ClientOperation("lock", OperationKind.LOCK, "lock-0", "0", 2, 300)
LOCKED_BY_ANOTHER = (
    ClientOperation("lock", OperationKind.LOCK, "lock-0", "0", 1, 50),
    ClientOperation("lock", OperationKind.LOCK, "lock-0", "400000", 2, 300),
)
APPENDS = tuple(ClientOperation("appends", OperationKind.APPEND, "appends-0", f"v{n}", 1, 50) for n in range(4))
STRICT = ((FAIL_ON_INDETERMINATE_STATE.name, "true"),)
search_locks = search_drawn("lost-once", "crash", members=3, client_operations=10, workload="lock")
ANSWER_LOST = FaultEvent("crash-at-step", 0, 100_000, (0,), 1, "Executed")
"""The primary crashes when its backup already has the lock, but the caller has no answer yet."""
HELD_AND_ASKED = (LOCK_AND_UNLOCK[0], ClientOperation("lock", OperationKind.READ, "lock-0", None, 2, 600))
"""A lock is taken, and is read when a release can no longer be waiting for its next attempt."""
HOLDER_ENDS = FaultEvent("crash", 300, 100_000, (1,))

MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("M31", "two-retriers", "C11", "defect HZ-65", breaks=("no-member-fails",)).by(
        "An attempt that was given up can be answered, and given up, once more.",
        replacing(Registry, "deregister", _stay_registered),
        scripted(writes(200, pause_ms=2), JOIN),
        quick=True,
    ),
    Bug("M32", "waits-under-the-first-id", "C11", "defect HZ-72", breaks=("calls-end-once",)).by(
        "A retry has a new call id, and its answer is awaited under the first one.",
        replacing(Registry, "register", _wait_under_the_first_id),
        scripted(writes(200, pause_ms=2), JOIN),
    ),
    Bug("M33", "lock-taken-twice", "C16", "defect HZ-69", breaks=("held-as-often-as-taken",)).by(
        "A lock does not know a repeated request.",
        replacing(LockPart, "is_repeated", lambda *_: False),
        scripted(LOCK_AND_UNLOCK, ANSWER_LOST, members=2, partition_count=1),
        search_locks,
    ),
    Bug("X17", "lock-kept-for-good", "C16", "calls.32", breaks=("free-lock-is-given",)).by(
        "A lock that was given back is never given to another client.",
        replacing(LockPart, "_lock", _keep_what_was_given_back),
        scripted((*LOCK_AND_UNLOCK, NEXT_LOCK), members=3, partition_count=1),
    ),
    Bug("X52", "lock-of-the-dead", "C16", "calls.33", breaks=("free-lock-is-given",)).by(
        "Locks of a member that is gone are not released.",
        leaving_out(Holdings, "release"),
        scripted(HELD_AND_ASKED, HOLDER_ENDS, later=HELD_AND_ASKED[1:], members=3, partition_count=1),
        search_locks,
    ),
    Bug("X19", "waiter-forgotten", "C11", "calls.12", breaks=("parked-caller-is-notified",)).by(
        "An operation that has to wait is forgotten.",
        leaving_out(ParkingLot, "park"),
        scripted(LOCKED_BY_ANOTHER, members=3, partition_count=1),
    ),
    Bug("M35", "any-leaver-counts", "C9", "defect HZ-55", breaks=("strict-means-copies",)).by(
        "Any member that leaves counts as an acknowledgement of a strict call.",
        replacing(Answers, "leaver_counts", lambda *_: True),
        scripted(
            writes(4, pause_ms=50),
            FaultEvent("crash", 0, 100_000, (3,)),
            interposers=(Interposer("BackupAck", count=4, late_us=3_000_000),),
            members=4,
            partition_count=1,
            properties=STRICT,
        ),
    ),
    Bug("X04", "never-indeterminate", "C11", "strict.2", breaks=("refines-invocation",)).by(
        "A strict call whose target left is made again, as any other.",
        replacing(Attempts, "is_indeterminate", lambda *_: False),
        scripted(APPENDS, ANSWER_LOST, members=2, partition_count=1, properties=STRICT),
    ),
    Bug("X36", "refusals-doubted", "C11", "calls.14, strict.6", breaks=("refused-is-not-unknown",)).by(
        "A call that every target refused is answered as if somebody might have executed it.",
        replacing(Registry, "fail", _doubt_every_failure),
        scripted(writes(6), members=2, partition_count=3, quorum=3),
    ),
    Bug("X59", "nothing-doubted", "C11", "calls.14, strict.6", breaks=("appended-by-somebody",)).by(
        "A call that failed is answered as refused, though its target may have executed it.",
        replacing(Registry, "fail", _doubt_nothing),
        scripted(APPENDS, ANSWER_LOST, members=2, partition_count=1, properties=STRICT),
    ),
    Bug("X60", "wait-begins-anew", "C11", "calls.24", breaks=("configured-times-are-held",)).by(
        "A waiting operation that is sent again waits for its whole time once more.",
        replacing(Attempts, "operation_of_attempt", lambda attempts, invocation: invocation.call.operation),
        scripted(
            (replace(LOCKED_BY_ANOTHER[0], client=2), replace(LOCKED_BY_ANOTHER[1], client=1, value="4000000")),
            FaultEvent("leave", 900, 60_000, (0,)),
            members=3,
            partition_count=1,
        ),
        search_drawn("crash", "leave", "join", "restart", workload="queue+lock"),
    ),
    Bug("X61", "several-entries-wait-for-backups", "C11", "calls.28", breaks=("strict-as-configured",)).by(
        "The updates of a call of several entries name the call, so that backups acknowledge them.",
        replacing(OperationPart, "on_iterating_request", _name_the_batch),
        scripted((ClientOperation("entries", OperationKind.WRITE, "entries-0 entries-1", "a b"),), members=3),
    ),
    Bug("X62", "strict-reads", "C11", "strict.4", breaks=("strict-as-configured", "refines-invocation")).by(
        "A read, too, is strict if the configuration says so of calls.",
        replacing(InvocationPart, "is_strict", _ask_as_configured),
        scripted((ARRANGING,), members=2, partition_count=1, properties=STRICT),
        quick=True,
    ),
)
