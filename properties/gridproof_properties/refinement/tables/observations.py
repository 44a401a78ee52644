"""The observation table of `tables`: which actions an event is, and what it says of the state afterwards.

Members are named by their numbers in the run, migrations by the order in which they were ordered in the partition.
"""

from collections.abc import Collection, Iterator, Sequence

from gridproof_model.language import State
from gridproof_model.language.run import Event
from gridproof_model.specifications.tables.state import Outcome
from gridproof_properties.refinement.observing import always, differs, row_changed
from gridproof_properties.refinement.step import Slots
from gridproof_properties.validation.engine import Actions, Agrees, Observation, Text, agrees_always

Row = tuple[Slots, int]
"""Slots and version."""
NEVER_SENT = "its sender has sent no such row"


def of_migration(text: Text, action: str, member: int, agrees: Agrees = agrees_always) -> Observation:
    """Return an event of a member that is an action of some migration; it does not say of which."""

    def any_migration(state: State) -> Iterator[Event]:
        for migration, change in enumerate(state["plan"]):
            if change.master is not None:
                yield Event(action, (member, migration))

    return Observation(text, any_migration, agrees, "there is no migration that it could be of")


def has_row(member: int, row: Row) -> Agrees:
    """Return whether a member has a row."""

    def agrees(state: State) -> str | None:
        slots = differs("slots", row[0], state["row"][member])
        return slots or differs("version", row[1], state["version"][member])

    return agrees


def planned(text: Text, member: int, before: Slots, after: Slots) -> Iterator[Observation]:
    """Return what placement does to a row, a slot each; slots are cleared first."""
    return row_changed(text, member, before, after, ("master_clears_slot", "master_fills_slot"))


def put_back(text: Text, member: int, before: Slots, after: Slots) -> Iterator[Observation]:
    """Yield that whoever comes back gets its slots."""
    for slot, holder in enumerate(after):
        if holder is not None and holder != before[slot]:
            yield always(text, "master_puts_back", member, slot, holder)


def received(text: Text, member: int, sender: int, row: Row) -> tuple[Observation, ...]:
    """Return what a row may be that came with a table: a newer one, or one that makes a backup primary."""
    return tuple(
        Observation(text, as_sent(action, member, sender, row), has_row(member, row), NEVER_SENT)
        for action in ("table_arrives", "backup_is_promoted")
    )


def as_sent(action: str, member: int, sender: int, row: Row) -> Actions:
    """Return an action for the newest table that brings a row, of either sort."""

    def find(state: State) -> Iterator[Event]:
        tables, found = state["sent"][sender], set[bool]()
        for place in range(len(tables) - 1, -1, -1):
            table = tables[place]
            is_promotion = table.promotes is not None
            if (table.row, table.version) == row and is_promotion not in found:
                found.add(is_promotion)
                yield Event(action, (member, sender, place))

    return find


def fetched(text: Text, member: int, row: Row) -> Observation:
    """Return what the newest row may be: one that somebody who was asked has sent, and that may be lifted yet."""

    def find(state: State) -> Iterator[Event]:
        for other, asked_at in enumerate(state["asked_at"][member]):
            tables = state["sent"][other] if asked_at is not None else ()
            for place, table in enumerate(tables):
                if table.row == row[0] and state["version"][member] < table.version <= row[1]:
                    yield Event("newest_row_is_fetched", (member, other, place))

    return Observation(text, find, missing="nobody who was asked has such a row")


def names_followers(member: int, members: Collection[int]) -> Agrees:
    """Return whether all whom a new master lists have answered that they follow it."""

    def agrees(state: State) -> str | None:
        for other in members:
            if other != member and not state["granted"][member][other]:
                return f"it lists member {other}, which has not said that it follows it"
        return None

    return agrees


def asks(member: int, asked: Sequence[int]) -> Agrees:
    """Return whether a new master asks everybody in its list."""

    def agrees(state: State) -> str | None:
        known = [other for other, version in enumerate(state["asked_at"][member]) if version is not None]
        return differs("asked members", sorted(asked), known)

    return agrees


def ended_as(member: int, migration: int, outcome: str) -> Agrees:
    """Return whether a member knows of a migration what an event says."""
    return lambda state: differs("outcome", Outcome(outcome), state["outcomes"][member][migration])
