"""Whether `docs/trade-offs.md` says what its commands say: `python -m tools.trade_offs [SECTION ...]`.

Prints a table: the sentence or the row with the numbers as they are found now, whether the page has it to the letter,
and the command. Sections: exact, placements, mutants. The simulated campaigns are made by the commands that the page
names. The exit status is 1 where the page says something else.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping

from tools.trade_offs import exact, played
from tools.trade_offs.asked import commands, page


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.trade_offs")
    parser.add_argument("sections", nargs="*", metavar="SECTION", default=["exact", "placements", "mutants"])
    arguments = parser.parse_args()
    every: Mapping[str, Callable[[], Iterator[str]]] = {
        "exact": exact.sentences,
        "placements": played.placements,
        "mutants": played.mutants,
    }
    wrong = 0
    print("| the page | the sentence, with the numbers that are found | command |\n|---|---|---|")
    for name in arguments.sections:
        with commands() as ran:
            for sentence in every[name]():
                is_there = says(sentence)
                wrong += not is_there
                made = "<br>".join(f"`{one}`" for one in ran) or f"`python -m tools.trade_offs {name}`"
                ran.clear()
                print(
                    f"| {'has it' if is_there else 'HAS NOT'} | {sentence.replace('|', chr(92) + '|')} | {made} |",
                    flush=True,
                )
    print(f"\n{wrong} of these sentences are not on the page")
    return int(wrong > 0)


def says(sentence: str) -> bool:
    """Return whether the page has a sentence, whatever its lines are."""
    return " ".join(sentence.split()) in " ".join(page().split())


if __name__ == "__main__":
    raise SystemExit(main())
