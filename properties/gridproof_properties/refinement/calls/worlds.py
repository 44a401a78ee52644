"""Worlds of `calls` large enough for one call of a run."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_model.language import Specification, SpecificationError, World
from gridproof_model.specifications.calls import specification as calls
from gridproof_properties.refinement.behaviour import Size
from gridproof_properties.validation.engine import GivenUpError

ATTEMPTS_MAX = 1_024


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeOfCalls(Size):
    """How large the world of a call is."""

    SPECIFICATION: ClassVar[Specification] = calls
    PLENTIFUL: ClassVar[tuple[str, ...]] = ("changes", "endings", "handlings", "retries")
    MEMBERS_MAX: ClassVar[int] = 72
    backups: int
    """The most that any structure has."""
    serves_stale_reads: bool
    attempts: int = 4

    def world(self) -> World:
        """Return the world; GivenUpError where it would have too many numbers."""
        try:
            return Size.world(self)
        except SpecificationError:
            raise GivenUpError(f"more than {self.attempts // 4} attempts among {self.members} members") from None
