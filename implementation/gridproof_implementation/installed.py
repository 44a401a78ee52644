"""Optional packages: which version is installed, and libraries of placement among them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from gridproof_implementation.adapter import AdapterError, Options, Placer


def installed_version(package: str, extra: str = "systems") -> str:
    """Return the version of a package; AdapterError with the line to type when it is not installed."""
    # Imported now: it takes as long to load as all adapters together, and listing them asks for no version.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        raise AdapterError(f"{package} is not installed: pip install 'gridproof[{extra}]'") from None


@dataclass(frozen=True, slots=True)
class InstalledPlacer:
    """What a placer of an installed library is made with; it says besides whether it separates zones, and places."""

    version: str
    copies: int


P = TypeVar("P", bound=Placer)


def opens(
    package: str, placer: Callable[[str, int], P], copies: int | None = None
) -> Callable[[Options], AbstractContextManager[P]]:
    """Return what opens a library of placement, with so many copies of a key, or one and the backups asked for."""

    @contextmanager
    def opened(options: Options) -> Iterator[P]:
        yield placer(installed_version(package), copies or options.backup_count + 1)

    return opened
