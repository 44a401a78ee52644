"""A job on a small grid."""

from collections.abc import Mapping

from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.part import JobsPart
from gridproof_implementation.protocol.jobs.records import results_map
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.simulator.host import Host
from gridproof_model.events import ProtocolEvent
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import Guarantee, JobStatus
from tests.implementation.protocol.grids import FEW_PARTITIONS, SECOND_US, Grid, Seen, empty_grid

SUMS = JobConfig("sums", snapshot_interval_us=SECOND_US, items_per_shard=400)
"""It emits items for four seconds and takes a snapshot every second."""
AT_LEAST_ONCE = JobConfig(
    "sums", guarantee=Guarantee.AT_LEAST_ONCE, snapshot_interval_us=SECOND_US, items_per_shard=400
)

Totals = Mapping[str, tuple[int, int]]


def submit(grid: Grid, host: Host, job: JobConfig = SUMS) -> None:
    """Submit a job at a member."""
    grid.world.enter(host, GridMember.start_job, job)


def part_of(host: Host) -> JobsPart:
    """Return the jobs part of a member."""
    jobs = host.member.node.jobs
    assert isinstance(jobs, JobsPart)
    return jobs


def status(grid: Grid, name: str = "sums") -> JobStatus | None:
    """Return where the master says that a job stands."""
    return next((at for host in grid.running if (at := part_of(host).status_of(name)) is not None), None)


def results(grid: Grid, job: JobConfig = SUMS) -> Totals:
    """Return what the job wrote when it completed, read from primary replicas."""
    found: dict[str, tuple[int, int]] = {}
    for key, text in primary_entries(grid, results_map(job.name)).items():
        count, total = text.split()
        found[key] = (int(count), int(total))
    return found


def primary_entries(grid: Grid, structure: StructureId) -> Mapping[str, str]:
    """Return the entries of a map in its primary replicas."""
    found: dict[str, str] = {}
    for host in grid.running:
        node = host.member.node
        for partition, row in enumerate(node.partitions.rows):
            if row.slots[0] == node.me:
                found.update(entries_at(host, partition, structure))
    return found


def entries_at(host: Host, partition: int, structure: StructureId) -> Mapping[str, str]:
    """Return the entries of a map that one member holds in one partition, in whatever role."""
    replicas = host.member.node.replicas
    namespace = replicas.namespace_of(structure)
    if namespace not in replicas.namespaces(partition):
        return {}
    part = replicas.fragment(partition, namespace).structures.get(structure)
    return {} if part is None else part.entries()


def crashing_grid(members: int, victim: int, at: type[TraceEvent], *, seed: int = 1) -> Grid:
    """Return a grid in which a member crashes right after the second time that anybody records such a step."""

    class Crashing(Seen):
        def event(self, at_us: int, member: int, event: ProtocolEvent) -> None:
            super().event(at_us, member, event)
            if isinstance(event, at) and sum(isinstance(one, at) for _, one in self.events) == 2:
                grid.world.at(0, grid.world.crash, grid.world.latest_hosts[victim])

    grid = empty_grid(seed, FEW_PARTITIONS, seen=Crashing())
    grid.start(members)
    return grid
