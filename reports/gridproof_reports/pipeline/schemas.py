"""The records of a trace as Spark columns.

The columns are taken from the record classes; nothing is declared a second time here.
"""

from collections.abc import Mapping

from pyspark.sql import types as t

from gridproof_implementation.trace.schema import EVENT_FIELDS, FIELDS, Field, Shape
from gridproof_model.events.trace_event import TraceEvent

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
"""An event's fields are a text of JSON, in a line as in a column. What pairs hold, Spark leaves to the plain reader."""


def schema_of(word: str) -> t.StructType:
    """Return the Spark schema of one kind of record; every column may be null, whoever reads checks."""
    return t.StructType([t.StructField(f.name, COLUMN_TYPES[f.shape]) for f in FIELDS[word]])


def event_schema_of(kind: type[TraceEvent]) -> t.StructType:
    """Return the schema of the fields of one type of event, for `from_json`; KeyError where it holds lists of pairs."""
    return t.StructType([t.StructField(field.name, COLUMN_TYPES[field.shape]) for field in EVENT_FIELDS[kind]])


def json_schema_of(word: str) -> t.StructType:
    """Return the schema of one kind of record as a JSON line holds it: bytes are hexadecimal text there."""
    return t.StructType([t.StructField(f.name, _json_type(f)) for f in FIELDS[word]])


def _json_type(field: Field) -> t.DataType:
    return t.StringType() if field.shape is Shape.BYTES else COLUMN_TYPES[field.shape]
