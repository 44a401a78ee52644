"""The rules of replication, one small story each."""

from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import Plain, State
from gridproof_model.specifications.replication import ANY_TABLES, Transfer, specification
from gridproof_model.specifications.replication.state import Kind

SMALL: dict[str, Plain] = {"members": 4, "writes": 4, "mail_capacity": 4, "migrations": 2, "refusals": 1}
ANY: dict[str, Plain] = {**ANY_TABLES, "members": 3, "changes": 4, "moves": 4}
PRIMARY, FIRST, SECOND, SPARE = range(4)
"""Members of slots 0, 1 and 2, and one without."""
WRITE = ("primary_executes_write", PRIMARY, 0)


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


GAP = (WRITE, WRITE, ("message_is_lost", FIRST, 0), ("gapped_update_is_applied", FIRST, 0))
"""The first backup misses write 1 and applies write 2."""
ASKED = (*GAP, ("sync_is_requested", FIRST, 0))
OVERTAKEN = (*ASKED, WRITE, WRITE, ("request_is_answered", PRIMARY, 0), ("answer_is_installed", FIRST, 2))
"""It is answered at version 4, before updates 3 and 4."""
PRIMARY_GONE = (("member_ends", PRIMARY), ("ended_member_is_removed", PRIMARY))
FIRST_GONE = (("member_ends", FIRST), ("ended_member_is_removed", FIRST))


def test_a_write_raises_every_entry_of_the_vector_even_without_backups() -> None:
    state = after(*FIRST_GONE, WRITE, endings=2)

    assert state["replica"][PRIMARY].versions == (1, 1)


def test_the_caller_waits_for_sync_backups_only() -> None:
    assert after(WRITE, watched_write=1)["expected"] == 1


def test_an_update_to_a_dead_member_is_waited_for_in_vain() -> None:
    state = after(("member_ends", FIRST), WRITE, watched_write=1)

    assert (state["expected"], state["mail"][FIRST]) == (1, ())


def test_a_live_backup_beyond_a_hole_is_passed_over() -> None:
    state = after(*FIRST_GONE, WRITE, members=3, watched_write=1)

    assert (state["expected"], state["mail"][SECOND]) == (0, ())


def test_the_next_update_is_applied_and_acknowledged() -> None:
    state = after(WRITE, ("next_update_is_applied", FIRST, 0), watched_write=1)

    assert (state["replica"][FIRST].versions, state["replica"][FIRST].content) == ((1, 1), 1)
    assert (state["received"], state["acknowledged"][FIRST]) == (1, True)


def test_an_async_backup_acknowledges_nothing() -> None:
    assert after(WRITE, ("next_update_is_applied", SECOND, 0), watched_write=1)["received"] == 0


def test_a_backup_keeps_no_version_of_hotter_slots() -> None:
    assert after(WRITE, ("next_update_is_applied", SECOND, 0))["replica"][SECOND].versions == (0, 1)


def test_a_gapped_update_is_applied_at_once_and_is_a_reason_to_ask() -> None:
    backup = after(*GAP)["replica"][FIRST]

    assert (backup.content, backup.versions, backup.is_dirty, backup.has_reason) == (2, (2, 2), True, True)


def test_a_stale_update_changes_nothing() -> None:
    state = after(*OVERTAKEN, ("stale_update_is_dropped", FIRST, 0))

    assert state["replica"] == after(*OVERTAKEN)["replica"]


def test_an_equal_put_is_applied_again_without_harm_and_an_increment_is_counted_twice() -> None:
    steps = (*OVERTAKEN, ("stale_update_is_dropped", FIRST, 0), ("equal_update_is_applied", FIRST, 0))
    puts, increments = after(*steps), after(*steps, transfer=Transfer.OPERATION)

    assert puts["replica"][FIRST].content == puts["replica"][PRIMARY].content == 4
    assert (increments["replica"][PRIMARY].content, increments["replica"][FIRST].content) == (4, 5)


def test_a_normal_message_waits_for_the_urgent_one() -> None:
    state = after(*ASKED, WRITE, ("request_is_answered", PRIMARY, 0))

    assert ("next_update_is_applied", FIRST, 0) not in possible(state)
    assert ("next_update_is_applied", FIRST, 0) in possible(state, urgent_first=False)


def test_a_check_finds_a_lost_update() -> None:
    checked = (WRITE, ("message_is_lost", FIRST, 0), ("primary_sends_check", PRIMARY, 0))

    assert after(*checked, ("check_finds_difference", FIRST, 0))["replica"][FIRST].has_reason


def test_an_answer_replaces_content_and_versions_and_cleans() -> None:
    backup = after(*OVERTAKEN)["replica"][FIRST]

    assert (backup.content, backup.versions, backup.is_dirty) == (4, (4, 4), False)


def test_a_backup_that_is_turned_down_forgets_that_it_asked() -> None:
    state = after(*ASKED, ("request_is_turned_down", PRIMARY, 0), ("retry_is_received", FIRST, 0))

    assert (state["replica"][FIRST].is_dirty, state["asked"][FIRST]) == (True, (None, None))


def test_a_lost_request_keeps_its_backup_from_asking_until_it_expires() -> None:
    lost = (*ASKED, ("message_is_lost", PRIMARY, 0), ("primary_sends_check", PRIMARY, 0))
    checked = (*lost, ("check_finds_difference", FIRST, 0))

    assert ("sync_is_requested", FIRST, 0) not in possible(after(*checked))
    assert ("sync_is_requested", FIRST, 0) in possible(after(*checked, ("sync_expires", FIRST, 0)))


def test_the_lowest_survivor_is_promoted_and_leaves_a_hole() -> None:
    state = after(WRITE, ("next_update_is_applied", FIRST, 0), *PRIMARY_GONE, ("lowest_is_promoted", FIRST, 0))

    assert state["table"] == (FIRST, None, SECOND)
    assert (state["replica"][FIRST].versions, state["replica"][FIRST].content) == ((1, 1), 1)


def test_promotion_from_a_colder_slot_fills_the_hotter_entries() -> None:
    applied = (WRITE, ("next_update_is_applied", SECOND, 0))
    state = after(*applied, *FIRST_GONE, *PRIMARY_GONE, ("lowest_is_promoted", SECOND, 1), endings=2)

    assert state["replica"][SECOND].versions == (1, 1)


def test_messages_of_a_removed_primary_are_refused_and_a_sync_with_it_is_cancelled() -> None:
    state = after(WRITE, *PRIMARY_GONE)

    assert {one for one in possible(state) if one[1:] == (FIRST, 0)} >= {("message_is_refused", FIRST, 0)}
    assert ("next_update_is_applied", FIRST, 0) not in possible(state)
    assert after(*ASKED, *PRIMARY_GONE)["asked"][FIRST] == (None, None)


def test_who_learns_late_still_takes_what_a_dead_primary_sent() -> None:
    late = (WRITE, *PRIMARY_GONE)

    assert ("next_update_is_applied", SECOND, 0) in possible(after(*late, late=True), late=True)
    assert ("next_update_is_applied", SECOND, 0) not in possible(
        after(*late, ("table_is_learned", SECOND), late=True), late=True
    )


def test_a_spare_gets_content_and_versions_and_follows() -> None:
    replica = after(WRITE, *FIRST_GONE, ("spare_gets_a_copy", SPARE, PRIMARY, 1))["replica"][SPARE]

    assert (replica.versions, replica.content, replica.follows) == ((1, 1), 1, True)


def test_a_shifted_backup_refuses_what_names_its_old_slot() -> None:
    state = after(WRITE, *FIRST_GONE, ("backup_is_shifted_up", SECOND, PRIMARY, 1))

    assert (state["table"], state["replica"][SECOND].versions) == ((PRIMARY, SECOND, None), (1, 1))
    assert ("message_is_refused", SECOND, 0) in possible(state)


def test_a_backup_shifted_down_keeps_its_content_and_forgets_hotter_versions() -> None:
    second_gone = (("member_ends", SECOND), ("ended_member_is_removed", SECOND))
    applied = (WRITE, ("next_update_is_applied", FIRST, 0), WRITE)
    state = after(*second_gone, *applied, ("backup_is_shifted_down", FIRST, PRIMARY, 2))

    assert state["table"] == (PRIMARY, SPARE, FIRST)
    assert [state["replica"][one].versions for one in (SPARE, FIRST)] == [(2, 2), (0, 1)]


def test_a_partition_without_survivors_starts_empty_at_a_member_without_a_slot() -> None:
    second_gone = (("member_ends", SECOND), ("ended_member_is_removed", SECOND))
    state = after(WRITE, *FIRST_GONE, *second_gone, *PRIMARY_GONE, ("lost_partition_is_assigned", SPARE), endings=3)

    assert (state["table"], state["replica"][SPARE].content) == ((SPARE, None, None), 0)


def test_who_gets_another_slot_acts_on_nothing_before_it_has_cut_its_replica_down() -> None:
    moved = (
        WRITE,
        ("slot_is_emptied", SECOND, 2),
        ("slot_is_emptied", SECOND, 1),
        ("slot_is_learned", SECOND, 1, SECOND),
    )
    state = after(*moved, **ANY)

    assert not state["settled"][SECOND]
    assert not {one for one in possible(state, **ANY) if one[0] == "next_update_is_applied" and one[1] == SECOND}
    assert after(*moved, ("replica_is_cut_down", SECOND, 1), **ANY)["settled"][SECOND]


def test_who_gets_a_hotter_slot_without_a_copy_follows_no_more() -> None:
    applied = (WRITE, ("next_update_is_applied", SECOND, 0))
    moved = (("slot_is_emptied", SECOND, 2), ("slot_is_emptied", SECOND, 1), ("slot_is_learned", SECOND, 1, SECOND))

    assert after(*applied, **ANY)["replica"][SECOND].follows
    assert not after(*applied, *moved, ("replica_is_cut_down", SECOND, 1), **ANY)["replica"][SECOND].follows


def test_an_answer_to_who_had_the_address_before_is_none_to_its_successor() -> None:
    asked = (WRITE, ("primary_sends_check", PRIMARY, 0), ("check_finds_difference", FIRST, 1))
    over = (*asked, ("sync_is_requested", FIRST, 0), ("request_is_answered", PRIMARY, 0), ("member_ends", FIRST))
    before = after(*over, **ANY)
    assert [message.kind for message in before["mail"][FIRST]] == [Kind.UPDATE, Kind.ANSWER]

    reached = ("message_reaches_successor", FIRST, SECOND)
    assert [message.kind for message in after(*over, reached, reached, **ANY)["mail"][SECOND]].count(Kind.ANSWER) == 0


def test_nobody_sends_an_update_to_itself() -> None:
    moved = (("slot_is_emptied", PRIMARY, 1), ("slot_is_emptied", PRIMARY, 0), ("slot_is_learned", PRIMARY, 1, PRIMARY))

    assert ("slot_is_learned", PRIMARY, 0, PRIMARY) not in possible(after(*moved, **ANY), **ANY)
