"""All rules and ways in the packages that are measured.

The numbers of points depend only on the text of the modules, so that they mean the same in the process that measures
and in the process that reads the results.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from suite.reach.loading import find_modules
from suite.reach.probes import Kind, Point, probe_module

PROTOCOL = "gridproof_implementation.protocol"
PLACEMENT = "gridproof_implementation.placement"
PACKAGES = (PROTOCOL, PLACEMENT)
"""The packages that contain the rules which a mutant may replace."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The points of the packages, by number."""

    points: tuple[Point, ...]
    trees: Mapping[str, ast.Module]
    """The syntax trees with probes, by the full names of the modules."""
    numbers: Mapping[str, Mapping[int, int]]
    """For each module, the number of each node's point; a node is given by its index in `ast.walk` of the plain
    tree."""

    def rules(self) -> Mapping[str, tuple[int, tuple[int, ...]]]:
        """Return for each rule its own number, and the numbers of its ways."""
        own: dict[str, int] = {}
        ways: dict[str, list[int]] = {}
        for number, point in enumerate(self.points):
            if point.kind is Kind.RULE and point.rule not in own:
                own[point.rule] = number
            elif point.kind is not Kind.STEP:
                ways.setdefault(point.rule, []).append(number)
        return {rule: (number, tuple(ways.get(rule, ()))) for rule, number in own.items()}

    def package_of(self, rule: str) -> str:
        """Return the innermost package that contains a rule."""
        packages = {short_name(module).rpartition(".")[0] for module in self.trees}
        return max((one for one in packages if rule.startswith(f"{one}.")), key=len, default="")


def survey(packages: Sequence[str] = PACKAGES) -> Survey:
    """Return the points of these packages, without importing the packages."""
    points: list[Point] = []
    trees: dict[str, ast.Module] = {}
    numbers: dict[str, Mapping[int, int]] = {}
    for package in packages:
        for module, file in find_modules(package).items():
            probed = probe_module(short_name(module), file.read_text(encoding="utf-8"), len(points))
            trees[module], numbers[module] = probed.tree, probed.numbers
            points += probed.points
    return Survey(tuple(points), trees, numbers)


def short_name(module: str) -> str:
    """Return the name that pages use for a module: without the outermost package."""
    return module.removeprefix("gridproof_implementation.")
