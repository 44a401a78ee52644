"""Every system under test, listed."""

import difflib

from gridproof_implementation.adapter import Adapter, AdapterError
from gridproof_implementation.adapters import (
    cassandra_token_map,
    clandestined,
    hazelcast_client,
    jump_consistent_hash,
    reference,
    reference_optimal,
    uhashring,
    vecgrid,
)

ADAPTERS: tuple[Adapter, ...] = (
    reference.ADAPTER,
    reference_optimal.ADAPTER,
    hazelcast_client.ADAPTER,
    vecgrid.ADAPTER,
    uhashring.ADAPTER,
    jump_consistent_hash.ADAPTER,
    clandestined.ADAPTER,
    cassandra_token_map.ADAPTER,
)


def find_adapter(name: str) -> Adapter | None:
    """Return the adapter of this name, or None when there is none."""
    return next((adapter for adapter in ADAPTERS if adapter.name == name), None)


def get_adapter(name: str) -> Adapter:
    """Return the adapter of this name; AdapterError with the nearest names when there is none."""
    adapter = find_adapter(name)
    if adapter is not None:
        return adapter
    names = [adapter.name for adapter in ADAPTERS]
    near = difflib.get_close_matches(name, names)
    cure = f"did you mean {' or '.join(near)}?" if near else f"known systems: {', '.join(names)}"
    raise AdapterError(f"no system is called {name!r}: {cure}")
