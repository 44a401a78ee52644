"""The tables of `docs/promises.md`: what each shipped system promises under which fault condition.

Printed from the adapters: `python -m tools.promises_page docs/promises.md` renews the page, and a house test holds it
equal.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_lowercase

from gridproof_implementation.adapter import Adapter, FaultCondition, Kind, Promise, PromiseWord
from gridproof_implementation.adapters import ADAPTERS
from gridproof_properties.catalogue import CATALOGUE

RULES = re.compile(r"^[a-z]+\.\d+(:|$|(, [a-z]+\.\d+)+)")

BEGIN = "<!-- the tables, printed from the adapters: begin -->"
END = "<!-- the tables, printed from the adapters: end -->"
CONDITIONS = tuple(FaultCondition)


def with_tables(page: str) -> str:
    """Return the page with the part between its two marks printed anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"


def tables() -> str:
    """Return a count of each system, and a section for those that say the same."""
    shipped = [adapter for adapter in ADAPTERS if not adapter.repeatable or adapter.kind is not Kind.GRID]
    alike: list[list[Adapter]] = []
    for adapter in shipped:
        same = next((one for one in alike if _says(one[0]) == _says(adapter)), None)
        if same is None:
            alike.append(same := [])
        same.append(adapter)
    return "\n".join([*_counts(shipped), "", *(line for some in alike for line in _section(some))])


def unexplained(adapter: Adapter) -> list[FaultCondition]:
    """Return the fault conditions under which something is not promised that is in the calm, and nothing says why."""
    promised = [one for one in adapter.promises.values() if one.word is PromiseWord.PROMISED]
    empty = [one for one in CONDITIONS if any(one not in promise.under for promise in promised)]
    return [one for one in empty if not adapter.elsewhere.get(one) and one is not FaultCondition.CALM]


def _says(adapter: Adapter) -> object:
    return adapter.kind, adapter.promises, adapter.elsewhere


def _counts(shipped: Sequence[Adapter]) -> Iterator[str]:
    grids = [adapter for adapter in shipped if adapter.kind is Kind.GRID]
    yield f"| how much is promised under | {' | '.join(one.short for one in CONDITIONS)} |"
    yield f"|---|{'---|' * len(CONDITIONS)}"
    for adapter in grids:
        promised = [one for one in adapter.promises.values() if one.word is PromiseWord.PROMISED]
        counts = (sum(one in promise.under for promise in promised) for one in CONDITIONS)
        yield f"| {adapter.name} | {' | '.join(map(str, counts))} |"


@dataclass(slots=True)
class _Notes:
    """What stands below a table, each once."""

    marks: Sequence[str]
    found: dict[str, str] = field(default_factory=dict)

    def mark(self, text: str) -> str:
        """Return the mark of a note."""
        return self.found.setdefault(text, self.marks[len(self.found)])


def _section(alike: Sequence[Adapter]) -> Iterator[str]:
    adapter = alike[0]
    yield f"## {', '.join(f'`{one.name}`' for one in alike)}"
    yield ""
    sources, reasons = _Notes([str(number) for number in range(1, 1_000)]), _Notes(ascii_lowercase)
    if adapter.kind is Kind.GRID:
        yield f"| property | {' | '.join(one.short for one in CONDITIONS)} |"
        yield f"|---|{'---|' * len(CONDITIONS)}"
        for name, promise in adapter.promises.items():
            cells = (_cell(promise, one, adapter.elsewhere, sources, reasons) for one in CONDITIONS)
            yield f"| `{name}`{_where(promise)} | {' | '.join(cells)} |"
    else:
        yield "No fault can strike this system, since it has no members."
        yield ""
        yield "| property | |"
        yield "|---|---|"
        for name, promise in adapter.promises.items():
            yield f"| `{name}` | {_word(promise)} {sources.mark(promise.source)} |"
    yield ""
    for text, mark in (*sources.found.items(), *reasons.found.items()):
        text = RULES.sub(lambda found: f"protocol rule{'s' * (',' in found[0])} {found[0]}", text)
        what = "source" if mark.isdecimal() else "reason"
        yield f"- {what} {mark}: {re.sub('seed: |^manual, ', 'Hazelcast manual, ', text)}"
    silent = [prop.name for prop in CATALOGUE if prop.name not in adapter.promises and prop.asked_by.is_of_systems]
    if adapter.kind is Kind.GRID and silent:
        names = ", ".join(f"`{name}`" for name in silent)
        yield f"- not promised, though live systems are judged by these properties: {names}"
    yield ""


def _cell(
    promise: Promise, under: FaultCondition, elsewhere: Mapping[FaultCondition, str], sources: _Notes, reasons: _Notes
) -> str:
    if promise.word is PromiseWord.WEAKNESS or under in promise.under:
        return f"{_word(promise)} {sources.mark(promise.source)}"
    if under is FaultCondition.CALM:
        return f"– {reasons.mark('the property is about members that come and go')}"
    return f"– {reasons.mark(elsewhere[under])}"


def _word(promise: Promise) -> str:
    return "weak" if promise.word is PromiseWord.WEAKNESS else "yes"


def _where(promise: Promise) -> str:
    return f", with {promise.least_backups} backup or more" if promise.least_backups else ""


def main(arguments: Sequence[str]) -> int:
    """Renew the pages named on the command line."""
    for name in arguments:
        page = Path(name)
        page.write_text(with_tables(page.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
