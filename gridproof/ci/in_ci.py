"""What a command has for continuous integration besides its tables.

The module has the options of `check` and `audit` for continuous integration: the properties that decide the exit
status, the baseline, and the files for a CI server. Names, the baseline and paths are checked before the work begins.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gridproof.ci.baseline import KnownFailure, baseline_text, known_object, plain, read_baseline
from gridproof.ci.gate import Gate, JudgedRun, Outcome, add_gate, gate_of
from gridproof.command import UsageError
from gridproof.output.folders import check_paths, write_result
from gridproof_implementation.adapter import PromiseWord
from gridproof_implementation.live.said import Said, read_said
from gridproof_properties.audits.promises import unknown_names
from gridproof_properties.catalogue import PROPERTY_NAMES, get_property
from gridproof_properties.judging.panel import stop_in
from gridproof_properties.judging.verdict import PromiseLevel, is_blind

JUNIT, SARIF, WRITE_BASELINE = "--junit", "--sarif", "--write-baseline"
PROMISES = "--promises"


@dataclass(frozen=True, slots=True)
class InCi:
    """The options, after they were checked."""

    command: str
    gate: Gate
    junit: Path | None
    sarif: Path | None
    new_baseline: Path | None
    stated: Said | None = None
    """What the file of promises states; None if no file was given."""

    @classmethod
    def of(cls, command: str, arguments: argparse.Namespace) -> "InCi":
        """Return the options; raise UserError if a name, the baseline or a path is wrong."""
        known = None if arguments.baseline is None else read_baseline(arguments.baseline)
        gate = gate_of(arguments, known)
        paths = {JUNIT: arguments.junit, SARIF: arguments.sarif, WRITE_BASELINE: arguments.write_baseline}
        check_paths(paths)
        given = arguments.baseline
        for option in (JUNIT, SARIF):
            if given is not None and paths[option] is not None and paths[option].resolve() == given.resolve():
                raise UsageError(f"{option} {given}: --baseline names the same file; name another file with {option}")
        stated = _read_stated(getattr(arguments, "promises", None))
        return cls(command, gate, arguments.junit, arguments.sarif, arguments.write_baseline, stated)

    def lines(self, runs: Sequence[JudgedRun]) -> list[str]:
        """Return lines for people: which failures do not count, and which are known, new, or no longer occur."""
        found = [*self.gate.lines(runs), *(f"{by}: {one}" for by, one in self._not_held(runs))]
        path = self.gate.baseline.path
        if path is None:
            return found
        found += [f"known, as {path} says: {one}" for one in self._known(runs)]
        found += [f"new, not in {path}: {one}" for one in self._new(runs)]
        found += [f"mended, take line {one.line} out of {path}: {one}" for one in self._mended(runs)]
        return found

    def as_object(self, runs: Sequence[JudgedRun]) -> Mapping[str, object]:
        """Return what `--json` prints about these options; empty if none was given."""
        found = dict(self.gate.as_object())
        if missed := {run.name: dict(run.missed) for run in runs if run.missed}:
            found["missed_faults"] = missed
        if unknown := {run.name: dict(run.unknown) for run in runs if run.unknown}:
            found["unknown"] = unknown
        if self.stated is not None:
            found["stated_and_not_held"] = [one for _, one in self._not_held(runs)]
        path = self.gate.baseline.path
        if path is not None:
            found["baseline"] = {
                "file": str(path),
                "known": known_object(self._known(runs)),
                "new": known_object(self._new(runs)),
                "mended": known_object(self._mended(runs)),
            }
        return found

    def write(self, groups: Sequence[Sequence[JudgedRun]]) -> None:
        """Write the files; in each group of runs judged together, some promise that counts has to be compared."""
        runs = [run for group in groups for run in group]
        if self.junit is not None:
            from gridproof.ci.junit import junit_text, suite_of  # imported here: most commands write no such file

            blind = [(run, self.gate.sees_nothing(run, group)) for group in groups for run in group]
            suites = [suite_of(run, self.gate, sees_nothing=nothing) for run, nothing in blind]
            write_result(JUNIT, self.junit, junit_text(f"gridproof {self.command}", suites))
        if self.sarif is not None:
            from gridproof.ci.sarif import broken_results, property_rules, sarif_text  # as above

            systems = [run.system for run in runs]
            text = sarif_text(self.command, systems, property_rules(), broken_results(runs, self.gate))
            write_result(SARIF, self.sarif, text)
        open_end = next((f"{run.name} {why}" for run in runs if (why := _why_open(run))), None)
        if self.new_baseline is not None and open_end is not None:
            why = f"{open_end}, so it is unknown what would have failed"
            print(f"gridproof: {WRITE_BASELINE} {self.new_baseline}: not written, for {why}", file=sys.stderr)
        elif self.new_baseline is not None:
            write_result(WRITE_BASELINE, self.new_baseline, baseline_text(self._failures(runs)))

    def _not_held(self, runs: Sequence[JudgedRun]) -> list[tuple[str, str]]:
        """Return, for each promise of the file that no run compared, a clause, and the source of the promise."""
        stated = {} if self.stated is None else self.stated.promises
        found: list[tuple[str, str]] = []
        for name, promise in stated.items():
            if promise.word is not PromiseWord.PROMISED:
                continue
            of_it = [one for run in runs for one in run.verdicts if one.property == get_property(name).name]
            if is_blind(of_it):
                given = next((one for one in of_it if one.promise is PromiseLevel.PROMISED), None)
                why = "by what the file says of backups, faults or operations, it is not promised there"
                found.append((promise.by, f"{name} was compared with nothing: {given.sentence if given else why}"))
        return found

    def _known(self, runs: Sequence[JudgedRun]) -> list[KnownFailure]:
        return _worst(_of_outcome(self.gate, runs, Outcome.KNOWN))

    def _new(self, runs: Sequence[JudgedRun]) -> list[KnownFailure]:
        return _worst([*_of_outcome(self.gate, runs, Outcome.FAILED), *_of_outcome(self.gate, runs, Outcome.UNDECIDED)])

    def _mended(self, runs: Sequence[JudgedRun]) -> Sequence[KnownFailure]:
        return self.gate.baseline.mended([(run.names, run.verdicts) for run in runs if not run.failure])

    def _failures(self, runs: Sequence[JudgedRun]) -> list[KnownFailure]:
        """Return the failures of this check, and the given baseline's failures of systems that were not checked."""
        seen = {plain(name) for run in runs if not run.failure for name in run.names}
        elsewhere = [one for one in self.gate.baseline.known if one.system not in seen]
        return _worst([*elsewhere, *self._known(runs), *self._new(runs)])


def _read_stated(file: Path | None) -> Said | None:
    """Return what a file of promises states; raise UsageError if a name in it is that of no property."""
    if file is None:
        return None
    said = read_said(file)
    for clause in unknown_names(said.promises, said.weaknesses, said.declines, PROPERTY_NAMES):
        raise UsageError(f"--promises {file}: the file {clause}")
    return said


def _why_open(run: JudgedRun) -> str:
    """Return why the failures of a run are not completely known: its system or its user broke it off."""
    if stop_in(run.verdicts):
        return "stopped before its end"
    return next((f"is unknown at the {name}: {why}" for name, why in run.unknown.items()), "")


def add_promises(parser: argparse.ArgumentParser) -> None:
    """Declare the option that names a file of promises."""
    parser.add_argument(
        PROMISES, type=Path, metavar="FILE",
        help="a JSON file of what you read in the system's documents: promises, weaknesses and times, and promises "
        "that are withdrawn; it overrides every other source (docs/adapter-protocol.md)",
    )  # fmt: skip


def add_ci_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_gate(parser)
    add_result_files(parser)
    parser.add_argument(
        "--baseline", type=Path, metavar="FILE", help="known failures: reported, but without effect on the status"
    )
    parser.add_argument(
        WRITE_BASELINE, type=Path, metavar="FILE", help="write what fails now as a baseline; the status does not change"
    )


def add_result_files(parser: argparse.ArgumentParser) -> None:
    """Declare the options that name files for a CI server."""
    parser.add_argument(JUNIT, type=Path, metavar="FILE", help="write a test case for each property as JUnit XML")
    parser.add_argument(SARIF, type=Path, metavar="FILE", help="write what is broken as SARIF 2.1.0")


def _of_outcome(gate: Gate, runs: Sequence[JudgedRun], outcome: Outcome) -> list[KnownFailure]:
    """Return the verdicts with this outcome, as lines of a baseline."""
    return [
        KnownFailure(verdict.property, verdict.result, plain(run.system))
        for run in runs
        for verdict in run.verdicts
        if gate.outcome(run, verdict) is outcome
    ]


def _worst(failures: Iterable[KnownFailure]) -> list[KnownFailure]:
    """Return one failure for each property and system: the worst in all runs of the system."""
    found: dict[tuple[str, str], KnownFailure] = {}
    for one in failures:
        known = found.setdefault((one.property, one.system), one)
        if one.result.severity > known.result.severity:
            found[one.property, one.system] = one
    return list(found.values())
