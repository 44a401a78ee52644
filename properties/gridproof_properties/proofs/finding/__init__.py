"""Finds lemmas: conditions that are true in every explored state, and that an inductive proof of a claim lacks."""
