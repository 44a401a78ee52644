"""Replication: fragments, version vectors, and backups applied."""
