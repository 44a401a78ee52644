"""Membership: which members there are, which one is the master, which are gone."""
