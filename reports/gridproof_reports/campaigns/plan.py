"""The plan of a campaign: which runs the campaign has.

The plan is read from a TOML file. The parameters in `[set]` are the same for every cell; each combination of the values
in `[grid]` is one cell. A cell starts from a plain grid, unless `grid` is set.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path

from gridproof_implementation.simulator.draw_options import DrawOptions, Prescribed
from gridproof_implementation.simulator.parameters import PLAIN, ParameterError, put_parameter, set_parameters
from gridproof_model.own_modules import read_text
from gridproof_model.user_error import UserError
from gridproof_reports.campaigns.estimate_names import Until, UntilError, read_until

CELLS_MAX, RUNS_MAX, SEED_MAX = 10_000, 10_000_000, 2**62
RUNS_A_PART = 25
KEYS = ("runs", "seed", "runs-a-part", "steps", "until", "set", "grid")
Texts = tuple[tuple[str, str], ...]
"""The names of parameters, each with its value as a text."""


class PlanError(UserError, ValueError):
    """Raised if a file is no valid plan; the message is one line: what is wrong, where, and the cure."""


@dataclass(frozen=True, slots=True)
class Part:
    """Runs of one cell with consecutive seeds, which are simulated together."""

    cell: int
    first: int
    """The first seed."""
    last: int

    @property
    def runs(self) -> int:
        """The number of runs in the part."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class FollowedConfiguration:
    """A user's own configuration, which every cell of the campaign follows."""

    prescribed: Prescribed
    words: tuple[str, ...]
    """The command-line options that name the user's configuration."""
    taken: tuple[str, ...]
    passed_over: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A campaign."""

    common: Texts
    """The parameters that are the same in every cell."""
    axes: tuple[tuple[str, tuple[str, ...]], ...]
    """The parameters that differ from cell to cell, each with its values."""
    runs: int
    """The largest number of runs of each cell."""
    first_seed: int = 0
    runs_a_part: int = RUNS_A_PART
    steps: bool = True
    """Whether one of every eight runs is judged step by step, as in `gridproof simulate`."""
    until: Until | None = None
    configuration: FollowedConfiguration | None = None

    @property
    def cells(self) -> tuple[Texts, ...]:
        """The parameters that each cell sets; from one cell to the next, the value of the last axis changes first."""
        names = [name for name, _ in self.axes]
        rows = product(*(values for _, values in self.axes))
        return tuple((*self.common, *zip(names, row, strict=True)) for row in rows)

    @property
    def cell_count(self) -> int:
        """The number of cells."""
        return prod(len(values) for _, values in self.axes)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of all parameters that are set, in their order."""
        return (*(name for name, _ in self.common), *(name for name, _ in self.axes))

    def draw_options(self) -> tuple[DrawOptions, ...]:
        """Return the draw options that the parameters of each cell stand for."""
        followed = self.configuration
        begun = DrawOptions(prescribed=None if followed is None else followed.prescribed)
        return tuple(set_parameters(begun, cell) for cell in self.cells)

    def rounds(self) -> Iterator[Sequence[Part]]:
        """Yield rounds of parts, one part of each cell, so that after each round all cells have equally many runs."""
        for first in range(self.first_seed, self.first_seed + self.runs, self.runs_a_part):
            last = min(first + self.runs_a_part, self.first_seed + self.runs) - 1
            yield [Part(cell, first, last) for cell in range(self.cell_count)]


def read_plan(path: Path) -> Plan:
    """Return the plan in a file; raise PlanError, which says what is wrong and where."""
    try:
        raw = tomllib.loads(read_text(path))
    except OSError as error:
        raise PlanError(f"{path} cannot be read: {error.strerror}; name a TOML file") from None
    except (ValueError, RecursionError) as error:  # an error of the encoding, or of TOML
        raise PlanError(f"{path} is not TOML ({error}); correct the file") from None
    try:
        return _plan(raw)
    except (ParameterError, PlanError, UntilError) as error:
        raise PlanError(f"{path}: {error}") from None


def _plan(raw: Mapping[str, object]) -> Plan:
    unknown = next((key for key in raw if key not in KEYS), None)
    if unknown is not None:
        raise PlanError(f"a plan has no key {unknown!r}; there are {', '.join(KEYS)}")
    axes = _axes(_table(raw, "grid"))
    common = tuple((name, _text(name, value)) for name, value in _table(raw, "set").items())
    twice = next((name for name, _ in axes if name in dict(common)), None)
    if twice is not None:
        raise PlanError(f"{twice} is both in [set] and in [grid]; remove it from one of the two")
    if "grid" not in {name for name, _ in (*common, *axes)}:
        common = (*PLAIN, *common)
    until = raw.get("until")
    plan = Plan(
        common,
        axes,
        _whole(raw, "runs", None, RUNS_MAX),
        _whole(raw, "seed", 0, SEED_MAX, low=0),
        _whole(raw, "runs-a-part", RUNS_A_PART, 10_000),
        _switch(raw, "steps", default=True),
        None if until is None else read_until(str(until)),
    )
    if plan.cell_count > CELLS_MAX:
        raise PlanError(f"the grid has {plan.cell_count:,} cells; at most {CELLS_MAX:,} are allowed; list fewer values")
    if plan.cell_count * plan.runs > RUNS_MAX:
        many = f"{plan.cell_count:,} cells of {plan.runs:,} runs have more than {RUNS_MAX:,} runs in all"
        raise PlanError(f"{many}; plan fewer cells or runs")
    _check_cells(plan)
    return plan


def _check_cells(plan: Plan) -> None:
    for name, values in (*((name, (text,)) for name, text in plan.common), *plan.axes):
        for text in values:
            put_parameter(DrawOptions(), name, text)
    for number, cell in enumerate(plan.cells):
        try:
            set_parameters(DrawOptions(), cell)
        except ParameterError as error:
            where = ", ".join(f"{name}={text}" for name, text in cell[len(plan.common) :])
            raise PlanError(f"cell {number} ({where or 'the only one'}) has no valid parameters: {error}") from None


def _table(raw: Mapping[str, object], key: str) -> Mapping[str, object]:
    table = raw.get(key, {})
    if not isinstance(table, dict):
        raise PlanError(f"{key} must be a table; write [{key}] and one line per parameter")
    return table


def _axes(table: Mapping[str, object]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    axes = []
    for name, values in table.items():
        if not isinstance(values, list) or not values:
            raise PlanError(f"[grid] {name}: write a list of values, or write the one value in [set]")
        texts = tuple(_text(name, value) for value in values)
        if twice := next((text for text in texts if texts.count(text) > 1), ""):
            raise PlanError(f"[grid] {name}: the value {twice[:40]!r} is listed twice; list each value once")
        axes.append((name, texts))
    return tuple(axes)


def _text(name: str, value: object) -> str:
    match value:
        case bool():
            return "on" if value else "off"
        case int() | float():
            return str(value)
        case str():
            return value
        case _:
            raise PlanError(f"{name}: write a text, a number, true or false, not {type(value).__name__}")


def _whole(raw: Mapping[str, object], key: str, usual: int | None, high: int, low: int = 1) -> int:
    value = raw.get(key, usual)
    if value is None:
        raise PlanError(f"{key} is missing: write how many seeds each cell has, such as {key} = 100")
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise PlanError(f"{key} is {value!r:.40}; write a whole number from {low} to {high:,}")
    return value


def _switch(raw: Mapping[str, object], key: str, *, default: bool) -> bool:
    value = raw.get(key, default)
    if not isinstance(value, bool):
        raise PlanError(f"{key} is {value!r:.40}; write true or false")
    return value
