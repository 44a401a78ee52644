"""Runs of a stream job, followed as behaviours of `snapshot`."""
