"""An observation table: what the lines of a program's log mean in a specification, and how they are validated by it.

A user who has a program and a specification writes an observation table; `docs/validating-a-log.md` has a complete
example. Each kind of line has a reader, which returns the action that the line stands for, and what the line states
about the state after the action.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any, Final, TypeVar

from gridproof_implementation.trace import TraceError
from gridproof_implementation.trace.json_reading import LINE_BYTES_MAX, parse
from gridproof_model.language import Array, Plain, Set, Specification, SpecificationError, State, StepError, World
from gridproof_model.language.expressions import Bool, IndexSet, Int, OneOf, Option
from gridproof_model.language.run import Event, Runner, cell_at
from gridproof_model.language.structures import Record
from gridproof_model.language.structures import Sequence as Lane
from gridproof_model.language.tree import Domain
from gridproof_model.language.values import record_value, values_of
from gridproof_model.user_error import UserError
from gridproof_properties.claims.known import FILE, argument_of, recorded
from gridproof_properties.judging.guarantee import Finding, unseen
from gridproof_properties.judging.verdict import LogLine, Result
from gridproof_properties.judging.words import count
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.validation.concluding import Basis, Concluding
from gridproof_properties.validation.engine import STATES_MAX, GivenUpError, Observation, RefusedError, Validation

BEHAVIOURS_MAX = 10_000
"""The most behaviours that are kept at once; each takes as much memory as its states."""
T = TypeVar("T", int, str, bool)
Named = TypeVar("Named")


class LogError(UserError, ValueError):
    """Raised for a line of a log that cannot be read; the error's message is one line."""


class TableError(UserError, ValueError):
    """Raised for an observation table that does not fit its specification; the error's message is one line."""


UNRECORDED: Final = object()
"""Stands for an argument that a line does not state: every possible value is tried."""
CellPath = str | tuple[str | int, ...]
"""A variable, or a cell in it: `("colour", 2)` is `colour[2]`, and `("replica", 0, "versions")` is a field."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log, as a JSON object."""

    fields: Mapping[str, object]

    def number(self, name: str) -> int:
        """Return a field that is a whole number; raise LogError if it is not one."""
        return self._of(name, int, "a whole number")

    def text(self, name: str) -> str:
        """Return a field that is a text; raise LogError if it is not one."""
        return self._of(name, str, "text")

    def truth(self, name: str) -> bool:
        """Return a field that is true or false; raise LogError if it is neither."""
        return self._of(name, bool, "true or false")

    def _of(self, name: str, kind: type[T], words: str) -> T:
        value = self[name]
        if not isinstance(value, kind) or type(value) is not kind:  # in Python a bool is an int
            raise LogError(f"the field {name!r} must be {words}, not {value!r}")
        return value

    def __getitem__(self, name: str) -> object:
        if name not in self.fields:
            raise LogError(f"the line has no field {name!r}; it has {', '.join(map(repr, self.fields)) or 'none'}")
        return self.fields[name]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a line states: an action with its arguments, and the state after the action, as far as the line shows it.

    Arguments that are indices are given as numbers; arguments that are enumerations, as members or as their values.
    """

    action: str
    arguments: tuple[object, ...] = ()
    after: Mapping[CellPath, object] = field(default_factory=dict)
    """The values of variables or cells after the action."""


Reader = Callable[[Line], Seen | Sequence[Seen] | None]
"""Returns what a line means: one action, or several possible actions, or None if it has no meaning."""


@dataclass(slots=True)
class ObservationTable:
    """How the lines of a log are read; the readers are declared with `observes`."""

    specification: Specification
    world: Mapping[str, Plain] = field(default_factory=dict)
    """The constants of the specification that differ from their defaults."""
    kind: str = "event"
    """The name of the field that states the kind of a line."""
    behaviour: str | None = None
    """The name of the field that states to which behaviour a line belongs; None if the whole log is one behaviour."""
    silent: Sequence[str] = ()
    """Actions that are not logged."""
    ignored: Sequence[str] = ()
    """Kinds of lines that have no meaning in the specification."""
    argument: Argument | None = None
    """The argument with the lemmas for proofs; None stands for the specification's own argument, if there is one."""
    readers: dict[str, Reader] = field(default_factory=dict)

    def observes(self, kind: str) -> Callable[[Reader], Reader]:
        """Return a decorator that declares a function as the reader for a kind of line."""

        def take(reader: Reader) -> Reader:
            if kind in self.readers:
                names = " and ".join(getattr(one, "__name__", "a reader") for one in (self.readers[kind], reader))
                raise TableError(f"lines of kind {kind!r} are read by both {names}; remove one of these two readers")
            self.readers[kind] = reader
            return reader

        return take

    def start(self) -> Validation:
        """Return a behaviour that has read no line; raise TableError if the table does not fit the specification."""
        try:
            world = self.specification.world(**self.world)
        except SpecificationError as error:
            raise TableError(str(error)) from None
        actions = {action.name: action for action in world.actions}
        for name in self.silent:
            _named(actions, "action", name, "silent: ")
        states = tuple(islice(world.initial_states(), STATES_MAX + 1))
        if len(states) > STATES_MAX:
            raise TableError(f"{world.title} has over {STATES_MAX:,} initial states: give variables an initial value")
        return Validation(Runner(world), states, tuple(self.silent))

    def observations(self, runner: Runner, line: Line) -> tuple[Observation, ...]:
        """Return the observations that a line may stand for; none if the line has no meaning.

        Raises LogError if the line cannot be read, and TableError if its reader names something that the specification
        lacks.
        """
        kind = line.text(self.kind)
        if kind in self.ignored:
            return ()
        reader = self.readers.get(kind)
        if reader is None:
            cure = f"add one to the validation table, or name {kind!r} in its `ignored`"
            raise LogError(f"no reader is for lines of kind {kind!r}; {cure}")
        try:
            seen = reader(line)
        except UserError:
            raise
        except Exception as error:
            reason = " ".join(str(error).split())
            raised = f"the reader of lines of kind {kind!r} raised {type(error).__name__}: {reason}"
            raise TableError(f"{raised}; correct the reader, or the line") from None
        if seen is None:
            return ()
        options = (seen,) if isinstance(seen, Seen) else tuple(seen)
        if not options:
            what = "a Seen for each action that the line may be, or None if it has no meaning"
            raise TableError(f"the reader of lines of kind {kind!r} returned no Seen; return {what}")
        return tuple(_observation(runner.world, kind, one) for one in options)


def _observation(world: World, kind: str, seen: Seen) -> Observation:
    if not isinstance(seen, Seen):
        what = f"a Seen, a sequence of Seen objects or None, not {type(seen).__name__}"
        raise TableError(f"the reader of lines of kind {kind!r} must return {what}")
    events, cells = tuple(_events(world, seen)), tuple(_cells(world, seen))

    def agrees(state: State) -> str | None:
        for (variable, *below), domain, value in cells:
            if (held := cell_at(state[variable], below)) != value:
                cell = "".join([variable, *(f".{part}" if isinstance(part, str) else f"[{part}]" for part in below)])
                said, is_so = domain.show(value), domain.show(held)
                return f"the log says {cell} = {said} afterwards, and the specification {is_so}"
        return None

    whole = frozenset(path[0] for path, _, _ in cells if len(path) == 1)
    return Observation(events, agrees, states=whole)


def _events(world: World, seen: Seen) -> Iterator[Event]:
    """Yield the actions that a line may be, one for each choice of the arguments that the line does not state."""
    parameters = _named({action.name: action for action in world.actions}, "action", seen.action).parameters
    if len(parameters) != len(seen.arguments):
        named = ", ".join(parameter.name for parameter in parameters)
        raise TableError(
            f"{seen.action} takes {count(len(parameters), 'argument')} ({named}), not {len(seen.arguments)}"
        )
    choices = [
        tuple(values_of(parameter.domain))
        if given is UNRECORDED
        else (_plain(parameter.domain, given, f"{seen.action}: {parameter.name}"),)
        for parameter, given in zip(parameters, seen.arguments, strict=True)
    ]
    return (Event(seen.action, arguments) for arguments in product(*choices))


def _cells(world: World, seen: Seen) -> Iterator[tuple[tuple[Any, ...], Domain[Any], Plain]]:
    """Yield the cells whose content a line states: for each the path (variable first), the domain and the value."""
    domains = {variable.name: variable.domain for variable in world.variables}
    for path, said in seen.after.items():
        variable, *below = (path,) if isinstance(path, str) else path
        domain = _named(domains, "variable", variable)
        for part in below:
            domain = _below(domain, part, f"{seen.action}: {variable}")
        yield (variable, *below), domain, _plain(domain, said, f"{seen.action}: {variable}")


def _below(domain: Domain[Any], part: str | int, what: str) -> Domain[Any]:
    """Return the domain of a cell; raise TableError or LogError if there is none."""
    match domain, part:
        case Record(), str() if part in dict(domain.fields):
            return domain.field(part)
        case ((Array() | Set()), int()):
            if not 0 <= part < domain.index.size:
                known = f"the elements of {domain.index.name} are 0 to {domain.index.size - 1}"
                raise LogError(f"{what} has no element {part}: {known}")
            return domain.element
        case _:
            known = f"its fields are {', '.join(dict(domain.fields))}" if isinstance(domain, Record) else "leave it out"
            raise TableError(f"{what}: {domain.describe()} has no field or element {part!r}; {known}")


def _plain(domain: Domain[Any], given: object, what: str) -> Plain:
    """Return a value in the form of the specification language; raise LogError if it is not in its domain."""
    match domain, given:
        case Option(), _:
            return None if given is None else _plain(domain.inner, given, what)
        case OneOf(), str() | int() if not isinstance(given, Enum):
            found = [one for one in domain.choices if given in (one.value, one.name)]
            if len(found) > 1:
                both = f"{given!r} is the name of one of {domain.describe()} and the value of another"
                raise TableError(f"{what}: {both}; rename one of the two")
            if not found:
                known = ", ".join(str(one.value) for one in domain.choices)
                raise LogError(f"{what} must be one of {known}, not {given!r}")
            return found[0]
        case IndexSet(), int() if not isinstance(given, bool) and not 0 <= given < domain.size:
            raise LogError(f"{what} must be a {domain.name} from 0 to {domain.size - 1}, not {given}")
        case Set(), (list() | tuple() | set() | frozenset()):
            held = {_plain(domain.index, one, what) for one in given}
            return tuple(place in held for place in range(domain.index.size))
        case ((Array() | Lane()), (list() | tuple())):
            return tuple(_plain(domain.element, one, what) for one in given)
        case Record(fields=fields), Mapping() if given.keys() == dict(fields).keys():
            return record_value(domain, tuple(_plain(inner, given[name], f"{what}.{name}") for name, inner in fields))
        case Record(fields=fields), (list() | tuple()) if len(given) == len(fields):
            parts = zip(fields, given, strict=True)
            return record_value(domain, tuple(_plain(inner, one, f"{what}.{name}") for (name, inner), one in parts))
        case Bool(), bool():
            return given
        case OneOf(), Enum() if given in domain.choices:
            return given
        case ((Int() | IndexSet()), int()) if not isinstance(given, bool):  # in Python a bool is an int
            return given
        case _:
            raise LogError(f"{what} must be a value of {domain.describe()}, not {given!r}")


def _named(known: Mapping[str, Named], what: str, name: str | int, of: str = "") -> Named:
    """Return the known thing with this name; raise TableError if there is none."""
    if name not in known:
        raise TableError(f"{of}there is no {what} {str(name)!r}; there are {', '.join(sorted(known))}")
    return known[str(name)]


def validate_log(path: Path, table: ObservationTable, proofs: Path = FILE) -> tuple[Finding, int | None]:
    """Return whether a specification explains a log, and what follows by the proofs that a file has recorded.

    The second value is the number of the line that was refused or could not be validated, from 1; None if there is
    none. A KeyboardInterrupt ends the validation, and is not raised again: what was not refused before it is unknown.
    Raises LogError if a line cannot be read, TableError if the table does not fit, and OSError if the file cannot be
    read.
    """
    behaviours, lines, most_states = dict[tuple[str, type], Validation](), 0, 0
    argument = table.argument or argument_of(table.specification)
    knowledge = recorded(argument, proofs)
    concluding = Concluding(Basis(argument, knowledge))
    runner = table.start().runner
    for number, text in _lines(path):
        whose = ""
        try:
            line = _line(text)
            observations = table.observations(runner, line)
            if not observations:
                continue
            whose = "" if table.behaviour is None else f"{table.behaviour} {line[table.behaviour]}"
            key = whose, type(line.fields.get(table.behaviour or ""))  # the text "1" is not the number 1
            if key not in behaviours:
                if len(behaviours) == BEHAVIOURS_MAX:
                    raise GivenUpError(f"the log has more than {BEHAVIOURS_MAX:,} behaviours; validate a shorter log")
                behaviours[key] = table.start()
                concluding.begin(behaviours[key])
            validation = behaviours[key]
            validation.recorded = LogLine(number, tuple(line.fields.items()), line.text(table.kind))
            validation.take(*observations)
            stated = frozenset.intersection(*(one.states for one in observations))
            validation.shown = stated if validation.steps == 1 else validation.shown & stated
        except (LogError, TableError) as error:
            raise type(error)(f"{path}:{number}: {error}") from None
        except RefusedError as refused:
            sentence = f"line {number}{whose and f' of {whose}'}: {refused.sentence}"
            shown = refused.refusal_of(whose)
            return Finding(Result.BROKEN, sentence, refused.explanation, lines, refusal=shown), number
        except (GivenUpError, StepError, KeyboardInterrupt) as ended:
            why = f"the step is undefined: {ended}" if isinstance(ended, StepError) else str(ended) or "interrupted"
            return Finding(Result.UNKNOWN, f"line {number}: {why}", compared=lines), number
        lines += 1
        most_states = max(most_states, len(validation.states))
    if not behaviours:
        return unseen(f"no line of the log says anything of {table.specification.name}"), None
    for (whose, _), validation in behaviours.items():
        concluding.end(partial(str, whose), validation)
    fit = "the only line fits" if lines == 1 else f"all {count(lines, 'line')} fit"
    what = f"{fit} {count(len(behaviours), 'behaviour')} of {table.specification.name}"
    what = f"{what}; at most {count(most_states, 'state')} {'was' if most_states == 1 else 'were'} possible at once"
    follows = concluding.conclude() if knowledge.proved or knowledge.explored else None
    return Finding(Result.HOLDS, what, compared=lines, by_proof=follows), None


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield each line with its number; only one line at a time is in memory, and empty lines are skipped."""
    with path.open("rb") as file:
        numbered = enumerate(iter(partial(file.readline, LINE_BYTES_MAX), b""), 1)
        yield from ((number, text) for number, text in numbered if text.strip())


def _line(text: bytes) -> Line:
    if len(text) == LINE_BYTES_MAX and not text.endswith(b"\n"):
        raise LogError(f"this line of the log is longer than {LINE_BYTES_MAX:,} bytes; write shorter lines")
    try:
        found = parse(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise LogError(f"byte {error.start + 1} of this line is not UTF-8 text; write the log in UTF-8") from None
    except TraceError as error:
        raise LogError(f"this line of the log is not JSON ({error}); write valid JSON, one object per line") from None
    if not isinstance(found, dict):
        raise LogError(f"this line of the log is {str(found)[:60]!r}; write one JSON object per line")
    return Line(found)
