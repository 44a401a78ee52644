"""What a run can reach: rules, and ways through them.

A rule is a function or method, because that is what a mutant replaces. A way is one outcome of a decision in it: of a
condition, of a `match`, of a part whose error is caught; and of a loop, that there is something to go through.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Kind(StrEnum):
    """What a point stands for."""

    RULE = "rule"
    WAY = "way"
    STEP = "step"
    """A part of a rule that not every execution comes to. It says where mutants are reached, and is in no table."""


@dataclass(frozen=True, slots=True)
class Point:
    """Something that a run may execute."""

    rule: str
    """Module, classes and name, with dots between them."""
    kind: Kind
    words: str = ""
    """How the decision came out, such as "when `row.is_full`"; empty for a rule."""
    line: int = 0
    """In the text of the module; it changes with every edit, so it is no part of the name."""

    @property
    def name(self) -> str:
        """What distinguishes points of one package."""
        return f"{self.rule}: {self.words}" if self.words else self.rule

    @property
    def is_public(self) -> bool:
        """Whether others than its own class or module may ask for the rule."""
        return not self.rule.rsplit(".", 1)[-1].startswith("_")


def distinguished(points: Sequence[Point]) -> Iterator[Point]:
    """Yield the points, with a number behind the words of those that would else have the same name."""
    met: Counter[str] = Counter()
    for point in points:
        met[point.name] += 1
        count = met[point.name]
        yield point if count == 1 else replace(point, words=f"{point.words} ({count})".strip())
