"""What a planted bug is, and how one scenario of a search for it is judged.

A mutant replaces one rule of the reference in one place, for as long as a `with` block lasts, and names the properties
that must notice. Where the reference cannot be brought to break a rule, a `TraceMutation` changes the records instead.

A mutant of the members, with proof and search. A mutant is proved to be a bug by its witness: a fixed story that the
reference survives and the mutant does not (docs/defects.md, Rules of an honest score, 1). Whether it is found without
the witness is another question, and `search_for` answers it (rule 2).

One scenario of a mutation search, judged at every step. A campaign reads the steps of the protocol in some of its runs
only; a search reads them in all, which takes longer and sees what anti-entropy repairs before anybody looks.

Messages lost or held up, one by one. A fault bends links for a while and all messages on them; the stories of the zoo
need the one answer that gets lost.
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
    """What becomes of some messages of one kind."""

    kind: str
    """Name of the message."""
    first: int = 0
    """How many of them, between these addresses, are left alone before."""
    count: int = 1
    late_us: int | None = None
    """How much later they arrive; lost where it is None. Those behind them in their lane wait, too."""
    sender: int | None = None
    receiver: int | None = None
    """Indices of their addresses; any where it is None."""

    def is_meant(self, kind: str, sender: int, receiver: int) -> bool:
        """Whether it is about this message."""
        return kind == self.kind and self.sender in (None, sender) and self.receiver in (None, receiver)


@contextmanager
def interposing(wanted: Sequence[Interposer]) -> Iterator[None]:
    """Interpose on the messages of whatever world runs meanwhile."""
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
"""Plays a fixed story and returns what is broken in it."""


@dataclass(frozen=True, slots=True)
class Find:
    """What one try of a search came to."""

    broken: tuple[Verdict, ...]
    """What was owed and is broken."""
    scenario: Scenario | None = None
    """What was played, where that can be made smaller."""
    met: frozenset[str] | None = None
    """Properties of which the try says something, holds or broken; None where it judges one property and no other."""


Search = Callable[[int], Find]
"""Tries what a seed draws; knows no mutant."""
CLIENT_OPERATIONS = 30
"""Short runs: most bugs need a few writes and one fault, and many worlds find more than long ones."""
ARRANGING = ClientOperation("register", OperationKind.READ, "register-0")


def search_drawn(draw_options: DrawOptions) -> Search:
    """Return the search that simulates and judges what seeds and options draw."""

    def search(seed: int) -> Find:
        return try_scenario(draw_scenario(seed, draw_options))

    return search


def try_scenario(scenario: Scenario) -> Find:
    """Return what a scenario comes to, at rest, in its histories, and at every step."""
    run = judge_scenario(scenario, refined=True)
    return Find(run.broken, scenario, met_in(run.verdicts))


def met_in(verdicts: Iterable[Verdict]) -> frozenset[str]:
    """Return the properties of which something is known."""
    return frozenset(verdict.property for verdict in verdicts if verdict.result is not Result.UNKNOWN)


def broken_in(scenario: Scenario) -> tuple[Verdict, ...]:
    """Return what is owed and broken in a scenario."""
    return try_scenario(scenario).broken


def scripted(
    client_operations: Sequence[ClientOperation],
    *fault_events: FaultEvent,
    later: Sequence[ClientOperation] = (),
    interposers: Sequence[Interposer] = (),
    **grid: Any,
) -> Witness:
    """Return a fixed story as a witness; `grid` has other fields of its scenario, which is quick unless stated.

    A read comes first, so that the table is arranged and known to all before anything happens. What is to be done
    `later` begins at rest.
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
    """Return so many writes by some clients to a few entries of a map, in turn."""
    return [
        ClientOperation(
            "register", OperationKind.WRITE, f"register-{place % keys}", f"v{place}", place % clients, pause_ms
        )
        for place in range(number)
    ]


search_campaign = search_drawn(DrawOptions(client_operations=CLIENT_OPERATIONS))


Plant = Callable[[], AbstractContextManager[object]]
"""Puts a mutant in place until the block ends; not for two threads at once."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One rule of the reference, replaced."""

    name: str
    rule: str
    """What the mutant does instead, in one sentence."""
    source: str
    """The real defect it stands for, or the rule it breaks."""
    breaks: tuple[str, ...]
    """Names of the properties that notice."""
    plant: Plant


def replacing(owner: object, rule: str, instead: object) -> Plant:
    """Return what puts another rule in the place of an attribute of a class or module."""
    return lambda: patch.object(owner, rule, instead)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberMutant(Mutant):
    """One rule of the members replaced; `breaks` names what the witness breaks."""

    number: str
    """As docs/zoo.md has it."""
    defect_class: str
    """Class of defect, in docs/defects.md, Classes."""
    search: Search = search_campaign
    witness: Witness | None = None
    """None where no story is known in which it does harm: it may be no bug at all, and counts in no score."""
    guard: str = ""
    """What else, as far as is known, keeps it from doing harm in a whole grid; empty where nothing does."""
    quick: bool = False
    """Whether it is found within a second or two, so that a quick look at the zoo shows it."""

    @property
    def is_proved(self) -> bool:
        """Whether it has a witness."""
        return self.witness is not None
