"""Proofs asked for: lemmas that are found, one specification a step of another."""
