"""What members know: rows and lists, the call at its caller, the messages sent for the call, and the call's history.

A member is one incarnation: address and uuid together (table.3). Slot 0 belongs to the primary, and slot `i` is replica
index `i` of the reference; where a number of backups is meant, slot `n` stands for `n` backups.

The actions of this module: members learn slots, list entries and migrations; members end, and start again.
"""

from enum import Enum

from gridproof_model.language import *


class Kind(Enum):
    """The kind of a call, which includes its mode (strict.1: the mode is chosen for each call, on its builder)."""

    WRITE = "write"
    STRICT_WRITE = "write in indeterminate mode"
    READ = "read"
    """The call's operation only reads; such a call behaves alike in both modes."""


class Phase(Enum):
    """The phase of the call, as its caller sees it."""

    IDLE = "idle"
    RESOLVING = "resolving"
    """No attempt is registered: the next attempt is made at once or after a pause."""
    WAITING = "waiting"
    ENDING = "ending"
    """The outcome of the call is settled, but the answer has not been given to the client yet."""
    ENDED = "ended"


class Outcome(Enum):
    """The outcome of an attempt, or of a call (calls.10, calls.14, backups.17, strict.1)."""

    ACKNOWLEDGED = "acknowledged"
    UNACKNOWLEDGED = "unacknowledged"
    WRONG_TARGET = "wrong target"
    MIGRATING = "partition migrating"
    TARGET_NOT_MEMBER = "target not member"
    CALLER_NOT_MEMBER = "caller not member"
    MEMBER_LEFT = "member left"
    NOT_SENT = "not sent"
    NOT_ACTIVE = "not active"
    ILLEGAL_STATE = "illegal state"
    NO_DATA_MEMBER = "no data member"
    OPERATION_TIMEOUT = "operation timeout"
    INDETERMINATE = "indeterminate operation state"
    OVERLOAD = "overload"
    PROTECTED = "split-brain protection"
    THROWN = "thrown by the operation"


class Departure(Enum):
    """How the caller is about to leave its cluster."""

    NONE = "none"
    MERGES = "merges"
    """The caller merges into another cluster (splits.6)."""
    SHUTS_DOWN = "shuts down"


RETRYABLE = (
    Outcome.WRONG_TARGET,
    Outcome.MIGRATING,
    Outcome.TARGET_NOT_MEMBER,
    Outcome.CALLER_NOT_MEMBER,
    Outcome.MEMBER_LEFT,
    Outcome.NOT_SENT,
)
"""The outcomes of an attempt that lead to another attempt (calls.14)."""

specification = Specification(
    "invocation",
    "A caller, its targets and their backups carry out one call, each by its own row and list.",
    source="seed: Execution Guarantees; seed: Invocation Lifecycle; chapter calls, chapter backups",
)

member_count = specification.constant("members", 2, "How many members there are, with those that have ended.", least=2)
backup_count = specification.constant("backups", 1, "How many backups a row may have.")
attempts = specification.constant("attempts", 2, "How many attempts may be sent.", least=1)
retries = specification.constant("retries", 2, "How many attempts a caller makes at most (Hazelcast's default: 250).")
handlings = specification.constant("handlings", 2, "How often targets may handle a request.")
changes = specification.constant(
    "changes", 1, "How many changes of slots, lists, migrations and departures there may be."
)
endings = specification.constant("endings", 1, "How many members may end.")
serves_stale_reads = specification.constant(
    "serves_stale_reads", True, "Whether reads are served while their partition migrates."
)
strict_counts_leavers = specification.constant(
    "strict_counts_leavers",
    False,
    "Whether a leaver counts as an acknowledgement of a strict call, too (Hazelcast until 5.5.0).",
)
registers_late = specification.constant(
    "registers_late", False, "Whether a target may be chosen some time before its attempt is registered (HZ-68)."
)
moves = specification.constant("moves", 0, "How often a copy may be replaced by another, or dropped.")
waiting_operations = specification.constant("waiting_operations", True, "Whether operations may wait at their target.")
other_refusals = specification.constant(
    "other_refusals", True, "Whether the cluster state, quorums and operations themselves may refuse."
)
last_steps = specification.constant("last_steps", True, "Whether the last step of a member may be unrecorded.")
departures = specification.constant("departures", True, "Whether the caller may merge into another cluster, or leave.")
false_removals = specification.constant("false_removals", True, "Whether live members may be removed from lists.")

members = specification.index("member", member_count, ordered=True)
slots = specification.index("slot", backup_count + 1, ordered=True)
call_ids = specification.index("call id", attempts, ordered=True)
"""The call ids: every attempt that is sent gets a new call id (calls.7)."""


class Refused(RecordExpr):
    """For each reason, whether a request was refused for this reason and the refusal is under way to the caller."""

    wrong_target: BoolExpr
    migrating: BoolExpr
    caller_not_member: BoolExpr
    illegal_state: BoolExpr
    operation_timeout: BoolExpr
    protected: BoolExpr
    thrown: BoolExpr


REFUSED = Record(Refused, **{name: Bool() for name in Refused.__annotations__})
REFUSALS: dict[Outcome, str] = {Outcome[name.upper()]: name for name in Refused.__annotations__}
"""For each reason, the name of its field in `Refused`."""

row = specification.variable(
    "row",
    Array(members, Array(slots, Option(members))),
    "The row of each member: who has which slot. At the start, the first members in their order.",
    initial=array_of(
        members, lambda _: array_of(slots, lambda slot: first(members, lambda member: member.ordinal == slot.ordinal))
    ),
)
listed = specification.variable(
    "listed", Array(members, Set(members)), "The members in each member's list.", initial=True
)
reach = specification.variable(
    "reach",
    Array(members, slots),
    "The highest slot that each member sends to: one less than the number of partition groups in its list.",
    initial=array_of(members, lambda _: element_at(slots, backup_count)),
)
migrating = specification.variable("migrating", Set(members), "Members that take part in a migration of the partition.")
address = specification.variable(
    "address",
    Array(members, members),
    "The first incarnation at each member's address.",
    initial=array_of(members, lambda member: member),
)
ended = specification.variable("ended", Set(members), "Members that have ended and do nothing more.")
has_unrecorded = specification.variable(
    "has_unrecorded", Set(members), "Ended members whose last step may be missing from the record."
)
changes_left = specification.variable("changes_left", Int(0, changes), "Changes still to come.", initial=changes)
endings_left = specification.variable("endings_left", Int(0, endings), "Endings still to come.", initial=endings)
handlings_left = specification.variable(
    "handlings_left", Int(0, handlings), "Requests that may still be handled.", initial=handlings
)

caller = specification.variable("caller", members, "The member that calls.", initial=ANY)
departure = specification.variable("departure", OneOf(Departure), "How the caller is about to leave its cluster.")
removed = specification.variable(
    "removed", Set(members), "Members that the caller has removed from its list without notifying the call yet."
)
kind = specification.variable("kind", OneOf(Kind), "The kind of call.")
may_wait = specification.variable("may_wait", Bool(), "Whether the operation may wait at its target.")
budget = specification.variable(
    "budget", Int(0, retries), "How many attempts the caller makes before it gives up, as configured.", initial=retries
)
phase = specification.variable("phase", OneOf(Phase), "The phase of the call at its caller.")
chosen = specification.variable("chosen", Option(members), "The target of an attempt that is not registered yet.")
tries = specification.variable("tries", Int(0, retries + 1), "How many attempts were made, sent or not.")
sent = specification.variable("sent", Int(0, attempts), "How many attempts were sent.")
target = specification.variable("target", Array(call_ids, Option(members)), "The member that each sent attempt asked.")
asked = specification.variable("asked", Option(members), "The last target found, whether it was sent to or not.")
kept = specification.variable("kept", Option(call_ids), "The attempt whose response the caller keeps.")
expected = specification.variable("expected", slots, "How many acknowledgements the kept response asks for.")
received = specification.variable(
    "received", Int(0, changes + attempts * member_count), "How many acknowledgements were counted, with leavers."
)
counted = specification.variable("counted", Set(members), "Members that have acknowledged the present attempt.")
outcome = specification.variable("outcome", Option(OneOf(Outcome)), "The outcome of the call.")
answered_by = specification.variable("answered_by", Option(call_ids), "The attempt whose response the caller is given.")

executed = specification.variable(
    "executed", Array(call_ids, Set(members)), "Members that have executed each attempt as the primary, with a change."
)
parked = specification.variable("parked", Array(call_ids, Set(members)), "Members at which each attempt waits.")
answered = specification.variable(
    "answered",
    Array(call_ids, Set(slots)),
    "Responses under way to the caller, by the number of backups that they count.",
)
refused = specification.variable("refused", Array(call_ids, REFUSED), "Refusals under way to the caller.")
updates = specification.variable(
    "updates",
    Array(call_ids, Array(slots, Array(members, Bool()))),
    "The members that each attempt has sent its update for a slot to.",
)
sync = specification.variable(
    "sync", Array(call_ids, slots), "The highest slot whose holder is asked to acknowledge an attempt."
)
acknowledged = specification.variable(
    "acknowledged", Array(call_ids, Set(members)), "Acknowledgements under way to the caller."
)

copies = specification.variable(
    "copies", Set(members), "History: members that have had the change by a step of their own."
)
holds = specification.variable(
    "holds",
    Array(call_ids, Set(members)),
    "History: members whose copy has the change of each attempt; for ended members, had it at their end.",
)
executions = specification.variable(
    "executions", Int(0, handlings), "History: how often a primary has executed the operation."
)
leavers = specification.variable(
    "leavers", Int(0, changes + 1), "History: how many of the acknowledgements counted stand for leavers."
)
ends = specification.variable("ends", Int(0, 2), "History: how often the outcome of the call was settled.")
retried_after_leave = specification.variable(
    "retried_after_leave", Bool(), "History: whether a new attempt was made because a target had left."
)
repeated = specification.variable(
    "repeated",
    Bool(),
    "History: whether an answered request was handled again, or two members at one address applied an update.",
)
moves_left = specification.variable("moves_left", Int(0, moves), "Replacements of copies still to come.", initial=moves)


@specification.definition()
def present() -> IndexExpr:
    """The attempt that was sent last; if none was sent yet, the first attempt."""
    return element_at(call_ids, larger(sent - 1, 0))


@specification.definition(call_ids)
def is_sent(number: IndexExpr) -> BoolExpr:
    """Whether an attempt was sent."""
    return number.ordinal < sent


@specification.definition(members, members)
def shares_address(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Whether two incarnations have the same address; if so, one of them started after the end of the other."""
    return address[one] == address[other]


@specification.definition()
def is_strict() -> BoolExpr:
    """Whether the call is made in indeterminate mode."""
    return kind == Kind.STRICT_WRITE


@specification.definition()
def is_a_success() -> BoolExpr:
    """Whether the outcome of the call gives the caller a result."""
    return (outcome == Outcome.ACKNOWLEDGED) | (outcome == Outcome.UNACKNOWLEDGED)


@specification.definition()
def is_a_strict_success() -> BoolExpr:
    """Whether a write in indeterminate mode returned without an exception."""
    return is_strict() & is_a_success()


@specification.definition(call_ids)
def is_answered(number: IndexExpr) -> BoolExpr:
    """Whether some member has answered the attempt, or refused it."""
    return answered[number].is_any() | any_of(*(getattr(refused[number], name) for name in REFUSALS.values()))


@specification.definition(call_ids)
def is_executed(number: IndexExpr) -> BoolExpr:
    """Whether some member has executed the attempt and changed something."""
    return exists(members, lambda member: executed[number][member])


ONE_CHANGE = changes_left.becomes(changes_left - 1)


def learns(member: IndexExpr) -> list[BoolExpr]:
    """Return the guards of a step in which a member learns something: the member has not ended."""
    return [changes_left > 0, ~ended[member]]


@specification.action(members, slots, members, source="table.4, table.14")
def slot_is_learned(member: IndexExpr, slot: IndexExpr, holder: IndexExpr) -> Step:
    """A member learns who holds a slot, and in its row the holder has no other slot (for tables, see `ownership`)."""
    return Step(
        when=[*learns(member), ~exists(slots, lambda other: row[member][other] == holder)],
        then=[ONE_CHANGE, row[member][slot].becomes(holder)],
    )


@specification.action(members, slots, source="table.4, table.14")
def slot_is_emptied(member: IndexExpr, slot: IndexExpr) -> Step:
    """A member learns that a slot is empty."""
    return Step(when=[*learns(member), row[member][slot].is_some], then=[ONE_CHANGE, row[member][slot].becomes(None)])


@specification.action(members, members, source="members.2")
def member_is_listed(observer: IndexExpr, member: IndexExpr) -> Step:
    """An observer adds a member to its list; if it is the caller, it no longer notifies calls of an earlier removal."""
    is_still_gone = removed[member] & (observer != caller)
    return Step(
        when=[*learns(observer), ~listed[observer][member]],
        then=[ONE_CHANGE, listed[observer][member].becomes(True), removed[member].becomes(is_still_gone)],
    )


@specification.action(members, members, source="calls.19, members.2, repair.1")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """An observer removes a member from its list; a caller notifies its calls, even a call begun in this step."""
    is_news_to_calls = removed[member] | (observer == caller)
    return Step(
        when=[*learns(observer), observer != member, listed[observer][member], ended[member] | false_removals],
        then=[ONE_CHANGE, listed[observer][member].becomes(False), removed[member].becomes(is_news_to_calls)],
    )


@specification.action(members, slots, source="placement.8")
def groups_are_counted(member: IndexExpr, coldest: IndexExpr) -> Step:
    """A member learns how many partition groups there are, and therefore up to which slot it sends its writes."""
    return Step(when=[*learns(member), reach[member] != coldest], then=[ONE_CHANGE, reach[member].becomes(coldest)])


@specification.action(members, source="migration.9, migration.12")
def migration_begins(member: IndexExpr) -> Step:
    """A member takes part in a migration of the partition: meanwhile it executes no writes and applies no updates."""
    return Step(when=[*learns(member), ~migrating[member]], then=[ONE_CHANGE, migrating[member].becomes(True)])


@specification.action(members, source="migration.9, migration.12")
def migration_ends(member: IndexExpr) -> Step:
    """A member learns how the migration ended."""
    return Step(when=[~ended[member], migrating[member]], then=[migrating[member].becomes(False)])


@specification.action(members, source="calls.3")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges: it does nothing more, but its messages stay under way."""
    return Step(
        when=[endings_left > 0, ~ended[member]],
        then=[
            endings_left.becomes(endings_left - 1),
            ended[member].becomes(True),
            has_unrecorded[member].becomes(last_steps),
        ],
    )


@specification.definition(members)
def may_not_have_started(member: IndexExpr) -> BoolExpr:
    """Whether the member shares its address with no other, and no request or update was sent to it."""
    is_asked = exists(
        call_ids,
        lambda number: (
            (target[number] == member)
            | executed[number][member]
            | exists(slots, lambda slot: updates[number][slot][member])
        ),
    )
    return all_of(member != caller, ~ended[member], address[member] == member, ~is_asked)


@specification.action(members, members, source="calls.4, table.3")
def member_starts_again(former: IndexExpr, member: IndexExpr) -> Step:
    """A member starts at an address where all earlier members have ended; it gets the messages sent to that address."""
    all_before_ended = for_all(members, lambda other: shares_address(other, former).implies(ended[other]))
    return Step(
        when=[changes_left > 0, may_not_have_started(member), all_before_ended],
        then=[ONE_CHANGE, address[member].becomes(address[former])],
    )


@specification.action(source="splits.6")
def caller_merges() -> Step:
    """The caller collects its entries, and joins another cluster as a new incarnation (a merge)."""
    return Step(
        when=[departures, changes_left > 0, ~ended[caller], departure == Departure.NONE],
        then=[ONE_CHANGE, departure.becomes(Departure.MERGES)],
    )


@specification.action(source="calls.20, leaving.1")
def caller_shuts_down() -> Step:
    """The caller leaves the cluster, or its join is refused for good."""
    return Step(
        when=[departures, changes_left > 0, ~ended[caller], departure == Departure.NONE],
        then=[ONE_CHANGE, departure.becomes(Departure.SHUTS_DOWN)],
    )
