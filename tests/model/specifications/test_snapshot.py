"""The rules of snapshots, one small story each."""

from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import Plain, State
from gridproof_model.specifications.snapshot import Guarantee, Job, Phase, specification

SMALL: dict[str, Plain] = {"snapshots": 3, "crashes": 2, "misses": 2}
FIRST, SECOND = 0, 1
"""Partitions, with their sources and counters; also the members that own them."""
THIRD = 2

Chosen = tuple[Plain, ...]


def after(*steps: Chosen, guarantee: Guarantee = Guarantee.EXACTLY_ONCE, **constants: Plain) -> State:
    """Return the state after these steps, each an action and its parameters."""
    runner = Runner(specification.world(**{**SMALL, **constants}))
    state = next(state for state in runner.initial_states() if state["guarantee"] == guarantee)
    for action, *parameters in (("job_is_submitted",), *steps):
        state = runner.step(state, Event(str(action), tuple(parameters)))
    return state


def possible(state: State, **constants: Plain) -> set[Chosen]:
    """Return what may happen in a state."""
    runner = Runner(specification.world(**{**SMALL, **constants}))
    return {(event.action, *event.arguments) for event in runner.events(state)}


BEGUN = ("snapshot_begins", False)
ITEM = (("source_emits_item", FIRST, FIRST), ("counter_counts_item", FIRST, FIRST))
SAVED = (
    BEGUN,
    ("source_saves_its_state", FIRST),
    ("source_saves_its_state", SECOND),
    ("barrier_arrives", FIRST, FIRST),
    ("barrier_arrives", FIRST, SECOND),
    ("counter_saves_its_state", SECOND, FIRST),
    ("counter_saves_its_state", SECOND, SECOND),
)
BACKED_UP = (
    ("source_chunk_is_backed_up", FIRST),
    ("source_chunk_is_backed_up", SECOND),
    ("counter_chunk_is_backed_up", FIRST),
    ("counter_chunk_is_backed_up", SECOND),
)
VALIDATED = (*SAVED, *BACKED_UP, ("snapshot_is_validated", False))
RECORDED = (*VALIDATED, ("snapshot_is_recorded", False), ("older_map_is_cleared",))
FIRST_IS_LOST = (("member_is_lost", FIRST), ("new_backup_is_created", FIRST, THIRD))


def test_a_lost_member_is_followed_by_its_backup_and_the_job_stops() -> None:
    state = after(("member_is_lost", FIRST))

    assert (state["owner"], state["keeper"], state["job"]) == ((SECOND, SECOND), (None, THIRD), Job.STOPPED)


def test_a_stopped_job_waits_until_every_partition_has_its_backup() -> None:
    assert ("job_goes_on",) not in possible(after(("member_is_lost", FIRST)))
    assert ("job_goes_on",) in possible(after(*FIRST_IS_LOST))


def test_without_a_snapshot_the_job_begins_from_nothing() -> None:
    state = after(*ITEM, *FIRST_IS_LOST, ("job_goes_on",))

    assert (state["execution"].offset, state["execution"].counted) == ((0, 0), ((0, 0), (0, 0)))


def test_a_recorded_snapshot_is_restored_from_promoted_backups() -> None:
    state = after(*ITEM, *RECORDED, *FIRST_IS_LOST, ("job_goes_on",))

    assert (state["restored"], state["execution"].offset) == (1, (1, 0))
    assert state["execution"].counted == ((1, 0), (0, 0))


def test_the_two_maps_take_turns() -> None:
    assert after(*RECORDED)["memory"].map == 1
    assert after(*RECORDED, *RECORDED)["memory"].map == 0


def test_the_older_map_is_cleared_once_the_record_is_written() -> None:
    second = (*RECORDED, *VALIDATED, ("snapshot_is_recorded", False))

    assert after(*second)["primary_ledger"].validated == (2, 1)
    assert after(*second, ("older_map_is_cleared",))["primary_ledger"].validated == (2, 0)


def test_an_input_past_its_barrier_is_left_alone_exactly_once() -> None:
    ahead = (
        BEGUN,
        ("source_saves_its_state", FIRST),
        ("barrier_arrives", FIRST, FIRST),
        ("source_emits_item", FIRST, FIRST),
    )

    assert ("counter_counts_item", FIRST, FIRST) not in possible(after(*ahead))
    assert ("counter_counts_item", FIRST, FIRST) in possible(after(*ahead, guarantee=Guarantee.AT_LEAST_ONCE))


def test_at_least_once_an_item_after_the_barrier_is_counted_again() -> None:
    state = after(
        BEGUN,
        ("source_saves_its_state", FIRST),
        ("barrier_arrives", FIRST, FIRST),
        *ITEM,
        ("source_saves_its_state", SECOND),
        ("barrier_arrives", FIRST, SECOND),
        ("counter_saves_its_state", SECOND, FIRST),
        ("counter_saves_its_state", SECOND, SECOND),
        *BACKED_UP,
        ("snapshot_is_validated", False),
        ("snapshot_is_recorded", False),
        *FIRST_IS_LOST,
        ("job_goes_on",),
        *ITEM,
        guarantee=Guarantee.AT_LEAST_ONCE,
    )

    assert state["execution"].counted[FIRST][FIRST] == 2


MISSED = (
    *SAVED,
    *BACKED_UP[:2],
    ("counter_chunk_misses_its_backup", FIRST),
    ("counter_chunk_is_backed_up", SECOND),
)


def test_a_missed_backup_is_a_success_and_the_snapshot_is_corrupted_by_one_loss() -> None:
    state = after(
        *MISSED,
        ("snapshot_is_validated", False),
        ("snapshot_is_recorded", False),
        *FIRST_IS_LOST,
        ("job_is_found_corrupted",),
    )

    assert (state["memory"].recorded, state["job"]) == (1, Job.CORRUPTED)


def test_in_later_versions_a_missed_backup_fails_the_snapshot() -> None:
    state = after(*MISSED, ("snapshot_fails",), fails_on_indeterminate=True)

    assert (state["memory"].recorded, state["memory"].ongoing) == (0, 1)
    assert state["execution"].phase == Phase.NONE


def test_in_later_versions_an_unsure_validation_fails_the_snapshot() -> None:
    state = after(*SAVED, *BACKED_UP, ("validation_is_indeterminate",), fails_on_indeterminate=True)

    assert (state["memory"].recorded, state["primary_ledger"].validated) == (0, (0, 0))


def test_in_later_versions_an_unsure_record_makes_the_job_restart_and_is_written_again() -> None:
    unsure = (*VALIDATED, ("record_is_indeterminate",))
    state = after(*unsure, ("anti_entropy_repairs_backup", FIRST), ("job_goes_on",), fails_on_indeterminate=True)

    assert after(*unsure, fails_on_indeterminate=True)["backup_ledger"].record.recorded == 0
    assert (state["backup_ledger"].record.recorded, state["restored"]) == (1, 1)


def test_anti_entropy_repairs_a_missed_chunk_before_it_is_needed() -> None:
    state = after(
        *MISSED,
        ("anti_entropy_repairs_backup", FIRST),
        ("snapshot_is_validated", False),
        ("snapshot_is_recorded", False),
        *FIRST_IS_LOST,
    )

    assert ("job_goes_on",) in possible(state)


def test_a_failed_snapshot_takes_its_id_with_it() -> None:
    state = after(*RECORDED, BEGUN, *FIRST_IS_LOST, ("job_goes_on",), BEGUN)

    assert (state["memory"].recorded, state["memory"].ongoing) == (1, 3)


def test_a_new_coordinator_with_an_old_record_uses_an_id_twice() -> None:
    state = after(("snapshot_begins", True), *FIRST_IS_LOST, ("job_goes_on",), BEGUN)

    assert (state["memory"].ongoing, state["begun"]) == (1, 1)


def test_a_coordinator_that_lives_on_remembers_what_the_stored_record_lost() -> None:
    state = after(*VALIDATED, ("snapshot_is_recorded", True), ("member_is_lost", SECOND), records_at=SECOND)

    assert (state["primary_ledger"].record.recorded, state["memory"].recorded) == (0, 1)


def test_a_new_coordinator_reads_the_stored_record() -> None:
    state = after(*VALIDATED, ("snapshot_is_recorded", True), ("member_is_lost", FIRST))

    assert (state["primary_ledger"].record.recorded, state["memory"].recorded) == (0, 0)


def test_a_partition_without_a_backup_begins_anew_and_empty() -> None:
    state = after(*RECORDED, ("member_is_lost", FIRST), ("member_is_lost", SECOND))

    assert (state["owner"], state["was_exposed"]) == ((THIRD, THIRD), True)
    assert state["primary_ledger"].record.recorded == 0
