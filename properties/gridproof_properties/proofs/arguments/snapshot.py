"""Why the claims about stream jobs stay true however little members know of each other.

A snapshot contains what came before its barriers, whichever members take part; and a coordinator clears only a map that
no readable record names.
"""

from collections.abc import Callable

from gridproof_model.language import *
from gridproof_model.specifications.snapshot.claims import knows_of, names_nothing_after
from gridproof_model.specifications.snapshot.state import *
from gridproof_properties.proofs.argument import Argument

BOUNDS = ("ids", "endings", "removals", "omissions", "exposures", "misses", "stops")
WITHOUT_BOUNDS: dict[str, Plain] = dict.fromkeys(BOUNDS, ANY_NUMBER)
ANY_SIZE: dict[str, Plain] = {
    **dict.fromkeys(("members", "executions", "snapshots", "writes"), ANY_NUMBER),
    **WITHOUT_BOUNDS,
    "strict": EITHER,
}
"""The numbers of shards, partitions and items stay fixed; strict and other writes occur in one world."""
PROVED: dict[str, Plain] = {"executions": 2, "snapshots": 2, "writes": 4}
LARGER: dict[str, Plain] = {"members": 3, "shards": 2, "partitions": 2, "items": 2}
TWO_SNAPSHOTS: dict[str, Plain] = {
    "at_once": True,
    "members": 3,
    "snapshots": 2,
    "ids": 2,
    "writes": 5,
    "removals": 0,
    "stops": 0,
}

argument = Argument(
    specification,
    proved_in=(ANY_SIZE, LARGER | PROVED | WITHOUT_BOUNDS),
    explored_in=(
        {"strict": False, "misses": 1, **TWO_SNAPSHOTS},
        {"misses": 1, **TWO_SNAPSHOTS},
        {"strict": False, "items": 0, "endings": 2, **TWO_SNAPSHOTS},
        {"at_once": True, "endings": 0, "removals": 2, "stops": 0, "items": 0, "executions": 2, "writes": 4},
        {"items": 0, "misses": 1, "strict": False, "removals": 0},
        {"removals": 0, "stops": 0, **PROVED},
        {"removals": 0, "stops": 0, "strict": False, **PROVED},
        {"ids": 0, "endings": 0, "removals": 0, "stops": 0, **LARGER, **PROVED},
    ),
)

queued = Int(0, items)
"""The position of an item in a queue of items under way."""


def for_all_lanes(body: Callable[[IndexExpr, IndexExpr, IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether a condition is true for every execution, shard and partition."""
    return for_all(executions, shards, partitions, lambda one, shard, partition: body(one, shard, partition))


def fits(counted: IntExpr, sent: IntExpr) -> BoolExpr:
    """Return whether the number counted equals the number sent (exactly once), or is no smaller (at least once)."""
    return if_else(guarantee == Guarantee.EXACTLY_ONCE, counted == sent, counted >= sent)


@argument.lemma(executions, shards, partitions)
def items_are_queued_in_order(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """Items on their way from a source to a counter are in ascending order, and the source has emitted them all."""
    lane = underway[one].queue[shard][partition]
    return for_all(
        queued,
        lambda place: (place < lane.length).implies(
            all_of(
                lane.at(place) < underway[one].offset[shard],
                for_all(
                    queued,
                    lambda later: ((place < later) & (later < lane.length)).implies(lane.at(place) < lane.at(later)),
                ),
            )
        ),
    )


@argument.lemma(executions)
def nothing_is_under_way_that_was_not_planned(one: IndexExpr) -> BoolExpr:
    """An execution has no items before it is planned, and no member saves or reads state before it starts."""
    run = underway[one]
    return all_of(
        run.coordinator.is_some | (run.restored.is_none & ~run.is_started),
        run.is_started | run.taking.is_none,
        run.taking.is_some
        | (
            for_all(shards, lambda shard: run.source_write[shard] == Write.NONE)
            & for_all(
                partitions,
                lambda partition: (run.counter_write[partition] == Write.NONE) & ~run.arrived[partition].is_any(),
            )
        ),
        for_all(
            shards,
            partitions,
            lambda shard, partition: (run.is_started & is_restored(one)) | run.queue[shard][partition].is_empty,
        ),
        run.coordinator.is_some
        | for_all(
            shards,
            lambda shard: (
                (run.offset[shard] == 0)
                & for_all(
                    partitions,
                    lambda partition: (run.sent[shard][partition] == 0) & (run.counted[partition][shard] == 0),
                )
            ),
        ),
    )


@argument.lemma
def each_execution_takes_its_own_snapshot() -> BoolExpr:
    """Each execution takes a snapshot of its own, which is not validated before all its parts are written."""
    return for_all(
        executions,
        lambda one: (
            underway[one].taking.is_none
            | all_of(
                saved[underway[one].taking.value].id > 0,
                for_all(executions, lambda other: (one == other) | (underway[other].taking != underway[one].taking)),
                saved[underway[one].taking.value].is_validated.implies(is_all_written(one)),
            )
        ),
    ) & for_all(snapshots, lambda one: saved[one].is_validated.implies(saved[one].id > 0))


def ahead(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> IntExpr:
    """Return how many of a source's items are under way before its barrier, if the source has saved its state."""
    lane = underway[one].queue[shard][partition]
    offset = saved[underway[one].taking.value].offset[shard]
    return count(queued, lambda place: (place < lane.length) & (lane.at(place) < offset))


@argument.lemma(executions, shards, partitions)
def what_is_before_a_barrier_is_what_was_saved(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """Once the state of a source is saved, the items from this source that a counter has counted, or that are on their
    way to it ahead of the barrier, are exactly those that the source had then emitted to the counter."""
    run = underway[one]
    target = saved[run.taking.value]
    has_saved, is_saved = run.source_write[shard] != Write.NONE, run.counter_write[partition] != Write.NONE
    before = run.counted[partition][shard] + ahead(one, shard, partition)
    return run.taking.is_none | all_of(
        has_saved.implies(target.offset[shard] <= run.offset[shard]),
        (has_saved & ~is_saved).implies(fits(before, target.sent[shard][partition])),
        run.arrived[partition][shard].implies(has_saved),
        (run.arrived[partition][shard] & ~is_saved).implies(ahead(one, shard, partition) == 0),
        (has_saved & is_saved).implies(fits(target.counted[partition][shard], target.sent[shard][partition])),
        (~has_saved & is_saved).implies(
            all_of(
                run.offset[shard] == items,
                run.queue[shard][partition].is_empty,
                fits(target.counted[partition][shard], run.sent[shard][partition]),
            )
        ),
    )


@argument.lemma(executions)
def what_was_restored_is_whole(one: IndexExpr) -> BoolExpr:
    """An execution restarts from a validated snapshot; until all participants have read it, the execution has emitted
    exactly what the snapshot says."""

    def has_emitted_what_was_saved(one: IndexExpr, restored: IndexExpr) -> BoolExpr:
        return for_all(
            shards,
            partitions,
            lambda shard, partition: underway[one].sent[shard][partition] == saved[restored].sent[shard][partition],
        )

    return underway[one].restored.is_none | all_of(
        saved[underway[one].restored.value].is_validated,
        (underway[one].is_started & is_restored(one)) | has_emitted_what_was_saved(one, underway[one].restored.value),
    )


@argument.lemma
def no_more_is_sent_than_emitted() -> BoolExpr:
    """A source has sent each counter at most as many items as it has emitted, and at most as many are on their way;
    the same is true of the items sent according to a validated snapshot."""
    return for_all_lanes(
        lambda one, shard, partition: (
            (underway[one].sent[shard][partition] <= underway[one].offset[shard])
            & (underway[one].queue[shard][partition].length <= underway[one].offset[shard])
        )
    ) & for_all(
        snapshots,
        shards,
        partitions,
        lambda one, shard, partition: saved[one].is_validated.implies(
            saved[one].sent[shard][partition] <= saved[one].offset[shard]
        ),
    )


@argument.lemma
def only_what_is_bare_is_endangered() -> BoolExpr:
    """Only a snapshot with a part that has no confirmed second copy is marked as endangered."""
    return (misses_left <= misses) & for_all(
        snapshots,
        lambda one: all_of(
            saved[one].is_endangered.implies(saved[one].is_bare),
            saved[one].is_endangered.implies(exists(members, lambda member: ended[member])),
            saved[one].is_bare.implies(misses_left < misses),
        ),
    )


@argument.lemma
def every_item_was_saved_once() -> BoolExpr:
    """As the saved state of a source says, each item that the source had emitted was sent to exactly one counter."""

    def is_whole(one: IndexExpr, shard: IndexExpr) -> BoolExpr:
        return sum_of(partitions, lambda p: saved[one].sent[shard][p]) == saved[one].offset[shard]

    return for_all(
        snapshots, lambda one: saved[one].is_validated.implies(for_all(shards, lambda shard: is_whole(one, shard)))
    ) & for_all(
        executions,
        lambda one: (
            underway[one].taking.is_none
            | for_all(
                shards,
                lambda shard: (
                    (underway[one].source_write[shard] == Write.NONE) | is_whole(underway[one].taking.value, shard)
                ),
            )
        ),
    )


@argument.lemma
def an_item_is_counted_once_more_a_snapshot() -> BoolExpr:
    """With at-least-once, an item is counted one more time only if the execution restarts from one more snapshot."""

    def begun_before(one: IndexExpr) -> IntExpr:
        restored = underway[one].restored
        return if_else(restored.is_some, restored.value.ordinal + 1, 0)

    def is_bounded(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
        run = underway[one]
        counted = run.counted[partition][shard] + run.queue[shard][partition].length
        taken = saved[run.taking.value].counted[partition][shard]
        return (counted <= items * begun_before(one) + run.offset[shard]) & (
            run.taking.is_none
            | (run.counter_write[partition] == Write.NONE)
            | (taken <= items * (run.taking.value.ordinal + 1))
        )

    def is_in_order(one: IndexExpr) -> BoolExpr:
        return all_of(
            for_all(snapshots, lambda later: (one < later).implies((saved[later].id > 0).implies(saved[one].id > 0))),
            for_all(
                partitions,
                shards,
                lambda partition, shard: saved[one].is_validated.implies(
                    saved[one].counted[partition][shard] <= items * (one.ordinal + 1)
                ),
            ),
        )

    return all_of(
        for_all_lanes(is_bounded),
        for_all(
            executions,
            lambda one: underway[one].taking.is_none | (underway[one].taking.value.ordinal >= begun_before(one)),
        ),
        for_all(snapshots, is_in_order),
    )


TAKING = (Phase.SAVING, Phase.VALIDATED, Phase.COMMITTING, Phase.IN_DOUBT, Phase.RECORDED)
NAMING = (Phase.COMMITTING, Phase.IN_DOUBT, Phase.RECORDED)


@argument.lemma(members)
def who_coordinates_knows_the_record(member: IndexExpr) -> BoolExpr:
    """Only members that have read the execution record coordinate executions, no two of them the same execution."""
    record, blank = memory[member], memory[member].recorded.is_none & (memory[member].ongoing == 0)
    return all_of(
        knows_record[member] | (blank & runs[member].is_none & (phase[member] == Phase.NONE)),
        runs[member].is_none | (run_by(member).coordinator == member),
        phase[member].is_in(Phase.NONE, Phase.CORRUPTED) | (runs[member].is_some & run_by(member).is_started),
        (phase[member] == Phase.CORRUPTED).implies(runs[member].is_none),
        ended[member].implies(memory[member].recorded.is_none & runs[member].is_none & (phase[member] == Phase.NONE)),
        record.recorded.is_none | (saved[record.recorded.value].id <= record.ongoing),
        present[member].is_none | underway[present[member].value].coordinator.is_some,
    )


@argument.lemma
def written_records_are_ordered() -> BoolExpr:
    """No written record names a snapshot with a higher id than the record's last id; every confirmed record was
    written."""
    return (confirmed <= records.length) & for_all(
        places,
        lambda place: (place < records.length).implies(
            records.at(place).recorded.is_none
            | (saved[records.at(place).recorded.value].id <= records.at(place).ongoing)
        ),
    )


@argument.lemma(members)
def a_coordinator_takes_what_its_phase_says(member: IndexExpr) -> BoolExpr:
    """From phase 1 on, the phase that saves the state, an execution has one snapshot; its coordinator's record names
    this snapshot as soon as the commit is sent, and not before."""
    run, record = run_by(member), memory[member]
    target = saved[run.taking.value]
    return all_of(
        phase[member].is_in(*TAKING).implies(run.taking.is_some),
        phase[member].is_in(*NAMING).implies(run.taking.is_some & (record.recorded == run.taking)),
        phase[member]
        .is_in(Phase.SAVING, Phase.VALIDATED)
        .implies(
            all_of(
                target.map == map_to_write(member),
                target.id == record.ongoing,
                record.recorded.is_none | (saved[record.recorded.value].id < target.id),
            )
        ),
        phase[member]
        .is_in(Phase.TAKEN, Phase.CLEARED)
        .implies((record.ongoing > 0) & (record.recorded.is_none | (saved[record.recorded.value].id < record.ongoing))),
        (phase[member] == Phase.VALIDATED).implies(target.is_validated),
    )


@argument.lemma(members, members, when=is_kept())
def one_coordinator_is_left(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """If no write came late and no data lacked its second copy, all removed members have ended, and at most one
    coordinator has not ended."""
    return (removed[one][other].implies(ended[other])) & (
        (one == other) | ~knows_record[one] | ~knows_record[other] | ended[one] | ended[other]
    )


def is_readable(place: IntExpr) -> BoolExpr:
    """Return whether a record may be read: it is not older than the last confirmed one."""
    return (place < records.length) & (place + 1 >= confirmed)


def is_idle(member: IndexExpr) -> BoolExpr:
    """Return whether a member coordinates nothing; without strict writes, it has not read the record either."""
    return runs[member].is_none & (is_strict | ~knows_record[member])


@argument.lemma
def what_was_written_was_confirmed() -> BoolExpr:
    """Unless writes are strict, if no write came late and no data lacked its second copy, every written record is
    confirmed, or a live member waits until the write of its record ends."""
    return (is_kept() & ~is_strict).implies(
        exists(members, lambda member: ~ended[member] & is_writing(member)) | (confirmed == records.length)
    )


@argument.lemma(members, when=is_kept())
def what_may_be_read_is_what_the_coordinator_knows(member: IndexExpr) -> BoolExpr:
    """If no write came late and no data lacked its second copy, every record that may still be read names the same
    snapshot as the record in the coordinator's memory, except during a commit."""

    def holds_for(member: IndexExpr) -> BoolExpr:
        record = memory[member]
        return all_of(
            ((records.length == 0) & record.recorded.is_none)
            | ((records.length > 0) & (records.at(records.length - 1).recorded == record.recorded)),
            phase[member].is_in(Phase.COMMITTING, Phase.IN_DOUBT)
            | for_all(places, lambda place: is_readable(place).implies(records.at(place).recorded == record.recorded)),
        )

    return ended[member] | is_idle(member) | holds_for(member)


@argument.lemma(members, when=is_kept())
def nobody_clears_what_is_being_taken(member: IndexExpr) -> BoolExpr:
    """If no write came late and no data lacked its second copy, the map of a snapshot being taken is not cleared."""
    return ended[member] | ~phase[member].is_in(Phase.SAVING, *TAKING) | ~saved[run_by(member).taking.value].is_cleared


@argument.lemma(snapshots, when=is_kept())
def what_may_be_read_knows_of_what_was_begun(one: IndexExpr) -> BoolExpr:
    """If no write came late and no data lacked its second copy, every record that may still be read has an id at least
    as high as that of each snapshot begun, and names a snapshot at least as new as each one recorded."""
    return all_of(
        (confirmed == 0).implies((saved[one].id == 0) & ~saved[one].is_recorded),
        saved[one].is_recorded.implies(saved[one].id > 0),
        for_all(places, lambda place: is_readable(place).implies(knows_of(records.at(place), one))),
        for_all(
            members,
            lambda member: (~ended[member] & knows_record[member]).implies(knows_of(memory[member], one)),
        ),
    )


@argument.lemma(members, when=is_kept())
def what_is_written_is_what_the_coordinator_knows(member: IndexExpr) -> BoolExpr:
    """If no write came late and no data lacked its second copy, the record in the coordinator's memory agrees with the
    last record written."""

    def holds_for(member: IndexExpr) -> BoolExpr:
        known = memory[member]
        return all_of(
            ((records.length == 0) & (known.ongoing == 0))
            | ((records.length > 0) & (records.at(records.length - 1).ongoing == known.ongoing)),
            phase[member].is_in(Phase.CLEARED, Phase.RECORDED).implies(confirmed == records.length),
            for_all(places, lambda place: is_readable(place).implies(names_nothing_after(records.at(place), known))),
        )

    return ended[member] | is_idle(member) | holds_for(member)


@argument.lemma(places, places, when=is_kept())
def records_only_grow(one: IntExpr, other: IntExpr) -> BoolExpr:
    """If no write came late and no data lacked its second copy, then of two records that may still be read the later
    record never names an older id or snapshot."""

    def in_order(one: IntExpr, other: IntExpr) -> BoolExpr:
        is_later = all_of(is_readable(one), one < other, other < records.length)
        return is_later.implies(names_nothing_after(records.at(one), records.at(other)))

    return in_order(one, other)
