"""Why an invocation keeps its claims under any faults."""

from gridproof_properties.proofs.arguments.invocation import attempts, strict
from gridproof_properties.proofs.arguments.invocation.words import argument

__all__ = ["argument", "attempts", "strict"]
