"""Blind mutants, which are drawn and not chosen, tried in simulated runs.

No module here imports the implementation when it is loaded: a process that plays a mutant must change a module first.
"""
