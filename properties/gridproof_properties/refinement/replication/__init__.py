"""Replication, followed by partition and namespace."""
