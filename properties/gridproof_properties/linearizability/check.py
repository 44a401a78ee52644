"""One call: is this history linearizable?

Linearizability is local: a history of many keys is linearizable exactly when that of each key is (Herlihy and Wing,
1990). Keys are tried with little effort first and with more later, so that one key with a short refutation is found
however hard the others are.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gridproof_properties.linearizability.history import Automaton, TimedOperation, compile_rounds
from gridproof_properties.linearizability.search import Found, search
from gridproof_properties.linearizability.sequential import SequentialModel
from gridproof_properties.verdict import Result

Key = TypeVar("Key", bound=Hashable)
FIRST_EFFORT = 200
EFFORT_GROWTH = 10
DEFAULT_EFFORT = 2_000_000
"""About 600 MB at worst."""


@dataclass(frozen=True, slots=True)
class Linearization:
    """What was found about a history of several keys."""

    result: Result
    effort: int
    """Configurations looked at, all keys together."""
    key: Hashable = None
    """The key that no order explains, or the first that was too hard."""
    unexplained: TimedOperation | None = None
    """The operation that returned what no order explains."""
    open_then: tuple[TimedOperation, ...] = ()
    """The operations that overlap it."""
    states: tuple[Hashable, ...] = ()
    """What the key could hold before it."""


def check_linearizable(
    model: SequentialModel,
    histories: Mapping[Key, Sequence[TimedOperation]],
    effort_max: int = DEFAULT_EFFORT,
) -> Linearization:
    """Judge the operations of each key; unknown when a key needs more than `effort_max` configurations."""
    todo: dict[Key, Sequence[TimedOperation]] = dict(histories)
    allowed, spent = min(FIRST_EFFORT, effort_max), 0
    while todo:
        hard: dict[Key, Sequence[TimedOperation]] = {}
        see_ahead = allowed > FIRST_EFFORT  # it costs more than an easy history takes
        for key, operations in todo.items():
            automaton = Automaton(model)
            found = search(automaton, compile_rounds(automaton, model, operations, see_ahead=see_ahead), allowed)
            spent += found.effort
            if found.explained is False:
                return _refuted(key, operations, automaton, found, spent)
            if found.explained is None:
                hard[key] = operations
        if hard and allowed >= effort_max:
            return Linearization(Result.UNKNOWN, spent, next(iter(hard)))
        todo, allowed = hard, min(allowed * EFFORT_GROWTH, effort_max)
    return Linearization(Result.HOLDS, spent)


def _refuted(
    key: Hashable, operations: Sequence[TimedOperation], automaton: Automaton, found: Found, spent: int
) -> Linearization:
    assert found.stuck_at is not None, "what is refuted got stuck somewhere"
    stuck = operations[found.stuck_at]
    assert stuck.end is not None, "only an operation that returned can get stuck"
    overlap = tuple(
        op
        for op in operations
        if op is not stuck and op.start <= stuck.end and (op.end is None or op.end >= stuck.start)
    )
    states = tuple(automaton.states[state] for state in found.stuck_states)
    return Linearization(Result.BROKEN, spent, key, stuck, overlap, states)
