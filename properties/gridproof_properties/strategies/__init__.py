"""Hypothesis strategies, exported for users."""
