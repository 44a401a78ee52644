"""Whether a grid is at rest.

Whether a grid is at rest is decided by what the members themselves know, and never by how much time has passed
(systems.8). The condition for rest must be true at two looks in a row, since a change that is under way between two
members shows at the second look.

Waits have deadlines, and no fixed lengths: every wait ends as soon as its condition is true, and a missed deadline is a
failure of liveness."""

from collections.abc import Sequence
from dataclasses import dataclass

from gridproof_implementation.protocol.membership.joining import PromotionRetry
from gridproof_implementation.protocol.partitioning.control import AskAgain
from gridproof_implementation.protocol.settings import SECOND_US, Settings
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.links import SHORTEST_LATE_US
from gridproof_implementation.simulator.looking import is_lite
from gridproof_implementation.simulator.world import World
from gridproof_model.grid_config import GridConfig
from gridproof_model.partition_table import MAX_REPLICA_COUNT

LOOK_EVERY_US = 100_000
LOOKS = 2


def settle(world: World, deadline_us: int) -> str | None:
    """Let time pass until the grid is at rest, and return None; at the deadline, return what is still awaited."""
    until_us = world.now_us + deadline_us
    calm = 0
    while True:
        awaited = why_restless(world)
        calm = calm + 1 if awaited is None else 0
        if calm == LOOKS:
            return None
        if world.now_us >= until_us:
            return awaited or "one more calm look"
        world.run(world.now_us + LOOK_EVERY_US)


def why_restless(world: World, replica_count: int = MAX_REPLICA_COUNT) -> str | None:
    """Return, as one clause, what a grid still has to do; None if it is at rest.

    The placement plans `replica_count` replicas of each partition, if there are enough groups of members.
    """
    hosts = [host for host in world.latest_hosts if host.alive]
    if not hosts:
        return "a member that lives"
    if world.unhealed:
        return "a fault to heal"
    # A late update could still change a backup's copy, and copies are compared at rest.
    if world.is_awaiting:
        return "a message that is late"
    return why_cluster_restless(hosts, replica_count)


def why_cluster_restless(hosts: Sequence[Host], replica_count: int = MAX_REPLICA_COUNT) -> str | None:
    """Return what the given members, at least one, still have to do to form one cluster at rest."""
    return _why_not_together(hosts) or _why_moving(hosts) or _why_not_full(hosts, replica_count)


def _why_not_together(hosts: Sequence[Host]) -> str | None:
    """Return what is missing for all members to list exactly these members for good; None if nothing is missing."""
    first = hosts[0].member.node.membership.members
    alive = {host.description.id for host in hosts}
    if {member.id for member in first} != alive:
        return f"the member list of member {hosts[0].number} to name those that live"
    for host in hosts:
        membership = host.member.node.membership
        if membership.members.version != first.version or {member.id for member in membership.members} != alive:
            return f"member {host.number} to have the member list of member {hosts[0].number}"
        if not membership.hears_everybody:  # a member that fell silent under a fault may yet be removed
            return f"member {host.number} to hear from all others"
        if membership.is_state_changing:
            return f"member {host.number} to change the cluster state, or not to"
        if PromotionRetry() in host.timers:
            return f"member {host.number} to become a data member, as it has asked"
        if host.member.is_merging:
            return f"member {host.number} to merge what it took along"
    return None


def _why_moving(hosts: Sequence[Host]) -> str | None:
    """Return which member still has to migrate, to leave, or to get the others' table; None if no member has to."""
    first = hosts[0].member.node.partitions
    for host in hosts:
        partitions = host.member.node.partitions
        if partitions.is_moving or not partitions.may_migrate:
            return f"member {host.number} to end its migrations"
        if AskAgain() in host.timers:
            return f"member {host.number} to leave, as it has asked"
        if partitions.stamp != first.stamp or partitions.rows != first.rows:
            return f"member {host.number} to have the table of member {hosts[0].number}"
    return None


def _why_not_full(hosts: Sequence[Host], replica_count: int) -> str | None:
    """Return a slot that has no living member but could be filled; None if there is no such slot, or no arrangement of
    partitions yet."""
    first = hosts[0].member.node.partitions
    if not first.is_initialised:
        return None
    wanted = min(first.max_backup_count + 1, replica_count) if any(not is_lite(host) for host in hosts) else 0
    alive = {host.description.id for host in hosts}
    for partition, row in enumerate(first.rows):
        for slot in range(wanted):
            if row.slots[slot] not in alive:
                return f"slot {slot} of partition {partition} to be filled"
    return None


def synchronise(world: World, deadline_us: int) -> str | None:
    """Let time pass until all backups have the versions of their primaries and the grid is at rest.

    Return what is still awaited at the deadline, or None, as `settle` does. Syncs take time, so the grid may not stay
    at rest meanwhile.
    """
    until_us = world.now_us + deadline_us
    while (awaited := why_different(world) or why_restless(world)) is not None and world.now_us < until_us:
        world.run(world.now_us + LOOK_EVERY_US)
    return awaited


def why_different(world: World) -> str | None:
    """Return, as one clause, which backup has other versions than its primary; None if there is none (sync.4)."""
    hosts = {host.description.id: host for host in world.latest_hosts if host.alive}
    rows = next(iter(hosts.values())).member.node.partitions.rows if hosts else ()
    for partition, row in enumerate(rows):
        primary = None if row.slots[0] is None else hosts.get(row.slots[0])
        if primary is None:
            continue
        replicas = primary.member.node.replicas
        for namespace in replicas.namespaces(partition):
            versions = replicas.fragment(partition, namespace).versions
            for index, slot in enumerate(row.slots[1:], start=1):
                backup = None if slot is None else hosts.get(slot)
                if backup is None:
                    continue
                held = backup.member.node.replicas.fragment(partition, namespace)
                if held.dirty or held.versions[index - 1] != versions[index - 1]:
                    return f"backup {index} of partition {partition}, member {backup.number}, to be synchronised"
    return None


SYNC_EXPIRY_US = 300 * SECOND_US
"""How long a lost request for a sync prevents the next request (sync.10)."""


@dataclass(frozen=True, slots=True)
class Patience:
    """The deadlines of one run."""

    busy_us: int
    """The deadline for clients to do their work while faults happen."""
    call_us: int
    """The deadline for the last calls, once all faults have stopped (calls.25)."""
    settle_us: int
    """The deadline for members to form one cluster, agree, and move no partitions any more (table.20, members.14)."""
    synchronise_us: int
    """The deadline for backups to become equal to their primaries (sync.18)."""
    late_us: int
    """A message that takes longer than this counts as late; the limit is half of the shortest time for which a member
    waits for an acknowledgement, an answer or a heartbeat."""

    @classmethod
    def of(cls, config: GridConfig) -> "Patience":
        """Return the deadlines for a configuration."""
        settings = Settings.of(config)
        detection_us = 2 * settings.max_no_heartbeat_us + 2 * settings.heartbeat_interval_us
        retries_us = settings.invocation_max_retry_count * settings.invocation_retry_pause_us
        call_us = 2 * settings.call_timeout_us + retries_us + settings.backup_timeout_us
        merge_us = settings.merge_first_run_delay_us + 3 * settings.merge_next_run_delay_us
        claim_us = settings.mastership_claim_timeout_us + settings.member_list_publish_interval_us
        settle_us = 3 * (detection_us + claim_us + merge_us + settings.migration_timeout_us)
        return cls(
            busy_us=call_us + settle_us,
            call_us=call_us + detection_us,
            settle_us=settle_us + 60 * SECOND_US,
            synchronise_us=4 * settings.backup_sync_interval_us + 2 * SYNC_EXPIRY_US,
            late_us=max(
                min(settings.backup_timeout_us, settings.call_timeout_us, settings.max_no_heartbeat_us) // 2,
                SHORTEST_LATE_US,
            ),
        )
