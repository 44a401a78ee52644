"""Two documented rules of ownership that split the rows."""

from gridproof_model.language import ClaimKind
from gridproof_model.language.run import Runner
from gridproof_model.specifications.ownership import specification
from gridproof_model.specifications.ownership.state import Outcome
from tests.model.specifications.ownership_stories import (
    B_TAKES_OVER,
    BACKUP,
    MANY,
    PRIMARY,
    A,
    B,
    C,
    K,
    Steps,
    after,
    moves,
)

NEXT = 1
"""A second migration."""
FORGOTTEN: Steps = (
    ("master_arranges", C, A, C),
    ("member_receives_table", C),
    ("member_receives_table", B),
    *moves(B, BACKUP, C),
    ("destination_commits", K, B),
    ("member_receives_table", B),
    ("member_crashes", A),
    *B_TAKES_OVER,
)
"""B commits, receives a table that its master sent before it had heard of the commit, and becomes master."""
LOWERED: Steps = (
    ("master_arranges", A, B, A),
    ("master_orders_migration", K, C, PRIMARY),
    ("request_fails", K),
    ("member_receives_table", B),
    ("member_receives_table", C),
    ("master_orders_migration", NEXT, C, PRIMARY),
    ("primary_opens_migration", NEXT, A),
    ("destination_gets_ready", NEXT, C),
    ("primary_copies_data", NEXT, C),
    ("master_sends_commit", NEXT),
    ("destination_commits", NEXT, C),
    ("member_crashes", A),
    *B_TAKES_OVER,
)
"""A migration has failed and is still remembered; C commits the next one; the master dies, and B becomes master."""


def broken(*steps: tuple[object, ...], **constants: bool) -> set[str]:
    """Return the always-claims that do not hold after these steps."""
    runner = Runner(specification.world(**{**MANY, **constants}))
    state = after(*steps, **constants)
    claims = runner.world.claims_of(ClaimKind.ALWAYS)
    return {claim.name for claim in claims if not runner.holds(claim, state)}


def test_as_written_an_older_table_makes_a_destination_forget_its_commit() -> None:
    assert after(*FORGOTTEN[:10], remembers=False)["outcomes"][B][K] is Outcome.UNKNOWN
    assert after(*FORGOTTEN[:10], remembers=True)["outcomes"][B][K] is Outcome.SUCCESS


def test_a_forgotten_commit_is_recorded_as_failed_with_its_row_in_force() -> None:
    state = after(*FORGOTTEN, remembers=False)

    assert (state["row"][B], state["outcomes"][B][K]) == ((C, B), Outcome.FAILED)


def test_then_the_old_primary_has_the_same_version_and_another_row() -> None:
    hears = ("member_hears_of_completed_migration", C, K)

    assert "equal_versions_mean_equal_rows" in broken(*FORGOTTEN, hears, remembers=False)
    assert broken(*FORGOTTEN, hears, remembers=True) == set()


def test_as_written_a_new_master_misses_a_committed_row() -> None:
    lowered = after(*LOWERED, lifts=False)
    lifted = after(*LOWERED, lifts=True)

    assert (lowered["row"][B], lifted["row"][B]) == ((A, B), (C, B))


def test_then_its_next_change_has_the_version_of_the_committed_row() -> None:
    repairs = ("master_empties_slots",)

    assert "equal_versions_mean_equal_rows" in broken(*LOWERED, repairs, lifts=False)


def test_then_two_members_execute_writes() -> None:
    promotes = (("master_empties_slots",), ("master_orders_promotion",), ("backup_is_promoted", B))

    assert "one_member_executes_writes" in broken(*LOWERED, *promotes, lifts=False)
