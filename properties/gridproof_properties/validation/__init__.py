"""Trace validation: what a system recorded, held against a specification.

`engine` keeps the states the system may be in; `explanation` says why an event is refused. How events of this project's
own traces are read is `refinement`'s.
"""
