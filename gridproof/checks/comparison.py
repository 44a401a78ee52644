"""Compares two subjects that were given the same operations and faults.

Verdicts, measures and answers are shown side by side, which is what one needs to compare another implementation with
the original. The exit status is that of the worse subject: a difference alone does not change it, since under faults
two different answers to the same question may both be right (docs/comparing-two-systems.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.console import Console

from gridproof.ci.gate import JudgedRun
from gridproof.output.console import FOLDED, PLAIN, new_table, open_console
from gridproof.output.folders import INDEX_NAME
from gridproof_implementation.adapter import Adapter, Kind, Options
from gridproof_implementation.trace import open_trace
from gridproof_model.user_error import printable
from gridproof_properties.audits.two_subjects import Answers, AnswersCompared, compare_answers
from gridproof_properties.campaign.over_time import OverTime
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict, standing_of
from gridproof_properties.judging.words import count
from gridproof_reports.contents.summary import Compared, SummaryEntry
from gridproof_reports.drawing.figure import Figure
from gridproof_reports.pages.build import build_summary
from gridproof_reports.pages.environment import PROMISE_CHIPS


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two subjects."""

    label: str
    """The label by which this subject is distinguished from the other."""
    name: str
    """The name as it was typed."""
    adapter: Adapter
    options: Options


@dataclass(frozen=True, slots=True)
class Subjected:
    """One of the two subjects, after it was checked or has played the scenario."""

    side: Side
    judged: JudgedRun
    trace: Path | None = None
    """The trace that is compared with the other subject's; None if there is none."""
    page: Path | None = None
    """The page of the subject's run, or the page that lists its runs."""
    about: Mapping[str, object] = field(default_factory=dict)
    """What `--json` prints about this subject alone."""
    costs: Mapping[str, int] = field(default_factory=dict)
    """Measures in addition to those that every trace has."""
    over_time: OverTime | None = None
    """How the operations of clients went over time; None if there were no faults meanwhile."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two subjects with each other."""

    both: Sequence[Subjected]
    measures: Sequence[Mapping[str, int]]
    answers: AnswersCompared | None
    """How the answers of the two compare; None if one of them has no trace."""
    folder: Path

    @classmethod
    def of(cls, both: Sequence[Subjected], folder: Path) -> "Comparison":
        """Return the comparison of two subjects that have ended; raise TraceError if a trace cannot be read."""
        first, second = (None if one.trace is None else _answers_in(one) for one in both)
        if first is None or second is None:
            return cls(both, ({}, {}), None, folder)
        found = compare_answers(first, second)
        measures = [{**one.costs, **read.measures()} for one, read in zip(both, (first, second), strict=True)]
        return cls(both, measures, found, folder)

    def verdicts(self) -> Sequence[tuple[Verdict, Verdict]]:
        """Return the pairs of verdicts, for each property on which there is a verdict for both subjects."""
        one, other = ({verdict.property: verdict for verdict in each.judged.verdicts} for each in self.both)
        return [(verdict, other[name]) for name, verdict in one.items() if name in other]

    def as_object(self, statuses: Sequence[int]) -> Mapping[str, object]:
        """Return what `--json` prints; `statuses` are the exit statuses of the two subjects."""
        sides = [
            {"system": one.side.label, "status": int(status), "measures": measures}
            | ({"failure": one.judged.failure} if one.judged.failure else {"run": one.about})
            for one, status, measures in zip(self.both, statuses, self.measures, strict=True)
        ]
        differ = [one.property for one, other in self.verdicts() if one.result is not other.result]
        return {
            "subjects": sides,
            "differ": differ,
            "answers": _answers_object(self.answers),
            "folder": str(self.folder),
        }


def words_of(verdict: Verdict) -> str:
    """Return the result of a verdict in two or three words, which also say whether the property was promised."""
    word = Result.BROKEN.value if verdict.result is Result.BROKEN else standing_of(verdict).value
    return word if verdict.promise is PromiseLevel.PROMISED else f"{word}, {PROMISE_CHIPS[verdict.promise]}"


def _answers_in(one: Subjected) -> Answers:
    assert one.trace is not None
    return Answers(open_trace(one.trace).records(), of_rows=one.side.adapter.kind is Kind.PLACER)


def _answers_object(found: AnswersCompared | None) -> Mapping[str, object] | None:
    if found is None:
        return None
    first = [{"number": one.number, "question": one.words, "answer": one.answer} for one in found.first or ()]
    counts = {name: getattr(found, name) for name in ("alike", "differently", "by_the_moment")}
    return {**counts, "of_one_only": list(found.of_one_only), "first_difference": first or None}


def print_comparison(comparison: Comparison, page: Path) -> None:
    """Print what differs and what is broken, the measures, and the first operation that was answered differently."""
    console = open_console()
    labels = [printable(one.side.label) for one in comparison.both]
    for one, label in zip(comparison.both, labels, strict=True):
        if one.judged.failure:
            console.print(f"{label}: {printable(one.judged.failure)}", soft_wrap=True)
    versions = [
        f"{label} ({printable(one.judged.version)})" for label, one in zip(labels, comparison.both, strict=True)
    ]
    _print_verdicts(console, comparison, versions)
    if comparison.answers is not None:
        _print_measures(console, comparison, labels)
        for line in answer_lines(comparison.answers, [one.side.label for one in comparison.both]):
            console.print(printable(line), soft_wrap=True)
    console.print(f"\ntraces  {comparison.folder}\nreport  {page}", soft_wrap=True)


def answer_lines(found: AnswersCompared, labels: Sequence[str]) -> list[str]:
    """Return lines that say how many answers differ, and which was the first."""
    asked = count(found.alike + found.differently + found.by_the_moment, "question")
    only = [f"{n:,} of {label}" for n, label in zip(found.of_one_only, labels, strict=True) if n]
    rest = f"; put to one alone: {' and '.join(only)}" if only else ""
    lines = [f"{asked} put to both: {found.alike:,} answered alike, {found.differently:,} differently{rest}"]
    if found.by_the_moment:
        many = count(found.by_the_moment, "question")
        lines[0] += f"; {many} answered differently about keys that several clients write, where both may be right"
    if found.first is not None:
        lines.append(f"the first that was answered differently is number {found.first[0].number} of {labels[0]}:")
        lines += [
            f"  {label}: {answer.words}: {answer.answer}" for label, answer in zip(labels, found.first, strict=True)
        ]
    return lines


def alike_lines(pairs: Sequence[tuple[Verdict, Verdict]], labels: Sequence[str]) -> list[str]:
    """Return lines on the properties that hold for both subjects, and on those that hold but that only one promises."""
    held = [(one, other) for one, other in pairs if one.result is other.result is Result.HOLDS]
    lines = [f"held on both: {count(len(held), 'property', 'properties')}"]
    for place, label in enumerate(labels):
        alone = [pair[0].property for pair in held if _is_promised(pair[place]) and not _is_promised(pair[1 - place])]
        lines += [f"of these promised by {label} alone: {', '.join(alone)}"] if alone else []
    return lines


def _print_verdicts(console: Console, comparison: Comparison, titles: Sequence[str]) -> None:
    pairs = comparison.verdicts()
    table = new_table("what differs, and what is broken", {"property": FOLDED})
    for heading in titles:  # the two may be equal
        table.add_column(heading, **FOLDED)
    for one, other in pairs:
        if one.result is not other.result or one.result is Result.BROKEN:
            table.add_row(one.property, words_of(one), words_of(other))
    console.print(table if table.row_count else "no verdict differs, and nothing is broken")
    for line in alike_lines(pairs, [one.side.label for one in comparison.both]):
        console.print(printable(line), soft_wrap=True)
    for subject in comparison.both:
        for verdict in subject.judged.verdicts:
            if verdict.result is Result.BROKEN and _is_promised(verdict):
                said = f"{subject.side.label}: {verdict.property} is broken: {verdict.sentence}"
                console.print(printable(said), soft_wrap=True)


def _print_measures(console: Console, comparison: Comparison, titles: Sequence[str]) -> None:
    table = new_table("measures", {"measure": PLAIN})
    for title in titles:
        table.add_column(title, justify="right", overflow="fold")
    one, other = comparison.measures
    for name in one:
        if one[name] or other[name]:
            table.add_row(name, f"{one[name]:,}", f"{other[name]:,}")
    console.print(table)


def _is_promised(verdict: Verdict) -> bool:
    return verdict.promise is PromiseLevel.PROMISED


def write_page(comparison: Comparison, repeat_line: str) -> Path:
    """Write the page into the folder of the comparison, and return the path of the page."""
    first, second = (one.side.label for one in comparison.both)
    answers = [] if comparison.answers is None else answer_lines(comparison.answers, (first, second))
    one, other = comparison.measures
    measures = [(name, one[name], other[name]) for name in one if one[name] or other[name]]
    entries = [
        SummaryEntry(
            each.side.label, each.judged.version, tuple(each.judged.verdicts), each.page, failure=each.judged.failure
        )
        for each in comparison.both
    ]
    compared = Compared((first, second), answers, measures, tuple(_figures(comparison)))
    return build_summary(entries, comparison.folder / INDEX_NAME, repeat_line=repeat_line, compared=compared)


def _figures(comparison: Comparison) -> Iterator[Figure]:
    """Draw how clients' operations went over time in the runs whose answers are compared, if there were faults."""
    # Imported only here: the imported module draws charts of values over time, which few pages have.
    from gridproof_reports.drawing.over_time_drawing import draw_over_time

    for number, each in enumerate(comparison.both, start=1):
        if each.over_time is not None and (figure := draw_over_time(each.over_time)) is not None:
            yield replace(figure, name=f"{figure.name}-{number}", title=f"{each.side.label}: {figure.title}")
