"""What had another name: the old one leads to the new one for one release, and a line says so.

Where a name of a specification, a property or a constant is typed or was recorded, it is looked up here, and nowhere
else. A constant stands with its specification: `snapshot.crashes`.
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
"""The new name of each old one."""


def present_name(name: str, known: Container[str]) -> str:
    """Return what is called by a name today, as it was typed where that is known; a line on standard error says so."""
    now = RENAMED.get(name)
    if now is None or name in known or now not in known:
        return name
    _say(name, now)
    return now


def recorded_name(name: str) -> str:
    """Return what a thing is called today that a record names; nobody typed that, and nothing is said."""
    return RENAMED.get(name, name)


@cache
def _say(name: str, now: str) -> None:
    """Say once what has another name."""
    print(f"gridproof: {name} is now called {now}", file=sys.stderr)
