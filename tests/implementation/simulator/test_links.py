"""Messages keep their order, and urgent ones go first.

Source: calls.2.
"""

from random import Random

from gridproof_implementation.protocol.calls import BackupAck
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.partitioning.messages import AssignPartitions
from gridproof_implementation.simulator.links import SHORTEST_LATE_US, Links
from tests.implementation.protocol.grids import member_at
from tests.implementation.simulator.worlds import Incarnation

HERE, THERE = Incarnation(0, 0), Incarnation(1, 1)
ASKER = member_at(0).id
NORMAL, URGENT = BackupAck(1, partition=0, asker=ASKER), AssignPartitions(partition=0)


def arrivals_of(*messages: Message, seed: int) -> list[int]:
    """Return when messages arrive that are sent at once."""
    links = Links(Random(seed))
    return [at_us for message in messages for at_us in links.arrivals(HERE, THERE, message, 0)]


def test_messages_of_a_lane_keep_their_order() -> None:
    for seed in range(20):
        arrivals = arrivals_of(*[NORMAL] * 20, seed=seed)

        assert arrivals == sorted(arrivals)


def test_a_normal_message_never_overtakes_an_urgent_one() -> None:
    for seed in range(100):
        urgent, normal = arrivals_of(URGENT, NORMAL, seed=seed)

        assert urgent < normal


def test_an_urgent_message_may_overtake_a_normal_one() -> None:
    pairs = [arrivals_of(NORMAL, URGENT, seed=seed) for seed in range(100)]

    assert any(urgent < normal for normal, urgent in pairs)


def test_messages_of_other_partitions_do_not_wait() -> None:
    other = BackupAck(1, partition=1, asker=ASKER)
    pairs = [arrivals_of(URGENT, other, seed=seed) for seed in range(100)]

    assert any(normal < urgent for urgent, normal in pairs)


def test_another_incarnation_does_not_wait_for_what_was_sent_to_the_one_before() -> None:
    links = Links(Random(1))
    links.at(0, 1).extra_us = 10_000_000
    before = links.arrivals(HERE, THERE, NORMAL, 0)
    links.at(0, 1).extra_us = 0

    again = links.arrivals(HERE, THERE, NORMAL, 0)
    after = links.arrivals(HERE, Incarnation(2, 1), NORMAL, 0)

    assert after < before < again


def test_messages_that_are_picked_out_are_late_by_any_magnitude() -> None:
    links = Links(Random(1))
    link_conditions = links.at(0, 1)
    link_conditions.late_share, link_conditions.late_us = 1.0, 1_000_000_000
    late_us = [links.arrivals(HERE, Incarnation(number, 1), NORMAL, 0)[0] for number in range(300)]

    assert min(late_us) >= SHORTEST_LATE_US
    assert max(late_us) <= 1_001_000_000
    assert {len(str(late)) for late in late_us} >= {4, 5, 6, 7, 8, 9}


def test_only_some_kinds_are_picked_from() -> None:
    links = Links(Random(1))
    link_conditions = links.at(0, 1)
    link_conditions.late_share, link_conditions.late_us, link_conditions.late_kinds = (
        1.0,
        1_000_000,
        frozenset({"AssignPartitions"}),
    )

    assert links.arrivals(HERE, THERE, NORMAL, 0)[0] < SHORTEST_LATE_US


def test_what_is_hastened_is_still_in_order() -> None:
    links = Links(Random(1))
    links.at(0, 1).extra_us = 100_000_000
    links.arrivals(HERE, THERE, NORMAL, 0)
    links.at(0, 1).extra_us = 0

    links.hasten(1_000, 2_000)

    assert links.latest_arrival_us == 2_000
    assert links.arrivals(HERE, THERE, NORMAL, 0) == (2_001,)
