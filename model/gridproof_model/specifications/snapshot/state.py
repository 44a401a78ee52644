"""What a snapshot speaks of: sources, counters, chunks, records."""

from enum import Enum

from gridproof_model.language import (
    ANY,
    Array,
    ArrayExpr,
    Bool,
    BoolExpr,
    EnumExpr,
    IndexExpr,
    Int,
    IntExpr,
    OneOf,
    Option,
    OptionExpr,
    Record,
    RecordExpr,
    Sequence,
    SequenceExpr,
    Set,
    SetExpr,
    Specification,
    all_of,
    first,
    for_all,
    if_else,
)


class Guarantee(Enum):
    """What the job was submitted with (jobs.12)."""

    EXACTLY_ONCE = "exactly once"
    """Barriers align: an input that delivered its barrier is not drained until all have."""
    AT_LEAST_ONCE = "at least once"


class Job(Enum):
    """Where the job stands."""

    SUBMITTED = "submitted"
    RUNNING = "running"
    STOPPED = "stopped"
    """A member was lost, or the job restarts itself; it waits for a safe cluster."""
    CORRUPTED = "corrupted"
    """Failed for good: the snapshot that its record names cannot be restored."""


class Phase(Enum):
    """Where the coordinator stands with a snapshot (jobs.4)."""

    NONE = "none"
    SAVING = "saving"
    """Phase 1: every source and counter saves its state."""
    VALIDATED = "validated"
    """All chunks are written and so is the validation record."""
    RECORDED = "recorded"
    """The execution record is written: the snapshot is the job's."""


class Token(Enum):
    """What a source sends to a counter."""

    ITEM = "item"
    BARRIER = "barrier"


class Write(Enum):
    """What became of a chunk in the present snapshot."""

    NONE = "none"
    WRITING = "writing"
    """The primary replica has it; the backup's acknowledgement is awaited."""
    WRITTEN = "written"
    FAILED = "failed"


specification = Specification(
    "snapshot",
    "A job saves its state in two alternating maps, and goes on from the last good one when a member is lost.",
    source="seed: In-Memory Storage; chapter jobs",
)

number_of_members = specification.constant("members", 3, "Members of the cluster.", least=1)
number_of_partitions = specification.constant("partitions", 2, "Partitions, with a source and a counter each.", least=1)
items = specification.constant("items", 1, "Items that each source has to emit.", least=1)
snapshots = specification.constant("snapshots", 2, "Snapshots that may be begun.")
crashes = specification.constant("crashes", 1, "Members that may be lost.")
misses = specification.constant("misses", 1, "Writes whose backup may be missed.")
fails_on_indeterminate = specification.constant(
    "fails_on_indeterminate", False, "Whether a write without its backup's word counts as failed (later versions)."
)

records_at = specification.constant(
    "records_at", 0, "The partition of the records, from 0. At 0 the coordinator is their owner, else it is not."
)

members = specification.index("member", number_of_members, ordered=True)
"""By age: the first that is up is master, and with it coordinator."""
partitions = specification.index("partition", number_of_partitions, ordered=True)
maps = specification.index("map", 2, ordered=True)

snapshot_ids = Int(0, snapshots)
"""0 is no snapshot."""
offsets = Int(0, items)
totals = Int(0, items * (crashes + misses + 1))
"""Each loss of a member, and each missed backup, makes the job begin anew at most once."""


class Chunk(RecordExpr):
    """What one snapshot map holds in one partition: the state of a source and that of a counter, each with its id."""

    source_id: IntExpr
    offset: IntExpr
    counter_id: IntExpr
    counts: ArrayExpr[IntExpr]


class JobRecord(RecordExpr):
    """The job execution record: the last good snapshot, the map that holds it, and the last id begun."""

    recorded: IntExpr
    map: IndexExpr
    ongoing: IntExpr


class Ledger(RecordExpr):
    """What a replica of one partition holds besides chunks: the execution record, and each map's validation record."""

    record: JobRecord
    validated: ArrayExpr[IntExpr]


chunks = Record(
    Chunk, source_id=snapshot_ids, offset=offsets, counter_id=snapshot_ids, counts=Array(partitions, totals)
)
records = Record(JobRecord, recorded=snapshot_ids, map=maps, ongoing=snapshot_ids)
ledgers = Record(Ledger, record=records, validated=Array(maps, snapshot_ids))


class ChunkWrite(RecordExpr):
    """What became of the chunks of one partition in the present snapshot."""

    source: EnumExpr[Write]
    counter: EnumExpr[Write]


class Execution(RecordExpr):
    """Everything that is gone when the job stops."""

    offset: ArrayExpr[IntExpr]
    """How many items each source has emitted."""
    queue: ArrayExpr[ArrayExpr[SequenceExpr[EnumExpr[Token]]]]
    """What is under way from each source to each counter."""
    counted: ArrayExpr[ArrayExpr[IntExpr]]
    """What each counter has counted, by source."""
    arrived: ArrayExpr[SetExpr]
    """Whose barriers of the present snapshot each counter has received."""
    phase: EnumExpr[Phase]
    """Where the coordinator stands with a snapshot."""
    chunk_write: ArrayExpr[ChunkWrite]


chunk_writes = Record(ChunkWrite, source=OneOf(Write), counter=OneOf(Write))
executions = Record(
    Execution,
    offset=Array(partitions, offsets),
    queue=Array(partitions, Array(partitions, Sequence(OneOf(Token), items + 1))),
    counted=Array(partitions, Array(partitions, totals)),
    arrived=Array(partitions, Set(partitions)),
    phase=OneOf(Phase),
    chunk_write=Array(partitions, chunk_writes),
)

guarantee = specification.variable("guarantee", OneOf(Guarantee), "What the job was submitted with.", initial=ANY)
job = specification.variable("job", OneOf(Job), "Where the job stands.")
execution = specification.variable("execution", executions, "The job's present execution.")
offset = execution.offset
queue = execution.queue
counted = execution.counted
arrived = execution.arrived
phase = execution.phase
chunk_write = execution.chunk_write

memory = specification.variable("memory", records, "The execution record in the coordinator's memory.")
is_up = specification.variable("is_up", Set(members), "Members that are not lost.", initial=True)
owner = specification.variable("owner", Array(partitions, members), "Who has a partition's primary replica.")
keeper = specification.variable("keeper", Array(partitions, Option(members)), "Who has its backup replica.")
primary = specification.variable("primary", Array(partitions, Array(maps, chunks)), "Chunks, in primary replicas.")
backup = specification.variable("backup", Array(partitions, Array(maps, chunks)), "Chunks, in backup replicas.")
primary_ledger = specification.variable("primary_ledger", ledgers, "Records, in their primary replica.")
backup_ledger = specification.variable("backup_ledger", ledgers, "Records, in their backup replica.")

crashes_left = specification.variable("crashes_left", Int(0, crashes), "Members still to be lost.", initial=crashes)
misses_left = specification.variable("misses_left", Int(0, misses), "Backups still to be missed.", initial=misses)

restored = specification.variable("restored", snapshot_ids, "History: the snapshot that the job last went on from.")
completed = specification.variable("completed", snapshot_ids, "History: the last snapshot whose phase 1 was a success.")
kept = specification.variable("kept", snapshot_ids, "History: the last snapshot that was ever recorded.")
begun = specification.variable("begun", snapshot_ids, "History: the highest id begun.")
was_promoted = specification.variable("was_promoted", Bool(), "History: whether a backup replica was promoted.")
was_exposed = specification.variable(
    "was_exposed", Bool(), "History: whether a primary replica was lost that had no backup replica."
)


@specification.definition(maps)
def other(one: IndexExpr) -> IndexExpr:
    """The other of the two snapshot maps."""
    return if_else(one == maps[0], maps[1], maps[0])


@specification.definition()
def map_being_written() -> IndexExpr:
    """The map that a snapshot in phase 1 is written to: not the one the coordinator's record names."""
    return other(memory.map)


@specification.definition()
def master() -> OptionExpr[IndexExpr]:
    """The oldest member that is up."""
    return first(members, lambda member: is_up[member])


@specification.definition(partitions)
def holds_records(partition: IndexExpr) -> BoolExpr:
    """Whether the records are in a partition."""
    return partition.ordinal == records_at


@specification.definition(partitions)
def is_replicated(partition: IndexExpr) -> BoolExpr:
    """Whether a partition has a backup replica that is equal to its primary."""
    is_ledger_equal = ~holds_records(partition) | (primary_ledger == backup_ledger)
    return all_of(keeper[partition].is_some, primary[partition] == backup[partition], is_ledger_equal)


@specification.definition()
def is_safe() -> BoolExpr:
    """Whether the cluster is SAFE: every partition has its backup, and all are in sync."""
    return for_all(partitions, lambda partition: is_replicated(partition))
