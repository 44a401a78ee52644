"""Key routers and placement libraries whose agent speaks the agent protocol.

One process serves the whole audit, as there are no members. The process describes itself in its hello, and it answers
one verb (`docs/adapter-protocol.md`), so that a client in any language is audited with one file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from typing import Any, TypeVar

from gridproof_implementation.adapter import AdapterError, Kind, Node, Options, Refused
from gridproof_implementation.live import answers
from gridproof_implementation.live.process import FAILED, AgentProcess, Fleet, Launch
from gridproof_implementation.live.running import SEE, ask_surely, checked_answer
from gridproof_model.keys import Key

T = TypeVar("T")
HELLO_TIMEOUT_S, ANSWER_TIMEOUT_S = 60.0, 60.0
"""How long the suite waits for an answer; a placement library gets 20,000 keys in one question, which takes long."""
NEEDED: Mapping[Kind, answers.Verb[Any]] = {Kind.ROUTER: answers.PARTITIONS_OF, Kind.PLACER: answers.PLACE}
"""The verb that each kind of library has to answer."""


class AgentRouter:
    """A key router that is asked over the agent protocol, and describes itself in its hello."""

    def __init__(self, process: AgentProcess, hello: answers.Hello, other: AgentProcess | None = None) -> None:
        self.version, self.key_types = hello.version, hello.key_types
        self._process = process
        self._other = other or process
        """A second process of the router; the first process if there is only one."""

    def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        """Ask for the partitions of all keys in one question, each key as its type and its written form."""
        return self._partitions_by(self._process, keys, partition_count)

    def partitions_elsewhere(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        """Ask the second process of the router, with the keys in reverse order."""
        return self._partitions_by(self._other, keys[::-1], partition_count)[::-1]

    def _partitions_by(self, process: AgentProcess, keys: Sequence[Key], count: int) -> Sequence[int | Refused]:
        return _ask(process, answers.PARTITIONS_OF, keys=[key.written for key in keys], count=count)


class AgentPlacer:
    """A placement library that is asked over the agent protocol, and describes itself in its hello."""

    def __init__(self, process: AgentProcess, hello: answers.Hello) -> None:
        self.version, self.copies, self.separates_zones = hello.version, hello.copies, hello.separates_zones
        self._process = process

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        """Ask for the nodes of all keys in one question."""
        return _ask(self._process, answers.PLACE, keys=list(keys), nodes=[asdict(node) for node in nodes])


def libraries(launch_for: Callable[[Options], Launch]) -> Callable[[Options], AbstractContextManager[Any]]:
    """Return a function that opens a router or placement library, started by this launch; AdapterError if it is
    silent."""

    @contextmanager
    def opened(options: Options) -> Iterator[AgentRouter | AgentPlacer]:
        with Fleet() as fleet:
            process, hello = greet(fleet, launch_for(options))
            if (missing := NEEDED[hello.kind].name) not in hello.offers:
                raise AdapterError(f"the agent of {hello.system} is a {hello.kind} and does not offer {missing}; {SEE}")
            if hello.kind is Kind.PLACER:
                yield AgentPlacer(process, hello)
                return
            yield AgentRouter(process, hello, greet(fleet, launch_for(options))[0] if hello.traits.own_rule else None)

    return opened


def greet(fleet: Fleet, launch: Launch) -> tuple[AgentProcess, answers.Hello]:
    """Start an agent, and return it with its hello; AdapterError if it sends none."""
    process = fleet.start("agent", launch)
    return process, hello_of(process, "the agent", HELLO_TIMEOUT_S)


def hello_of(process: AgentProcess, called: str, timeout_s: float) -> answers.Hello:
    """Return the hello of an agent that was started; AdapterError if it sends none."""
    try:
        return checked_answer(process, answers.HELLO, process.hello(timeout_s))
    except FAILED as error:
        heard = process.noise[:1]
        aside = f"; on standard output it said {heard[0][:80]!r}" if heard else ""
        raise AdapterError(f"{called} sent no valid hello: {error}{aside}") from error


def check_offers(hello: answers.Hello) -> None:
    """Raise AdapterError if an agent does not offer what every audit of a grid needs."""
    needed = (verb.name for verb in answers.VERBS if verb.is_needed)
    missing = next((verb for verb in needed if verb not in hello.offers), None)
    if hello.kind is not Kind.GRID:
        raise AdapterError(f"the agent of {hello.system} is a {hello.kind}, not a member of a grid; {SEE}")
    if missing is not None:
        raise AdapterError(f"the agent of {hello.system} does not offer {missing}, which every audit needs; {SEE}")
    if hello.attached is not None and (answers.REMOVE.name not in hello.offers or hello.partitions is None):
        raise AdapterError(
            f"the agent of {hello.system} attaches to members; such an agent must offer `{answers.REMOVE.name}`, with "
            f"which gridproof removes the keys that it wrote, and its hello must have `partitions`; {SEE}"
        )


def check_count(hello: answers.Hello, options: Options) -> None:
    """Raise AdapterError if the user gives a number of members that the system cannot have."""
    few, least, is_attached = options.member_count, hello.traits.founders, hello.traits.attached > 0
    if "member_count" in options.named and (few < least or (is_attached and few != least)):
        why = f"needs at least {least} members to start with --backups {options.backup_count}"
        why = f"has {least} members that run already" if is_attached else why
        raise AdapterError(f"--members {few}: {hello.system} {why}; write --members {least}")


def _ask(process: AgentProcess, verb: answers.Verb[T], **asked: Any) -> T:
    return ask_surely(process, verb, ANSWER_TIMEOUT_S, "the agent", **asked)
