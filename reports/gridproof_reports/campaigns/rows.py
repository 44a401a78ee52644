"""The runs of a campaign, as rows of Parquet files.

A row has the cell, the seed, every parameter that is set, what was broken, and each quantity: a number, or the counts
of a histogram by bucket. The rows of equal runs are equal byte by byte: they do not say when or where they were made.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet

from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_model.events.fault_counts import FaultCounts, missed_faults
from gridproof_model.user_error import UserError, message_of
from gridproof_properties.campaign.scenarios import MeasuredRun, measure_seed
from gridproof_properties.campaign.seeds import keep_out_of_collections
from gridproof_properties.judging.verdict import is_blind
from gridproof_properties.measures import QUANTITIES
from gridproof_properties.measures.quantity import Form, Histogram
from gridproof_reports.campaigns.plan import Part, Texts

_TYPES: dict[str, Any] = {
    "cell": arrow.int32(),
    "seed": arrow.int64(),
    "broken": arrow.list_(arrow.string()),
    "failed_judges": arrow.list_(arrow.string()),
    "fault_counts": arrow.map_(arrow.string(), arrow.int64()),
    "missed": arrow.list_(arrow.string()),
    "blind": arrow.bool_(),
    "inputs": arrow.int64(),
    "virtual_ms": arrow.int64(),
}
"""The columns besides parameters and quantities; parameters come after the seed, quantities at the end."""
_WHY = ": "
"""The separator between a fault and the reason why it affected no member; the reason is empty if it did affect one."""
_FORMS: dict[Form, Any] = {Form.COUNT: arrow.int64(), Form.HISTOGRAM: arrow.map_(arrow.int32(), arrow.int64())}


def column_of(parameter: str) -> str:
    """Return the column of a parameter, such as `set_sync_backups`; a quantity may have the parameter's own name."""
    return f"set_{parameter.replace('-', '_')}"


class RunFailedError(UserError):
    """Raised if a run could not be measured; the message names the run's cell and seed."""


def schema_of(parameters: Sequence[str]) -> Any:
    """Return the Arrow schema of rows with these parameters."""
    fields = [arrow.field(name, kind) for name, kind in _TYPES.items()]
    fields[2:2] = [arrow.field(column_of(name), arrow.string()) for name in parameters]
    fields += [arrow.field(quantity.name, _FORMS[quantity.form]) for quantity in QUANTITIES]
    return arrow.schema(fields)


def make_part(part: Part, cell: Texts, draw_options: DrawOptions, *, steps: bool) -> bytes:
    """Simulate, judge and measure the runs of a part, and return its Parquet file.

    Raise RunFailedError, which names the run, if a run fails.
    """
    rows = []
    for seed in range(part.first, part.last + 1):
        try:
            run = measure_seed(seed, draw_options, None if steps else False)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            failed = f"cell {part.cell}, seed {seed}: the run cannot be measured ({reason})"
            raise RunFailedError(f"{failed}; report it, with the plan") from error
        rows.append(_row(part.cell, seed, cell, run, draw_options.asked_faults))
    keep_out_of_collections()
    return file_of(rows, [name for name, _ in cell])


def file_of(rows: Sequence[dict[str, object]], parameters: Sequence[str]) -> bytes:
    """Return the bytes of a Parquet file with these rows."""
    table = arrow.Table.from_pylist(list(rows), schema=schema_of(parameters))
    buffer = BytesIO()
    parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


_SINCE = ("fault_counts", "missed", "blind")
"""Columns that older files lack; for such files their values are null."""


class RowsError(UserError):
    """Raised if the rows of a file do not fit the file's name, or if it has no rows; the message is one line."""


def read_rows(parts: Sequence[tuple[Part, Path]]) -> Any:
    """Return the rows of these parts as one Arrow table, sorted by cell and seed; RowsError if a file is damaged."""
    since = arrow.schema([arrow.field(name, _TYPES[name]) for name in _SINCE]).empty_table()
    table = arrow.concat_tables([*(_read(*part) for part in parts), since], promote_options="default")
    return table.sort_by([("cell", "ascending"), ("seed", "ascending")])


def _read(part: Part, file: Path) -> Any:
    try:
        table = parquet.read_table(arrow.BufferReader(file.read_bytes()))
        damage = next(_damage(part, table), None)
    except (OSError, arrow.ArrowException) as error:
        table, damage = None, message_of(error)
    if damage is not None:
        cure = "move the file away, and give the same `gridproof campaign` command again"
        raise RowsError(f"{file} does not hold the runs that its name states ({damage}); {cure}")
    return table


def _damage(part: Part, table: Any) -> Iterator[str]:
    """Yield sentences that say why a table cannot be the table of these runs."""
    for field in schema_of(()):
        column = table.column(field.name) if field.name in table.column_names else None
        if column is None and field.name not in _SINCE:
            yield f"{field.name} is missing"
        elif column is not None and column.type != field.type:
            yield f"{field.name} is {column.type}; it must be {field.type}"
        elif column is not None and field.name not in _SINCE and column.null_count:
            yield f"{field.name} is null in some row"
        elif column is not None and arrow.types.is_integer(field.type) and min(column.to_pylist(), default=0) < 0:
            yield f"{field.name} is below 0 in some row"
    if set(table.column("cell").to_pylist()) != {part.cell}:
        yield f"its rows are not all of cell {part.cell}"
    if sorted(table.column("seed").to_pylist()) != list(range(part.first, part.last + 1)):
        yield f"its rows are not those of seeds {part.first} to {part.last}"


def counts_of(table: Any) -> FaultCounts:
    """Return how often each fault affected a member, how often none, and for which reason, in all rows together."""
    counts = FaultCounts()
    for faults in table.column("fault_counts").to_pylist():
        for text, number in faults or ():
            name, _, why = text.partition(_WHY)
            counts[name, why] += number
    return counts


def _row(cell: int, seed: int, texts: Texts, run: MeasuredRun, asked: Sequence[str]) -> dict[str, object]:
    judged = run.judged
    return {
        "cell": cell,
        "seed": seed,
        **{column_of(name): text for name, text in texts},
        "broken": [verdict.property for verdict in judged.broken],
        "failed_judges": [verdict.property for verdict in judged.failed_judges],
        "fault_counts": sorted((f"{name}{_WHY}{why}", number) for (name, why), number in judged.end.faults.items()),
        "missed": list(missed_faults(judged.end.faults, asked)),
        "blind": is_blind(judged.verdicts),
        "inputs": judged.end.events,
        "virtual_ms": judged.end.virtual_ms,
        **{name: value.items() if isinstance(value, Histogram) else value for name, value in run.measured.items()},
    }
