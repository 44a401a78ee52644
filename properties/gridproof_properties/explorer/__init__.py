"""The explorer: it visits every state of a small world."""

from gridproof_properties.explorer.exploration import ClaimVerdict, Coverage, Exploration, Failure, FailureKind
from gridproof_properties.explorer.explore import explore
from gridproof_properties.explorer.search import Limits, Progress
from gridproof_properties.explorer.symmetry import group_size

__all__ = [
    "ClaimVerdict",
    "Coverage",
    "Exploration",
    "Failure",
    "FailureKind",
    "Limits",
    "Progress",
    "explore",
    "group_size",
]
