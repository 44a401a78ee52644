"""Mutants of stream jobs: of how barriers are aligned, state is restored, and jobs are found again."""

from gridproof_implementation.protocol.jobs.coordinator import Coordinator
from gridproof_implementation.protocol.jobs.edges import InboundEdge
from gridproof_implementation.protocol.jobs.execution import Execution, SourceProcessor
from gridproof_implementation.protocol.jobs.records import RecordKeeper
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import FaultEvent, StreamJob
from gridproof_model.events.words import Failure
from gridproof_model.grid_properties import OPERATION_BACKUP_TIMEOUT
from suite.zoo.mutant import Bug, Find, MemberMutant, Witness, leaving_out, replacing, scripted, search_drawn, writes

LONG = StreamJob(0, 0, shards=3, items=60, item_interval_ms=50, snapshot_interval_ms=200)
"""A job that emits items for three seconds, and takes five snapshots per second."""
QUARTER_MINUTE = StreamJob(0, 0, shards=3, items=60, item_interval_ms=250, snapshot_interval_ms=1_000)
SOON = FaultEvent("crash", 1_500, 60_000, (1,))
MASTER_SOON = FaultEvent("crash", 1_500, 60_000, (0,))
IMPATIENT = tuple((name, "1" if name == OPERATION_BACKUP_TIMEOUT.name else value) for name, value in QUICK)
search_jobs = search_drawn(workload="jobs", jobs=True)
SLOW = FaultEvent("delay", 0, 30_000, (0, 1, 2), 100_000)


def _unheard(at_ms: int) -> Witness:
    """Return a story in which acknowledgements of a job's record get lost."""
    lost = FaultEvent("lost-once", at_ms, 4_000, (1,), 8, "BackupAck")
    return scripted(writes(4, 2_000), lost, members=2, partition_count=1, job=LONG, properties=IMPATIENT)


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("X07", "barriers-not-aligned", "C16", "jobs.12", breaks=("job-totals-right", "refines-snapshot")).by(
        "An input that has delivered its barrier is drained on, whatever the job's guarantee.",
        replacing(InboundEdge, "may_pass", lambda *_: True),
        scripted(writes(80, pause_ms=50), SLOW, SOON, job=LONG),
        search_jobs,
    ),
    Bug("X08", "source-begins-anew", "C16", "jobs.15", breaks=("job-totals-right",)).by(
        "After a restart the sources emit every item again, and the counters go on from what was saved.",
        leaving_out(SourceProcessor, "restore"),
        scripted(writes(80, pause_ms=50), SOON, job=LONG),
        search_jobs,
    ),
    Bug("X09", "jobs-die-with-the-master", "C7", "jobs.4", breaks=("confirmed-job-completes",)).by(
        "A new master does not look for the jobs of the old one.",
        leaving_out(Coordinator, "on_scan_due"),
        scripted(writes(80, pause_ms=50), MASTER_SOON, job=LONG),
        search_jobs,
    ),
    Bug("X27", "snapshot-never-reported", "C16", "jobs.7", breaks=("snapshots-go-on",)).by(
        "A participant that has saved its part of a snapshot does not notify the coordinator.",
        leaving_out(Execution, "_report_if_taken"),
        scripted(writes(80, pause_ms=200), job=QUARTER_MINUTE),
        search_jobs,
    ),
    Bug("X64", "record-written-once", "C16", "jobs.20", breaks=("snapshots-go-on",)).by(
        "A job's record is not written again if its backup does not acknowledge it.",
        replacing(
            RecordKeeper,
            "write_safely",
            lambda keeper, record, then: keeper.write(
                record, lambda failure: then(None if failure is Failure.INDETERMINATE else failure)
            ),
        ),
        _unheard(300),
        lambda seed: Find(tuple(_unheard(100 * (1 + seed % 8))())),
    ),
)
