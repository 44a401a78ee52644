"""Replication: fragments, version vectors, and how backups are applied."""
