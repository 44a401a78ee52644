"""The rules of the protocol and of placement that runs execute.

No module here imports the implementation when it is loaded: a process that measures must put in its probes first.
"""
