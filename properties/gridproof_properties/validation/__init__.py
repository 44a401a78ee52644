"""Trace validation: what a system recorded, held against a specification.

`engine` keeps the states that the system may be in; `explanation` says why an event is refused. `judge` gives the
records of a run to the behaviours that they concern, each a `behaviour` in a world that grows; `table` and `log` read
anybody's log. Which action an event of this project's own traces is, `refinement` says.
"""
