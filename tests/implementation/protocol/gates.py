"""A structure with something to wait for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from gridproof_implementation.protocol.calls import (
    ErrorResponse,
    Response,
)
from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.structure import (
    BlockingOperation,
    Execution,
    Operation,
    Origin,
    StructureId,
)
from gridproof_implementation.protocol.structures import STRUCTURES
from gridproof_model.events.words import Failure
from tests.implementation.protocol.grids import sent

GATE = StructureId("gate", "g")


@dataclass(frozen=True, slots=True)
class Open(Operation):
    """Let one pass."""


@dataclass(frozen=True, slots=True)
class Pass(BlockingOperation):
    """Wait until one may pass."""

    GIVEN_UP: ClassVar[object] = "gave up"


@dataclass(frozen=True, slots=True)
class Break(Operation):
    """Throw."""


class GatePart:
    """A structure with something to wait for."""

    def __init__(self) -> None:
        self.may_pass = 0

    def execute(self, operation: Operation, origin: Origin) -> Execution:
        match operation:
            case Open():
                self.may_pass += 1
                return Execution(None, self.may_pass)
            case Pass() if self.may_pass:
                self.may_pass -= 1
                return Execution("passed", self.may_pass)
            case Pass():
                return Execution(wait=True)
            case _:
                return Execution(failure=Failure.THROWN)

    def apply_backup(self, backup: object) -> None:
        assert isinstance(backup, int)
        self.may_pass = backup

    def replica_data(self) -> object:
        return self.may_pass

    def load(self, data: object) -> None:
        self.apply_backup(data)

    def entries(self) -> Mapping[str, str]:
        return {"may pass": str(self.may_pass)}


def add_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let members know gates for a while."""
    monkeypatch.setitem(STRUCTURES, GATE.kind, GatePart)


def failures(effects: Sequence[Effect]) -> list[Failure]:
    """Return the errors that callers were answered."""
    return [message.failure for _, message in sent(effects, ErrorResponse)]


def values(effects: Sequence[Effect]) -> list[object]:
    """Return the results that callers were answered."""
    return [message.value for _, message in sent(effects, Response)]
