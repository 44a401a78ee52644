"""The check of an agent before an audit trusts it; this includes what the agent answers to operations.

An audit believes what its agent says. Therefore the agent is first asked for what can be checked without knowing the
system: whether it speaks the protocol, whether its answers fit together, and whether the fleet can end it. A complaint
is about the agent or about the system; its wording shows which.

Three members start, or as many as have to found the grid together; a few entries are written and looked up at every
member, one member crashes and is started again, and one member leaves.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from gridproof_implementation.adapter import Ability, AdapterError, Options, ReadAnswer, ReplicaContent, WriteAnswer
from gridproof_implementation.live.agent_grid import AgentGrid, open_agents
from gridproof_implementation.live.answers import Hello
from gridproof_implementation.live.process import FAILED, AgentProcess, Launch, NotOfferedError
from gridproof_implementation.live.running import ITEMS, LOCKED, ask_operation, ask_versions
from gridproof_model.membership import Member
from gridproof_model.trace import OperationKind, Outcome
from gridproof_properties.audits.settle import SETTLE_DEADLINE_MS, settle
from gridproof_properties.judging.words import count

CELL, COUNTER, LIST, QUEUE, LOCK = "check-cell", "check-counter", "check-list", "check-queue", "check-lock"


@dataclass(frozen=True, slots=True)
class Step:
    """An operation of one caller, at rest."""

    kind: str
    key: str
    value: str | None = None
    expected: str | None = None
    meant: tuple[object, ...] | None = None
    """The answers that are right; None if every answer is right."""


STEPS = (
    Step(OperationKind.ADD, COUNTER, meant=(1, "1")),
    Step(OperationKind.ADD, COUNTER, meant=(2, "2")),
    Step(OperationKind.CONTAINS, CELL, meant=(False,)),
    Step(OperationKind.PUT_IF_ABSENT, CELL, "a", meant=(None,)),
    Step(OperationKind.WRITE, CELL, "a"),
    Step(OperationKind.PUT_IF_ABSENT, CELL, "b", meant=("a",)),
    Step(OperationKind.READ, CELL, meant=("a",)),
    Step(OperationKind.CONTAINS, CELL, meant=(True,)),
    Step(OperationKind.COMPARE_AND_SET, CELL, "c", expected="b", meant=(False,)),
    Step(OperationKind.COMPARE_AND_SET, CELL, "c", expected="a", meant=(True,)),
    Step(OperationKind.READ, CELL, meant=("c",)),
    Step(OperationKind.COMPARE_AND_REMOVE, CELL, expected="a", meant=(False,)),
    Step(OperationKind.COMPARE_AND_REMOVE, CELL, expected="c", meant=(True,)),
    Step(OperationKind.APPEND, LIST, "a"),
    Step(OperationKind.APPEND, LIST, "b"),
    Step(ITEMS, LIST, meant=(("a", "b"),)),
    Step(OperationKind.OFFER, QUEUE, "a"),
    Step(OperationKind.OFFER, QUEUE, "b"),
    Step(OperationKind.POLL, QUEUE, meant=("a",)),
    Step(OperationKind.POLL, QUEUE, meant=("b",)),
    Step(OperationKind.POLL, QUEUE, meant=(None,)),
    Step(LOCKED, LOCK, meant=(False,)),
    Step(OperationKind.LOCK, LOCK, "1", meant=(True,)),
    Step(OperationKind.LOCK, LOCK, "2", meant=(False,)),
    Step(LOCKED, LOCK, meant=(True,)),
    Step(OperationKind.UNLOCK, LOCK, "1", meant=(0, "0", None)),
    Step(OperationKind.LOCK, LOCK, "2", meant=(True,)),
    Step(OperationKind.UNLOCK, LOCK, "2"),
)
_SIZE = OperationKind.SIZE
OF_MAPS = (OperationKind.WRITE, OperationKind.READ)
"""Reads and writes of maps, which have verbs of their own; the check runs them between compare-and-set operations."""


def try_operations(grid: AgentGrid, process: AgentProcess, deadline_s: float) -> Iterator[str]:
    """Yield each answer that does not fit its kind of operation; raise an error of `FAILED` if no answer comes."""
    offered = grid.hello.operations
    known = {step.kind for step in STEPS if step.kind not in OF_MAPS}
    yield from (f"operations names {kind!r}, which no audit asks for" for kind in sorted(offered - known - {_SIZE}))
    yield from _count(grid, process, deadline_s) if _SIZE in offered else ()
    for step in STEPS:
        if step.kind not in offered and not (step.kind in OF_MAPS and OperationKind.COMPARE_AND_SET in offered):
            continue
        ended, came_back = _ask(grid, process, step, deadline_s)
        if ended.outcome is not Outcome.OK:
            yield f"at rest {step.kind} of {step.key!r} was {ended.outcome}: {ended.detail}"
        elif step.meant is not None and repr(came_back) not in map(repr, step.meant):
            yield f"{step.kind} of {step.key!r} came back with {came_back!r}; it means {step.meant[0]!r}"


def _count(grid: AgentGrid, process: AgentProcess, deadline_s: float) -> Iterator[str]:
    """Yield what is wrong with `size`: the number of entries is not known, but has to grow by one with a new entry."""
    sizes: list[object] = []
    for key in ("check-size", "check-size again"):
        grid.write(key, "1")
        sizes.append(ask_operation(process, deadline_s, _SIZE, "", None, None)[1])
    before, after = (int(size) if str(size).isdecimal() else None for size in map(str, sizes))
    if before is None or after != before + 1:
        yield f"size came back with {sizes[0]!r}, and with {sizes[1]!r} once one more entry was written"


def _ask(
    grid: AgentGrid, process: AgentProcess, step: Step, deadline_s: float
) -> tuple[ReadAnswer | WriteAnswer, object]:
    if step.kind == OperationKind.WRITE:
        return grid.write(step.key, step.value or ""), None
    if step.kind == OperationKind.READ:
        read = grid.read(step.key)
        return read, read.value
    return ask_operation(process, deadline_s, step.kind, step.key, step.value, step.expected)


MEMBERS = 3
SLOW_S = 1.0
"""How long an answer at rest may take, at most, without making every audit slow."""
SLOW_MAX_S = 15.0
END_DEADLINE_S = 10.0
AT_ONCE = 20
COMPLAINTS_MAX = 6
"""The most complaints of one part: an agent that is silent for 15 s at each question would take too long."""
ENTRIES = {
    "plain": "value",
    "": "the empty key",
    "empty": "",
    "schlüssel": "wert",
    "鍵 😀": "値 😀",
    'quote"\\': "tab\t newline\n \x01",
    "long": "x" * 20_000,
    **{f"key-{number}": f"value-{number}" for number in range(60)},
}


@dataclass(frozen=True, slots=True)
class Examined:
    """What one part of the check found."""

    part: str
    complaints: tuple[str, ...]
    was_reached: bool = True


def try_agent(launch: Launch, deadline_s: float = 15.0) -> Iterator[Examined]:
    """Yield what each part found; raise AdapterError if the agent does not even answer hello."""
    with open_agents(launch, Options(member_count=MEMBERS), deadline_s) as grid:
        bench = _Bench(grid)
        broken_off = False
        for name, examine in _PARTS:
            if grid.traits.attached and examine in _ENDS:
                continue
            if broken_off:
                yield Examined(name, (), was_reached=False)
                continue
            complaints: list[str] = []
            try:
                complaints.extend(islice(examine(bench), COMPLAINTS_MAX))
            except (AdapterError, *FAILED) as error:
                complaints.append(str(error))
                broken_off = True
            yield Examined(name, tuple(complaints))


@dataclass(slots=True)
class _Bench:
    """The grid that is checked, and what is known about it so far."""

    grid: AgentGrid
    partitions: dict[str, int] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    """The acknowledged entries: after some complaints no more are written, and the empty key may be refused."""
    ended: Member | None = None
    """The member that was killed; None if none was."""

    def processes(self) -> list[AgentProcess]:
        return [self.grid.process_of(member) for member in self.grid.members()]

    def row(self, key: str, observer: Member) -> Sequence[Member]:
        by_id = {member.id: member for member in self.grid.members()}
        slots = self.grid.view_table(observer)[self.partitions[key]].slots
        return [by_id[slot] for slot in slots if slot is not None and slot in by_id]

    def settle(self, when: str) -> Iterator[str]:
        ended = settle(self.grid, SETTLE_DEADLINE_MS)
        if not ended.settled:
            yield f"{when} it never came to rest: {ended}"


def examine_hello(hello: Hello) -> Iterator[str]:
    """Yield complaints about each name that the agent's hello promises or admits and that gridproof does not know."""
    # Imported here: the imported module loads every judge, and an agent itself needs none.
    from gridproof_properties.audits.promises import unknown_names
    from gridproof_properties.catalogue import PROPERTY_NAMES

    for clause in unknown_names(hello.promises, hello.weaknesses, (), PROPERTY_NAMES):
        yield f"the hello {clause}"


def _start(bench: _Bench) -> Iterator[str]:
    if Ability.FOUND in bench.grid.abilities:
        bench.grid.start_founders()
        yield from bench.settle("once it was founded")
    for number in range(len(bench.grid.members()) + 1, 0 if bench.grid.traits.fixed else MEMBERS + 1):
        bench.grid.start_member()
        yield from bench.settle(f"after member {number} joined")
    for number, member in enumerate(bench.grid.members(), start=1):
        if not member.id.address.host.startswith("127.") and not bench.grid.traits.attached:
            yield f"member {number} listens on {member.id.address}: only addresses 127.x are this machine's own"
    addresses = [member.id.address for member in bench.grid.members()]
    if len(set(addresses)) < len(addresses):
        yield f"two members have one address: {', '.join(map(str, addresses))}"


def examine_speech(process: AgentProcess) -> Iterator[str]:
    """Yield complaints if the agent says anything but answers, or if it does not refuse an unknown verb as
    "not_offered"."""
    if process.noise:
        yield f"{process.name} prints what is no answer on standard output: {process.noise[0][:80]!r}"
    try:
        process.ask("no-such-verb")
    except NotOfferedError:
        pass
    except FAILED as error:
        yield f'{process.name} must answer an unknown verb with "not_offered": {error}'
    else:
        yield f'{process.name} answered "no-such-verb" as if it knew it; answer with "not_offered"'


def _crowd(bench: _Bench) -> Iterator[str]:
    """Ask many questions at once: each answer has to belong to its own question."""
    process = bench.processes()[0]
    keys = [f"key-{number}" for number in range(AT_ONCE)]
    alone = [process.ask("partition", key=key).get("partition") for key in keys]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        together = list(pool.map(lambda key: process.ask("partition", key=key).get("partition"), keys))
    if alone != together:
        yield f"{AT_ONCE} questions asked at once get other answers than one by one: numbers or answers are mixed up"


def _partitions(bench: _Bench) -> Iterator[str]:
    count = bench.grid.partition_count
    bench.partitions = {key: bench.grid.partition_of(key) for key in ENTRIES}  # first, as complaints may end this part
    for key, partition in bench.partitions.items():
        answers = {process.name: process.ask("partition", key=key) for process in bench.processes()}
        found = {answer.get("partition") for answer in answers.values()}
        if len(found) > 1:
            yield f"members disagree where {key[:20]!r} belongs: {', '.join(map(str, found))}"
        if partition >= count:
            raise AdapterError(f"{key[:20]!r} is in partition {partition}, and there are only {count} partitions")
    for member in bench.grid.members():
        rows = bench.grid.view_table(member)
        named = {slot for row in rows for slot in row.slots if slot is not None}
        strangers = named - {other.id for other in bench.grid.members()}
        if strangers:
            yield f"a table at rest names {min(strangers)}, which is no member that runs"
    if len(set(bench.partitions.values())) == 1 and count > 1:
        yield f"all of {len(ENTRIES)} keys are in one partition of {count}"


def _entries(bench: _Bench) -> Iterator[str]:
    absent = bench.grid.read("never written")
    if absent.value is not None or absent.outcome is not Outcome.OK:
        found = f"{absent.outcome.value} {absent.value or absent.detail}"
        yield f'an entry that nobody wrote must be read as "ok" with a value of null, not as {found}'
    for key, value in ENTRIES.items():
        answer = bench.grid.write(key, value)
        if answer.outcome is Outcome.REFUSED and not key:  # it supports no empty key, and says so
            continue
        if answer.outcome is not Outcome.OK:
            yield f"at rest the write of {key[:20]!r} was {answer.outcome.value}: {answer.detail}"
            continue
        bench.written[key] = value
        for member in bench.grid.members():
            got = bench.grid.read(key, through=member)
            if got.outcome is not Outcome.OK or got.value != value:
                name = bench.grid.process_of(member).name
                yield f"{key[:20]!r} was acknowledged with {value[:20]!r}, and {name} reads {_describe(got.value)}"


def _copies(bench: _Bench) -> Iterator[str]:
    """Yield complaints if `replicas` does not fit the acknowledged writes, the table, and the key's partition."""
    yield from bench.settle("after writing")
    held = {member: bench.grid.read_replicas(member) for member in bench.grid.members()}
    for member, contents in held.items():
        name = bench.grid.process_of(member).name
        yield from _misplaced(bench, name, contents)
        some = next(iter(contents), None)
        if some is not None and bench.grid.read_replica(member, some) != contents[some]:
            yield f"{name} shows another copy of partition {some} when it is asked for that one alone"
    for key, value in bench.written.items():
        row = bench.row(key, bench.grid.members()[0])
        for member in row[: 1 + bench.grid.backup_count]:
            copy = held[member].get(bench.partitions[key])
            if copy is None or copy.entries.get(key) != value:
                name = bench.grid.process_of(member).name
                found = None if copy is None else copy.entries.get(key)
                shown = f"`replicas` shows {_describe(found)} there"
                yield f"at rest {name} has a copy of {key[:20]!r} by the table; {shown}"


def _misplaced(bench: _Bench, name: str, contents: Mapping[int, ReplicaContent]) -> Iterator[str]:
    for partition, copy in contents.items():
        for key in copy.entries:
            right = bench.partitions.get(key)
            if right is not None and right != partition:
                yield f"{name} shows {key[:20]!r} in partition {partition}; by `partition` it belongs to {right}"


def _versions(bench: _Bench) -> Iterator[str]:
    """Yield complaints if `versions` does not fit the table, or does not count the acknowledged writes."""
    if "versions" not in bench.grid.hello.offers:
        return
    written = Counter(bench.partitions[key] for key in bench.written)
    rows = bench.grid.view_table(bench.grid.members()[0])
    for member in bench.grid.members():
        process = bench.grid.process_of(member)
        shown = {copy.partition: copy for copy in ask_versions(process, sorted(written), SLOW_MAX_S)}
        for partition, writes in written.items():
            slots, copy = rows[partition].slots, shown.get(partition)
            index = slots.index(member.id) if member.id in slots else None
            shown_index = None if copy is None else copy.index
            counted = 0 if copy is None else max(copy.versions, default=0)
            if shown_index != index:
                where = f"index {index} of partition {partition} by the table"
                yield f"{process.name} has {where}; `versions` shows {shown_index}"
            elif index is not None and counted < writes:
                yield f"{writes} writes of partition {partition} were acknowledged; {process.name} counts {counted}"


def _further(bench: _Bench) -> Iterator[str]:
    """Check the further verbs whose names the agent's hello offers."""
    if Ability.WRITE_MANY in bench.grid.abilities:
        entries = {"many-1": "1", "many-2": "2"}
        answer = bench.grid.write_many(entries)
        found = {key: bench.grid.read(key).value for key in entries}
        if answer.outcome is not Outcome.OK or found != entries:
            yield f"put_many was {answer.outcome.value}, and its entries are read as {found}"
    if Ability.REMOVE in bench.grid.abilities:
        answer = bench.grid.remove("plain")
        if answer.outcome is not Outcome.OK or bench.grid.read("plain").value is not None:
            yield f"remove was {answer.outcome.value}, and the entry is still there"


def _speed(bench: _Bench) -> Iterator[str]:
    asks: dict[str, dict[str, Any]] = {
        "table": {},
        "settled": {},
        "replicas": {},
        "get": {"key": "key-1"},
        "put": {"key": "key-1", "value": "value-1"},
        "partition": {"key": "key-1"},
    }
    for verb, fields in asks.items():
        begin_s = time.monotonic()
        bench.processes()[0].ask(verb, SLOW_MAX_S, **fields)
        took_s = time.monotonic() - begin_s
        if took_s > SLOW_S:
            yield f"{verb} took {took_s:.1f} s at rest; an audit asks it some thousand times"


def _crash(bench: _Bench) -> Iterator[str]:
    bench.ended = bench.grid.members()[0]
    bench.grid.crash(bench.ended)
    yield from bench.settle("after a crash")
    for process in bench.processes():
        process.ask("table")


def _start_again(bench: _Bench) -> Iterator[str]:
    """Restart the killed member at its address: it has to find its state, and a founder must not found a new grid.

    The restart is done two times: when the grid is at rest, and right after a crash that no member has noticed yet.
    """
    assert bench.ended is not None
    again = bench.grid.start_again(bench.ended)
    yield from bench.settle("after a member was started again")
    bench.grid.crash(again)
    bench.grid.start_again(again)
    yield from bench.settle("after a member was killed and started again at once")


def _leave(bench: _Bench) -> Iterator[str]:
    if Ability.LEAVE in bench.grid.abilities:
        bench.grid.leave(bench.grid.members()[0])
        yield from bench.settle("after a member left")


def _end(bench: _Bench) -> Iterator[str]:
    bench.grid.leave_as_found()  # while a member is left that can remove the keys
    yield from examine_end(bench.processes()[0])


def examine_end(process: AgentProcess) -> Iterator[str]:
    """Yield a complaint if an agent does not end by itself, or if what it started does not end with it."""
    late = f"{END_DEADLINE_S:g} s after its standard input had ended"
    if not process.wait_gone(END_DEADLINE_S):
        yield f"{process.name} still ran {late}; end at once then"
        return
    end_s = time.monotonic() + END_DEADLINE_S
    while (left := process.started()) and time.monotonic() < end_s:
        time.sleep(0.05)
    if left:
        which = count(len(left), "process", "processes")
        yield f"{which} that {process.name} had started still ran {late}; an agent ends what it started, too"


_ENDS = (_crash, _start_again, _leave)
"""The parts of the check that are left out if the suite did not start the members itself."""


def _describe(value: str | None) -> str:
    return "nothing" if value is None else repr(value[:20])


_PARTS: tuple[tuple[str, Callable[[_Bench], Iterator[str]]], ...] = (
    ("the hello names only properties that exist", lambda bench: examine_hello(bench.grid.hello)),
    ("members start, join and come to rest", _start),
    ("it speaks the protocol, and nothing else", lambda bench: chain(*map(examine_speech, bench.processes()))),
    ("answers belong to their questions", _crowd),
    ("keys, partitions and tables fit each other", _partitions),
    ("what was written is read", _entries),
    ("copies are where the table says", _copies),
    ("versions count what was written", _versions),
    ("everything else that is offered works", _further),
    (
        "operations do what their kinds mean",
        lambda bench: try_operations(bench.grid, bench.processes()[-1], SLOW_MAX_S),
    ),
    ("answers are quick", _speed),
    ("a member can be killed", _crash),
    ("a member can be started again", _start_again),
    ("a member can leave", _leave),
    ("it ends with its standard input", _end),
)
