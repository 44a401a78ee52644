"""A log of any program, held against a specification line by line."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gridproof_implementation.trace import TraceError
from gridproof_implementation.trace.json_lines import LINE_BYTES_MAX
from gridproof_implementation.trace.json_values import parse
from gridproof_properties.claims.known import FILE, argument_of, recorded
from gridproof_properties.judging.by_proof import ByProof
from gridproof_properties.judging.refusal import LogLine, Refusal
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count
from gridproof_properties.validation.concluding import Basis, Concluding
from gridproof_properties.validation.engine import GivenUpError, RefusedError, Validation
from gridproof_properties.validation.table import Line, LogError, ObservationTable, TableError

BEHAVIOURS_MAX = 10_000
"""Behaviours that are kept at once; each takes as much memory as its states."""


@dataclass(slots=True)
class LogVerdict:
    """What came of a log; mutable while it is read."""

    result: Result = Result.UNKNOWN
    sentence: str = ""
    explanation: tuple[str, ...] = ()
    lines: int = 0
    """Lines that say something of the specification, and were explained."""
    behaviours: int = 0
    line: int | None = None
    """Which line was refused, or could not be validated; the first is 1."""
    refusal: Refusal | None = None
    """Of a refused log, its line and those of the same behaviour before it."""
    most_states: int = field(default=0)
    """The most states that the system may have been in at once."""
    by_proof: ByProof | None = None
    """Of a log that is explained, the claims that hold of whatever explains it."""


def validate_log(path: Path, table: ObservationTable, proofs: Path = FILE) -> LogVerdict:
    """Return whether a log is explained by a specification, and what follows by the proofs that a file has recorded.

    A KeyboardInterrupt ends it, and is raised no further: what is not refused by then is unknown.
    Raises LogError where a line cannot be read, TableError where the table does not fit, OSError where nothing can.
    """
    verdict, behaviours = LogVerdict(), dict[str, Validation]()
    argument = table.argument or argument_of(table.specification)
    knowledge = recorded(argument, proofs)
    concluding = Concluding(Basis(argument, knowledge))
    runner = table.start().runner
    for number, line in _lines(path):
        whose: object = None
        try:
            observations = table.observations(runner, line)
            if not observations:
                continue
            whose = whose if table.behaviour is None else line[table.behaviour]
            validation = _behaviour(behaviours, whose, table, concluding)
            validation.recorded = LogLine(number, tuple(line.fields.items()))
            validation.text = line.text(table.kind)
            validation.take(*observations)
            stated = frozenset.intersection(*(one.states for one in observations))
            validation.shown = stated if validation.steps == 1 else validation.shown & stated
        except (LogError, TableError) as error:
            raise type(error)(f"{path}:{number}: {error}") from None
        except RefusedError as refused:
            verdict.line, verdict.explanation = number, refused.explanation
            of_whom = "" if table.behaviour is None else f"{table.behaviour} {whose}"
            place = f"line {number} of {of_whom}" if of_whom else f"line {number}"
            verdict.result, verdict.sentence = Result.BROKEN, f"{place}: {refused.sentence}"
            verdict.refusal = refused.refusal_of(of_whom)
            break
        except (GivenUpError, KeyboardInterrupt) as ended:
            why = ended if isinstance(ended, GivenUpError) else "interrupted"
            verdict.line, verdict.sentence = number, f"line {number}: {why}"
            break
        verdict.lines += 1
        verdict.most_states = max(verdict.most_states, len(validation.states))
    verdict.behaviours = len(behaviours)
    if verdict.line is None and behaviours and (knowledge.proved or knowledge.explored):
        for key, validation in behaviours.items():
            concluding.end("" if table.behaviour is None else f"{table.behaviour} {key}", validation)
        verdict.by_proof = concluding.conclude()
    return _concluded(verdict, table)


def _concluded(verdict: LogVerdict, table: ObservationTable) -> LogVerdict:
    name = table.specification.name
    if verdict.line is None and verdict.lines == 0:
        verdict.sentence = f"no line says anything of {name}"
    elif verdict.line is None:
        verdict.result = Result.HOLDS
        what = f"{count(verdict.lines, 'line')}, {count(verdict.behaviours, 'behaviour')} of {name}"
        verdict.sentence = f"{what}; at most {count(verdict.most_states, 'state')} at once"
    return verdict


def _behaviour(
    behaviours: dict[str, Validation], whose: object, table: ObservationTable, concluding: Concluding
) -> Validation:
    key = str(whose)
    if key not in behaviours:
        if len(behaviours) == BEHAVIOURS_MAX:
            raise GivenUpError(f"there are more than {BEHAVIOURS_MAX:,} behaviours")
        behaviours[key] = table.start()
        concluding.begin(behaviours[key])
    return behaviours[key]


def _lines(path: Path) -> Iterator[tuple[int, Line]]:
    """Yield each line with its number, one in memory at a time; an empty line is none."""
    with path.open("rb") as file:
        number = 0
        while text := file.readline(LINE_BYTES_MAX):
            number += 1
            if text.strip():
                yield number, _line(f"{path}:{number}", text)


def _line(place: str, text: bytes) -> Line:
    if len(text) == LINE_BYTES_MAX and not text.endswith(b"\n"):
        raise LogError(f"{place}: the line is longer than {LINE_BYTES_MAX:,} bytes")
    try:
        found = parse(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise LogError(f"{place}: byte {error.start + 1} is not UTF-8 text") from None
    except TraceError as error:
        raise LogError(f"{place}: not a line of JSON ({error})") from None
    if not isinstance(found, dict):
        raise LogError(f"{place}: a line is one object of JSON")
    return Line(found)
