"""The page of our own ledger, and what verdicts of runs read of it.

    python -m tools.ledger_page docs/ledger.md [SPECIFICATION ...]
    python -m tools.ledger_page docs/ledger.md --of-runs

Writes the page anew, and `known.json` with it; where specifications are named, theirs only. What is said of runs
follows from `known.json` and from what runs are validated with: `--of-runs` renews that alone, and proves nothing.
"""

import argparse
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path

from gridproof_model.language import Specification
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_model.whole_file import write_whole
from gridproof_properties.claims.known import FILE, Knowledge, KnownIn, argument_of, digest, recorded
from gridproof_properties.claims.ledger import Evidence
from gridproof_properties.claims.ledger_page import HEAD, how_many_for_any_number, ledger_section
from gridproof_properties.proofs.argument import Argument
from tools.of_every_run import of_every_run

OURS = """*Of runs* says whether the proofs imply that an always-claim is true in every behaviour that explains a run
([how that is concluded](refinement.md#what-follows-by-proof)). *But for size*: the proofs would imply it, but runs are
larger than the worlds in which the claim is proved.

This page is written by `python -m tools.ledger_page docs/ledger.md`.
"""
COLUMN, UNSAID = "of runs", "–"
CONDITIONS = "Conditions of runs:"


def record(known: Iterable[tuple[Argument, Knowledge]], file: Path = FILE, kept: Collection[str] = ()) -> None:
    """Write what is known of the specifications of some arguments; what the file knows of others is kept by name."""
    before = json.loads(file.read_text("utf-8")) if kept else {}
    said = {name: before[name] for name in kept if name in before}
    for argument, knowledge in known:
        said[argument.specification.name] = {
            "text": digest(argument),
            "proved": [*map(_object, knowledge.proved)],
            "explored": [*map(_object, knowledge.explored)],
        }
    write_whole(file, json.dumps(said, indent=1, sort_keys=True) + "\n")


def _object(known: KnownIn) -> dict[str, object]:
    constants = {name: value.name if isinstance(value, Enum) else value for name, value in known.constants.items()}
    visited = {} if known.states is None else {"states": known.states}
    return {"constants": constants, **visited, "holds": sorted(known.holds)}


def our_page(sections: Mapping[str, str]) -> str:
    """Return the whole page, given the section of each specification by its name, with what is said of runs."""
    known = [(one, recorded(argument_of(one))) for one in SPECIFICATIONS]
    said = [(one, sections[one.name]) for one in SPECIFICATIONS if one.name in sections]
    return "\n".join([HEAD, OURS, *how_many_for_any_number(known), *(_beside_runs(*one) for one in said)])


def sections_of(page: str) -> dict[str, str]:
    """Return the sections of a page by the specification that each is about."""
    sections = page.split("\n## ")[1:]
    return {text.partition("\n")[0]: f"## {text.rstrip()}\n" for text in sections}


def _beside_runs(specification: Specification, section: str) -> str:
    """Return a section with the column about runs as it is today, and what its conditions mean."""
    said = of_every_run(specification)
    lines = [line for line in section.splitlines() if not line.startswith((CONDITIONS, "- where "))]
    beside, conditions = [*_rows(lines, said)], [*_meanings(specification, " ".join(said.values()))]
    if conditions:
        last = max(number for number, line in enumerate(beside) if line.startswith("| "))
        beside[last + 1 : last + 1] = ["", CONDITIONS, "", *conditions]
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*beside, ""]))


def _rows(lines: Sequence[str], said: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a section, those of its table with as many cells as there is to say."""
    for line in lines:
        if not line.startswith("|"):
            yield line
            continue
        cells = line.strip("|").split("|")[:4]
        name = cells[0].strip().removeprefix("`").partition("`: ")[0]
        match cells[0].strip():
            case "claim":
                last = f" {COLUMN} "
            case "---":
                last = "---"
            case _:
                last = f" {said.get(name, UNSAID)} "
        yield f"|{'|'.join([*cells, last] if said else cells)}|"


def _meanings(specification: Specification, said: str) -> Iterator[str]:
    """Yield what stands for each name in the conditions."""
    named = {name for text in re.findall("`([^`]*)`", said) for name in re.findall(r"\w+", text)}
    sentences = {one.name: one.meaning for one in specification.constants}
    sentences |= {one.name: one.meaning for one in specification.variables}
    sentences |= {one.name: one.sentence for one in specification.definitions}
    lines = (f"- where `{name}`: {sentence}" for name, sentence in sentences.items() if name in named)
    yield from (line.replace(": History: ", " is a history variable, read by no guard: ") for line in lines)


def main() -> None:
    """Write the page; what was interrupted is written nowhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("names", nargs="*", metavar="SPECIFICATION", choices=[[], *(s.name for s in SPECIFICATIONS)])
    parser.add_argument("--of-runs", action="store_true", help="prove nothing, and say what follows of runs")
    given = parser.parse_args()
    ours = [] if given.of_runs else [one for one in SPECIFICATIONS if one.name in given.names or not given.names]
    gathered = [Evidence.gather(argument_of(one)) for one in ours]
    if not all(evidence.is_whole for evidence in gathered):
        raise KeyboardInterrupt
    kept = sections_of(given.page.read_text("utf-8")) if given.names or given.of_runs else {}
    record(((one.argument, one.knowledge) for one in gathered), kept=kept)
    recorded.cache_clear()
    renewed = {one.argument.specification.name: ledger_section(one) for one in gathered}
    write_whole(given.page, our_page(kept | renewed))


if __name__ == "__main__":
    main()
