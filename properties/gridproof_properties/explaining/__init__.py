"""Finds how early in a run the run's failure becomes likely."""
