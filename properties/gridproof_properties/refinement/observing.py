"""What observation tables are written in: events that are one action, and what members learn, a step each."""

from collections.abc import Collection, Iterator

from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event
from gridproof_properties.refinement.step import Slots
from gridproof_properties.validation.engine import Agrees, Observation, Text, agrees_always


def always(text: Text, action: str, *arguments: Plain, agrees: Agrees = agrees_always) -> Observation:
    """Return an event that is one action, whatever the state."""
    return Observation(text, agrees=agrees, only=Event(action, arguments))


def differs(what: str, said: object, is_so: object) -> str | None:
    """Return a sentence where an event says something else than the state."""
    return None if said == is_so else f"it states {what} {said}, and the specification says {is_so}"


def row_learned(text: Text, member: int, state: State, slots: Slots) -> Iterator[Observation]:
    """Yield what a member's new row holds, a slot each; slots are emptied first."""
    before: Slots = state["row"][member]
    yield from row_changed(text, member, before, fitted(slots, len(before)), ("slot_is_emptied", "slot_is_learned"))


def row_changed(
    text: Text, member: int, before: Slots, after: Slots, actions: tuple[str, str]
) -> Iterator[Observation]:
    """Yield how a row changes, a slot each, by the actions that empty and fill one; slots are emptied first."""
    empties, fills = actions
    changed = [slot for slot, holder in enumerate(after) if holder != before[slot]]
    for slot in (slot for slot in changed if before[slot] is not None):
        yield always(text, empties, member, slot)
    for slot in changed:
        holder = after[slot]
        if holder is not None:
            yield always(text, fills, member, slot, holder)


def list_learned(text: Text, member: int, state: State, members: Collection[int], reach: int) -> Iterator[Observation]:
    """Yield what a member's new list holds, a member each; and how many backups there can be by it, as far as known."""
    for other, is_listed in enumerate(state["listed"][member]):
        if is_listed != (other in members):
            action = "member_is_removed" if is_listed else "member_is_listed"
            yield always(text, action, member, other)
    reach = min(reach, len(state["row"][member]) - 1)
    if reach != state["reach"][member]:
        yield always(text, "groups_are_counted", member, reach)


def fitted(slots: Slots, size: int) -> Slots:
    """Return a row with so many slots, of whatever length it is recorded."""
    return (*slots, *(None,) * size)[:size]
