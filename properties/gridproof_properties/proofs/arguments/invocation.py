"""Why an invocation keeps its claims."""

from gridproof_model.specifications.invocation import specification
from gridproof_properties.proofs.argument import Argument

argument = Argument(
    specification, proved_in=({}, {"counts_leavers": False}), explored_in=({}, {"counts_leavers": False})
)
