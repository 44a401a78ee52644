"""One try of a search, judged at every step.

A campaign judges what clients and rests show; a trial reads every step of the protocol too, which takes a little longer
and sees what anti-entropy repairs before anybody looks.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gridproof_implementation.simulator.draw import QUICK, Wishes, draw_scenario
from gridproof_implementation.simulator.scenario import Errand, Scenario, Script, Strike
from gridproof_model.trace import EventRecord, OperationKind, Record
from gridproof_properties.campaign import judge_scenario
from gridproof_properties.circumstances import Event, Witness
from gridproof_properties.judge import Panel, Property
from gridproof_properties.meddling import Meddling, meddling
from gridproof_properties.simulated import copies, holds, steps
from gridproof_properties.simulated.steps import ONE_OUTCOME, ROWS_NEVER_DIVERGE
from gridproof_properties.specimen import Find
from gridproof_properties.specimen import Witness as Story
from gridproof_properties.verdict import PromiseLevel, Result, Verdict

WISHES = Wishes(errands=30)
"""Short runs: most bugs need a few writes and one fault, and many worlds find more than long ones."""

STEPS: tuple[Property, ...] = (*steps.PROPERTIES, *copies.PROPERTIES, *holds.PROPERTIES)
"""Judged on every record but the steps that nobody watches."""
WATCHED = steps.WATCHED | copies.WATCHED
EXCUSED = {
    ROWS_NEVER_DIVERGE.name: Event.FALSE_REMOVAL,  # of one cluster, and there were two (reference replication 11 G2)
    ONE_OUTCOME.name: Event.FALSE_REMOVAL | Event.LOSS,  # who committed may die before the master knows (4.4)
}
"""What takes the promise of a step away."""
ARRANGING = Errand("register", OperationKind.READ, "register-0")


def search_campaign(seed: int) -> Find:
    """Simulate and judge what a seed draws."""
    scenario = draw_scenario(seed, WISHES)
    return Find(broken_in(scenario), scenario)


def broken_in(scenario: Scenario) -> tuple[Verdict, ...]:
    """Return what is owed and broken in a scenario: at rest, in its histories, and at every step."""
    panel, witness = Panel(STEPS, {prop.name: PromiseLevel.PROMISED for prop in STEPS}), Witness(scenario)

    def see(record: Record) -> None:
        if not isinstance(record, EventRecord) or record.name in WATCHED:
            panel.observe(record)
        witness.observe(record)

    run = judge_scenario(scenario, see)
    known = {verdict.property for verdict in run.broken}
    return (*run.broken, *(v for v in _owed(panel.conclude(), witness.events) if v.property not in known))


def told(errands: Sequence[Errand], *strikes: Strike, meddle: Sequence[Meddling] = (), **grid: Any) -> Story:
    """Return a fixed story as a witness; `grid` has other fields of its scenario, which is quick unless told.

    A read comes first, so that the table is arranged and known to all before anything happens.
    """
    scripts = (Script((ARRANGING,)), Script(tuple(errands), strikes))
    quick = Scenario(0, properties=QUICK, workload="mixed", scripts=scripts)
    return played(replace(quick, **grid), meddle)


def played(scenario: Scenario, meddle: Sequence[Meddling] = ()) -> Story:
    """Return a whole scenario as a witness."""

    def play() -> Sequence[Verdict]:
        with meddling(meddle):
            return broken_in(scenario)

    return play


def writes(number: int, pause_ms: int = 20, keys: int = 4, clients: int = 1) -> list[Errand]:
    """Return so many writes by some clients to a few entries of a map, in turn."""
    return [
        Errand("register", OperationKind.WRITE, f"register-{place % keys}", f"v{place}", place % clients, pause_ms)
        for place in range(number)
    ]


def _owed(verdicts: Sequence[Verdict], events: Event) -> tuple[Verdict, ...]:
    """Return what is broken of the steps, and owed after what happened."""
    excused = {name for name, excuse in EXCUSED.items() if excuse & events}
    return tuple(v for v in verdicts if v.result is Result.BROKEN and v.property not in excused)
