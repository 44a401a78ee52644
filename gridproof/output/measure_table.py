"""Measurements as tables, as JSON, and as files."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, isinf
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from gridproof.output.console import FOLDED, NUMBER, PLAIN, WHOLE, new_table
from gridproof.output.folders import write_files
from gridproof_model.language.rates import SECONDS
from gridproof_model.value import picked
from gridproof_properties.judging.words import count
from gridproof_properties.measuring import Estimate, Measured, Measurement, Quantity
from gridproof_properties.measuring.sweep import Sweep, Swept, Variation

if TYPE_CHECKING:
    from rich.console import Console

    from gridproof_properties.measuring.like import Likeness

COLUMNS = (
    "specification", "world", "swept", "at", "of", "quantity", "unit", "value", "relative_error", "method", "steps",
    "seconds", "states", "unknown",
)  # fmt: skip
Point = tuple[float | None, Measurement]
"""A value of the swept number (None if there is no sweep), and the measurement with that value."""


def describe(row: Measured) -> str:
    """Return a number as people read it; a time is given in the largest unit in which it is at least 1."""
    if row.estimate is None:
        return "unknown"
    value = row.estimate.value
    if row.quantity is Quantity.TIME:
        return _duration(value)
    return f"{value:.6g}{f' {row.quantity.unit}' if row.quantity.unit else ''}"


def _duration(seconds: float) -> str:
    if isinf(seconds):
        return "infinite"
    unit = max((unit for unit in SECONDS if SECONDS[unit] <= seconds), key=lambda unit: SECONDS[unit], default="us")
    return f"{seconds / SECONDS[unit]:.6g} {unit}"


def _place(sweep: Sweep, at: float | None) -> str:
    """Return a value of the swept number in the form in which people write it."""
    match sweep.kind:
        case _ if at is None:
            return ""
        case Swept.RATE:
            return f"1/{_duration(1 / at).replace(' ', '')}"
        case Swept.TIME:
            return _duration(at).replace(" ", "")
        case Swept.CONSTANT:
            return f"{at:g}"
        case _:
            assert_never(sweep.kind)


def bound(row: Measured) -> str:
    """Return in words the bound of a number's relative error."""
    if row.estimate is None or row.estimate.relative_error == 0:
        return "" if row.estimate is None else "exact"
    return f"{row.estimate.relative_error:.0e}"


def print_measurement(console: "Console", found: Measurement) -> None:
    """Print every number of a measurement with its error bound."""
    columns = {"of": FOLDED, "quantity": PLAIN, "value": NUMBER, "error at most": NUMBER, "by, or why not": FOLDED}
    table, before = new_table(found.question.world.title, columns), ""
    for row in found.rows:
        how = row.unknown if row.estimate is None else row.estimate.method
        name, before = "" if row.of == before else row.of, row.of
        table.add_row(name, row.quantity.value, describe(row), bound(row), how)
    console.print(table)
    console.print(
        f"{count(found.states, 'state')}, {found.timed_states:,} in which time passes, "
        f"{count(found.transitions, 'transition')}, "
        f"{found.seconds:.2f} s, {found.bytes / 2**20:,.0f} MiB; errors are relative"
    )
    _print_never(console, [found])


def print_likeness(console: "Console", like: "Likeness") -> None:
    """Print the values taken from a campaign's cell and why, and which parts of the cell the chain leaves out."""
    table = new_table("of the cell", {"is taken": WHOLE, "as": FOLDED, "from": FOLDED})
    for one in (*like.constants, like.time, *like.rates):
        table.add_row(one.name, one.text, one.why)
    console.print(table)
    for clause in like.unsaid:
        console.print(f"what the chain does not say: {clause}")


def like_object(like: "Likeness | None") -> dict[str, object]:
    """Return the values taken from a cell, for JSON; empty if there is no cell."""
    if like is None:
        return {}
    taken = [{"name": one.name, "value": one.text, "why": one.why} for one in (*like.constants, like.time, *like.rates)]
    return {"like": {"taken": taken, "unsaid": list(like.unsaid)}}


def _print_never(console: "Console", measured: Iterable[Measurement]) -> None:
    """Print the possible actions that were switched off; measurements with the same such actions share one line."""
    for never in dict.fromkeys(tuple(found.never.items()) for found in measured if found.never):
        actions = ", ".join(f"{name} (possible in {count(states, 'state')})" for name, states in never)
        console.print(f"by the rates given, these actions never happen: {actions}")


def print_sensitivity(console: "Console", found: Measurement, moved: Sequence[Variation]) -> None:
    """Print the numbers after each change of a rate, and the factors of the change; nothing if no rate is changed."""
    if not moved:
        return
    table = new_table("with one rate changed", {"action": FOLDED, "happens": FOLDED})
    for row in found.rows:
        table.add_column(f"{row.of}: {row.quantity.value}", justify="right", overflow="fold")
    for one in moved:
        cells = (
            f"{describe(after)}{_factor(before, after)}" for before, after in zip(found.rows, one.rows, strict=True)
        )
        table.add_row(one.action, one.change, *cells)
    console.print(table)


def _factor(before: Measured, after: Measured) -> str:
    """Return the factor by which a number has grown; empty if either number is unknown or infinite, or the first 0."""
    if before.estimate is None or after.estimate is None:
        return ""
    was, is_now = before.estimate.value, after.estimate.value
    return f" ({is_now / was:.3g} times)" if was and isfinite(was) and isfinite(is_now) else ""


def sensitivity_object(moved: Sequence[Variation]) -> dict[str, object]:
    """Return the numbers after each change of a rate, for JSON; empty if no rate is changed."""
    rows = [{"action": one.action, "happens": one.change, **_measure_object(row)} for one in moved for row in one.rows]
    return {"sensitivity": rows} if moved else {}


def print_sweep(console: "Console", sweep: Sweep, points: Sequence[Point]) -> None:
    """Print a table for each quantity, with a row for each point and a column for each claim, condition or action."""
    for quantity in dict.fromkeys(row.quantity for _, found in points for row in found.rows):
        names = list(dict.fromkeys(row.of for _, found in points for row in found.rows if row.quantity is quantity))
        table = new_table(quantity.value, {sweep.name: NUMBER})
        for name in names:
            table.add_column(name, justify="right", overflow="fold")
        for at, found in points:
            values = {row.of: describe(row) for row in found.rows if row.quantity is quantity}
            table.add_row(_place(sweep, at), *(values.get(name, "") for name in names))
        console.print(table)
    _print_never(console, (found for _, found in points))
    for reason in dict.fromkeys(row.unknown for _, found in points for row in found.rows if row.unknown):
        console.print(f"unknown: {reason}")


def as_object(found: Measurement) -> dict[str, object]:
    """Return a measurement as a JSON object; an infinite number becomes null, with a mark beside it."""
    question = found.question
    return {
        "specification": question.world.name,
        "world": question.world.title,
        "time_s": question.time_s,
        **picked(found, "states timed_states transitions"),
        "seconds": round(found.seconds, 3),
        "bytes": found.bytes,
        "never": dict(found.never),
        "measures": [_measure_object(row) for row in found.rows],
    }


def _measure_object(row: Measured) -> dict[str, object]:
    value, *rest = _numbers(row.estimate)
    is_infinite = row.estimate is not None and row.estimate.is_infinite
    return {
        **picked(row, "of quantity"),
        "unit": row.quantity.unit,
        "value": None if is_infinite else value,
        "infinite": is_infinite,
        **dict(zip(("relative_error", "method", "steps"), rest, strict=True)),
        "seconds": round(row.seconds, 3),
        "unknown": row.unknown or None,
    }


def _numbers(one: Estimate | None) -> tuple[object, object, object, object]:
    """Return the value, the relative error, the method and the steps; each is None if there is no number."""
    return (None, None, None, None) if one is None else (one.value, one.relative_error, one.method, one.steps)


def write_measures(folder: Path, sweep: Sweep | None, points: Sequence[Point]) -> list[Path]:
    """Write every number as CSV and Parquet and, for a sweep, a figure of each quantity; UsageError if that fails."""
    rows = [row for at, found in points for row in _records(sweep, at, found)]
    texts: dict[str, bytes] = {"measures.csv": _csv(rows), "measures.parquet": _parquet(rows)}
    if sweep is not None:
        # Imported here: a figure is drawn only for a sweep.
        from gridproof_reports.drawing.sweep_drawing import draw_sweep

        time_s = points[0][1].question.time_s
        texts.update(draw_sweep(sweep, points, "" if time_s is None else _duration(time_s)))
    return write_files(folder, texts)


def _records(sweep: Sweep | None, at: float | None, found: Measurement) -> Iterator[tuple[object, ...]]:
    world, swept = found.question.world, None if sweep is None else sweep.heading
    for row in found.rows:
        asked = (world.name, world.title, swept, at, row.of, row.quantity.value, row.quantity.unit)
        yield (*asked, *_numbers(row.estimate), row.seconds, found.states, row.unknown or None)


def _csv(rows: Sequence[tuple[object, ...]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return text.getvalue().encode()


def _parquet(rows: Sequence[tuple[object, ...]]) -> bytes:
    # Imported here: PyArrow is slow to load, and only a command that writes files needs it.
    import pyarrow as arrow
    from pyarrow import parquet

    kinds = {name: arrow.float64() for name in ("at", "value", "relative_error", "seconds")}
    kinds |= {name: arrow.int64() for name in ("steps", "states")}
    schema = arrow.schema([(name, kinds.get(name, arrow.string())) for name in COLUMNS])
    columns = [
        arrow.array(column, type=field.type) for column, field in zip(zip(*rows, strict=True), schema, strict=True)
    ]
    buffer = io.BytesIO()
    parquet.write_table(arrow.Table.from_arrays(columns, schema=schema), buffer)
    return buffer.getvalue()
