"""Two subjects side by side, as a person reads them."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from gridproof.comparison import Comparison, words_of
from gridproof.console import open_console, shown
from gridproof_properties.audits.two_subjects import AnswersCompared
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict
from gridproof_properties.judging.words import count


def print_comparison(comparison: Comparison) -> None:
    """Print what differs and what is broken, the measures, and the first question that was answered differently."""
    console = open_console()
    labels = [shown(one.side.label) for one in comparison.both]
    for one, label in zip(comparison.both, labels, strict=True):
        if one.judged.failure:
            console.print(f"{label}: {shown(one.judged.failure)}", soft_wrap=True)
    versions = [f"{label} ({shown(one.judged.version)})" for label, one in zip(labels, comparison.both, strict=True)]
    _print_verdicts(console, comparison, versions)
    if comparison.answers is not None:
        _print_measures(console, comparison, labels)
        for line in answer_lines(comparison.answers, [one.side.label for one in comparison.both]):
            console.print(shown(line), soft_wrap=True)
    console.print(f"\ntraces  {comparison.folder}", soft_wrap=True)


def answer_lines(found: AnswersCompared, labels: Sequence[str]) -> list[str]:
    """Return how far the answers differ, in lines."""
    asked = count(found.alike + found.differently + found.by_the_moment, "question")
    only = [f"{n:,} of {label}" for n, label in zip(found.of_one_only, labels, strict=True) if n]
    rest = f"; asked besides: {' and '.join(only)}" if only else ""
    lines = [f"{asked} put to both: {found.alike:,} answered alike, {found.differently:,} differently{rest}"]
    if found.by_the_moment:
        many = count(found.by_the_moment, "question")
        lines[0] += f"; {many} about keys that several clients write with another value, and both may be right"
    if found.first is not None:
        lines.append(f"the first that was answered differently is number {found.first[0].number} of {labels[0]}:")
        lines += [
            f"  {label}: {answer.words}: {answer.answer}" for label, answer in zip(labels, found.first, strict=True)
        ]
    return lines


def alike_lines(pairs: Sequence[tuple[Verdict, Verdict]], labels: Sequence[str]) -> list[str]:
    """Return what holds on both, and what of that only one of them promises."""
    held = [(one, other) for one, other in pairs if one.result is other.result is Result.HOLDS]
    lines = [f"held on both: {count(len(held), 'property', 'properties')}"]
    for place, label in enumerate(labels):
        alone = [pair[0].property for pair in held if _is_promised(pair[place]) and not _is_promised(pair[1 - place])]
        lines += [f"of these promised by {label} alone: {', '.join(alone)}"] if alone else []
    return lines


def _print_verdicts(console: Console, comparison: Comparison, titles: Sequence[str]) -> None:
    pairs = comparison.verdicts()
    table = Table(title="what differs, and what is broken", title_justify="left")
    for heading in ("property", *titles):
        table.add_column(heading, overflow="fold")
    for one, other in pairs:
        if one.result is not other.result or one.result is Result.BROKEN:
            table.add_row(one.property, words_of(one), words_of(other))
    console.print(table if table.row_count else "no verdict differs, and nothing is broken")
    for line in alike_lines(pairs, [one.side.label for one in comparison.both]):
        console.print(shown(line), soft_wrap=True)
    for subject in comparison.both:
        for verdict in subject.judged.verdicts:
            if verdict.result is Result.BROKEN and _is_promised(verdict):
                said = f"{subject.side.label}: {verdict.property} is broken: {verdict.sentence}"
                console.print(shown(said), soft_wrap=True)


def _print_measures(console: Console, comparison: Comparison, titles: Sequence[str]) -> None:
    table = Table(title="measures", title_justify="left")
    table.add_column("measure")
    for title in titles:
        table.add_column(title, justify="right", overflow="fold")
    one, other = comparison.measures
    for name in one:
        if one[name] or other[name]:
            table.add_row(name, f"{one[name]:,}", f"{other[name]:,}")
    console.print(table)


def _is_promised(verdict: Verdict) -> bool:
    return verdict.promise is PromiseLevel.PROMISED
