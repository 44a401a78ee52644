"""Mutants of calls: attempts, acknowledgements, what is answered twice."""

from gridproof_implementation.protocol.failures import Failure
from gridproof_implementation.protocol.invocation.answers import Answers
from gridproof_implementation.protocol.invocation.attempts import Attempts
from gridproof_implementation.protocol.invocation.invocation import NOT_REGISTERED, Invocation
from gridproof_implementation.protocol.invocation.registry import Registry
from gridproof_implementation.protocol.operation.backups import BackupSender
from gridproof_implementation.protocol.structure import Origin
from gridproof_implementation.protocol.structures.lock import Held, LockPart
from gridproof_implementation.simulator.scenario import Strike
from gridproof_properties.mutant import replacing
from gridproof_properties.specimen import Specimen
from gridproof_properties.trial import search_campaign, told, writes

_addressed = BackupSender.addressed
JOIN = Strike("join", 100, 60_000, (3,))


def _stay_registered(registry: Registry, invocation: Invocation) -> None:
    invocation.call_id = NOT_REGISTERED


def _wait_under_the_first_id(registry: Registry, invocation: Invocation) -> None:
    call_id = invocation.call_id = registry.next_call_id()
    if invocation.reference_id == NOT_REGISTERED:
        invocation.reference_id = call_id
    registry.waiting[invocation.reference_id] = invocation


def _every_request_is_new(part: LockPart, held: Held, origin: Origin) -> bool:
    return False


def _any_leaver_counts(answers: Answers, invocation: Invocation) -> bool:
    return True


def _never_indeterminate(attempts: Attempts, invocation: Invocation, why: Failure) -> bool:
    return False


SPECIMENS: tuple[Specimen, ...] = (
    Specimen(
        number="M31",
        name="two-retriers",
        defect_class="C11",
        rule="An attempt that was given up can be answered, and given up, once more.",
        source="bug-zoo HZ-65",
        breaks=("no-member-fails",),
        plant=replacing(Registry, "deregister", _stay_registered),
        witness=told(writes(200, pause_ms=2), JOIN),
        search=search_campaign,
        quick=True,
    ),
    Specimen(
        number="M32",
        name="waits-under-the-first-id",
        defect_class="C11",
        rule="A retry has a new call id, and its answer is awaited under the first one.",
        source="bug-zoo HZ-72",
        breaks=("no-member-fails",),
        plant=replacing(Registry, "register", _wait_under_the_first_id),
        witness=told(writes(200, pause_ms=2), JOIN),
        search=search_campaign,
    ),
    Specimen(
        number="M33",
        name="lock-taken-twice",
        defect_class="C16",
        rule="A lock does not know a repeated request.",
        source="bug-zoo HZ-69",
        breaks=("held-as-often-as-taken",),
        plant=replacing(LockPart, "is_repeated", _every_request_is_new),
        search=search_campaign,
    ),
    Specimen(
        number="M35",
        name="any-leaver-counts",
        defect_class="C9",
        rule="Any member that leaves counts as an acknowledgement of a strict call.",
        source="bug-zoo HZ-55",
        breaks=("strict-means-copies",),
        plant=replacing(Answers, "leaver_counts", _any_leaver_counts),
        search=search_campaign,
    ),
    Specimen(
        number="HZ-66",
        name="never-indeterminate",
        defect_class="C11",
        rule="A strict call whose target left is made again, as any other.",
        source="reference replication 1.9 a",
        breaks=("append-executed-once",),
        plant=replacing(Attempts, "is_indeterminate", _never_indeterminate),
        search=search_campaign,
    ),
)
