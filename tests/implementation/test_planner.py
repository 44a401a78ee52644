"""The planner on the documented cases."""

import pytest

from gridproof_implementation.placement.plan import apply_migration
from gridproof_implementation.placement.planner import plan, plan_row, prioritise, remove_cycles
from gridproof_model.membership import MemberId
from gridproof_model.migration import Migration, MigrationError
from gridproof_model.partition_table import PartitionRow
from tests.implementation.placement_worlds import letter_of, letters_of, row, table_of

CASES = [
    ("move", "ABC", "ABD", ["move C2>- D->2"]),
    ("move the primary", "AB", "CB", ["move A0>- C->0"]),
    ("copy", "AB", "ABC", ["copy C->2"]),
    ("removal", "ABC", "AB", ["removal C2>-"]),
    ("lost partition", "", "AB", ["owner assignment A->0", "copy B->1"]),
    ("shift down into an empty slot", "AB", "CBA", ["shift down A0>2 C->0"]),
    ("shift down at once", "A", "BA", ["shift down A0>1 B->0"]),
    ("shift down blocked, so two moves", "ABC", "DAE", ["move A0>- D->0", "move B1>- A->1", "move C2>- E->2"]),
    ("shift up into an empty slot", "A-C", "AC", ["shift up C2>1"]),
    ("a chain, coldest first", "ABCD", "BCD", ["shift up, replacing C2>- D3>2", "move B1>- C->1", "move A0>- B->0"]),
    ("up over two, then a move", "ABCD", "ADE", ["shift up, replacing B1>- D3>1", "move C2>- E->2"]),
    ("shift up over an unwanted occupant", "ABC", "AC", ["shift up, replacing B1>- C2>1"]),
    ("shift up and down at once", "A-C", "CA", ["shift up and down A0>1 C2>0"]),
    ("two separate moves", "ABCD", "ABEF", ["move C2>- E->2", "move D3>- F->3"]),
    ("nothing to do", "ABC", "ABC", []),
]


@pytest.mark.parametrize(("old", "new", "steps"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_documented_cases_are_planned_as_documented(old: str, new: str, steps: list[str]) -> None:
    assert [describe(step) for step in plan_row(0, row(old), row(new))] == steps


CYCLES = [
    ("two change places", "AB", "BA", "AB"),
    ("three in a ring", "ABC", "CAB", "ABC"),
    ("two rings", "ABCD", "BADC", "ABCD"),
    ("a ring beside a fixed point", "ABC", "CBA", "ABC"),
    ("a ring beside a move", "ABC", "BAD", "ABD"),
    ("no ring: one goes, one moves up", "ABC", "BCD", "BCD"),
    ("no ring: a hole in between", "AB-", "-AB", "-AB"),
]


@pytest.mark.parametrize(("old", "new", "fixed"), [case[1:] for case in CYCLES], ids=[case[0] for case in CYCLES])
def test_rings_are_cancelled_and_nothing_else(old: str, new: str, fixed: str) -> None:
    assert letters_of(remove_cycles(row(old), row(new))) == fixed


ORDERS = [
    ("a copy goes first", ["B1>- C->1", "D->3"], [1, 0]),
    ("copies keep their order", ["B->1", "C->2"], [0, 1]),
    ("a free shift up goes first", ["B1>- C->1", "D4>3"], [1, 0]),
    ("not past the step that sends its replica out", ["B1>- C->1", "B->3"], [0, 1]),
    ("not past the step that brings its replica in", ["B1>- C->1", "C3>2"], [0, 1]),
    ("past a shift down to a colder slot", ["B1>2 C->1", "D->3"], [1, 0]),
    ("not past a source that gets the hotter slot", ["B2>1 C->2", "D->3"], [0, 1]),
]


@pytest.mark.parametrize(("steps", "order"), [case[1:] for case in ORDERS], ids=[case[0] for case in ORDERS])
def test_gaining_replicas_comes_first_where_it_may(steps: list[str], order: list[int]) -> None:
    migrations = [migration_of(step) for step in steps]

    assert list(prioritise(migrations)) == [migrations[index] for index in order]


def test_a_row_without_primary_is_not_planned() -> None:
    with pytest.raises(MigrationError, match="promote a backup before planning"):
        plan(table_of([row("-B")]), (row("AB"),))


def test_a_target_keeps_a_primary() -> None:
    with pytest.raises(MigrationError, match="put a member into slot 0"):
        plan(table_of([row("AB")]), (row("-B"),))


@pytest.mark.parametrize("step", ["C1>- D->1", "A0>- B->1", "B1>- C2>1"])
def test_a_migration_that_does_not_fit_the_row_is_refused(step: str) -> None:
    with pytest.raises(MigrationError):
        apply_migration(PartitionRow().with_slots(row("AB")), migration_of(step))


def test_a_plan_does_removals_at_once_and_queues_the_rest() -> None:
    todo = plan(table_of([row("ABC"), row("AB"), row("")]), (row("DB"), row("AB"), row("CB")))

    assert [letters_of(r.slots) for r in todo.table.rows] == ["AB", "AB", "C"]
    assert {p: [describe(step) for step in queue] for p, queue in todo.queues.items()} == {
        0: ["move A0>- D->0"],
        2: ["copy B->1"],
    }


def test_an_immediate_change_counts_one_version() -> None:
    todo = plan(table_of([row("ABC"), row("")]), (row("AB"), row("CB")))

    assert todo.table.versions == (4, 1)


def describe(step: Migration) -> str:
    """A migration in one line: kind, then who goes from which slot to which."""
    source = shift(step.source, step.source_index, step.source_new_index)
    return f"{step.kind.value}{source}{shift(step.destination, step.destination_index, step.destination_new_index)}"


def shift(who: MemberId | None, before: int | None, after: int | None) -> str:
    slots = ["-" if slot is None else str(slot) for slot in (before, after)]
    return "" if who is None else f" {letter_of(who)}{'>'.join(slots)}"


def migration_of(shifts: str) -> Migration:
    """The migration of "source destination", or of "destination" alone."""
    *source, destination = shifts.split(" ")
    leaving = parts_of(source[0]) if source else (None, None, None)
    return Migration(0, *leaving, *parts_of(destination))


def parts_of(text: str) -> tuple[MemberId | None, int | None, int | None]:
    who, before, after = text[0], text[1], text[3]
    return row(who)[0], None if before == "-" else int(before), None if after == "-" else int(after)
