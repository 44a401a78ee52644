"""The front door: command line and public API."""

from importlib.metadata import version

from gridproof_implementation.adapter import Adapter, Kind, Options, Promise, PromiseWord
from gridproof_properties.conformance import Extent, check_conformance
from gridproof_properties.verdict import PromiseLevel, Result, Verdict

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

__version__ = version("gridproof")
