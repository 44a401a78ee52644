"""The two placement policies over one long membership history."""

from tools.placement_history.history import PolicyPoint, run_history

__all__ = ["PolicyPoint", "run_history"]
