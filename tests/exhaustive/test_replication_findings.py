"""The findings about replication, as short as can be."""

from collections.abc import Iterator

import pytest

from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.replication import Transfer, specification
from gridproof_properties.explorer import explore

CALM: dict[str, Plain] = {"writes": 2, "crashes": 0, "losses": 0, "refusals": 0, "migrations": 0}
PROMOTION: dict[str, Plain] = {**CALM, "members": 4, "crashes": 1}
TWO_MEMBERS: dict[str, Plain] = {**CALM, "members": 2, "async_backups": 0, "losses": 1}
PUTS_AFTER_A_PROMOTION: dict[str, Plain] = {**PROMOTION, "entries_held": 2}
A_LOST_INCREMENT: dict[str, Plain] = {**TWO_MEMBERS, "transfer": Transfer.OPERATION}
AN_INCREMENT_AFTER_A_PROMOTION: dict[str, Plain] = {**PROMOTION, "transfer": Transfer.OPERATION}
A_MIGRATED_INCREMENT: dict[str, Plain] = {
    **PROMOTION,
    "writes": 3,
    "migrations": 1,
    "transfer": Transfer.OPERATION,
}
FREE_LANES: dict[str, Plain] = {**TWO_MEMBERS, "urgent_first": False, "watched_write": 2, "crashes": 1}


def story(world: dict[str, Plain], claim: str) -> list[tuple[Event | None, State]]:
    """Return a shortest way to see an anomaly."""
    return list(explore(specification.world(**world)).verdict(claim).witness)


def reachable(world: dict[str, Plain], start: State) -> Iterator[State]:
    """Yield every state that can follow."""
    runner = Runner(specification.world(**world))
    seen, frontier = {start}, [start]
    while frontier:
        state = frontier.pop()
        yield state
        following = {runner.step(state, event) for event in runner.events(state)} - seen
        seen |= following
        frontier += following


@pytest.mark.parametrize(
    ("world", "steps"),
    [(PUTS_AFTER_A_PROMOTION, 7), (A_LOST_INCREMENT, 8), (AN_INCREMENT_AFTER_A_PROMOTION, 7)],
)
def test_equal_versions_hide_a_difference(world: dict[str, Plain], steps: int) -> None:
    assert len(story(world, "equal_versions_hide_a_difference")) - 1 == steps


def test_anti_entropy_never_repairs_what_equal_versions_hide() -> None:
    _, end = story(PUTS_AFTER_A_PROMOTION, "equal_versions_hide_a_difference")[-1]

    assert {state["backup_replica"][1].content for state in reachable(PUTS_AFTER_A_PROMOTION, end)} == {(1, 2)}
    assert {state["primary"].content for state in reachable(PUTS_AFTER_A_PROMOTION, end)} == {(0, 2)}


def test_an_increment_counts_twice_after_a_promotion_without_any_loss() -> None:
    events = [event.action for event, _ in story(AN_INCREMENT_AFTER_A_PROMOTION, "an_operation_counts_twice") if event]

    assert events[-2:] == ["answer_is_applied", "equal_backup_message_is_applied"]


def test_an_increment_counts_twice_after_a_migration_while_the_primary_stays() -> None:
    world = specification.world(**A_MIGRATED_INCREMENT)
    stays = [
        "backup_crashes",
        "crashed_backup_is_removed",
        "primary_executes_write",
        "replica_is_shifted_down",
        "message_for_another_slot_is_dropped",
        "primary_executes_write",
        "gapped_backup_message_is_applied",
        "primary_executes_write",
        "primary_answers",
        "answer_is_applied",
        "equal_backup_message_is_applied",
    ]
    choices = [(1,), (1,), (0,), (0, 1), (1,), (0,), (1,), (0,), (1,), (1,), (1,)]
    *_, (_, end) = Runner(world).replay(next(world.initial_states()), list(map(Event, stays, choices)))

    assert (end["primary"].content, end["backup_replica"][1].content) == ((3,), (4,))
    assert end["primary"].versions[1] == end["backup_replica"][1].versions[1]


def test_with_free_lanes_an_acknowledged_write_dies_with_the_primary() -> None:
    runner = Runner(specification.world(**FREE_LANES))
    _, state = story(FREE_LANES, "an_answer_undoes_an_acknowledged_write")[-1]
    assert state["received"] == 1
    for event in (Event("primary_crashes"), Event("crashed_primary_is_removed"), Event("backup_is_promoted", (0,))):
        state = runner.step(state, event)

    assert state["primary"].content == (1,)


def test_a_call_that_waited_for_all_it_was_asked_to_has_no_backup_while_one_lives() -> None:
    _, end = story({**PROMOTION, "members": 3}, "a_call_succeeds_without_any_backup")[-1]

    assert (end["expected"], end["received"]) == (0, 0)
    assert [backup.standing.value for backup in end["backup_replica"]] == ["empty", "up"]
