"""Checks of systems: audits, runs under faults, and comparisons of two systems."""
