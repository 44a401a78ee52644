"""Repair, promotion, spreading, succession, followed as steps of `ownership`."""
