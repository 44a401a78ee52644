"""Hypothesis state machines over running grids."""
