"""Systems in this process, and toys of real processes, that a command opens as it opens running members.

What a command does with an option before a system is opened, and after it has answered, is the same for all of them.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import pocket_adapter  # type: ignore[import-not-found] # pyright: ignore[reportMissingImports] # beside it

from gridproof_implementation.adapter import Adapter, Options
from gridproof_implementation.adapters.hazelcast_client import ADAPTER as CLIENT
from gridproof_implementation.adapters.reference import ADAPTER as REFERENCE
from gridproof_implementation.adapters.reference import open_reference
from gridproof_implementation.live.agent_grid import agents
from gridproof_implementation.live.process import Launch
from gridproof_implementation.reference.port import ReferencePort
from tests.properties.live_toy import AGENT, FORGETS_AFTER_A_RESTART, SERVE, Toy

VERSIONS = ("2", "1")
FOLLOWS = """
was_start, was_put, asked = start, put, {}
def start(name, host, port, **fields):
    asked.update(fields)
    return was_start(name, host, port, **fields)
def put(key, value): return {**was_put(key, value), "confirmed": 1 + asked["backups"] - asked["async_backups"]}
"""
"""It says for how many copies a caller waits, as it was asked to."""


class VersionedPort(pocket_adapter.PocketPort):  # type: ignore[misc] # as above
    """A pocket grid of a release."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.version = options.system_version or VERSIONS[0]


@contextmanager
def open_members(options: Options) -> Iterator[ReferencePort]:
    """Open a reference of a release."""
    with open_reference(options) as port:
        port.version = options.system_version or VERSIONS[0]
        yield port


def launched(change: str) -> Callable[[Options], Launch]:
    """Return what starts a toy of a release."""
    return lambda options: Launch(
        (
            sys.executable,
            "-c",
            AGENT + FOLLOWS + change + SERVE.replace("'1'", repr(options.system_version or VERSIONS[0])),
        )
    )


def toy(change: str) -> Adapter:
    """Return a toy with releases."""
    return replace(Toy(change).adapter(), versions=VERSIONS, open=agents(launched(change)))


LIVE = replace(
    pocket_adapter.ADAPTER, name="live", repeatable=False, versions=VERSIONS,
    open=lambda options: nullcontext(VersionedPort(options)),
)  # fmt: skip
MEMBERS = replace(REFERENCE, name="members", repeatable=False, versions=VERSIONS, open=open_members)
OTHERS = replace(MEMBERS, name="others")
ROUTER = replace(CLIENT, name="router", rule=lambda key, count: 0)
TOY, FORGETFUL = toy(""), toy(FORGETS_AFTER_A_RESTART)
CONFIGURED = replace(TOY, takes_config=True)
