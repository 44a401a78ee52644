"""Why a specification refuses an action, for people; and what is shown of the steps that a behaviour has taken.

Which guard was false, where it is written, in which state, and which action would have made it true.
"""

from collections.abc import Iterable
from itertools import chain, groupby, islice

from gridproof_model.language import State
from gridproof_model.language.domains import IndexSet
from gridproof_model.language.notation import Notation
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.specification import variables_in
from gridproof_model.language.values import show
from gridproof_properties.judging.refusal import Occurrence, Recorded

CURES_SHOWN = 3
LONGEST_CURE = 2
STEPS_TRIED = 3_000
"""Steps that the search for a cure takes; large worlds have thousands from each state."""
_NOTATION = Notation()


def explain(runner: Runner, state: State, event: Event) -> tuple[str, ...]:
    """Return why an event may not happen in a state, a sentence each; nothing when it may."""
    misfit = runner.misfit(event)
    if misfit is not None:
        return (misfit,)
    number = runner.refusal(state, event)
    if number is None:
        return ()
    action = runner.world.action(event.action)
    guard, domains = action.guards[number], {one.name: one.domain for one in runner.world.variables}
    place = f" ({action.at.rsplit('/', 1)[-1]})" if action.at else ""
    cures = [", then ".join(map(runner.describe, path)) for path in _cures(runner, state, event, number)]
    shown = "; or ".join(cures[:CURES_SHOWN]) or f"nothing that was tried, of at most {LONGEST_CURE} actions"
    return (
        f"guard {number + 1} of {runner.describe(event)}{place} is false: {_NOTATION.text(guard)}",
        *(f"there {name} = {show(domains[name], state[name])}" for name in sorted(variables_in(guard))),
        f"what would have made it true: {shown}",
    )


def _cures(runner: Runner, state: State, event: Event, number: int) -> tuple[tuple[Event, ...], ...]:
    """Return what may happen instead, at most so many actions long, after which the guard is true; shortest only."""
    paths: list[tuple[tuple[Event, ...], State]] = [((), state)]
    left = STEPS_TRIED
    for _ in range(LONGEST_CURE):
        further = (
            ((*path, other), runner.step(reached, other)) for path, reached in paths for other in runner.events(reached)
        )
        paths = list(islice(further, left))
        left -= len(paths)
        refused = ((path, runner.refusal(reached, event)) for path, reached in paths)
        cures = tuple(path for path, by in refused if by is None or by > number)
        if cures or not left:
            return cures
    return ()


Taken = tuple[Recorded | None, object, Event, State | None]
"""What was recorded, in a few words too, one step that it was, and the state before it; None: the last one led there.

States do not fit a cache: those that steps lead to are computed anew from these, where somebody asks."""


def occurrences(runner: Runner, taken: Iterable[Taken]) -> tuple[Occurrence, ...]:
    """Return what was taken, in order; several steps of one record are one occurrence."""
    grouped = groupby(taken, key=lambda one: str(one[1]) if one[0] is None else id(one[0]))
    alike = (tuple(zip(*steps, strict=True)) for _, steps in grouped)
    return tuple(occurrence(runner, recorded[0], text[0], events) for recorded, text, events, _ in alike)


def occurrence(runner: Runner, recorded: Recorded | None, text: object, events: Iterable[Event]) -> Occurrence:
    """Return something recorded with the actions that it is, or might have been."""
    different = tuple(dict.fromkeys(event for event in events if runner.misfit(event) is None))
    pairs = (zip(runner.world.action(one.action).parameters, one.arguments, strict=True) for one in different)
    named = dict.fromkeys((of.domain.name, value) for of, value in chain(*pairs) if isinstance(of.domain, IndexSet))
    return Occurrence(str(text), recorded, tuple(map(runner.describe, different)), tuple(named))
