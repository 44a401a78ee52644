"""What a system says of itself, as JSON: promises, weaknesses, times.

An agent's hello has these objects, and so has a file of `--promises`, by which whoever audits a system that he does not
own states what he reads in its documents, or withdraws what its adapter says. A field or a word that nobody knows is
refused, with those most like it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gridproof_implementation.adapter import Adapter, AdapterFailure
from gridproof_implementation.checked_values import describe
from gridproof_implementation.live.forms import (
    COUNT,
    NAME,
    TRUTH,
    WHOLE,
    Form,
    closed,
    list_of,
    map_of,
    one_of,
    optional,
    or_null,
    plain,
    record,
    then,
    wrong,
)
from gridproof_implementation.promise import ALWAYS, FaultCondition, Promise, PromiseWord, Weakness
from gridproof_model.events.conditions import StatedTable, StatedTimes
from gridproof_model.events.words import Begins, Ends
from gridproof_model.own_file import read_bytes
from gridproof_model.user_error import UserError, nearest, printable

BYTES_MAX = 1024 * 1024
"""More than a promise of every property takes."""
FACTOR_MAX = 1_000
ALWAYS_WORD = "always"
_SHORT = {condition.short: condition for condition in FaultCondition}


class SaidError(UserError):
    """A file of promises is none; the message names the file, the place, and what must stand there."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a file says of a system."""

    promises: Mapping[str, Promise]
    """By property; a word that is withdrawn among them."""
    weaknesses: tuple[Weakness, ...]
    declines: tuple[str, ...]
    """Properties of which no weakness is taken, whoever admits it."""
    times: StatedTimes | None
    table: StatedTable | None

    def about(self, adapter: Adapter) -> Adapter:
        """Return an adapter that says this besides, and of a property that stands here nothing else."""
        return replace(
            adapter,
            promises={**adapter.promises, **self.promises},
            weaknesses=(*adapter.weaknesses, *self.weaknesses),
            declines=adapter.declines | frozenset(self.declines),
            times=self.times or adapter.times,
            table=self.table or adapter.table,
        )


def read_said(path: Path) -> Said:
    """Return what a file of promises says, each as its word; SaidError says what is wrong with it."""
    try:
        found = json.loads(read_bytes(path, BYTES_MAX), object_pairs_hook=_once)
    except OSError as error:
        raise SaidError(f"{path}: {error.strerror}; name a file of promises, like {_EXAMPLE}") from None
    except (ValueError, RecursionError) as error:
        raise SaidError(f"{path}: is no JSON ({error}); write it like {_EXAMPLE}") from None
    try:
        said = _SAID.read(found, "")
    except AdapterFailure as error:
        raise SaidError(f"{path}: {error}".replace("the hello", "the file").replace("an answer", "the file")) from None
    if not (said.promises or said.weaknesses or said.declines or said.times or said.table):
        raise SaidError(f"{path}: says nothing; write it like {_EXAMPLE}")
    by = f"the auditor's {printable(path.name)}"
    times = said.times and replace(said.times, source=f"{said.times.source} ({by} says so)")
    return replace(
        said,
        promises={name: replace(promise, by=by) for name, promise in said.promises.items()},
        weaknesses=tuple(replace(weakness, by=by) for weakness in said.weaknesses),
        times=times,
    )


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place]))
        raise ValueError(f"{describe(twice)} stands twice")
    return found


def _conditions(found: object, at: str) -> tuple[FaultCondition, ...]:
    return ALWAYS if found == ALWAYS_WORD else _listed(found, at, (*_SHORT, ALWAYS_WORD))


def _listed(found: object, at: str, known: Sequence[str] = ()) -> tuple[FaultCondition, ...]:
    words: Sequence[object] = found if isinstance(found, list) else [found]
    if not words:
        raise wrong(at, "at least one fault condition", found)
    for word in words:
        if not isinstance(word, str) or word not in _SHORT:
            cure = nearest(word if isinstance(word, str) else "", known or _SHORT)
            raise AdapterFailure(f"{at} names {describe(word)}, which is no fault condition: {cure}")
    return tuple(_SHORT[str(word)] for word in words)


def _names(found: object, at: str) -> tuple[str, ...]:
    return (NAME.read(found, at),) if isinstance(found, str) else _MANY.read(found, at)


_MANY = list_of(NAME)
_SCHEMA: Mapping[str, Any] = {"enum": list(_SHORT)}
_SOME: Mapping[str, Any] = {"type": "array", "items": _SCHEMA, "minItems": 1}
_UNDER: Form[tuple[FaultCondition, ...]] = Form(_conditions, {"anyOf": [{"enum": [ALWAYS_WORD]}, _SCHEMA, _SOME]})
_WHEN: Form[tuple[FaultCondition, ...]] = Form(_listed, {"anyOf": [_SCHEMA, _SOME]})
_TAKES: Form[tuple[str, ...]] = Form(_names, {"anyOf": [NAME.schema, _MANY.schema]})
_GIVEN = one_of((PromiseWord.PROMISED, PromiseWord.WEAKNESS), PromiseWord)


def _promise(words: Form[PromiseWord]) -> Form[Promise]:
    return closed(
        record(
            Promise, word=words, source=NAME, least_backups=optional(WHOLE, 0), most_backups=optional(or_null(WHOLE)),
            grouped=optional(or_null(_GIVEN)), under=optional(_UNDER, (FaultCondition.CALM,)),
            where_asked=optional(TRUTH, False),
        )
    )  # fmt: skip


PROMISE = _promise(_GIVEN)
WEAKNESS: Form[Weakness] = closed(
    record(
        Weakness, takes=_TAKES, when=_WHEN, source=NAME, begins=optional(one_of(Begins, Begins), Begins.FAULT),
        ends=optional(one_of(Ends, Ends), Ends.REST),
    )
)  # fmt: skip
TIMES: Form[StatedTimes] = closed(record(StatedTimes, accepted_within_ms=COUNT, restored_within_ms=COUNT, source=NAME))
FACTOR: Form[float] = then(
    plain(
        lambda found: isinstance(found, int | float) and not isinstance(found, bool) and 1 <= found <= FACTOR_MAX,
        f"a number from 1 to {FACTOR_MAX:,}",
        {"type": "number", "minimum": 1, "maximum": FACTOR_MAX},
    ),
    float,
)
OF_TABLE: Form[StatedTable] = closed(
    record(
        StatedTable, ranked=optional(TRUTH, True), by_weight=optional(TRUTH, False),
        balance_factor=optional(FACTOR, 0.0), active_only=optional(TRUTH, False), source=NAME,
    )
)  # fmt: skip
PROMISES, WEAKNESSES = map_of(PROMISE), list_of(WEAKNESS)
_SAID: Form[Said] = closed(
    record(
        Said, promises=optional(map_of(_promise(one_of(PromiseWord, PromiseWord))), {}),
        weaknesses=optional(WEAKNESSES, ()), declines=optional(_MANY, ()), times=optional(or_null(TIMES)),
        table=optional(or_null(OF_TABLE)),
    )
)  # fmt: skip
_EXAMPLE = '{"promises": {"full-rows": {"word": "promised", "source": "manual, page 3"}}}'
