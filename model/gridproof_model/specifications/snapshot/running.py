"""What participants do: items, barriers, and the states saved at them."""

from gridproof_model.language import (
    BoolExpr,
    EnumExpr,
    IndexExpr,
    OneOf,
    Step,
    Update,
    any_of,
    exists,
    for_all,
    if_else,
)
from gridproof_model.specifications.snapshot.state import (
    Ending,
    Guarantee,
    Write,
    costs_a_miss,
    executions,
    guarantee,
    is_restored,
    items,
    members,
    misses_left,
    of,
    partitions,
    present,
    saved,
    shards,
    specification,
    underway,
)


@specification.definition(members)
def takes_part(member: IndexExpr) -> BoolExpr:
    """Whether a member takes part in an execution that has started."""
    return present[member].is_some & of(member).is_started


@specification.action(members, source="jobs.17, jobs.18", fair=True)
def saved_state_is_read(member: IndexExpr) -> Step:
    """A participant sends everybody what its primary replicas hold of the snapshot that the job goes on from."""
    return Step(
        when=[takes_part(member), of(member).restored.is_some, ~of(member).has_read[member]],
        then=[of(member).has_read[member].becomes(True)],
    )


@specification.definition(executions, shards)
def is_asked_to_stop(one: IndexExpr, shard: IndexExpr) -> BoolExpr:
    """Whether a source has sent a terminal barrier."""
    taking = underway[one].taking
    return taking.is_some & (underway[one].source_write[shard] != Write.NONE) & saved[taking.value].is_terminal


@specification.action(
    members, shards, partitions, source="seed: In-Memory Storage, the edge is partitioned; jobs.1", fair=True
)
def item_is_emitted(member: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> Step:
    """A source sends its next item, once everybody has emitted what was saved: where to is what its key is about."""
    run = of(member)
    return Step(
        when=[
            takes_part(member),
            run.source[shard] == member,
            run.offset[shard] < items,
            is_restored(present[member].value),
            ~is_asked_to_stop(present[member].value, shard),
        ],
        then=[
            run.offset[shard].becomes(run.offset[shard] + 1),
            run.sent[shard][partition].becomes(run.sent[shard][partition] + 1),
            run.queue[shard][partition].becomes(run.queue[shard][partition].append(run.offset[shard])),
        ],
    )


@specification.definition(executions, shards, partitions)
def is_next_before_barrier(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """Whether the next item from a source to a counter is no item behind the barrier of the present snapshot."""
    run = underway[one]
    lane = run.queue[shard][partition]
    return any_of(
        run.taking.is_none,
        run.source_write[shard] == Write.NONE,
        lane.head < saved[run.taking.value].offset[shard],
    )


@specification.definition(executions, shards, partitions)
def may_pass_barrier(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """Whether a counter takes items behind a source's barrier: it has saved, or the barrier came and aligns nothing."""
    run = underway[one]
    is_aligned = (guarantee == Guarantee.EXACTLY_ONCE) | saved[run.taking.value].is_terminal
    return (run.counter_write[partition] != Write.NONE) | (run.arrived[partition][shard] & ~is_aligned)


@specification.action(members, shards, partitions, source="jobs.12", fair=True)
def item_is_counted(member: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> Step:
    """A counter counts the next item of a source; where barriers align, none that is behind one."""
    run, one = of(member), present[member].value
    return Step(
        when=[
            takes_part(member),
            run.counter[partition] == member,
            ~run.queue[shard][partition].is_empty,
            is_next_before_barrier(one, shard, partition) | may_pass_barrier(one, shard, partition),
        ],
        then=[
            run.counted[partition][shard].becomes(run.counted[partition][shard] + 1),
            run.queue[shard][partition].becomes(run.queue[shard][partition].tail),
        ],
    )


@specification.action(members, shards, source="jobs.6", fair=True)
def source_saves_its_state(member: IndexExpr, shard: IndexExpr) -> Step:
    """A source that hears of the snapshot saves its offset, and sends a barrier behind what it has emitted."""
    run = of(member)
    target = saved[run.taking.value]
    return Step(
        when=[
            takes_part(member),
            run.source[shard] == member,
            run.taking.is_some,
            is_restored(present[member].value),
            run.source_write[shard] == Write.NONE,
        ],
        then=[
            target.offset[shard].becomes(run.offset[shard]),
            target.sent[shard].becomes(run.sent[shard]),
            run.source_write[shard].becomes(Write.WRITING),
        ],
    )


@specification.action(members, shards, partitions, source="jobs.12", fair=True)
def barrier_arrives(member: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> Step:
    """A source's barrier comes to a counter, behind every item that was emitted before it."""
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
    """Whether a source has emitted everything, and a counter has counted all that went to it."""
    return (underway[one].offset[shard] == items) & underway[one].queue[shard][partition].is_empty


@specification.action(members, partitions, source="jobs.6, jobs.14", fair=True)
def counter_saves_its_state(member: IndexExpr, partition: IndexExpr) -> Step:
    """Every input has delivered its barrier, or has ended: a counter saves what it has counted.

    One that has counted nothing has nothing to write.
    """
    run, one = of(member), present[member].value
    target = saved[run.taking.value]
    has_chunk = exists(shards, lambda shard: run.counted[partition][shard] > 0)
    return Step(
        when=[
            takes_part(member),
            run.counter[partition] == member,
            run.taking.is_some,
            run.counter_write[partition] == Write.NONE,
            for_all(shards, lambda shard: run.arrived[partition][shard] | has_ended(one, shard, partition)),
        ],
        then=[
            target.counted[partition].becomes(run.counted[partition]),
            run.counter_write[partition].becomes(if_else(has_chunk, Write.WRITING, Write.WRITTEN)),
        ],
    )


def written(ending: EnumExpr[Ending]) -> EnumExpr[Write]:
    """Return what a write is once it has ended."""
    return if_else(ending == Ending.FAILED, Write.FAILED, Write.WRITTEN)


def vouches(one: IndexExpr, ending: EnumExpr[Ending]) -> list[Update]:
    """Return what the end of a write shows of second copies."""
    target, is_missed = saved[underway[one].taking.value], ending == Ending.BARE
    return [target.is_bare.becomes(target.is_bare | is_missed), costs_a_miss(is_missed)]


@specification.action(executions, shards, OneOf(Ending), source="jobs.7, jobs.19, backups.17", fair=True)
def source_chunk_ends(one: IndexExpr, shard: IndexExpr, ending: EnumExpr[Ending]) -> Step:
    """The write of a source's state ends: it may do so when the execution is long over."""
    write = underway[one].source_write[shard]
    return Step(
        when=[write == Write.WRITING, (ending == Ending.BARE).implies(misses_left > 0)],
        then=[write.becomes(written(ending)), *vouches(one, ending)],
    )


@specification.action(executions, partitions, OneOf(Ending), source="jobs.7, jobs.19, backups.17", fair=True)
def counter_chunk_ends(one: IndexExpr, partition: IndexExpr, ending: EnumExpr[Ending]) -> Step:
    """The write of a counter's state ends: it may do so when the execution is long over."""
    write = underway[one].counter_write[partition]
    return Step(
        when=[write == Write.WRITING, (ending == Ending.BARE).implies(misses_left > 0)],
        then=[write.becomes(written(ending)), *vouches(one, ending)],
    )
