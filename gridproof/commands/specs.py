"""`gridproof specs`, `show` and `export`: read the specifications."""

import argparse
import json
from pathlib import Path

from rich.table import Table

from gridproof.command import Command
from gridproof.errors import UsageError
from gridproof.folders import make_folder
from gridproof.specifications import add_constants, add_specification, chosen_specification, chosen_world
from gridproof.tables import open_console
from gridproof_model.spec import ClaimKind, Specification
from gridproof_model.spec.page import page
from gridproof_model.spec.tla import configuration, module
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.verdict import ExitStatus


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object on standard output")


def list_specifications(arguments: argparse.Namespace) -> int:
    """List every specification with its size."""
    if arguments.json:
        print(json.dumps({"specifications": [_object(one) for one in SPECIFICATIONS]}, ensure_ascii=False))
        return ExitStatus.HOLDS
    table = Table()
    table.add_column("specification", no_wrap=True)
    table.add_column("what it says", overflow="fold")
    for heading in ("variables", "actions", *ClaimKind):
        table.add_column(heading, justify="right")
    for one in SPECIFICATIONS:
        counts = [str(sum(claim.kind is kind for claim in one.claims)) for kind in ClaimKind]
        table.add_row(one.name, one.meaning, str(len(one.variables)), str(len(one.actions)), *counts)
    open_console().print(table)
    return ExitStatus.HOLDS


def show(arguments: argparse.Namespace) -> int:
    """Print a specification as a page of text."""
    print(page(chosen_specification(arguments).specification), end="")
    return ExitStatus.HOLDS


def export(arguments: argparse.Namespace) -> int:
    """Write a specification as a TLA+ module with a configuration for TLC."""
    named = chosen_specification(arguments)
    specification, world = named.specification, chosen_world(named, arguments)
    files = {
        arguments.out / f"{specification.name}.tla": module(specification),
        arguments.out / f"{specification.name}.cfg": configuration(world),
    }
    taken = next((path for path in files if path.exists()), None)
    if taken is not None:
        raise UsageError(f"{taken} exists already and is not overwritten; name another folder with --out")
    make_folder(arguments.out)
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
        print(path)
    return ExitStatus.HOLDS


def _object(one: Specification) -> dict[str, object]:
    return {
        "name": one.name,
        "meaning": one.meaning,
        "source": one.source,
        "constants": {constant.name: str(constant.default) for constant in one.constants},
        "actions": [action.name for action in one.actions],
        "claims": [{"name": claim.name, "kind": claim.kind.value, "sentence": claim.sentence} for claim in one.claims],
    }


def _add_export(parser: argparse.ArgumentParser) -> None:
    add_specification(parser)
    add_constants(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder for the module")


SPECS = Command("specs", "list the specifications", _add_json, list_specifications)
SHOW = Command("show", "print a specification as a page of text", add_specification, show)
EXPORT = Command("export", "write a specification as a TLA+ module for TLC", _add_export, export)
