"""What comes back to the caller, what its scan ends, and what it hears of members that left."""

from gridproof_model.language import (
    BoolExpr,
    EnumExpr,
    IndexExpr,
    OneOf,
    Step,
    Update,
    any_of,
    exists,
    if_else,
)
from gridproof_model.specifications.invocation.calling import attempt_fails, call_ends
from gridproof_model.specifications.invocation.state import (
    REFUSALS,
    Departure,
    Kind,
    Outcome,
    Phase,
    acknowledged,
    answered,
    answered_by,
    asked,
    caller,
    counted,
    departure,
    ended,
    ends,
    expected,
    is_strict,
    kept,
    kind,
    leavers,
    listed,
    may_wait,
    members,
    outcome,
    phase,
    present,
    received,
    refused,
    registers_late,
    removed,
    shares_address,
    slots,
    specification,
    strict_counts_leavers,
    target,
    tries,
)


def waits() -> list[BoolExpr]:
    """Return the guards of what comes to an attempt that is registered."""
    return [phase == Phase.WAITING, ~ended[caller]]


@specification.action(slots, source="backups.17")
def response_is_kept(acks: IndexExpr) -> Step:
    """A response that counts more backups than have acknowledged waits for the others."""
    return Step(
        when=[*waits(), answered[present()][acks], received < acks.ordinal],
        then=[kept.becomes(present()), expected.becomes(acks)],
    )


@specification.action(slots, source="backups.17, backups.16")
def response_ends_the_call(acks: IndexExpr) -> Step:
    """When as many acknowledgements as the response counts were counted before it, the call is complete."""
    return Step(
        when=[*waits(), answered[present()][acks], acks.ordinal <= received],
        then=[expected.becomes(acks), *call_ends(Outcome.ACKNOWLEDGED, by=present())],
    )


def one_more_acknowledgement() -> list[Update]:
    """Return the updates of a counted acknowledgement: if a response waits for just this many, the call is complete.

    Source: backups.17.
    """
    is_enough = kept.is_some & (received + 1 == expected.ordinal)
    return [
        received.becomes(received + 1),
        phase.becomes(if_else(is_enough, Phase.ENDING, phase)),
        outcome.becomes(if_else(is_enough, Outcome.ACKNOWLEDGED, outcome)),
        ends.becomes(if_else(is_enough, ends + 1, ends)),
        answered_by.becomes(if_else(is_enough, kept, answered_by)),
    ]


@specification.action(members, source="backups.17, backups.16")
def acknowledgement_is_counted(member: IndexExpr) -> Step:
    """A backup's acknowledgement of the present attempt counts, once, whether the response has come or not."""
    return Step(
        when=[*waits(), acknowledged[present()][member], ~counted[member]],
        then=[counted[member].becomes(True), *one_more_acknowledgement()],
    )


@specification.definition(OneOf(Outcome))
def is_refused_with(why: EnumExpr[Outcome]) -> BoolExpr:
    """Whether a refusal of the present attempt is under way."""
    return any_of(*((why == reason) & getattr(refused[present()], name) for reason, name in REFUSALS.items()))


@specification.action(OneOf(Outcome), source="calls.11, calls.14")
def refusal_arrives(why: EnumExpr[Outcome]) -> Step:
    """The target did not execute the attempt, or the operation threw: some reasons are retried, others are not."""
    return Step(
        when=[*waits(), is_refused_with(why), why != Outcome.OPERATION_TIMEOUT],
        then=attempt_fails(why, tries),
    )


@specification.action(source="calls.23: CallTimeoutResponse")
def late_request_ends_the_call() -> Step:
    """The target's word that a request came too late is a timeout, though this attempt was not executed then."""
    return Step(
        when=[*waits(), refused[present()].operation_timeout, ~may_wait],
        then=call_ends(Outcome.OPERATION_TIMEOUT),
    )


@specification.action(source="calls.24: CallTimeoutResponse of a blocking operation")
def waiting_call_is_asked_anew() -> Step:
    """A call that may wait at its target is sent again when it has waited for so long, which is not counted."""
    return Step(
        when=[*waits(), refused[present()].operation_timeout, may_wait],
        then=[phase.becomes(Phase.RESOLVING), tries.becomes(if_else(tries > 0, tries - 1, tries))],
    )


@specification.action(source="calls.22; seed: Invocation Lifecycle", fair=True)
def call_times_out() -> Step:
    """Nothing was heard of the attempt for too long, in any mode; what a member reads of itself is always heard."""
    is_own_read = (kind == Kind.READ) & (target[present()] == caller)
    return Step(
        when=[*waits(), kept.is_none, ~is_own_read],
        then=call_ends(Outcome.OPERATION_TIMEOUT, phase_then=Phase.ENDING),
    )


def misses_acknowledgements() -> list[BoolExpr]:
    """Return the guards of the backup timeout: a response has waited for too long."""
    return [*waits(), kept.is_some]


@specification.action(source="seed: Throwing an IndeterminateOperationStateException; strict.3", fair=True)
def missing_acknowledgement_is_indeterminate() -> Step:
    """In indeterminate mode the exception says that a backup did not answer."""
    return Step(when=[*misses_acknowledgements(), is_strict()], then=call_ends(Outcome.INDETERMINATE))


@specification.definition()
def target_is_there() -> BoolExpr:
    """Whether the caller lists somebody at its target's address (backups.18)."""
    return exists(members, lambda member: listed[caller][member] & shares_address(member, asked.value))


@specification.action(source="backups.18", fair=True)
def missing_acknowledgement_is_ignored() -> Step:
    """Otherwise the call succeeds with the response that is kept, although acknowledgements are missing."""
    return Step(
        when=[*misses_acknowledgements(), ~is_strict(), target_is_there()],
        then=call_ends(Outcome.UNACKNOWLEDGED, by=kept),
    )


@specification.action(source="backups.19", fair=True)
def call_is_begun_anew() -> Step:
    """If nobody is at the target's address any more, everything is forgotten, and invoked from the beginning."""
    return Step(
        when=[*misses_acknowledgements(), ~is_strict(), ~target_is_there()],
        then=[
            kept.becomes(None),
            expected.becomes(slots[0]),
            received.becomes(0),
            leavers.becomes(0),
            tries.becomes(0),
            asked.becomes(None),
            phase.becomes(Phase.RESOLVING),
        ],
    )


@specification.action(source="calls.19, calls.14, strict.2")
def target_is_removed() -> Step:
    """The target leaves the caller's list: the attempt fails, even when its response is kept."""
    asks = target[present()]
    return Step(
        when=[*waits(), removed[asks.value]],
        then=[removed[asks.value].becomes(False), *attempt_fails(Outcome.MEMBER_LEFT, tries)],
    )


@specification.action(members, source="backups.20: PR 12213; docs/findings.md")
def leaver_is_counted(member: IndexExpr) -> Step:
    """Any other member that leaves counts as one acknowledgement, whoever it was; not in indeterminate mode."""
    return Step(
        when=[*waits(), ~is_strict() | strict_counts_leavers, removed[member], target[present()] != member],
        then=[removed[member].becomes(False), leavers.becomes(leavers + 1), *one_more_acknowledgement()],
    )


@specification.action(members, source="calls.19; defect HZ-68")
def removal_concerns_no_call(member: IndexExpr) -> Step:
    """No attempt is registered, not even one whose target is chosen: no call is notified later."""
    return Step(
        when=[registers_late, removed[member], phase != Phase.WAITING, ~ended[caller]],
        then=[removed[member].becomes(False)],
    )


@specification.action(source="calls.10, backups.17, calls.7", fair=True)
def answer_is_given() -> Step:
    """What came of the call is answered to whoever made it."""
    return Step(when=[phase == Phase.ENDING, ~ended[caller]], then=[phase.becomes(Phase.ENDED)])


def is_under_way() -> list[BoolExpr]:
    """Return the guards of a call that has not come to anything yet."""
    return [phase.is_in(Phase.RESOLVING, Phase.WAITING), ~ended[caller]]


@specification.action(source="splits.6")
def call_of_a_merging_caller_ends() -> Step:
    """Who goes over to another cluster ends its calls as if their targets had left."""
    return Step(
        when=[*is_under_way(), departure == Departure.MERGES],
        then=call_ends(if_else(is_strict(), Outcome.INDETERMINATE, Outcome.MEMBER_LEFT)),
    )


@specification.action(source="calls.14")
def call_of_a_leaver_ends() -> Step:
    """Who shuts down ends its calls."""
    return Step(
        when=[*is_under_way(), departure == Departure.SHUTS_DOWN],
        then=call_ends(Outcome.NOT_ACTIVE),
    )
