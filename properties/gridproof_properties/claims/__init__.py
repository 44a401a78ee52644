"""What is known about specifications: how to find them by name, their stories, the ledger, and comparisons of two."""
