"""Mutants of repair and promotion, which decide which member becomes the primary."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.effects import Send
from gridproof_implementation.protocol.partitioning.messages import PromotionCommit, TableState
from gridproof_implementation.protocol.partitioning.recovery import PromotionParticipant, Repair
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.protocol.version_vector import Versions
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_properties.judging.verdict import Verdict
from suite.zoo.mutant import Bug, Find, MemberMutant, found_broken, replacing, scripted, writes

RESTARTED_SHARE = 0.5
TWO_CRASHES = (FaultEvent("crash", 300, 100_000, (0,)), FaultEvent("crash", 300, 100_000, (1,)))


def search_vectors(seed: int) -> Find:
    """Promote replicas that have random version vectors."""
    rng = Random(f"vectors {seed}")
    return Find(_unsane(tuple(rng.randrange(100) for _ in range(MAX_BACKUP_COUNT)), rng.randint(1, MAX_BACKUP_COUNT)))


def _unsane(versions: Versions, index: int) -> tuple[Verdict, ...]:
    """Return the broken verdict if a promoted replica's versions are below those that it had before (invariant P4)."""
    known = version_vector.known_to(versions, index)
    promoted = version_vector.promoted(known, index)
    if min(promoted[:index]) >= known[index - 1]:
        return ()
    sentence = f"replica {index} has version {known[index - 1]}, and as the primary it sends hotter backups {promoted}"
    return found_broken("vector-sane", sentence)


def search_incarnations(seed: int) -> Find:
    """Let members restart, and send to each of them messages that are meant for any incarnation that ever ran."""
    rng = Random(f"incarnations {seed}")
    address_count = rng.randint(2, 4)
    restarted = [address_index for address_index in range(1, address_count) if rng.random() < RESTARTED_SHARE]
    return Find(
        _order_promotion(
            address_count, restarted, rng.randrange(1, address_count), rng.randrange(address_count + len(restarted))
        )
    )


def _order_promotion(address_count: int, restarted: Sequence[int], receiver: int, meant: int) -> tuple[Verdict, ...]:
    """Give the member at an address the order to promote the incarnation with the number `meant` (invariant S3)."""
    world, started = World(0), list[Host]()
    for _ in range(address_count):
        started.append(world.start_member())
        world.run(world.now_us + SECOND_US)
    for address_index in restarted:
        world.crash(world.latest_hosts[address_index])
        started.append(world.restart(address_index))
        world.run(world.now_us + 10 * SECOND_US)
    master, ordered, host = started[0].description.id, started[meant].description.id, world.latest_hosts[receiver]
    state = TableState(tuple(host.member.node.partitions.rows), ())
    effects = host.member.receive(master, PromotionCommit(ordered, ((0, 1),), state), world.now_us)
    if ordered == host.description.id or not any(isinstance(effect, Send) for effect in effects):
        return ()
    sentence = f"{host.description} does what {ordered} was ordered to do"
    return found_broken("incarnation", sentence)


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("M09", "first-backup-only", "C6", "defect HZ-35", breaks=("no-member-fails",)).by(
        "Only the first backup can be promoted.",
        replacing(Repair, "lowest_survivor", lambda _, row: 1 if row.slots[1] is not None else None),
        scripted(writes(12, keys=12), *TWO_CRASHES, members=5, sync_backups=2, partition_count=11),
    ),
    Bug("M28", "zeros-after-promotion", "C6", "defect HZ-38", breaks=("vector-sane",)).by(
        "Who is promoted from the second backup on knows nothing of the counters of hotter backups.",
        replacing(version_vector, "promoted", lambda versions, from_index: versions),
        lambda: _unsane((1, 2, 3, 4, 5, 6), 3),
        search_vectors,
        quick=True,
    ),
    Bug("M37", "promotes-any-incarnation", "C6", "defect HZ-39", breaks=("incarnation",)).by(
        "Whoever has the address of the member that is meant lets itself be promoted.",
        replacing(
            PromotionParticipant,
            "is_meant",
            lambda participant, message: message.destination.address == participant._node.me.address,
        ),
        lambda: _order_promotion(2, (1,), receiver=1, meant=1),
        search_incarnations,
        guard="who has just started takes no orders; who has joined has a newer table, and nothing to be promoted",
    ),
)
