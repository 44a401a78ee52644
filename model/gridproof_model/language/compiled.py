"""An action as one Python function: its guards, and the cells that it writes.

For who takes very many steps: validation of traces. The run reading evaluates every guard, index and value by a
function of its own and looks at whole values; it is the oracle of this one, and has the words for what is refused.
`python -m benchmarks compiled_steps` prints how much longer it takes.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from operator import is_
from types import CodeType
from typing import Any

from gridproof_model.language.declarations import Action
from gridproof_model.language.errors import StepError
from gridproof_model.language.evaluate import TEXTS_KEPT_MAX, Writer, code_of
from gridproof_model.language.expressions import Bool, IndexSet, Int, OneOf, Option
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.limits import count_of
from gridproof_model.language.structures import Array, Record, Sequence, Set
from gridproof_model.language.tree import (
    Bound,
    Constant,
    Construct,
    Domain,
    Field,
    If,
    Node,
    Operation,
    Operator,
    Quantified,
    Quantifier,
    Unsaid,
    Variable,
    root,
    walk,
)
from gridproof_model.language.values import Plain, class_of, contains, membership, membership_of_changed, values_of

CompiledAction = Callable[[tuple[Plain, ...], tuple[Plain, ...]], tuple[Plain, ...] | None]
"""Makes of all variables' values and the arguments the values after the step.

It takes the arguments as one tuple: a call that spreads them takes half as long as a short step itself.

None where an argument is outside its domain or a guard is false. Raises StepError, IndexError or TypeError where the
step may be undefined, leaves a domain or writes a cell twice: that is then for the run reading to say.
"""
INDENT = "\n    "


UNROLLED_MAX = 3
"""Values of a quantifier of which the text has the body once for each."""
_Few = tuple[tuple[Plain, ...], ...]


def compiled(action: Action, names: tuple[str, ...], ground: Grounding) -> CompiledAction:
    """Return an action as a function in one world, whose constants are put in it here.

    `names` are the variables', in the order of their values. It is written once for all worlds in which the same
    quantifiers range over the same few values.
    """
    code, writer = _texts(_Same(id(action), names, action)).text(ground)
    namespace = writer.values_in(ground) | _NAMES
    exec(code, namespace)
    function: CompiledAction = namespace["step"]
    return function


@dataclass(frozen=True, slots=True)
class _Same:
    """An action, which takes long to hash, by its identity."""

    identity: int
    names: tuple[str, ...]
    action: Action = field(compare=False)


class _Texts:
    """An action as it is written for worlds of several sizes."""

    def __init__(self, action: Action, names: tuple[str, ...]) -> None:
        self._action, self._names = action, names
        parts = (*action.guards, *(part for update in action.updates for part in (update.target, update.value)))
        bounds = (one.bound for part in parts for one in walk(part) if isinstance(one, Quantified))
        self._ranges = {id(bound.domain): bound.domain for bound in bounds}
        self._known: dict[_Few, tuple[CodeType, Writer]] = {}

    def text(self, ground: Grounding) -> tuple[CodeType, Writer]:
        """Return the code for a world, and what gives it its values."""
        few = tuple(_few(ground.domain(domain)) for domain in self._ranges.values())
        if few not in self._known:
            self._known[few] = self._written(dict(zip(self._ranges, few, strict=True)))
        return self._known[few]

    def _written(self, few: Mapping[int, tuple[Plain, ...]]) -> tuple[CodeType, Writer]:
        action = self._action
        arguments = {parameter.name: f"argument_{at}" for at, parameter in enumerate(action.parameters)}
        positions = {arguments[one.name] for one in action.parameters if _is_position(one.domain)}
        writing = _Writing(Writer(self._names, arguments, positions, lambda domain: few[id(domain)]))
        writing.line(f"[{', '.join(arguments.values())}] = arguments")
        for parameter in action.parameters:
            writing.take_argument(parameter.domain, arguments[parameter.name])
        for guard in action.guards:
            writing.line(f"if not {writing.text(guard)}: return None")
        writing.line("values = [*state]")
        for update in action.updates:
            writing.update(update.target, update.value)
        text = INDENT.join(["def step(state, arguments):", *writing.lines, "return tuple(values)"])
        return code_of(text, "exec"), writing.writer


@lru_cache(TEXTS_KEPT_MAX)
def _texts(same: _Same) -> _Texts:
    return _Texts(same.action, same.names)


def _few(domain: Domain[Any]) -> tuple[Plain, ...]:
    return tuple(values_of(domain)) if 0 < count_of(domain) <= UNROLLED_MAX else ()


@dataclass(frozen=True, slots=True)
class _Part:
    """One step from a variable down to a cell: an index, or a field of a record."""

    text: str
    """The index as a Python expression, or the field's name."""
    record: Record[Any] | None = None
    """What the field is of."""


@dataclass(slots=True)
class _Writing:
    writer: Writer
    lines: list[str] = field(default_factory=list)
    _written: list[tuple[str, tuple[_Part, ...]]] = field(default_factory=list)
    """The cells that earlier updates write: the variable, and the way down from it."""
    _named: int = 0
    """Rows that have their names."""

    def line(self, text: str) -> None:
        """Write a line, and before it the names that it is the first to use."""
        rows = list(self.writer.rows.items())[self._named :]
        self._named += len(rows)
        self.lines += [*(f"{name} = {row}" for row, name in rows), text]

    def text(self, node: Node) -> str:
        return self.writer.write(node, {})

    def take_argument(self, domain: Domain[Any], name: str) -> None:
        fits = self.writer.of_domain(domain, _member)
        self.line(f"if not ({self._quickly(domain, name, None)} or {fits}({name})): return None")

    def update(self, target: Node, value: Node) -> None:
        """Write one update, in the order in which the run reading evaluates its parts."""
        number, variable = len(self._written), root(target).name
        path = self._path(target, f"index_{number}")
        position = self.writer.names.index(variable)
        self._refuse_twice(variable, path)
        new, old = f"new_{number}", f"old_{number}"
        self.line(f"{new} = {self.text(value)}")
        has_earlier = any(name == variable for name, _ in self._written)
        whole = f"values[{position}]" if has_earlier else f"state[{position}]"
        if not _is_always_in(target.domain, value):
            may_follow = self.writer.of_domain(target.domain, _changed_member)
            self.line(f"{old} = state[{position}]{''.join(map(_chosen, path))}")
            fits = f"{self._quickly(target.domain, new, old)} or {may_follow}({old}, {new})"
            self.line(f"if not ({fits}): raise StepError('outside its domain')")
        self.line(f"values[{position}] = {self._placed(whole, path, new, f'part_{number}')}")
        self._written.append((variable, path))

    def _path(self, target: Node, index_name: str) -> tuple[_Part, ...]:
        match target:
            case Operation(operands=(array, index)):
                path, text = self._path(array, index_name), self.text(index)
                if not text.isidentifier():
                    name = f"{index_name}_{len(path)}"
                    self.line(f"{name} = {text}")
                    text = name
                return (*path, _Part(text))
            case Field(record=record, name=name):
                assert isinstance(record.domain, Record)
                return (*self._path(record, index_name), _Part(name, record.domain))
            case _:
                assert isinstance(target, Variable)
                return ()

    def _refuse_twice(self, variable: str, path: tuple[_Part, ...]) -> None:
        """Write that no earlier update writes the cell, a part of it, or what it is a part of."""
        for name, earlier in self._written:
            pairs = list(zip(path, earlier, strict=False))
            is_same_field = all(one.text == other.text for one, other in pairs if one.record and other.record)
            if name == variable and is_same_field:
                equal = [f"{one.text} == {other.text}" for one, other in pairs if not one.record]
                self.line(f"if {' and '.join(equal) or True}: raise StepError('a cell is written twice')")

    def _placed(self, whole: str, path: tuple[_Part, ...], value: str, name: str) -> str:
        """Return what a value is with the cell at a path below it replaced."""
        if not path:
            return value
        first, rest = path[0], path[1:]
        if not whole.isidentifier():
            self.line(f"{name} = {whole}")
            whole = name
        inner = self._placed(f"{whole}{_chosen(first)}", rest, value, f"{name}_{len(rest)}")
        if first.record is None:
            return f"{whole}[:{first.text}] + ({inner},) + {whole}[{first.text} + 1:]"
        names = [field_name for field_name, _ in first.record.fields]
        cells = (inner if one == first.text else f"{whole}[{at}]" for at, one in enumerate(names))
        return f"new_tuple({self.writer.named(class_of(first.record))}, ({', '.join(cells)},))"

    def _quickly(self, domain: Domain[Any], value: str, old: str | None) -> str:
        """Return an expression that is true only of values of a domain, and of nearly all of them.

        What a value shares with the old one, which is in the domain, is not looked at again.
        """
        match domain:
            case Bool():
                return f"type({value}) is bool"
            case Int(low=low, high=high):
                least = "" if low is None else f" and {self.writer.number(low)} <= {value}"
                most = "" if high is None else f" and {value} <= {self.writer.number(high)}"
                return f"type({value}) is int{least}{most}"
            case IndexSet(size=size):
                return f"type({value}) is int and 0 <= {value} < {self.writer.number(size)}"
            case OneOf(choices=choices):
                return f"type({value}) is {self.writer.named(choices)}"
            case Option(inner=inner):
                return f"{value} is None or {self._quickly(inner, value, None)}"
            case Array(index=index, element=element) | Set(index=index, element=element):
                fits = f"all({self._each(element, value, old)})"
                return f"type({value}) is tuple and len({value}) == {self.writer.number(index.size)} and {fits}"
            case Sequence(element=element, capacity=capacity):
                added = value if old is None else f"added({old}, {value})"
                fits = f"all({self._each(element, added, None)})"
                return f"type({value}) is tuple and len({value}) <= {self.writer.number(capacity)} and {fits}"
            case Record(fields=fields):
                shape = self.writer.named(class_of(domain))
                parts = [
                    self._quickly(part, f"{value}[{at}]", old and f"{old}[{at}]") for at, (_, part) in enumerate(fields)
                ]
                return " and ".join([f"type({value}) is {shape}", *(f"({part})" for part in parts)])
            case _:
                return "False"

    def _each(self, element: Domain[Any], values: str, old: str | None) -> str:
        """Return a list of whether each element fits; what it goes through is looked up outside: one name will do."""
        if old is None or not isinstance(element, Array | Set | Sequence | Record):
            return f"[{self._quickly(element, 'each', None)} for each in {values}]"
        fits = self._quickly(element, "each", "before")
        return f"[each is before or {fits} for before, each in zip({old}, {values})]"


def _member(domain: Domain[Any]) -> Callable[[Plain], bool]:
    """Return what says whether a value is in a domain: made when it is asked, as of most domains nobody ever does."""
    return lambda value: membership(domain)(value)


def _changed_member(domain: Domain[Any]) -> Callable[[Plain, Plain], bool]:
    return lambda before, value: membership_of_changed(domain)(before, value)


def _is_position(domain: Domain[Any]) -> bool:
    return isinstance(domain, IndexSet) or (isinstance(domain, Int) and isinstance(domain.low, int) and domain.low >= 0)


def _is_always_in(domain: Domain[Any], node: Node) -> bool:
    """Whether the worth of an expression is in a domain in every world, as far as its form shows.

    What is in a state is in its domain, and so is an argument of the action: both have been looked at.
    """
    match domain, node:
        case _, Constant(value=value):
            return (value is Unsaid.FIRST and node.domain == domain) or _has(domain, value)
        case _, If(then=then, otherwise=otherwise):
            return _is_always_in(domain, then) and _is_always_in(domain, otherwise)
        case Bool(), _:
            return True
        case _, Bound() | Variable() | Field() | Operation(operator=Operator.SELECT | Operator.AT):
            return node.domain in (domain, getattr(domain, "inner", None)) and _is_a_cell(node)
        case Option(inner=inner), Quantified(quantifier=Quantifier.FIRST, bound=bound):
            return bound.domain == inner
        case Record(fields=fields), Construct(values=values):
            return all(_is_always_in(part, value) for (_, part), value in zip(fields, values, strict=True))
        case Array() | Set(), Quantified(quantifier=Quantifier.EACH, bound=bound, body=body):
            return bound.domain == domain.index and _is_always_in(domain.element, body)
        case Sequence(), Operation(operator=Operator.REMOVE, operands=(sequence, _)):
            return _is_always_in(domain, sequence)
        case Sequence(), Operation(operator=Operator.APPEND, operands=(sequence, added)):
            return _is_always_in(domain, sequence) and _is_always_in(domain.element, added)
        case _:
            return False


def _is_a_cell(node: Node) -> bool:
    """Whether a node is a variable, an argument or what a quantifier binds, or a part of one."""
    match node:
        case Field(record=whole) | Operation(operator=Operator.SELECT | Operator.AT, operands=(whole, _)):
            return _is_a_cell(whole)
        case _:
            return isinstance(node, Variable | Bound)


def _has(domain: Domain[Any], value: Plain) -> bool:
    """Whether a value is in a domain whose bounds are numbers."""
    match domain:
        case Int(low=int() | None, high=int() | None) | Bool() | OneOf():
            return value is Unsaid.FIRST or contains(domain, value)
        case Option():
            return value is None or value is Unsaid.FIRST
        case _:
            return False


def _chosen(part: _Part) -> str:
    return f".{part.text}" if part.record else f"[{part.text}]"


def _added(before: tuple[Plain, ...], value: tuple[Plain, ...]) -> Iterable[Plain]:
    """Return what is not one of the objects before."""
    size = len(before)
    if len(value) > size and all(map(is_, before, value)):  # appended, as nearly always
        return value[size:]
    known = set(map(id, before))
    return [one for one in value if id(one) not in known]


_NAMES: dict[str, Any] = {"StepError": StepError, "added": _added}
