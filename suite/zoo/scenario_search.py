"""One scenario of a mutation search, judged at every step.

A campaign reads the steps of the protocol in some of its runs only; a search reads them in all, which takes longer and
sees what anti-entropy repairs before anybody looks.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_model.trace import OperationKind
from gridproof_properties.campaign.scenarios import judge_scenario
from gridproof_properties.judging.verdict import Result, Verdict
from suite.zoo.interposer import Interposer, interposing

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
