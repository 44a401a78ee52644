"""Which verdicts decide the exit status.

All properties are judged and shown; `--only` and `--fail-on` choose which broken or unknown promises fail a build, and
a baseline excepts known failures. A single function decides how a verdict counts, so that the exit status, JUnit and
SARIF agree.
"""

import argparse
import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from gridproof.ci.baseline import Baseline, no_baseline
from gridproof.command import UsageError
from gridproof_model.events.fault_counts import missed_sentence
from gridproof_properties.catalogue import PROPERTY_NAMES, get_property
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.judge import Severity
from gridproof_properties.judging.panel import stop_in
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict, exit_status, is_blind
from gridproof_properties.judging.words import count

if TYPE_CHECKING:
    from gridproof_properties.campaign.tally import Tally


NOTHING_COMPARED = "nothing was compared that is promised"


class Outcome(StrEnum):
    """How a verdict counts in a build."""

    PASSED = "passed"
    FAILED = "broken"
    UNDECIDED = "unknown"
    """The property is promised and the verdict on it unknown: the build does not pass."""
    KNOWN = "known"
    """The property is broken or unknown, and the baseline lists this."""
    NOT_COUNTED = "not counted"
    """The property is broken or unknown, but it is none of those that the user asked for."""
    ADMITTED = "documented weakness"
    NOT_PROMISED = "not promised"


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run, or a system that could not be opened, in the form in which a build judges it."""

    names: tuple[str, ...]
    """The names of the run or system: the first is the name that is shown, and the last is the system's own name."""
    verdicts: tuple[Verdict, ...]
    version: str = ""
    seconds: float | None = None
    trace: Path | None = None
    failure: str = ""
    """One line that says why there are no verdicts; empty if there are some."""
    missed: Mapping[str, str] = field(default_factory=dict)
    """The requested faults that affected no member, each with the reason."""
    unknown: Mapping[str, str] = field(default_factory=dict)
    """What else is unknown about the run, each time with a sentence."""

    @property
    def name(self) -> str:
        """The name under which the run or system is shown."""
        return self.names[0]

    @property
    def system(self) -> str:
        """The system's own name, which is the same in later builds."""
        return self.names[-1]


@dataclass(frozen=True, slots=True)
class Gate:
    """Which failures fail a build, and the failures of which properties."""

    counted: frozenset[str] = frozenset(PROPERTY_NAMES)
    asked: str = ""
    """The options that chose the properties, as they were typed; empty if every property counts."""
    named: tuple[str, ...] = ()
    """The properties that `--only` names."""
    baseline: Baseline = field(default_factory=no_baseline)

    def outcome(self, run: JudgedRun, verdict: Verdict) -> Outcome:
        """Return whether a verdict counts as passed, failed, admitted or otherwise, as far as a build is concerned."""
        if verdict.promise is PromiseLevel.NONE:
            return Outcome.NOT_PROMISED
        if verdict.promise is PromiseLevel.WEAKNESS:
            return Outcome.PASSED if verdict.result is Result.HOLDS else Outcome.ADMITTED
        if verdict.result is Result.HOLDS:
            return Outcome.PASSED
        if verdict.property not in self.counted:
            return Outcome.NOT_COUNTED
        if self.baseline.knows(run.names, verdict):
            return Outcome.KNOWN
        return Outcome.FAILED if verdict.result is Result.BROKEN else Outcome.UNDECIDED

    def looks_at(self, verdict: Verdict) -> bool:
        """Return whether a verdict is on a property that can fail the build."""
        return verdict.promise is PromiseLevel.PROMISED and verdict.property in self.counted

    def sees_nothing(self, run: JudgedRun, runs: Iterable[JudgedRun]) -> bool:
        """Return whether a run compared no promise, or the runs judged together with it compared none that counts."""
        return is_blind(run.verdicts) or is_blind(v for one in runs for v in one.verdicts if self.looks_at(v))

    def status(self, runs: Sequence[JudgedRun]) -> int:
        """Return the exit status of some runs together; broken takes precedence over unknown.

        The status is also unknown if a run failed, if a run compared no promise (even if its failures are known), or if
        a requested fault affected no member.
        """
        both = [(run, v) for run in runs for v in run.verdicts if self.looks_at(v)]
        # A known failure counts as if the property held.
        status = exit_status(
            replace(v, result=Result.HOLDS) if self.outcome(run, v) is Outcome.KNOWN else v for run, v in both
        )
        is_unknown = any(one.failure or one.missed or one.unknown or self.sees_nothing(one, runs) for one in runs)
        return ExitStatus.UNKNOWN if is_unknown and status == ExitStatus.HOLDS else status

    def status_of_tally(self, tally: "Tally", promised: Sequence[str], at_least: int, asked: Collection[str]) -> int:
        """Return the exit status of simulated runs together; `asked` are the faults that were requested."""
        names = [name for name in promised if name in self.counted]
        failures = [failure for failure in tally.failures if failure.property in self.counted]
        return replace(tally, failures=failures).exit_status(names, at_least, asked)

    def first_lines(self, runs: Iterable[JudgedRun]) -> list[str]:
        """Return a line for each fault that affected no member, for each other thing that is unknown, and for each run
        without a comparison, with the reason why it stopped."""
        runs = list(runs)
        found = [f"{run.name}: {missed_sentence(*one)}" for run in runs for one in run.missed.items()]
        blind = [run for run in runs if not run.failure and is_blind(run.verdicts)]
        why = {run.name: "; ".join(filter(None, (stop_in(run.verdicts), NOTHING_COMPARED))) for run in blind}
        found += [f"{run.name}: {words}" for run in runs for words in run.unknown.values()]
        return found + [f"{name}: {words}" for name, words in why.items()]

    def refuse_unpromised(self, systems: Iterable[str], levels: Iterable[Mapping[str, PromiseLevel]]) -> None:
        """Raise UsageError for a property that `--only` names and that none of these systems promises by its `levels`.

        If a system has no levels, its promises are not known.
        """
        known = list(levels)
        promised = [name for one in known for name, level in one.items() if level is PromiseLevel.PROMISED]
        for name in self.named if all(known) else ():
            if name not in promised:
                who = " or ".join(dict.fromkeys(systems))
                near = difflib.get_close_matches(name, dict.fromkeys(promised), cutoff=0.4)
                others = f"the promised properties are {', '.join(dict.fromkeys(promised))}"
                cure = f"name {' or '.join(near)}" if near else others
                raise UsageError(f"--only {name}: {who} does not promise this property; {cure}")

    def lines(self, runs: Iterable[JudgedRun]) -> list[str]:
        """Return a line about the broken or unknown promises that do not count; no line if there are none."""
        if not self.asked:
            return []
        others = self.not_counted(runs)
        rest = "; not counted, though broken or unknown: " + ", ".join(others) if others else ""
        return [f"the exit status looks at {count(len(self.counted), 'property', 'properties')} ({self.asked}){rest}"]

    def not_counted(self, runs: Iterable[JudgedRun]) -> Sequence[str]:
        """Return the names of promised properties that are broken or unknown and that the user did not ask for."""
        found = (v.property for run in runs for v in run.verdicts if self.outcome(run, v) is Outcome.NOT_COUNTED)
        return tuple(dict.fromkeys(found))

    def as_object(self) -> Mapping[str, object]:
        """Return what `--json` prints about the gate; empty if every property counts."""
        return {"counted": sorted(self.counted)} if self.asked else {}


def add_gate(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose which verdicts decide the exit status."""
    parser.add_argument(
        "--only", action="append", metavar="PROPERTY",
        help="count only this property in the exit status; repeat it for several (default: all; others are judged)",
    )  # fmt: skip
    parser.add_argument(
        "--fail-on", choices=[one.value for one in Severity], metavar="SEVERITY",
        help=f"count only this severity and worse in the exit status: {', '.join(Severity)}",
    )  # fmt: skip


def least_runs(text: str) -> int:
    """Return in how many runs a property has to be met, from the text that was typed."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text}: write a whole number of at least 0")
    return number


least_runs.__name__ = "int"  # argparse uses this name in its error message


def check_least(at_least: int, runs: int) -> None:
    """Raise UsageError if a property would have to be met by more runs than there will be."""
    if at_least > runs:
        never = f"a property is met by at most {count(runs, 'run')}, so no result would be enough"
        raise UsageError(f"--at-least {at_least}: {never}; write at most {runs:,}, or ask for more runs")


def gate_of(arguments: argparse.Namespace, baseline: Baseline | None = None) -> Gate:
    """Return the gate that was asked for; UnknownPropertyError for a wrong name, UsageError if no property is left."""
    names = tuple(dict.fromkeys(get_property(name).name for name in arguments.only or ()))
    known = baseline or no_baseline()
    counted = set(names or PROPERTY_NAMES)
    words = [f"--only {name}" for name in names]
    if arguments.fail_on is not None:
        least = Severity(arguments.fail_on)
        counted = {name for name in counted if get_property(name).severity.is_at_least(least)}
        words.append(f"--fail-on {least}")
    if not counted:
        both = " ".join(words)
        cure = "`gridproof properties` shows how severe each property is"
        raise UsageError(f"{both}: no property that --only names is that severe, so nothing would be judged; {cure}")
    return Gate(frozenset(counted), " ".join(words), names, known)
