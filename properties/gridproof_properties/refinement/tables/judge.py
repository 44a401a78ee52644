"""What members record of tables is validated by the specification `tables`.

Each partition is a behaviour, which begins with the first row that somebody has. From then on every record of a member
about its rows, or about whom it lists, suspects and follows, is an action of the specification, until the end of the
run.
"""

from collections.abc import Iterable

from gridproof_model.events import kinds_of
from gridproof_model.events.migration import MigrationForgotten
from gridproof_model.events.partitioning import RowInstalled, TablePublished
from gridproof_properties.judging.judge import Property
from gridproof_properties.refinement.judge import SpecificationJudge
from gridproof_properties.refinement.step import Step
from gridproof_properties.refinement.tables.behaviour import BehaviourOfTables, OfAllPartitions, OfPartition
from gridproof_properties.refinement.tables.knowledge import KnownOfTables
from gridproof_properties.validation.engine import Onlooker

Read = OfPartition | OfAllPartitions | TablePublished | MigrationForgotten


class TablesJudge(SpecificationJudge[int, BehaviourOfTables, KnownOfTables]):
    """Gives each record to the partitions that it concerns."""

    NAME = "tables"
    EVENTS_READ = kinds_of(Read)
    TOO_MUCH = "more tables are under way than are kept"

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        super().__init__(KnownOfTables(), onlooker)

    def concerned(self, step: Step, event: Read) -> Iterable[int]:
        """Return the partition that an event is about, or all where it is about a member's table or its master."""
        match event:
            case TablePublished() | MigrationForgotten():
                return ()
            case RowInstalled(partition=partition):
                if partition not in self.behaviours:
                    self.begin(partition, lambda: BehaviourOfTables(self.known, self.onlooker))
                return (partition,)
            case _:
                return self.behaviours if isinstance(event, OfAllPartitions) else (event.partition,)

    def called(self, place: int) -> object:
        """Return what a refusal calls a partition."""
        return f"partition {place}"


PROPERTY = Property(
    "refines-tables",
    "How masters are followed, tables spread, rows are repaired, promoted, migrated and collected is a behaviour of "
    "the specification `tables`.",
    "reference partitioning 2, 4, 5; replication 7.3",
    TablesJudge,
)
