"""How often faults struck, and why they struck nobody.

A fault that was asked for and struck nobody is no test of anything: what is green then was never tried. Simulated and
live runs count alike: each fault event of a scenario once, when it is over.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

FaultCounts = Counter[tuple[str, str]]
"""Fault events, by the name of their fault and why they struck nobody; the reason is empty where one struck."""

AFTER_THE_WORK = "it came after the clients' work had ended"
RUN_STOPPED = "its run had stopped before"
NOBODY_THERE = "nobody ran at its address"
IT_TAKES_TWO = "it takes two members that run, and there was one"
IT_TAKES_THREE = "it takes three members that run, and there were fewer"
NO_SUCH_MESSAGE = "none of the messages that it changes was sent"
ROOM_TAKEN = "somebody ran at its address"
NOBODY_BEYOND = "nobody ran beyond the members that it names"
NOTHING_TO_DO = "there was nothing that it could do"
NOT_IN_A_SCENARIO = "it is in the scenario of no run"
MORE_SEEDS, ANOTHER_SEED = "more seeds draw more", "another seed draws others"
NOTHING_DRAWS = "nothing draws faults where a file is played; write one into its `fault_events`"
"""What brings a fault that was not drawn."""


def missed_faults(counts: FaultCounts, asked: Collection[str]) -> Mapping[str, str]:
    """Return those of the faults asked for that struck nobody, each with the reason that there was most often.

    What is in no scenario comes with what brings it, as `asked` maps the fault to it. Where it is no mapping nothing is
    said of that: whoever reads a trace can draw nothing.
    """
    bring = asked if isinstance(asked, Mapping) else dict.fromkeys(asked, "")
    return {name: _why(counts, name, bring[name]) for name in asked if not counts[name, ""]}


def missed_sentence(name: str, why: str) -> str:
    """Return what is said of a fault that struck nobody."""
    return f"{name} was asked for and struck nobody: {why}"


def struck_line(counts: FaultCounts) -> str:
    """Return how often each fault struck, in one line; empty where there was none."""
    found = _by_fault(counts)
    said = [f"{name} {of['']} of {sum(of.values())}" for name, of in sorted(found.items())]
    return f"struck  {', '.join(said)}" if said else ""


def faults_object(counts: FaultCounts, asked: Iterable[str] = ()) -> Mapping[str, Mapping[str, object]]:
    """Return what `--json` says of each fault: how often it was to strike, struck, and why it struck nobody."""
    found = {**{name: Counter[str]() for name in asked}, **_by_fault(counts)}
    return {
        name: {"planned": sum(of.values()), "struck": of[""], "missed": {why: n for why, n in of.items() if why}}
        for name, of in sorted(found.items())
    }


def _by_fault(counts: FaultCounts) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for (name, why), number in counts.items():
        if number:
            found.setdefault(name, Counter())[why] += number
    return found


def _why(counts: FaultCounts, name: str, brings: str) -> str:
    reasons = _by_fault(counts).get(name)
    return reasons.most_common(1)[0][0] if reasons else ": ".join(filter(None, (NOT_IN_A_SCENARIO, brings)))
