"""Hypothesis state machines over running grids.

`members`: real members, messages in any order, in lock-step with the specifications. `lock_step`: an implementation of
your own beside a specification. `any_grid`: anybody's adapter.
`docs/your-own-machine.md` and `docs/driving-your-own-grid.md` show how they are used.
"""

MACHINES: tuple[str, ...] = ("members", "lock_step", "any_grid")
"""Modules with a machine. They are imported by who wants one: they need Hypothesis, what else is here does not."""
