"""Why snapshots keep their claims."""

from gridproof_model.specifications.snapshot import specification
from gridproof_properties.proofs.argument import Argument

argument = Argument(
    specification,
    proved_in=({}, {"fails_on_indeterminate": True}),
    explored_in=(
        {"snapshots": 1},
        {"misses": 0},
        {"partitions": 1, "crashes": 2, "snapshots": 3, "misses": 2},
        {"partitions": 1, "crashes": 2, "snapshots": 3, "misses": 2, "fails_on_indeterminate": True},
    ),
)
