"""An action as one Python function: its guards, and the cells that it writes.

For who takes very many steps: validation of traces. The run reading evaluates every guard, index and value by a
function of its own and looks at whole values; it is the oracle of this one, and has the words for what is refused.
`python -m benchmarks compiled_steps` prints how much longer it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gridproof_model.language.declarations import Action
from gridproof_model.language.domains import Bool, Domain, IndexSet, Int, OneOf, Option, Record
from gridproof_model.language.errors import StepError
from gridproof_model.language.evaluate import Writer
from gridproof_model.language.tree import Field, Node, Operation, Variable
from gridproof_model.language.update import root
from gridproof_model.language.values import Plain, membership, membership_of_changed, record_class

CompiledAction = Callable[..., tuple[Plain, ...] | None]
"""Makes of all variables' values and the arguments the values after the step.

None where an argument is outside its domain or a guard is false. Raises StepError where the step is undefined, leaves a
domain or writes a cell twice.
"""
INDENT = "\n    "


def compiled(action: Action, names: tuple[str, ...]) -> CompiledAction:
    """Return a grounded action as a function; `names` are the variables', in the order of their values."""
    arguments = {parameter.name: f"argument_{at}" for at, parameter in enumerate(action.parameters)}
    writing = _Writing(Writer(names, arguments))
    for parameter in action.parameters:
        writing.take_argument(parameter.domain, arguments[parameter.name])
    for guard in action.guards:
        writing.lines.append(f"if not {writing.text(guard)}: return None")
    writing.lines.append("values = [*state]")
    for update in action.updates:
        writing.update(update.target, update.value)
    head = f"def step({', '.join(['state', *arguments.values()])}):"
    namespace = writing.writer.values | _NAMES
    exec(compile(INDENT.join([head, *writing.lines, "return tuple(values)"]), f"<{action.name}>", "exec"), namespace)
    function: CompiledAction = namespace["step"]
    return function


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

    def text(self, node: Node) -> str:
        return self.writer.write(node, {})

    def take_argument(self, domain: Domain[Any], name: str) -> None:
        fits = self.writer.named(membership(domain))
        self.lines.append(f"if not ({self._quickly(domain, name)} or {fits}({name})): return None")

    def update(self, target: Node, value: Node) -> None:
        """Write one update, in the order in which the run reading evaluates its parts."""
        number, variable = len(self._written), root(target).name
        path = self._path(target, f"index_{number}")
        position = self.writer.names.index(variable)
        self._refuse_twice(variable, path)
        may_follow = self.writer.named(membership_of_changed(target.domain))
        new, old = f"new_{number}", f"old_{number}"
        self.lines.append(f"{new} = {self.text(value)}")
        self.lines.append(f"{old} = state[{position}]{''.join(map(_chosen, path))}")
        has_earlier = any(name == variable for name, _ in self._written)
        whole = f"values[{position}]" if has_earlier else f"state[{position}]"
        self.lines.append(f"values[{position}] = {self._placed(whole, path, new, f'part_{number}')}")
        fits = f"{self._quickly(target.domain, new)} or {may_follow}({old}, {new})"
        self.lines.append(f"if not ({fits}): raise StepError('outside its domain')")
        self._written.append((variable, path))

    def _path(self, target: Node, index_name: str) -> tuple[_Part, ...]:
        match target:
            case Operation(operands=(array, index)):
                path, text = self._path(array, index_name), self.text(index)
                if not text.isidentifier():
                    name = f"{index_name}_{len(path)}"
                    self.lines.append(f"{name} = {text}")
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
                self.lines.append(f"if {' and '.join(equal) or True}: raise StepError('a cell is written twice')")

    def _placed(self, whole: str, path: tuple[_Part, ...], value: str, name: str) -> str:
        """Return what a value is with the cell at a path below it replaced."""
        if not path:
            return value
        first, rest = path[0], path[1:]
        if not whole.isidentifier():
            self.lines.append(f"{name} = {whole}")
            whole = name
        inner = self._placed(f"{whole}{_chosen(first)}", rest, value, f"{name}_{len(rest)}")
        if first.record is None:
            return f"{whole}[:{first.text}] + ({inner},) + {whole}[{first.text} + 1:]"
        fields = tuple(field_name for field_name, _ in first.record.fields)
        cells = (inner if one == first.text else f"{whole}[{at}]" for at, one in enumerate(fields))
        shape = self.writer.named(record_class(first.record.shape.__name__, fields))
        return f"new_tuple({shape}, ({', '.join(cells)},))"

    def _quickly(self, domain: Domain[Any], name: str) -> str:
        """Return an expression that is true only of values of a domain, and of nearly all of them."""
        match domain:
            case Bool():
                return f"type({name}) is bool"
            case Int(low=low, high=high):
                bounds = [f"{low} <= {name}"] * (low is not None) + [f"{name} <= {high}"] * (high is not None)
                return " and ".join([f"type({name}) is int", *bounds])
            case IndexSet(size=size):
                return f"type({name}) is int and 0 <= {name} < {size}"
            case OneOf(choices=choices):
                return f"type({name}) is {self.writer.named(choices)}"
            case Option(inner=inner):
                return f"{name} is None or {self._quickly(inner, name)}"
            case _:
                return "False"


def _chosen(part: _Part) -> str:
    return f".{part.text}" if part.record else f"[{part.text}]"


_NAMES: dict[str, Any] = {"StepError": StepError, "new_tuple": tuple.__new__}
