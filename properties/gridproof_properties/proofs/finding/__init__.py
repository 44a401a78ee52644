"""Finds lemmas: conditions that are true in every explored state, chosen by what induction lacks."""
