"""What a step changed, cell by cell.

If a step changes one field of one record in an array, only this field is reported: `backup_replica[backup 1].versions`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from gridproof_model.language.structures import Array, Record, Set
from gridproof_model.language.tree import Domain
from gridproof_model.language.values import Plain, State
from gridproof_model.language.world import World


@dataclass(frozen=True, slots=True)
class Change:
    """The name of one cell and its values before and after a step, in words."""

    place: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.place}: {self.before} → {self.after}"


def changes_between(world: World, before: State, after: State) -> Iterator[Change]:
    """Yield every cell that a step changed, in the order of declaration; a set or a sequence counts as one cell."""
    domains = {variable.name: variable.domain for variable in world.variables}
    for name, value in after.items():
        yield from _changes(name, domains[name], before[name], value)


def _changes(place: str, domain: Domain[Plain], before: Plain, after: Plain) -> Iterator[Change]:
    if before == after:
        return
    match domain:
        case Set():
            yield Change(place, domain.show(before), domain.show(after))
        case Array(index=index, element=element):
            for position, (old, new) in enumerate(zip(before, after, strict=True)):
                yield from _changes(f"{place}[{index.show(position)}]", element, old, new)
        case Record(fields=fields):
            for (name, inner), old, new in zip(fields, before, after, strict=True):
                yield from _changes(f"{place}.{name}", inner, old, new)
        case _:
            yield Change(place, domain.show(before), domain.show(after))
