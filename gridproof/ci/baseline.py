"""A baseline: a file that lists known failures.

Each line has a property, its verdict, and the system or run for which this is known, as in `full-rows broken vecgrid`.
Empty lines are ignored, and so are lines that begin with #. A known failure does not fail a build; a build fails if a
failure is new, or if a property was unknown and is broken now. If a property in the file holds now, its line is
reported, so that it can be removed.
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
    """The name of a system, or of a single run."""
    line: int = 0
    """The number of the line in the file, counted from 1."""

    def __str__(self) -> str:
        return f"{self.property} {self.result} {self.system}"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known failures that a file lists."""

    path: Path | None
    known: tuple[KnownFailure, ...]

    def knows(self, names: Iterable[str], verdict: Verdict) -> bool:
        """Return whether a failure of a run with these names is known, and is no worse than its line says."""
        return any(
            one.property == verdict.property and one.result.severity >= verdict.result.severity
            for one in self._of(names)
        )

    def mended(self, runs: Sequence[tuple[Iterable[str], Sequence[Verdict]]]) -> tuple[KnownFailure, ...]:
        """Return the lines on these runs whose failures do not occur any more."""
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
    """Return a baseline that lists no failures."""
    return Baseline(None, ())


def read_baseline(path: Path) -> Baseline:
    """Return the lines of a file; raise UsageError, in one line, if the file cannot be read or a line is malformed."""
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "it is no UTF-8 text"
        cure = "`gridproof check --write-baseline FILE` writes a new baseline"
        raise UsageError(f"--baseline {path}: the baseline cannot be read: {why}; {cure}") from None
    known: dict[tuple[str, str], KnownFailure] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            one = _read_line(line, f"{path}:{number}", number)
            twin = known.setdefault((one.property, one.system), one)
            if twin is not one:
                what = f"{one.property} of {one.system} is already in line {twin.line}"
                raise UsageError(f"{path}:{number}: {what}; remove one of the two lines")
    return Baseline(path, tuple(known.values()))


def baseline_text(known: Iterable[KnownFailure]) -> str:
    """Return the text of a baseline with these failures."""
    return HEAD + "".join(f"{line}\n" for line in sorted(map(str, known)))


def is_failure(verdict: Verdict) -> bool:
    """Return whether a verdict fails a build that has no baseline."""
    return verdict.promise is PromiseLevel.PROMISED and verdict.result is not Result.HOLDS


def plain(name: str) -> str:
    """Return a name in the form that it has in a baseline, with single blanks."""
    return " ".join(printable(name).split())


def _read_line(line: str, place: str, number: int) -> KnownFailure:
    words = line.split(maxsplit=2)
    if len(words) != 3:
        raise UsageError(f"{place}: the line is not of the form {FORM}")
    name, word, system = words
    result = next((one for one in FAILURES if one.value == word), None)
    if result is None:
        raise UsageError(f"{place}: the result must be broken or unknown, not {word!r}; the form is {FORM}")
    try:
        prop = get_property(name)
    except UserError as error:
        raise UsageError(f"{place}: {error}") from None
    return KnownFailure(prop.name, result, plain(system), number)


def known_object(known: Iterable[KnownFailure]) -> list[Mapping[str, object]]:
    """Return what `--json` prints about known failures."""
    return [{"property": one.property, "verdict": one.result.value, "system": one.system} for one in known]
