"""Campaigns: a grid of parameters times seeds."""
