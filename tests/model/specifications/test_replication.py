"""The rules of replication, one small story each."""

from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import Plain, State
from gridproof_model.specifications.replication import Transfer, specification

SMALL: dict[str, Plain] = {"members": 4, "writes": 4, "losses": 2, "lane_capacity": 4}
WRITE = ("primary_executes_write", 0)
FIRST, SECOND = 0, 1
"""The backups in slots 1 and 2."""


def after(*steps: tuple[Plain, ...], **constants: Plain) -> State:
    """Return the state after these steps, each an action and its parameters."""
    runner = Runner(specification.world(**{**SMALL, **constants}))
    (state,) = runner.initial_states()
    for action, *parameters in steps:
        state = runner.step(state, Event(str(action), tuple(parameters)))
    return state


def possible(state: State, **constants: Plain) -> set[tuple[Plain, ...]]:
    """Return what may happen in a state."""
    runner = Runner(specification.world(**{**SMALL, **constants}))
    return {(event.action, *event.arguments) for event in runner.events(state)}


GAP = (WRITE, WRITE, ("normal_message_is_lost", FIRST), ("gapped_backup_message_is_applied", FIRST))
"""The first backup misses write 1 and applies write 2."""
OVERTAKEN = (*GAP, WRITE, WRITE, ("primary_answers", FIRST), ("answer_is_applied", FIRST))
"""It is answered at version 4, before backup messages 3 and 4."""
PRIMARY_GONE = (("primary_crashes",), ("crashed_primary_is_removed",))
FIRST_GONE = (("backup_crashes", FIRST), ("crashed_backup_is_removed", FIRST))


def test_a_write_raises_every_entry_of_the_vector_even_without_backups() -> None:
    state = after(*FIRST_GONE, ("backup_crashes", SECOND), ("crashed_backup_is_removed", SECOND), WRITE)

    assert state["primary"].versions == (1, 1)


def test_the_caller_waits_for_sync_backups_only() -> None:
    assert after(WRITE)["expected"] == 1


def test_a_backup_message_to_a_dead_member_is_waited_for_in_vain() -> None:
    state = after(("backup_crashes", FIRST), WRITE)

    assert (state["expected"], len(state["link"][FIRST].normal)) == (1, 0)


def test_a_live_backup_beyond_a_hole_is_passed_over() -> None:
    state = after(*FIRST_GONE, WRITE, members=3)

    assert (state["expected"], len(state["link"][SECOND].normal)) == (0, 0)


def test_the_next_backup_message_is_applied_and_acknowledged() -> None:
    state = after(WRITE, ("next_backup_message_is_applied", FIRST))

    assert state["backup_replica"][FIRST].versions == (1, 1)
    assert (state["backup_replica"][FIRST].content, state["received"]) == ((1,), 1)


def test_an_async_backup_acknowledges_nothing() -> None:
    assert after(WRITE, ("next_backup_message_is_applied", SECOND))["received"] == 0


def test_a_backup_keeps_no_version_of_hotter_slots() -> None:
    assert after(WRITE, ("next_backup_message_is_applied", SECOND))["backup_replica"][SECOND].versions == (0, 1)


def test_a_gapped_backup_message_is_applied_at_once_and_makes_the_backup_ask() -> None:
    backup = after(*GAP)["backup_replica"][FIRST]

    assert (backup.content, backup.versions, backup.is_dirty, backup.is_syncing) == ((2,), (2, 2), True, True)


def test_a_stale_backup_message_changes_nothing() -> None:
    before = after(*OVERTAKEN)
    state = after(*OVERTAKEN, ("stale_backup_message_is_dropped", FIRST))

    assert state["backup_replica"] == before["backup_replica"]
    assert state["received"] == before["received"]


def test_an_equal_put_is_applied_again_without_harm() -> None:
    steps = (*OVERTAKEN, ("stale_backup_message_is_dropped", FIRST), ("equal_backup_message_is_applied", FIRST))

    assert after(*steps)["backup_replica"][FIRST].content == after(*steps)["primary"].content


def test_an_equal_increment_is_counted_again() -> None:
    steps = (*OVERTAKEN, ("stale_backup_message_is_dropped", FIRST), ("equal_backup_message_is_applied", FIRST))

    assert after(*steps, transfer=Transfer.OPERATION)["backup_replica"][FIRST].content == (5,)


def test_a_normal_message_waits_for_the_urgent_one() -> None:
    state = after(*GAP, WRITE, ("primary_answers", FIRST))

    assert ("next_backup_message_is_applied", FIRST) not in possible(state)
    assert ("next_backup_message_is_applied", FIRST) in possible(state, urgent_first=False)


def test_a_check_behind_the_backup_messages_finds_agreement() -> None:
    state = after(
        WRITE,
        ("primary_sends_check", FIRST),
        ("next_backup_message_is_applied", FIRST),
        ("check_is_compared", FIRST),
    )

    assert not state["backup_replica"][FIRST].is_syncing


def test_a_check_finds_a_lost_backup_message() -> None:
    state = after(
        WRITE,
        ("normal_message_is_lost", FIRST),
        ("primary_sends_check", FIRST),
        ("check_is_compared", FIRST),
    )

    assert state["link"][FIRST].request == FIRST


def test_an_answer_replaces_content_and_versions_and_cleans() -> None:
    state = after(*OVERTAKEN)
    backup = state["backup_replica"][FIRST]

    assert (backup.content, backup.versions) == (state["primary"].content, (4, 4))
    assert (backup.is_dirty, backup.is_syncing) == (False, False)


def test_a_backup_that_is_asked_to_try_again_forgets_that_it_asked() -> None:
    backup = after(*GAP, ("primary_turns_request_down", FIRST), ("retry_is_received", FIRST))["backup_replica"][FIRST]

    assert (backup.is_dirty, backup.is_syncing) == (True, False)


def test_a_lost_request_keeps_its_backup_from_asking_until_it_expires() -> None:
    lost = (*GAP, ("request_is_lost", FIRST))
    check = (("primary_sends_check", FIRST), ("check_is_compared", FIRST))

    assert after(*lost, *check)["link"][FIRST].request is None
    assert after(*lost, ("registration_expires", FIRST), *check)["link"][FIRST].request == FIRST


def test_the_lowest_survivor_is_promoted_and_leaves_a_hole() -> None:
    state = after(WRITE, ("next_backup_message_is_applied", FIRST), *PRIMARY_GONE, ("backup_is_promoted", FIRST))

    assert (state["primary"].versions, state["primary"].content) == ((1, 1), (1,))
    assert [backup.standing.value for backup in state["backup_replica"]] == ["empty", "up"]


def test_a_colder_backup_waits_for_hotter_ones_to_be_removed() -> None:
    state = after(("backup_crashes", FIRST), *PRIMARY_GONE)

    assert ("backup_is_promoted", SECOND) not in possible(state)


def test_promotion_from_a_colder_slot_fills_the_hotter_entries() -> None:
    applied = (WRITE, ("next_backup_message_is_applied", SECOND))
    state = after(*applied, *FIRST_GONE, *PRIMARY_GONE, ("backup_is_promoted", SECOND))

    assert state["primary"].versions == (1, 1)


def test_messages_of_a_removed_primary_are_void() -> None:
    assert after(WRITE, *PRIMARY_GONE)["link"][FIRST].normal == ()


def test_a_sync_with_a_removed_primary_is_cancelled() -> None:
    assert not after(*GAP, *PRIMARY_GONE)["backup_replica"][FIRST].is_syncing


def test_a_copied_replica_gets_content_and_versions() -> None:
    state = after(WRITE, *FIRST_GONE, ("replica_is_copied", FIRST))

    assert (state["backup_replica"][FIRST].versions, state["backup_replica"][FIRST].content) == ((1, 1), (1,))
    assert state["spares"] == 0


def test_a_shifted_replica_refuses_what_names_its_old_slot() -> None:
    shifted = (WRITE, *FIRST_GONE, ("replica_is_shifted_up", SECOND, FIRST))

    assert after(*shifted)["backup_replica"][FIRST].versions == (1, 1)
    assert after(*shifted, ("message_for_another_slot_is_dropped", FIRST))["link"][FIRST].normal == ()


def test_a_replica_is_shifted_up_only_when_its_urgent_messages_have_arrived() -> None:
    waiting = (
        *FIRST_GONE,
        WRITE,
        WRITE,
        ("normal_message_is_lost", SECOND),
        ("gapped_backup_message_is_applied", SECOND),
    )

    assert ("replica_is_shifted_up", SECOND, FIRST) not in possible(after(*waiting))
    assert ("replica_is_shifted_up", SECOND, FIRST) in possible(after(*waiting, ("request_is_lost", SECOND)))


def test_a_replica_shifted_down_keeps_its_content_and_forgets_hotter_versions() -> None:
    second_gone = (("backup_crashes", SECOND), ("crashed_backup_is_removed", SECOND))
    applied = (WRITE, ("next_backup_message_is_applied", FIRST), WRITE)
    state = after(*second_gone, *applied, ("replica_is_shifted_down", FIRST, SECOND))
    newcomer, holder = state["backup_replica"]

    assert (newcomer.versions, newcomer.content) == ((2, 2), (2,))
    assert (holder.versions, holder.content) == ((0, 1), (1,))
    assert state["link"][SECOND].normal[0].index == FIRST


def test_a_partition_without_survivors_starts_empty_at_a_member_without_a_slot() -> None:
    second_gone = (("backup_crashes", SECOND), ("crashed_backup_is_removed", SECOND))
    state = after(WRITE, *FIRST_GONE, *second_gone, *PRIMARY_GONE, ("lost_partition_is_assigned",))

    assert (state["primary"].content, state["primary"].versions) == ((0,), (0, 0))
