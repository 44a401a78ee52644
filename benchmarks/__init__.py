"""Ratios of two things measured in one run."""
