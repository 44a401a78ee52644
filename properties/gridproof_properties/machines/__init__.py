"""Hypothesis state machines over running grids.

`members`: real members, messages in any order, in lock-step with the specifications. `lock_step`: an implementation of
your own beside a specification. `table`: the tables-only reference. `docs/your-own-machine.md` shows how they are used.
"""
