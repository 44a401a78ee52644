"""How often faults struck, which means that they had an effect, and why other faults had none.

If a requested fault struck no member, a property that holds in the run was not tested under this fault. Simulated and
live runs are counted in the same way: each fault event of a scenario counts once, when it is over.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

FaultCounts = Counter[tuple[str, str]]
"""Counts of fault events, by the fault's name and the reason why they struck no member; empty if they struck any."""

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
"""What a user can do so that a fault is drawn."""


def missed_faults(counts: FaultCounts, asked: Collection[str]) -> Mapping[str, str]:
    """Return the requested faults that struck no member, each with the most frequent reason for that.

    For a fault that is in no scenario, `asked` may map its name to what a user can do so that it is drawn. If `asked`
    is not a mapping, no advice is added: a command that only reads a trace draws no faults.
    """
    bring = asked if isinstance(asked, Mapping) else dict.fromkeys(asked, "")
    return {name: _why(counts, name, bring[name]) for name in asked if not counts[name, ""]}


def missed_sentence(name: str, why: str) -> str:
    """Return the sentence about a requested fault that struck no member."""
    return f"{name} was asked for and struck nobody: {why}"


def struck_line(counts: FaultCounts) -> str:
    """Return one line that says how often each fault struck; empty if there was no fault."""
    found = _by_fault(counts)
    said = [f"{name} {of['']} of {sum(of.values())}" for name, of in sorted(found.items())]
    return f"struck  {', '.join(said)}" if said else ""


def faults_object(counts: FaultCounts, asked: Iterable[str] = ()) -> Mapping[str, Mapping[str, object]]:
    """Return what `--json` says about each fault: how often it was planned and struck, and why it struck no member."""
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
