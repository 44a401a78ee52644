"""Hypothesis strategies, for gridproof's own tests and for yours.

`membership`: addresses, members, member lists. `tables`: rows and tables. `runs`: whole runs, good or not.
"""
