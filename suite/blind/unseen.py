"""Searches for mutants that, as an explanation of each says, no judged run notices.

An explanation is based on a search without a result: a number of runs were drawn, some of them reached the changed
place, and all judges judged these. Each search that has ended is recorded, with its date, in `searched.json`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import inf
from pathlib import Path

from gridproof_model.whole_file import write_whole
from suite.blind.attack import Attack, Fate, records_of_reference
from suite.blind.mutations import FAULTS, UNSEEN, BlindMutant
from suite.blind.search import BlindSearch, every_mutant
from suite.reach.measure import VARIED, Progress, measure
from suite.reach.survey import Survey

FILE = Path(__file__).with_name("searched.json")
RUNS = 2_000
RUNS_OF_FAULTS = 400
"""How many runs are drawn if the reason names the faults that are needed to notice the mutant."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A finished search for a single mutant."""

    faults: str
    """The kinds of faults that the runs draw from; empty for varied runs."""
    runs: int
    """The number of runs that were drawn."""
    reached: int
    """How many of these runs execute the changed place; they are judged, unless their records are the reference's."""
    on: str
    """The date of the search, in UTC."""
    found: str = ""
    """The property that noticed the mutant, which refutes the explanation; empty if no property did."""


def searches_written() -> Mapping[str, Searched]:
    """Return the recorded searches, by the ids of the mutants searched for."""
    return {name: Searched(**fields) for name, fields in json.loads(FILE.read_text(encoding="utf-8")).items()}


def is_explained(mutant: BlindMutant, written: Mapping[str, Searched]) -> bool:
    """Return whether there is a reason why a mutant survives, and also a search that supports the reason."""
    return mutant.key in UNSEEN and mutant.id in written and not written[mutant.id].found


def explained_mutants() -> Sequence[BlindMutant]:
    """Return the mutants for which a reason says why no run notices them."""
    return [one for one in every_mutant() if one.key in UNSEEN]


def faults_named(mutant: BlindMutant) -> str:
    """Return the kinds of faults that the reason for a mutant names; empty if it names none."""
    return FAULTS.get(mutant.key, "")


def search_unseen(
    surveyed: Survey, mutants: Sequence[BlindMutant], progress: Progress
) -> Iterator[tuple[Attack, Searched]]:
    """Search for each mutant, and record the result; mutants with the same faults together, those in varied runs
    last."""
    for named in sorted({faults_named(one) for one in mutants}, key=lambda named: (not named, named)):
        meant = [one for one in mutants if faults_named(one) == named]
        faults, runs = tuple(filter(None, named.split(","))), RUNS_OF_FAULTS if named else RUNS
        reach = measure(range(runs), 1, progress, play=VARIED, words=faults)
        search = BlindSearch(surveyed, reach, inf, faults, records_of_reference(range(runs), faults))
        for one in meant:
            attack = search.attack(one)
            found = f"{attack.killed_by}, seed {attack.seed}" if attack.fate is Fate.KILLED else ""
            on = datetime.now(UTC).date().isoformat()
            searched = Searched(named, runs, len(search.seeds_reaching(one)), on, found)
            written = {**searches_written(), one.id: searched}
            write_rows(FILE, {name: asdict(search) for name, search in written.items()})
            yield attack, searched


def write_rows(file: Path, rows: Mapping[str, object]) -> None:
    """Write a JSON object with one row on each line; rows are sorted by name, as they are made at different times."""
    lines = (f" {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(rows.items()))
    write_whole(file, "{\n" + ",\n".join(lines) + "\n}\n")
