"""Copies after members joined, left and crashed.

Source: sync.18, calls.9, migration.18, migration.15.
"""

from random import Random

import pytest

from gridproof_implementation.protocol.fragment import Fragment
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Put
from gridproof_implementation.protocol.structures.queue import Offer, Poll
from gridproof_implementation.protocol.version_vector import NO_VERSIONS, known_to
from gridproof_implementation.simulator.host import Host
from gridproof_model.events.anti_entropy import SyncRequested
from gridproof_model.events.replication import ReplicaKept
from tests.implementation.protocol.clients import Clients, clients_of
from tests.implementation.protocol.grids import events_in
from tests.implementation.protocol.replicas import MAP, P, config_of, one_in_row
from tests.implementation.protocol.tables import effects_of

QUEUE = StructureId("queue", "q")
PARTITIONS = range(5)
Content = dict[StructureId, dict[str, str]]


def content_of(fragment: Fragment | None) -> Content:
    """Return what a fragment holds, by structure; empty structures count as none."""
    structures = {} if fragment is None else fragment.structures
    return {name: dict(part.entries()) for name, part in structures.items() if part.entries()}


def differences(clients: Clients, partition: int) -> list[str]:
    """Return what is wrong with the replicas of a partition: content, versions, dirty marks, leaks."""
    running = {host.description.id: host for host in clients.grid.running}
    row = clients.grid.running[0].member.node.partitions.rows[partition]
    assert row.primary is not None
    owner = running[row.primary]
    found: list[str] = []
    for member_id, host in running.items():
        index = row.slot_of(member_id)
        if index != 0:
            found += [f"{host.number}: {what}" for what in faults_of(host, owner, partition, index)]
    return found


def faults_of(host: Host, owner: Host, partition: int, index: int | None) -> list[str]:
    """Compare one member's fragments with the owner's; a structure is held up to the slot of its last backup."""
    mine, owners = host.member.node.replicas, owner.member.node.replicas
    found: list[str] = []
    for namespace in sorted({*mine.namespaces(partition), *owners.namespaces(partition)}):
        held, wanted = mine.find_fragment(partition, namespace), owners.find_fragment(partition, namespace)
        content, versions = content_of(wanted), NO_VERSIONS if wanted is None else wanted.versions
        backed_up = [name for name in content if index is not None and owners.backups_of(name).total >= index]
        if content_of(held) != {name: content[name] for name in backed_up}:
            found.append(f"{namespace} has another content")
        if index is not None and held is not None and held.versions != known_to(versions, index):
            found.append(f"{namespace} has versions {held.versions}")
        if held is not None and held.dirty:
            found.append(f"{namespace} is dirty")
    return found


def change_and_write(seed: int) -> Clients:
    """Have members join, leave and crash while clients write, and come to rest."""
    dice = Random(seed)
    clients = clients_of(4, seed=seed, config=config_of(2))
    leaving: list[Host] = []
    for number in range(60):
        staying = [host for host in clients.grid.running if host not in leaving]
        key, caller = f"k{dice.randrange(3)}", dice.choice(staying).number
        operation = dice.choice([Put(MAP, key, f"v{number}"), Offer(QUEUE, f"i{number}"), Poll(QUEUE)])
        clients.ask(caller, operation, dice.choice(PARTITIONS))
        clients.grid.run_for(dice.choice([0.0001, 0.01, 1]))
        change = dice.randrange(20)
        if change == 0 and len(staying) < 6:
            clients.grid.world.start_member()
        elif change == 1 and len(staying) > 3:
            clients.grid.world.crash(dice.choice(staying))
        elif change == 2 and len(staying) > 3:
            leaving.append(dice.choice(staying))
            clients.grid.world.leave(leaving[-1])
    clients.grid.run_for(200)
    return clients


@pytest.mark.parametrize("seed", range(8))
def test_replicas_are_equal_clean_and_nowhere_else_once_everything_rests(seed: int) -> None:
    clients = change_and_write(seed)

    assert [differences(clients, partition) for partition in PARTITIONS] == [[]] * 5


def test_joins_alone_ask_for_no_sync() -> None:
    clients = clients_of(2, config=config_of(2))
    for number in range(40):
        clients.ask(0, Put(MAP, f"k{number}", "v"), number % 5)
        if number in (10, 20):
            clients.grid.world.start_member()
        clients.grid.run_for(0.5)
    clients.grid.run_for(100)

    assert clients.grid.events_of(SyncRequested) == []


def test_a_poll_that_waits_follows_its_partition_to_another_member() -> None:
    clients = clients_of(3)
    clients.result_of(0, Offer(QUEUE, "first"))
    clients.result_of(0, Poll(QUEUE))
    owner = clients.owner()
    caller = (owner + 1) % 3
    waiting = clients.ask(caller, Poll(QUEUE, wait_us=None))
    clients.grid.run_for(1)

    clients.grid.world.leave(clients.grid.world.hosts[owner])
    clients.grid.run_for(30)
    clients.result_of(caller, Offer(QUEUE, "second"))

    assert (clients.wait(waiting).value, clients.grid.world.hosts[owner].alive) == ("second", False)


def test_who_keeps_nothing_of_a_partition_records_no_replica() -> None:
    one = one_in_row(1)

    effects = effects_of(one, lambda: one.member.node.replicas.keep_as(P, None))

    assert events_in(effects, ReplicaKept) == [ReplicaKept(P, -1)]
