"""Which modules are mutated, and which tests are to notice.

The tests of a suite are the quick ones that know its modules; what a mutant of a suite survives, the whole suite of
gridproof may still kill.
"""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
IMPLEMENTATION = ROOT / "implementation"


@dataclass(frozen=True, slots=True)
class Suite:
    """A part of the code, and its tests."""

    name: str
    folder: str
    """Below `implementation/`."""
    tests: tuple[str, ...]
    """Files and folders that know its modules."""

    def modules(self) -> dict[str, Path]:
        """Return the modules by name."""
        files = sorted((IMPLEMENTATION / self.folder).rglob("*.py"))
        return {
            ".".join(file.relative_to(IMPLEMENTATION).with_suffix("").parts): file
            for file in files
            if file.name != "__init__.py"
        }


SUITES: tuple[Suite, ...] = (
    Suite(
        "placement",
        "gridproof_implementation/placement",
        (
            "tests/implementation/test_planner.py",
            "tests/implementation/test_separating_planner.py",
            "tests/implementation/test_dealing.py",
            "tests/implementation/test_rerouting.py",
            "tests/implementation/test_placement_least.py",
            "tests/implementation/test_placement_hazelcast.py",
            "tests/implementation/test_placement_optimal.py",
            "tests/implementation/test_planner_properties.py",
        ),
    ),
    Suite("protocol", "gridproof_implementation/protocol", ("tests/implementation/protocol",)),
)
