"""The list of all systems under test."""

from importlib import import_module

from gridproof_implementation.adapter import Adapter, AdapterError
from gridproof_implementation.adapters import (
    atomix,
    cassandra_token_map,
    clandestined,
    etcd,
    hazelcast,
    hazelcast_client,
    hazelcast_node_client,
    ignite,
    jump_consistent_hash,
    reference,
    uhashring,
    valkey,
    vecgrid,
)
from gridproof_implementation.live.folders import adapter_in, manifest_at
from gridproof_model.own_modules import module_in
from gridproof_model.user_error import UserError, nearest

ADAPTERS: tuple[Adapter, ...] = (
    reference.ADAPTER,
    reference.OPTIMAL,
    hazelcast_client.ADAPTER,
    hazelcast_node_client.ADAPTER,
    vecgrid.ADAPTER,
    hazelcast.ADAPTER,
    valkey.ADAPTER,
    ignite.ADAPTER,
    atomix.ADAPTER,
    atomix.WITH_RAFT,
    etcd.ADAPTER,
    etcd.SERIALIZABLE,
    etcd.WITH_FSYNC,
    uhashring.ADAPTER,
    jump_consistent_hash.ADAPTER,
    clandestined.ADAPTER,
    cassandra_token_map.ADAPTER,
)


def find_adapter(name: str) -> Adapter | None:
    """Return the adapter with this name, or None."""
    return next((adapter for adapter in ADAPTERS if adapter.name == name), None)


def get_adapter(name: str) -> Adapter:
    """Return the adapter with this name, or a user's own: a folder, `module:ATTRIBUTE` or `file.py:ATTRIBUTE`.

    Raises AdapterError if there is no such adapter, with the most similar names, or with the reason why the user's own
    adapter failed to load.
    """
    manifest = None if find_adapter(name) is not None else manifest_at(name)
    if manifest is not None:
        return adapter_in(manifest)
    if ":" in name:
        return _import_adapter(*name.split(":", 1))
    adapter = find_adapter(name)
    if adapter is not None:
        return adapter
    names = [adapter.name for adapter in ADAPTERS]
    raise AdapterError(f"no system is called {name!r}: {nearest(name, names)}")


def _import_adapter(module: str, attribute: str) -> Adapter:
    # Imported here: only adapters from elsewhere are checked; those in this list need no check.
    from gridproof_implementation.checked_ports import check_adapter
    from gridproof_implementation.guard import Guard

    called = f"{module}:{attribute}"

    def find() -> object:
        try:
            name = module_in(module)
        except (UserError, ValueError) as error:
            raise AdapterError(f"{called} names no adapter: {error}") from None
        try:
            return getattr(import_module(name), attribute)
        except (ImportError, AttributeError, ValueError) as error:
            cure = "write `module:ATTRIBUTE` or `file.py:ATTRIBUTE`, with an installed module or one in this folder"
            raise AdapterError(f"{called} names no adapter: {error}; {cure}") from None

    guard = Guard(called)
    return check_adapter(guard.run(lambda: guard.call("importing it", find)), called)
