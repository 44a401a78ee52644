"""Barriers: what a snapshot has, and what it has not."""

from gridproof_model.language import (
    ArrayExpr,
    BoolExpr,
    IndexExpr,
    Int,
    IntExpr,
    all_of,
    any_of,
    count,
    exists,
    for_all,
    if_else,
)
from gridproof_model.specifications.snapshot.safety import items_for, under_way
from gridproof_model.specifications.snapshot.state import (
    Chunk,
    Guarantee,
    Job,
    Phase,
    Token,
    Write,
    arrived,
    backup,
    chunk_write,
    counted,
    execution,
    executions,
    guarantee,
    items,
    job,
    map_being_written,
    maps,
    memory,
    offset,
    partitions,
    phase,
    primary,
    queue,
)
from gridproof_properties.proofs.arguments.snapshot.words import argument

places = Int(0, items)


def is_barrier(source: IndexExpr, counter: IndexExpr, place: IntExpr) -> BoolExpr:
    """Return whether there is a barrier at a place of a queue."""
    lane = queue[source][counter]
    return (place < lane.length) & (lane.at(place) == Token.BARRIER)


def barriers(source: IndexExpr, counter: IndexExpr) -> IntExpr:
    """Return how many barriers are under way from a source to a counter."""
    return count(places, lambda place: is_barrier(source, counter, place))


def items_before_barrier(source: IndexExpr, counter: IndexExpr) -> IntExpr:
    """Return how many items are ahead of the barrier in a queue."""
    lane = queue[source][counter]

    def is_ahead(place: IntExpr) -> BoolExpr:
        is_past = exists(places, lambda earlier: (earlier < place) & is_barrier(source, counter, earlier))
        return (place < lane.length) & (lane.at(place) == Token.ITEM) & ~is_past

    return count(places, is_ahead)


@argument.lemma
def a_job_that_does_not_run_has_nothing_under_way() -> BoolExpr:
    """Whatever does not run has no execution."""
    return (job != Job.RUNNING).implies(execution == executions())


@argument.lemma
def nobody_saves_but_in_phase_1() -> BoolExpr:
    """Between snapshots nothing is written, and a snapshot that was validated has all its writes."""

    def is_blank(partition: IndexExpr) -> BoolExpr:
        write = chunk_write[partition]
        return (write.source == Write.NONE) & (write.counter == Write.NONE)

    def is_written(partition: IndexExpr) -> BoolExpr:
        write = chunk_write[partition]
        return (write.source == Write.WRITTEN) & (write.counter == Write.WRITTEN)

    return all_of(
        (phase == Phase.NONE).implies(for_all(partitions, is_blank)),
        ((phase == Phase.VALIDATED) | (phase == Phase.RECORDED)).implies(for_all(partitions, is_written)),
    )


@argument.lemma
def a_barrier_is_sent_once() -> BoolExpr:
    """A source that saved sent every counter one barrier, which is under way, or arrived, or the counter has saved."""

    def for_pair(source: IndexExpr, counter: IndexExpr) -> BoolExpr:
        is_sent = chunk_write[source].source != Write.NONE
        under_way, has_arrived = barriers(source, counter), arrived[counter][source]
        has_saved = chunk_write[counter].counter != Write.NONE
        return if_else(
            is_sent,
            any_of(
                all_of(under_way == 1, ~has_arrived, ~has_saved),
                (under_way == 0) & (has_arrived == ~has_saved),
            ),
            all_of(under_way == 0, ~has_arrived, ~has_saved),
        )

    return for_all(partitions, lambda source: for_all(partitions, lambda counter: for_pair(source, counter)))


@argument.lemma
def no_more_is_under_way_than_was_emitted() -> BoolExpr:
    """No more items are under way than a source has for a counter."""
    return for_all(
        partitions,
        lambda source: for_all(
            partitions, lambda counter: under_way(source, counter) <= items_for(source, counter, offset[source])
        ),
    )


@argument.lemma
def what_is_before_the_barrier_is_what_was_saved() -> BoolExpr:
    """What a counter has of a source, with what is before the barrier, is what it had emitted when it saved."""

    def for_pair(source: IndexExpr, counter: IndexExpr) -> BoolExpr:
        saved = items_for(source, counter, primary[source][map_being_written()].offset)
        has = counted[counter][source]
        will_have = has + items_before_barrier(source, counter)
        is_exactly_once = guarantee == Guarantee.EXACTLY_ONCE
        return all_of(
            (barriers(source, counter) == 1).implies(if_else(is_exactly_once, will_have == saved, will_have >= saved)),
            arrived[counter][source].implies(if_else(is_exactly_once, has == saved, has >= saved)),
        )

    return for_all(partitions, lambda source: for_all(partitions, lambda counter: for_pair(source, counter)))


def fits(source: Chunk, counter: Chunk, of: IndexExpr, at: IndexExpr) -> BoolExpr:
    """Return whether the chunk of a counter has of a source what the chunk of the source says."""
    counts: ArrayExpr[IntExpr] = counter.counts
    saved = items_for(of, at, source.offset)
    fitting = if_else(guarantee == Guarantee.EXACTLY_ONCE, counts[of] == saved, counts[of] >= saved)
    return ((source.source_id > 0) & (counter.counter_id > 0)).implies(fitting)


@argument.lemma
def a_map_is_of_one_snapshot() -> BoolExpr:
    """In one map every counter's chunk fits every source's, in whichever replicas; they were saved by one snapshot."""
    return for_all(
        maps,
        lambda one: for_all(
            partitions,
            lambda source: for_all(
                partitions,
                lambda counter: all_of(
                    fits(primary[source][one], primary[counter][one], source, counter),
                    fits(primary[source][one], backup[counter][one], source, counter),
                    fits(backup[source][one], primary[counter][one], source, counter),
                    fits(backup[source][one], backup[counter][one], source, counter),
                ),
            ),
        ),
    )


@argument.lemma
def what_was_not_written_is_not_there() -> BoolExpr:
    """In phase 1 the map that is written has chunks only of who has saved, and a backup has what its primary has."""

    def of_partition(p: IndexExpr) -> BoolExpr:
        kept, copy = primary[p][map_being_written()], backup[p][map_being_written()]
        return all_of(
            (chunk_write[p].source == Write.NONE).implies((kept.source_id == 0) & (copy.source_id == 0)),
            (chunk_write[p].counter == Write.NONE).implies((kept.counter_id == 0) & (copy.counter_id == 0)),
            (chunk_write[p].source != Write.NONE).implies(kept.source_id == memory.ongoing),
            (chunk_write[p].counter != Write.NONE).implies(kept.counter_id == memory.ongoing),
            (copy.source_id > 0).implies((copy.source_id == kept.source_id) & (copy.offset == kept.offset)),
            (copy.counter_id > 0).implies((copy.counter_id == kept.counter_id) & (copy.counts == kept.counts)),
        )

    return ((phase == Phase.SAVING) | (phase == Phase.VALIDATED)).implies(for_all(partitions, of_partition))
