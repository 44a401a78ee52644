"""What a coordinator does for a snapshot: an id, an empty map, two phases, and the record between them."""

from gridproof_model.language import (
    Bool,
    BoolExpr,
    EnumExpr,
    IndexExpr,
    OptionExpr,
    Step,
    Update,
    all_of,
    any_of,
    array_of,
    exists,
    first,
    for_all,
    if_else,
)
from gridproof_model.specifications.snapshot.state import (
    EXECUTION,
    SNAPSHOT,
    Phase,
    Write,
    at_once,
    confirmed,
    costs_a_miss,
    executions,
    ids,
    in_doubt,
    is_all_written,
    map_to_write,
    maps,
    may_miss,
    members,
    memory,
    partitions,
    phase,
    present,
    records,
    run_by,
    runs,
    saved,
    shards,
    snapshots,
    specification,
    underway,
)


@specification.definition(members)
def is_running(coordinator: IndexExpr) -> BoolExpr:
    """Whether a coordinator runs an execution."""
    return runs[coordinator].is_some & run_by(coordinator).is_started


@specification.definition()
def next_snapshot() -> OptionExpr[IndexExpr]:
    """The next one that may be begun."""
    return first(snapshots, lambda one: saved[one].id == 0)


@specification.action(members, source="jobs.5, jobs.19")
def id_is_taken(coordinator: IndexExpr) -> Step:
    """A coordinator takes the next id, and has it written into the record: nobody sees that before it is written."""
    record = memory[coordinator]
    return Step(
        when=[
            is_running(coordinator),
            phase[coordinator] == Phase.NONE,
            record.ongoing < ids,
            ~records.is_full,
            next_snapshot().is_some,
        ],
        then=[
            phase[coordinator].becomes(Phase.TAKEN),
            record.ongoing.becomes(record.ongoing + 1),
            records.becomes(records.append(record.replace(ongoing=record.ongoing + 1))),
        ],
    )


@specification.action(members, source="jobs.8")
def record_is_not_written(coordinator: IndexExpr) -> Step:
    """The write of the id fails: there will be no such snapshot."""
    return Step(
        when=[phase[coordinator] == Phase.TAKEN],
        then=[phase[coordinator].becomes(Phase.FAILED), in_doubt.becomes(True)],
    )


@specification.action(members, maps, Bool(), source="jobs.5, jobs.10", fair=True)
def map_is_cleared(coordinator: IndexExpr, cleared: IndexExpr, is_missed: BoolExpr) -> Step:
    """The map that the record does not name is emptied: before a snapshot, and after one that failed or was recorded.

    Before a snapshot the write of its id is confirmed by then, unless that missed its backup.
    """
    is_before = phase[coordinator] == Phase.TAKEN
    return Step(
        when=[
            phase[coordinator].is_in(Phase.TAKEN, Phase.FAILED, Phase.RECORDED),
            cleared == map_to_write(coordinator),
            may_miss(is_missed),
            is_missed.implies(is_before),
        ],
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
    """Every participant is asked to save its state into the map that the record does not name."""
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
    """All results of phase 1 are good, and the validation record is in the map."""
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
    """All results of phase 1 are good, and the validation record is not written, or without its backup's word."""
    return Step(
        when=[phase[coordinator] == Phase.SAVING, is_all_written(runs[coordinator].value)],
        then=[phase[coordinator].becomes(Phase.FAILED)],
    )


@specification.definition(executions, members)
def has_answered(one: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Whether a participant has written all its state, or failed to; or the execution is not there any more."""

    def is_over(write: EnumExpr[Write]) -> BoolExpr:
        return write.is_in(Write.WRITTEN, Write.FAILED)

    run = underway[one]
    return (present[member] != one) | all_of(
        for_all(shards, lambda shard: (run.source[shard] == member).implies(is_over(run.source_write[shard]))),
        for_all(partitions, lambda part: (run.counter[part] == member).implies(is_over(run.counter_write[part]))),
    )


@specification.definition(executions, members)
def has_failed(one: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Whether a participant's answer is no good: a write failed, or the execution is not there any more."""
    run = underway[one]
    return any_of(
        present[member] != one,
        exists(shards, lambda shard: (run.source[shard] == member) & (run.source_write[shard] == Write.FAILED)),
        exists(partitions, lambda part: (run.counter[part] == member) & (run.counter_write[part] == Write.FAILED)),
    )


@specification.action(members, source="jobs.8", fair=True)
def snapshot_fails(coordinator: IndexExpr) -> Step:
    """Everybody has answered, and some result of phase 1 is bad: the previous snapshot stays the job's."""
    run, one = run_by(coordinator), runs[coordinator].value
    return Step(
        when=[
            phase[coordinator] == Phase.SAVING,
            for_all(members, lambda member: run.participants[member].implies(has_answered(one, member))),
            exists(members, lambda member: run.participants[member] & has_failed(one, member)),
        ],
        then=[phase[coordinator].becomes(Phase.FAILED)],
    )


def in_phase(coordinator: IndexExpr, before: Phase, after: Phase) -> tuple[list[BoolExpr], Update]:
    """Return the guards for a coordinator to be in one phase, and the update to the next one."""
    return [phase[coordinator] == before], phase[coordinator].becomes(after)


@specification.action(members, source="jobs.8, jobs.19", fair=True)
def commit_is_sent(coordinator: IndexExpr) -> Step:
    """The record names the snapshot: in memory first, and it is on its way to be stored."""
    guards, update = in_phase(coordinator, Phase.VALIDATED, Phase.COMMITTING)
    record = memory[coordinator].replace(recorded=run_by(coordinator).taking)
    return Step(
        when=[*guards, ~records.is_full],
        then=[update, memory[coordinator].becomes(record), records.becomes(records.append(record))],
    )


@specification.action(members, Bool(), source="jobs.8: the commit point", fair=True)
def snapshot_is_recorded(coordinator: IndexExpr, is_missed: BoolExpr) -> Step:
    """It is confirmed that the record names the snapshot: it is the job's."""
    guards, update = in_phase(coordinator, Phase.COMMITTING, Phase.RECORDED)
    return Step(
        when=[*guards, may_miss(is_missed)],
        then=[
            update,
            confirmed.becomes(if_else(is_missed, confirmed, records.length)),
            saved[run_by(coordinator).taking.value].is_recorded.becomes(True),
            costs_a_miss(is_missed),
        ],
    )


@specification.action(members, source="jobs.19")
def commit_is_in_doubt(coordinator: IndexExpr) -> Step:
    """Nobody says whether the record is stored: no second phase, and the job restarts."""
    guards, update = in_phase(coordinator, Phase.COMMITTING, Phase.IN_DOUBT)
    return Step(when=guards, then=[update])
