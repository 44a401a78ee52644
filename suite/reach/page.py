"""The page that lists the rules, and the ways through rules, that no run reaches.

`docs/reach.md` is made from measured runs; only the reasons why no run reaches a rule or way are written by hand
(`reasons.toml`). If a rule or way is not on the page and is no longer reached, no run would notice a bug there any
more.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gridproof_properties.judging.words import count
from suite.reach.measure import Progress, Reach, runs_of
from suite.reach.survey import Survey, survey


@cache
def reasons() -> tuple[tuple[str, str], ...]:
    """Return every pattern with its reason, in the order in which patterns are tried."""
    rows = tomllib.loads(Path(__file__).with_name("reasons.toml").read_text(encoding="utf-8"))["reasons"]
    return tuple((pattern, row["why"]) for row in rows for pattern in row["patterns"])


def reason_for(name: str) -> str | None:
    """Return the reason why a rule or way is not reached; None if no reason is written."""
    return next((reason for pattern, reason in reasons() if fits(pattern, name)), None)


def fits(pattern: str, name: str) -> bool:
    """Return whether a pattern matches a name."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


RUNS = 2_000
"""The number of runs that a page is made from."""
SELDOM = 20
"""If fewer of these runs reach a point, it is not checked at each change, as it could be missed by chance."""
MORE_RUNS = 600
"""How many more runs are tried if the seeds of the page miss a point; they rarely miss one that 1 % of runs reach."""
NO_REASON = "nobody has said why"
_SEEDS = "\nSeeds: "
_ROW = re.compile(r"^\| `([^`]+)`(?:: (.+))? \| (.+) \|$", re.MULTILINE)
_INTRODUCTION = """\
# What simulated runs reach

No campaign finds a mutant of a rule that no run executes. So it is measured how many runs execute each function and
method of `protocol/` and `placement/`, and each way through it: the result of a condition, a case of a `match`, an
error that is caught, a loop that is entered.

```sh
python -m suite reach --runs 200                    # every rule, its runs and its ways
python -m suite reach --page docs/reach.md    # make this page anew, from {runs:,} runs: some minutes
python -m suite reach --reasons docs/reach.md  # put in the current reasons, without a measurement
python -m suite reach --check docs/reach.md  # whether unlisted rules are still reached; a part of `make test`
```

This page is generated, except for the reasons: these are in `suite/reach/reasons.toml`, by name or pattern, and stay
when the page is made again. `make test` fails while no run reaches a rule that is new or has changed: either drawn runs
must reach it, or the page must be made again and give the reason why they do not.

`gridproof simulate` draws the runs that are measured here. Tests of the parts, state machines and the zoo's stories
reach more rules.
"""


@dataclass(frozen=True, slots=True)
class Page:
    """What a page contains."""

    unreached: Mapping[str, str]
    """The rules and ways that no run reaches, by name, each with the reason."""
    seldom: Mapping[str, int]
    """The rules and ways that are seldom reached, by name, each with the number of runs that reached it."""
    seeds: tuple[int, ...]
    """The seeds whose runs together reach everything else."""

    @property
    def listed(self) -> frozenset[str]:
        """The names of all rules and ways on the page; `--check` does not require that runs reach these."""
        return frozenset((*self.unreached, *self.seldom))


def read_page(text: str) -> Page:
    """Return the page that a text contains; raise ValueError if it has no seeds."""
    unreached: dict[str, str] = {}
    seldom: dict[str, int] = {}
    for row in _ROW.finditer(text.partition(_SEEDS)[2]):
        if row[3].isdecimal():
            seldom[_name_in(row)] = int(row[3])
        else:
            unreached[_name_in(row)] = row[3]
    seeds = re.search(r"^Seeds: ([\d, \n]+)$", text, re.MULTILINE)
    if seeds is None:
        raise ValueError("the page has no line that begins with `Seeds:`")
    return Page(unreached, seldom, tuple(int(seed) for seed in re.findall(r"\d+", seeds[1])))


def fallen(surveyed: Survey, reached: Iterable[int], page: Page) -> Iterator[str]:
    """Yield rules that are neither reached nor listed, and unlisted ways, never reached, of rules that are reached."""
    listed, met = page.listed, frozenset(reached)
    for rule, (own, ways) in surveyed.rules().items():
        if rule in listed:
            continue
        if own not in met:
            yield rule
            continue
        for way in ways:
            if way not in met and surveyed.points[way].name not in listed:
                yield surveyed.points[way].name


@dataclass(frozen=True, slots=True)
class Checked:
    """What the check of a page has found."""

    runs: int
    fallen: tuple[str, ...]
    unknown: tuple[str, ...]
    """Names on the page that do not belong to any rule or way any more."""

    def sentences(self) -> Iterator[str]:
        """Yield one line for each thing that is wrong, with its cure."""
        for name in self.fallen:
            yield (
                f"no run of {self.runs:,} reaches {name}: let drawn runs come to it, or make the page anew (python -m "
                "suite reach --page docs/reach.md) and say why not in reach/reasons.toml"
            )
        for name in self.unknown:
            yield f"there is no {name} any more: make the page anew (python -m suite reach --page docs/reach.md)"


def check_page(page: Page, workers: int = 1, progress: Progress | None = None) -> Checked:
    """Play the seeds of the page, and then other seeds as long as a point is missing."""
    surveyed = survey()
    names = {point.name for point in surveyed.points}
    reached: set[int] = set()
    missing, runs = tuple(fallen(surveyed, reached, page)), 0
    more = [seed for seed in range(MORE_RUNS) if seed not in page.seeds]
    for seeds in (page.seeds, more):
        if not missing:
            break
        for run in runs_of(seeds, workers):
            reached.update(run.numbers())
            runs += 1
            if progress is not None:
                progress("runs", runs, len(page.seeds) + len(more))
            missing = tuple(fallen(surveyed, reached, page))
            if not missing:
                break
    return Checked(runs, missing, tuple(sorted(page.listed - names)))


def make_page(surveyed: Survey, reach: Reach) -> str:
    """Return the page for measured runs."""
    few = SELDOM * len(reach.runs) // RUNS
    reported = list(numbers_reported(surveyed, reach))
    seldom = [number for number in reported if 0 < reach.counts[number] <= few]
    seeds = ", ".join(map(str, reach.fewest_seeds(number for number in reported if reach.counts[number] > few)))
    return "\n".join(
        (
            _INTRODUCTION.format(runs=RUNS),
            f"## {count(len(reach.runs), 'run')}",
            "",
            *_summary(surveyed, reach),
            "",
            "Together, the runs of these seeds reach every rule and every way that neither table below lists:",
            "",
            f"Seeds: {seeds}",
            "",
            f"## What no run of {len(reach.runs):,} reaches",
            "",
            "If no run reaches a rule, the ways through it are not listed.",
            "",
            "| rule or way | why |",
            "|---|---|",
            *(f"| {_cell(name)} | {reason_for(name) or NO_REASON} |" for name in unreached(surveyed, reach)),
            "",
            f"## What at most {few:,} runs reach",
            "",
            "| rule or way | runs |",
            "|---|---|",
            *(f"| {_cell(surveyed.points[number].name)} | {reach.counts[number]} |" for number in seldom),
            "",
        )
    )


def unreached(surveyed: Survey, reach: Reach) -> Sequence[str]:
    """Return the names of the rules and ways that no run reached."""
    reported = numbers_reported(surveyed, reach)
    return [surveyed.points[number].name for number in reported if not reach.counts[number]]


def with_reasons(text: str) -> str:
    """Return the page with the reasons as they are now, without measuring anew."""

    def reasoned(row: re.Match[str]) -> str:
        name = _name_in(row)
        return row[0] if row[3].isdecimal() else f"| {_cell(name)} | {reason_for(name) or NO_REASON} |"

    before, seeds, tables = text.partition(_SEEDS)
    return before + seeds + _ROW.sub(reasoned, tables)


def numbers_reported(surveyed: Survey, reach: Reach) -> Iterator[int]:
    """Yield the numbers of all rules, and of the ways through those rules that are reached."""
    for own, ways in surveyed.rules().values():
        yield from (own, *ways) if reach.counts[own] else (own,)


def _summary(surveyed: Survey, reach: Reach) -> Iterator[str]:
    """Yield the lines of a table: for each part, how many rules and ways it has, and how many of them are reached."""
    parts: dict[str, list[int]] = {}
    for rule, (own, ways) in surveyed.rules().items():
        part = parts.setdefault(f"`{surveyed.package_of(rule)}`", [0, 0, 0, 0])
        reported = (bool(reach.counts[own]), 1, sum(bool(reach.counts[way]) for way in ways), len(ways))
        part[:] = [sum(both) for both in zip(part, reported, strict=True)]
    yield "| part | rules reached | ways reached |"
    yield "|---|---|---|"
    for name, (rules, of_rules, met, of_ways) in [*sorted(parts.items()), ("all", _total(parts.values()))]:
        yield f"| {name} | {rules:,} of {of_rules:,} | {met:,} of {of_ways:,} |"


def _total(parts: Iterable[list[int]]) -> list[int]:
    return [sum(column) for column in zip(*parts, strict=True)]


def _cell(name: str) -> str:
    rule, _, words = name.partition(": ")
    return f"`{rule}`{': ' if words else ''}{words}".replace("|", "\\|")


def _name_in(row: re.Match[str]) -> str:
    return ": ".join(filter(None, (row[1], row[2]))).replace("\\|", "|")
