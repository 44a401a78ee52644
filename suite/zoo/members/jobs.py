"""Mutants of stream jobs: of how barriers are aligned, state is restored, and jobs are found again."""

from collections.abc import Callable

from gridproof_implementation.protocol.jobs.coordinator import Coordinator, ScanJobs
from gridproof_implementation.protocol.jobs.edges import InboundEdge
from gridproof_implementation.protocol.jobs.execution import Execution, SourceProcessor
from gridproof_implementation.protocol.jobs.messages import SavedState
from gridproof_implementation.protocol.jobs.records import ExecutionRecord, RecordKeeper
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import FaultEvent, StreamJob
from gridproof_model.events.words import Failure
from gridproof_model.grid_properties import OPERATION_BACKUP_TIMEOUT
from suite.zoo.mutant import Find, MemberMutant, Witness, replacing, scripted, search_drawn, writes

LONG = StreamJob(0, 0, shards=3, items=60, item_interval_ms=50, snapshot_interval_ms=200)
"""A job that emits items for three seconds, and takes five snapshots per second."""
QUARTER_MINUTE = StreamJob(0, 0, shards=3, items=60, item_interval_ms=250, snapshot_interval_ms=1_000)
SOON = FaultEvent("crash", 1_500, 60_000, (1,))
MASTER_SOON = FaultEvent("crash", 1_500, 60_000, (0,))
IMPATIENT = tuple((name, "1" if name == OPERATION_BACKUP_TIMEOUT.name else value) for name, value in QUICK)
search_jobs = search_drawn(workload="jobs", jobs=True)
SLOW = FaultEvent("delay", 0, 30_000, (0, 1, 2), 100_000)


def _begin_anew(source: SourceProcessor, saved: SavedState) -> None:
    """The mutant reads the saved offset, but starts again from the first item."""


def _keep_the_snapshot_secret(execution: Execution) -> None:
    """The mutant does not notify the coordinator that all state of this member is saved."""


def _look_for_nothing(coordinator: Coordinator, timer: ScanJobs) -> None:
    """The mutant does not take over the jobs of the old master."""


def _unheard(at_ms: int) -> Witness:
    """Return a story in which acknowledgements of a job's record get lost."""
    lost = FaultEvent("lost-once", at_ms, 4_000, (1,), 8, "BackupAck")
    return scripted(writes(4, 2_000), lost, members=2, partition_count=1, job=LONG, properties=IMPATIENT)


def _write_once(keeper: RecordKeeper, record: ExecutionRecord, then: Callable[[Failure | None], None]) -> None:
    keeper.write(record, lambda failure: then(None if failure is Failure.INDETERMINATE else failure))


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    MemberMutant(
        number="X07",
        name="barriers-not-aligned",
        defect_class="C16",
        rule="An input that has delivered its barrier is drained on, whatever the job's guarantee.",
        source="jobs.12",
        breaks=("job-totals-right", "refines-snapshot"),
        plant=replacing(InboundEdge, "may_pass", lambda *_: True),
        witness=scripted(writes(80, pause_ms=50), SLOW, SOON, job=LONG),
        search=search_jobs,
    ),
    MemberMutant(
        number="X08",
        name="source-begins-anew",
        defect_class="C16",
        rule="After a restart the sources emit every item again, and the counters go on from what was saved.",
        source="jobs.15",
        breaks=("job-totals-right",),
        plant=replacing(SourceProcessor, "restore", _begin_anew),
        witness=scripted(writes(80, pause_ms=50), SOON, job=LONG),
        search=search_jobs,
    ),
    MemberMutant(
        number="X09",
        name="jobs-die-with-the-master",
        defect_class="C7",
        rule="A new master does not look for the jobs of the old one.",
        source="jobs.4",
        breaks=("confirmed-job-completes",),
        plant=replacing(Coordinator, "on_scan_due", _look_for_nothing),
        witness=scripted(writes(80, pause_ms=50), MASTER_SOON, job=LONG),
        search=search_jobs,
    ),
    MemberMutant(
        number="X27",
        name="snapshot-never-reported",
        defect_class="C16",
        rule="A participant that has saved its part of a snapshot does not notify the coordinator.",
        source="jobs.7",
        breaks=("snapshots-go-on",),
        plant=replacing(Execution, "_report_if_taken", _keep_the_snapshot_secret),
        witness=scripted(writes(80, pause_ms=200), job=QUARTER_MINUTE),
        search=search_jobs,
    ),
    MemberMutant(
        number="X64",
        name="record-written-once",
        defect_class="C16",
        rule="A job's record is not written again if its backup does not acknowledge it.",
        source="jobs.20",
        breaks=("snapshots-go-on",),
        plant=replacing(RecordKeeper, "write_safely", _write_once),
        witness=_unheard(300),
        search=lambda seed: Find(tuple(_unheard(100 * (1 + seed % 8))())),
    ),
)
