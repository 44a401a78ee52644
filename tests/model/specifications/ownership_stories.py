"""Words for stories about ownership, in order of events."""

from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import Plain, State
from gridproof_model.specifications.ownership import specification

A, B, C, D = range(4)
"""Members in their order of joining; A founds the cluster and is its first master."""
PRIMARY, BACKUP, SECOND_BACKUP = range(3)
"""Slots."""
K = 0
"""A migration."""
MANY: dict[str, Plain] = {
    "newcomers": 1,
    "groups": 4,
    "crashes": 4,
    "leaves": 4,
    "rebalances": 4,
    "failures": 4,
    "late_tables": 2,
    "migrations_at_once": 2,
}
Steps = tuple[tuple[Plain, ...], ...]


def after(*steps: tuple[Plain, ...], **constants: Plain) -> State:
    """Return the state after the founders have formed a cluster and these steps were taken."""
    runner = Runner(specification.world(**{**MANY, **constants}))
    (state,) = runner.initial_states()
    for action, *parameters in (("founders_form_the_cluster",), *steps):
        state = runner.step(state, Event(str(action), tuple(parameters)))
    return state


def possible(state: State, **constants: Plain) -> set[tuple[Plain, ...]]:
    """Return what may happen in a state."""
    runner = Runner(specification.world(**{**MANY, **constants}))
    return {(event.action, *event.arguments) for event in runner.events(state)}


ARRANGED: Steps = (
    ("master_arranges", B, C, B),
    ("member_receives_table", B),
    ("member_receives_table", C),
)
"""B is the primary, C the backup; A, the master, owns nothing."""
OWN: Steps = (("master_arranges", A, B, A), ("member_receives_table", B), ("member_receives_table", C))
"""A, the master, is the primary, and B the backup."""


def moves(destination: int, slot: int, primary: int) -> Steps:
    """Return the steps of a migration up to the commit under way."""
    return (
        ("master_orders_migration", K, destination, slot),
        ("primary_opens_migration", K, primary),
        ("destination_gets_ready", K, destination),
        ("primary_copies_data", K, destination),
        ("master_sends_commit", K),
    )


MOVE = moves(A, PRIMARY, B)
COMMITTED: Steps = (*MOVE, ("destination_commits", K, A))
B_TAKES_OVER: Steps = (
    ("member_accepts_claim", B, B),
    ("member_accepts_claim", C, B),
    ("candidate_becomes_master", B),
    ("master_fetches_most_recent_rows",),
)
