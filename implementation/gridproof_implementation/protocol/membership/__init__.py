"""Membership: who is in, who is master, who is gone."""
