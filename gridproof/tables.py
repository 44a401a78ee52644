"""What a person reads on the terminal.

Tables go to standard output; colours only where that is a terminal. Every verdict is a word, never a colour alone.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gridproof.run import CheckedRun
from gridproof_properties.verdict import PromiseLevel, Result, Verdict
from gridproof_reports.pipeline.audit import AuditReport

PLAIN_WIDTH = 120
COLOURS = {Result.HOLDS: "green", Result.UNKNOWN: "yellow", Result.BROKEN: "red"}


def print_verdicts(checked: CheckedRun) -> None:
    """Print one table of a run's verdicts, the witnesses of what is broken, and where the files are."""
    console = open_console()
    table = Table(title=f"{checked.system} {checked.version}, seed {checked.seed}", title_justify="left")
    for heading in ("property", "verdict", "promise"):
        table.add_column(heading, no_wrap=True)
    table.add_column("what was found", overflow="fold")
    for verdict in _in_reading_order(checked.verdicts):
        if not is_idle(verdict):
            table.add_row(verdict.property, verdict_word(verdict), verdict.promise.value, escape(verdict.sentence))
    console.print(table)
    idle = [verdict.property for verdict in checked.verdicts if is_idle(verdict)]
    if idle:
        console.print(f"neither promised nor judged: {', '.join(idle)}")
    for verdict in checked.verdicts:
        if verdict.witness and verdict.promise is PromiseLevel.PROMISED:
            console.print(f"\n[bold]{verdict.property}[/bold], step by step:")
            for number, step in enumerate(verdict.witness, start=1):
                console.print(f"  {number}. {escape(step)}")
    console.print(f"\ntrace   {checked.trace}\nreport  {checked.report}", soft_wrap=True)


def print_verdicts_of_several(ended: Sequence[tuple[str, CheckedRun | None, str]], index: Path) -> None:
    """Print one row a system: counts, what is broken, how long it took."""
    console = open_console()
    table = Table(title="what was promised, and what was found", title_justify="left")
    for heading, justify in (("system", "left"), ("hold", "right"), ("broken", "right"), ("unknown", "right")):
        table.add_column(heading, justify="right" if justify == "right" else "left", no_wrap=True)
    table.add_column("seconds", justify="right")
    table.add_column("in short", overflow="fold")
    for system, checked, failure in ended:
        if checked is None:
            table.add_row(system, "", "", "", "", escape(failure))
            continue
        numbers = _counts(checked.verdicts)
        table.add_row(f"{system} {checked.version}", *numbers, f"{checked.seconds:.1f}", in_short(checked.verdicts))
    console.print(table)
    console.print(f"\nreport  {index}", soft_wrap=True)


def open_console() -> Console:
    """Return the console of every command: a terminal's own width, and a readable one where there is no terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


def is_idle(verdict: Verdict) -> bool:
    """Whether a property was neither promised nor judged: it says nothing about the system."""
    return verdict.promise is PromiseLevel.NONE and verdict.result is Result.UNKNOWN


def print_audit(audited: AuditReport, index: Path) -> None:
    """Print one row a run and where the report is."""
    console = open_console()
    table = Table(title=f"{len(audited.runs)} runs, {audited.row_count:,} table rows", title_justify="left")
    table.add_column("run", overflow="fold")
    for heading in ("hold", "broken", "unknown"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("in short", overflow="fold")
    for one in audited.runs:
        table.add_row(one.head.run, *_counts(one.verdicts), in_short(one.verdicts))
    console.print(table)
    rate = audited.row_count / audited.seconds if audited.seconds else 0.0
    console.print(f"\n{audited.seconds:.1f} s, {rate:,.0f} table rows a second\nreport  {index}", soft_wrap=True)


def in_short(verdicts: Sequence[Verdict]) -> str:
    """Return the promised properties that do not hold, each with its sentence; else that all hold."""
    promised = [verdict for verdict in verdicts if verdict.promise is PromiseLevel.PROMISED]
    failing = [verdict for verdict in promised if verdict.result is not Result.HOLDS]
    if failing:
        return "\n".join(
            f"{verdict.property} {verdict_word(verdict)}: {escape(verdict.sentence)}" for verdict in failing
        )
    return f"all {len(promised)} promised properties hold" if promised else "nothing was promised"


def verdict_word(verdict: Verdict) -> str:
    """Return the verdict as a word, coloured by how bad it is where the property was promised."""
    word = verdict.result.value
    return f"[{COLOURS[verdict.result]}]{word}[/]" if verdict.promise is PromiseLevel.PROMISED else word


def _counts(verdicts: Sequence[Verdict]) -> list[str]:
    """Return how many promised properties hold, are broken, are unknown."""
    counts = Counter(verdict.result for verdict in verdicts if verdict.promise is PromiseLevel.PROMISED)
    return [str(counts[result]) for result in (Result.HOLDS, Result.BROKEN, Result.UNKNOWN)]


def _in_reading_order(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return sorted(verdicts, key=lambda v: (list(PromiseLevel).index(v.promise), -v.result.severity))
