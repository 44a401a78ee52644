"""`gridproof specs`: lists the specifications that gridproof comes with."""

import argparse
import json

from gridproof.output.console import FOLDED, RIGHT, WHOLE, new_table, open_console
from gridproof_model.language import ClaimKind, Specification
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_model.value import picked
from gridproof_properties.exit_status import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `specs`."""


def run(arguments: argparse.Namespace) -> int:
    """List every specification with its size."""
    if arguments.json:
        print(json.dumps({"specifications": [_object(one) for one in SPECIFICATIONS]}))
        return ExitStatus.HOLDS
    columns = {"specification": WHOLE, "what it says": FOLDED}
    table = new_table(None, columns | dict.fromkeys(("variables", "actions", *ClaimKind), RIGHT))
    for one in SPECIFICATIONS:
        counts = [str(sum(claim.kind is kind for claim in one.claims)) for kind in ClaimKind]
        table.add_row(one.name, one.meaning, str(len(one.variables)), str(len(one.actions)), *counts)
    open_console().print(table)
    return ExitStatus.HOLDS


def _object(one: Specification) -> dict[str, object]:
    return {
        **picked(one, "name meaning source"),
        "constants": {constant.name: str(constant.default) for constant in one.constants},
        "actions": [action.name for action in one.actions],
        "claims": [{"name": claim.name, "kind": claim.kind.value, "sentence": claim.sentence} for claim in one.claims],
    }
