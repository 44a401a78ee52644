"""Traces in both formats, as DataFrames.

Parquet columns are read as they are. Spark parses lines of JSON; before that, it checks the whole file for lines that
are no records. A file with a malformed line is read by the plain reader, whose error names the line and the cure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from urllib.parse import unquote, urlparse

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from gridproof_implementation.trace import TraceError, TraceFile, TraceFormat
from gridproof_implementation.trace.json_lines import FIRST
from gridproof_implementation.trace.schema import FIELDS, INTEGER_MAX, Field, Shape
from gridproof_model.trace import FORMAT_VERSION
from gridproof_reports.pipeline.case import POSITION

SOURCE = "source"
"""The column of run heads that has the path of the trace, as a file URL."""
_CORRUPT = "corrupt"
_SPLIT_BITS = 20
"""The parts of a file that are read separately begin at least 2 to the power of this number of bytes apart."""
_ROW_BITS = 33
"""The number of low bits that Spark uses to number the rows of a part."""


SMALL = ("run", "member", "view", "verdict")
"""The kinds of records that the driver keeps completely."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The records of some traces: for each kind, a DataFrame with its fields and `position`; for heads, also `source`.

    For `SMALL` kinds there are only the records of JSON traces: the driver reads their Parquet files itself.
    """

    kinds: Mapping[str, DataFrame]
    there: frozenset[str]
    """The kinds of records that these traces may have."""
    row_lines: DataFrame | None
    """The table rows of JSON traces."""

    def __getitem__(self, kind: str) -> DataFrame:
        return self.kinds[kind]


def read_kinds(spark: SparkSession, traces: Sequence[TraceFile]) -> Sources:
    """Return the records of all traces; if a line is malformed, raise TraceError at once."""
    parquet = [trace.path for trace in traces if trace.format is TraceFormat.PARQUET]
    lines = read_lines(spark, [trace.path for trace in traces if trace.format is TraceFormat.JSON_LINES])
    if lines is not None:
        _check_lines(lines, traces)
    kinds: dict[str, DataFrame] = {}
    there: set[str] = set()
    of_lines: dict[str, DataFrame] = {}
    for word in FIELDS:
        if lines is not None:
            of_lines[word] = _parse(lines, word).persist(StorageLevel.MEMORY_AND_DISK)
        files = [] if word in SMALL else [path / f"{word}.parquet" for path in parquet]
        present = [file for file in files if file.exists()]
        frames = [of_lines[word]] if word in of_lines else []
        if present or not frames:
            frames.append(_read_parquet(spark, word, present))
        kinds[word] = reduce(DataFrame.unionByName, frames)
        there |= {word} if present or word in of_lines else set()
    return Sources(kinds, frozenset(there), of_lines.get("row"))


def local_path(url: str) -> Path:
    """Return the path that a file URL names, as Spark writes such URLs."""
    return Path(unquote(urlparse(url).path))


def _read_parquet(spark: SparkSession, word: str, files: Sequence[Path]) -> DataFrame:
    schema = t.StructType([*schema_of(word), t.StructField(POSITION, t.LongType())])
    if not files:
        return spark.createDataFrame([], schema)
    frame = spark.read.schema(schema).parquet(*(str(file.absolute()) for file in files))
    return frame.select(*(_or_default(f.col(field.name), field).alias(field.name) for field in FIELDS[word]), POSITION)


def read_lines(spark: SparkSession, files: Sequence[Path]) -> DataFrame | None:
    """Return every line with its kind, its file and its position; None if there are no files.

    Positions rise within a file: a position consists of the beginning of the part that is read, and the row within it.
    """
    if not files:
        return None
    text = spark.read.text([str(file.absolute()) for file in files])
    block = f.shiftleft(f.shiftright(f.col("_metadata.file_block_start"), _SPLIT_BITS), _ROW_BITS)
    row = f.monotonically_increasing_id().bitwiseAND((1 << _ROW_BITS) - 1)
    kind = f.regexp_extract("value", rf'^\s*\{{\s*"{FIRST}"\s*:\s*"([a-z]+)"', 1)
    return text.select(
        f.col("value").alias("line"),
        kind.alias("kind"),
        f.col("_metadata.file_path").alias(SOURCE),
        (block + row).alias(POSITION),
    )


def _parse(lines: DataFrame, word: str) -> DataFrame:
    parsed = lines.where(f.col("kind") == word).select(
        f.from_json("line", json_schema_of(word)).alias("record"), POSITION, SOURCE
    )
    columns = [_column(field) for field in FIELDS[word]]
    return parsed.select(*columns, POSITION, *([SOURCE] if word == "run" else []))


def _column(field: Field) -> Column:
    value = f.col(f"record.{field.name}")
    if field.shape is Shape.BYTES:
        value = f.unhex(value)
    return _or_default(value, field).alias(field.name)


def _or_default(value: Column, field: Field) -> Column:
    """Return a value, or the default if the field was left out, as in a trace that is older than the field."""
    if field.required or field.default is None:
        return value
    default = f.array(*map(f.lit, field.default)) if isinstance(field.default, tuple) else f.lit(field.default)
    return f.coalesce(value, default.cast(COLUMN_TYPES[field.shape]))


def _check_lines(lines: DataFrame, traces: Sequence[TraceFile]) -> None:
    """Raise TraceError, with the message of the plain reader, if there is a line that is no record."""
    wrong = malformed(lines)
    for trace in traces:
        if trace.path.absolute() in wrong:
            for _ in trace.records():
                pass
            raise TraceError(f"{trace.path}: Spark cannot read every line of the trace; see docs/trace-format.md")


def malformed(lines: DataFrame) -> set[Path]:
    """Return the traces that have a line that is no record."""
    is_record = reduce(
        lambda rest, word: f.when(f.col("kind") == word, _is_record(word)).otherwise(rest), FIELDS, f.lit(False)
    )
    suspects = lines.where(~f.coalesce(is_record, f.lit(False))).select(SOURCE).distinct().collect()
    return {local_path(row[SOURCE]) for row in suspects}


def _is_record(word: str) -> Column:
    """Return whether a line is a complete record of its kind: no field is missing, unknown or of another type."""
    schema = t.StructType([*json_schema_of(word), t.StructField(_CORRUPT, t.StringType())])
    record = f.from_json("line", schema, {"columnNameOfCorruptRecord": _CORRUPT})
    # The parsed line is bound to a lambda's variable: otherwise Spark would parse it again for each use of a column.
    parsed = f.array(f.struct(record.alias("record"), f.json_object_keys("line").alias("keys")))
    return f.exists(parsed, lambda once: _is_whole(word, once["record"], once["keys"]))


def _is_whole(word: str, record: Column, keys: Column) -> Column:
    names = f.array(f.lit(FIRST), *(f.lit(field.name) for field in FIELDS[word]))
    checks = [record[_CORRUPT].isNull(), f.size(f.array_except(keys, names)) == 0]
    checks.append(f.size(keys) == f.size(f.array_distinct(keys)))
    checks += [_fits(field, record[field.name]) for field in FIELDS[word]]
    if word == "event":  # the reader of its events checks the content of the object
        checks.append(f.col("line").rlike(r'"fields"\s*:\s*\{'))
    if word == "run":
        checks.append(f.coalesce(record["format_version"], f.lit(FORMAT_VERSION)) == FORMAT_VERSION)
    return reduce(Column.__and__, (f.coalesce(check, f.lit(False)) for check in checks))


def _fits(field: Field, value: Column) -> Column:
    may_be_null = field.optional or not field.required
    fits = value.isNotNull()
    if field.choices is not None:
        fits = value.isin(list(field.choices))
    elif field.shape is Shape.BYTES:
        fits = f.unhex(value).isNotNull()
    elif field.shape in (Shape.MEMBERS, Shape.SLOTS):
        fits = value.isNotNull() & (f.coalesce(f.array_min(value), f.lit(0)) >= 0)
    if field.least is not None:
        fits = fits & (value >= field.least)
    if field.most < INTEGER_MAX:
        fits = fits & (value <= field.most)
    if field.shape in (Shape.MEMBERS, Shape.TEXTS):
        fits = fits & (f.size(f.array_compact(value)) == f.size(value))
    return value.isNull() | fits if may_be_null else fits


COLUMN_TYPES: Mapping[Shape, t.DataType] = {
    Shape.TEXT: t.StringType(),
    Shape.CHOICE: t.StringType(),
    Shape.INTEGER: t.LongType(),
    Shape.NUMBER: t.DoubleType(),
    Shape.TRUTH: t.BooleanType(),
    Shape.BYTES: t.BinaryType(),
    Shape.MEMBERS: t.ArrayType(t.IntegerType(), containsNull=False),
    Shape.SLOTS: t.ArrayType(t.IntegerType(), containsNull=True),
    Shape.TEXTS: t.ArrayType(t.StringType(), containsNull=False),
    Shape.MEMBER: t.LongType(),
    Shape.NUMBERS: t.ArrayType(t.LongType(), containsNull=False),
    Shape.EVENT: t.StringType(),
}
"""The Spark type for each shape of a field. The fields of an event are one JSON text; the plain reader parses the lists
of pairs in it."""


def schema_of(word: str) -> t.StructType:
    """Return the Spark schema of one kind of record; every column may be null, and readers check that."""
    return t.StructType([t.StructField(f.name, COLUMN_TYPES[f.shape]) for f in FIELDS[word]])


def json_schema_of(word: str) -> t.StructType:
    """Return the schema of one kind of record in a JSON line, where bytes are hexadecimal text."""
    types = {**COLUMN_TYPES, Shape.BYTES: t.StringType()}
    return t.StructType([t.StructField(f.name, types[f.shape]) for f in FIELDS[word]])
