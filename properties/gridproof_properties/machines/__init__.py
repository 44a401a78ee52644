"""Hypothesis state machines over running grids.

`members` has real members, with messages in any order, in lock-step with the specifications. `lock_step` runs a user's
implementation beside a specification. `any_grid` drives a grid through any adapter.
`docs/your-own-machine.md` and `docs/driving-your-own-grid.md` show how they are used.
"""

MACHINES: tuple[str, ...] = ("members", "lock_step", "any_grid")
"""The modules with a machine. Users import them one by one: they need Hypothesis, and the other modules here do not."""
