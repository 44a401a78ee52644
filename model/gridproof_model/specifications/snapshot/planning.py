"""How a coordinator takes over a job, and plans, starts and gives up an execution."""

from gridproof_model.language import *
from gridproof_model.specifications.snapshot.state import *


@specification.definition(members)
def is_gone(member: IndexExpr) -> BoolExpr:
    """Whether the member has ended, or was removed by another member (then it may be the master of another cluster)."""
    return ended[member] | exists(members, lambda observer: removed[observer][member])


@specification.definition(members)
def succeeds(member: IndexExpr) -> BoolExpr:
    """Whether all other members that have coordinated the job are gone."""
    return for_all(members, lambda other: (knows_record[other] & (other != member)).implies(is_gone(other)))


@specification.definition()
def may_be_taken_up() -> BoolExpr:
    """Whether the job may be run again: no coordinator reported that the job is over, or this report may be lost, or it
    was made in one of two clusters.
    """
    return ~is_over | (exposed & ~at_once)


@specification.action(members, source="jobs.5, jobs.17", fair=True)
def record_is_missing(coordinator: IndexExpr) -> Step:
    """A new coordinator finds no record: either none was confirmed, or the confirmed record is lost."""
    is_new = ~knows_record[coordinator]
    may_be_missing = (confirmed == 0) | exposed
    return Step(
        when=[~ended[coordinator], is_new, succeeds(coordinator), may_be_taken_up(), may_be_missing],
        then=[knows_record[coordinator].becomes(True)],
    )


@specification.action(members, places, source="jobs.17, jobs.19, jobs.18", fair=True)
def record_is_read(coordinator: IndexExpr, place: IntExpr) -> Step:
    """A new coordinator reads a record: the last confirmed or a later one; or any, if the confirmed record is lost."""
    return Step(
        when=[
            ~ended[coordinator],
            ~knows_record[coordinator],
            succeeds(coordinator),
            may_be_taken_up(),
            place < records.length,
            (place + 1 >= confirmed) | exposed,
        ],
        then=[knows_record[coordinator].becomes(True), memory[coordinator].becomes(records.at(place))],
    )


@specification.definition(members)
def is_restorable(coordinator: IndexExpr) -> BoolExpr:
    """Whether the snapshot that the coordinator's record names, if it names one, is complete."""
    recorded = memory[coordinator].recorded
    one = saved[recorded.value]
    return recorded.is_none | all_of(one.is_validated, ~one.is_cleared | exposed)


@specification.definition()
def next_execution() -> OptionExpr[IndexExpr]:
    """The next execution that can be planned."""
    return first(executions, lambda one: underway[one].coordinator.is_none)


def restored_by(coordinator: IndexExpr) -> Execution:
    """Return an execution by all members that a coordinator lists, which begins from the recorded snapshot, if any.

    With `at_once`, the execution is already planned, all participants are ready, and the saved state has been read.
    """
    recorded = memory[coordinator].recorded
    one = saved[recorded.value]
    planned = if_else(at_once, coordinator, None)
    listed = array_of(members, lambda member: ~removed[coordinator][member])
    listed_at_once = array_of(members, lambda member: at_once & ~removed[coordinator][member])

    def kept(number: IntExpr) -> IntExpr:
        return if_else(recorded.is_some, number, 0)

    return EXECUTION(
        coordinator=coordinator,
        participants=listed,
        source=array_of(shards, lambda shard: planned),
        counter=array_of(partitions, lambda partition: planned),
        ready=listed_at_once,
        is_started=at_once,
        has_read=listed_at_once,
        restored=recorded,
        offset=array_of(shards, lambda shard: kept(one.offset[shard])),
        sent=array_of(shards, lambda shard: array_of(partitions, lambda partition: kept(one.sent[shard][partition]))),
        counted=array_of(
            partitions, lambda partition: array_of(shards, lambda shard: kept(one.counted[partition][shard]))
        ),
    )


@specification.action(members, source="seed: In-Memory Storage; jobs.4, jobs.19, jobs.18", fair=True)
def execution_is_planned(coordinator: IndexExpr) -> Step:
    """A coordinator begins to plan an execution that starts from the snapshot named by its record.

    The planning of sources and counters comes next. Later versions of Hazelcast write the record once more before using
    it. The coordinator believes that the cluster is safe.
    """
    following = next_execution()
    rewritten = records.append(memory[coordinator])
    is_noticed = for_all(members, lambda member: ended[member].implies(removed[coordinator][member]))
    listed = count(members, lambda member: ~removed[coordinator][member])

    def begun_by(member: IndexExpr) -> OptionExpr[IndexExpr]:
        return if_else(at_once & ~removed[coordinator][member], following, present[member])

    return Step(
        when=[
            ~ended[coordinator],
            knows_record[coordinator],
            runs[coordinator].is_none,
            phase[coordinator] == Phase.NONE,
            following.is_some,
            is_restorable(coordinator),
            is_strict.implies(~records.is_full),
            may_be_taken_up(),
        ],
        then=[
            runs[coordinator].becomes(following),
            records.becomes(if_else(is_strict, rewritten, records)),
            confirmed.becomes(if_else(is_strict, records.length + 1, confirmed)),
            is_unsafe.becomes(is_unsafe & ~is_noticed),
            exposed.becomes(exposed | (at_once & (listed < 2))),
            present.becomes(array_of(members, begun_by)),
            underway[following.value].becomes(restored_by(coordinator)),
        ],
    )


@specification.definition(members)
def is_planning(coordinator: IndexExpr) -> BoolExpr:
    """Whether the coordinator plans an execution."""
    return runs[coordinator].is_some & ~run_by(coordinator).is_started


@specification.action(members, members, source="jobs.4")
def member_is_left_out(coordinator: IndexExpr, member: IndexExpr) -> Step:
    """The plan leaves out a member that owns no partitions, or is not in the coordinator's list yet; others remain."""
    planned = run_by(coordinator)
    return Step(
        when=[
            omissions_left > 0,
            is_planning(coordinator),
            planned.participants[member],
            planned.participants.count() > 1,
            for_all(shards, lambda shard: planned.source[shard].is_none),
        ],
        then=[omissions_left.becomes(omissions_left - 1), planned.participants[member].becomes(False)],
    )


@specification.action(members, shards, members, source="jobs.2", fair=True)
def source_is_planned(coordinator: IndexExpr, shard: IndexExpr, member: IndexExpr) -> Step:
    """The coordinator plans which participant emits a shard."""
    planned = run_by(coordinator)
    return Step(
        when=[is_planning(coordinator), planned.participants[member], planned.source[shard].is_none],
        then=[planned.source[shard].becomes(member)],
    )


@specification.action(members, partitions, members, source="jobs.2", fair=True)
def counter_is_planned(coordinator: IndexExpr, partition: IndexExpr, member: IndexExpr) -> Step:
    """The coordinator plans which participant counts for a partition: the one that owns it at the time of planning."""
    planned = run_by(coordinator)
    has_all_sources = for_all(shards, lambda shard: planned.source[shard].is_some)
    is_open = planned.counter[partition].is_none
    return Step(
        when=[is_planning(coordinator), planned.participants[member], has_all_sources, is_open],
        then=[planned.counter[partition].becomes(member)],
    )


@specification.definition(executions, members)
def is_asked(one: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Whether the execution's coordinator waits until the participant is ready."""
    asked = underway[one]
    is_run = runs[asked.coordinator.value] == one
    is_in_it = asked.participants[member]
    return all_of(asked.coordinator.is_some, is_run, is_planned(one), is_in_it, ~asked.ready[member])


@specification.action(members, executions, source="jobs.4, jobs.11", fair=True)
def member_takes_part(member: IndexExpr, one: IndexExpr) -> Step:
    """A participant is ready: its older executions are over; so is this execution, if it has removed a participant."""
    is_over = ended[member] | exists(members, lambda other: removed[member][other] & concerns(one, other))
    return Step(
        when=[is_asked(one, member)],
        then=[underway[one].ready[member].becomes(True), present[member].becomes(if_else(is_over, None, one))],
    )


@specification.action(members, executions, source="jobs.4; invariant T1")
def member_has_taken_part(member: IndexExpr, one: IndexExpr) -> Step:
    """A participant was ready for this execution before it took part in an execution of another coordinator."""
    is_of_another = underway[present[member].value].coordinator != underway[one].coordinator
    return Step(
        when=[is_asked(one, member), present[member].is_some, is_of_another],
        then=[underway[one].ready[member].becomes(True)],
    )


@specification.action(members, source="jobs.4", fair=True)
def execution_starts(coordinator: IndexExpr) -> Step:
    """All participants are ready and are asked to begin. If there is only one participant, no second copy exists."""
    planned = run_by(coordinator)
    are_ready = planned.participants.is_within(planned.ready)
    return Step(
        when=[is_planning(coordinator), is_planned(runs[coordinator].value), are_ready],
        then=[planned.is_started.becomes(True), exposed.becomes(exposed | (planned.participants.count() < 2))],
    )


@specification.definition(members)
def has_to_stop(coordinator: IndexExpr) -> BoolExpr:
    """Whether the coordinator's execution lost a participant, its record is in doubt, or its snapshot was terminal."""
    run, one = run_by(coordinator), runs[coordinator].value

    def is_missing(member: IndexExpr) -> BoolExpr:
        has_left = run.ready[member] & (present[member] != one)
        return run.participants[member] & (removed[coordinator][member] | has_left)

    is_last = run.taking.is_some & saved[run.taking.value].is_terminal & (phase[coordinator] == Phase.NONE)
    return runs[coordinator].is_some & any_of(
        phase[coordinator] == Phase.IN_DOUBT, exists(members, lambda member: is_missing(member)), is_last
    )


def gives_up(coordinator: IndexExpr) -> list[Update]:
    """Return the updates by which a coordinator gives up its execution; with `at_once`, the execution becomes blank."""
    one = runs[coordinator].value
    return [
        runs[coordinator].becomes(None),
        phase[coordinator].becomes(Phase.NONE),
        in_doubt.becomes(in_doubt | is_writing(coordinator)),
        underway[one].becomes(if_else(at_once, EXECUTION(), underway[one])),
        present.becomes(
            array_of(members, lambda other: if_else(at_once & (present[other] == one), None, present[other]))
        ),
    ]


@specification.action(members, source="jobs.15, jobs.19", fair=True)
def broken_execution_stops(coordinator: IndexExpr) -> Step:
    """A coordinator gives up an execution that cannot go on; participants learn this later."""
    return Step(when=[has_to_stop(coordinator)], then=gives_up(coordinator))


@specification.action(members, source="jobs.15")
def execution_stops(coordinator: IndexExpr) -> Step:
    """A coordinator gives up an execution that could continue, to restart it with members that have joined."""
    return Step(
        when=[stops_left > 0, runs[coordinator].is_some, ~has_to_stop(coordinator)],
        then=[stops_left.becomes(stops_left - 1), *gives_up(coordinator)],
    )


@specification.definition(executions)
def is_finished(one: IndexExpr) -> BoolExpr:
    """Whether every source has emitted all its items, and every counter has counted them."""
    return for_all(
        shards,
        lambda shard: all_of(
            underway[one].offset[shard] == items,
            for_all(partitions, lambda partition: underway[one].queue[shard][partition].is_empty),
        ),
    )


@specification.action(members, source="jobs.4", fair=True)
def execution_completes(coordinator: IndexExpr) -> Step:
    """An execution is complete, because all participants have finished."""
    return Step(
        when=[runs[coordinator].is_some, run_by(coordinator).is_started, is_finished(runs[coordinator].value)],
        then=[is_over.becomes(True), *gives_up(coordinator)],
    )


@specification.action(members, source="jobs.17, jobs.19: issue 18675", fair=True)
def job_is_found_corrupted(coordinator: IndexExpr) -> Step:
    """A coordinator finds that the snapshot named by its record is not complete: the job fails for good."""
    is_in_pieces = may_be_lost(memory[coordinator].recorded.value) | ~is_restorable(coordinator)
    names_one = memory[coordinator].recorded.is_some
    does_nothing = phase[coordinator] == Phase.NONE
    return Step(
        when=[runs[coordinator].is_none, does_nothing, names_one, is_in_pieces, may_be_taken_up()],
        then=[phase[coordinator].becomes(Phase.CORRUPTED), is_over.becomes(True)],
    )
