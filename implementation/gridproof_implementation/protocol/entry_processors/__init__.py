"""All kinds of entry processors that are used in runs."""
