"""Finds which rules of the protocol and of placement runs execute.

No module here imports the implementation when it is loaded: a process that measures must put in its probes first.
"""
