"""Worlds of `tables` large enough for whole runs."""

from functools import cache

from gridproof_model.language.run import Runner
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_model.specifications.tables import specification

PLENTY = 1_000_000
"""Of what only bounds a world: versions, changes, edits, orders, losses, endings."""
MEMBERS = 8
MEMBERS_MAX = 64
"""Those that have ended counted; what members know of each other grows with the square."""
MIGRATIONS = 8
"""To begin with: a behaviour goes on in a larger world when these are too little."""
MIGRATIONS_MAX = 128
TABLES_SENT = 40
"""Tables of one member that are kept: whoever has sent more has its oldest ones forgotten."""


@cache
def runner_of(members: int = MEMBERS, migrations: int = MIGRATIONS) -> Runner:
    """Return the world of one partition among so many members: room for all that a run may do."""
    return Runner(
        specification.world(
            members=members,
            backups=MAX_BACKUP_COUNT,
            migrations=migrations,
            orders=PLENTY,
            tables_sent=TABLES_SENT,
            changes=PLENTY,
            edits=PLENTY,
            losses=PLENTY,
            endings=PLENTY,
            versions=PLENTY,
        )
    )
