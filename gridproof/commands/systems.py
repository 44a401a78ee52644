"""`gridproof systems`: lists the systems that can be checked, and what each of them needs."""

import argparse
import json

from gridproof.output.console import FOLDED, RIGHT, WHOLE, new_table, open_console
from gridproof_implementation.adapters import ADAPTERS
from gridproof_model.value import picked
from gridproof_properties.exit_status import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `systems`."""


def run(arguments: argparse.Namespace) -> int:
    """List every adapter without opening any of them."""
    if arguments.json:
        print(json.dumps({"systems": [_object(adapter.name) for adapter in ADAPTERS]}))
        return ExitStatus.HOLDS
    columns = {"system": WHOLE, "kind": WHOLE, "what it is": FOLDED, "promises": RIGHT, "needs": FOLDED}
    table = new_table(None, columns)
    for adapter in ADAPTERS:
        needs = ", ".join([f"gridproof[{adapter.requires}]"] * bool(adapter.requires) + ["Java"] * adapter.java)
        table.add_row(adapter.name, adapter.kind.value, adapter.summary, str(len(adapter.promises)), needs)
    open_console().print(table)
    return ExitStatus.HOLDS


def _object(name: str) -> dict[str, object]:
    adapter = next(one for one in ADAPTERS if one.name == name)
    return {
        **picked(adapter, "name kind summary requires java"),
        "promises": {prop: {"word": p.word.value, "source": p.source} for prop, p in adapter.promises.items()},
    }
