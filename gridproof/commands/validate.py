"""`gridproof validate`: hold a trace, or any program's log, against a specification."""

import argparse
import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gridproof.console import open_console, shown
from gridproof.errors import UsageError
from gridproof.traces import traces_at
from gridproof_implementation.trace import open_trace
from gridproof_properties.claims.named import find_own
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.judge import judge_run
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result
from gridproof_properties.refinement import OF_SPECIFICATION
from gridproof_properties.validation.log import validate_log
from gridproof_properties.validation.table import ObservationTable

COLOURS = {Result.HOLDS: "green", Result.BROKEN: "red", Result.UNKNOWN: "yellow"}
NO_STEPS = "; `gridproof simulate --steps --out DIR` records the steps of members"
WORDS = {Result.HOLDS: "explained", Result.BROKEN: "refused", Result.UNKNOWN: "unknown"}


@dataclass(frozen=True, slots=True)
class Validated:
    """What came of one run of a trace, or of a log."""

    name: str
    specification: str
    result: Result
    sentence: str
    explanation: tuple[str, ...]
    explained: int
    """Events, or lines, that were explained."""
    line: int | None = None
    """Of a log: which line was refused, or could not be followed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `validate`."""
    parser.add_argument(
        "recorded",
        type=Path,
        metavar="FILE",
        help="a trace, a folder that a command wrote, or a log of JSON lines",
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--specification",
        metavar="NAME",
        help=f"validate a trace by one of {', '.join(OF_SPECIFICATION)}",
    )
    what.add_argument(
        "--table",
        metavar="FILE.py:TABLE",
        help="validate a log by your own observation table: FILE.py:NAME or package.module:NAME",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Validate each run, and return the exit status over all: 0 explained, 1 refused, 3 unknown."""
    path: Path = arguments.recorded
    if arguments.table is not None:
        found: Sequence[Validated] = [_of_log(path, arguments.table)]
    else:
        found = tuple(one for trace in traces_at(path) for one in _of_trace(trace, arguments.specification))
    if arguments.json:
        print(json.dumps({"validated": [_object(one) for one in found]}, ensure_ascii=False))
    else:
        _print(found)
    results = {one.result for one in found}
    if Result.BROKEN in results:
        return ExitStatus.BROKEN
    return ExitStatus.HOLDS if results == {Result.HOLDS} else ExitStatus.UNKNOWN


def _of_log(path: Path, reference: str) -> Validated:
    table = find_own(reference, ObservationTable, "observation table")
    try:
        verdict = validate_log(path, table)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); give the path of a log") from None
    name = table.specification.name
    return Validated(
        str(path), name, verdict.result, verdict.sentence, verdict.explanation, verdict.lines, verdict.line
    )


def _of_trace(path: Path, specification: str) -> Iterator[Validated]:
    prop = OF_SPECIFICATION.get(specification)
    if prop is None:
        near = difflib.get_close_matches(specification, OF_SPECIFICATION)
        cure = f"did you mean {near[0]}?" if near else f"there are {', '.join(OF_SPECIFICATION)}"
        own = "one of your own needs an observation table, named with --table"
        raise UsageError(f"no trace is validated by {specification!r}: {cure}; {own}")
    for head, records in open_trace(path).runs():
        (verdict,) = judge_run(records, (prop,), {prop.name: PromiseLevel.PROMISED})
        lacks_steps = verdict.reason is Reason.NEVER_MET and "row" not in prop.needs
        hint = NO_STEPS if verdict.result is Result.UNKNOWN and lacks_steps else ""
        yield Validated(
            head.run, specification, verdict.result, verdict.sentence + hint, verdict.witness, verdict.compared
        )


def _print(found: Sequence[Validated]) -> None:
    console = open_console()
    for one in found:
        word = f"[{COLOURS[one.result]}]{WORDS[one.result]}[/]"
        console.print(f"{shown(one.name)}: {word}: {shown(one.sentence)}", soft_wrap=True)
        for line in one.explanation:
            console.print(f"  {shown(line)}", soft_wrap=True)


def _object(one: Validated) -> dict[str, object]:
    return {
        "name": one.name,
        "specification": one.specification,
        "result": WORDS[one.result],
        "sentence": one.sentence,
        "explanation": list(one.explanation),
        "explained": one.explained,
        "line": one.line,
    }
