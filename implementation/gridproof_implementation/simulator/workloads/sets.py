"""Sets, into which values are inserted, from which they are discarded, and which are read as a whole."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.set import Add, Discard, Elements
from gridproof_implementation.simulator import workload
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import Load, Verb, draw_kind, draw_place
from gridproof_model.trace import OperationKind

NAME = "sets"
SETS = 2
KINDS = (OperationKind.INSERT,) * 5 + (OperationKind.DISCARD,) * 2 + (OperationKind.READ,) * 2
WHETHER_CHANGED = workload.both(workload.truth_of)
VERBS = {
    OperationKind.INSERT: Verb(lambda its, asked: Add(its, asked.value or ""), WHETHER_CHANGED),
    OperationKind.DISCARD: Verb(lambda its, asked: Discard(its, asked.value or ""), WHETHER_CHANGED),
    OperationKind.READ: Verb(lambda its, _: Elements(its), workload.what_came(workload.items_of)),
}


def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
    """Draw mostly insertions; a value that is discarded was inserted by an earlier operation."""
    inserted: dict[str, list[str]] = {}

    def draw_one(number: int) -> ClientOperation:
        key = f"{NAME}-{draw_place(rng, load, SETS, lambda: rng.randrange(SETS))}"
        known = inserted.setdefault(key, [])
        kind = draw_kind(rng, load, KINDS)
        if kind is OperationKind.DISCARD and known:
            return ClientOperation(NAME, kind, key, rng.choice(known))
        if kind in (OperationKind.INSERT, OperationKind.DISCARD):
            known.append(f"v{number}")
            return ClientOperation(NAME, OperationKind.INSERT, key, known[-1])
        return ClientOperation(NAME, OperationKind.READ, key)

    return workload.draw_client_operations(rng, load, draw_one)


WORKLOAD = workload.of_single_calls(
    NAME, "values are put into sets and taken out", VERBS, draw, lambda key: StructureId("set", key), is_whole=True
)
