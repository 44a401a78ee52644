"""After a death: holes, promotions, lost partitions.

repair.3, repair.8.
"""

from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.partitioning.messages import PromotionCommit, PromotionDone, TableState
from gridproof_implementation.protocol.partitioning.recovery import RepeatPromotions
from gridproof_model.events.partitioning import PartitionLost, Promoted, PromotionOrdered
from gridproof_model.partition_table import PartitionRow
from tests.implementation.protocol.grids import OneOfMany, events_in, one_of, sent
from tests.implementation.protocol.tables import Places, effects_of, give_table, install, part_of, row_of, table_of

STRANGER = 4
"""The place of a member that is in rows and not in the list."""


def master(*rows: Places) -> tuple[OneOfMany, list[Effect]]:
    """Return the master of four members after it repaired these rows, the last of them everywhere else."""
    one, five = one_of(4, place=0), one_of(5, place=0)
    install(one, *(row_of(five, places, 3) for places in rows))
    return one, effects_of(one, part_of(one).control.trigger)


def commit(one: OneOfMany, before: PartitionRow, from_index: int, place: int = 1) -> PromotionCommit:
    """Return the master's request that a member be promoted in partition 0."""
    after = table_of(one, before.promoted(), row_of(one, [0, 2], 2))
    return PromotionCommit(one.id_of(place), ((0, from_index),), after)


def test_members_that_are_gone_leave_holes_and_nobody_shifts() -> None:
    one, _ = master([1, STRANGER, 2], [1, 2, 3])

    slots = part_of(one).table.rows[0].slots

    assert slots[1] is None or slots[1] == one.id_of(3)
    assert slots[2] == one.id_of(2)


def test_the_lowest_survivor_is_promoted() -> None:
    one, effects = master([STRANGER, None, 2, 3], [1, 2, 3])

    assert events_in(effects, PromotionOrdered) == [PromotionOrdered(0, one.number_of(2), 2)]


def test_promotions_of_one_member_are_asked_for_together() -> None:
    _, effects = master([STRANGER, 1, 2], [STRANGER, 1, 3], [STRANGER, 2], [1, 2])

    asked = [message.promotions for _, message in sent(effects, PromotionCommit)]

    assert asked == [((0, 1), (1, 1)), ((2, 1),)]


def test_the_master_swaps_the_slots_after_the_promoted_member() -> None:
    one, _ = master([STRANGER, 1, 2], [1, 2, 3])
    before = part_of(one).rows[0]

    one.hand_over(1, PromotionDone(((0, 1),), asker=one.me))

    assert before.slots[0] is None
    assert part_of(one).rows[0].version >= before.version + 2
    assert part_of(one).rows[0].slots[0] == one.id_of(1)


def test_every_answer_to_a_promotion_is_published() -> None:
    one, _ = master([STRANGER, 1], [STRANGER, 2], [1, 2])

    first = sent(one.hand_over(1, PromotionDone(((0, 1),), asker=one.me)), TableState)

    assert [address for address, _ in first] == [one.id_of(place).address for place in (1, 2, 3)]


def test_a_promotion_whose_member_left_raises_the_version_by_three() -> None:
    one, _ = master([STRANGER, 1, 2], [STRANGER, 2], [1, 2])
    before = part_of(one).rows[0]

    part_of(one).control.promotions.member_removed(one.id_of(1))

    assert part_of(one).rows[0] == PartitionRow(before.slots, before.version + 3)


def test_a_promotion_is_asked_for_until_it_is_answered() -> None:
    one, _ = master([STRANGER, 1], [1, 2])

    effects = one.member.wake(RepeatPromotions(), 5_000_000)

    assert [message.promotions for _, message in sent(effects, PromotionCommit)] == [((0, 1),)]


def test_a_partition_without_survivor_is_lost_with_six_backups() -> None:
    _, effects = master([STRANGER], [1, 2])

    assert events_in(effects, PartitionLost) == [PartitionLost(0, 6)]


def test_a_lost_partition_gets_an_owner() -> None:
    one, _ = master([STRANGER], [1, 2])

    assert part_of(one).rows[0].slots[0] is not None


def test_a_promoted_member_applies_the_masters_table() -> None:
    one = one_of(4, place=1)
    before = row_of(one, [None, 1, 2], 4)
    give_table(one, before, row_of(one, [0, 2], 2))

    effects = one.hand_over(0, commit(one, before, 1))

    assert part_of(one).rows[0] == row_of(one, [1, None, 2], 6)
    assert sent(effects, PromotionDone)


def test_every_promotion_says_how_many_backups_were_lost() -> None:
    one = one_of(4, place=1)
    before = row_of(one, [None, None, None, 1], 4)
    give_table(one, before, row_of(one, [0, 2], 2))

    effects = one.hand_over(0, commit(one, before, 3))

    assert events_in(effects, PartitionLost) == [PartitionLost(0, 2)]


def test_a_promotion_that_comes_again_changes_nothing() -> None:
    one = one_of(4, place=1)
    before = row_of(one, [None, 1, 2], 4)
    give_table(one, before, row_of(one, [0, 2], 2))
    one.hand_over(0, commit(one, before, 1))

    effects = one.hand_over(0, commit(one, before, 1))

    assert sent(effects, PromotionDone)
    assert events_in(effects, Promoted) == []


def test_another_incarnation_is_not_promoted() -> None:
    one = one_of(4, place=1)
    before = row_of(one, [None, 3], 4)
    give_table(one, before, row_of(one, [0, 2], 2))

    effects = one.hand_over(0, commit(one, before, 1, place=3))

    assert effects == []


def test_only_the_master_promotes() -> None:
    one = one_of(4, place=1)
    before = row_of(one, [None, 1], 4)
    give_table(one, before, row_of(one, [0, 2], 2))

    assert one.hand_over(2, commit(one, before, 1)) == []
