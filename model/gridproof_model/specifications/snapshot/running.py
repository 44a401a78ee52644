"""Items and barriers, and the states saved at them."""

from gridproof_model.language import BoolExpr, IndexExpr, OptionExpr, Step, any_of, array_of, element_at, first, for_all
from gridproof_model.specifications.snapshot.state import (
    Guarantee,
    Job,
    Phase,
    Token,
    Write,
    arrived,
    chunk_write,
    counted,
    guarantee,
    items,
    job,
    keeper,
    map_being_written,
    members,
    memory,
    number_of_members,
    number_of_partitions,
    offset,
    owner,
    partitions,
    phase,
    primary,
    queue,
    specification,
)


@specification.action(source="seed: In-Memory Storage", fair=True)
def job_is_submitted() -> Step:
    """The cluster is arranged, partition p at member p with its backup at the next, and the job begins."""

    def next_member(partition: IndexExpr) -> OptionExpr[IndexExpr]:
        return first(members, lambda member: member.ordinal == (partition.ordinal + 1) % number_of_members)

    return Step(
        when=[job == Job.SUBMITTED],
        then=[
            job.becomes(Job.RUNNING),
            owner.becomes(array_of(partitions, lambda one: element_at(members, one.ordinal % number_of_members))),
            keeper.becomes(array_of(partitions, next_member)),
        ],
    )


@specification.action(partitions, partitions, source="seed: In-Memory Storage, the edge is partitioned", fair=True)
def source_emits_item(source: IndexExpr, counter: IndexExpr) -> Step:
    """A source sends its next item to the counter in charge of the item's partition."""
    goes_to = element_at(partitions, (source.ordinal + offset[source]) % number_of_partitions)
    return Step(
        when=[job == Job.RUNNING, offset[source] < items, goes_to == counter],
        then=[
            offset[source].becomes(offset[source] + 1),
            queue[source][counter].becomes(queue[source][counter].append(Token.ITEM)),
        ],
    )


def is_next(source: IndexExpr, counter: IndexExpr, token: Token) -> list[BoolExpr]:
    """Return the guards for a token to be the next that a counter gets from a source."""
    lane = queue[source][counter]
    return [~lane.is_empty, lane.head == token]


@specification.action(partitions, partitions, source="jobs.12", fair=True)
def counter_counts_item(source: IndexExpr, counter: IndexExpr) -> Step:
    """A counter counts an item; exactly-once, it leaves an input alone that is past its barrier."""
    return Step(
        when=[
            *is_next(source, counter, Token.ITEM),
            (guarantee == Guarantee.EXACTLY_ONCE).implies(~arrived[counter][source]),
        ],
        then=[
            counted[counter][source].becomes(counted[counter][source] + 1),
            queue[source][counter].becomes(queue[source][counter].tail),
        ],
    )


@specification.action(partitions, source="jobs.6", fair=True)
def source_saves_its_state(source: IndexExpr) -> Step:
    """A source that hears of a new snapshot saves its offset and sends a barrier to every counter."""
    chunk = primary[source][map_being_written()]
    return Step(
        when=[phase == Phase.SAVING, chunk_write[source].source == Write.NONE],
        then=[
            chunk.source_id.becomes(memory.ongoing),
            chunk.offset.becomes(offset[source]),
            chunk_write[source].source.becomes(Write.WRITING),
            queue[source].becomes(array_of(partitions, lambda counter: queue[source][counter].append(Token.BARRIER))),
        ],
    )


@specification.definition(partitions, partitions)
def is_last_barrier(source: IndexExpr, counter: IndexExpr) -> BoolExpr:
    """Whether all other sources' barriers have come to a counter."""
    return for_all(partitions, lambda one: (one == source) | arrived[counter][one])


@specification.action(partitions, partitions, source="jobs.12", fair=True)
def barrier_arrives(source: IndexExpr, counter: IndexExpr) -> Step:
    """A barrier arrives at a counter that still waits for another."""
    return Step(
        when=[*is_next(source, counter, Token.BARRIER), ~is_last_barrier(source, counter)],
        then=[
            arrived[counter][source].becomes(True),
            queue[source][counter].becomes(queue[source][counter].tail),
        ],
    )


@specification.action(partitions, partitions, source="jobs.6", fair=True)
def counter_saves_its_state(source: IndexExpr, counter: IndexExpr) -> Step:
    """The last barrier arrives, and the counter saves what it has counted under the snapshot's id."""
    chunk = primary[counter][map_being_written()]
    return Step(
        when=[*is_next(source, counter, Token.BARRIER), is_last_barrier(source, counter)],
        then=[
            chunk.counter_id.becomes(memory.ongoing),
            chunk.counts.becomes(counted[counter]),
            chunk_write[counter].counter.becomes(Write.WRITING),
            arrived[counter].becomes(array_of(partitions, lambda one: any_of())),
            queue[source][counter].becomes(queue[source][counter].tail),
        ],
    )
