"""The outcomes of clients' writes, and what their reads returned later.

Writes are counted by stage and outcome; reads by comparing the value with the latest acknowledged write of the key;
other operations, on counters, lists, queues, sets and locks, are counted by kind and outcome. The figure only counts: a
write under way, or of unknown outcome, may explain "another value"; the verdicts say whether anything was lost.
"""

from collections import Counter

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.words import count
from gridproof_reports.drawing.figure import Bar, Figure, LegendEntry, NumberTable, Panel, Sketch, draw_bars
from gridproof_reports.drawing.style import ACCENT, BROKEN, MUTED, UNKNOWN, Colour
from gridproof_reports.reading.event_sentences import name_operations

KEYS_MAX = 100_000
"""The latest acknowledged value of at most this many keys is kept; reads of other keys are counted as not compared."""
STAGES_MAX = 16

WRITE_WORDS = {"acknowledged": ACCENT, "refused": MUTED, "unknown": UNKNOWN}
READ_WORDS = {"as acknowledged": ACCENT, "absent": BROKEN, "another value": UNKNOWN, "no answer": MUTED}

OTHER_TITLE = "Other operations"
LEGEND = (
    LegendEntry(ACCENT, "acknowledged; read back as such"),
    LegendEntry(BROKEN, "absent"),
    LegendEntry(UNKNOWN, "outcome unknown; another value"),
    LegendEntry(MUTED, "refused; no answer"),
)


class Answers(Sketch):
    """The figure on clients' answers; it keeps one value per key, up to a limit, and a few counts per stage."""

    def __init__(self) -> None:
        self._acknowledged: dict[str, str | None] = {}
        self._writes: dict[str, Counter[str]] = {}
        self._reads: dict[str, Counter[str]] = {}
        self._others: dict[str, Counter[str]] = {}
        """For each kind, the operations on structures whose answers cannot be compared with a single write."""

    def observe(self, record: Record) -> None:
        """Count a write or read of an entry under its stage; reads of single replicas are counted by `agreement`."""
        if not isinstance(record, OperationRecord):
            return
        match record.kind:
            case OperationKind.WRITE | OperationKind.REMOVE:
                self._observe_write(record)
            case OperationKind.READ:
                word = self._read_word(record)
                if word is not None:
                    self._reads.setdefault(record.stage, Counter())[word] += 1
            case OperationKind.READ_REPLICA:
                pass
            case _:
                words = self._others.setdefault(name_operations(record.kind, 0), Counter())
                words[_outcome_word(record)] += 1

    def draw(self) -> Figure | None:
        """Return one panel of writes and one of reads; None if clients made no operations."""
        panels = [
            _draw_panel(title, counts, words)
            for title, counts, words in (
                ("Writes", self._writes, WRITE_WORDS),
                ("Reads", self._reads, READ_WORDS),
                (OTHER_TITLE, self._others, WRITE_WORDS),
            )
            if counts
        ]
        if not panels:
            return None
        caption = (
            "Each bar is a stage, or a kind of operation. A read is compared with the latest write of its key that was "
            "acknowledged before it; keys that never had one are left out."
        )
        if len(self._acknowledged) >= KEYS_MAX:
            caption += f" Only the first {KEYS_MAX:,} keys are compared."
        rows = [
            (stage, kind, word, f"{count:,}")
            for kind, stages in (("writes", self._writes), ("reads", self._reads))
            for stage, counts in stages.items()
            for word, count in counts.items()
        ]
        rows += [
            ("all", kind, word, f"{count:,}") for kind, counts in self._others.items() for word, count in counts.items()
        ]
        return Figure(
            "answers",
            "What clients were answered, and found",
            caption,
            tuple(panels),
            NumberTable(("Stage", "Operations", "Answer", "Count"), tuple(rows)),
            LEGEND,
        )

    def _observe_write(self, record: OperationRecord) -> None:
        self._writes.setdefault(record.stage, Counter())[_outcome_word(record)] += 1
        is_known = record.key in self._acknowledged
        if record.outcome is Outcome.OK and (is_known or len(self._acknowledged) < KEYS_MAX):
            self._acknowledged[record.key] = None if record.kind is OperationKind.REMOVE else record.value

    def _read_word(self, record: OperationRecord) -> str | None:
        if record.outcome is not Outcome.OK:
            return "no answer"
        if record.key not in self._acknowledged:
            return None
        if record.value == self._acknowledged[record.key]:
            return "as acknowledged"
        return "absent" if record.value is None else "another value"


def _outcome_word(record: OperationRecord) -> str:
    return "acknowledged" if record.outcome is Outcome.OK else record.outcome.value


def _draw_panel(title: str, stages: dict[str, Counter[str]], colours: dict[str, Colour]) -> Panel:
    shown = list(stages.items())[-STAGES_MAX:]
    bars = [
        Bar(stage, tuple((counts[word], colour) for word, colour in colours.items()), _value(counts, list(colours)))
        for stage, counts in shown
    ]
    words = "; ".join(f"{stage}: " + ", ".join(f"{n} {word}" for word, n in counts.items()) for stage, counts in shown)
    note = f"the latest {STAGES_MAX} of {count(len(stages), 'stage')}" if len(stages) > len(shown) else ""
    return Panel(title, draw_bars(bars, f"{title}: {words}"), note)


def _value(counts: Counter[str], words: list[str]) -> str:
    """Return in words the number of operations, and how many of these had each of the worse outcomes."""
    return ", ".join([f"{counts.total():,}", *(f"{counts[word]:,} {word}" for word in words[1:] if counts[word])])
