"""The front door of gridproof: its command line and its public API.

A public name is imported when it is first used: neither the command line nor a worker process loads all modules.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gridproof_implementation.adapter import (
        Adapter,
        AdapterError,
        Kind,
        ObservedRow,
        Options,
        Promise,
        PromiseWord,
        ReadAnswer,
        ReplicaContent,
        WriteAnswer,
    )
    from gridproof_model.events.conditions import StatedTimes
    from gridproof_model.membership import Address, Member, MemberId
    from gridproof_model.trace import Outcome
    from gridproof_properties.audits.conformance import Extent, check_conformance
    from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict
    from gridproof_properties.machines.any_grid import GridStateMachine, state_machine_of
    from gridproof_properties.machines.judged import BrokenPromiseError, judged
    from gridproof_properties.machines.program import settle
    from gridproof_properties.strategies.trace_builder import TraceBuilder

    __version__: str

__all__ = [
    "Adapter",
    "AdapterError",
    "Address",
    "BrokenPromiseError",
    "Extent",
    "GridStateMachine",
    "Kind",
    "Member",
    "MemberId",
    "ObservedRow",
    "Options",
    "Outcome",
    "Promise",
    "PromiseLevel",
    "PromiseWord",
    "ReadAnswer",
    "ReplicaContent",
    "Result",
    "StatedTimes",
    "TraceBuilder",
    "Verdict",
    "WriteAnswer",
    "__version__",
    "check_conformance",
    "judged",
    "settle",
    "state_machine_of",
]

HOMES = {
    name: home
    for home, names in {
        "gridproof_implementation.adapter": "Adapter AdapterError Kind ObservedRow Options Promise "
        "PromiseWord ReadAnswer ReplicaContent WriteAnswer",
        "gridproof_model.events.conditions": "StatedTimes",
        "gridproof_model.membership": "Address Member MemberId",
        "gridproof_model.trace": "Outcome",
        "gridproof_properties.audits.conformance": "Extent check_conformance",
        "gridproof_properties.judging.verdict": "PromiseLevel Result Verdict",
        "gridproof_properties.machines.any_grid": "GridStateMachine state_machine_of",
        "gridproof_properties.machines.judged": "BrokenPromiseError judged",
        "gridproof_properties.machines.program": "settle",
        "gridproof_properties.strategies.trace_builder": "TraceBuilder",
    }.items()
    for name in names.split()
}
"""The module from which each public name is imported; the version has none."""


if not TYPE_CHECKING:  # otherwise a type checker would accept any name

    def __getattr__(name: str) -> object:
        """Return a public name; it is imported now, and kept in this module from then on."""
        if name == "__version__":
            from importlib.metadata import version

            found: object = version("gridproof")
        elif name in HOMES:
            found = getattr(_import_home(name), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found


def _import_home(name: str) -> ModuleType:
    try:
        return import_module(HOMES[name])
    except ModuleNotFoundError as missing:
        if missing.name != "hypothesis":
            raise
        raise ImportError(f"{name} needs hypothesis: pip install 'gridproof[properties]'") from None


def __dir__() -> list[str]:
    """Return the names that are loaded already, and those that can be imported."""
    return sorted({*globals(), *__all__})
