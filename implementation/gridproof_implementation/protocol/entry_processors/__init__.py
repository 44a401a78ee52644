"""All kinds of entry processors that runs use."""
