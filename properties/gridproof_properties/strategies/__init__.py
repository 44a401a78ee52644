"""Hypothesis strategies, for the tests of gridproof itself and for those of its users.

`tables` draws addresses, members, member lists, rows and tables; `runs` draws whole runs, good and bad ones.
"""
