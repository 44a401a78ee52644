"""Two specifications, stepped through at once: whatever the one does, the other may do."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from gridproof_model.language import State
from gridproof_model.language.run import Event, Runner


class Paired(Hashable, Protocol):
    """A state of each."""

    @property
    def abstract(self) -> State: ...


@dataclass(frozen=True, slots=True)
class Pair:
    """A state of each, where nothing else need be known."""

    abstract: State
    concrete: State


P = TypeVar("P", bound=Paired)


def assert_in_step(
    abstract: Runner, start: P, stepped: Callable[[P, Event, State], P], difference: Callable[[P], str | None]
) -> None:
    """Go through every state; `stepped` lets the other one do what an event is there, `difference` says where not."""
    seen, todo, steps = {start}, [start], 0
    while todo:
        pair = todo.pop()
        for event in abstract.events(pair.abstract):
            after = stepped(pair, event, abstract.step(pair.abstract, event))
            steps += 1
            assert difference(after) is None, f"{abstract.describe(event)}: {difference(after)}"
            if after not in seen:
                seen.add(after)
                todo.append(after)
    assert steps > len(seen) > 100
