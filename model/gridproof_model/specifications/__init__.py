"""All specifications of the model, listed in one tuple."""

from gridproof_model.language import Specification
from gridproof_model.specifications import durability, invocation, ownership, replication, snapshot, two_phase_commit

SPECIFICATIONS: tuple[Specification, ...] = (
    two_phase_commit.specification,
    ownership.specification,
    replication.specification,
    invocation.specification,
    snapshot.specification,
    durability.specification,
)
