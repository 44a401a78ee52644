"""Hypothesis strategies, for gridproof's own tests and for those of users.

`tables` draws addresses, members, member lists, rows and tables; `runs` draws whole runs, good or bad.
"""
