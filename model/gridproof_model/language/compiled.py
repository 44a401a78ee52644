"""Compiles an action to one Python function, which checks its guards and computes the cells that it writes.

Trace validation uses it, since validation takes a very large number of steps. The plain evaluation in `run.py` computes
every guard, index and value by a separate function and checks whole values; tests compare compiled actions with it, and
it writes the texts about refused steps. `python -m benchmarks compiled_steps` prints how much longer the plain
evaluation takes.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from operator import is_
from types import CodeType
from typing import Any

from gridproof_model.language.declarations import Action
from gridproof_model.language.errors import StepError
from gridproof_model.language.evaluate import TEXTS_KEPT_MAX, Expression, Writer, code_of
from gridproof_model.language.expressions import Bool, IndexSet, Int, OneOf, Option
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.limits import count_of
from gridproof_model.language.structures import Array, Record, Sequence, Set
from gridproof_model.language.tree import (
    PARTIAL,
    Bound,
    Constant,
    Construct,
    Domain,
    Field,
    If,
    Node,
    Operation,
    Operator,
    Parameter,
    Quantified,
    Quantifier,
    Unsaid,
    Variable,
    root,
    walk,
)
from gridproof_model.language.values import Plain, class_of, contains, membership, membership_of_changed, values_of

CompiledAction = Callable[[tuple[Plain, ...], tuple[Plain, ...]], tuple[Plain, ...] | None]
"""A function that takes the values of all variables and the arguments, and returns the values after the step.

The arguments are passed as one tuple: passing them one by one would take half as long as a short step itself.

The function returns None if an argument is outside its domain or a guard is false, and raises StepError, IndexError or
TypeError if the step may be undefined, a value leaves its domain, or a cell is written twice; `run.py` then says what
is wrong.
"""
INDENT = "\n    "


UNROLLED_MAX = 3
"""A quantifier over at most this number of values is unrolled: the text contains its body once for each value."""
_Few = tuple[tuple[Plain, ...], ...]


def compiled(action: Action, names: tuple[str, ...], ground: Grounding) -> CompiledAction:
    """Return an action as a function for one world; the values of the world's constants are filled in.

    `names` are the names of the variables, in the order of their values. The text of the function is shared by all
    worlds in which the same quantifiers range over the same few values.
    """
    code, writer = _texts(_Same(id(action), names, action)).text(ground)
    namespace = writer.values_in(ground) | _NAMES
    exec(code, namespace)
    function: CompiledAction = namespace["step"]
    return function


@dataclass(frozen=True, slots=True)
class _Same:
    """An action, compared by identity and not by content, since computing its hash takes long."""

    identity: int
    names: tuple[str, ...]
    action: Action = field(compare=False)


class _Texts:
    """The texts of one action. Two worlds share a text if short ranges and conditions on constants are the same."""

    def __init__(self, action: Action, names: tuple[str, ...]) -> None:
        self._action, self._names = action, names
        parts = (*action.guards, *(part for update in action.updates for part in (update.target, update.value)))
        nodes = [one for part in parts for one in walk(part)]
        ranges = (one.bound.domain if isinstance(one, Quantified) else one.domain for one in nodes if _is_ranged(one))
        self._ranges = {id(domain): domain for domain in ranges}
        self._conditions = {id(one): Expression(one, ()) for one in nodes if _is_of_constants(one)}
        self._known: dict[tuple[_Few, tuple[bool, ...]], tuple[CodeType, Writer]] = {}

    def text(self, ground: Grounding) -> tuple[CodeType, Writer]:
        """Return the code for a world, and the writer that supplies the values which the code uses in this world."""
        few = tuple(_few(ground.domain(domain)) for domain in self._ranges.values())
        truths = tuple(bool(one.evaluator(ground)((), {})) for one in self._conditions.values())
        if (few, truths) not in self._known:
            known = dict(zip(self._ranges, few, strict=True)), dict(zip(self._conditions, truths, strict=True))
            self._known[few, truths] = self._written(*known)
        return self._known[few, truths]

    def _written(self, few: Mapping[int, tuple[Plain, ...]], truths: Mapping[int, bool]) -> tuple[CodeType, Writer]:
        action = self._action
        arguments = {parameter.name: f"argument_{at}" for at, parameter in enumerate(action.parameters)}
        positions = {arguments[one.name] for one in action.parameters if _is_position(one.domain)}
        writing = _Writing(Writer(self._names, arguments, positions, lambda domain: few[id(domain)], truths))
        writing.line(f"[{', '.join(arguments.values())}] = arguments")
        for parameter in action.parameters:
            writing.take_argument(parameter.domain, arguments[parameter.name])
        for guard in action.guards:
            if (text := writing.text(guard)) != "True":
                writing.line(f"if not {text}: return None")
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


def _is_ranged(node: Node) -> bool:
    return isinstance(node, Quantified) or (isinstance(node, Operation) and node.operator is Operator.ELEMENT)


def _is_of_constants(node: Node) -> bool:
    """Return whether a node is a condition with the same truth in every state of a world, and always defined."""
    if not isinstance(node.domain, Bool) or not isinstance(node, Operation | Parameter):
        return False
    return all(
        isinstance(one, Constant | Parameter) or (isinstance(one, Operation) and one.operator not in PARTIAL)
        for one in walk(node)
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """One step of the path from a variable to a cell: an index, or a field of a record."""

    text: str
    """The Python expression of the index, or the field's name."""
    record: Record[Any] | None = None
    """The record to which the field belongs; None for an index."""


@dataclass(slots=True)
class _Writing:
    writer: Writer
    lines: list[str] = field(default_factory=list)
    _written: list[tuple[str, tuple[_Part, ...]]] = field(default_factory=list)
    """For each earlier update, the cell that it writes: its variable's name, and the path from the variable to it."""
    _named: int = 0
    """For how many of the writer's names `lines` already contains the assignment."""

    def line(self, text: str) -> None:
        """Write a line; before it, write assignments of the names that this line is the first to use."""
        rows = list(self.writer.rows.items())[self._named :]
        self._named += len(rows)
        self.lines += [*(f"{name} = {row}" for row, name in rows), text]

    def text(self, node: Node) -> str:
        return self.writer.write(node, {})

    def take_argument(self, domain: Domain[Any], name: str) -> None:
        fits = self.writer.of_domain(domain, _member)
        self.line(f"if not ({self._quickly(domain, name, None)} or {fits}({name})): return None")

    def update(self, target: Node, value: Node) -> None:
        """Write one update, whose parts are evaluated in the same order as in `run.py`."""
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
        """Write a check that no earlier update writes the cell, a part of the cell, or a value that contains it."""
        for name, earlier in self._written:
            pairs = list(zip(path, earlier, strict=False))
            is_same_field = all(one.text == other.text for one, other in pairs if one.record and other.record)
            if name == variable and is_same_field:
                equal = [f"{one.text} == {other.text}" for one, other in pairs if not one.record]
                self.line(f"if {' and '.join(equal) or True}: raise StepError('a cell is written twice')")

    def _placed(self, whole: str, path: tuple[_Part, ...], value: str, name: str) -> str:
        """Return a copy of a value in which the cell at the end of a path is replaced."""
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
        """Return the text of a quick check. A value that passes it is in the domain; a value that fails it has to be
        checked in full, since it may be in the domain all the same.

        Parts that the value shares with the old value are not checked again, since the old value is in the domain.
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
        """Return the text of a list that says for each element whether it is in its domain; all such lists use the same
        names."""
        if old is None or not isinstance(element, Array | Set | Sequence | Record):
            return f"[{self._quickly(element, 'each', None)} for each in {values}]"
        fits = self._quickly(element, "each", "before")
        return f"[each is before or {fits} for before, each in zip({old}, {values})]"


def _member(domain: Domain[Any]) -> Callable[[Plain], bool]:
    """Return a function that checks if a value is in a domain; it is built at its first use, as most are never used."""
    return lambda value: membership(domain)(value)


def _changed_member(domain: Domain[Any]) -> Callable[[Plain, Plain], bool]:
    return lambda before, value: membership_of_changed(domain)(before, value)


def _is_position(domain: Domain[Any]) -> bool:
    return isinstance(domain, IndexSet) or (isinstance(domain, Int) and isinstance(domain.low, int) and domain.low >= 0)


def _is_always_in(domain: Domain[Any], node: Node) -> bool:
    """Return whether the form of an expression is enough to know that its value is in a domain in every world.

    The values in a state are in their domains, and so are the arguments of the action: both were checked earlier.
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
    """Return whether a node is a variable, an argument or a name bound by a quantifier, or a part of one of these."""
    match node:
        case Field(record=whole) | Operation(operator=Operator.SELECT | Operator.AT, operands=(whole, _)):
            return _is_a_cell(whole)
        case _:
            return isinstance(node, Variable | Bound)


def _has(domain: Domain[Any], value: Plain) -> bool:
    """Return whether a value is in a domain whose bounds are plain numbers; False for other domains."""
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
    """Return the elements of a sequence that are not the same objects as elements of the sequence before the step."""
    size = len(before)
    if len(value) > size and all(map(is_, before, value)):  # the usual case: elements were appended
        return value[size:]
    known = set(map(id, before))
    return [one for one in value if id(one) not in known]


_NAMES: dict[str, Any] = {"StepError": StepError, "added": _added}
