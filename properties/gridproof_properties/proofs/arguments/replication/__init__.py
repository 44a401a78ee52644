"""Why replication keeps its claims, unbounded in writes."""

from gridproof_properties.proofs.arguments.replication import acknowledgements, contents, lanes, quiet
from gridproof_properties.proofs.arguments.replication.words import argument

__all__ = ["acknowledgements", "argument", "contents", "lanes", "quiet"]
