"""Columns as other programs write them, converted to those that gridproof writes.

pandas writes whole numbers with nulls among them as doubles, Polars writes long strings and unsigned numbers, Arrow
writes dictionaries, and DuckDB writes lists of 64-bit numbers: each of these has only one meaning, and is read. Columns
that could mean something else are refused: a timestamp where a number should be, or a number where true or false should
be.
"""

from typing import Any

import pyarrow as arrow
import pyarrow.compute as compute

from gridproof_implementation.trace.schema import Field, Shape, TraceError, must_be

COLUMN_TYPES: dict[Shape, Any] = {
    Shape.TEXT: arrow.string(),
    Shape.CHOICE: arrow.string(),
    Shape.INTEGER: arrow.int64(),
    Shape.NUMBER: arrow.float64(),
    Shape.TRUTH: arrow.bool_(),
    Shape.BYTES: arrow.binary(),
    Shape.MEMBERS: arrow.list_(arrow.int32()),
    Shape.SLOTS: arrow.list_(arrow.int32()),
    Shape.TEXTS: arrow.list_(arrow.string()),
    Shape.EVENT: arrow.string(),
}
"""The column types that gridproof writes."""
WANTED = COLUMN_TYPES | dict.fromkeys((Shape.MEMBERS, Shape.SLOTS), arrow.list_(arrow.int64()))
"""The types to which foreign columns are converted, wide enough even for numbers that fields must not have."""
EXACT_MAX = 2**53
"""Above this number a double does not represent every whole number exactly."""


def can_hold(found: Any, shape: Shape) -> bool:
    """Whether a column of this type can be read as the column of a field: its values are those of the field, in another
    width or form."""
    types = arrow.types
    if types.is_null(found):
        return True
    if types.is_dictionary(found):
        return can_hold(found.value_type, shape)
    match shape:
        case Shape.INTEGER:
            return bool(types.is_integer(found) or types.is_floating(found) or _is_whole_decimal(found))
        case Shape.NUMBER:
            return bool(types.is_integer(found) or types.is_floating(found))
        case Shape.TRUTH:
            return bool(types.is_boolean(found))
        case Shape.BYTES:
            is_sized = types.is_fixed_size_binary(found) or types.is_large_binary(found)
            return bool(is_sized or types.is_binary(found) or types.is_binary_view(found))
        case Shape.MEMBERS | Shape.SLOTS:
            return _is_list(found) and can_hold(found.value_type, Shape.INTEGER)
        case Shape.TEXTS:
            return _is_list(found) and can_hold(found.value_type, Shape.TEXT)
        case _:
            return bool(types.is_string(found) or types.is_large_string(found) or types.is_string_view(found))


def _is_whole_decimal(found: Any) -> bool:
    """Whether a type has whole numbers as decimals; Spark writes unsigned numbers of 64 bits in this way."""
    return bool(arrow.types.is_decimal(found) and found.scale == 0)


def _is_list(found: Any) -> bool:
    types = arrow.types
    is_plain = types.is_list(found) or types.is_large_list(found) or types.is_fixed_size_list(found)
    return bool(is_plain or types.is_list_view(found) or types.is_large_list_view(found))


def as_wanted(column: Any, field: Field) -> Any:
    """Return a column in the type in which its field is read; TraceError names a value that does not fit, and its
    row."""
    wanted = WANTED[field.shape]
    if arrow.types.is_floating(column.type) and field.shape is Shape.INTEGER:
        # Some programs have no null in columns of numbers, and write "not a number" (NaN) instead.
        nothing = arrow.scalar(None, column.type)
        column = compute.call_function("if_else", [compute.call_function("is_nan", [column]), nothing, column])
    try:
        return _exact(column, wanted)
    except arrow.ArrowException:
        row = next(row for row in range(len(column)) if not _can_be(column.slice(row, 1), wanted))
        raise UnfitError(row, must_be(field, column[row].as_py())) from None


class UnfitError(TraceError):
    """A value that does not fit its field."""

    def __init__(self, row: int, what: str) -> None:
        super().__init__(what)
        self.row = row
        """The place of the value in the column, counted from 0."""


def _exact(column: Any, wanted: Any) -> Any:
    """Return a column converted to another type; ArrowException if that changes a value, or may change one."""
    if arrow.types.is_floating(column.type) and wanted == arrow.int64():
        most = compute.call_function("max", [compute.call_function("abs", [column])]).as_py()
        if most is not None and most > EXACT_MAX:
            raise arrow.ArrowInvalid("a double above 2^53")
    return column.cast(wanted)


def _can_be(column: Any, wanted: Any) -> bool:
    try:
        _exact(column, wanted)
    except arrow.ArrowException:
        return False
    return True
