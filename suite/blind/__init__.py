"""Mutants that nobody chose, held against simulated runs.

Nothing here imports the implementation when it is loaded: a process that plays a mutant has to change a module first.
"""
