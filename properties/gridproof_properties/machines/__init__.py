"""State machines for Hypothesis, over running grids.

`members` has real members, to which messages come in any order, and runs them in lock-step with the specifications.
`lock_step` runs a user's implementation beside a specification. `any_grid` drives a grid through any adapter.
`docs/your-own-machine.md` and `docs/driving-your-own-grid.md` show how they are used.
"""

MACHINES: tuple[str, ...] = ("members", "lock_step", "any_grid")
"""The modules that contain a state machine. Users import them one by one: these modules need Hypothesis, and the other
modules in this folder do not."""
