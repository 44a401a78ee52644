"""`gridproof convert`: rewrite a trace of an older version."""

import argparse
from pathlib import Path

from gridproof_implementation.trace.version_1 import convert_trace
from gridproof_properties.judging.words import count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `convert`."""
    parser.add_argument(
        "old", type=Path, metavar="OLD", help="a trace of version 1: a .jsonl file or a .parquet folder"
    )
    parser.add_argument("new", type=Path, metavar="NEW", help="where to write it: a name in .jsonl or .parquet")


def run(arguments: argparse.Namespace) -> int:
    """Convert a trace; say how many records it has."""
    written = convert_trace(arguments.old, arguments.new)
    print(f"{count(written, 'record')} written to {arguments.new}")
    return 0
