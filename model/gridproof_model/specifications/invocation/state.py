"""What members know: rows and lists, the call at its caller, and what was sent on behalf of it; and its history.

A member is one incarnation: address and uuid together (table.3). Slot 0 is the primary's, and slot
`i` is replica index `i` of the reference; a number of backups is a slot, too: the coldest of so many.

Then what members learn: slots of the row, entries of the list, migrations; how they end, and who comes after them.
"""

from enum import Enum

from gridproof_model.language import *


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
    """No attempt is registered: one is to be made, at once or after a pause."""
    WAITING = "waiting"
    ENDING = "ending"
    """What comes of the call is settled, and its answer not yet given."""
    ENDED = "ended"


class Outcome(Enum):
    """What an attempt, or a call, came to (calls.10, calls.14, backups.17, strict.1)."""

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
    """How the caller is about to go."""

    NONE = "none"
    MERGES = "merges"
    """It goes over to another cluster (splits.6)."""
    SHUTS_DOWN = "shuts down"


RETRYABLE = (
    Outcome.WRONG_TARGET,
    Outcome.MIGRATING,
    Outcome.TARGET_NOT_MEMBER,
    Outcome.CALLER_NOT_MEMBER,
    Outcome.MEMBER_LEFT,
    Outcome.NOT_SENT,
)
"""What leads to another attempt (calls.14)."""

specification = Specification(
    "invocation",
    "A caller, its targets and their backups carry out one call, each by the row and the list that it has itself.",
    source="seed: Execution Guarantees; seed: Invocation Lifecycle; chapter calls, chapter backups",
)

member_count = specification.constant("members", 2, "Members, those that have ended counted.", least=2)
backup_count = specification.constant("backups", 1, "The coldest slot that may be written to.")
attempts = specification.constant("attempts", 2, "Attempts that may be sent.", least=1)
retries = specification.constant("retries", 2, "The most attempts before a caller gives up (250 as delivered).")
handlings = specification.constant("handlings", 2, "How often targets may take up a request.")
changes = specification.constant("changes", 1, "Slots, entries of lists, migrations and departures to be learned of.")
endings = specification.constant("endings", 1, "Members that may end.")
serves_stale_reads = specification.constant(
    "serves_stale_reads", True, "Whether reads are served while their partition migrates."
)
strict_counts_leavers = specification.constant(
    "strict_counts_leavers", False, "Whether a leaver counts for a strict call, too (Hazelcast until 5.5.0)."
)
registers_late = specification.constant(
    "registers_late", False, "Whether a target may be chosen some time before its attempt is registered (HZ-68)."
)
moves = specification.constant("moves", 0, "Copies that may be replaced by others, or dropped.")
waiting_operations = specification.constant("waiting_operations", True, "Whether operations may wait at their target.")
other_refusals = specification.constant(
    "other_refusals", True, "Whether states of the cluster, quorums and operations themselves refuse."
)
last_steps = specification.constant("last_steps", True, "Whether the last step of a member may go unrecorded.")
departures = specification.constant("departures", True, "Whether the caller may go over to another cluster, or leave.")
false_removals = specification.constant("false_removals", True, "Whether members that live may be removed from lists.")

members = specification.index("member", member_count, ordered=True)
slots = specification.index("slot", backup_count + 1, ordered=True)
call_ids = specification.index("call id", attempts, ordered=True)
"""A call id: every attempt that is sent has a new one (calls.7)."""


class Refused(RecordExpr):
    """Which refusals of a request are under way to the caller."""

    wrong_target: BoolExpr
    migrating: BoolExpr
    caller_not_member: BoolExpr
    illegal_state: BoolExpr
    operation_timeout: BoolExpr
    protected: BoolExpr
    thrown: BoolExpr


REFUSED = Record(Refused, **{name: Bool() for name in Refused.__annotations__})
REFUSALS: dict[Outcome, str] = {Outcome[name.upper()]: name for name in Refused.__annotations__}
"""The field of each reason."""

row = specification.variable(
    "row",
    Array(members, Array(slots, Option(members))),
    "Who has which slot, as each member has it; to begin with, the first members in their order.",
    initial=array_of(
        members, lambda _: array_of(slots, lambda slot: first(members, lambda member: member.ordinal == slot.ordinal))
    ),
)
listed = specification.variable(
    "listed", Array(members, Set(members)), "Whom each member has in its list.", initial=True
)
reach = specification.variable(
    "reach",
    Array(members, slots),
    "The coldest slot that each member sends to: one less than the partition groups of its list.",
    initial=array_of(members, lambda _: element_at(slots, backup_count)),
)
migrating = specification.variable("migrating", Set(members), "Members for which the partition migrates.")
address = specification.variable(
    "address",
    Array(members, members),
    "The first incarnation on each member's address.",
    initial=array_of(members, lambda member: member),
)
ended = specification.variable("ended", Set(members), "Members that do nothing more.")
has_unrecorded = specification.variable(
    "has_unrecorded", Set(members), "Members whose last step nobody has seen: it went with them."
)
changes_left = specification.variable("changes_left", Int(0, changes), "Changes still to come.", initial=changes)
endings_left = specification.variable("endings_left", Int(0, endings), "Endings still to come.", initial=endings)
handlings_left = specification.variable(
    "handlings_left", Int(0, handlings), "Requests still to be taken up.", initial=handlings
)

caller = specification.variable("caller", members, "Who calls.", initial=ANY)
departure = specification.variable("departure", OneOf(Departure), "How the caller is about to go.")
removed = specification.variable(
    "removed", Set(members), "Whom the caller has removed from its list, and not notified the call of."
)
kind = specification.variable("kind", OneOf(Kind), "What is called.")
may_wait = specification.variable("may_wait", Bool(), "Whether the operation may wait at its target.")
budget = specification.variable(
    "budget", Int(0, retries), "Attempts before the caller gives up, as it is configured.", initial=retries
)
phase = specification.variable("phase", OneOf(Phase), "Where the caller stands.")
chosen = specification.variable("chosen", Option(members), "The target of an attempt that is not registered yet.")
tries = specification.variable("tries", Int(0, retries + 1), "Attempts made, those included that were not sent.")
sent = specification.variable("sent", Int(0, attempts), "Attempts sent.")
target = specification.variable("target", Array(call_ids, Option(members)), "Whom each attempt that was sent asked.")
asked = specification.variable("asked", Option(members), "The last target found, whether it was sent to or not.")
kept = specification.variable("kept", Option(call_ids), "Whose response waits for acknowledgements.")
expected = specification.variable("expected", slots, "How many acknowledgements that response counts.")
received = specification.variable(
    "received", Int(0, changes + attempts * member_count), "Acknowledgements counted, leavers included."
)
counted = specification.variable("counted", Set(members), "Who has acknowledged the present attempt.")
outcome = specification.variable("outcome", Option(OneOf(Outcome)), "What comes of the call.")
answered_by = specification.variable("answered_by", Option(call_ids), "Whose response the caller is given.")

executed = specification.variable(
    "executed", Array(call_ids, Set(members)), "Who has executed each attempt as the primary, and changed something."
)
parked = specification.variable("parked", Array(call_ids, Set(members)), "At whom each attempt waits.")
answered = specification.variable(
    "answered", Array(call_ids, Set(slots)), "Responses under way to the caller, by the backups they count."
)
refused = specification.variable("refused", Array(call_ids, REFUSED), "Refusals under way to the caller.")
updates = specification.variable(
    "updates",
    Array(call_ids, Array(slots, Array(members, Bool()))),
    "To whom each attempt has sent its update for a slot.",
)
sync = specification.variable(
    "sync", Array(call_ids, slots), "The coldest slot whose holder is asked to acknowledge an attempt."
)
acknowledged = specification.variable(
    "acknowledged", Array(call_ids, Set(members)), "Acknowledgements under way to the caller."
)

copies = specification.variable("copies", Set(members), "History: who has had the change by a step of its own.")
holds = specification.variable(
    "holds",
    Array(call_ids, Set(members)),
    "History: whose copy has the change of each attempt; of the ended, when they ended.",
)
executions = specification.variable(
    "executions", Int(0, handlings), "History: how often a primary has executed the operation."
)
leavers = specification.variable(
    "leavers", Int(0, changes + 1), "History: how many of the acknowledgements received were leavers."
)
ends = specification.variable("ends", Int(0, 2), "History: how often it was settled what comes of the call.")
retried_after_leave = specification.variable(
    "retried_after_leave", Bool(), "History: whether a target that had left led to a new attempt."
)
repeated = specification.variable(
    "repeated",
    Bool(),
    "History: whether a request was taken up that was answered before, or an update applied by two at one address.",
)
moves_left = specification.variable("moves_left", Int(0, moves), "Copies still to be replaced.", initial=moves)


@specification.definition()
def present() -> IndexExpr:
    """The attempt that was sent last, or the first one while there is none."""
    return element_at(call_ids, larger(sent - 1, 0))


@specification.definition(call_ids)
def is_sent(number: IndexExpr) -> BoolExpr:
    """Whether an attempt was sent."""
    return number.ordinal < sent


@specification.definition(members, members)
def shares_address(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Whether two incarnations sit on one address, one after the other."""
    return address[one] == address[other]


@specification.definition()
def is_strict() -> BoolExpr:
    """Whether the call is made in indeterminate mode."""
    return kind == Kind.STRICT_WRITE


@specification.definition()
def is_a_success() -> BoolExpr:
    """Whether the caller is given a result."""
    return (outcome == Outcome.ACKNOWLEDGED) | (outcome == Outcome.UNACKNOWLEDGED)


@specification.definition()
def is_a_strict_success() -> BoolExpr:
    """Whether a write in indeterminate mode returned without an exception."""
    return is_strict() & is_a_success()


@specification.definition(call_ids)
def is_answered(number: IndexExpr) -> BoolExpr:
    """Whether somebody has answered an attempt, or refused it."""
    return answered[number].is_any() | any_of(*(getattr(refused[number], name) for name in REFUSALS.values()))


@specification.definition(call_ids)
def is_executed(number: IndexExpr) -> BoolExpr:
    """Whether somebody has executed an attempt and changed something."""
    return exists(members, lambda member: executed[number][member])


def one_more(tried: IntExpr) -> IntExpr:
    """Return how many attempts were made after one more; the last number stands for itself."""
    return if_else(tried < retries + 1, tried + 1, tried)


ONE_CHANGE = changes_left.becomes(changes_left - 1)


def learns(member: IndexExpr) -> list[BoolExpr]:
    """Return the guards of a member that learns something: it has not ended."""
    return [changes_left > 0, ~ended[member]]


@specification.action(members, slots, members, source="table.4, table.14")
def slot_is_learned(member: IndexExpr, slot: IndexExpr, holder: IndexExpr) -> Step:
    """A member learns that somebody has a slot, and no other; how its table comes is what `ownership` is about."""
    return Step(
        when=[*learns(member), ~exists(slots, lambda other: row[member][other] == holder)],
        then=[ONE_CHANGE, row[member][slot].becomes(holder)],
    )


@specification.action(members, slots, source="table.4, table.14")
def slot_is_emptied(member: IndexExpr, slot: IndexExpr) -> Step:
    """A member learns that nobody has a slot."""
    return Step(when=[*learns(member), row[member][slot].is_some], then=[ONE_CHANGE, row[member][slot].becomes(None)])


@specification.action(members, members, source="members.2")
def member_is_listed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody in its list from now on; a caller has nothing more to notify its calls of."""
    is_still_gone = removed[member] & (observer != caller)
    return Step(
        when=[*learns(observer), ~listed[observer][member]],
        then=[ONE_CHANGE, listed[observer][member].becomes(True), removed[member].becomes(is_still_gone)],
    )


@specification.action(members, members, source="calls.19, members.2, repair.1")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody else in its list no more; a caller notifies its calls, even those begun in this step."""
    is_news_to_calls = removed[member] | (observer == caller)
    return Step(
        when=[*learns(observer), observer != member, listed[observer][member], ended[member] | false_removals],
        then=[ONE_CHANGE, listed[observer][member].becomes(False), removed[member].becomes(is_news_to_calls)],
    )


@specification.action(members, slots, source="placement.8")
def groups_are_counted(member: IndexExpr, coldest: IndexExpr) -> Step:
    """A member sends as far down the row as there are other partition groups, whatever slots are filled."""
    return Step(when=[*learns(member), reach[member] != coldest], then=[ONE_CHANGE, reach[member].becomes(coldest)])


@specification.action(members, source="migration.9, migration.12")
def migration_begins(member: IndexExpr) -> Step:
    """The partition migrates for a member: it executes no writes, and applies none."""
    return Step(when=[*learns(member), ~migrating[member]], then=[ONE_CHANGE, migrating[member].becomes(True)])


@specification.action(members, source="migration.9, migration.12")
def migration_ends(member: IndexExpr) -> Step:
    """A member has heard how the migration ended."""
    return Step(when=[~ended[member], migrating[member]], then=[migrating[member].becomes(False)])


@specification.action(members, source="calls.3")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges: it does nothing more; what it sent stays under way."""
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
    """Whether a member is at an address of its own, where nobody has asked it for or sent it anything."""
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
    """A member starts at the address of one that has ended, the last one there, and gets what is sent there."""
    all_before_ended = for_all(members, lambda other: shares_address(other, former).implies(ended[other]))
    return Step(
        when=[changes_left > 0, may_not_have_started(member), all_before_ended],
        then=[ONE_CHANGE, address[member].becomes(address[former])],
    )


@specification.action(source="splits.6")
def caller_merges() -> Step:
    """The caller collects what it has, and goes over to another cluster as a new incarnation."""
    return Step(
        when=[departures, changes_left > 0, ~ended[caller], departure == Departure.NONE],
        then=[ONE_CHANGE, departure.becomes(Departure.MERGES)],
    )


@specification.action(source="calls.20, leaving.1")
def caller_shuts_down() -> Step:
    """The caller leaves, or is refused for good."""
    return Step(
        when=[departures, changes_left > 0, ~ended[caller], departure == Departure.NONE],
        then=[ONE_CHANGE, departure.becomes(Departure.SHUTS_DOWN)],
    )
