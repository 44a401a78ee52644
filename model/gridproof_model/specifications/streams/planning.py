"""How a coordinator takes a job up, plans an execution, starts it and gives it up."""

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    IntExpr,
    OptionExpr,
    Step,
    all_of,
    array_of,
    exists,
    first,
    for_all,
    if_else,
)
from gridproof_model.specifications.streams.state import (
    EXECUTION,
    Execution,
    Phase,
    concerns,
    confirmed,
    ended,
    executions,
    exposed,
    is_planned,
    is_strict,
    items,
    knows_record,
    may_be_lost,
    members,
    memory,
    omissions_left,
    partitions,
    phase,
    places,
    present,
    records,
    removed,
    run_by,
    runs,
    saved,
    shards,
    specification,
    underway,
    vouched,
)


@specification.definition(members)
def is_gone(member: IndexExpr) -> BoolExpr:
    """Whether a member has ended, or somebody takes it for gone: it may be the master of another cluster then."""
    return ended[member] | exists(members, lambda observer: removed[observer][member])


@specification.definition(members)
def succeeds(member: IndexExpr) -> BoolExpr:
    """Whether all others that have coordinated the job are gone."""
    return for_all(members, lambda other: (knows_record[other] & (other != member)).implies(is_gone(other)))


@specification.action(members, source="jobs.5, jobs.17")
def record_is_missing(coordinator: IndexExpr) -> Step:
    """A new coordinator finds no record: none was confirmed, or it is lost."""
    return Step(
        when=[
            ~ended[coordinator],
            ~knows_record[coordinator],
            succeeds(coordinator),
            (confirmed == 0) | may_be_lost(),
        ],
        then=[knows_record[coordinator].becomes(True)],
    )


@specification.action(members, places, source="jobs.17, jobs.19, jobs.18")
def record_is_read(coordinator: IndexExpr, place: IntExpr) -> Step:
    """A new coordinator reads a record that was written: none older than what was confirmed, unless that is lost."""
    return Step(
        when=[
            ~ended[coordinator],
            ~knows_record[coordinator],
            succeeds(coordinator),
            place < records.length,
            (place + 1 >= confirmed) | may_be_lost(),
        ],
        then=[knows_record[coordinator].becomes(True), memory[coordinator].becomes(records.at(place))],
    )


@specification.definition(members)
def is_restorable(coordinator: IndexExpr) -> BoolExpr:
    """Whether the snapshot that a coordinator's record names, if it names one, is whole."""
    recorded = memory[coordinator].recorded
    one = saved[recorded.value]
    return recorded.is_none | all_of(one.is_validated, ~one.is_cleared | exposed)


@specification.definition()
def next_execution() -> OptionExpr[IndexExpr]:
    """The next one that may be planned."""
    return first(executions, lambda one: underway[one].coordinator.is_none)


def restored_by(coordinator: IndexExpr) -> Execution:
    """Return an execution of all whom a coordinator lists, that begins with what the recorded snapshot says, if any."""
    recorded = memory[coordinator].recorded
    one = saved[recorded.value]
    return EXECUTION(
        coordinator=coordinator,
        participants=array_of(members, lambda member: ~removed[coordinator][member]),
        restored=recorded,
        offset=array_of(shards, lambda shard: if_else(recorded.is_some, one.offset[shard], 0)),
        sent=array_of(
            shards,
            lambda shard: array_of(
                partitions, lambda partition: if_else(recorded.is_some, one.sent[shard][partition], 0)
            ),
        ),
        counted=array_of(
            partitions,
            lambda partition: array_of(
                shards, lambda shard: if_else(recorded.is_some, one.counted[partition][shard], 0)
            ),
        ),
    )


@specification.action(members, source="seed: In-Memory Storage; jobs.4, jobs.19, jobs.18")
def execution_is_planned(coordinator: IndexExpr) -> Step:
    """A coordinator plans an execution, from the snapshot that its record names; who runs what is said next.

    Later versions write the record once more before it is used.
    """
    following = next_execution()
    rewritten = records.append(memory[coordinator])
    return Step(
        when=[
            ~ended[coordinator],
            knows_record[coordinator],
            runs[coordinator].is_none,
            phase[coordinator] == Phase.NONE,
            following.is_some,
            is_restorable(coordinator),
            is_strict.implies(~records.is_full),
        ],
        then=[
            runs[coordinator].becomes(following),
            records.becomes(if_else(is_strict, rewritten, records)),
            confirmed.becomes(if_else(is_strict & vouched, records.length + 1, confirmed)),
            underway[following.value].becomes(restored_by(coordinator)),
        ],
    )


@specification.definition(members)
def is_planning(coordinator: IndexExpr) -> BoolExpr:
    """Whether a coordinator plans an execution."""
    return runs[coordinator].is_some & ~run_by(coordinator).is_started


@specification.action(members, members, source="jobs.4")
def member_is_left_out(coordinator: IndexExpr, member: IndexExpr) -> Step:
    """A member takes no part: it owns no partitions, or is not in the coordinator's list yet."""
    planned = run_by(coordinator)
    return Step(
        when=[
            omissions_left > 0,
            is_planning(coordinator),
            planned.participants[member],
            for_all(shards, lambda shard: planned.source[shard].is_none),
        ],
        then=[omissions_left.becomes(omissions_left - 1), planned.participants[member].becomes(False)],
    )


@specification.action(members, shards, members, source="jobs.2")
def source_is_planned(coordinator: IndexExpr, shard: IndexExpr, member: IndexExpr) -> Step:
    """A participant is to emit a shard."""
    planned = run_by(coordinator)
    return Step(
        when=[is_planning(coordinator), planned.participants[member], planned.source[shard].is_none],
        then=[planned.source[shard].becomes(member)],
    )


@specification.action(members, partitions, members, source="jobs.2")
def counter_is_planned(coordinator: IndexExpr, partition: IndexExpr, member: IndexExpr) -> Step:
    """A participant is to count for a partition: whoever owns it when the execution is planned."""
    planned = run_by(coordinator)
    return Step(
        when=[
            is_planning(coordinator),
            planned.participants[member],
            for_all(shards, lambda shard: planned.source[shard].is_some),
            planned.counter[partition].is_none,
        ],
        then=[planned.counter[partition].becomes(member)],
    )


@specification.definition(executions, members)
def is_asked(one: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Whether the coordinator of an execution waits for a participant to be ready."""
    asked = underway[one]
    return all_of(
        asked.coordinator.is_some,
        runs[asked.coordinator.value] == one,
        is_planned(one),
        asked.participants[member],
        ~asked.ready[member],
    )


@specification.action(members, executions, source="jobs.4, jobs.11")
def member_takes_part(member: IndexExpr, one: IndexExpr) -> Step:
    """A participant is ready, and any older execution is over for it; or this one, where it misses somebody of it."""
    is_over = ended[member] | exists(members, lambda other: removed[member][other] & concerns(one, other))
    return Step(
        when=[is_asked(one, member)],
        then=[underway[one].ready[member].becomes(True), present[member].becomes(if_else(is_over, None, one))],
    )


@specification.action(members, executions, source="jobs.4; invariant T1")
def member_has_taken_part(member: IndexExpr, one: IndexExpr) -> Step:
    """A participant was ready before it took part in what another coordinator, which it lists, runs now."""
    return Step(
        when=[
            is_asked(one, member),
            present[member].is_some,
            underway[present[member].value].coordinator != underway[one].coordinator,
        ],
        then=[underway[one].ready[member].becomes(True)],
    )


@specification.action(members, source="jobs.4")
def execution_starts(coordinator: IndexExpr) -> Step:
    """Everybody is ready, and is asked to begin. With one participant there is no second copy."""
    planned = run_by(coordinator)
    return Step(
        when=[
            is_planning(coordinator),
            is_planned(runs[coordinator].value),
            planned.participants.is_within(planned.ready),
        ],
        then=[
            planned.is_started.becomes(True),
            exposed.becomes(exposed | (planned.participants.count() < 2)),
        ],
    )


@specification.action(members, source="jobs.15")
def execution_stops(coordinator: IndexExpr) -> Step:
    """A coordinator gives an execution up, whyever; participants learn it later."""
    return Step(
        when=[runs[coordinator].is_some],
        then=[runs[coordinator].becomes(None), phase[coordinator].becomes(Phase.NONE)],
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


@specification.action(members, source="jobs.4")
def execution_completes(coordinator: IndexExpr) -> Step:
    """Every participant has come to its end."""
    return Step(
        when=[
            runs[coordinator].is_some,
            run_by(coordinator).is_started,
            is_finished(runs[coordinator].value),
        ],
        then=[runs[coordinator].becomes(None), phase[coordinator].becomes(Phase.NONE)],
    )


@specification.action(members, source="jobs.17, jobs.19: issue 18675")
def job_is_found_corrupted(coordinator: IndexExpr) -> Step:
    """What the record names is not whole: the job fails for good."""
    return Step(
        when=[
            runs[coordinator].is_none,
            phase[coordinator] == Phase.NONE,
            memory[coordinator].recorded.is_some,
            may_be_lost() | ~is_restorable(coordinator),
        ],
        then=[phase[coordinator].becomes(Phase.CORRUPTED)],
    )
