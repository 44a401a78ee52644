"""The rules of snapshots, one small story each."""

from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import Plain, State
from gridproof_model.specifications.snapshot import Ending, Guarantee, Phase, specification

SMALL: dict[str, Plain] = {
    "at_once": True, "members": 3, "items": 2, "executions": 2, "snapshots": 3, "ids": 3, "writes": 12, "endings": 2,
    "misses": 2,
}  # fmt: skip
FIRST, SECOND = 0, 1
"""Members; and the two maps."""
SOURCE = COUNTER = 0

Chosen = tuple[Plain, ...]


def after(*steps: Chosen, guarantee: Guarantee = Guarantee.EXACTLY_ONCE, **constants: Plain) -> State:
    """Return the state after these steps, each an action and its parameters."""
    runner = Runner(specification.world(**{**SMALL, **constants}))
    state = next(state for state in runner.initial_states() if state["guarantee"] == guarantee)
    for action, *parameters in steps:
        state = runner.step(state, Event(str(action), tuple(parameters)))
    return state


def possible(state: State, **constants: Plain) -> set[Chosen]:
    """Return what may happen in a state."""
    runner = Runner(specification.world(**{**SMALL, **constants}))
    return {(event.action, *event.arguments) for event in runner.events(state)}


STARTED = (("record_is_missing", FIRST), ("execution_is_planned", FIRST))
EMITTED = ("item_is_emitted", FIRST, SOURCE, COUNTER)
COUNTED = ("item_is_counted", FIRST, SOURCE, COUNTER)
SAVED = (
    ("source_saves_its_state", FIRST, SOURCE),
    ("barrier_arrives", FIRST, SOURCE, COUNTER),
    ("counter_saves_its_state", FIRST, COUNTER),
)


def begun(cleared: int, is_terminal: bool = False, is_missed: bool = False) -> tuple[Chosen, ...]:
    """Return the beginning of a snapshot into a map."""
    return (
        ("id_is_taken", FIRST),
        ("map_is_cleared", FIRST, cleared, is_missed),
        ("snapshot_begins", FIRST, is_terminal),
    )


def written(ending: Ending = Ending.BACKED) -> tuple[Chosen, ...]:
    """Return the ends of both writes."""
    return ("source_chunk_ends", 0, SOURCE, Ending.BACKED), ("counter_chunk_ends", 0, COUNTER, ending)


VALIDATED = (*STARTED, EMITTED, COUNTED, *begun(FIRST), *SAVED, *written(), ("snapshot_is_validated", FIRST, False))
COMMITTED = (*VALIDATED, ("commit_is_sent", FIRST))
RECORDED = (*COMMITTED, ("snapshot_is_recorded", FIRST, False), ("map_is_cleared", FIRST, SECOND, False))
BARE = (
    *(*STARTED, EMITTED, COUNTED, *begun(FIRST), *SAVED, *written(Ending.BARE)),
    *(("snapshot_is_validated", FIRST, False), ("commit_is_sent", FIRST), ("snapshot_is_recorded", FIRST, False)),
)


def test_without_a_snapshot_the_job_begins_from_nothing() -> None:
    state = after(
        *STARTED, EMITTED, ("member_ends", FIRST), ("record_is_read", SECOND, 0), ("execution_is_planned", SECOND)
    )

    assert (state["underway"][0].coordinator, state["underway"][0].offset) == (SECOND, (0,))


def test_a_recorded_snapshot_is_restored_by_the_next_coordinator() -> None:
    state = after(*RECORDED, ("member_ends", FIRST), ("record_is_read", SECOND, 2), ("execution_is_planned", SECOND))

    run = state["underway"][0]
    assert (run.restored, run.offset, run.counted, state["exposed"]) == (0, (1,), ((1,),), False)


def test_nobody_reads_a_record_that_is_older_than_what_was_confirmed() -> None:
    assert ("record_is_read", SECOND, 1) not in possible(after(*RECORDED, ("member_ends", FIRST)))


def test_the_two_maps_take_turns() -> None:
    assert ("map_is_cleared", FIRST, SECOND, False) in possible(after(*RECORDED, ("id_is_taken", FIRST)))
    assert ("map_is_cleared", FIRST, FIRST, False) not in possible(after(*RECORDED, ("id_is_taken", FIRST)))


def test_an_input_past_its_barrier_is_left_alone_exactly_once() -> None:
    ahead = (*STARTED, *begun(FIRST), *SAVED[:2], EMITTED)

    assert COUNTED not in possible(after(*ahead))
    assert COUNTED in possible(after(*ahead, guarantee=Guarantee.AT_LEAST_ONCE))


def test_what_was_written_without_a_second_copy_may_be_lost_once_somebody_ends() -> None:
    stopped = (*BARE, ("execution_stops", FIRST))
    found = ("job_is_found_corrupted", FIRST)

    assert found not in possible(after(*stopped, strict=False), strict=False)
    assert found in possible(after(*stopped, ("member_ends", SECOND), strict=False), strict=False)


def test_what_has_second_copies_is_not_corrupted_by_one_end() -> None:
    state = after(*RECORDED, ("execution_stops", FIRST), ("member_ends", SECOND), strict=False)

    assert ("job_is_found_corrupted", FIRST) not in possible(state, strict=False)


def test_a_second_end_exposes_unless_an_execution_was_planned_in_between() -> None:
    ends = ("member_ends", FIRST), ("member_ends", SECOND)
    planned = ("record_is_read", SECOND, 2), ("execution_is_planned", SECOND)

    assert after(*RECORDED, *ends)["exposed"]
    assert not after(*RECORDED, ends[0], *planned, ends[1])["exposed"]


def test_a_completed_job_is_not_planned_again() -> None:
    completed = after(*STARTED, EMITTED, COUNTED, ("execution_completes", FIRST), items=1)

    assert ("execution_is_planned", FIRST) not in possible(completed, items=1)


def test_in_later_versions_the_next_coordinator_knows_of_every_id_begun() -> None:
    ended = after(*VALIDATED, ("member_ends", FIRST))

    assert {one for one in possible(ended) if str(one[0]).startswith("record_")} == {
        ("record_is_read", member, 1) for member in (SECOND, 2)
    }


def test_as_delivered_an_id_whose_write_missed_its_backup_is_forgotten() -> None:
    ended = after(*STARTED, *begun(FIRST, is_missed=True), ("member_ends", FIRST), strict=False)

    assert ("record_is_missing", SECOND) in possible(ended, strict=False)


def test_in_later_versions_no_write_of_a_record_misses_its_backup() -> None:
    assert ("map_is_cleared", FIRST, FIRST, True) not in possible(after(*STARTED, ("id_is_taken", FIRST)))


def test_a_failed_write_fails_the_snapshot_and_its_map_is_cleared() -> None:
    state = after(*STARTED, EMITTED, COUNTED, *begun(FIRST), *SAVED, *written(Ending.FAILED), ("snapshot_fails", FIRST))

    assert ("map_is_cleared", FIRST, FIRST, False) in possible(state)
    assert state["phase"][FIRST] is Phase.FAILED


def test_a_record_in_doubt_stops_the_execution_and_is_written_again() -> None:
    doubted = after(*COMMITTED, ("commit_is_in_doubt", FIRST))
    state = after(
        *COMMITTED, ("commit_is_in_doubt", FIRST), ("broken_execution_stops", FIRST), ("execution_is_planned", FIRST)
    )

    assert ("broken_execution_stops", FIRST) in possible(doubted)
    assert (state["in_doubt"], state["confirmed"], state["underway"][0].restored) == (True, 4, 0)


def test_an_execution_whose_terminal_snapshot_failed_has_to_stop() -> None:
    late: dict[str, Plain] = {"at_once": False, "members": 1}
    planned = (
        *STARTED,
        *(("source_is_planned", FIRST, SOURCE, FIRST), ("counter_is_planned", FIRST, COUNTER, FIRST)),
        *(("member_takes_part", FIRST, 0), ("execution_starts", FIRST), *begun(FIRST, is_terminal=True)),
        *(*SAVED[:1], ("source_chunk_ends", 0, SOURCE, Ending.FAILED), *SAVED[1:], ("snapshot_fails", FIRST)),
    )
    state = after(*planned, ("map_is_cleared", FIRST, FIRST, False), **late)

    assert EMITTED not in possible(state, **late)
    assert ("broken_execution_stops", FIRST) in possible(state, **late)


def test_a_record_that_a_late_commit_wrote_names_what_was_cleared_since() -> None:
    """As delivered: every write that anybody heard of was acknowledged, and the cluster was safe before each end."""
    late = (*COMMITTED, ("member_ends", FIRST), ("record_is_read", SECOND, 0), ("execution_is_planned", SECOND))
    failed = (("id_is_taken", SECOND), ("record_is_not_written", SECOND), ("map_is_cleared", SECOND, FIRST, False))
    state = after(*late, *failed, ("member_ends", SECOND), ("record_is_read", 2, 1), strict=False)

    assert (state["exposed"], state["misses_left"]) == (False, SMALL["misses"])
    assert ("job_is_found_corrupted", 2) in possible(state, strict=False)
