"""Which version of an optional package is installed."""

from gridproof_implementation.adapter import AdapterError


def installed_version(package: str, extra: str = "systems") -> str:
    """Return the version of a package; AdapterError with the line to type when it is not installed."""
    # Imported now: it takes as long to load as all adapters together, and listing them asks for no version.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        raise AdapterError(f"{package} is not installed: pip install 'gridproof[{extra}]'") from None
