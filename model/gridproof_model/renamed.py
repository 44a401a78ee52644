"""Old names of renamed things: for one release, an old name is understood, and a message says that it has changed.

Only this file looks up the name of a specification, a property or a constant that a user types, or that a record has. A
constant is written together with its specification: `snapshot.crashes`.
"""

import sys
from collections.abc import Container
from functools import cache

RENAMED: dict[str, str] = {
    "calls": "invocation",
    "tables": "ownership",
    "refines-tables": "refines-ownership",
    "ownership.crashes": "ownership.endings",
    "ownership.lite": "ownership.lites",
    "ownership.late_tables": "ownership.tables_sent",
    "ownership.migrations_at_once": "ownership.migrations",
    "ownership.rebalances": "ownership.orders",
    "refines-calls": "refines-invocation",
    "invocation.counts_leavers": "invocation.strict_counts_leavers",
    "invocation.crashes": "invocation.endings",
    "invocation.migrations": "invocation.moves",
    "invocation.sync_backups": "invocation.backups",
    "streams": "snapshot",
    "refines-streams": "refines-snapshot",
    "snapshot.crashes": "snapshot.endings",
    "snapshot.fails_on_indeterminate": "snapshot.strict",
    "replicas": "replication",
    "refines-replicas": "refines-replication",
    "replication.crashes": "replication.endings",
    "replication.lane_capacity": "replication.mail_capacity",
    "leaver-waits-its-time": "configured-times-are-held",
}
"""The new name for each old name."""


def present_name(name: str, known: Container[str]) -> str:
    """Return the present name for a name that a user typed; if it is an old name, say so on standard error."""
    now = RENAMED.get(name)
    if now is None or name in known or now not in known:
        return name
    _say(name, now)
    return now


def recorded_name(name: str) -> str:
    """Return the present name for a name in a record; as no user typed it, nothing is reported."""
    return RENAMED.get(name, name)


@cache
def _say(name: str, now: str) -> None:
    """Say once that a name has changed."""
    print(f"gridproof: {name} is now called {now}", file=sys.stderr)
