"""The search for one order that explains a history.

The search is just-in-time linearization, depth first (Lowe, "Testing for linearizability", 2017; Wing and Gong, 1993).
A configuration consists of a state, the open operations that have taken effect, and the unseen operations that have
taken effect. An operation takes effect as late as possible: in the round in which it returns, or in which another
operation that needs it returns. Four rules keep the search small:

- a read takes effect as soon as a state allows it, which never excludes a solution;
a configuration that used fewer unseen operations can do all that an otherwise equal configuration can do;
- equal unseen operations are used in one fixed order;
- if the model can look ahead, a state that cannot lead to the next read is dropped.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from gridproof_properties.linearizability.history import IMPOSSIBLE, Automaton, Bit, Round, TimedOperation
from gridproof_properties.linearizability.sequential import SequentialModel

STEPS_AT_ONCE, OPEN_AT_ONCE = 4, 64
"""The weight of a configuration grows by 1 for each STEPS_AT_ONCE updates that may be next, and by 1 for each
OPEN_AT_ONCE pairs of an open update and an open read, since all of these are looked at."""
Configuration = tuple[int, int, int, int]
"""A configuration: its round and state, the open operations that have taken effect (bits), and the unseen ones
(bits)."""


@dataclass(frozen=True, slots=True)
class Found:
    """How a search ended."""

    explained: bool | None
    """Whether an order was found; None if the effort ran out."""
    effort: int
    """The number of configurations that were searched; a configuration with many next steps counts several times."""
    stuck_at: int | None
    """The number of the operation that no configuration got past; None unless the history is refuted."""
    stuck_states: tuple[int, ...] = ()
    """The states that were possible before that operation."""


def is_explained_by_returns(model: SequentialModel, operations: Sequence[TimedOperation]) -> bool:
    """Whether the order of the returns explains a history, as it usually does; if it does not, another order may.

    In the order of returns, an operation that returned before another operation began comes first. An operation that
    did not return counts as one without effect.
    """
    returned = [operation for operation in operations if operation.end is not None]
    returned.sort(key=lambda operation: operation.end or 0)
    state: Hashable | None = model.initial
    for recorded in returned:
        state = model.step(state, recorded.operation, recorded.result)
        if state is None:
            return False
    return True


def search(automaton: Automaton, rounds: Sequence[Round], effort_max: int) -> Found:
    """Return whether some order explains all rounds; the effort limits memory, at about 300 bytes per unit."""
    return _Search(automaton, rounds).run(effort_max)


class _Search:
    def __init__(self, automaton: Automaton, rounds: Sequence[Round]) -> None:
        self._automaton = automaton
        self._steps = automaton.steps
        self._compute = automaton.compute
        self._leads_to = automaton.leads_to
        self._rounds = rounds
        self._seen: list[dict[tuple[int, int], list[int]]] = [{} for _ in rounds]
        """For each round, state, and set of open operations in effect: the smallest sets of unseen operations met."""
        self._stack: list[Configuration] = []
        self._farthest = 0
        self._dropped: dict[int, set[int]] = {}
        """For each round, the states that cannot lead to the outlook of the round."""

    def run(self, effort_max: int) -> Found:
        effort = 0
        done = self._enter(0, 0, 0, 0)
        while not done and self._stack:
            if effort + self._automaton.weight >= effort_max:
                return Found(None, effort, None)
            taken = self._stack.pop()
            at = self._rounds[taken[0]]
            next_steps, pairs = len(at.updates) + len(at.lost), len(at.updates) * len(at.reads)
            effort += 1 + next_steps // STEPS_AT_ONCE + pairs // OPEN_AT_ONCE
            done = self._expand(*taken)
        if done:
            return Found(True, effort, None)
        return self._describe_stuck(effort)

    def _describe_stuck(self, effort: int) -> Found:
        at = self._rounds[self._farthest]
        kept = {state for state, _ in self._seen[self._farthest]}
        dropped = self._dropped.get(self._farthest, set())
        stuck = at.outlook.place if at.outlook is not None and not kept else at.operation
        return Found(False, effort, stuck, tuple(sorted(kept | dropped)))

    def _expand(self, place: int, state: int, done: Bit, lost: Bit) -> bool:
        """Let each open update take effect next, in turn; return whether this explained the last round."""
        this, steps = self._rounds[place], self._steps[state]
        for kind, bits in this.lost:
            unused = next((bit for bit in bits if not lost & bit), None)
            if unused is None:
                continue
            after = steps[kind] if kind in steps else self._compute(state, kind)
            if after not in (IMPOSSIBLE, state) and self._reach(place, after, done, lost | unused):
                return True
        for bit, kind in this.updates:
            if not done & bit:
                after = steps[kind] if kind in steps else self._compute(state, kind)
                if after != IMPOSSIBLE and self._reach(place, after, done | bit, lost):
                    return True
        return False

    def _reach(self, place: int, state: int, done: Bit, lost: Bit) -> bool:
        """Add a configuration that is in the middle of a round."""
        this, steps = self._rounds[place], self._steps[state]
        for bit, kind in this.reads:
            if not done & bit and (steps[kind] if kind in steps else self._compute(state, kind)) != IMPOSSIBLE:
                done |= bit
        if done & this.returning:
            return self._enter(place + 1, state, done ^ this.returning, lost)
        self._remember(place, state, done, lost)
        return False

    def _enter(self, place: int, state: int, done: Bit, lost: Bit) -> bool:
        """Take a configuration into a round, and on through all further rounds in which it need not change."""
        steps = self._steps[state]
        while place < len(self._rounds):
            this = self._rounds[place]
            for bit, kind in this.new_reads:
                if (steps[kind] if kind in steps else self._compute(state, kind)) != IMPOSSIBLE:
                    done |= bit
            if not done & this.returning:
                self._remember(place, state, done, lost)
                return False
            done ^= this.returning
            place += 1
        return True

    def _remember(self, place: int, state: int, done: Bit, lost: Bit) -> None:
        """Keep a configuration for later, unless a configuration that can do as much was met before."""
        met = self._seen[place].get((state, done))
        if met is None:
            outlook = self._rounds[place].outlook
            if outlook is not None and (
                state in (dropped := self._dropped.setdefault(place, set())) or not self._leads_to(state, outlook)
            ):
                self._farthest = max(self._farthest, place)
                dropped.add(state)
                return
            self._seen[place][state, done] = [lost]
        elif any(other & lost == other for other in met):
            return
        else:
            met.append(lost)
        self._farthest = max(self._farthest, place)
        self._stack.append((place, state, done, lost))
