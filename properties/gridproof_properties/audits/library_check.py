"""The check of an agent that is a key router or a placement library, made before the agent is audited.

A library has no members: two processes are started, and both are asked the same questions. The check finds a library
that places keys by something that only one process knows (a hash with a new salt at each start, an order of insertion),
whatever its rule is.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import Any, assert_never

from gridproof_implementation.adapter import AdapterError, Kind, Node, Refused
from gridproof_implementation.live.agent_library import NEEDED, AgentPlacer, AgentRouter, greet
from gridproof_implementation.live.process import FAILED, Fleet, Launch
from gridproof_model.keys import Key
from gridproof_properties.audits import agent_check
from gridproof_properties.audits.boundary_keys import random_keys
from gridproof_properties.judging.words import count

COUNTS = (1, 271, 65_536)
"""The partition counts for which the library is asked where keys belong."""
KEYS = 60
"""The number of keys of each type; for a placement library, the number of all keys."""
NODES = tuple(Node(f"node-{number}", f"zone-{number % 3}") for number in range(6))
Part = tuple[str, Callable[[], Iterator[str]]]


def try_any_agent(launch: Launch) -> Iterator[agent_check.Examined]:
    """Yield what each part of the check found, for agents of any kind; raise AdapterError if the agent does not answer
    hello."""
    with Fleet() as fleet:
        process, hello = greet(fleet, launch)
        match hello.kind:
            case Kind.GRID:
                process.kill()
                yield from agent_check.try_agent(launch)
                return
            case Kind.ROUTER:
                own = _of_router(*(AgentRouter(each, hello) for each in (process, greet(fleet, launch)[0])))
            case Kind.PLACER:
                own = _of_placer(*(AgentPlacer(each, hello) for each in (process, greet(fleet, launch)[0])))
            case _:
                assert_never(hello.kind)
        if (needed := NEEDED[hello.kind].name) not in hello.offers:
            lacks = f"but does not offer {needed}; see docs/adapter-protocol.md"
            raise AdapterError(f"the agent of {hello.system} is a {hello.kind}, {lacks}")
        for name, examine in (
            ("the hello names only properties that exist", lambda: agent_check.examine_hello(hello)),
            ("it speaks the protocol, and nothing else", lambda: agent_check.examine_speech(process)),
            *own,
            ("it ends with its standard input", lambda: agent_check.examine_end(process)),
        ):
            yield agent_check.Examined(name, tuple(_complaints(examine)))


def _complaints(examine: Callable[[], Iterator[str]]) -> Iterator[str]:
    try:
        yield from islice(examine(), agent_check.COMPLAINTS_MAX)
    except (AdapterError, *FAILED) as error:
        yield str(error)


def _of_router(one: AgentRouter, other: AgentRouter) -> Sequence[Part]:
    keys = [key for kind in one.key_types for key in islice(random_keys(kind, Random(kind.value)), KEYS)]

    def in_range() -> Iterator[str]:
        for partitions in COUNTS:
            answers = _as_many(one.partitions_of(keys, partitions), keys)
            for kind in one.key_types:
                of_kind = [(key, answer) for key, answer in zip(keys, answers, strict=True) if key.type is kind]
                if all(isinstance(answer, Refused) for _, answer in of_kind):
                    yield f"key_types has {kind.value}, and every one of {len(of_kind)} such keys is refused"
                for key, answer in of_kind:
                    if not isinstance(answer, Refused) and not 0 <= answer < partitions:
                        yield f"{kind.value} {key.text[:40]} is sent to partition {answer} of {partitions}"

    both = [partial(router.partitions_of, partition_count=271) for router in (one, other)]
    return [
        ("keys are sent only to partitions that exist", in_range),
        ("each key has one partition, whichever process is asked", lambda: _differing(keys, *both)),
    ]


def _of_placer(one: AgentPlacer, other: AgentPlacer) -> Sequence[Part]:
    keys = [f"key-{number}" for number in range(KEYS)]

    def copies() -> Iterator[str]:
        for key, placed in zip(keys, _as_many(one.place(keys, NODES), keys), strict=True):
            if strangers := set(placed) - {node.name for node in NODES}:
                yield f"{key} is on {min(strangers)}, which is no node"
            elif len(set(placed)) < len(placed) or len(placed) != one.copies:
                yield f"{key} is on {', '.join(placed) or 'no node'}; copies is {one.copies}, each on another node"

    both = [partial(placer.place, nodes=NODES) for placer in (one, other)]
    return [
        ("each key has its copies on nodes that exist", copies),
        ("each key has one place, whichever process is asked", lambda: _differing(keys, *both)),
    ]


def _differing(keys: Sequence[Any], one: Callable[[Any], Sequence[Any]], other: Callable[[Any], Any]) -> Iterator[str]:
    """Yield the keys that are placed elsewhere if they are asked for alone, or in another order by another process."""
    together = _as_many(one(keys), keys)
    backwards = list(reversed(_as_many(other(keys[::-1]), keys)))
    for key, first, second in zip(keys, together, backwards, strict=True):
        if first != second:
            text = key.text if isinstance(key, Key) else key
            yield f"{text[:40]} belongs to {first} by one process and to {second} by another"
    for key, first in list(zip(keys, together, strict=True))[:: max(1, len(keys) // 5)]:
        if (alone := _as_many(one([key]), [key])[0]) != first:
            yield f"one key belongs to {first} among others and to {alone} when it is asked for alone"


def _as_many(answers: Sequence[Any], keys: Sequence[Any]) -> Sequence[Any]:
    if len(answers) != len(keys):
        wrong = f"the agent gave {count(len(answers), 'answer')} for {count(len(keys), 'key')}"
        raise AdapterError(f"{wrong}; it must answer with one for each key")
    return answers
