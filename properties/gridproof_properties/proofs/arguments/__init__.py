"""All arguments in one tuple, one for every specification."""

from gridproof_properties.proofs.argument import HINTS, Argument
from gridproof_properties.proofs.arguments import (
    durability,
    invocation,
    ownership,
    replication,
    snapshot,
    two_phase_commit,
)

ARGUMENTS: tuple[Argument, ...] = (
    two_phase_commit.argument,
    ownership.argument,
    replication.argument,
    invocation.argument,
    snapshot.argument,
    durability.argument,
)

for _argument in ARGUMENTS:
    _argument.hints_in = HINTS
