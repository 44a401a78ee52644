"""The argument about snapshots, and its worlds."""

from gridproof_model.language import ANY_NUMBER, Plain
from gridproof_model.specifications.snapshot import specification
from gridproof_properties.proofs.argument import Argument

WITHOUT_BOUNDS: dict[str, Plain] = dict.fromkeys(("snapshots", "crashes", "misses"), ANY_NUMBER)

argument = Argument(
    specification,
    proved_in=(
        WITHOUT_BOUNDS,
        {"fails_on_indeterminate": True, **WITHOUT_BOUNDS},
        {"members": 4, "partitions": 3, "items": 2, **WITHOUT_BOUNDS},
    ),
    explored_in=(
        {"snapshots": 1},
        {"misses": 0},
        {"partitions": 1, "crashes": 2, "snapshots": 3, "misses": 2},
        {"partitions": 1, "crashes": 2, "snapshots": 3, "misses": 2, "fails_on_indeterminate": True},
        {"snapshots": 1, "fails_on_indeterminate": True},
    ),
)
