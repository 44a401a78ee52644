"""Unique values are appended to lists, which are read as a whole."""

from random import Random

from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.list import Append, ReadAll
from gridproof_implementation.simulator import workload
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import Load, Verb, draw_kind, draw_place
from gridproof_model.trace import OperationKind

NAME = "appends"
LISTS = 3
KINDS = (OperationKind.APPEND,) * 4 + (OperationKind.READ,)
VERBS = {
    OperationKind.APPEND: Verb(lambda its, asked: Append(its, asked.value or ""), workload.what_was_asked),
    OperationKind.READ: Verb(lambda its, _: ReadAll(its), workload.what_came(workload.items_of)),
}


@workload.one_by_one
def draw(rng: Random, load: Load, number: int) -> ClientOperation:
    """Draw one operation: mostly an append to one of a few lists, sometimes a read."""
    key = f"{NAME}-{draw_place(rng, load, LISTS, lambda: rng.randrange(LISTS))}"
    kind = draw_kind(rng, load, KINDS)
    return ClientOperation(NAME, kind, key, None if kind is OperationKind.READ else f"v{number}")


WORKLOAD = workload.of_single_calls(
    NAME, "values are appended to lists, which are read whole", VERBS, draw, lambda key: StructureId("list", key),
    is_whole=True,
)  # fmt: skip
