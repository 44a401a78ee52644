"""Anti-entropy: copies that differ are found and made equal."""
