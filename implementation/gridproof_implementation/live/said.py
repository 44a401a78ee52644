"""What a system says of itself, as JSON: promises, weaknesses, times.

An agent's hello has these objects. A field or a word that nobody knows is refused, with those most like it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gridproof_implementation.adapter import AdapterFailure
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
    nearest,
    one_of,
    optional,
    or_null,
    record,
    wrong,
)
from gridproof_implementation.promise import (
    ALWAYS,
    FaultCondition,
    Promise,
    PromiseWord,
    Weakness,
)
from gridproof_model.events.conditions import StatedTimes
from gridproof_model.events.words import Begins, Ends

ALWAYS_WORD = "always"
_SHORT = {condition.short: condition for condition in FaultCondition}


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
_WORD = one_of(PromiseWord, PromiseWord)
PROMISE: Form[Promise] = closed(
    record(
        Promise, word=_WORD, source=NAME, least_backups=optional(WHOLE, 0), most_backups=optional(or_null(WHOLE)),
        grouped=optional(or_null(_WORD)), under=optional(_UNDER, (FaultCondition.CALM,)),
        where_asked=optional(TRUTH, False),
    )
)  # fmt: skip
WEAKNESS: Form[Weakness] = closed(
    record(
        Weakness, takes=_TAKES, when=_WHEN, source=NAME, begins=optional(one_of(Begins, Begins), Begins.FAULT),
        ends=optional(one_of(Ends, Ends), Ends.REST),
    )
)  # fmt: skip
TIMES: Form[StatedTimes] = closed(record(StatedTimes, accepted_within_ms=COUNT, restored_within_ms=COUNT, source=NAME))
PROMISES, WEAKNESSES = map_of(PROMISE), list_of(WEAKNESS)
