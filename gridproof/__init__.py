"""The front door: command line and public API.

A name is imported when it is first asked for: neither the command line nor a worker process pays for all of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gridproof_implementation.adapter import Adapter, Kind, Options, Promise, PromiseWord
    from gridproof_properties.conformance import Extent, check_conformance
    from gridproof_properties.verdict import PromiseLevel, Result, Verdict

    __version__: str

__all__ = [
    "Adapter",
    "Extent",
    "Kind",
    "Options",
    "Promise",
    "PromiseLevel",
    "PromiseWord",
    "Result",
    "Verdict",
    "__version__",
    "check_conformance",
]

_HOMES = {
    "Adapter": "gridproof_implementation.adapter",
    "Extent": "gridproof_properties.conformance",
    "Kind": "gridproof_implementation.adapter",
    "Options": "gridproof_implementation.adapter",
    "Promise": "gridproof_implementation.adapter",
    "PromiseLevel": "gridproof_properties.verdict",
    "PromiseWord": "gridproof_implementation.adapter",
    "Result": "gridproof_properties.verdict",
    "Verdict": "gridproof_properties.verdict",
    "check_conformance": "gridproof_properties.conformance",
}
"""The module of every public name but the version."""


if not TYPE_CHECKING:  # else a type checker would take every name for one of ours

    def __getattr__(name: str) -> object:
        """Return a public name, imported now; later it is simply there."""
        if name == "__version__":
            from importlib.metadata import version

            found: object = version("gridproof")
        elif name in _HOMES:
            found = getattr(import_module(_HOMES[name]), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """Name what is there and what can be had."""
    return sorted({*globals(), *__all__})
