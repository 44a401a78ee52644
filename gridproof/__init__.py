"""The front door: command line and public API."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("gridproof")
