"""What runs execute of the protocol and of placement.

Nothing here imports the implementation when it is loaded: a process that measures has to put its probes in first.
"""
