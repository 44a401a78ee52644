"""Finds which rules of the protocol and of placement are executed by runs.

No module here imports the implementation when it is loaded: a process that measures must put in its probes first.
"""
