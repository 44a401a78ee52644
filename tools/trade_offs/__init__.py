"""The sentences of `docs/trade-offs.md`, each with the program that says its numbers."""
