"""A log of any program, held against a specification line by line."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gridproof_implementation.trace import TraceError
from gridproof_implementation.trace.json_lines import LINE_BYTES_MAX
from gridproof_implementation.trace.json_values import parse
from gridproof_properties.claims.known import FILE, argument_of, recorded
from gridproof_properties.judging.guarantee import Finding
from gridproof_properties.judging.refusal import LogLine
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count
from gridproof_properties.validation.concluding import Basis, Concluding
from gridproof_properties.validation.engine import GivenUpError, RefusedError, Validation
from gridproof_properties.validation.table import Line, LogError, ObservationTable, TableError

BEHAVIOURS_MAX = 10_000
"""Behaviours that are kept at once; each takes as much memory as its states."""


def validate_log(path: Path, table: ObservationTable, proofs: Path = FILE) -> tuple[Finding, int | None]:
    """Return whether a log is explained by a specification, and what follows by the proofs that a file has recorded.

    And which line was refused, or could not be validated, if any; the first is 1. A KeyboardInterrupt ends it, and is
    raised no further: what is not refused by then is unknown.
    Raises LogError where a line cannot be read, TableError where the table does not fit, OSError where nothing can.
    """
    behaviours, lines, most_states = dict[str, Validation](), 0, 0
    argument = table.argument or argument_of(table.specification)
    knowledge = recorded(argument, proofs)
    concluding = Concluding(Basis(argument, knowledge))
    runner = table.start().runner
    for number, text in _lines(path):
        whose = ""
        try:
            line = _line(text)
            observations = table.observations(runner, line)
            if not observations:
                continue
            whose = "" if table.behaviour is None else f"{table.behaviour} {line[table.behaviour]}"
            validation = _behaviour(behaviours, whose, table, concluding)
            validation.recorded = LogLine(number, tuple(line.fields.items()))
            validation.text = line.text(table.kind)
            validation.take(*observations)
            stated = frozenset.intersection(*(one.states for one in observations))
            validation.shown = stated if validation.steps == 1 else validation.shown & stated
        except (LogError, TableError) as error:
            raise type(error)(f"{path}:{number}: {error}") from None
        except RefusedError as refused:
            sentence = f"line {number}{whose and f' of {whose}'}: {refused.sentence}"
            shown = refused.refusal_of(whose)
            return Finding(Result.BROKEN, sentence, refused.explanation, lines, refusal=shown), number
        except (GivenUpError, KeyboardInterrupt) as ended:
            why = ended if isinstance(ended, GivenUpError) else "interrupted"
            return Finding(Result.UNKNOWN, f"line {number}: {why}", compared=lines), number
        lines += 1
        most_states = max(most_states, len(validation.states))
    if not behaviours:
        return Finding(Result.UNKNOWN, f"no line says anything of {table.specification.name}"), None
    for whose, validation in behaviours.items():
        concluding.end(partial(str, whose), validation)
    what = f"{count(lines, 'line')}, {count(len(behaviours), 'behaviour')} of {table.specification.name}"
    what = f"{what}; at most {count(most_states, 'state')} at once"
    follows = concluding.conclude() if knowledge.proved or knowledge.explored else None
    return Finding(Result.HOLDS, what, compared=lines, by_proof=follows), None


def _behaviour(known: dict[str, Validation], whose: str, table: ObservationTable, concluding: Concluding) -> Validation:
    if whose not in known:
        if len(known) == BEHAVIOURS_MAX:
            raise GivenUpError(f"there are more than {BEHAVIOURS_MAX:,} behaviours")
        known[whose] = table.start()
        concluding.begin(known[whose])
    return known[whose]


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield each line with its number, one in memory at a time; an empty line is none."""
    with path.open("rb") as file:
        numbered = enumerate(iter(partial(file.readline, LINE_BYTES_MAX), b""), 1)
        yield from ((number, text) for number, text in numbered if text.strip())


def _line(text: bytes) -> Line:
    if len(text) == LINE_BYTES_MAX and not text.endswith(b"\n"):
        raise LogError(f"the line is longer than {LINE_BYTES_MAX:,} bytes")
    try:
        found = parse(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise LogError(f"byte {error.start + 1} is not UTF-8 text") from None
    except TraceError as error:
        raise LogError(f"not a line of JSON ({error})") from None
    if not isinstance(found, dict):
        raise LogError("a line is one object of JSON")
    return Line(found)
