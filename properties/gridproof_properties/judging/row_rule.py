"""A rule about one row, made into a property.

Such a rule is a plain function from what is known and a row to the fault it finds. It is judged row by row, in constant
memory, and the witness is the first faulty row of the run.
"""

from collections.abc import Callable
from dataclasses import dataclass

from gridproof_model.trace import Record, RowRecord
from gridproof_properties.judging.judge import OF_ROWS, Finding, Judge, Property
from gridproof_properties.judging.scene import TABLE_RECORDS, Scene
from gridproof_properties.judging.severity import Severity


@dataclass(frozen=True, slots=True)
class RowRule:
    """What is wrong with a row, and when it is owed that nothing is."""

    name: str
    sentence: str
    source: str
    severity: Severity
    fault: Callable[[Scene, RowRecord], str | None]
    """A sentence about what is wrong with the row, None when nothing is."""
    owed: Callable[[Scene], bool]
    """Whether the rows of the latest view are held to the rule."""
    can_fail: Callable[[Scene, RowRecord], bool]
    """Whether such a row could break it at all; where not, nothing is compared."""
    counted: str
    """The verdict, as a judge has it."""
    unseen: str
    """Why nothing can be said, when no row was held to it."""

    def as_property(self) -> Property:
        """Return the property that every row keeps the rule."""
        return Property(self.name, self.sentence, self.source, self.severity, self.start, needs=OF_ROWS)

    def start(self) -> Judge:
        """Make a judge for one run."""
        return RowJudge(self)


def owed_always(scene: Scene) -> bool:
    """Owed in every view."""
    return scene.view is not None


def owed_at_rest(scene: Scene) -> bool:
    """Owed in settled views only."""
    return scene.settled


@dataclass(slots=True)
class RowJudge(Judge):
    """Looks at every row that is held to a rule and could break it."""

    READS = TABLE_RECORDS
    rule: RowRule
    scene: Scene | None = None
    """Who is there, where the rows of the latest view are held to the rule."""

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        scene = self.scene
        if not isinstance(record, RowRecord):
            now = self.comparisons.scene
            self.scene = now if now.view is not None and self.rule.owed(now) else None
        elif scene is not None and scene.view is not None and self.rule.can_fail(scene, record):
            fault = self.rule.fault(scene, record)
            story = None if fault is None else (scene.describe_row(record), fault)
            self.comparisons.add(record.partition, scene.view.at_ms, scene.view.at_ms, story)

    def conclude(self) -> Finding:
        """Say what was found."""
        return self.comparisons.conclude(self.rule.counted, self.rule.unseen)
