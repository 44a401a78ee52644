"""What participants do with items, barriers and their saved state, and what a coordinator does for a snapshot.

The coordinator takes an id, clears a map, and runs two phases; between them it writes the record.
"""

from gridproof_model.language import *
from gridproof_model.specifications.snapshot.state import *


@specification.definition(members)
def takes_part(member: IndexExpr) -> BoolExpr:
    """Whether the member takes part in an execution that has started."""
    return present[member].is_some & of(member).is_started


@specification.action(members, source="jobs.17, jobs.18", fair=True)
def saved_state_is_read(member: IndexExpr) -> Step:
    """A participant sends all participants those chunks of the restored snapshot that are in its primary replicas."""
    return Step(
        when=[takes_part(member), of(member).restored.is_some, ~of(member).has_read[member]],
        then=[of(member).has_read[member].becomes(True)],
    )


@specification.definition(executions, shards)
def is_asked_to_stop(one: IndexExpr, shard: IndexExpr) -> BoolExpr:
    """Whether the source has sent a terminal barrier."""
    taking = underway[one].taking
    return taking.is_some & (underway[one].source_write[shard] != Write.NONE) & saved[taking.value].is_terminal


@specification.action(
    members, shards, partitions, source="seed: In-Memory Storage, the edge is partitioned; jobs.1", fair=True
)
def item_is_emitted(member: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> Step:
    """A source sends its next item to any counter, once all participants have emitted the saved state."""
    run = of(member)
    goes_on = ~is_asked_to_stop(present[member].value, shard)
    is_read = is_restored(present[member].value)
    is_its_source = run.source[shard] == member
    return Step(
        when=[takes_part(member), is_its_source, run.offset[shard] < items, is_read, goes_on],
        then=[
            run.offset[shard].becomes(run.offset[shard] + 1),
            run.sent[shard][partition].becomes(run.sent[shard][partition] + 1),
            run.queue[shard][partition].becomes(run.queue[shard][partition].append(run.offset[shard])),
        ],
    )


@specification.definition(executions, shards, partitions)
def is_next_before_barrier(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """Whether the source's next item to the counter stands before the barrier of the present snapshot."""
    run = underway[one]
    lane = run.queue[shard][partition]
    return any_of(
        run.taking.is_none, run.source_write[shard] == Write.NONE, lane.head < saved[run.taking.value].offset[shard]
    )


@specification.definition(executions, shards, partitions)
def may_pass_barrier(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """Whether a counter takes items after a source's barrier: its state is saved, or alignment is not needed."""
    run = underway[one]
    is_aligned = (guarantee == Guarantee.EXACTLY_ONCE) | saved[run.taking.value].is_terminal
    return (run.counter_write[partition] != Write.NONE) | (run.arrived[partition][shard] & ~is_aligned)


@specification.action(members, shards, partitions, source="jobs.12", fair=True)
def item_is_counted(member: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> Step:
    """A counter counts the next item of a source; if barriers are aligned, it counts no item after a barrier."""
    run, one = of(member), present[member].value
    may_be_next = is_next_before_barrier(one, shard, partition) | may_pass_barrier(one, shard, partition)
    is_there = ~run.queue[shard][partition].is_empty
    return Step(
        when=[takes_part(member), run.counter[partition] == member, is_there, may_be_next],
        then=[
            run.counted[partition][shard].becomes(run.counted[partition][shard] + 1),
            run.queue[shard][partition].becomes(run.queue[shard][partition].tail),
        ],
    )


@specification.action(members, shards, source="jobs.6", fair=True)
def source_saves_its_state(member: IndexExpr, shard: IndexExpr) -> Step:
    """A source that is asked for the snapshot saves its offset, and sends a barrier after the items emitted so far."""
    run = of(member)
    target = saved[run.taking.value]
    is_unsaved = run.source_write[shard] == Write.NONE
    is_read = is_restored(present[member].value)
    return Step(
        when=[takes_part(member), run.source[shard] == member, run.taking.is_some, is_read, is_unsaved],
        then=[
            target.offset[shard].becomes(run.offset[shard]),
            target.sent[shard].becomes(run.sent[shard]),
            run.source_write[shard].becomes(Write.WRITING),
        ],
    )


@specification.action(members, shards, partitions, source="jobs.12", fair=True)
def barrier_arrives(member: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> Step:
    """A source's barrier arrives at a counter, after all items that were emitted before it."""
    run = of(member)
    lane = run.queue[shard][partition]
    return Step(
        when=[
            takes_part(member),
            run.counter[partition] == member,
            run.taking.is_some,
            run.source_write[shard] != Write.NONE,
            run.counter_write[partition] == Write.NONE,
            ~run.arrived[partition][shard],
            lane.is_empty | ~is_next_before_barrier(present[member].value, shard, partition),
        ],
        then=[run.arrived[partition][shard].becomes(True)],
    )


@specification.definition(executions, shards, partitions)
def has_ended(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """Whether the source has emitted all its items, and the counter has counted those that were sent to it."""
    return (underway[one].offset[shard] == items) & underway[one].queue[shard][partition].is_empty


@specification.action(members, partitions, source="jobs.6, jobs.14", fair=True)
def counter_saves_its_state(member: IndexExpr, partition: IndexExpr) -> Step:
    """A counter saves its counts, because every input has delivered its barrier or has ended.

    A counter that has counted no item has nothing to write.
    """
    run, one = of(member), present[member].value
    target = saved[run.taking.value]
    has_chunk = exists(shards, lambda shard: run.counted[partition][shard] > 0)
    has_all = for_all(shards, lambda shard: run.arrived[partition][shard] | has_ended(one, shard, partition))
    is_unsaved = run.counter_write[partition] == Write.NONE
    is_its_counter = run.counter[partition] == member
    return Step(
        when=[takes_part(member), is_its_counter, run.taking.is_some, is_unsaved, has_all],
        then=[
            target.counted[partition].becomes(run.counted[partition]),
            run.counter_write[partition].becomes(if_else(has_chunk, Write.WRITING, Write.WRITTEN)),
        ],
    )


def chunk_ends(one: IndexExpr, write: EnumExpr[Write], ending: EnumExpr[Ending]) -> Step:
    """Return the step by which the write of a chunk ends, with or without a confirmed second copy."""
    target, is_missed = saved[underway[one].taking.value], ending == Ending.BARE
    return Step(
        when=[write == Write.WRITING, is_missed.implies(misses_left > 0)],
        then=[
            write.becomes(if_else(ending == Ending.FAILED, Write.FAILED, Write.WRITTEN)),
            target.is_bare.becomes(target.is_bare | is_missed),
            costs_a_miss(is_missed),
        ],
    )


@specification.action(executions, shards, OneOf(Ending), source="jobs.7, jobs.19, backups.17", fair=True)
def source_chunk_ends(one: IndexExpr, shard: IndexExpr, ending: EnumExpr[Ending]) -> Step:
    """The write of a source's state ends, perhaps long after the execution has ended."""
    return chunk_ends(one, underway[one].source_write[shard], ending)


@specification.action(executions, partitions, OneOf(Ending), source="jobs.7, jobs.19, backups.17", fair=True)
def counter_chunk_ends(one: IndexExpr, partition: IndexExpr, ending: EnumExpr[Ending]) -> Step:
    """The write of a counter's state ends, perhaps long after the execution has ended."""
    return chunk_ends(one, underway[one].counter_write[partition], ending)


@specification.definition(members)
def is_running(coordinator: IndexExpr) -> BoolExpr:
    """Whether the coordinator runs an execution."""
    return runs[coordinator].is_some & run_by(coordinator).is_started


@specification.definition()
def next_snapshot() -> OptionExpr[IndexExpr]:
    """The next snapshot that can be begun."""
    return first(snapshots, lambda one: saved[one].id == 0)


@specification.action(members, source="jobs.5, jobs.19")
def id_is_taken(coordinator: IndexExpr) -> Step:
    """A coordinator takes the next id and sends a record with this id; others see the id once the record is written."""
    record = memory[coordinator]
    does_nothing = phase[coordinator] == Phase.NONE
    runs_it = is_running(coordinator)
    return Step(
        when=[runs_it, does_nothing, record.ongoing < ids, ~records.is_full, next_snapshot().is_some],
        then=[
            phase[coordinator].becomes(Phase.TAKEN),
            record.ongoing.becomes(record.ongoing + 1),
            records.becomes(records.append(record.replace(ongoing=record.ongoing + 1))),
        ],
    )


@specification.action(members, source="jobs.8")
def record_is_not_written(coordinator: IndexExpr) -> Step:
    """The write of the record with the id fails, and the snapshot is not taken."""
    return Step(
        when=[phase[coordinator] == Phase.TAKEN],
        then=[phase[coordinator].becomes(Phase.FAILED), in_doubt.becomes(True)],
    )


@specification.action(members, maps, Bool(), source="jobs.5, jobs.10", fair=True)
def map_is_cleared(coordinator: IndexExpr, cleared: IndexExpr, is_missed: BoolExpr) -> Step:
    """The map that the record does not name is cleared: before a snapshot, and after a snapshot failed or was recorded.

    Before a snapshot, this happens after the write of its id was confirmed or missed its backup.
    """
    is_before = phase[coordinator] == Phase.TAKEN
    is_to_clear = phase[coordinator].is_in(Phase.TAKEN, Phase.FAILED, Phase.RECORDED)
    is_its_map = cleared == map_to_write(coordinator)
    return Step(
        when=[is_to_clear, is_its_map, may_miss(is_missed), is_missed.implies(is_before)],
        then=[
            phase[coordinator].becomes(if_else(is_before, Phase.CLEARED, Phase.NONE)),
            confirmed.becomes(if_else(is_before & ~is_missed, records.length, confirmed)),
            costs_a_miss(is_missed),
            saved.becomes(
                array_of(
                    snapshots,
                    lambda one: saved[one].replace(
                        is_cleared=saved[one].is_cleared | ((saved[one].id > 0) & (saved[one].map == cleared))
                    ),
                )
            ),
        ],
    )


@specification.action(members, Bool(), source="jobs.5, jobs.14", fair=True)
def snapshot_begins(coordinator: IndexExpr, is_terminal: BoolExpr) -> Step:
    """A snapshot begins: all participants save their state into that of the two maps which the record does not name."""
    run, following, nothing = run_by(coordinator), next_snapshot(), EXECUTION()
    blank = SNAPSHOT(id=memory[coordinator].ongoing, map=map_to_write(coordinator), is_terminal=is_terminal)
    return Step(
        when=[phase[coordinator] == Phase.CLEARED, following.is_some, ~is_terminal | ~at_once],
        then=[
            phase[coordinator].becomes(Phase.SAVING),
            saved[following.value].becomes(blank),
            run.taking.becomes(following),
            run.arrived.becomes(nothing.arrived),
            run.source_write.becomes(nothing.source_write),
            run.counter_write.becomes(nothing.counter_write),
        ],
    )


@specification.action(members, Bool(), source="jobs.8", fair=True)
def snapshot_is_validated(coordinator: IndexExpr, is_missed: BoolExpr) -> Step:
    """All results of phase 1 are good, and the validation record is written into the map."""
    target = saved[run_by(coordinator).taking.value]
    return Step(
        when=[phase[coordinator] == Phase.SAVING, is_all_written(runs[coordinator].value), may_miss(is_missed)],
        then=[
            phase[coordinator].becomes(Phase.VALIDATED),
            target.is_validated.becomes(True),
            target.is_bare.becomes(target.is_bare | is_missed),
            costs_a_miss(is_missed),
        ],
    )


@specification.action(members, source="jobs.8, jobs.19")
def validation_is_not_written(coordinator: IndexExpr) -> Step:
    """All results of phase 1 are good, but the write of the validation record fails, or lacks an acknowledgement from
    its backup."""
    return Step(
        when=[phase[coordinator] == Phase.SAVING, is_all_written(runs[coordinator].value)],
        then=[phase[coordinator].becomes(Phase.FAILED)],
    )


@specification.definition(executions, members)
def has_answered(one: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Whether the participant wrote all its state, failed to write it, or is no longer in the execution."""

    def is_over(write: EnumExpr[Write]) -> BoolExpr:
        return write.is_in(Write.WRITTEN, Write.FAILED)

    run = underway[one]
    return (present[member] != one) | all_of(
        for_all(shards, lambda shard: (run.source[shard] == member).implies(is_over(run.source_write[shard]))),
        for_all(partitions, lambda part: (run.counter[part] == member).implies(is_over(run.counter_write[part]))),
    )


@specification.definition(executions, members)
def has_failed(one: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Whether the participant's answer is bad: a write failed, or it is no longer in the execution."""
    run = underway[one]
    return any_of(
        present[member] != one,
        exists(shards, lambda shard: (run.source[shard] == member) & (run.source_write[shard] == Write.FAILED)),
        exists(partitions, lambda part: (run.counter[part] == member) & (run.counter_write[part] == Write.FAILED)),
    )


@specification.action(members, source="jobs.8", fair=True)
def snapshot_fails(coordinator: IndexExpr) -> Step:
    """A snapshot fails, as all participants answered and a result of phase 1 is bad; the previous snapshot stays."""
    run, one = run_by(coordinator), runs[coordinator].value
    return Step(
        when=[
            phase[coordinator] == Phase.SAVING,
            for_all(members, lambda member: run.participants[member].implies(has_answered(one, member))),
            exists(members, lambda member: run.participants[member] & has_failed(one, member)),
        ],
        then=[phase[coordinator].becomes(Phase.FAILED)],
    )


@specification.action(members, source="jobs.8, jobs.19", fair=True)
def commit_is_sent(coordinator: IndexExpr) -> Step:
    """The commit begins: the coordinator's record in memory names the snapshot, and is sent to be written."""
    record = memory[coordinator].replace(recorded=run_by(coordinator).taking)
    return Step(
        when=[phase[coordinator] == Phase.VALIDATED, ~records.is_full],
        then=[
            phase[coordinator].becomes(Phase.COMMITTING),
            memory[coordinator].becomes(record),
            records.becomes(records.append(record)),
        ],
    )


@specification.action(members, Bool(), source="jobs.8: the commit point", fair=True)
def snapshot_is_recorded(coordinator: IndexExpr, is_missed: BoolExpr) -> Step:
    """The commit is confirmed: the written record names the snapshot, so a restart of the job now begins from it."""
    return Step(
        when=[phase[coordinator] == Phase.COMMITTING, may_miss(is_missed)],
        then=[
            phase[coordinator].becomes(Phase.RECORDED),
            confirmed.becomes(if_else(is_missed, confirmed, records.length)),
            saved[run_by(coordinator).taking.value].is_recorded.becomes(True),
            costs_a_miss(is_missed),
        ],
    )


@specification.action(members, source="jobs.19")
def commit_is_in_doubt(coordinator: IndexExpr) -> Step:
    """It is in doubt whether the record was written: there is no phase 2, and the job restarts."""
    return Step(when=[phase[coordinator] == Phase.COMMITTING], then=[phase[coordinator].becomes(Phase.IN_DOUBT)])
