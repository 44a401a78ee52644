"""Planted bugs, and the judging of one scenario of a search for them.

A mutant replaces one rule of the reference in one place, for as long as a `with` block lasts, and names the properties
that must notice it. If the reference cannot be made to break a rule, a `TraceMutation` changes the records instead.

A mutant of the members has a proof and a search. A mutant's witness proves that it is a bug: a fixed story that the
reference survives and the mutant does not (docs/defects.md, Rules of an honest score, 1). Whether a mutant is found
without the witness is another question, which `search_for` answers (rule 2).

Each scenario of a mutation search is judged at every step. A campaign reads the steps of the protocol in some of its
runs only; a search reads them in all, which takes longer, and notices faults that anti-entropy repairs before the end.

An interposer loses or delays single messages. A fault affects links for a while with all messages on them; the stories
of the zoo need one particular answer to be lost.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.links import End, Links
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_model.trace import OperationKind
from gridproof_properties.campaign.scenarios import judge_scenario
from gridproof_properties.judging.verdict import Result, Verdict

_arrivals = Links.arrivals


@dataclass(frozen=True, slots=True)
class Interposer:
    """A loss or delay of some messages of one kind."""

    kind: str
    """The name of the message's type."""
    first: int = 0
    """How many of these messages, between the addresses, pass before the first one is affected."""
    count: int = 1
    late_us: int | None = None
    """How much later they arrive; None if they are lost. Later messages on the same lane wait, too."""
    sender: int | None = None
    receiver: int | None = None
    """The indices of the sender's and the receiver's address; None means any."""

    def is_meant(self, kind: str, sender: int, receiver: int) -> bool:
        """Return whether a message is of the affected kind, between the affected addresses."""
        return kind == self.kind and self.sender in (None, sender) and self.receiver in (None, receiver)


@contextmanager
def interposing(wanted: Sequence[Interposer]) -> Iterator[None]:
    """Lose or delay messages of each simulated world that runs in the block."""
    met = [0] * len(wanted)

    def arrivals(links: Links, sender: End, receiver: End, message: Message, now_us: int) -> tuple[int, ...]:
        for place, one in enumerate(wanted):
            if one.is_meant(type(message).__name__, sender.address_index, receiver.address_index):
                met[place] += 1
                if one.first < met[place] <= one.first + one.count:
                    if one.late_us is None:
                        return ()
                    now_us += one.late_us
        return _arrivals(links, sender, receiver, message, now_us)

    with patch.object(Links, "arrivals", arrivals):
        yield


Witness = Callable[[], Sequence[Verdict]]
"""A function that plays a fixed story and returns the broken verdicts."""


@dataclass(frozen=True, slots=True)
class Find:
    """The result of one try of a search."""

    broken: tuple[Verdict, ...]
    """The verdicts on promised properties that are broken."""
    scenario: Scenario | None = None
    """The scenario that was played, if it can be made smaller."""
    met: frozenset[str] | None = None
    """The properties that hold or are broken in the try; None if the try judges only one property."""


Search = Callable[[int], Find]
"""A function that tries the scenario of a seed, without knowing the mutant."""
CLIENT_OPERATIONS = 30
"""Runs are short, as most bugs need a few writes and one fault, and many short runs find more than a few long ones."""
ARRANGING = ClientOperation("register", OperationKind.READ, "register-0")


def search_drawn(*faults: str, **options: Any) -> Search:
    """Return the search that simulates and judges short scenarios, drawn from seeds with some faults and options."""
    drawn = replace(DrawOptions(client_operations=CLIENT_OPERATIONS, jobs=False, faults=faults or None), **options)
    return lambda seed: try_scenario(draw_scenario(seed, drawn))


def try_scenario(scenario: Scenario) -> Find:
    """Return the result of a scenario, judged at rest, by its histories, and at every step."""
    run = judge_scenario(scenario, refined=True)
    return Find(run.broken, scenario, met_in(run.verdicts))


def met_in(verdicts: Iterable[Verdict]) -> frozenset[str]:
    """Return the properties whose verdict is not unknown."""
    return frozenset(verdict.property for verdict in verdicts if verdict.result is not Result.UNKNOWN)


def found_broken(name: str, sentence: str) -> tuple[Verdict, ...]:
    """Return the verdict that a property is broken."""
    return (Verdict(name, Result.BROKEN, sentence, (sentence,)),)


def broken_in(scenario: Scenario) -> tuple[Verdict, ...]:
    """Return the broken verdicts on promised properties in a scenario."""
    return try_scenario(scenario).broken


def scripted(
    client_operations: Sequence[ClientOperation],
    *fault_events: FaultEvent,
    later: Sequence[ClientOperation] = (),
    interposers: Sequence[Interposer] = (),
    **grid: Any,
) -> Witness:
    """Return a fixed story as a witness; `grid` has further fields of its scenario, whose times are short by default.

    A read comes first, so that the table is arranged and known to all members before anything happens. The operations
    in `later` begin at rest.
    """
    last = (Script(tuple(later)),) if later else ()
    scripts = (Script((ARRANGING,)), Script(tuple(client_operations), fault_events), *last)
    quick = Scenario(0, properties=QUICK, workload="mixed", scripts=scripts)
    return played(replace(quick, **grid), interposers)


def played(scenario: Scenario, interposers: Sequence[Interposer] = ()) -> Witness:
    """Return a whole scenario as a witness."""

    def play() -> Sequence[Verdict]:
        with interposing(interposers):
            return broken_in(scenario)

    return play


def writes(number: int, pause_ms: int = 20, keys: int = 4, clients: int = 1) -> list[ClientOperation]:
    """Return a number of writes by some clients, in turn, to a few entries of a map."""
    return [
        ClientOperation(
            "register", OperationKind.WRITE, f"register-{place % keys}", f"v{place}", place % clients, pause_ms
        )
        for place in range(number)
    ]


search_campaign = search_drawn(jobs=True)


Plant = Callable[[], AbstractContextManager[object]]
"""A function that plants a mutant until the block ends; not for two threads at once."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutant: one rule of the reference is replaced."""

    name: str
    rule: str
    """What the mutant does instead, in one sentence."""
    source: str
    """The real defect that it stands for, or the rule that it breaks."""
    breaks: tuple[str, ...]
    """The names of the properties that notice it."""
    plant: Plant


def replacing(owner: object, rule: str, instead: object) -> Plant:
    """Return a plant that replaces an attribute of a class or module by another rule."""
    return lambda: patch.object(owner, rule, instead)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberMutant(Mutant):
    """A mutant of the members; `breaks` has the properties that its witness breaks."""

    number: str
    """The number of the mutant in docs/zoo.md."""
    defect_class: str
    """The class of defect, from docs/defects.md, Classes."""
    search: Search = search_campaign
    witness: Witness | None = None
    """The witness; None if no story is known in which it does harm: it may be no bug, and counts in no score."""
    guard: str = ""
    """What is known to keep it from doing harm in a whole grid; empty for nothing."""
    quick: bool = False
    """Whether the mutant is found within a second or two, so that a quick run of the zoo includes it."""

    @property
    def is_proved(self) -> bool:
        """Whether the mutant has a witness."""
        return self.witness is not None
