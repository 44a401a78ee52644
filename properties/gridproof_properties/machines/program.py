"""A program for a grid's port: its steps are values.

The choices of a state machine are kept as steps, so that they can be repeated, shortened, and written out as Python
that anybody can run. A step names members by numbers, in the order in which they were started.

An allowed program asks for nothing that would end a promise. The rules of an allowed program: the first member comes to
rest before any client works; members join only at rest (placement.11: a join that interrupts another join may leave
shares uneven); time passes only at rest, except for about a second; between two rests no more members crash than there
are backups, and some member stays that had everything at the latest rest; copies are not looked at to judge an
acknowledgement while a partition may be moving to another member. A state machine keeps to these rules, and so does the
shortening of a program: if they are broken, a good grid may fail.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import assert_never

from gridproof_implementation.adapter import Grid, Options, ReadAnswer, WriteAnswer
from gridproof_model.membership import Member
from gridproof_model.trace import OperationKind, Outcome
from gridproof_properties.audits.client_calls import (
    ClientCall,
    Operate,
    Read,
    Remove,
    Write,
    WriteMany,
    ask,
    beyond_ascii,
)
from gridproof_properties.audits.recorded_grid import RecordedGrid
from gridproof_properties.audits.settle import SETTLE_DEADLINE_MS, Settling
from gridproof_properties.audits.settle import settle as settle_plain


@dataclass(frozen=True, slots=True)
class Start:
    """Starts one more member."""

    member: int
    """The number of the member in the program: the next free number."""
    lite: bool = False


@dataclass(frozen=True, slots=True)
class Crash:
    """Crash a member."""

    member: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Lets a member leave gracefully."""

    member: int


@dataclass(frozen=True, slots=True)
class Settle:
    """Waits for rest, and looks at every table and every copy."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let time pass."""

    duration_ms: int


@dataclass(frozen=True, slots=True)
class LookAtCopies:
    """Looks at every member's copy of a key's partition; right after a write, to judge the write's acknowledgement."""

    key: str


Step = Start | Crash | Leave | Settle | Wait | ClientCall | LookAtCopies
FEW_KEYS = tuple("abcdefgh")
"""The keys that most operations use, so that several operations are about the same key."""
ALIKE_KEYS = ("A", "a ", "k\u00e9y", "ke\u0301y", *(f"{'k' * 120}-{number}" for number in range(2)))
"""Keys that differ from another one only in what a system that changes keys would lose."""
Members = dict[int, Member]
"""The members that steps have started, by their numbers in the program."""


class UnknownMemberError(LookupError):
    """Raised if a step names a member that no earlier step has started."""


@dataclass(frozen=True, slots=True)
class Program:
    """Steps in their order, with the options of the grid that they are for."""

    options: Options
    steps: tuple[Step, ...]
    answers: Mapping[int, str] = field(default_factory=dict)
    """For each number of a step, the step's answer if it is worth showing."""


def settle(grid: Grid, deadline_ms: int | None = None) -> Settling:
    """Wait until a grid is at rest, at most `deadline_ms` of its own time; if it is judged, look at everything.

    The default is the deadline of a judged grid's plan, and 30 s for other grids.
    """
    if isinstance(grid, RecordedGrid):
        return grid.settle(deadline_ms)
    return settle_plain(grid, SETTLE_DEADLINE_MS if deadline_ms is None else deadline_ms)


def take(step: Step, grid: Grid, members: Members) -> str:
    """Take a step; return its answer in a few words, or nothing if the answer is not worth showing.

    Raise UnknownMemberError if the step names a member that was not started.
    """
    match step:
        case Start(name, lite):
            members[name] = grid.start_member(lite=True) if lite else grid.start_member()
        case Crash(name):
            grid.crash(_member(members, name))
        case Leave(name):
            grid.leave(_member(members, name))
        case Settle():
            ended = settle(grid)
            return "" if ended.settled else str(ended)
        case Wait(duration_ms):
            grid.wait(duration_ms)
        case Write() | WriteMany() | Remove() | Operate():
            return _describe(ask(step, grid))
        case Read(key, through):
            return _describe(grid.read(key, through=None if through is None else _member(members, through)))
        case LookAtCopies(key):
            for member in grid.members():
                grid.read_replica(member, grid.partition_of(key))
        case _:
            assert_never(step)
    return ""


def _member(members: Members, name: int) -> Member:
    if name not in members:
        raise UnknownMemberError(name)
    return members[name]


def _describe(answer: WriteAnswer | ReadAnswer) -> str:
    if answer.outcome is not Outcome.OK:
        detail = " ".join(answer.detail.split())
        return f"{answer.outcome.value}: {detail}" if detail else answer.outcome.value
    return _text(answer.value) if isinstance(answer, ReadAnswer) else ""


def write_python(program: Program, found_at: tuple[str, str] | None, note: Sequence[str] = ()) -> str:
    """Return a program as a Python file that judges itself; it names the adapter's module and name, if known.

    `note` is a list of comment lines for the top of the file.
    """
    home, name = found_at or ("", "ADAPTER")
    lines = [*(f"# {line}".rstrip() for line in note)]
    lines += ["from gridproof import Options, judged, settle"]
    asks_others = any(isinstance(step, Operate) for step in program.steps)
    lines += ["from gridproof_model.trace import OperationKind", ""] if asks_others else [""]
    lines += [
        f"from {home} import {name}" if home else "# ADAPTER is the adapter that the state machine was made of",
        "",
    ]
    options = program.options
    shown = [f"partition_count={options.partition_count}", f"backup_count={options.backup_count}"]
    shown += [f"seed={options.seed}"] if options.seed else []
    lines += [f"with judged({name}, Options({', '.join(shown)})) as grid:"]
    for place, step in enumerate(program.steps):
        code = _code(step)
        answer = program.answers.get(place, "")
        code[-1] += f"  # {answer}" if answer else ""
        lines += [f"    {line}" for line in code]
    return "\n".join([*lines, ""])


def _code(step: Step) -> list[str]:
    match step:
        case Start(name, lite):
            return [f"member_{name} = grid.start_member({'lite=True' if lite else ''})"]
        case Crash(name):
            return [f"grid.crash(member_{name})"]
        case Leave(name):
            return [f"grid.leave(member_{name})"]
        case Settle():
            return ["settle(grid)"]
        case Wait(duration_ms):
            return [f"grid.wait({duration_ms})"]
        case Write(key, value):
            return [f"grid.write({_text(key)}, {_text(value)})"]
        case WriteMany(entries):
            shown = ", ".join(f"{_text(key)}: {_text(value)}" for key, value in entries)
            return [f"grid.write_many({{{shown}}})"]
        case Remove(key):
            return [f"grid.remove({_text(key)})"]
        case Operate(kind, key, value, expected, client):
            asked = {"value": value, "expected": expected}
            named = [f"{name}={_text(one)}" for name, one in asked.items() if one is not None]
            named += [f"client={client}"] if client else []
            return [f"grid.operate({', '.join([f'OperationKind.{kind.name}', _text(key), *named])})"]
        case Read(key, through):
            return [f"grid.read({_text(key)}{'' if through is None else f', through=member_{through}'})"]
        case LookAtCopies(key):
            return ["for member in grid.members():", f"    grid.read_replica(member, grid.partition_of({_text(key)}))"]
        case _:
            assert_never(step)


def _text(value: str | None) -> str:
    """Return a value as Python code, with double quotes."""
    if value is None:
        return "None"
    if len(value) == LONG:
        return f'{_text(value.rstrip("-"))}.ljust({LONG:_}, "-")'
    return json.dumps(value) if value.isascii() and value.isprintable() else ascii(value)


def tidy(program: Program) -> Program:
    """Return a program in which members and values have new numbers, in the order in which they appear."""
    members: dict[int, int] = {}
    values = _NewValues()
    return replace(program, steps=tuple(_tidied(step, members, values) for step in program.steps), answers={})


class _NewValues(dict[str, str]):
    """By values, new ones of the same form, numbered as they are asked for."""

    def __missing__(self, value: str) -> str:
        form = Form.LONG if len(value) == LONG else Form.PLAIN if value.isascii() else Form.BEYOND_ASCII
        self[value] = new = value_of(len(self), form)
        return new


def _tidied(step: Step, members: dict[int, int], values: _NewValues) -> Step:
    match step:
        case Start(name, lite):
            return Start(members.setdefault(name, len(members)), lite)
        case Crash(name):
            return Crash(members[name])
        case Leave(name):
            return Leave(members[name])
        case Read(key, int(name)):
            return Read(key, members[name])
        case Write(key, value) if value:
            return Write(key, values[value])
        case WriteMany(entries):
            return WriteMany(tuple((key, values[value]) for key, value in entries))
        case Operate(_, _, value, expected):
            value, expected = (one and values[one] for one in (value, expected))
            return replace(step, value=value, expected=expected)
        case _:
            return step


def keys_of(steps: Iterable[Step]) -> list[str]:
    """Return the keys that steps name, in the order in which they first appear; each key once."""
    keys: list[str] = []
    for step in steps:
        match step:
            case Write(key=key) | Remove(key=key) | Read(key=key) | LookAtCopies(key=key):
                keys.append(key)
            case Operate(kind=kind, key=key) if kind is not OperationKind.SIZE:
                keys.append(key)
            case WriteMany(entries):
                keys += [key for key, _ in entries]
            case _:
                pass
    return list(dict.fromkeys(keys))


def renamed(steps: Iterable[Step], old: str, new: str) -> tuple[Step, ...]:
    """Return the same steps with one key renamed."""
    return tuple(_with_key(step, old, new) for step in steps)


def _with_key(step: Step, old: str, new: str) -> Step:
    match step:
        case Write() | Remove() | Read() | LookAtCopies() | Operate():
            return replace(step, key=new) if step.key == old else step
        case WriteMany(entries):
            shown = {new if key == old else key: value for key, value in entries}
            return WriteMany(tuple(shown.items()))
        case _:
            return step


LONG = 2_000
"""The length of a long value."""


class Form(Enum):
    """What a value is like: a system that changes values of one form shows in no other."""

    PLAIN = 1
    LONG = 2
    BEYOND_ASCII = 3


def value_of(number: int, form: Form = Form.PLAIN) -> str:
    """Return the value of a write; no other write of a run has the same value."""
    match form:
        case Form.PLAIN:
            return f"value {number}"
        case Form.LONG:
            return f"value-{number}".ljust(LONG, "-")
        case Form.BEYOND_ASCII:
            return beyond_ascii(f"value {number}")
        case _:
            assert_never(form)


UNSEEN_MS = 1_500
"""The longest wait before the next look at rest: after a longer wait it is unknown whether stated times were kept."""


@dataclass(slots=True)
class Situation:
    """The situation of a program after some steps, as far as the steps show it."""

    backup_count: int
    data: list[int] = field(default_factory=list)
    """The running data members, oldest first, by their numbers in the program."""
    lite: list[int] = field(default_factory=list)
    """The running lite members."""
    rested: set[int] = field(default_factory=set)
    """The data members at the latest rest that are still running: together they have everything."""
    at_rest: bool = True
    is_founded: bool = False
    """Whether the grid has been at rest with at least one member."""
    is_moving: bool = False
    """Whether a member has joined or left since the latest rest."""
    unseen_ms: int = 0
    """How long the program has waited since the grid was last at rest."""
    crashed: int = 0
    """The number of members that crashed since the latest rest."""

    def allows(self, step: Step) -> bool:
        """Whether a step is allowed now."""
        match step:
            case Start():
                return self.at_rest
            case Crash(member):
                spare = self.crashed < max(1, self.backup_count)
                return self.is_founded and spare and self._can_spare(member) and bool(self.rested - {member})
            case Leave(member):
                return self.is_founded and self._can_spare(member)
            case Read(through=int(member)):
                return self.is_founded and member in (*self.data, *self.lite)
            case LookAtCopies():
                return self.is_founded and not self.is_moving
            case Settle():
                return bool(self.data)
            case Wait(duration_ms):
                return self.is_founded and (self.at_rest or self.unseen_ms + duration_ms <= UNSEEN_MS)
            case _:
                return self.is_founded

    def _can_spare(self, member: int) -> bool:
        return member in self.data and len(self.data) > 1

    def take(self, step: Step) -> None:
        """Note that a step was taken; a wait for rest is taken to have succeeded."""
        match step:
            case Start(member, lite):
                (self.lite if lite else self.data).append(member)
                self.at_rest, self.is_moving = False, True
            case Leave(member):
                self.data.remove(member)
                self.rested.discard(member)
                self.at_rest, self.is_moving = False, True
            case Crash(member):
                self.data.remove(member)
                self.rested.discard(member)
                self.at_rest, self.crashed = False, self.crashed + 1
            case Settle():
                self.is_founded, self.rested = True, set(self.data)
                self.at_rest, self.is_moving, self.crashed, self.unseen_ms = True, False, 0, 0
            case Wait(duration_ms):
                self.unseen_ms += 0 if self.at_rest else duration_ms
            case _:
                pass


def is_allowed(steps: Iterable[Step], backup_count: int) -> bool:
    """Whether every step of a program is allowed."""
    situation = Situation(backup_count)
    for step in steps:
        if not situation.allows(step):
            return False
        situation.take(step)
    return True
