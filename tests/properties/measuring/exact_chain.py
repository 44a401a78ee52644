"""A chain by plain values, fractions, and sixty digits.

States and steps come from the run reading, equations are solved in fractions, probabilities within a time in decimals.
It shares nothing with the matrices but the rates' meaning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction

from gridproof_model.language import State, World
from gridproof_model.language.rates import Immediate, Rate, Staged, Timed
from gridproof_model.language.run import Runner

Goes = dict[State, Fraction]
Goal = Callable[[State], bool]
DIGITS = 60


class TooLargeError(Exception):
    """More states than fractions are pleasant for."""


@dataclass
class ExactChain:
    """A world with rates; a state with an immediate step that changes something is left at once."""

    world: World
    rates: Mapping[str, Rate]
    states_max: int = 60
    runner: Runner = field(init=False)
    timed: dict[State, Goes] = field(init=False, default_factory=dict)
    immediate: dict[State, Goes] = field(init=False, default_factory=dict)
    counts: dict[State, dict[str, Fraction]] = field(init=False, default_factory=dict)
    """Of each state the rate at which each timed action happens."""

    def __post_init__(self) -> None:
        """Walk through every state."""
        self.runner = Runner(self.world)
        waiting = list(self.runner.initial_states())
        while waiting:
            state = waiting.pop()
            if state in self.timed:
                continue
            if len(self.timed) >= self.states_max:
                raise TooLargeError
            waiting += self._look(state)

    def _look(self, state: State) -> list[State]:
        timed: Goes = defaultdict(Fraction)
        immediate: Goes = defaultdict(Fraction)
        counts: dict[str, Fraction] = defaultdict(Fraction)
        for event in self.runner.events(state):
            after = self.runner.step(state, event)
            match self.rates[event.action]:
                case Timed(per_second=rate):
                    counts[event.action] += Fraction(rate)
                    if rate and after != state:
                        timed[after] += Fraction(rate)
                case Immediate(weight=weight):
                    if after != state:
                        immediate[after] += Fraction(weight)
                case Staged():
                    raise NotImplementedError
        self.timed[state], self.immediate[state], self.counts[state] = dict(timed), dict(immediate), dict(counts)
        return [*timed, *immediate]

    def start(self) -> Goes:
        """Return the probability of each initial state."""
        states = list(self.runner.initial_states())
        goes: Goes = defaultdict(Fraction)
        for state in states:
            goes[state] += Fraction(1, len(states))
        return dict(goes)

    def chances(self, state: State, goal: Goal) -> Goes:
        """Return where a state leads next, by probability, timed or not; nothing follows a goal."""
        ways = {} if goal(state) else self.immediate[state] or self.timed[state]
        total = sum(ways.values(), Fraction())
        return {after: way / total for after, way in ways.items()}

    def stay_s(self, state: State) -> Fraction:
        """Return how long a state lasts."""
        ways = self.timed[state]
        return Fraction() if self.immediate[state] or not ways else 1 / sum(ways.values(), Fraction())

    def ever(self, goal: Goal) -> Fraction:
        """Return the probability of coming to a goal."""
        hit = self._solve(goal, lambda state: Fraction(int(goal(state))))
        return sum((share * hit[state] for state, share in self.start().items()), Fraction())

    def expected_s(self, goal: Goal) -> Fraction | None:
        """Return the expected time to a goal; None where it is not sure to be reached."""
        if self.ever(goal) != 1:
            return None
        left = self._solve(goal, lambda state: Fraction() if goal(state) else self.stay_s(state))
        return sum((share * left[state] for state, share in self.start().items()), Fraction())

    def share(self, goal: Goal) -> Fraction:
        """Return the share of time spent in a goal in the long run."""
        total = Fraction()
        for part in self._final_parts():
            weight = self.ever(lambda state, part=part: state in part)  # type: ignore[misc]
            total += weight * self._share_in(part, goal)
        return total

    def within(self, goal: Goal, time_s: float) -> Decimal:
        """Return the probability of coming to a goal within a time; no state may be left at once."""
        with localcontext() as context:
            context.prec = DIGITS
            exits = {state: _decimal(sum(ways.values(), Fraction())) for state, ways in self.timed.items()}
            fastest = max((*exits.values(), Decimal(1)))
            mean = fastest * Decimal(time_s)
            now = {state: _decimal(share) for state, share in self.start().items()}
            weight, result, total, step = (-mean).exp(), Decimal(), Decimal(), 0
            while step < mean or weight > Decimal(10) ** -50:
                result += weight * sum((now[state] for state in now if goal(state)), Decimal())
                total += weight
                after: dict[State, Decimal] = defaultdict(Decimal)
                for state, share in now.items():
                    if goal(state):
                        after[state] += share
                        continue
                    after[state] += share * (fastest - exits[state]) / fastest
                    for other, rate in self.timed[state].items():
                        after[other] += share * _decimal(rate) / fastest
                now, step = after, step + 1
                weight *= mean / step
            return result / total

    def _solve(self, goal: Goal, amount: Callable[[State], Fraction]) -> dict[State, Fraction]:
        """Return the least x with x = amount + mean of x over what follows."""
        useful = self._from_where({state for state in self.timed if amount(state)}, goal)
        rows = {
            state: (
                {after: chance for after, chance in self.chances(state, goal).items() if after in useful},
                amount(state),
            )
            for state in useful
        }
        for state in list(rows):
            ways, constant = rows[state]
            again = 1 - ways.pop(state, Fraction())
            rows[state] = {after: chance / again for after, chance in ways.items()}, constant / again
            for other in rows:
                if other != state:
                    rows[other] = _substituted(rows[other], state, rows[state])
        return {state: rows[state][1] if state in rows else Fraction() for state in self.timed}

    def _from_where(self, ends: Collection[State], goal: Goal) -> list[State]:
        found = set(ends)
        while True:
            more = {s for s in self.timed if s not in found and found & self.chances(s, goal).keys()}
            if not more:
                return [state for state in self.timed if state in found]
            found |= more

    def _final_parts(self) -> list[frozenset[State]]:
        ahead = {state: self._ahead(state) for state in self.timed}
        return list({frozenset(seen) for seen in ahead.values() if all(ahead[other] == seen for other in seen)})

    def _ahead(self, state: State) -> frozenset[State]:
        found, waiting = {state}, [state]
        while waiting:
            following = self.chances(waiting.pop(), lambda _: False)
            waiting += [after for after in following if after not in found]
            found |= following.keys()
        return frozenset(found)

    def _share_in(self, part: frozenset[State], goal: Goal) -> Fraction:
        home = next(iter(part))
        if len(part) == 1:
            return Fraction(int(goal(home)))

        def cycle(counted: Goal) -> Fraction:
            inner = ExactChain._solve(
                _Cut(self, part, home), lambda _: False, lambda s: self.stay_s(s) if counted(s) else Fraction()
            )
            return inner[home]

        return cycle(goal) / cycle(lambda _: True)


class _Cut(ExactChain):
    """A recurrent part in which nothing comes back to a home: going home ends a cycle."""

    def __init__(self, whole: ExactChain, part: frozenset[State], home: State) -> None:
        self.whole, self.part, self.home = whole, part, home
        self.timed = {state: whole.timed[state] for state in part}

    def chances(self, state: State, goal: Goal) -> Goes:
        """Return where a state leads next within the cycle."""
        return {a: chance for a, chance in self.whole.chances(state, goal).items() if a != self.home}


def _substituted(row: tuple[Goes, Fraction], state: State, known: tuple[Goes, Fraction]) -> tuple[Goes, Fraction]:
    ways, constant = row
    if state not in ways:
        return row
    ways = dict(ways)
    share = ways.pop(state)
    for after, chance in known[0].items():
        ways[after] = ways.get(after, Fraction()) + share * chance
    return ways, constant + share * known[1]


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)
