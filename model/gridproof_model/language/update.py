"""One change that an action makes."""

from dataclasses import dataclass, field

from gridproof_model.language.errors import SpecificationError, where
from gridproof_model.language.tree import Field, Node, Operation, Operator, Variable


@dataclass(frozen=True, slots=True)
class Update:
    """`target` (a variable, or a cell or field of one) takes `value`, computed in the state before the step."""

    target: Node
    value: Node
    at: str = field(default_factory=where, compare=False)
    """File and line of the author."""

    def __post_init__(self) -> None:
        root(self.target, self.at)


def root(target: Node, at: str | None = None) -> Variable:
    """Return the variable a target lies in; SpecificationError for anything that is no cell of a variable."""
    match target:
        case Variable():
            return target
        case Operation(operator=Operator.SELECT, operands=(array, _)):
            return root(array, at)
        case Field(record=record):
            return root(record, at)
        case _:
            raise SpecificationError("only a variable, or a cell or field of one, can become something", at)
