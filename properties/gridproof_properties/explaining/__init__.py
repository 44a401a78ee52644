"""Finds from how early in a run its failure is likely."""
