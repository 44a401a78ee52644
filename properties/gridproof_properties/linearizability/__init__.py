"""Linearizability: whether there is one order of the operations that explains all their answers."""

from gridproof_properties.linearizability.check import Linearization, check_linearizable
from gridproof_properties.linearizability.history import TimedOperation
from gridproof_properties.linearizability.sequential import SequentialModel

__all__ = ["Linearization", "SequentialModel", "TimedOperation", "check_linearizable"]
