"""What a system states about itself, as JSON: promises, weaknesses, times.

A system's statements are in the hello of its agent, and also in a file that the option `--promises` names. With a file
of promises, someone who audits a system of others states what the documents of this system say, or withdraws a
statement of its adapter. An unknown field or word is refused, and the message names the known words that are most
similar.

A `Form` says what a JSON value must be, both as a reader and as a schema. The reader of a form returns the value, or
raises AdapterFailure with the place and with what must be there; the form's schema (JSON Schema of 2020-12) says the
same to machines. In general, unknown fields are ignored, since the program that wrote them may be newer. In statements
about a system, unknown fields are refused (`closed`), since a misspelt promise would not count.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from gridproof_implementation.adapter import Adapter, AdapterFailure
from gridproof_implementation.checked_values import describe
from gridproof_implementation.promise import ALWAYS, FaultCondition, Promise, PromiseWord, Weakness
from gridproof_implementation.trace.schema import is_integer, is_text
from gridproof_model.events.conditions import StatedTable, StatedTimes
from gridproof_model.events.words import Begins, Ends
from gridproof_model.membership import Address
from gridproof_model.own_modules import read_bytes
from gridproof_model.user_error import UserError, nearest, printable

T = TypeVar("T")
S = TypeVar("S")
Schema = Mapping[str, Any]
MOST = 2**63 - 1
PORT_MAX = 65_535
REQUIRED: Any = object()


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """What a JSON value of one kind must be."""

    read: Callable[[object, str], T]
    """Takes a value and its place; returns the value, or raises AdapterFailure."""
    schema: Schema


@dataclass(frozen=True, slots=True)
class Field(Generic[T]):
    """One field of an object."""

    form: Form[T]
    default: Any = REQUIRED
    """The value that stands for a field that was left out; REQUIRED if the field must not be left out."""
    name: str = ""
    """The field's name in the object; empty if it is the same as its name in Python."""

    def read(self, found: Mapping[str, Any], name: str) -> T:
        """Return the field's value in an object."""
        if name in found:
            return self.form.read(found[name], name)
        if self.default is REQUIRED:
            raise AdapterFailure(f'"{name}" is missing')
        return cast(T, self.default)


Fields = Mapping[str, Form[Any] | Field[Any]]


def optional(form: Form[T], default: object = None, name: str = "") -> Field[T]:
    """Return a field that may be left out."""
    return Field(form, default, name)


def record(build: Callable[..., T], **fields: Form[Any] | Field[Any]) -> Form[T]:
    """Return the form of an object with these fields; `build` takes their values by name."""
    known = {name: field if isinstance(field, Field) else Field(field) for name, field in fields.items()}

    def read(found: object, at: str) -> T:
        try:
            given = _object(found, at or "an answer")
            return build(**{name: field.read(given, field.name or name) for name, field in known.items()})
        except AdapterFailure as error:
            raise error if not at or str(error).startswith(at) else AdapterFailure(f"{at}: {error}") from None

    return Form(read, object_schema(fields))


def closed(form: Form[T], *also: str) -> Form[T]:
    """Return the form of an object that may have the fields of the given form, the names in `also`, which are ignored,
    and no other fields."""
    known = [*form.schema["properties"], *also]

    def read(found: object, at: str) -> T:
        for name in found if isinstance(found, dict) else ():
            if name not in known:
                raise AdapterFailure(f"{at or 'the hello'} has no field {describe(name)}: {nearest(str(name), known)}")
        return form.read(found, at)

    return Form(read, {**form.schema, "additionalProperties": False})


def object_schema(fields: Fields, **constants: Schema) -> Schema:
    """Return the schema of an object with these fields, and with these constants, which are required."""
    known = {name: field if isinstance(field, Field) else Field(field) for name, field in fields.items()}
    required = [field.name or name for name, field in known.items() if field.default is REQUIRED]
    properties = {**constants, **{field.name or name: field.form.schema for name, field in known.items()}}
    return {"type": "object", "required": [*constants, *required], "properties": properties}


def or_null(form: Form[T]) -> Form[T | None]:
    """Return the form of a value that may also be null."""
    schema = {"anyOf": [form.schema, {"type": "null"}]}
    return Form(lambda found, at: None if found is None else form.read(found, at), schema)


def list_of(form: Form[T]) -> Form[tuple[T, ...]]:
    """Return the form of a list."""

    def read(found: object, at: str) -> tuple[T, ...]:
        if not isinstance(found, list):
            raise wrong(at, "a list", found)
        return tuple(form.read(part, f"{at}[{index}]") for index, part in enumerate(cast("list[object]", found)))

    return Form(read, {"type": "array", "items": form.schema})


def map_of(form: Form[T]) -> Form[Mapping[str, T]]:
    """Return the form of an object whose fields may have any names, and whose values all have one form."""

    def read(found: object, at: str) -> Mapping[str, T]:
        return {TEXT.read(name, at): form.read(part, f"{at}.{name}") for name, part in _object(found, at).items()}

    return Form(read, {"type": "object", "additionalProperties": form.schema})


def whole(least: int, most: int = MOST) -> Form[int]:
    """Return the form of a whole number of 64 bits, from `least` to `most`."""
    is_so = lambda found: is_integer(found) and least <= cast(int, found) <= most  # noqa: E731 - as below
    words = f"a whole number of at least {least}"
    return plain(is_so, words, {"type": "integer", "minimum": least, "maximum": most})


def one_of(words: Iterable[S], build: Callable[[Any], S]) -> Form[S]:
    """Return the form of a word of an enumeration."""
    known = [str(word) for word in words]

    def read(found: object, at: str) -> S:
        if found not in known:
            raise wrong(at, " or ".join(known), found)
        return build(found)

    return Form(read, {"enum": known})


def plain(is_so: Callable[[object], bool], words: str, schema: Schema) -> Form[Any]:
    """Return the form of values for which `is_so` is true; in the error about another value, `words` describe them."""

    def read(found: object, at: str) -> object:
        if not is_so(found):
            raise wrong(at, words, found)
        return found

    return Form(read, schema)


def then(form: Form[T], change: Callable[[T], S], schema: Schema | None = None) -> Form[S]:
    """Return a form that changes each value after reading it; give `schema` if the change refuses some values."""
    return Form(lambda found, at: change(form.read(found, at)), form.schema if schema is None else schema)


def wrong(at: str, wanted: str, found: object) -> AdapterFailure:
    """Return the error about a value that is not the wanted one."""
    return AdapterFailure(f"{at} must be {wanted}, not {describe(found)}")


def _object(found: object, at: str) -> Mapping[str, Any]:
    if not isinstance(found, dict):
        raise wrong(at, "an object", found)
    return cast("dict[str, Any]", found)


def _address(found: object, at: str) -> Address:
    host, sign, port = TEXT.read(found, at).rpartition(":")
    if not host or not sign or not (port.isascii() and port.isdigit()) or int(port) > PORT_MAX:
        raise wrong(at, "HOST:PORT", found)
    return Address(host, int(port))


TEXT: Form[str] = plain(is_text, "text", {"type": "string"})
NAME: Form[str] = plain(
    lambda found: is_text(found) and bool(found), "text that is not empty", {"type": "string", "minLength": 1}
)
TRUTH: Form[bool] = plain(lambda found: isinstance(found, bool), "true or false", {"type": "boolean"})
WHOLE, COUNT = whole(0), whole(1)
ADDRESS: Form[Address] = Form(_address, {"type": "string", "pattern": "^(.|\\n)+:[0-9]{1,5}$"})


BYTES_MAX = 1024 * 1024
"""The most bytes of a file of promises: more than a promise for every property needs."""
FACTOR_MAX = 1_000
ALWAYS_WORD = "always"
_SHORT = {condition.short: condition for condition in FaultCondition}


class SaidError(UserError):
    """A file of promises cannot be read; the message names the file, the place, and what must be there."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a file of promises says about a system."""

    promises: Mapping[str, Promise]
    """The promises, by property; some of them only withdraw a promise."""
    weaknesses: tuple[Weakness, ...]
    declines: tuple[str, ...]
    """The properties for which no weakness is accepted, even if the agent or the adapter admits one."""
    times: StatedTimes | None
    table: StatedTable | None

    def about(self, adapter: Adapter) -> Adapter:
        """Return an adapter with these statements added; they replace its own statements on the same properties."""
        return replace(
            adapter,
            promises={**adapter.promises, **self.promises},
            weaknesses=(*adapter.weaknesses, *self.weaknesses),
            declines=adapter.declines | frozenset(self.declines),
            times=self.times or adapter.times,
            table=self.table or adapter.table,
        )


def read_said(path: Path) -> Said:
    """Return what a file of promises says, with the file as its source; SaidError says what is wrong with the file."""
    try:
        found = json.loads(read_bytes(path, BYTES_MAX), object_pairs_hook=_once)
    except OSError as error:
        what = f"the file of promises cannot be read: {error.strerror}"
        raise SaidError(f"{path}: {what}; name a file with text like {_EXAMPLE}") from None
    except (ValueError, RecursionError) as error:
        raise SaidError(f"{path}: the file of promises is no valid JSON ({error}); write it like {_EXAMPLE}") from None
    try:
        said = _SAID.read(found, "")
    except AdapterFailure as error:
        raise SaidError(f"{path}: {error}".replace("the hello", "the file").replace("an answer", "the file")) from None
    if not (said.promises or said.weaknesses or said.declines or said.times or said.table):
        raise SaidError(f"{path}: the file states no promise; state at least one, as in {_EXAMPLE}")
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
        raise ValueError(f"the key {describe(twice)} is given twice")
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
