"""Planted bugs, and how one scenario of a search for them is judged.

A mutant replaces one rule of the reference in one place, for as long as a `with` block lasts, and names the properties
that have to notice it. If the reference cannot be made to break a rule, a `TraceMutation` changes the records of a run
instead.

A mutant of the members has a witness and a search. The witness proves that the mutant is a bug: it is a fixed story
that the reference survives and the mutant does not (docs/defects.md, Rules of an honest score, 1). Whether the mutant
is found without its witness is another question, which `search_for` answers (rule 2).

Each scenario of a mutation search is judged step by step. A campaign reads the steps of the protocol only in some of
its runs; a search reads them in all runs, which takes longer, and notices faults that anti-entropy repairs before the
end.

An interposer loses or delays single messages of a kind. A fault affects links for a while, with all messages on them;
but some stories of the zoo need the loss of one particular answer.
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
    """The loss, or the delay, of some messages of one kind."""

    kind: str
    """The name of the message's type."""
    first: int = 0
    """How many of these messages, between the given addresses, pass before the first one is affected."""
    count: int = 1
    late_us: int | None = None
    """How much later the messages arrive; None if they are lost. Messages sent later on the same lane wait, too."""
    sender: int | None = None
    receiver: int | None = None
    """The indices of the addresses of sender and receiver; None stands for any address."""

    def is_meant(self, kind: str, sender: int, receiver: int) -> bool:
        """Return whether a message is of the affected kind, and between the affected addresses."""
        return kind == self.kind and self.sender in (None, sender) and self.receiver in (None, receiver)


@contextmanager
def interposing(wanted: Sequence[Interposer]) -> Iterator[None]:
    """Lose or delay these messages in each simulated world that runs in the block."""
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
"""A function that plays a fixed story and returns the verdicts that are broken."""


@dataclass(frozen=True, slots=True)
class Find:
    """The result of one try of a search."""

    broken: tuple[Verdict, ...]
    """The broken verdicts on promised properties."""
    scenario: Scenario | None = None
    """The scenario that was played; None if it cannot be made smaller."""
    met: frozenset[str] | None = None
    """The properties that hold or are broken in this try; None if the try judges only one property."""


Search = Callable[[int], Find]
"""A function that tries the scenario of a seed, and does not know which mutant is planted."""
CLIENT_OPERATIONS = 30
"""Runs have few operations: most bugs need a few writes and one fault, and many short runs find more than a few long
ones."""
ARRANGING = ClientOperation("register", OperationKind.READ, "register-0")


def search_drawn(*faults: str, **options: Any) -> Search:
    """Return the search that simulates and judges short scenarios, which seeds draw with some faults and options."""
    drawn = replace(DrawOptions(client_operations=CLIENT_OPERATIONS, jobs=False, faults=faults or None), **options)
    return lambda seed: try_scenario(draw_scenario(seed, drawn))


def try_scenario(scenario: Scenario) -> Find:
    """Play a scenario and return its result: the verdicts on the grid at rest, on the histories, and on each step."""
    run = judge_scenario(scenario, refined=True)
    return Find(run.broken, scenario, met_in(run.verdicts))


def met_in(verdicts: Iterable[Verdict]) -> frozenset[str]:
    """Return the properties whose verdicts are not unknown."""
    return frozenset(verdict.property for verdict in verdicts if verdict.result is not Result.UNKNOWN)


def found_broken(name: str, sentence: str) -> tuple[Verdict, ...]:
    """Return a verdict which says that a property is broken."""
    return (Verdict(name, Result.BROKEN, sentence, (sentence,)),)


def scripted(
    client_operations: Sequence[ClientOperation],
    *fault_events: FaultEvent,
    later: Sequence[ClientOperation] = (),
    interposers: Sequence[Interposer] = (),
    **grid: Any,
) -> Witness:
    """Return a fixed story as a witness; `grid` has further fields of its scenario, whose times are short by default.

    A read comes first, so that the table is arranged and known to all members before anything else happens. The
    operations in `later` begin when the grid is at rest.
    """
    last = (Script(tuple(later)),) if later else ()
    scripts = (Script((ARRANGING,)), Script(tuple(client_operations), fault_events), *last)
    quick = Scenario(0, properties=QUICK, workload="mixed", scripts=scripts)
    return played(replace(quick, **grid), interposers)


def played(scenario: Scenario, interposers: Sequence[Interposer] = ()) -> Witness:
    """Return a witness that plays a whole scenario."""

    def play() -> Sequence[Verdict]:
        with interposing(interposers):
            return try_scenario(scenario).broken

    return play


def writes(number: int, pause_ms: int = 20, keys: int = 4, clients: int = 1) -> list[ClientOperation]:
    """Return this many writes, which clients make by turns to a few entries of a map."""
    return [
        ClientOperation(
            "register", OperationKind.WRITE, f"register-{place % keys}", f"v{place}", place % clients, pause_ms
        )
        for place in range(number)
    ]


search_campaign = search_drawn(jobs=True)


Plant = Callable[[], AbstractContextManager[object]]
"""A function that plants a mutant until the block ends; it must not be used in two threads at the same time."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutant: a version of the reference in which one rule is replaced."""

    name: str
    rule: str
    """One sentence that says what the mutant does instead."""
    source: str
    """The real defect that the mutant stands for, or the rule that it breaks."""
    breaks: tuple[str, ...]
    """The names of the properties that notice the mutant."""
    plant: Plant


def replacing(owner: object, rule: str, instead: object) -> Plant:
    """Return a plant that replaces a rule, which is an attribute of a class or module, by another rule."""
    return lambda: patch.object(owner, rule, instead)


def leaving_out(owner: object, rule: str) -> Plant:
    """Return a plant by which a rule does nothing."""
    return replacing(owner, rule, lambda *_, **__: None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberMutant(Mutant):
    """A mutant of the members; `breaks` names the properties that its witness breaks."""

    number: str
    """The number that the mutant has in docs/zoo.md."""
    defect_class: str
    """The class of defect that the mutant belongs to (docs/defects.md, Classes)."""
    search: Search = search_campaign
    witness: Witness | None = None
    """The witness; None if no story is known in which the mutant does harm: it may be no bug, and counts in no
    score."""
    guard: str = ""
    """What, as far as is known, keeps the mutant from doing harm in a whole grid; empty if nothing does."""
    quick: bool = False
    """Whether the mutant is found within a second or two; then a quick run of the zoo includes it."""

    @property
    def is_proved(self) -> bool:
        """Whether the mutant has a witness."""
        return self.witness is not None


@dataclass(frozen=True, slots=True)
class Bug:
    """What a catalogue says first of a mutant of the members; `by` adds what the mutant does, and so makes it."""

    number: str
    name: str
    defect_class: str
    source: str
    breaks: tuple[str, ...]

    def by(
        self,
        rule: str,
        plant: Plant,
        witness: Witness | None = None,
        search: Search = search_campaign,
        *,
        guard: str = "",
        quick: bool = False,
    ) -> MemberMutant:
        """Return the mutant that does this instead."""
        return MemberMutant(
            self.name,
            rule,
            self.source,
            self.breaks,
            plant,
            number=self.number,
            defect_class=self.defect_class,
            search=search,
            witness=witness,
            guard=guard,
            quick=quick,
        )
