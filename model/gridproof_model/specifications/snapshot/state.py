"""What members know of a stream job: its record, its executions and snapshots, and who is gone.

A member is one incarnation. What an execution has emitted, counted and saved stays for ever, so that one that was given
up goes on where nobody has said so yet. What only claims speak of says "History": no guard reads it.

Then who ends, whom members take for gone, and when copies may be missing.
"""

from enum import Enum

from gridproof_model.language import *


class Guarantee(Enum):
    """What the job was submitted with (jobs.12)."""

    EXACTLY_ONCE = "exactly once"
    """Barriers align: an input that delivered its barrier is not drained until all have."""
    AT_LEAST_ONCE = "at least once"


class Phase(Enum):
    """Where a coordinator stands with a snapshot (jobs.4)."""

    NONE = "none"
    TAKEN = "taken"
    """An id is taken, and the record that says so is being written."""
    CLEARED = "cleared"
    """The record is written, and the map is empty."""
    SAVING = "saving"
    """Phase 1: every source and counter saves its state."""
    VALIDATED = "validated"
    COMMITTING = "committing"
    """The record names the snapshot in memory, and is being written."""
    IN_DOUBT = "in doubt"
    """Nobody knows whether the record was written: the execution must stop."""
    RECORDED = "recorded"
    """The record is written: the older map is to be cleared."""
    FAILED = "failed"
    """The partial map is to be cleared."""
    CORRUPTED = "corrupted"
    """What the record names is not whole: the job has failed for good."""


class Write(Enum):
    """What became of the state that a source or counter has for the present snapshot."""

    NONE = "none"
    """It was not saved yet."""
    WRITING = "writing"
    WRITTEN = "written"
    FAILED = "failed"


class Ending(Enum):
    """How the write of a chunk ends."""

    BACKED = "backed"
    """A second copy has acknowledged it."""
    BARE = "bare"
    """A success, and nobody vouches for a second copy."""
    FAILED = "failed"


specification = Specification(
    "snapshot",
    "A stream job saves its state in two alternating maps, and goes on from the last good one when a member is lost.",
    source="seed: In-Memory Storage; chapter jobs",
)

member_count = specification.constant("members", 2, "Members, those that have ended counted.", least=1)
shard_count = specification.constant("shards", 1, "Shards, with a source each.", least=1)
partition_count = specification.constant("partitions", 1, "Partitions, with a counter each.", least=1)
items = specification.constant("items", 1, "Items of each shard.")
execution_count = specification.constant("executions", 1, "Executions that may be planned.", least=1)
snapshot_count = specification.constant("snapshots", 1, "Snapshots that may be begun.", least=1)
ids = specification.constant("ids", 1, "The highest id of a snapshot.")
writes = specification.constant("writes", 3, "Records that may be written.", least=1)
is_strict = specification.constant(
    "strict", True, "Whether a write without its backup's word counts as failed (later versions)."
)
endings = specification.constant("endings", 1, "Members that may end.")
removals = specification.constant("removals", 1, "Members that others may remove from their lists.")
omissions = specification.constant("omissions", 0, "Members that may be left out of plans.")
exposures = specification.constant("exposures", 0, "Times that something may lack a second copy.")
misses = specification.constant("misses", 0, "Writes that count as a success without their backup's word.")
stops = specification.constant("stops", 1, "Times that a coordinator may give up an execution that misses nobody.")
at_once = specification.constant(
    "at_once",
    False,
    "Whether all learn at once of an end, a start and a stop, and everything is planned at the coordinator.",
)

members = specification.index("member", member_count)
shards = specification.index("shard", shard_count)
partitions = specification.index("partition", partition_count)
executions = specification.index("execution", execution_count, ordered=True)
snapshots = specification.index("snapshot", snapshot_count, ordered=True)
maps = specification.index("map", 2, ordered=True)

places = Int(0, writes - 1)
"""Which of the records that were written."""
numbers = Int(0, items)
totals = Int(0, items * (snapshot_count + 1))
"""At least once, an item may be counted once more in each execution that goes on from another snapshot."""


class JobRecord(RecordExpr):
    """The execution record: the last good snapshot, and the last id begun (jobs.5)."""

    recorded: OptionExpr[IndexExpr]
    ongoing: IntExpr


class Snapshot(RecordExpr):
    """One snapshot, as its chunks have it."""

    id: IntExpr
    """0: none was begun."""
    map: IndexExpr
    is_terminal: BoolExpr
    """The job stops with it."""
    is_validated: BoolExpr
    is_cleared: BoolExpr
    """Its map was cleared since."""
    is_recorded: BoolExpr
    """History: its coordinator has learned that the record names it."""
    is_bare: BoolExpr
    """Something of it counts as written, and nobody vouches for a second copy."""
    is_endangered: BoolExpr
    """Somebody has ended since it was bare: something of it may be lost."""
    offset: ArrayExpr[IntExpr]
    """How many items each source had emitted."""
    sent: ArrayExpr[ArrayExpr[IntExpr]]
    """The same, by counter."""
    counted: ArrayExpr[ArrayExpr[IntExpr]]
    """How many items each counter had counted, by source."""


class Execution(RecordExpr):
    """One execution: who runs what, and how far everything has come."""

    coordinator: OptionExpr[IndexExpr]
    """None: it was not planned yet."""
    participants: SetExpr
    source: ArrayExpr[OptionExpr[IndexExpr]]
    """Who emits each shard."""
    counter: ArrayExpr[OptionExpr[IndexExpr]]
    """Who counts for each partition."""
    restored: OptionExpr[IndexExpr]
    """The snapshot that it begins from; None: from nothing."""
    ready: SetExpr
    """Participants that have said that they are ready."""
    is_started: BoolExpr
    has_read: SetExpr
    """Participants that have emitted what their primary replicas hold of the snapshot."""
    offset: ArrayExpr[IntExpr]
    """The number of each source's next item."""
    sent: ArrayExpr[ArrayExpr[IntExpr]]
    """How many of the items before it went to each counter."""
    queue: ArrayExpr[ArrayExpr[SequenceExpr[IntExpr]]]
    """The numbers of the items on their way from each source to each counter."""
    counted: ArrayExpr[ArrayExpr[IntExpr]]
    """How many items each counter has counted, by source."""
    taking: OptionExpr[IndexExpr]
    """The snapshot that was begun last."""
    arrived: ArrayExpr[SetExpr]
    """Whose barriers of it each counter has received."""
    source_write: ArrayExpr[EnumExpr[Write]]
    counter_write: ArrayExpr[EnumExpr[Write]]


RECORD = Record(JobRecord, recorded=Option(snapshots), ongoing=Int(0, ids))
SNAPSHOT = Record(
    Snapshot,
    id=Int(0, ids),
    map=maps,
    is_terminal=Bool(),
    is_validated=Bool(),
    is_cleared=Bool(),
    is_recorded=Bool(),
    is_bare=Bool(),
    is_endangered=Bool(),
    offset=Array(shards, numbers),
    sent=Array(shards, Array(partitions, numbers)),
    counted=Array(partitions, Array(shards, totals)),
)
EXECUTION = Record(
    Execution,
    coordinator=Option(members),
    participants=Set(members),
    source=Array(shards, Option(members)),
    counter=Array(partitions, Option(members)),
    restored=Option(snapshots),
    ready=Set(members),
    is_started=Bool(),
    has_read=Set(members),
    offset=Array(shards, numbers),
    sent=Array(shards, Array(partitions, numbers)),
    queue=Array(shards, Array(partitions, Sequence(numbers, items + 1))),
    counted=Array(partitions, Array(shards, totals)),
    taking=Option(snapshots),
    arrived=Array(partitions, Set(shards)),
    source_write=Array(shards, OneOf(Write)),
    counter_write=Array(partitions, OneOf(Write)),
)

guarantee = specification.variable("guarantee", OneOf(Guarantee), "What the job was submitted with.", initial=ANY)
ended = specification.variable("ended", Set(members), "Members that do nothing more.")
removed = specification.variable("removed", Array(members, Set(members)), "Whom each member takes for gone.")
exposed = specification.variable(
    "exposed", Bool(), "Whether something may have been without a second copy, or be in two clusters."
)
is_unsafe = specification.variable(
    "is_unsafe", Bool(), "Whether somebody has ended since an execution was planned last, which takes a safe cluster."
)
in_doubt = specification.variable(
    "in_doubt", Bool(), "History: whether a record may have been written of which its coordinator never learned."
)
is_over = specification.variable("is_over", Bool(), "Whether a coordinator has said that the job is over.")

records = specification.variable("records", Sequence(RECORD, writes), "The records that were written, for ever.")
confirmed = specification.variable(
    "confirmed", Int(0, writes), "How many of them were written when a second copy of one was confirmed last."
)
knows_record = specification.variable("knows_record", Set(members), "Coordinators: who has read the record.")
memory = specification.variable("memory", Array(members, RECORD), "The record in each coordinator's memory.")
runs = specification.variable("runs", Array(members, Option(executions)), "What each coordinator plans or runs.")
phase = specification.variable("phase", Array(members, OneOf(Phase)), "Where each coordinator stands with a snapshot.")

underway = specification.variable("underway", Array(executions, EXECUTION), "Executions, in the order of planning.")
present = specification.variable(
    "present", Array(members, Option(executions)), "What each member takes part in; None: it has given it up."
)
saved = specification.variable("saved", Array(snapshots, SNAPSHOT), "Snapshots, in the order of beginning.")

endings_left = specification.variable("endings_left", Int(0, endings), "Members still to end.", initial=endings)
removals_left = specification.variable("removals_left", Int(0, removals), "Removals still to come.", initial=removals)
omissions_left = specification.variable("omissions_left", Int(0, omissions), "Omissions to come.", initial=omissions)
exposures_left = specification.variable(
    "exposures_left", Int(0, exposures), "Exposures still to come.", initial=exposures
)
misses_left = specification.variable("misses_left", Int(0, misses), "Backups still to be missed.", initial=misses)
stops_left = specification.variable("stops_left", Int(0, stops), "Executions still to be given up.", initial=stops)


def of(member: IndexExpr) -> Execution:
    """Return the execution that a member takes part in; undefined where there is none."""
    return underway[present[member].value]


def run_by(coordinator: IndexExpr) -> Execution:
    """Return the execution that a coordinator plans or runs; undefined where there is none."""
    return underway[runs[coordinator].value]


@specification.definition(executions, members)
def concerns(one: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Whether a member takes part in an execution, or coordinates it."""
    return underway[one].participants[member] | (underway[one].coordinator == member)


@specification.definition(executions)
def is_planned(one: IndexExpr) -> BoolExpr:
    """Whether it is said who runs every source and counter of an execution."""
    return all_of(
        for_all(shards, lambda shard: underway[one].source[shard].is_some),
        for_all(partitions, lambda partition: underway[one].counter[partition].is_some),
    )


@specification.definition(executions)
def is_restored(one: IndexExpr) -> BoolExpr:
    """Whether every participant has emitted what it holds of the snapshot that an execution begins from."""
    return underway[one].restored.is_none | underway[one].participants.is_within(underway[one].has_read)


@specification.definition(executions)
def is_all_written(one: IndexExpr) -> BoolExpr:
    """Whether all state of an execution is saved and written."""
    return all_of(
        for_all(shards, lambda shard: underway[one].source_write[shard] == Write.WRITTEN),
        for_all(partitions, lambda partition: underway[one].counter_write[partition] == Write.WRITTEN),
    )


@specification.definition(members)
def map_to_write(coordinator: IndexExpr) -> IndexExpr:
    """The map of a coordinator's next snapshot: never the one that its record names."""
    recorded = memory[coordinator].recorded
    is_first = recorded.is_some & (saved[recorded.value].map == maps[0])
    return if_else(is_first, maps[1], maps[0])


@specification.definition(snapshots)
def may_be_lost(one: IndexExpr) -> BoolExpr:
    """Whether something of a snapshot may be gone; who keeps which copy is not in this specification."""
    return exposed | saved[one].is_endangered


@specification.definition(members)
def is_writing(coordinator: IndexExpr) -> BoolExpr:
    """Whether a coordinator waits for the write of its record, or does not know what became of it."""
    return phase[coordinator].is_in(Phase.TAKEN, Phase.COMMITTING, Phase.IN_DOUBT)


@specification.definition()
def is_backed() -> BoolExpr:
    """Whether every write was acknowledged by a second copy, and no second copy was ever lost with the first."""
    return ~exposed & (misses_left == misses)


@specification.definition()
def is_kept() -> BoolExpr:
    """Whether what was written of the record is what its coordinator knows: as delivered, no write came late.

    Later versions write the record until its backup has it, and once more before it is used: nothing comes late there.
    """
    return ~exposed & (is_strict | (is_backed() & ~in_doubt))


def may_miss(is_missed: BoolExpr) -> BoolExpr:
    """Return the guard for a write of a record that misses its backup unnoticed: later versions repeat such a write."""
    return is_missed.implies((misses_left > 0) & ~is_strict)


def costs_a_miss(is_missed: BoolExpr) -> Update:
    """Return the update that counts a missed backup."""
    return misses_left.becomes(if_else(is_missed, misses_left - 1, misses_left))


@specification.action(members, source="calls.3, jobs.18")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges, and what it knew is gone; where all learn at once, they give up what it did.

    The second one before the cluster is safe again may have had the other copy. What of a snapshot had no other may
    have been with it.
    """

    def loses(other: IndexExpr, what: ArrayExpr[OptionExpr[IndexExpr]]) -> BoolExpr:
        is_lost = all_of(at_once, what[other].is_some, concerns(what[other].value, member))
        return (other == member) | is_lost

    return Step(
        when=[endings_left > 0, ~ended[member]],
        then=[
            endings_left.becomes(endings_left - 1),
            ended[member].becomes(True),
            exposed.becomes(exposed | is_unsafe),
            is_unsafe.becomes(True),
            in_doubt.becomes(in_doubt | exists(members, lambda other: loses(other, runs) & is_writing(other))),
            present.becomes(array_of(members, lambda other: if_else(loses(other, present), None, present[other]))),
            runs.becomes(array_of(members, lambda other: if_else(loses(other, runs), None, runs[other]))),
            phase.becomes(array_of(members, lambda other: if_else(loses(other, runs), Phase.NONE, phase[other]))),
            memory[member].becomes(RECORD()),
            underway.becomes(
                array_of(executions, lambda one: if_else(at_once & concerns(one, member), EXECUTION(), underway[one]))
            ),
            removed.becomes(
                array_of(
                    members,
                    lambda observer: removed[observer].store(
                        member, removed[observer][member] | (at_once & (observer != member))
                    ),
                )
            ),
            saved.becomes(
                array_of(
                    snapshots,
                    lambda one: saved[one].replace(is_endangered=saved[one].is_endangered | saved[one].is_bare),
                )
            ),
        ],
    )


def takes_for_gone(observer: IndexExpr, member: IndexExpr) -> list[Update]:
    """Return the updates after which a member has another in its list no more, and has given up what that one does."""
    is_over = present[observer].is_some & concerns(present[observer].value, member)
    return [
        removed[observer][member].becomes(True),
        present[observer].becomes(if_else(is_over, None, present[observer])),
    ]


@specification.action(members, members, source="members.14, jobs.4", fair=True)
def ended_member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody that ended in its list no more, and gives up what that one takes part in or coordinates."""
    return Step(
        when=[~ended[observer], ended[member], ~removed[observer][member]], then=takes_for_gone(observer, member)
    )


@specification.action(members, members, source="members.14, jobs.4")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """The same of a member that lives on: there are two clusters, and copies in both."""
    return Step(
        when=[removals_left > 0, ~ended[observer], ~ended[member], observer != member, ~removed[observer][member]],
        then=[removals_left.becomes(removals_left - 1), exposed.becomes(True), *takes_for_gone(observer, member)],
    )


@specification.action(source="jobs.19, chapter repair; seed: In-Memory Storage")
def copies_are_exposed() -> Step:
    """Something of the job has one copy, or none: no backups, one group, a frozen cluster."""
    return Step(
        when=[exposures_left > 0, all_of(~exposed)],
        then=[exposures_left.becomes(exposures_left - 1), exposed.becomes(True)],
    )
