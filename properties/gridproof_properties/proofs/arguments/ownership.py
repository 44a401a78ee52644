"""Why ownership keeps its claims."""

from gridproof_model.specifications.ownership import specification
from gridproof_properties.proofs.argument import Argument

argument = Argument(
    specification,
    proved_in=({},),
    explored_in=(
        {},
        {"members": 2, "lite": 1, "newcomers": 1, "groups": 3, "crashes": 1, "leaves": 1, "rebalances": 0},
        {"crashes": 1, "failures": 1, "migrations_at_once": 2},
    ),
)
