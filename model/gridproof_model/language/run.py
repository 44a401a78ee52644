"""Runs a world on plain values: single steps, walks, replays.

This evaluator is small, slow and obvious: people read it, lock-step tests use it, and the fast evaluators are compared
with it.
"""

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice

from gridproof_model.language.changes import changes_between
from gridproof_model.language.compiled import CompiledAction, compiled
from gridproof_model.language.declarations import Action, Claim
from gridproof_model.language.errors import StepError
from gridproof_model.language.evaluate import Environment, Evaluator, evaluator
from gridproof_model.language.notation import Notation
from gridproof_model.language.specification import variables_in
from gridproof_model.language.tree import Bound, Field, Node, Operation, Update, Variable, root, walk
from gridproof_model.language.values import Plain, State, contains, membership_of_changed, values_of
from gridproof_model.language.world import World, choices_of
from gridproof_model.value import Value

CURED_BY = "the guard that forbids this action would be true after "
CURES_SHOWN, LONGEST_CURE = 3, 2
STEPS_TRIED = 3_000
"""The most steps tried in search of actions that make a guard true; large worlds allow thousands in each state."""


@dataclass(frozen=True, slots=True)
class Event(Value):
    """An action with the values chosen for its parameters."""

    action: str
    arguments: tuple[Plain, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """An update in the compiled form that `run.py` uses."""

    update: Update
    variable: str
    position: int
    """The position of this variable among all variables."""
    path: tuple[Evaluator | str, ...]
    """The path from the variable to the cell, as indices and field names."""
    value: Evaluator
    may_follow: Callable[[Plain, Plain], bool]
    """Whether the second value, after the step, is in the cell's domain; the first, before the step, is in it."""
    may_meet: bool
    """Whether the action has another update of the same variable, so that both might write the same cell."""


@dataclass(frozen=True)
class Runnable:
    """An action in the compiled form that `run.py` uses."""

    action: Action
    parameters: tuple[str, ...]
    guards: tuple[Evaluator, ...]
    changes: tuple[Change, ...]

    @cached_property
    def _values(self) -> tuple[tuple[Plain, ...], ...]:
        # The choices are computed only on demand: a given step can be taken or explained without enumerating a domain.
        return tuple(tuple(values_of(parameter.domain)) for parameter in self.action.parameters)

    @cached_property
    def _asked(self) -> tuple[tuple[Evaluator, ...], ...]:
        """The guards in their order, grouped by how many parameters have to be chosen before they can be evaluated."""
        # A guard is evaluated only if all earlier guards hold: otherwise the values that it reads may be undefined.
        needed = accumulate((_chosen_for(guard, self.parameters) for guard in self.action.guards), max)
        ready = [number if all(self._values) else len(self.parameters) for number in needed]
        return tuple(
            tuple(guard for guard, at in zip(self.guards, ready, strict=True) if at == number)
            for number in range(len(self.parameters) + 1)
        )

    def choices(self, state: State, chosen: tuple[Plain, ...] = ()) -> Iterator[tuple[Plain, ...]]:
        """Yield, in order, those choices of the parameters that begin with `chosen` and that no guard refuses."""
        bound = dict(zip(self.parameters, chosen, strict=False))
        if not all(guard(state.values, bound) for guard in self._asked[len(chosen)]):
            return
        if len(chosen) == len(self.parameters):
            yield chosen
        else:
            for value in self._values[len(chosen)]:
                yield from self.choices(state, (*chosen, value))

    def environment(self, event: Event) -> Environment:
        """Return the arguments of an event by name."""
        return dict(zip(self.parameters, event.arguments, strict=True))

    def refusal(self, state: State, bound: Environment) -> int | None:
        """Return the number of the first guard that is false; None if all are true."""
        for number, guard in enumerate(self.guards):
            if not guard(state.values, bound):
                return number
        return None


@dataclass(frozen=True)
class Runner:
    """A world through which one can go step by step."""

    world: World
    _claims: dict[Node, Evaluator] = field(default_factory=dict, repr=False, compare=False)
    _runnables: dict[str, Runnable] = field(default_factory=dict, repr=False, compare=False)
    """The actions that were used so far, by name."""
    _compiled: dict[str, CompiledAction] = field(default_factory=dict, repr=False, compare=False)

    def initial_states(self) -> Iterator[State]:
        """Yield every initial state."""
        return self.world.initial_states()

    @cached_property
    def start(self) -> State:
        """The first initial state; it is the only one unless the specification leaves initial values open."""
        return next(self.initial_states())

    def events(self, state: State, actions: Collection[str] | None = None) -> Iterator[Event]:
        """Yield every event (of `actions`, if given) that may happen in a state, in the order of declaration."""
        for action in self.world.actions if actions is None else self.world.some_actions(actions):
            yield from (Event(action.name, chosen) for chosen in self._runnable(action.name).choices(state))

    def choices(self, actions: Collection[str] | None = None) -> Iterator[Event]:
        """Yield every choice of parameters of all actions (of `actions`, if given), in the order of declaration."""
        for action in self.world.actions if actions is None else self.world.some_actions(actions):
            yield from (Event(action.name, arguments) for arguments in choices_of(action))

    def refusal(self, state: State, event: Event) -> int | None:
        """Return the number of the first guard that forbids the event in this state; None if the event may happen."""
        runnable = self._runnable(event.action)
        return runnable.refusal(state, runnable.environment(event))

    def misfit(self, event: Event) -> str | None:
        """Return which argument of an event from a record is outside its domain; None if none is."""
        parameters = self._runnable(event.action).action.parameters
        for parameter, value in zip(parameters, event.arguments, strict=True):
            if not contains(parameter.domain, value):
                return f"{event.action}: there is no {parameter.name} {value!r}"
        return None

    def step(self, state: State, event: Event) -> State:
        """Return the state after an event; StepError if the event may not happen, or leaves a domain."""
        runnable = self._runnable(event.action)
        bound = runnable.environment(event)
        refused_by = runnable.refusal(state, bound)
        if refused_by is not None:
            raise StepError(f"{self.describe(event)}: guard {refused_by + 1} does not hold in this state")
        values = list(state.values)
        touched: list[tuple[Plain, ...]] = []
        for change in runnable.changes:
            where = tuple(part if isinstance(part, str) else part(state.values, bound) for part in change.path)
            if change.may_meet:
                _refuse_twice(touched, (change.variable, *where), change.update)
            new, old = change.value(state.values, bound), cell_at(state.values[change.position], where)
            values[change.position] = _placed(values[change.position], where, new)
            # Every other cell was in its domain before the step, so only a cell that is written can leave its domain.
            if not change.may_follow(old, new):
                value = repr(values[change.position])
                raise StepError(f"{self.describe(event)}: {change.variable} would be {value}, outside its domain")
        return State(state.names, tuple(values))

    def after(self, state: State, event: Event) -> State | None:
        """Return the state after an event from a record; None if an argument does not fit, or the event may not happen.

        The compiled action computes this state, or `step` does if the compiled action raises an error; StepError if a
        value leaves its domain.
        """
        step = self._compiled.get(event.action)
        if step is None:
            step = self._compiled[event.action] = compiled(*self.world.written(event.action))
        try:
            values = step(state.values, event.arguments)
        except (StepError, IndexError, TypeError):
            return None if self.misfit(event) or self.refusal(state, event) is not None else self.step(state, event)
        return None if values is None else State(state.names, values)

    def holds(self, condition: Node | Claim, state: State) -> bool:
        """Return whether a condition, or the condition of a claim, is true in a state."""
        node = condition.condition if isinstance(condition, Claim) else condition
        if node not in self._claims:
            self._claims[node] = evaluator(node, self.world.names)
        return bool(self._claims[node](state.values, {}))

    def may_stop(self, state: State) -> bool:
        """Return whether a behaviour may end in a state."""
        return self.world.stopping is not None and self.holds(self.world.stopping.condition, state)

    def walk(self, dice: random.Random, length: int) -> Iterator[tuple[Event | None, State]]:
        """Yield a random behaviour: the initial state with None, then up to `length` events, each with its state."""
        state = dice.choice(list(self.initial_states()))
        yield None, state
        for _ in range(length):
            events = list(self.events(state))
            if not events:
                return
            event = dice.choice(events)
            state = self.step(state, event)
            yield event, state

    def replay(self, start: State, events: Sequence[Event]) -> Iterator[tuple[Event | None, State]]:
        """Yield a recorded behaviour step by step; StepError at the first event that is not allowed."""
        state = start
        yield None, state
        for event in events:
            state = self.step(state, event)
            yield event, state

    def describe(self, event: Event) -> str:
        """Return the words for an event, such as `manager_prepares(manager 1)`."""
        action = self.world.action(event.action)
        shown = (p.domain.show(value) for p, value in zip(action.parameters, event.arguments, strict=True))
        return f"{event.action}({', '.join(shown)})"

    def _runnable(self, name: str) -> Runnable:
        if name not in self._runnables:
            self._runnables[name] = _runnable(self.world.action(name), self.world.names)
        return self._runnables[name]


def explain(runner: Runner, state: State, event: Event) -> tuple[str, ...]:
    """Return why an event may not happen in a state, as sentences; empty if it may happen."""
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
    tried = f"nothing that was tried, of at most {LONGEST_CURE} actions, would make the guard true"
    return (
        f"guard {number + 1} of {runner.describe(event)}{place} is false: {Notation().text(guard)}",
        *(f"there {name} = {domains[name].show(state[name])}" for name in sorted(variables_in(guard))),
        CURED_BY + ", or after ".join(cures[:CURES_SHOWN]) if cures else tried,
    )


def _cures(runner: Runner, state: State, event: Event, number: int) -> tuple[tuple[Event, ...], ...]:
    """Return the shortest sequences of actions, of limited length, after which a guard of the event becomes true."""
    paths: list[tuple[tuple[Event, ...], State]] = [((), state)]
    left = STEPS_TRIED
    for _ in range(LONGEST_CURE):
        further = ((path, reached, other) for path, reached in paths for other in runner.events(reached))
        paths = [((*path, other), runner.step(reached, other)) for path, reached, other in islice(further, left)]
        left -= len(paths)
        refused = ((path, runner.refusal(reached, event)) for path, reached in paths)
        cures = tuple(path for path, by in refused if by is None or by > number)
        if cures or not left:
            return cures
    return ()


def table(runner: Runner, behaviour: Sequence[tuple[Event | None, State]]) -> str:
    """Return a behaviour as text: the first state, then each event with the cells that it changed."""
    lines: list[str] = []
    domains = {variable.name: variable.domain for variable in runner.world.variables}
    before: State | None = None
    for number, (event, state) in enumerate(behaviour):
        lines.append(f"{number:>3}  {runner.describe(event) if event else 'start'}")
        if before is None:
            lines += [f"       {name} = {domains[name].show(value)}" for name, value in state.items()]
        else:
            lines += [f"       {change}" for change in changes_between(runner.world, before, state)]
        before = state
    return "\n".join(lines)


def _runnable(action: Action, names: tuple[str, ...]) -> Runnable:
    variables = [root(update.target).name for update in action.updates]
    changes = [
        Change(
            update,
            variable,
            names.index(variable),
            _path(update.target, names),
            evaluator(update.value, names),
            membership_of_changed(update.target.domain),
            variables.count(variable) > 1,
        )
        for update, variable in zip(action.updates, variables, strict=True)
    ]
    parameters = tuple(parameter.name for parameter in action.parameters)
    guards = tuple(evaluator(guard, names) for guard in action.guards)
    return Runnable(action, parameters, guards, tuple(changes))


def _chosen_for(guard: Node, parameters: Sequence[str]) -> int:
    """Return how many of the parameters, in their order, have to be chosen before a guard can be evaluated."""
    read = {part.name for part in walk(guard) if isinstance(part, Bound)}
    return max((number for number, name in enumerate(parameters, start=1) if name in read), default=0)


def _path(target: Node, names: tuple[str, ...]) -> tuple[Evaluator | str, ...]:
    match target:
        case Operation(operands=(array, index)):
            return (*_path(array, names), evaluator(index, names))
        case Field(record=record, name=name):
            return (*_path(record, names), name)
        case _:
            assert isinstance(target, Variable)
            return ()


def cell_at(value: Plain, path: Iterable[Plain]) -> Plain:
    """Return the cell at the end of a path from a variable's value: fields of records by name, elements by number."""
    for part in path:
        value = getattr(value, part) if isinstance(part, str) else value[part]
    return value


def _placed(old: Plain, path: tuple[Plain, ...], value: Plain) -> Plain:
    """Return a variable's value in which the cell at the end of a path is replaced."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(first, str):
        return old._replace(**{first: _placed(getattr(old, first), rest, value)})
    return (*old[:first], _placed(old[first], rest, value), *old[first + 1 :])


def _refuse_twice(touched: list[tuple[Plain, ...]], path: tuple[Plain, ...], update: Update) -> None:
    for earlier in touched:
        shorter = min(len(path), len(earlier))
        if path[:shorter] == earlier[:shorter]:
            raise StepError(f"{update.at}: one step updates a cell of {path[0]!r} twice: keep one of the two updates")
    touched.append(path)
