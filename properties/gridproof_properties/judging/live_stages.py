"""Stages of a live run, as its records have them."""

BUSY, AT_REST, LATER = "busy", "at rest", "later"
"""Clients are at work; the grid has settled; a little after that."""
