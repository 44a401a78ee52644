"""Messages keep their order, and urgent ones go first.

Source: reference replication 0.2.
"""

from random import Random

from gridproof_implementation.protocol.calls import BackupAck
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.partitioning.messages import AssignPartitions
from gridproof_implementation.simulator.links import Links
from tests.implementation.protocol.grids import member_at

ASKER = member_at(0).id
NORMAL, URGENT = BackupAck(1, partition=0, asker=ASKER), AssignPartitions(partition=0)


def arrivals_of(*messages: Message, seed: int) -> list[int]:
    """Return when messages arrive that are sent at once."""
    links = Links(Random(seed))
    return [at_us for message in messages for at_us in links.arrivals(0, 1, message, 0)]


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
