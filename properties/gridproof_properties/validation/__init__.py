"""Trace validation: compares the records of a system with a specification.

`engine` keeps the states in which the system may be, and says why an event is refused. `judge` gives the records of a
run to the behaviours that they concern, each of which has a world that grows; `concluding` says what proofs imply for
them; `table` reads the log of any program. `refinement` says which action each event of gridproof's own traces is.
"""
