"""The verbs of the agent protocol: what each takes, and what it may answer.

The table in this file alone defines the verbs. The fleet asks questions and reads answers by the table in this file.
`adapter_protocol.schema.json` and the table of `docs/adapter-protocol.md` are generated from it (`python -m
tools.adapter_protocol_pages`), and tests check that they agree with it. Reading an answer returns a value, or raises
AdapterFailure, which names the wrong field and what the field must be.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from gridproof_implementation.adapter import (
    Ability,
    AdapterFailure,
    CannotSayError,
    Kind,
    Promise,
    Refused,
    Speaker,
    Traits,
    Weakness,
)
from gridproof_implementation.live.attached import ATTACHED, Attached
from gridproof_implementation.live.said import (
    ADDRESS,
    COUNT,
    NAME,
    OF_TABLE,
    PROMISES,
    TEXT,
    TIMES,
    TRUTH,
    WEAKNESSES,
    WHOLE,
    Field,
    Fields,
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
    whole,
)
from gridproof_implementation.trace.schema import is_integer, is_text
from gridproof_model.events.conditions import StatedTable, StatedTimes
from gridproof_model.keys import KeyType
from gridproof_model.membership import Address
from gridproof_model.trace import OF_ENTRIES, Outcome
from gridproof_model.user_error import on_a_line

T = TypeVar("T")
PROTOCOL = 1
"""The version of the agent protocol."""


@dataclass(frozen=True, slots=True)
class Verb(Generic[T]):
    """One verb: a question and its answer."""

    name: str
    answer: Form[T]
    asks: Fields = field(default_factory=dict)
    """The fields of the question."""
    is_needed: bool = False
    """Whether an audit of the system as a grid needs this verb, so that every agent of a grid has to offer it."""
    ability: Ability | None = None
    """What a grid can do if its agents offer this verb."""

    def read(self, found: Mapping[str, Any]) -> T:
        """Return the checked value of an answer."""
        return self.answer.read(found, "")


@dataclass(frozen=True, slots=True)
class Hello:
    """What an agent says about its system before any member is started."""

    system: str
    version: str
    offers: frozenset[str]
    """The verbs that the agent takes."""
    partitions: int | None
    """How many partitions the system has, if their number cannot be chosen."""
    promises: Mapping[str, Promise]
    traits: Traits
    messages: Mapping[str, str]
    """For each kind of message (such as `backup`), the operation by which a message gate recognises it."""
    operations: frozenset[str]
    """The kinds of operations that the agent's `operate` accepts."""
    weaknesses: tuple[Weakness, ...] = ()
    times: StatedTimes | None = None
    """The times that the system states; None if it states none."""
    table: StatedTable | None = None
    """What the system states about its table; None if it states nothing."""
    kind: Kind = Kind.GRID
    """The kind of system that the agent stands for: a member of a grid, a key router, or a placement library."""
    key_types: tuple[KeyType, ...] = (KeyType.STRING,)
    """For a router: the types of keys that it can route."""
    copies: int = 1
    """For a placement library: how many nodes it returns for a key."""
    separates_zones: bool = False
    """For a placement library: whether it is meant to put the copies of a key in different zones."""
    attached: Attached | None = None
    """The addresses of members that already run, and the operator's commands; None if the suite starts the members."""

    @property
    def abilities(self) -> frozenset[Ability]:
        """What a grid of these agents can do."""
        named = (verb.ability for verb in VERBS if verb.name in self.offers)
        ends = {Ability.CRASH} if self.attached is None else set[Ability]()
        founds = {Ability.FOUND} if self.traits.founders else set[Ability]()
        return frozenset({Ability.REPLICAS, *ends, *founds, *(one for one in named if one is not None)})


@dataclass(frozen=True, slots=True)
class Started:
    """The answer about a member that has started."""

    member: str
    """The name that the system itself gives the member, also in its tables."""
    address: Address
    group: str | None
    """The member's partition group; None if it is a group by itself."""


@dataclass(frozen=True, slots=True)
class Table:
    """The table as one member shows it."""

    member: str
    """The member's present name: some systems rename a member that comes back."""
    rows: tuple[tuple[str | None, ...], ...]
    versions: tuple[int | None, ...]
    """The version of each row, in the order of the rows."""
    members: tuple[str, ...] | None
    """The members that this member lists; None if its answer about the table contains no such list."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What one member says about whether it is at rest."""

    member: str
    members: tuple[str, ...]
    """The members that this member lists."""
    why: str | None
    """What the member waits for; None if it is at rest."""
    stamp: str | int | None
    """A stamp that is equal at all members whose tables are equal; None if the tables themselves must be compared."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a read, a write or an operation ended."""

    outcome: Outcome
    why: str
    value: Any = None
    """The result: a text or None for a read; for an operation also a number, true or false, or a list of texts."""
    confirmed: int | None = None
    """How many copies have the write according to its acknowledgement; None if that does not say how many."""
    confirm: str | None = None
    """The name of another member, which has to confirm that an entry is absent; None if no confirmation is needed."""
    executed_by: str | None = None


@dataclass(frozen=True, slots=True)
class Copy:
    """One partition as one member holds it."""

    partition: int
    role: str
    version: int | None
    versions: tuple[int, ...]
    """The versions, if a copy has a version vector; -1 for a version that the copy does not know."""
    entries: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Copies:
    """The copies that one member holds."""

    held: Mapping[int, Copy]
    unknown: frozenset[int]
    """The partitions for which the member cannot say what it holds."""


@dataclass(frozen=True, slots=True)
class ShownVersions:
    """The versions that a copy has of each backup's updates."""

    partition: int
    index: int
    """The replica index that the member has in its own table."""
    row_version: int | None
    """The version of the row in the member's own table, if rows have versions."""
    versions: tuple[int, ...]
    """The versions by replica index, beginning with 1, or a single version for all; -1 for an unknown version."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a key belongs."""

    partition: int
    owner: str | None


def _hello(protocol: int, promises: Mapping[str, Promise], weaknesses: tuple[Weakness, ...], **said: Any) -> Hello:
    traits = Traits(**{name: said.pop(name) for name in _TRAITS})
    offers, operations = frozenset(said.pop("offers")), frozenset(said.pop("operations"))
    if (attached := said["attached"]) is not None:
        count = len(attached.addresses)
        traits = replace(traits, founders=count, fixed=True, attached=count)
        offers, operations, said["messages"] = offers - _OF_OWN_MEMBERS, operations & OF_ENTRIES, {}
    by_hello = {name: replace(promise, by=Speaker.HELLO) for name, promise in promises.items()}
    admitted = tuple(replace(weakness, by=Speaker.HELLO) for weakness in weaknesses)
    return Hello(**said, offers=offers, promises=by_hello, weaknesses=admitted, traits=traits, operations=operations)


def _this_protocol(spoken: int) -> int:
    if spoken != PROTOCOL:
        raise AdapterFailure(f"the agent speaks version {spoken} of the agent protocol, not gridproof's {PROTOCOL}")
    return spoken


def _table(
    member: str,
    rows: tuple[tuple[str | None, ...], ...] | None,
    why: str,
    versions: tuple[int | None, ...] | None,
    members: tuple[str, ...] | None,
) -> Table:
    """Return a table; CannotSayError if the member shows none at present."""
    if rows is not None and versions is not None and len(versions) != len(rows):
        raise AdapterFailure(f"versions must have as many entries as rows, {len(rows)}, not {len(versions)}")
    if rows is None:
        raise CannotSayError(f"{member} cannot show its table at present ({why or 'no reason given'}); ask again later")
    return Table(member, rows, versions or (None,) * len(rows), members)


def _copies(copies: tuple[Copy, ...], unknown: tuple[int, ...]) -> Copies:
    by_partition = {copy.partition: copy for copy in copies}
    if len(by_partition) < len(copies):
        raise AdapterFailure("copies must name each partition once only")
    return Copies(by_partition, frozenset(unknown))


def _done(done: bool) -> None:
    if not done:
        raise AdapterFailure('"done" must be true; answer "error" where it was not done')


def _read(found: object, at: str) -> Ended:
    is_ok = isinstance(found, dict) and found.get("outcome") == Outcome.OK.value
    return (_ANSWERED if is_ok else _NOT_ANSWERED).read(found, at)


def _value(found: object, at: str) -> object:
    """Return the result of an operation."""
    if isinstance(found, list):
        return list_of(TEXT).read(found, at)
    is_plain = found is None or isinstance(found, bool) or is_integer(found)
    return found if is_plain else TEXT.read(found, at)


_OUTCOME = one_of(Outcome, Outcome)
_NUMBERS = list_of(whole(-1))
"""Numbers of updates; -1 for a number that a copy does not know."""
_NAME_OR_NULL, _WHOLE_OR_NULL = or_null(NAME), or_null(WHOLE)
_WORDS = then(TEXT, on_a_line)
_WHY: Field[str] = optional(_WORDS, "")
_STAMP = plain(
    lambda found: found is None or is_text(found) or is_integer(found),
    "text, a whole number or null",
    {"anyOf": [{"type": ["string", "null"]}, whole(-(2**63)).schema]},
)
_VALUE: Form[object] = Form(
    _value, {"anyOf": [{"type": ["string", "integer", "boolean", "null"]}, list_of(TEXT).schema]}
)
_WRITTEN = record(
    Ended, outcome=_OUTCOME, why=_WHY, confirmed=optional(_WHOLE_OR_NULL),
    executed_by=optional(_NAME_OR_NULL),
)  # fmt: skip
_READ: Mapping[str, Field[Any]] = {
    "why": _WHY, "confirm": optional(_NAME_OR_NULL), "executed_by": optional(_NAME_OR_NULL),
}  # fmt: skip
_ANSWERED = record(Ended, outcome=one_of([Outcome.OK], Outcome), value=or_null(TEXT), **_READ)
_NOT_ANSWERED = record(
    Ended, outcome=Form(_OUTCOME.read, one_of([Outcome.REFUSED, Outcome.UNKNOWN], Outcome).schema),
    value=optional(or_null(TEXT)), **_READ,
)  # fmt: skip
_DONE = then(
    record(_done, done=TRUTH), lambda _: None, {**record(_done, done=Form(TRUTH.read, {"const": True})).schema}
)
_COPY = record(
    Copy, partition=WHOLE, role=NAME, version=optional(_WHOLE_OR_NULL), versions=optional(_NUMBERS, ()),
    entries=map_of(TEXT),
)  # fmt: skip
_SHOWN = record(
    ShownVersions, partition=WHOLE, index=WHOLE, row_version=optional(_WHOLE_OR_NULL, name="row"), versions=_NUMBERS
)
_RULED: Form[int] = record(lambda rule: rule, rule=WHOLE)
_COUNTED: Form[int] = record(lambda messages: messages, messages=WHOLE)
_KEYED: Fields = {"key": TEXT}
_STOPS: Fields = {
    "operation": optional(NAME), "port": optional(COUNT), "partition": optional(WHOLE), "count": optional(COUNT)
}  # fmt: skip

_TRAITS: Mapping[str, Field[Any]] = {
    "founders": optional(WHOLE, 0), "bound": optional(TRUTH, False), "fixed": optional(TRUTH, False),
    "own_rule": optional(TEXT, ""),
}  # fmt: skip
"""What kind of grid the agent belongs to: those fields of the hello that have the same names as fields of `Traits`."""
_ROUTED: Form[int | Refused] = Form(
    lambda found, at: Refused(TEXT.read(found, at)) if isinstance(found, str) else whole(-(2**63)).read(found, at),
    {"anyOf": [whole(-(2**63)).schema, TEXT.schema]},
)
"""The number of a partition, in range or not; or a text that says why the key is refused."""
_TYPED_KEY: Form[Any] = plain(lambda found: isinstance(found, list), "a type and a form", {"type": "array"})
_NODE = record(dict[str, Any], name=NAME, zone=NAME, weight=plain(lambda _: True, "a number", {"type": "number"}))

HELLO = Verb(
    "hello",
    closed(record(
        _hello, protocol=then(COUNT, _this_protocol, {"const": PROTOCOL}), system=NAME, version=NAME,
        offers=list_of(NAME), partitions=optional(or_null(COUNT)), promises=optional(PROMISES, {}),
        weaknesses=optional(WEAKNESSES, ()), times=optional(or_null(TIMES)), table=optional(or_null(OF_TABLE)),
        **_TRAITS,
        messages=optional(map_of(NAME), {}), operations=optional(list_of(NAME), ()),
        kind=optional(one_of(Kind, Kind), Kind.GRID),
        key_types=optional(list_of(one_of(KeyType, KeyType)), (KeyType.STRING,)),
        copies=optional(COUNT, 1), separates_zones=optional(TRUTH, False), attached=optional(or_null(ATTACHED)),
    ), "id"),
)  # fmt: skip
"""The first message of an agent, which comes without a question."""
START = Verb(
    "start",
    record(Started, member=NAME, address=ADDRESS, group=optional(_NAME_OR_NULL)),
    {
        "name": NAME, "host": NAME, "port": COUNT, "seeds": list_of(NAME), "partitions": COUNT, "backups": WHOLE,
        "async_backups": WHOLE, "lite": TRUTH, "group": or_null(TEXT), "founders": optional(list_of(NAME)),
    },
    is_needed=True,
)  # fmt: skip
TABLE = Verb(
    "table",
    record(
        _table, member=NAME, rows=or_null(list_of(list_of(_NAME_OR_NULL))), why=_WHY,
        versions=optional(or_null(list_of(_WHOLE_OR_NULL))), members=optional(or_null(list_of(NAME))),
    ),
    is_needed=True,
)  # fmt: skip
SETTLED = Verb(
    "settled", record(Settled, member=NAME, members=list_of(NAME), why=or_null(_WORDS), stamp=optional(_STAMP)),
    is_needed=True,
)  # fmt: skip
PUT = Verb("put", _WRITTEN, {"key": TEXT, "value": TEXT}, is_needed=True)
GET: Verb[Ended] = Verb("get", Form(_read, {"anyOf": [_ANSWERED.schema, _NOT_ANSWERED.schema]}), _KEYED, is_needed=True)
REPLICAS = Verb(
    "replicas", record(_copies, copies=list_of(_COPY), unknown=optional(list_of(WHOLE), ())),
    {"partitions": optional(list_of(WHOLE))}, is_needed=True,
)  # fmt: skip
PARTITION = Verb("partition", record(Place, partition=WHOLE, owner=optional(_NAME_OR_NULL)), _KEYED, is_needed=True)
PUT_MANY = Verb("put_many", _WRITTEN, {"entries": map_of(TEXT)}, ability=Ability.WRITE_MANY)
REMOVE = Verb("remove", _WRITTEN, _KEYED, ability=Ability.REMOVE)
OPERATE = Verb(
    "operate",
    record(Ended, outcome=_OUTCOME, why=_WHY, value=optional(_VALUE), confirmed=optional(_WHOLE_OR_NULL)),
    {"kind": NAME, "key": TEXT, "value": or_null(TEXT), "expected": or_null(TEXT)}, ability=Ability.OPERATE,
)  # fmt: skip
VERSIONS: Verb[tuple[ShownVersions, ...]] = Verb(
    "versions", record(lambda copies: copies, copies=list_of(_SHOWN)), {"partitions": list_of(WHOLE)}
)
LEAVE = Verb("leave", _DONE, ability=Ability.LEAVE)
FOUND = Verb("found", _DONE, {"founders": list_of(NAME), "backups": WHOLE})
REPAIR = Verb("repair", _DONE, ability=Ability.REPAIR)
HOLD, DROP = Verb("hold", _RULED, _STOPS), Verb("drop", _RULED, _STOPS)
MET, RELEASE = Verb("met", _COUNTED, {"rule": WHOLE}), Verb("release", _COUNTED, {"rule": WHOLE})
PARTITIONS_OF: Verb[tuple[int | Refused, ...]] = Verb(
    "partitions_of", record(lambda partitions: partitions, partitions=list_of(_ROUTED)),
    {"keys": list_of(_TYPED_KEY), "count": COUNT},
)  # fmt: skip
PLACE: Verb[tuple[tuple[str, ...], ...]] = Verb(
    "place", record(lambda placed: placed, placed=list_of(list_of(NAME))),
    {"keys": list_of(TEXT), "nodes": list_of(_NODE)},
)  # fmt: skip
VERBS: tuple[Verb[Any], ...] = (
    START, TABLE, SETTLED, PARTITION, PUT, PUT_MANY, REMOVE, OPERATE, GET, REPLICAS, VERSIONS, LEAVE, HOLD, DROP, MET,
    RELEASE, FOUND, REPAIR, PARTITIONS_OF, PLACE,
)  # fmt: skip
"""All verbs that the suite asks, in the order in which the page lists them."""
_OF_OWN_MEMBERS = frozenset({"leave", "found", "repair", "hold", "drop", "met", "release", "lite", "groups"})
"""The verbs and features that the suite never uses on members that it did not start."""
STOPS: Mapping[str, Verb[int]] = {verb.name: verb for verb in (HOLD, DROP)}
"""The verbs by which a message gate stops messages, by their names."""
