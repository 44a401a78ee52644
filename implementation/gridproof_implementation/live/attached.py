"""Members that the suite did not start: it attaches to them, and in the end leaves them as it found them.

An agent runs beside each member, at an address that the hello names; when the agent ends, the member continues. The
suite never ends the process of such a member: only a command of the operator may stop or start it. All entries are
written under a prefix of the run's own, which is added to every key that leaves the suite, so that no key without the
prefix is ever written, read or shown; these entries are removed at the end.
"""

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from os import urandom
from tempfile import TemporaryFile
from time import monotonic, sleep
from typing import Any, cast

from gridproof_implementation.adapter import AdapterError, AdapterFailure, WriteAnswer
from gridproof_implementation.live.said import ADDRESS, NAME, Form, closed, list_of, optional, record, then
from gridproof_model.membership import Address
from gridproof_model.trace import Outcome

COMMAND_S, TAKEN_OUT_WITHIN_S = 60.0, 60.0
"""How long a command may take, and for how long the suite tries again to remove a key."""


class Command(StrEnum):
    """The kinds of commands of an operator, by what they do to a member."""

    CRASH = "crash"
    START = "start"
    PAUSE = "pause"
    RESUME = "resume"


UNDOES = {Command.CRASH: Command.START, Command.PAUSE: Command.RESUME}
"""For each command that does something to a member, the command that undoes it."""


@dataclass(frozen=True, slots=True)
class Attached:
    """What a hello says about members that already run."""

    addresses: tuple[Address, ...]
    operator: Mapping[Command, tuple[str, ...]]
    """For each kind of command, the operator's command line; the member's address is added to it as the last word."""


def _addresses(found: tuple[Address, ...]) -> tuple[Address, ...]:
    if not found or len(set(found)) < len(found):
        raise AdapterFailure("addresses must name at least one member, and each member once only")
    return found


def _operator(**commands: tuple[str, ...] | None) -> dict[Command, tuple[str, ...]]:
    return {Command(name): words for name, words in commands.items() if words}


_SOME = list_of(ADDRESS)
_COMMANDS = closed(record(_operator, **{command.value: optional(list_of(NAME)) for command in Command}))
ATTACHED: Form[Attached] = closed(
    record(
        Attached, addresses=then(_SOME, _addresses, {**_SOME.schema, "minItems": 1, "uniqueItems": True}),
        operator=optional(_COMMANDS, {}),
    )
)  # fmt: skip


CHANGES = ("put", "put_many", "operate")
"""The verbs that may create a key."""


@dataclass(slots=True)
class OwnKeys:
    """The prefix of the run's keys, and the keys that the run may have written so far."""

    prefix: str = field(default_factory=lambda: f"gridproof-{urandom(4).hex()}/")
    written: set[str] = field(default_factory=set)
    """The keys that may have been written, without the prefix."""

    def asked(self, verb: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of a question with the prefix before every key."""
        keys = [fields["key"]] if "key" in fields else list(fields.get("entries", ()))
        if verb in CHANGES:
            self.written.update(keys)
        if "key" in fields:
            return {**fields, "key": self.prefix + fields["key"]}
        entries = {"entries": {self.prefix + key: fields["entries"][key] for key in keys}} if keys else {}
        return {**fields, **entries}

    def answered(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an answer whose copies show only the entries of this run, without the prefix."""
        copies: object = answer.get("copies")
        return {**answer, "copies": list(map(self._own, copies))} if isinstance(copies, list) else answer

    def _own(self, copy: object) -> object:
        shown = cast("dict[str, Any]", copy) if isinstance(copy, dict) else {}
        entries = shown.get("entries")
        if not isinstance(entries, dict):
            return copy
        size = len(self.prefix)
        found = cast("dict[str, Any]", entries).items()
        return {**shown, "entries": {key[size:]: value for key, value in found if key.startswith(self.prefix)}}


@dataclass(slots=True)
class Attachment:
    """What a run does to members that it did not start, and how it undoes that."""

    attached: Attached
    system: str
    keys: OwnKeys = field(default_factory=OwnKeys)
    _done: dict[Address, Command] = field(default_factory=dict)
    """For each member's address, the command that was run for it and has not been undone yet."""

    def do(self, command: Command, address: Address) -> None:
        """Run an operator's command; a command that undoes another command is run only if the other command was run
        before. AdapterError if the command fails."""
        done = self._done.get(address)
        if command in UNDOES.values() and (done is None or UNDOES[done] is not command):
            return
        words = [*self.attached.operator[command], str(address)]
        # In a session of its own the command gets no Ctrl-C; errors go to a file, as its child would keep a pipe open.
        with TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
            try:
                subprocess.run(
                    words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, timeout=COMMAND_S,
                    check=True, start_new_session=True,
                )  # fmt: skip
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                errors.seek(0)
                said = (errors.read().strip() or str(error)).splitlines()[0][:200]
                failed = f"{self.system}: the operator's command to {command} {address} failed: {said}"
                raise AdapterError(f"{failed}; correct the command") from None
        self._done.pop(address, None)
        if command in UNDOES:
            self._done[address] = command

    def leave_as_found(self, remove: Callable[[str], WriteAnswer]) -> None:
        """Undo what was done to members, and remove what was written; raise AdapterError with what is left over."""
        for address, command in tuple(self._done.items()):
            self.do(UNDOES[command], address)
        end_s = monotonic() + TAKEN_OUT_WITHIN_S
        while self.keys.written:
            key = min(self.keys.written)
            if (answer := remove(key)).outcome is Outcome.OK:
                self.keys.written.remove(key)
            elif monotonic() > end_s:
                left = f"{len(self.keys.written):,} keys that begin with {self.keys.prefix!r} are left in {self.system}"
                raise AdapterError(f"{left}: {answer.detail or answer.outcome}; remove them by hand")
            else:
                sleep(0.2)
