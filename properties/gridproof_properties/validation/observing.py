"""What observation tables are written in: events that are one action, and what they state of the state after it."""

from collections.abc import Callable

from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event
from gridproof_properties.validation.engine import NO_SUCH_ACTION, Agrees, Observation, agrees_always, no_actions


def always(action: str, *arguments: Plain, agrees: Agrees = agrees_always) -> Observation:
    """Return an event that is one action, whatever the state."""
    # By position: most observations are made here, and names of arguments take twice as long.
    return Observation(no_actions, agrees, NO_SUCH_ACTION, Event(action, arguments))


def differs(what: str, said: object, is_so: object) -> str | None:
    """Return a sentence where an event says something else than the state."""
    return None if said == is_so else f"it states {what} {said}, and the specification says {is_so}"


def says(*stated: tuple[str, object, Callable[[State], object]]) -> Agrees:
    """Return whether an event states what is so after it: each time what, as stated, and as read from the state."""

    def agrees(state: State) -> str | None:
        for what, said, read in stated:
            if said != (is_so := read(state)):
                return differs(what, said, is_so)
        return None

    return agrees
