"""Worlds of replication that people compare engines by, and what makes a world one of any tables."""

from gridproof_model.language.values import Plain

ANY_TABLES: dict[str, Plain] = {
    "one_table": False, "in_order": False, "urgent_first": False,
    "changes": 1, "moves": 1, "checks": 1, "refusals": 1,
}  # fmt: skip
"""Members learn of any rows and lists, and mail is taken in any order: what runs are validated in, made small."""
FOUR_MEMBERS: dict[str, Plain] = {"members": 4, "migrations": 1, "refusals": 1}
"""A primary, two backups and a spare."""
