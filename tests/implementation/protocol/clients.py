"""Clients of a whole grid, endlessly patient."""

from collections.abc import Sequence
from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.node import Call, CallMany
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.simulator.host import Host
from gridproof_model.grid_config import GridConfig
from tests.implementation.protocol.grids import FEW_PARTITIONS, Grid, make_grid

PATIENCE_SECONDS = 200


@dataclass
class Clients:
    """A grid, and how the calls of its clients ended."""

    grid: Grid
    calls: int = 0

    @property
    def answers(self) -> dict[int, Answer]:
        """By the number of the call."""
        return {answer.call: answer for answer in self.grid.seen.answers}

    def ask(
        self,
        place: int,
        operation: Operation,
        partition: int = 0,
        *,
        thread: int = 0,
        strict: bool | None = None,
        from_backup: bool = False,
    ) -> int:
        """Have the member started as number `place` called; return the number of the call."""
        self.calls += 1
        call = Call(self.calls, operation, partition, thread, strict, from_backup)
        self.grid.world.call(self.grid.world.hosts[place], call)
        return self.calls

    def ask_many(self, place: int, operations: Sequence[tuple[int, Operation]]) -> int:
        """Have several partitions asked; return the number of the call."""
        self.calls += 1
        self.grid.world.call(self.grid.world.hosts[place], CallMany(self.calls, tuple(operations)))
        return self.calls

    def wait(self, call: int) -> Answer:
        """Let time pass until the call ended."""
        for _ in range(PATIENCE_SECONDS * 100):
            if call in self.answers:
                return self.answers[call]
            self.grid.run_for(0.01)
        raise AssertionError(f"call {call} did not end within {PATIENCE_SECONDS} s")

    def result_of(self, place: int, operation: Operation, partition: int = 0, *, thread: int = 0) -> object:
        """Ask, wait, and return the value."""
        answer = self.wait(self.ask(place, operation, partition, thread=thread))
        assert answer.failure is None, answer.failure
        return answer.value

    def owner(self, partition: int = 0) -> int:
        """Return which member owns a partition, by the table of the first one that runs."""
        slots = self.grid.running[0].member.node.partitions.rows[partition].slots
        assert slots[0] is not None
        return self.grid.number_of(slots[0])

    def contents(self, structure: StructureId, partition: int = 0) -> list[dict[str, str]]:
        """Return what each running member holds of a structure, in the order of their starts."""
        return [content_of(host, structure, partition) for host in self.grid.running]


def content_of(host: Host, structure: StructureId, partition: int = 0) -> dict[str, str]:
    """Return what one member holds of a structure in a partition."""
    replicas = host.member.node.replicas
    fragment = replicas.fragment(partition, replicas.namespace_of(structure))
    return dict(replicas.structure_in(fragment, structure).entries())


def clients_of(members: int, *, seed: int = 1, config: GridConfig = FEW_PARTITIONS) -> Clients:
    """Return the clients of a grid of so many members, all joined."""
    return Clients(make_grid(members, seed=seed, config=config))
