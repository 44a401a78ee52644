"""Whether what an agent answers to `operate` is what its kinds mean; a part of the check of an agent."""

from collections.abc import Iterator
from dataclasses import dataclass

from gridproof_implementation.adapter import ReadAnswer, WriteAnswer
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.process import AgentProcess
from gridproof_implementation.live.running import ITEMS, LOCKED, ask_operation
from gridproof_model.trace import OperationKind, Outcome

CELL, COUNTER, LIST, QUEUE, LOCK = "check-cell", "check-counter", "check-list", "check-queue", "check-lock"


@dataclass(frozen=True, slots=True)
class Step:
    """An operation of one caller, at rest."""

    kind: str
    key: str
    value: str | None = None
    expected: str | None = None
    meant: tuple[object, ...] | None = None
    """What may come back; anything, where it is None."""


STEPS = (
    Step(OperationKind.ADD, COUNTER, meant=(1, "1")),
    Step(OperationKind.ADD, COUNTER, meant=(2, "2")),
    Step(OperationKind.CONTAINS, CELL, meant=(False,)),
    Step(OperationKind.PUT_IF_ABSENT, CELL, "a", meant=(None,)),
    Step(OperationKind.WRITE, CELL, "a"),
    Step(OperationKind.PUT_IF_ABSENT, CELL, "b", meant=("a",)),
    Step(OperationKind.READ, CELL, meant=("a",)),
    Step(OperationKind.CONTAINS, CELL, meant=(True,)),
    Step(OperationKind.COMPARE_AND_SET, CELL, "c", expected="b", meant=(False,)),
    Step(OperationKind.COMPARE_AND_SET, CELL, "c", expected="a", meant=(True,)),
    Step(OperationKind.READ, CELL, meant=("c",)),
    Step(OperationKind.COMPARE_AND_REMOVE, CELL, expected="a", meant=(False,)),
    Step(OperationKind.COMPARE_AND_REMOVE, CELL, expected="c", meant=(True,)),
    Step(OperationKind.APPEND, LIST, "a"),
    Step(OperationKind.APPEND, LIST, "b"),
    Step(ITEMS, LIST, meant=(("a", "b"),)),
    Step(OperationKind.OFFER, QUEUE, "a"),
    Step(OperationKind.OFFER, QUEUE, "b"),
    Step(OperationKind.POLL, QUEUE, meant=("a",)),
    Step(OperationKind.POLL, QUEUE, meant=("b",)),
    Step(OperationKind.POLL, QUEUE, meant=(None,)),
    Step(LOCKED, LOCK, meant=(False,)),
    Step(OperationKind.LOCK, LOCK, "1", meant=(True,)),
    Step(OperationKind.LOCK, LOCK, "2", meant=(False,)),
    Step(LOCKED, LOCK, meant=(True,)),
    Step(OperationKind.UNLOCK, LOCK, "1", meant=(0, "0", None)),
    Step(OperationKind.LOCK, LOCK, "2", meant=(True,)),
    Step(OperationKind.UNLOCK, LOCK, "2"),
)
_SIZE = OperationKind.SIZE
OF_MAPS = (OperationKind.WRITE, OperationKind.READ)
"""Asked between comparisons, by verbs of their own."""


def try_operations(grid: AgentGrid, process: AgentProcess, deadline_s: float) -> Iterator[str]:
    """Yield what came back otherwise than the kinds that are offered mean; FAILED where nothing comes back."""
    offered = grid.hello.operations
    known = {step.kind for step in STEPS if step.kind not in OF_MAPS}
    yield from (f"operations names {kind!r}, for which nobody asks" for kind in sorted(offered - known - {_SIZE}))
    yield from _count(grid, process, deadline_s) if _SIZE in offered else ()
    for step in STEPS:
        if step.kind not in offered and not (step.kind in OF_MAPS and OperationKind.COMPARE_AND_SET in offered):
            continue
        ended, came_back = _ask(grid, process, step, deadline_s)
        if ended.outcome is not Outcome.OK:
            yield f"at rest {step.kind} of {step.key!r} was {ended.outcome}: {ended.detail}"
        elif step.meant is not None and repr(came_back) not in map(repr, step.meant):
            yield f"{step.kind} of {step.key!r} came back with {came_back!r}; it means {step.meant[0]!r}"


def _count(grid: AgentGrid, process: AgentProcess, deadline_s: float) -> Iterator[str]:
    """Yield what is wrong with `size`: how many there are is not known, but that there is one more is."""
    sizes: list[object] = []
    for key in ("check-size", "check-size again"):
        grid.write(key, "1")
        sizes.append(ask_operation(process, deadline_s, _SIZE, "", None, None)[1])
    before, after = (int(size) if str(size).isdecimal() else None for size in map(str, sizes))
    if before is None or after != before + 1:
        yield f"size came back with {sizes[0]!r}, and with {sizes[1]!r} once one more entry was written"


def _ask(
    grid: AgentGrid, process: AgentProcess, step: Step, deadline_s: float
) -> tuple[ReadAnswer | WriteAnswer, object]:
    if step.kind == OperationKind.WRITE:
        return grid.write(step.key, step.value or ""), None
    if step.kind == OperationKind.READ:
        read = grid.read(step.key)
        return read, read.value
    return ask_operation(process, deadline_s, step.kind, step.key, step.value, step.expected)
