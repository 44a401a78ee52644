"""Replication: writes, backups and anti-entropy of every partition and namespace."""
