"""A rule about one row, made into a property.

Such a rule is a plain function from what is known and a row to the fault it finds. It is judged row by row, in constant
memory, and the witness is the first faulty row of the run.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from gridproof_model.trace import Record, RowRecord
from gridproof_properties.judge import Finding, Judge, Property
from gridproof_properties.scene import Scene
from gridproof_properties.verdict import Result
from gridproof_properties.words import count


@dataclass(frozen=True, slots=True)
class RowRule:
    """What is wrong with a row, and when it is owed that nothing is."""

    name: str
    sentence: str
    source: str
    fault: Callable[[Scene, RowRecord], str | None]
    """A sentence about what is wrong with the row, None when nothing is."""
    owed: Callable[[Scene], bool]
    """Whether the rows of the latest view are held to the rule."""
    unseen: str
    """Why nothing can be said, when no row was held to it."""

    def as_property(self) -> Property:
        """Return the property that every row keeps the rule."""
        return Property(self.name, self.sentence, self.source, self.start)

    def start(self) -> Judge:
        """Make a judge for one run."""
        return _RowJudge(self)


def owed_always(scene: Scene) -> bool:
    """Owed in every view."""
    return scene.view is not None


def owed_at_rest(scene: Scene) -> bool:
    """Owed in settled views only."""
    return scene.settled


@dataclass(slots=True)
class _RowJudge:
    rule: RowRule
    scene: Scene = field(default_factory=Scene)
    seen: int = 0
    faulty: int = 0
    witness: tuple[str, ...] = ()

    def observe(self, record: Record) -> None:
        if not isinstance(record, RowRecord):
            self.scene.observe(record)
        elif self.rule.owed(self.scene):
            self.seen += 1
            fault = self.rule.fault(self.scene, record)
            if fault is not None:
                self.faulty += 1
                self.witness = self.witness or (self.scene.tell_row(record), fault)

    def conclude(self) -> Finding:
        if self.faulty:
            return Finding(Result.BROKEN, f"{self.faulty:,} of {count(self.seen, 'row')} broke the rule", self.witness)
        if not self.seen:
            return Finding(Result.UNKNOWN, self.rule.unseen)
        return Finding(Result.HOLDS, f"{count(self.seen, 'row')} seen, and none broke the rule")
