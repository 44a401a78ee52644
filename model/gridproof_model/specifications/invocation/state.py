"""What an invocation speaks of: caller, attempts, messages, replicas."""

from enum import Enum

from gridproof_model.language import (
    Array,
    Bool,
    BoolExpr,
    EnumExpr,
    IndexExpr,
    Int,
    IntExpr,
    OneOf,
    Option,
    Record,
    RecordExpr,
    Sequence,
    Set,
    Specification,
    all_of,
    exists,
)


class Kind(Enum):
    """What is called, and in which mode (strict.1: per call, on the builder)."""

    WRITE = "write"
    STRICT_WRITE = "write in indeterminate mode"
    READ = "read"
    """Read-only by the type of its operation; the mode makes no difference to it."""


class Phase(Enum):
    """Where the caller stands."""

    IDLE = "idle"
    RESOLVING = "resolving"
    """About to look up a target for its attempt."""
    TARGETED = "targeted"
    """A target is chosen; the attempt is not yet registered, so no answer and no leaver finds it."""
    WAITING = "waiting"
    ENDED = "ended"


class Outcome(Enum):
    """How a call ended. The caller sees the first two as one and the same success."""

    ACKNOWLEDGED = "success, acknowledgements counted"
    UNACKNOWLEDGED = "success, acknowledgements missing"
    TIMED_OUT = "OperationTimeoutException"
    INDETERMINATE = "IndeterminateOperationStateException"
    EXHAUSTED = "the last retryable exception"


class Request(Enum):
    """Where the request of the present attempt is."""

    NOWHERE = "nowhere"
    UNDER_WAY = "under way"
    RUNNING = "running"
    """It passed the target's checks and its operation runs; heartbeats say so to the caller."""


class Answer(Enum):
    """What a target answers (calls.10)."""

    NONE = "none"
    NORMAL = "normal"
    WRONG_TARGET = "wrong target"
    MIGRATING = "partition migrating"
    CALL_TIMEOUT = "call timeout"


specification = Specification(
    "invocation",
    "A caller invokes one operation on a partition until it has a result, or gives up.",
    source="seed: Execution Guarantees; seed: Invocation Lifecycle; chapter calls, chapter backups",
)

number_of_members = specification.constant("members", 3, "Data members, each a partition group of its own.", least=1)
sync_backups = specification.constant("sync_backups", 1, "Backups whose acknowledgements the caller waits for.")
async_backups = specification.constant("async_backups", 0, "Backups nobody waits for; they hold the colder slots.")
attempts = specification.constant("attempts", 2, "Attempts before the caller gives up (250 as delivered).", least=1)
crashes = specification.constant("crashes", 1, "Members that may crash.")
losses = specification.constant("losses", 1, "Messages that may be lost.")
migrations = specification.constant("migrations", 1, "Slots that may be migrated.")
counts_leavers = specification.constant(
    "counts_leavers", True, "Whether a leaver that is not the target counts as an acknowledgement."
)
rescans_targets = specification.constant(
    "rescans_targets", False, "Whether the periodic scan looks for calls whose target has left (later versions)."
)

members = specification.index("member", number_of_members, ordered=True)
slots = specification.index("slot", sync_backups + async_backups + 1, ordered=True)
call_ids = specification.index("call id", attempts, ordered=True)
"""A call id: every attempt has a new one."""

rows = Array(slots, Option(members))


class Response(RecordExpr):
    """An answer; `backups` is how many sync backups the operation was sent to, by a normal one."""

    kind: EnumExpr[Answer]
    backups: IntExpr


class BackupMessage(RecordExpr):
    """The operation on its way to the holder of a slot; its sender is the target of its attempt."""

    attempt: IndexExpr
    slot: IndexExpr


responses = Record(Response, kind=OneOf(Answer), backups=Int(0, sync_backups))
backup_messages = Record(BackupMessage, attempt=call_ids, slot=slots)

kind = specification.variable("kind", OneOf(Kind), "What is called.")
phase = specification.variable("phase", OneOf(Phase), "Where the caller stands.")
attempt = specification.variable("attempt", call_ids, "The present or last attempt.")
target = specification.variable("target", Array(call_ids, Option(members)), "Whom each attempt asked.")
is_overdue = specification.variable("is_overdue", Bool(), "Whether the present attempt is older than the call timeout.")
pending = specification.variable("pending", Option(call_ids), "Whose response waits for acknowledgements.")
expected = specification.variable("expected", Int(0, sync_backups), "Acknowledgements that the response stated.")
received = specification.variable(
    "received", Int(0, sync_backups * attempts + number_of_members), "Acknowledgements counted so far."
)
outcome = specification.variable("outcome", Option(OneOf(Outcome)), "How the call ended.")
callers_row = specification.variable("callers_row", rows, "The partition's row as the caller knows it.")
callers_list = specification.variable("callers_list", Set(members), "The caller's member list.", initial=True)

row = specification.variable("row", rows, "The partition's row as master and data members know it.")
listed = specification.variable("listed", Set(members), "Their member list.", initial=True)
is_up = specification.variable("is_up", Set(members), "Members that have not crashed.", initial=True)
moving_slot = specification.variable("moving_slot", Option(slots), "The slot that is being migrated.")
moving_to = specification.variable("moving_to", Option(members), "The destination of the migration.")
runs = specification.variable(
    "runs", Array(members, Int(0, attempts)), "How often each copy had the operation; of the dead: when they died."
)

request = specification.variable("request", OneOf(Request), "Where the present attempt's request is.")
response = specification.variable(
    "response", Array(call_ids, responses), "Responses under way to the caller, by call id."
)
acknowledgement = specification.variable(
    "acknowledgement", Array(call_ids, Set(members)), "Backup acknowledgements under way, by call id."
)
backup_lane = specification.variable(
    "backup_lane", Array(members, Sequence(backup_messages, 1)), "Backup messages under way to each member."
)

losses_left = specification.variable("losses_left", Int(0, losses), "Messages that may still be lost.", initial=losses)
crashes_left = specification.variable("crashes_left", Int(0, crashes), "Members that may still crash.", initial=crashes)
migrations_left = specification.variable(
    "migrations_left", Int(0, migrations), "Slots that may still be migrated.", initial=migrations
)

executions = specification.variable(
    "executions", Int(0, attempts), "History: how often a primary executed the operation."
)
ended_by = specification.variable(
    "ended_by", Option(call_ids), "History: the attempt whose response the caller was given."
)
ends = specification.variable("ends", Int(0, 2), "History: how often the call was completed.")
leavers_counted = specification.variable(
    "leavers_counted", Int(0, number_of_members), "History: how many of the acknowledgements received were leavers."
)
retried_after_leave = specification.variable(
    "retried_after_leave", Bool(), "History: whether a MemberLeftException led to a new attempt."
)
was_read = specification.variable("was_read", Bool(), "History: whether another caller has seen the effect.")


@specification.definition(members)
def is_target(member: IndexExpr) -> BoolExpr:
    """Whether the present attempt asks this member."""
    return target[attempt] == member


@specification.definition(members)
def is_owner(member: IndexExpr) -> BoolExpr:
    """Whether a member holds slot 0."""
    return row[slots[0]] == member


@specification.definition(members)
def is_replica(member: IndexExpr) -> BoolExpr:
    """Whether a member holds a slot."""
    return exists(slots, lambda slot: row[slot] == member)


@specification.definition(members)
def may_be_lost_from(sender: IndexExpr) -> BoolExpr:
    """Whether a message from this member may be lost: what the dead have sent may always be."""
    return is_up[sender].implies(losses_left > 0)


@specification.definition()
def is_a_success() -> BoolExpr:
    """Whether the caller was given a result."""
    return (outcome == Outcome.ACKNOWLEDGED) | (outcome == Outcome.UNACKNOWLEDGED)


@specification.definition()
def is_waiting_for_a_response() -> BoolExpr:
    """Whether the call is pending and no response of any attempt is kept."""
    return all_of(phase == Phase.WAITING, pending.is_none)
