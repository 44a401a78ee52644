"""`python -m suite killed`: the installed list of the planted bugs that each property has killed."""

import argparse
import json
from pathlib import Path

import gridproof
from gridproof.result_files import write_result
from gridproof_properties.exit_status import ExitStatus
from suite.zoo.killed import bugs_killed

FILE = Path(gridproof.__file__).with_name("killed.json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(arguments: argparse.Namespace) -> int:
    """Write the list, from which `gridproof properties` says what each has killed."""
    write_result("killed", FILE, text())
    print(f"list    {FILE}")
    return ExitStatus.HOLDS


def text() -> str:
    """Return what the file holds."""
    return json.dumps(bugs_killed(), indent=1, ensure_ascii=False) + "\n"
