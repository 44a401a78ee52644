"""What a JSON value must be: how it is read, and the same as a schema.

A form reads a value or raises AdapterFailure with the place and what must stand there; its schema (JSON Schema of
2020-12) says the same to machines. Fields that nobody here knows are passed over: whoever wrote them may be newer. Of
what a system says of itself they are refused (`closed`), for a promise that is misspelt would be none.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from gridproof_implementation.adapter import AdapterFailure
from gridproof_implementation.checked_values import describe
from gridproof_implementation.trace.schema import is_integer, is_text
from gridproof_model.identity import Address
from gridproof_model.user_error import nearest

T = TypeVar("T")
S = TypeVar("S")
Schema = Mapping[str, Any]
MOST = 2**63 - 1
PORT_MAX = 65_535
REQUIRED: Any = object()


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """One kind of value."""

    read: Callable[[object, str], T]
    """Takes what was found and where; returns it, or raises AdapterFailure."""
    schema: Schema


@dataclass(frozen=True, slots=True)
class Field(Generic[T]):
    """One field of an object."""

    form: Form[T]
    default: Any = REQUIRED
    """What it is where it is left out; it must not be where this is REQUIRED."""
    name: str = ""
    """What it is called in the object; empty for the name that it has here."""

    def read(self, found: Mapping[str, Any], name: str) -> T:
        """Return its value."""
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
    """Return the form of an object without any other fields than its own, and those that are passed over."""
    known = [*form.schema["properties"], *also]

    def read(found: object, at: str) -> T:
        for name in found if isinstance(found, dict) else ():
            if name not in known:
                raise AdapterFailure(f"{at or 'the hello'} has no field {describe(name)}: {nearest(str(name), known)}")
        return form.read(found, at)

    return Form(read, {**form.schema, "additionalProperties": False})


def object_schema(fields: Fields, **constants: Schema) -> Schema:
    """Return the schema of an object with these fields and these constants, which must be there."""
    known = {name: field if isinstance(field, Field) else Field(field) for name, field in fields.items()}
    required = [field.name or name for name, field in known.items() if field.default is REQUIRED]
    properties = {**constants, **{field.name or name: field.form.schema for name, field in known.items()}}
    return {"type": "object", "required": [*constants, *required], "properties": properties}


def or_null(form: Form[T]) -> Form[T | None]:
    """Return the form of a value, or null."""
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
    """Return the form of an object whose fields all have one form, and any names."""

    def read(found: object, at: str) -> Mapping[str, T]:
        return {TEXT.read(name, at): form.read(part, f"{at}.{name}") for name, part in _object(found, at).items()}

    return Form(read, {"type": "object", "additionalProperties": form.schema})


def whole(least: int, most: int = MOST) -> Form[int]:
    """Return the form of a number of 64 bits, of at least so much."""
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
    """Return the form of a value that is so, in words for who sent another."""

    def read(found: object, at: str) -> object:
        if not is_so(found):
            raise wrong(at, words, found)
        return found

    return Form(read, schema)


def then(form: Form[T], change: Callable[[T], S], schema: Schema | None = None) -> Form[S]:
    """Return a form whose values are changed once they are read; a narrower schema where the change refuses some."""
    return Form(lambda found, at: change(form.read(found, at)), form.schema if schema is None else schema)


def wrong(at: str, wanted: str, found: object) -> AdapterFailure:
    """Return the error for what was found where something else is wanted."""
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
