"""Worlds of `replicas` large enough for whole runs."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_model.language import Specification
from gridproof_model.specifications.replicas import specification as replicas
from gridproof_properties.refinement.behaviour import Size

MAIL_MAX = 512
"""A message behind which more than so many wait counts as lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeOfReplicas(Size):
    """How large a world is in which so many backups are kept."""

    SPECIFICATION: ClassVar[Specification] = replicas
    PLENTIFUL: ClassVar[tuple[str, ...]] = ("writes", "changes", "moves", "checks", "endings")
    MEMBERS_MAX: ClassVar[int] = 72
    backups: int
    mail_capacity: int = 16
    """Messages that may wait for a member."""
