"""A request of a failed migration came late.

The master was the destination. It asked for a migration of slot 1 to itself, gave it up, and raised the row's version.
Then the question whether it was ready arrived, late. The documents spare the master the comparison of versions; so it
began, nobody ever ended what it had begun, and no later migration of the partition could begin (found by a random run
of two members with slow links).
"""

from gridproof_implementation.protocol.partitioning.messages import MigrationOpen, MigrationReady
from gridproof_model.migration import Migration
from tests.implementation.protocol.grids import one_of, sent
from tests.implementation.protocol.tables import install, order_of, part_of, row_of


def test_a_master_does_not_begin_what_it_gave_up() -> None:
    one = one_of(2, place=0)
    copy = Migration(0, None, None, None, one.id_of(0), None, 1)
    given_up = order_of(one, copy, primary=1, version=2)
    install(one, row_of(one, [1], 4))

    ((_, ready),) = sent(one.hand_over(1, MigrationOpen(given_up, (), partition=0)), MigrationReady)

    assert ready.refusal == "row version 4 instead of 2"
    assert part_of(one).is_moving is False
