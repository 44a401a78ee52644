"""Finds the installed versions of optional packages, and opens those that are placement libraries."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from gridproof_implementation.adapter import AdapterError, Options, Placer


def installed_version(package: str, extra: str = "systems") -> str:
    """Return the version of a package; if it is not installed, AdapterError has the command that installs it."""
    # Imported here: importlib.metadata takes as long to load as all adapters together, and a list needs no versions.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        raise AdapterError(f"{package} is not installed; type: pip install 'gridproof[{extra}]'") from None


def lacks(package: str) -> Callable[[], str | None]:
    """Return a function for `missing` of an adapter: None, or how to install the package that it needs."""

    def missing() -> str | None:
        try:
            installed_version(package)
        except AdapterError as error:
            return str(error)
        return None

    return missing


@dataclass(frozen=True, slots=True)
class InstalledPlacer:
    """Base class of placers over installed libraries; a subclass has `separates_zones` and `place`."""

    version: str
    copies: int


P = TypeVar("P", bound=Placer)


def opens(
    package: str, placer: Callable[[str, int], P], copies: int | None = None
) -> Callable[[Options], AbstractContextManager[P]]:
    """Return a function that opens a placement library; without `copies`, a key has one copy and the backups."""

    @contextmanager
    def opened(options: Options) -> Iterator[P]:
        yield placer(installed_version(package), copies or options.backup_count + 1)

    return opened
