"""Members come in: joins, refusals, founding."""

from dataclasses import replace

from gridproof_implementation.protocol.effects import Effect, Send, Stop
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.membership.joining import JoinRetry
from gridproof_implementation.protocol.membership.messages import (
    Goodbye,
    JoinFinal,
    JoinRefused,
    JoinRequest,
    MasterIs,
    MemberUpdate,
    Refusal,
    StillJoining,
)
from gridproof_model.events.membership import ClusterFounded
from gridproof_model.membership import MemberId, MemberList
from tests.implementation.protocol.grids import (
    FEW_PARTITIONS,
    SECOND_US,
    OneOfMany,
    config_with,
    events_in,
    make_grid,
    member_at,
    one_of,
    sent,
)
from tests.implementation.protocol.tables import row_of, table_of


def test_joiners_stand_in_the_list_in_the_order_of_their_joins() -> None:
    grid = make_grid(4)

    assert grid.lists() == [[0, 1, 2, 3]]


def test_every_join_makes_a_newer_list() -> None:
    grid = make_grid(3)

    assert grid.world.hosts[0].member.node.membership.members.version == 3


def test_the_oldest_member_is_the_master_for_everybody() -> None:
    grid = make_grid(3)

    masters = {host.member.node.membership.master for host in grid.running}

    assert masters == {grid.running[0].description.id}


def test_a_lite_member_can_be_the_master() -> None:
    grid = make_grid()

    (lite,) = grid.start(lite=True)
    grid.start(2)

    assert grid.running[-1].member.node.membership.master == lite.description.id


def test_a_member_that_is_not_the_master_says_who_is() -> None:
    one = one_of(3, place=1)
    joiner = member_at(7)

    effects = one.member.receive(joiner.id, JoinRequest(joiner, FEW_PARTITIONS), 0)

    assert [answer.master for _, answer in sent(effects, MasterIs)] == [one.id_of(0)]


def test_a_join_is_answered_with_the_list_and_announced_to_the_others() -> None:
    one = one_of(2, place=0)
    joiner = member_at(7)

    effects = one.member.receive(joiner.id, JoinRequest(joiner, FEW_PARTITIONS), 0)

    assert [to for to, _ in sent(effects, JoinFinal)] == [joiner.id.address]
    assert [to for to, _ in sent(effects, MemberUpdate)] == [one.id_of(1).address]


def test_a_joiner_whose_answer_was_lost_gets_it_again_without_a_newer_list() -> None:
    one = one_of(2, place=0)

    effects = one.member.receive(one.id_of(1), JoinRequest(one.cluster.members[1], FEW_PARTITIONS), 0)

    assert len(sent(effects, JoinFinal)) == 1
    assert one.version == 2


def test_another_incarnation_replaces_the_older_one_at_its_address() -> None:
    grid = make_grid(3)
    grid.world.crash(grid.world.hosts[1], loud=False)

    grid.world.restart(1)
    grid.run_for(5)

    assert grid.lists() == [[0, 2, 3]]


def test_a_master_that_restarts_at_its_address_makes_the_next_oldest_claim() -> None:
    grid = make_grid(3)
    grid.world.crash(grid.world.hosts[0], loud=False)

    grid.world.restart(0)
    grid.run_for(30)

    assert grid.lists() == [[1, 2, 3]]


def test_a_joiner_with_another_partition_count_is_turned_away_and_stops() -> None:
    one = one_of(2, place=0)
    joiner = GridMember(member_at(7), config_with(partition_count=7), [one.id_of(0).address])
    (_, request), *_ = sent(joiner.start(0), JoinRequest)

    (_, refused), *_ = sent(one.member.receive(joiner.node.me, request, 0), JoinRefused)

    assert "hazelcast.partition.count is 5 in the cluster and 7" in refused.why
    assert Stop() in joiner.receive(one.id_of(0), refused, 0)


def test_an_incarnation_that_was_removed_is_not_let_in_again() -> None:
    one = one_of(2, place=0)
    one.hand_over(1, Goodbye())

    effects = one.hand_over(1, JoinRequest(one.cluster.members[1], FEW_PARTITIONS))

    assert [refused.refusal for _, refused in sent(effects, JoinRefused)] == [Refusal.REMOVED]


def test_a_joiner_that_was_removed_comes_as_another_incarnation() -> None:
    joiner = GridMember(member_at(7), FEW_PARTITIONS, [member_at(0).id.address], merge_payload="kept")
    joiner.start(0)

    effects = joiner.receive(member_at(0).id, JoinRefused(Refusal.REMOVED, "", asker=joiner.node.me), 0)

    (stop,) = (effect for effect in effects if isinstance(effect, Stop))
    assert stop.rejoin_as is not None
    assert stop.rejoin_as.address == member_at(7).id.address
    assert stop.rejoin_as.uuid != member_at(7).id.uuid
    assert (stop.merge_payload, stop.contacts) == ("kept", (member_at(0).id.address,))


def test_a_joiner_cut_off_for_long_joins_in_the_end() -> None:
    grid = make_grid(2)
    grid.world.links.at(0, 2).cuts = 1
    grid.start(1)
    grid.run_for(100)

    grid.heal()
    grid.run_for(30)

    assert grid.lists() == [[0, 1, 3]]


def test_members_of_another_cluster_are_not_joined() -> None:
    one = one_of(1, place=0)
    joiner = GridMember(member_at(7), replace(FEW_PARTITIONS, cluster_name="other"), [one.id_of(0).address])
    (_, request), *_ = sent(joiner.start(0), JoinRequest)

    (_, refused), *_ = sent(one.member.receive(joiner.node.me, request, 0), JoinRefused)
    joiner.receive(one.id_of(0), refused, 0)

    assert refused.refusal is Refusal.OTHER_CLUSTER
    assert joiner.node.membership.is_joined is False


def test_members_that_start_at_once_end_in_one_cluster() -> None:
    addresses = [member_at(place).id.address for place in range(3)]
    starters = [GridMember(member_at(place), FEW_PARTITIONS, addresses) for place in (2, 0, 1)]

    for second in range(30):
        let_all_look({member.node.me: member for member in starters}, second * SECOND_US)

    lists = {member.node.membership.members.members for member in starters}
    assert [members[0] for members in lists] == [member_at(0)]
    assert [len(members) for members in lists] == [3]


def let_all_look(starters: dict[MemberId, GridMember], now_us: int) -> None:
    """Let members that are not in a cluster look for one; every message arrives at once."""
    at = {member_id.address: member for member_id, member in starters.items()}
    waiting: list[tuple[MemberId, Effect]] = []
    for member_id, member in starters.items():
        if not member.node.membership.is_joined:
            effects = member.start(now_us) if now_us == 0 else member.wake(JoinRetry(), now_us)
            waiting += [(member_id, effect) for effect in effects]
    while waiting:
        sender, effect = waiting.pop(0)
        if isinstance(effect, Send):
            receiver = at[effect.to]
            waiting += [(receiver.node.me, next_) for next_ in receiver.receive(sender, effect.message, now_us)]


def test_a_member_without_contacts_founds_a_cluster_at_once() -> None:
    member = GridMember(member_at(0), FEW_PARTITIONS)

    assert len(events_in(member.start(0), ClusterFounded)) == 1


def test_a_member_whose_contacts_are_gone_founds_a_cluster_after_a_while() -> None:
    grid = make_grid(2)
    for host in list(grid.running):
        grid.world.crash(host)

    grid.world.restart(0)
    grid.run_for(20)

    assert grid.lists() == [[2]]


def test_two_joiners_that_meet_do_not_answer_as_a_cluster() -> None:
    joiner = GridMember(member_at(1), FEW_PARTITIONS, [member_at(0).id.address])
    joiner.start(0)

    effects = joiner.receive(member_at(2).id, JoinRequest(member_at(2), FEW_PARTITIONS), 0)

    assert [to for to, _ in sent(effects, StillJoining)] == [member_at(2).id.address]


def test_a_joiner_has_the_table_as_soon_as_it_is_in() -> None:
    cluster = MemberList(2, (member_at(0), member_at(1)))
    joiner = OneOfMany(GridMember(member_at(1), FEW_PARTITIONS, [member_at(0).id.address]), cluster)
    joiner.member.start(0)
    row = row_of(joiner, (0, 1), 3)

    joiner.hand_over(0, JoinFinal(replace(joiner.update(2, (0, 1)), table=table_of(joiner, row))))

    assert joiner.member.node.partitions.rows[0] == row
