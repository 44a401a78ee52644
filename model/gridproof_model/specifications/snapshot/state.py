"""What members know about a stream job: its record, its executions and snapshots, and which members are gone.

A member is one incarnation (address and uuid). All that an execution has emitted, counted and saved stays for ever, so
that an execution that was given up goes on at participants that have not learnt of it. "History" in the text of a
variable means that no guard reads it.

The actions of this module: members end and are removed from lists, and copies may be missing.
"""

from enum import Enum

from gridproof_model.language import *


class Guarantee(Enum):
    """The processing guarantee with which the job was submitted (jobs.12)."""

    EXACTLY_ONCE = "exactly once"
    """Barriers are aligned: an input that delivered its barrier is not drained until all inputs have delivered it."""
    AT_LEAST_ONCE = "at least once"


class Phase(Enum):
    """The phase of a coordinator's snapshot (jobs.4)."""

    NONE = "none"
    TAKEN = "taken"
    """An id is taken, and the record with it is being written."""
    CLEARED = "cleared"
    """The record is written, and the map is empty."""
    SAVING = "saving"
    """Phase 1: every source and every counter saves its state."""
    VALIDATED = "validated"
    COMMITTING = "committing"
    """The record in memory names the snapshot, and is being written."""
    IN_DOUBT = "in doubt"
    """It is not known whether the record was written, so the execution must stop."""
    RECORDED = "recorded"
    """The record is written, and the older map has to be cleared."""
    FAILED = "failed"
    """The snapshot failed, and its partial map has to be cleared."""
    CORRUPTED = "corrupted"
    """The snapshot that the record names is not complete, so the job has failed for good."""


class Write(Enum):
    """How far a source's or a counter's state is written for the present snapshot."""

    NONE = "none"
    """The state was not saved."""
    WRITING = "writing"
    WRITTEN = "written"
    FAILED = "failed"


class Ending(Enum):
    """How the write of a chunk ends."""

    BACKED = "backed"
    """A second copy acknowledged the write."""
    BARE = "bare"
    """The write counts as a success, but no second copy is confirmed."""
    FAILED = "failed"


specification = Specification(
    "snapshot",
    "A stream job saves its state in two alternating maps, and goes on from the last good one when a member is lost.",
    source="seed: In-Memory Storage; chapter jobs",
)

member_count = specification.constant("members", 2, "How many members there are, with those that have ended.", least=1)
shard_count = specification.constant("shards", 1, "How many shards there are, with a source each.", least=1)
partition_count = specification.constant("partitions", 1, "How many partitions, with a counter each.", least=1)
items = specification.constant("items", 1, "How many items each shard has.")
execution_count = specification.constant("executions", 1, "How many executions may be planned.", least=1)
snapshot_count = specification.constant("snapshots", 1, "How many snapshots may be begun.", least=1)
ids = specification.constant("ids", 1, "The highest id of a snapshot.")
writes = specification.constant("writes", 3, "How many records may be written.", least=1)
is_strict = specification.constant(
    "strict", True, "Whether a write without its backup's acknowledgement counts as failed, as in later versions."
)
endings = specification.constant("endings", 1, "How many members may end.")
removals = specification.constant("removals", 1, "How often a member may remove a live member from its list.")
omissions = specification.constant("omissions", 0, "How many members may be left out of plans.")
exposures = specification.constant("exposures", 0, "How often data of the job may lack a second copy.")
misses = specification.constant("misses", 0, "How many writes succeed without a backup's acknowledgement.")
stops = specification.constant("stops", 1, "How often a coordinator may give up an execution that could go on.")
at_once = specification.constant(
    "at_once",
    False,
    "Whether all members learn at once of an end, a start and a stop, and all work is planned at the coordinator.",
)

members = specification.index("member", member_count)
shards = specification.index("shard", shard_count)
partitions = specification.index("partition", partition_count)
executions = specification.index("execution", execution_count, ordered=True)
snapshots = specification.index("snapshot", snapshot_count, ordered=True)
maps = specification.index("map", 2, ordered=True)

places = Int(0, writes - 1)
"""The position of a record among all that were written."""
numbers = Int(0, items)
totals = Int(0, items * (snapshot_count + 1))
"""A count of items; with at-least-once, each execution that starts from another snapshot may count an item again."""


class JobRecord(RecordExpr):
    """The execution record: the last good snapshot, and the last id that was begun (jobs.5)."""

    recorded: OptionExpr[IndexExpr]
    ongoing: IntExpr


class Snapshot(RecordExpr):
    """One snapshot and the content of its chunks."""

    id: IntExpr
    """The id of the snapshot; 0 if it was not begun."""
    map: IndexExpr
    is_terminal: BoolExpr
    """Whether the job stops after the snapshot."""
    is_validated: BoolExpr
    is_cleared: BoolExpr
    """Whether the snapshot's map has been cleared since."""
    is_recorded: BoolExpr
    """Kept as history, read by no guard: whether the snapshot's coordinator knows that the record names it."""
    is_bare: BoolExpr
    """Whether a part of the snapshot counts as written without a confirmed second copy."""
    is_endangered: BoolExpr
    """Whether a member has ended since a part of the snapshot had no second copy, so that this part may be lost."""
    offset: ArrayExpr[IntExpr]
    """How many items each source had emitted when the snapshot was taken."""
    sent: ArrayExpr[ArrayExpr[IntExpr]]
    """How many items each source had emitted to each counter when the snapshot was taken."""
    counted: ArrayExpr[ArrayExpr[IntExpr]]
    """How many items of each source each counter had counted when the snapshot was taken."""


class Execution(RecordExpr):
    """One execution: which member runs which source or counter, and how far each has come."""

    coordinator: OptionExpr[IndexExpr]
    """The member that coordinates the execution; None while it is not planned."""
    participants: SetExpr
    source: ArrayExpr[OptionExpr[IndexExpr]]
    """The member that emits each shard."""
    counter: ArrayExpr[OptionExpr[IndexExpr]]
    """For each partition, the member that counts its items."""
    restored: OptionExpr[IndexExpr]
    """The snapshot from which the execution begins; None if it begins without a snapshot."""
    ready: SetExpr
    """The participants that have answered that they are ready."""
    is_started: BoolExpr
    has_read: SetExpr
    """The participants that have emitted the chunks of the snapshot from their primary replicas."""
    offset: ArrayExpr[IntExpr]
    """The number of each source's next item."""
    sent: ArrayExpr[ArrayExpr[IntExpr]]
    """How many items each source has emitted to each counter."""
    queue: ArrayExpr[ArrayExpr[SequenceExpr[IntExpr]]]
    """The numbers of the items that are on their way from each source to each counter."""
    counted: ArrayExpr[ArrayExpr[IntExpr]]
    """How many items of each source each counter has counted."""
    taking: OptionExpr[IndexExpr]
    """The last snapshot that was begun."""
    arrived: ArrayExpr[SetExpr]
    """For each counter, the sources whose barriers of the last snapshot it has received."""
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

guarantee = specification.variable(
    "guarantee", OneOf(Guarantee), "The guarantee that the job was submitted with.", initial=ANY
)
ended = specification.variable("ended", Set(members), "Members that have ended and do nothing more.")
removed = specification.variable(
    "removed", Array(members, Set(members)), "The members that each member has removed from its list."
)
exposed = specification.variable(
    "exposed", Bool(), "Whether data of the job may have lacked a second copy, or may be in two clusters."
)
is_unsafe = specification.variable(
    "is_unsafe", Bool(), "Whether a member has ended since the last plan of an execution, which needs a safe cluster."
)
in_doubt = specification.variable(
    "in_doubt", Bool(), "History: whether a record may have been written without its coordinator learning of it."
)
is_over = specification.variable("is_over", Bool(), "Whether a coordinator has reported that the job is over.")

records = specification.variable("records", Sequence(RECORD, writes), "All records that were ever written.")
confirmed = specification.variable(
    "confirmed", Int(0, writes), "The number of the last record whose second copy was confirmed, from 1; 0 for none."
)
knows_record = specification.variable("knows_record", Set(members), "Coordinators that have read the record.")
memory = specification.variable("memory", Array(members, RECORD), "The record in each coordinator's memory.")
runs = specification.variable(
    "runs", Array(members, Option(executions)), "The execution that each coordinator plans or runs."
)
phase = specification.variable("phase", Array(members, OneOf(Phase)), "The phase of each coordinator's snapshot.")

underway = specification.variable("underway", Array(executions, EXECUTION), "Executions, in the order of planning.")
present = specification.variable(
    "present",
    Array(members, Option(executions)),
    "The execution that each member takes part in; None: in none any more.",
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
    """Return the execution in which a member takes part; undefined if there is none."""
    return underway[present[member].value]


def run_by(coordinator: IndexExpr) -> Execution:
    """Return the execution that a coordinator plans or runs; undefined if there is none."""
    return underway[runs[coordinator].value]


@specification.definition(executions, members)
def concerns(one: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Whether the member takes part in the execution or coordinates it."""
    return underway[one].participants[member] | (underway[one].coordinator == member)


@specification.definition(executions)
def is_planned(one: IndexExpr) -> BoolExpr:
    """Whether the execution has a member for every source and counter."""
    return all_of(
        for_all(shards, lambda shard: underway[one].source[shard].is_some),
        for_all(partitions, lambda partition: underway[one].counter[partition].is_some),
    )


@specification.definition(executions)
def is_restored(one: IndexExpr) -> BoolExpr:
    """Whether every participant has emitted its chunks of the snapshot from which the execution begins."""
    return underway[one].restored.is_none | underway[one].participants.is_within(underway[one].has_read)


@specification.definition(executions)
def is_all_written(one: IndexExpr) -> BoolExpr:
    """Whether the execution's whole state is saved and written."""
    return all_of(
        for_all(shards, lambda shard: underway[one].source_write[shard] == Write.WRITTEN),
        for_all(partitions, lambda partition: underway[one].counter_write[partition] == Write.WRITTEN),
    )


@specification.definition(members)
def map_to_write(coordinator: IndexExpr) -> IndexExpr:
    """The map for a coordinator's next snapshot: never the map that its record names."""
    recorded = memory[coordinator].recorded
    is_first = recorded.is_some & (saved[recorded.value].map == maps[0])
    return if_else(is_first, maps[1], maps[0])


@specification.definition(snapshots)
def may_be_lost(one: IndexExpr) -> BoolExpr:
    """Whether a part of the snapshot may be lost; this specification does not show where its copies are."""
    return exposed | saved[one].is_endangered


@specification.definition(members)
def is_writing(coordinator: IndexExpr) -> BoolExpr:
    """Whether the coordinator waits for the write of its record, or does not know how the write ended."""
    return phase[coordinator].is_in(Phase.TAKEN, Phase.COMMITTING, Phase.IN_DOUBT)


@specification.definition()
def is_backed() -> BoolExpr:
    """Whether a second copy acknowledged every write, and was never lost together with the first copy."""
    return ~exposed & (misses_left == misses)


@specification.definition()
def is_kept() -> BoolExpr:
    """Whether the written record is the record that its coordinator knows: true in Hazelcast 5.0 if no write came late.

    Later versions of Hazelcast write the record until its backup has it, and again before using it: no write is late.
    """
    return ~exposed & (is_strict | (is_backed() & ~in_doubt))


def may_miss(is_missed: BoolExpr) -> BoolExpr:
    """Return the guard under which a write of the record may miss its backup unnoticed; later versions repeat it."""
    return is_missed.implies((misses_left > 0) & ~is_strict)


def costs_a_miss(is_missed: BoolExpr) -> Update:
    """Return the update that lowers the number of writes of the record that may still miss their backup."""
    return misses_left.becomes(if_else(is_missed, misses_left - 1, misses_left))


@specification.action(members, source="calls.3, jobs.18")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges, and its knowledge is lost; with `at_once` its executions are given up, too.

    A second member that ends before the cluster is safe again may have had the other copy. Parts of a snapshot that
    have no second copy may be lost with the member.
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
    """Return the updates by which an observer removes a member, and gives up an execution that this member is in."""
    is_over = present[observer].is_some & concerns(present[observer].value, member)
    return [
        removed[observer][member].becomes(True),
        present[observer].becomes(if_else(is_over, None, present[observer])),
    ]


@specification.action(members, members, source="members.14, jobs.4", fair=True)
def ended_member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member removes an ended member from its list, and gives up an execution that it took part in or coordinated."""
    return Step(
        when=[~ended[observer], ended[member], ~removed[observer][member]], then=takes_for_gone(observer, member)
    )


@specification.action(members, members, source="members.14, jobs.4")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member removes a live member from its list: now there are two clusters, with copies in both."""
    return Step(
        when=[removals_left > 0, ~ended[observer], ~ended[member], observer != member, ~removed[observer][member]],
        then=[removals_left.becomes(removals_left - 1), exposed.becomes(True), *takes_for_gone(observer, member)],
    )


@specification.action(source="jobs.19, chapter repair; seed: In-Memory Storage")
def copies_are_exposed() -> Step:
    """Data of the job has one copy or none: no backups are configured, there is one group, or the cluster is frozen."""
    return Step(
        when=[exposures_left > 0, all_of(~exposed)],
        then=[exposures_left.becomes(exposures_left - 1), exposed.becomes(True)],
    )
