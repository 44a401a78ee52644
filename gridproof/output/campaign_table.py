"""Tables of the results of many runs."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console

from gridproof.output.console import FOLDED, NUMBER, WHOLE, add_rows, new_table
from gridproof_model.events.fault_counts import FaultCounts, faults_object, missed_faults, missed_sentence, struck_line
from gridproof_properties.campaign.tally import Tally
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.by_proof import Share
from gridproof_properties.judging.verdict import Standing, Weakness
from gridproof_properties.judging.words import count
from gridproof_properties.judging.work import NO_CHANGE

UNSEEN_SHOWN = 6
MORE_RUNS, ANOTHER_SCENARIO = (
    "More runs compare more",
    "Another scenario, or this one with more --times, may compare more",
)
THE_SAME_AGAIN = "This run is the same each time: `gridproof simulate` compares more with more seeds"
"""What a user can do if a promise was compared in no run."""


def print_faults(console: Console, counts: FaultCounts, asked: Mapping[str, str]) -> None:
    """Print which requested faults affected no member, and why; then how often each fault affected a member."""
    for name, why in missed_faults(counts, asked).items():
        console.print(missed_sentence(name, why), soft_wrap=True)
    if line := struck_line(counts):
        console.print(line, soft_wrap=True)


_KEYS = {standing: standing.value.replace(" ", "_") for standing in Standing}
"""The name that each standing has in `--json`."""


def print_tally(console: Console, tally: Tally, title: str, asked: Mapping[str, str]) -> None:
    """Print all results of the runs except failures: faults, properties, weaknesses, and what follows by proof."""
    print_faults(console, tally.faults, asked)
    if tally.is_idle:
        console.print(NO_CHANGE, soft_wrap=True)
    print_standings(console, tally, title)
    print_weaknesses(console, tally.weaknesses)
    print_by_proof(console, tally)


def print_standings(console: Console, tally: Tally, title: str) -> None:
    """Print for each property in how many runs it held, was broken or was unknown, and the number of comparisons."""
    table = new_table(title, {"property": WHOLE})
    known = standings(tally)
    headings = [one for one in Standing if one is not Standing.NOT_HELD or any(c[_KEYS[one]] for c in known.values())]
    for heading in (*headings, "compared"):
        table.add_column(heading, justify="right")
    keys = (*(_KEYS[one] for one in headings), "compared")
    counted = [[f"{counts[key]:,}" if counts[key] else "" for counts in known.values()] for key in keys]
    add_rows(table, [list(known), *counted])
    console.print(table)


def print_by_proof(console: Console, tally: Tally) -> None:
    """Print for each specification how many claims follow by proof, and for how many runs; `--json` has each claim."""
    shares = _shares(tally)
    for name in dict.fromkeys(name for name, _ in shares):
        of_claims = [runs for (specification, _), runs in shares.items() if specification == name]
        held = of_claims[0].total()
        whole = sum(runs[Share.CONCLUDED] == held for runs in of_claims)
        near = sum(0 < runs[Share.CONCLUDED] + runs[Share.BUT_FOR_SIZE] == held for runs in of_claims) - whole
        follows = f"by proof {whole:,} of {count(len(of_claims), 'claim')} hold however they are explained"
        line = f"{name}: {held:,} of {count(tally.runs, 'run')} validated; {follows}, {near:,} more but for their size"
        console.print(line, soft_wrap=True)


def _shares(tally: Tally) -> Mapping[tuple[str, str], Counter[Share]]:
    """Return for each specification and claim in how many runs the claim follows by proof, and in which `Share`."""
    found: dict[tuple[str, str], Counter[Share]] = {}
    for (name, claim, share), runs in tally.by_proof.items():
        found.setdefault((name, claim), Counter())[share] += runs
    return found


def print_weaknesses(console: Console, found: Mapping[Weakness, tuple[int, int]]) -> None:
    """Print how often each weakness that the documents admit could have shown, and how often it did."""
    failed_ones = sorted(((key, counts) for key, counts in found.items() if counts[1]), key=lambda one: one[0])
    if not failed_ones:
        return
    columns = {"property": FOLDED, "failed": NUMBER, "of": NUMBER, "because": FOLDED, "source": FOLDED}
    table = new_table("what the documents admit, counted", columns)
    for (name, cause, source), (compared, failed) in failed_ones:
        table.add_row(name, f"{failed:,}", f"{compared:,}", cause, source)
    console.print(table)


def unseen_line(unseen: Sequence[str], runs: int, at_least: int, cure: str = MORE_RUNS) -> str:
    """Return one line about the promised properties that were met in too few runs, with the cure."""
    more = len(unseen) - UNSEEN_SHOWN
    others = f" and {count(more, 'other')}, which --json names" if more > 0 else ""
    names = ", ".join(unseen[:UNSEEN_SHOWN]) + others
    floor = "no run" if at_least == 1 else f"fewer than {at_least:,} runs"
    return (
        f"{count(len(unseen), 'promised property', 'promised properties')} held in {floor} of {runs:,}, "
        f"so nothing is known of {'it' if len(unseen) == 1 else 'them'}: {names}. "
        f"{cure}; --at-least 0 asks for none"
    )


def tally_object(tally: Tally, unseen: Sequence[str], asked: Mapping[str, str]) -> dict[str, object]:
    """Return what `--json` prints about several runs, simulated or live."""
    return {
        "faults": faults_object(tally.faults, asked),
        "missed_faults": dict(missed_faults(tally.faults, asked)),
        "properties": standings(tally),
        "admitted": weaknesses(tally),
        "unseen": list(unseen),
        "blind": tally.blind,
        "idle": tally.idle,
        "by_proof": [
            {"specification": name, "claim": claim, **{share.replace(" ", "_"): runs[share] for share in Share}}
            for (name, claim), runs in _shares(tally).items()
        ],
    }


def standings(tally: Tally) -> Mapping[str, Mapping[str, int]]:
    """Return, for each property, the number of runs by its standing in them, and the number of comparisons in scope."""
    return {
        prop.name: {
            **{key: tally.standings[prop.name, standing] for standing, key in _KEYS.items()},
            "compared": tally.compared[prop.name],
        }
        for prop in CATALOGUE
    }


def weaknesses(tally: Tally) -> Sequence[Mapping[str, object]]:
    """Return the comparisons that were out of scope, by property, cause and source."""
    return [
        {"property": name, "cause": cause, "source": source, "compared": compared, "failed": failed}
        for (name, cause, source), (compared, failed) in sorted(tally.weaknesses.items())
    ]
