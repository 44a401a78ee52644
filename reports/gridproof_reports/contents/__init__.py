"""The contents of reports, as values without a layout."""
