"""A state machine for any grid that has an adapter.

Hypothesis chooses which members join, crash and leave, what clients write, read and remove, and when the grid may come
to rest, as far as the adapter offers these. The judges of all properties that the adapter promises watch every step;
each example ends with the final reveal (GLOSSARY.md). A failure is reported as the shortest program that fails, written
in Python for the port, with the verdict and its witness.

Not every step is allowed (`program.py`): members join at rest, and between two rests no more members crash than there
are backups; apart from these rules, anything may happen at any time.
"""

import pickle
import sys
import traceback
import unittest
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import ClassVar, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from gridproof_implementation.adapter import Ability, Adapter, AdapterError, AdapterFailure, Options
from gridproof_implementation.checked_ports import check_adapter
from gridproof_implementation.guard import CALL_DEADLINE_S, Guard
from gridproof_properties.audits.client_calls import NAMES, Read, Remove, Write, WriteMany, every_verb
from gridproof_properties.child import EndedError, apart
from gridproof_properties.judging.verdict import Verdict
from gridproof_properties.machines.judged import BrokenPromiseError, Watch, broken_in, promised_properties, watch
from gridproof_properties.machines.machine_run import (
    AdapterStoppedError,
    Failure,
    MachineRun,
    describe_stopped,
    settings_for,
)
from gridproof_properties.machines.program import (
    ALIKE_KEYS,
    FEW_KEYS,
    Crash,
    Form,
    Leave,
    LookAtCopies,
    Members,
    Program,
    Settle,
    Situation,
    Start,
    Step,
    Wait,
    take,
    value_of,
)
from gridproof_properties.machines.shortest import Outcome

OPTIONS = (Options(partition_count=5, backup_count=1),)
"""Few enough partitions for keys to share them, but more than there are members, so that each member has some."""
MEMBERS_MAX = 4
ANY_TEXT = st.text(st.characters(codec="utf-8"), min_size=1)
KEYS = st.sampled_from(FEW_KEYS) | st.sampled_from(FEW_KEYS) | st.sampled_from(ALIKE_KEYS) | ANY_TEXT
"""The keys that are used: usually one of a few, so that keys are written again; now and then, any text."""
FORMS = st.sampled_from([*[Form.PLAIN] * 8, Form.LONG, Form.BEYOND_ASCII])
PAUSES_MS = st.sampled_from([1, 10, 100, 1_000])
MINUTE_MS = 60_000
"""A longer pause, used if the grid has its own time, which can pass at once."""
MEANWHILE = st.lists(st.tuples(PAUSES_MS, KEYS), max_size=3)
"""What clients write while members join and end, with a pause before each write: most failures happen then."""
WHICH = st.integers(0, 15)
"""The number of a member or a key; it is taken modulo the number of members or keys."""
Writes = Sequence[tuple[int, str]]
"""Keys to write, each with the pause before the write, in milliseconds."""


class _TestCaseOfMachine:
    """A descriptor that makes the test case of a machine when it is read."""

    def __get__(self, machine: object, kind: "type[GridStateMachine]") -> "type[MachineTestCase]":
        return _test_case_of(kind)


class GridStateMachine(RuleBasedStateMachine):
    """Drives one grid; a subclass names its adapter, and may add rules of its own, which `take` steps."""

    adapter: ClassVar[Adapter]
    options: ClassVar[tuple[Options, ...]] = OPTIONS
    """The options with which grids are opened; Hypothesis chooses one of them."""
    members_max: ClassVar[int] = MEMBERS_MAX
    """The largest number of data members that run at one time."""
    call_deadline_s: ClassVar[float] = CALL_DEADLINE_S
    keep: ClassVar[Path | None] = None
    """The folder for programs that failed; None means `gridproof-failures`, or no folder if the grid is repeatable."""
    run: ClassVar[MachineRun]
    """The test run of this machine that is under way, or the latest test run."""
    TestCase = _TestCaseOfMachine()  # type: ignore[assignment]
    """The test case that unittest and pytest collect; its `settings` may be set."""

    def __init__(self) -> None:
        super().__init__()
        self.program = Program(self.options[0], ())
        self._watch: Watch | None = None
        self._stack = ExitStack()
        self._steps: list[Step] = []
        self._begins: list[int] = []
        """For each step, the number of records before it."""
        self._answers: dict[int, str] = {}
        self._members: Members = {}
        self._offers_lite = True
        self._keys: list[str] = []
        """The keys that were written, oldest first."""
        self._values = 0
        self._now = Situation(0)
        """The situation of the program after the steps so far."""
        self._is_over = False

    @initialize(
        options=st.runner().flatmap(lambda machine: st.sampled_from(machine.options)), founders=st.integers(1, 3)
    )
    def open(self, options: Options, founders: int) -> None:
        """Open a grid, and have the grid's first members join."""
        self.program, self._now = Program(options, ()), Situation(options.backup_count)
        run = type(self).run
        run.present = self
        self._watch = self._stack.enter_context(watch(self.adapter, options, run.guard))
        for _ in range(min(founders, self.members_max)):
            self._start(lite=False)
            self.settle()

    # Steps that Hypothesis chooses

    def can_grow(self) -> bool:
        """Whether another data member may join without exceeding the limit of the machine."""
        return len(self._now.data) < self.members_max

    @precondition(can_grow)
    @rule(meanwhile=MEANWHILE)
    def start_member(self, meanwhile: Writes) -> None:
        """Let a member join a grid at rest, while clients go on writing."""
        self._rest()
        self._start(lite=False)
        self._write_meanwhile(meanwhile)

    def offers_lite(self) -> bool:
        """Whether a lite member may be asked for; the machine runs at most one at a time."""
        return self._offers_lite and not self._now.lite

    @precondition(offers_lite)
    @rule()
    def start_lite_member(self) -> None:
        """Let a lite member join, if the grid has such members."""
        self._rest()
        self._start(lite=True)

    def can_crash(self) -> bool:
        """Whether a member may crash without the loss of anything acknowledged."""
        return bool(self._crashable())

    @precondition(can_crash)
    @rule(which=WHICH, meanwhile=MEANWHILE)
    def crash(self, which: int, meanwhile: Writes = ()) -> None:
        """Crash a member at any moment, while clients go on writing."""
        self.take(Crash(_pick(self._crashable(), which)))
        self._write_meanwhile(meanwhile)

    def _crashable(self) -> list[int]:
        names = self._now.data if self.offers(Ability.CRASH) else ()
        return [name for name in names if self._now.allows(Crash(name))]

    def can_leave(self) -> bool:
        """Whether a member may leave."""
        return self.offers(Ability.LEAVE) and any(self._now.allows(Leave(name)) for name in self._now.data)

    @precondition(can_leave)
    @rule(which=WHICH, meanwhile=MEANWHILE)
    def leave(self, which: int, meanwhile: Writes) -> None:
        """Let a member leave gracefully, while clients go on writing."""
        name = _pick(self._now.data, which)
        self.take(Leave(name))
        self._write_meanwhile(meanwhile)

    @rule()
    def settle(self) -> None:
        """Wait until the grid is at rest; then every member shows its table and all that it holds."""
        self.take(Settle())

    @rule(
        duration_ms=st.runner().flatmap(
            lambda machine: PAUSES_MS | st.just(MINUTE_MS) if machine.adapter.repeatable else PAUSES_MS
        )
    )
    def wait(self, duration_ms: int) -> None:
        """Let time pass: up to a second, or, at rest, a minute if the grid has its own time, which can pass at once."""
        if not self._now.allows(Wait(duration_ms)):
            self._rest()
        self.take(Wait(duration_ms))

    def holds_data(self) -> bool:
        """Whether the grid holds entries."""
        return self._watch is not None and self._watch.grid.holds_data

    @precondition(holds_data)
    @rule(key=KEYS, look=st.booleans(), form=FORMS)
    def write(self, key: str, look: bool, form: Form = Form.PLAIN) -> None:
        """Let a client write; right after the write, every member's copy may be looked at."""
        self._note(key)
        self.take(Write(key, self._next_value(form)))
        if look and self._now.allows(LookAtCopies(key)):
            self.take(LookAtCopies(key))

    def can_write_many(self) -> bool:
        """Whether the grid accepts several entries in one call."""
        return self.holds_data() and self.offers(Ability.WRITE_MANY)

    @precondition(can_write_many)
    @rule(keys=st.lists(KEYS, min_size=2, max_size=4, unique=True))
    def write_many(self, keys: Sequence[str]) -> None:
        """Let a client write several entries in one call."""
        for key in keys:
            self._note(key)
        self.take(WriteMany(tuple((key, self._next_value()) for key in keys)))

    def has_keys(self) -> bool:
        """Whether any key was written."""
        return bool(self._keys)

    def can_remove(self) -> bool:
        """Whether any key was written, and the grid offers removals."""
        return self.has_keys() and self.offers(Ability.REMOVE)

    @precondition(can_remove)
    @rule(which=WHICH)
    def remove(self, which: int) -> None:
        """Let a client remove an entry."""
        self.take(Remove(_pick(self._keys, which)))

    @precondition(has_keys)
    @rule(which=WHICH, through=st.none() | WHICH)
    def read(self, which: int, through: int | None) -> None:
        """Let a client read an entry, through any member or through a given one."""
        asked = None if through is None else _pick([*self._now.data, *self._now.lite], through)
        self.take(Read(_pick(self._keys, which), asked))

    # Steps with which every example ends

    def teardown(self) -> None:
        """Crash as many members as there are backups, read all keys and ask the judges; then close the grid."""
        try:
            if self._watch is not None and not self._is_over:
                self._reveal()
                self._conclude()
        except BaseException:
            self._is_over = True
            raise
        finally:
            with suppress(*((AdapterError,) if self._is_over else ())):
                self._stack.close()

    def _reveal(self) -> None:
        self._read_all()
        keys = self._choose_keys()
        self._ask_every_verb(keys)
        for _ in range(self.watched.grid.backup_count):
            if self.can_crash() and self.watched.grid.at_rest:
                self.crash(0)
                self._read_all()
                self._ask_every_verb(keys)

    def _choose_keys(self) -> dict[str, str]:
        """Return the keys on which each verb is called: keys of the member that will crash next."""
        if not self.holds_data() or not self._now.data:
            return {}
        next_gone = self._members[(self._crashable() or self._now.data)[0]]
        return {name: self.watched.grid.find_key(name, next_gone) for name in NAMES}

    def _ask_every_verb(self, keys: Mapping[str, str]) -> None:
        grid = self.watched.grid
        for call in every_verb(grid.abilities, grid.operations, keys, self._next_value) if keys else ():
            self.take(call)

    def _read_all(self) -> None:
        self.settle()
        for key in self._keys:
            self.take(Read(key))

    # Methods that several steps share

    @property
    def watched(self) -> Watch:
        """The grid, its records and its judges; they exist from the moment when `open` was called."""
        assert self._watch is not None, "a machine opens its grid first"
        return self._watch

    def offers(self, ability: Ability) -> bool:
        """Return whether the grid offers an ability."""
        return self._watch is not None and ability in self._watch.grid.abilities

    def take(self, step: Step) -> None:
        """Take one step on the grid and record it; raise BrokenPromiseError if a judge then finds a promise broken."""
        self._steps.append(step)
        self._begins.append(len(self.watched.records))
        try:
            answer = take(step, self.watched.grid, self._members)
        except AdapterError as error:
            self._is_over = True
            type(self).run.latest = self._failure((), str(error))
            raise
        if answer:
            self._answers[len(self._steps) - 1] = answer
        if not isinstance(step, Settle) or self.watched.grid.at_rest:
            self._now.take(step)
        if self.watched.panel.has_failed():
            self._conclude()

    def program_so_far(self) -> Program:
        """Return the program of the steps taken so far."""
        return Program(self.program.options, tuple(self._steps), dict(self._answers))

    def _failure(self, broken: tuple[Verdict, ...], stopped: str = "") -> Failure:
        return Failure(
            Outcome(self.program_so_far(), broken, stopped), tuple(self.watched.records), tuple(self._begins)
        )

    def _conclude(self) -> None:
        self._is_over = True
        run, verdicts = type(self).run, self.watched.panel.conclude()
        run.count(verdicts)
        broken = broken_in(verdicts)
        if broken:
            run.latest = self._failure(broken)
            raise BrokenPromiseError(broken[0].sentence)

    def _start(self, *, lite: bool) -> None:
        name = len(self._members)
        if not lite:
            self.take(Start(name))
            return
        # Whether a grid has lite members shows only when one is requested: a refusal is an answer, not a failure.
        step = Start(name, lite=True)
        try:
            take(step, self.watched.grid, self._members)
        except AdapterFailure as error:
            self._is_over = True
            type(self).run.latest = self._failure((), str(error))
            raise
        except AdapterError:
            self._offers_lite = False
            return
        self._begins.append(len(self.watched.records))
        self._steps.append(step)
        self._now.take(step)

    def _write_meanwhile(self, writes: Writes) -> None:
        for pause_ms, key in writes if self.holds_data() else ():
            if self._now.allows(Wait(pause_ms)):
                self.take(Wait(pause_ms))
            self.write(key, look=False)

    def _rest(self) -> None:
        if not self.watched.grid.at_rest:
            self.settle()

    def _note(self, key: str) -> None:
        if key not in self._keys:
            self._keys.append(key)

    def _next_value(self, form: Form = Form.PLAIN) -> str:
        self._values += 1
        return value_of(self._values - 1, form)


T = TypeVar("T")


def _pick(choice: Sequence[T], which: int) -> T:
    return choice[which % len(choice)]


# The test that runs a machine


class MachineTestCase(unittest.TestCase):
    """Runs one machine, and reports what it found."""

    machine: ClassVar[type[GridStateMachine]]
    settings: ClassVar[settings]

    def runTest(self) -> None:  # noqa: N802 - unittest's name
        """Let Hypothesis drive, in a separate process; all calls of the adapter are made in one thread of that
        process."""
        try:
            failed, warned = apart(lambda: _outcome(self.machine, self.settings))
        except EndedError as error:
            raise AdapterStoppedError(f"{self.machine.adapter.name}: {error}") from None
        for one in warned:
            warnings.warn(one, stacklevel=2)
        if failed is not None:
            raise failed


def _outcome(machine: type[GridStateMachine], how: settings) -> tuple[BaseException | None, list[Warning]]:
    """Run a machine; return what it raised, in a form that can be sent to another process, and its warnings."""
    failed: BaseException | None = None
    with warnings.catch_warnings(record=True) as heard:
        try:
            run_machine(machine, how)
        except BaseException as error:  # pytest.skip() in a rule is no subclass of Exception
            lines = traceback.format_exception(error)
            if not getattr(error, "is_described_whole", False):
                error.add_note("".join(lines))
            try:
                failed = pickle.loads(pickle.dumps(error))
            except Exception:  # a user's error class, whose constructor needs more than the message
                failed = AssertionError("".join(lines))
    return failed, [one.message for one in heard if isinstance(one.message, Warning)]


@cache
def _test_case_of(machine: type[GridStateMachine]) -> type[MachineTestCase]:
    parts = {"machine": machine, "settings": settings_for(machine.adapter), "__module__": machine.__module__}
    return type(machine.__name__, (MachineTestCase,), parts)


def run_machine(machine: type[GridStateMachine], how: settings) -> None:
    """Run a machine as a test.

    Raise BrokenProgramError if a promise is broken, AdapterStoppedError if the adapter fails, and NothingComparedError
    if no promised property was compared.
    """
    adapter = check_adapter(machine.adapter, "the adapter")
    promised = {prop.name for options in machine.options for prop in promised_properties(adapter, options)}
    guard = Guard(adapter.name, machine.call_deadline_s)
    run = machine.run = MachineRun(guard)

    def drive() -> BaseException | None:
        try:
            run_state_machine_as_test(machine, settings=how)
        except (BrokenPromiseError, AdapterError, Flaky) as error:
            return error
        except Exception as error:  # an error of a rule that a subclass added
            if run.present is not None:
                error.add_note(describe_stopped("the rule failed", run.present.program_so_far(), adapter))
            raise
        return None

    try:
        failed = guard.run(drive)
        if failed is not None and run.latest is not None:
            guard.run(lambda: run.raise_found(adapter, machine.keep))
    except AdapterError as error:  # a call did not return
        failed = error
    if isinstance(failed, AdapterError):
        raise AdapterStoppedError(
            describe_stopped(str(failed), run.present.program_so_far() if run.present else None, adapter)
        )
    if failed is not None:
        raise failed
    run.raise_unless_compared(adapter, sorted(promised))


def state_machine_of(
    adapter: Adapter,
    *,
    options: Options | Iterable[Options] = OPTIONS,
    members_max: int = MEMBERS_MAX,
    call_deadline_s: float = CALL_DEADLINE_S,
    keep: Path | None = None,
) -> type[GridStateMachine]:
    """Return the state machine of an adapter; unittest and pytest collect its `TestCase`.

    Grids are opened with `options`, one or several to choose from; at most `members_max` data members run at one time;
    one call may take `call_deadline_s`; `keep` is a folder for programs that failed. Raise AdapterError if the adapter
    is invalid, or promises an unknown property.
    """
    chosen = (options,) if isinstance(options, Options) else tuple(options)
    for one in chosen:
        promised_properties(check_adapter(adapter, "the adapter"), one)
    name = "".join(part.capitalize() for part in adapter.name.split("-"))
    parts = {"adapter": adapter, "options": chosen, "members_max": members_max}
    parts |= {"call_deadline_s": call_deadline_s, "keep": keep, "__module__": sys._getframe(1).f_globals["__name__"]}
    return type(f"{name}Machine", (GridStateMachine,), parts)
