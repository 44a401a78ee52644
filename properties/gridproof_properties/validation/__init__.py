"""Trace validation: what a system recorded, held against a specification.

`engine` keeps the states that the system may be in, and says why an event is refused. `judge` gives the records of a
run to the behaviours that they concern, each in a world that grows; `concluding` says what follows by proof; `table`
reads anybody's log. Which action an event of this project's own traces is, `refinement` says.
"""
