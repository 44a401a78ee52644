"""Blind mutants, which are drawn at random instead of chosen, and are tried in simulated runs.

No module here imports the implementation when it is loaded: a process that plays a mutant must change a module first.
"""
