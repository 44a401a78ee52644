"""Worlds of replication that people compare engines by."""

from gridproof_model.language.values import Plain

FOUR_MEMBERS: dict[str, Plain] = {"members": 4, "sync_backups": 1, "async_backups": 2, "crashes": 1}
"""A primary and three backups on four members: some 840,000 states."""
FOUR_MEMBERS_LARGE: dict[str, Plain] = {**FOUR_MEMBERS, "writes": 5, "losses": 2, "refusals": 0, "migrations": 0}
"""The same members with two more writes and one more loss: nine and a half million states."""
