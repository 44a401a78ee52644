"""The tables that a command prints on the terminal.

Tables go to standard output, with colours only if it is a terminal. Every verdict is printed as a word, never shown by
a colour alone.
"""

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from gridproof.checks.run import CheckedRun
from gridproof.output.campaign_table import print_weaknesses
from gridproof.output.console import COLOURS, FOLDED, NUMBER, RIGHT, WHOLE, new_table, open_console, print_configuration
from gridproof_implementation.adapter import Speaker
from gridproof_model.user_error import printable
from gridproof_properties.judging.verdict import PromiseLevel, Result, Standing, Verdict, standing_of, weaknesses_of
from gridproof_reports.contents.report import headline
from gridproof_reports.pages.environment import PROMISE_CHIPS

UNMET = (Standing.NEVER_MET, Standing.NOT_LOOKED_AT)
"""The standings of properties about which a run says nothing; a reader may skip them."""
NAMES_MAX = 5
"""At most this many of the properties that were not met are named; if there are more, they are only counted."""


def print_verdicts(checked: CheckedRun) -> None:
    """Print one table with a run's verdicts, the witnesses of what is broken, and where the files are."""
    console = open_console()
    columns = {"property": WHOLE, "verdict": WHOLE, "promise": {**FOLDED, "max_width": 13}}
    columns |= {"what was found": FOLDED, "compared": NUMBER}
    table = new_table(f"{checked.system} {checked.version}, seed {checked.seed}", columns)
    levels = list(PromiseLevel)
    for verdict in sorted(checked.verdicts, key=lambda v: (levels.index(v.promise), -v.result.severity)):
        if standing_of(verdict) not in UNMET:
            compared = f"{verdict.compared:,}" if verdict.compared else ""
            table.add_row(
                verdict.property, verdict_word(verdict), promise_words(verdict), printable(verdict.sentence), compared
            )
    console.print(table)
    for line in unmet_lines(checked.verdicts):
        console.print(line)
    print_weaknesses(console, weaknesses_of(checked.verdicts))
    for verdict in checked.verdicts:
        if verdict.witness and verdict.promise is PromiseLevel.PROMISED:
            console.print("\n", Text(verdict.property, "bold"), ", step by step:", sep="")
            for number, step in enumerate(verdict.witness, start=1):
                console.print(f"  {number}. {printable(step)}")
    if checked.config is not None:
        print_configuration(console, checked.config.taken, checked.config.notes)
    if checked.caveat:
        console.print(f"\n{checked.caveat}")
    if said := checked.overlap.describe():
        console.print(f"\nthe history is {said}", soft_wrap=True)
    again = f"gridproof report {shlex.quote(str(checked.trace.parent))}"
    page = checked.report or f"interrupted before it was drawn; {again} draws it"
    console.print(f"\ntrace   {checked.trace}\nreport  {page}", soft_wrap=True)


def print_lines(lines: Sequence[str]) -> None:
    """Print lines below a table."""
    console = open_console()
    for line in lines:
        console.print(printable(line), soft_wrap=True)


def print_verdicts_of_several(ended: Sequence[tuple[str, CheckedRun | None, str]], index: Path) -> None:
    """Print one row for each system: the counts of verdicts, what is broken, and how long the check took."""
    console = open_console()
    columns = {"system": WHOLE, **dict.fromkeys(("hold", "broken", "unknown"), NUMBER)}
    columns |= {"seconds": RIGHT, "in short": FOLDED}
    table = new_table("what was promised, and what was found", columns)
    for system, checked, failure in ended:
        if checked is None:
            table.add_row(system, "", "", "", "", failure)
            continue
        numbers = counts_of(checked.verdicts)
        table.add_row(f"{system} {checked.version}", *numbers, f"{checked.seconds:.1f}", in_short(checked.verdicts))
    console.print(table)
    console.print(f"\nreport  {index}", soft_wrap=True)


def unmet_lines(verdicts: Sequence[Verdict]) -> list[str]:
    """Return lines on the verdicts that say nothing about the system, one line for each level of promise and reason."""
    lines = []
    for promise in PromiseLevel:
        for standing in UNMET:
            names = [v.property for v in verdicts if v.promise is promise and standing_of(v) is standing]
            if len(names) > NAMES_MAX:
                names = [f"{len(names)} properties; --json has each with what did not happen or was not recorded"]
            if names:
                lines.append(f"{PROMISE_CHIPS[promise]}, {standing.value}: {', '.join(names)}")
    return lines


def in_short(verdicts: Sequence[Verdict]) -> Text:
    """Return the result over all promised properties, and each broken or undecided property with its sentence."""
    promised = [verdict for verdict in verdicts if verdict.promise is PromiseLevel.PROMISED]
    deciding = [v for v in promised if standing_of(v) in (Standing.BROKEN, Standing.UNDECIDED)]
    text = Text(headline(verdicts))
    for verdict in deciding:
        text.append(f"\n{verdict.property} ").append_text(verdict_word(verdict))
        text.append(f": {printable(verdict.sentence)}")
    return text


def verdict_word(verdict: Verdict) -> Text:
    """Return the result of a verdict as a word, coloured by its severity if the property was promised."""
    colour = COLOURS[verdict.result] if verdict.promise is PromiseLevel.PROMISED else ""
    return Text(standing_of(verdict).value, colour)


def promise_words(verdict: Verdict) -> str:
    """Return what is promised, and the source of the promise if that is not the adapter."""
    by = verdict.promised_by if verdict.promised_by != Speaker.ADAPTER else ""
    return f"{verdict.promise}\n{printable(by)}" if by else verdict.promise.value


def counts_of(verdicts: Sequence[Verdict]) -> list[str]:
    """Return how many promised properties hold, how many are broken, and how many are unknown."""
    counts = Counter(verdict.result for verdict in verdicts if verdict.promise is PromiseLevel.PROMISED)
    return [str(counts[result]) for result in (Result.HOLDS, Result.BROKEN, Result.UNKNOWN)]
