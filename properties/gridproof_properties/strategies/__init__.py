"""Hypothesis strategies, for gridproof's own tests and for yours.

`tables`: addresses, members, member lists; rows and tables. `runs`: whole runs, good or not.
"""
