"""The findings about replication, as short as can be."""

from collections.abc import Iterator
from functools import cache

import pytest
from _pytest.mark import ParameterSet

from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.replication import ANY_TABLES, Transfer, specification
from gridproof_properties.explorer import Exploration, explore
from gridproof_properties.explorer.search import Limits
from gridproof_properties.judging.verdict import Result
from tests.properties.careless_worlds import without_update

pytestmark = pytest.mark.xdist_group("findings about replication")
"""One process explores each world once."""

CALM: dict[str, Plain] = {"endings": 0, "losses": 0}
PROMOTION: dict[str, Plain] = {**CALM, "members": 4, "endings": 1}
TWO_MEMBERS: dict[str, Plain] = {**CALM, "members": 2, "backups": 1, "losses": 1, "mail_capacity": 3}
PUTS_AFTER_A_PROMOTION: dict[str, Plain] = {**PROMOTION, "entries_held": 2, "watched_write": 1}
A_LOST_INCREMENT: dict[str, Plain] = {**TWO_MEMBERS, "transfer": Transfer.OPERATION}
AN_INCREMENT_AFTER_A_PROMOTION: dict[str, Plain] = {**PROMOTION, "transfer": Transfer.OPERATION}
A_MIGRATED_INCREMENT: dict[str, Plain] = {**PROMOTION, "writes": 3, "migrations": 1, "transfer": Transfer.OPERATION}
FREE_LANES: dict[str, Plain] = {**TWO_MEMBERS, "urgent_first": False, "endings": 1}
LATE: dict[str, Plain] = {**CALM, "late": True, "suspicions": 1, "watched_write": 1}

NONE_OF_THESE = ("changes", "moves", "checks", "refusals", "losses", "endings")
ANY_ROWS: dict[str, Plain] = {
    **ANY_TABLES, **dict.fromkeys(NONE_OF_THESE, 0), "members": 2, "backups": 1, "writes": 1, "watched_write": 1,
}  # fmt: skip


LONGEST = 13
"""Steps of a story; beyond them nothing is looked at."""


def story(world: dict[str, Plain], claim: str) -> list[tuple[Event | None, State]]:
    """Return a shortest way to see an anomaly."""
    return list(explored(tuple(world.items())).verdict(claim).witness)


@cache
def explored(world: tuple[tuple[str, Plain], ...]) -> Exploration:
    return explore(specification.world(**dict(world)), limits=Limits(depth=LONGEST))


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
    ("world", "claim", "steps"),
    [
        (PUTS_AFTER_A_PROMOTION, "equal_versions_hide_a_difference", 8),
        (A_LOST_INCREMENT, "an_operation_counts_twice", 9),
        pytest.param(
            AN_INCREMENT_AFTER_A_PROMOTION, "equal_versions_hide_a_difference", 8, marks=pytest.mark.nightly
        ),
        pytest.param(
            {**LATE, "endings": 1}, "one_crash_and_a_suspicion_lose_an_acknowledged_write", 6,
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            {**LATE, "backups": 1, "migrations": 1}, "a_deposed_primary_lacks_an_acknowledged_write", 5,
            marks=pytest.mark.nightly,
        ),
        (LATE, "a_suspicion_makes_a_backup_ask_for_a_sync", 5),
    ],
)  # fmt: skip
def test_a_belief_falls_in_so_many_steps(world: dict[str, Plain], claim: str, steps: int) -> None:
    assert len(story(world, claim)) - 1 == steps


def test_anti_entropy_never_repairs_what_equal_versions_hide() -> None:
    _, end = story(PUTS_AFTER_A_PROMOTION, "equal_versions_hide_a_difference")[-1]
    following = list(reachable(PUTS_AFTER_A_PROMOTION, end))

    assert {state["replica"][1].content for state in following} == {end["replica"][1].content}
    assert {state["replica"][2].content for state in following} == {end["replica"][2].content}
    assert end["replica"][1].content != end["replica"][2].content


def test_an_increment_counts_twice_after_a_promotion_without_any_loss() -> None:
    events = [event.action for event, _ in story(AN_INCREMENT_AFTER_A_PROMOTION, "an_operation_counts_twice") if event]

    assert events[-2:] == ["answer_is_installed", "equal_update_is_applied"]


def test_an_increment_counts_twice_after_a_migration_while_the_primary_stays() -> None:
    stays: list[tuple[str, tuple[int, ...]]] = [
        ("member_ends", (2,)),
        ("ended_member_is_removed", (2,)),
        ("primary_executes_write", (0, 0)),
        ("backup_is_shifted_down", (1, 0, 2)),
        ("message_is_refused", (1, 0)),
        ("primary_executes_write", (0, 0)),
        ("gapped_update_is_applied", (1, 0)),
        ("sync_is_requested", (1, 1)),
        ("primary_executes_write", (0, 0)),
        ("request_is_answered", (0, 0)),
        ("answer_is_installed", (1, 1)),
        ("equal_update_is_applied", (1, 0)),
    ]
    world = specification.world(**A_MIGRATED_INCREMENT)
    *_, (_, end) = Runner(world).replay(next(world.initial_states()), [Event(*one) for one in stays])

    assert (end["replica"][0].content, end["replica"][1].content) == (3, 4)
    assert end["replica"][0].versions[1] == end["replica"][1].versions[1]


def test_with_free_lanes_an_acknowledged_write_dies_with_the_primary() -> None:
    runner = Runner(specification.world(**FREE_LANES))
    _, state = story(FREE_LANES, "an_answer_undoes_an_acknowledged_write")[-1]
    assert state["received"] == 1
    for event in (Event("member_ends", (0,)), Event("ended_member_is_removed", (0,))):
        state = runner.step(state, event)

    state = runner.step(state, Event("lowest_is_promoted", (1, 0)))
    assert state["replica"][1].content < 2


def test_a_call_that_waited_for_all_it_was_asked_to_has_no_backup_while_one_lives() -> None:
    world = {**PROMOTION, "members": 3, "watched_write": 1}
    _, end = story(world, "a_call_succeeds_without_any_backup")[-1]

    assert (end["expected"], end["received"]) == (0, 0)
    assert end["table"] == (0, None, 2)


def by_night(action: str, world: dict[str, Plain], steps: int) -> ParameterSet:
    return pytest.param(action, world, steps, marks=pytest.mark.nightly)


@pytest.mark.parametrize(
    ("action", "world", "steps"),
    [
        by_night("slot_is_learned", {**ANY_ROWS, "changes": 2}, 3),
        by_night("primary_executes_write", {**ANY_ROWS, "changes": 2}, 3),
        by_night("unrecorded_write_is_sent", {**ANY_ROWS, "changes": 2, "endings": 1}, 4),
        ("replica_begins_anew", {**ANY_ROWS, "moves": 1}, 2),
        by_night("replica_is_copied", {**ANY_ROWS, "changes": 2, "moves": 3, "endings": 1}, 7),
        by_night("structure_is_destroyed", {**ANY_ROWS, "moves": 1}, 2),
        ("lowest_is_promoted", LATE, 3),
        ("lost_partition_is_assigned", {**CALM, "backups": 1, "writes": 1, "watched_write": 1, "endings": 2}, 6),
    ],
)
def test_each_cause_by_which_a_write_may_be_lost_is_needed(action: str, world: dict[str, Plain], steps: int) -> None:
    whole = specification.world(**world)
    careless = without_update(whole, action, "may_be_lost")
    assert careless.actions != whole.actions

    found = explore(careless).verdict("a_write_survives_promotions_of_clean_backups")

    assert found.result is Result.BROKEN
    assert len(found.witness) - 1 == steps
