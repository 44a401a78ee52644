"""Lemmas found by the program: what is true in every explored state, chosen by what induction lacks."""
