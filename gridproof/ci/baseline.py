"""A baseline: a file of known failures.

Each line has a property, its verdict, and the system or run that it is known of, as in `full-rows broken vecgrid`.
Empty lines and lines that begin with # are ignored. A known failure does not fail a build; a failure that is new, or
was unknown and is broken now, does. A line about a property that holds now is reported, so that it can be removed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gridproof.command import UsageError
from gridproof_model.own_modules import read_text
from gridproof_model.user_error import UserError, printable
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict

HEAD = "# Known failures: property, verdict, system or run. See docs/in-your-ci.md.\n"
FORM = "PROPERTY broken|unknown SYSTEM"
FAILURES = (Result.BROKEN, Result.UNKNOWN)


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """One line of a baseline."""

    property: str
    result: Result
    system: str
    """The name of a system, or of one run."""
    line: int = 0
    """The number of the line in its file, from 1."""

    def __str__(self) -> str:
        return f"{self.property} {self.result} {self.system}"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The lines of a file."""

    path: Path | None
    known: tuple[KnownFailure, ...]

    def knows(self, names: Iterable[str], verdict: Verdict) -> bool:
        """Return whether a failure of a run with these names is known, and no worse than the line says."""
        return any(
            one.property == verdict.property and one.result.severity >= verdict.result.severity
            for one in self._of(names)
        )

    def mended(self, runs: Sequence[tuple[Iterable[str], Sequence[Verdict]]]) -> tuple[KnownFailure, ...]:
        """Return the lines about these runs whose failures no run shows any more."""
        seen: dict[KnownFailure, bool] = {}
        for names, verdicts in runs:
            failing = {v.property for v in verdicts if is_failure(v)}
            for one in self._of(names):
                seen[one] = seen.get(one, True) and one.property not in failing
        return tuple(one for one, unneeded in seen.items() if unneeded)

    def _of(self, names: Iterable[str]) -> Iterator[KnownFailure]:
        called = {plain(name) for name in names}
        return (one for one in self.known if one.system in called)


def no_baseline() -> Baseline:
    """Return a baseline without lines."""
    return Baseline(None, ())


def read_baseline(path: Path) -> Baseline:
    """Return the lines of a file; UsageError, in one line, if it cannot be read or a line is malformed."""
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "it is no UTF-8 text"
        raise UsageError(f"--baseline {path}: {why}; make one with --write-baseline FILE") from None
    known: dict[tuple[str, str], KnownFailure] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            one = _read_line(line, f"{path}:{number}", number)
            twin = known.setdefault((one.property, one.system), one)
            if twin is not one:
                raise UsageError(f"{path}:{number}: {one.property} of {one.system} repeats line {twin.line}; remove it")
    return Baseline(path, tuple(known.values()))


def baseline_text(known: Iterable[KnownFailure]) -> str:
    """Return the text of a baseline."""
    return HEAD + "".join(f"{line}\n" for line in sorted(map(str, known)))


def is_failure(verdict: Verdict) -> bool:
    """Return whether a verdict fails a build that has no baseline."""
    return verdict.promise is PromiseLevel.PROMISED and verdict.result is not Result.HOLDS


def plain(name: str) -> str:
    """Return a name as a baseline's line has it, with single blanks."""
    return " ".join(printable(name).split())


def _read_line(line: str, place: str, number: int) -> KnownFailure:
    words = line.split(maxsplit=2)
    if len(words) != 3:
        raise UsageError(f"{place}: the line is not of the form {FORM}")
    name, word, system = words
    result = next((one for one in FAILURES if one.value == word), None)
    if result is None:
        raise UsageError(f"{place}: {word!r} is neither broken nor unknown; the form is {FORM}")
    try:
        prop = get_property(name)
    except UserError as error:
        raise UsageError(f"{place}: {error}") from None
    return KnownFailure(prop.name, result, plain(system), number)


def known_object(known: Iterable[KnownFailure]) -> list[Mapping[str, object]]:
    """Return what `--json` says of some lines."""
    return [{"property": one.property, "verdict": one.result.value, "system": one.system} for one in known]
