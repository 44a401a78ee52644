"""Trace validation: the records of a system, compared with a specification.

`engine` keeps the states that the system may be in, and says why an event is refused. `judge` gives the records of a
run to the behaviours that they concern, each in a world that grows; `concluding` says what follows by proof; `table`
reads the log of any program. `refinement` says which action each event of gridproof's own traces is.
"""
