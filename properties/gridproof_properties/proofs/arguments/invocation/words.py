"""The argument about an invocation, and its worlds."""

from gridproof_model.language import ANY_NUMBER, Plain
from gridproof_model.specifications.invocation import specification
from gridproof_properties.proofs.argument import Argument

WITHOUT_BOUNDS: dict[str, Plain] = dict.fromkeys(("losses", "crashes", "migrations"), ANY_NUMBER)

argument = Argument(
    specification,
    proved_in=(
        WITHOUT_BOUNDS,
        {"counts_leavers": False, **WITHOUT_BOUNDS},
        {"members": 4, "attempts": 3, **WITHOUT_BOUNDS},
    ),
    explored_in=({}, {"counts_leavers": False}, {"members": 4, "attempts": 3, "losses": 0}),
)
