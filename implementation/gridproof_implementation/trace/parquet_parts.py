"""Which files a Parquet trace is made of, and whether what they say of themselves can be read.

A kind of record is one file, as gridproof writes it, or a folder of parts, as Spark, Dask, DuckDB and Polars write it;
a column may then stand in the names of folders (`row.parquet/run=reference-7/part-0.parquet`). A few bytes of Parquet
may unpack to more than any machine holds, so a file is refused by what its footer says, before anything is unpacked.
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

from gridproof_implementation.trace.parquet_footer import Group, NoFooterError, read_groups
from gridproof_implementation.trace.schema import TraceError, shorten
from gridproof_model.trace import RECORD_KINDS

SUFFIX = ".parquet"
CHUNK_BYTES_MAX = 512 * 2**20
"""One column of a row group, unpacked: gridproof writes at most a hundredth of it."""
CHUNK_VALUES_MAX = 2**26
"""Values in it, those in lists counted one by one."""
BYTES_A_BYTE_MAX, ROWS_A_BYTE_MAX = 2_000, 200
"""Bytes unpacked, and records, for each byte of a file, where it is no smaller than `SMALL_FILE_BYTES`."""
SMALL_FILE_BYTES = 64 * 1024
_NULL = "__HIVE_DEFAULT_PARTITION__"
"""What Hive, and whoever names folders as it does, writes for null."""


def parts_of(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each kind there is; TraceError where something in the folder is of no kind."""
    found: dict[str, list[Path]] = {}
    for place in sorted(folder.iterdir()):
        word = place.name.removesuffix(SUFFIX)
        if _is_hidden(place.name) or (place.is_file() and word == place.name):
            continue
        if word not in RECORD_KINDS or word == place.name:
            raise TraceError(
                f"{place}: no kind of record is called so; a trace has {', '.join(RECORD_KINDS)}, each as {SUFFIX}"
            )
        found[word] = _parts_in(place) if place.is_dir() else [place]
    return {word: found[word] for word in RECORD_KINDS if word in found}


def _parts_in(place: Path) -> list[Path]:
    inside = [one for one in sorted(place.rglob("*")) if not any(map(_is_hidden, one.relative_to(place).parts))]
    parts = [one for one in inside if one.is_file()]
    strange = next((one for one in parts if one.suffix != SUFFIX), None)
    if strange is not None:
        raise TraceError(f"{strange}: the parts of a kind end in {SUFFIX}; rename or remove it")
    if not parts:
        raise TraceError(f"{place}: a folder without any part; write the records there, or remove the folder")
    return parts


def _is_hidden(name: str) -> bool:
    """Whether a name is one of those that every reader of such folders passes over: `_SUCCESS`, `.part-0.crc`."""
    return name.startswith(("_", "."))


def given_by_folders(path: Path) -> Mapping[str, str | None]:
    """Return the columns that stand in the names of a part's folders, as texts."""
    pairs = [name.partition("=") for name in path.parent.parts if "=" in name]
    return {unquote(name): None if text == _NULL else unquote(text) for name, _, text in pairs}


def check_size(path: Path) -> tuple[Group, ...]:
    """Return the row groups of a file; TraceError where it unpacks to more than a trace can hold, or is no Parquet."""
    try:
        groups = read_groups(path)
    except NoFooterError as error:
        raise TraceError(f"{path}: not a whole Parquet file ({error}); record the run again") from None
    for chunk in (chunk for group in groups for chunk in group.chunks):
        for count, most, what in (
            (chunk.unpacked_bytes, CHUNK_BYTES_MAX, "unpacks to {:,} bytes"),
            (chunk.values, CHUNK_VALUES_MAX, "has {:,} values"),
        ):
            if not 0 <= count <= most:
                raise TraceError(
                    f"{path}: column {shorten(chunk.name)} {what.format(count)} in one row group, "
                    f"the most is {most:,}; write smaller row groups"
                )
    length = max(SMALL_FILE_BYTES, path.stat().st_size)
    unpacked = sum(chunk.unpacked_bytes for group in groups for chunk in group.chunks)
    for count, most, what in (
        (sum(group.rows for group in groups), ROWS_A_BYTE_MAX, f"rows, {ROWS_A_BYTE_MAX:,} for each of its own bytes"),
        (unpacked, BYTES_A_BYTE_MAX, f"bytes, {BYTES_A_BYTE_MAX:,} for each of its own"),
    ):
        if count > most * length:
            raise TraceError(f"{path}: unpacks to {count:,} {what} at most; record the run again")
    return groups
