"""The audit of a grid: build it, load it, enlarge it, crash members, and end with the final reveal.

The audit calls the port and records what it answers; it judges nothing. Its steps:

1. Members start one by one; after each start, the grid settles and every member shows its table ("joined 1" ...). If
   several members have to found the grid together, these members start first, all at the same time ("founded").
2. Every key is written, and some keys are nearly alike (`key_of`); right after some of these writes, whether they
   succeeded or not, every member shows its own copy of the key ("acknowledgement"). If the grid can write several
   entries in one call, some calls do so ("load many"); if it can answer several calls at the same time, several clients
   write and read a few keys ("several clients"). At rest every member shows all that it holds, and its copies of some
   keys ("loaded"); it does so again after each later step.
3. One more member joins the grid. Some keys are read through each member, then all keys once, as a client would read
   them ("after join 4"); every third key is written again, so that an old copy that was left behind can be recognised
   ("load again").
4. Nothing happens for a while (for a minute, if the grid has its own time, which can pass at once), and a lite member
   joins, if the grid has such members: nothing may move ("quiet", "lite member joined").
5. The oldest member is killed (SIGKILL). Before any member has noticed the crash, some keys are written and some are
   read; a call that is not accepted is made again until it is accepted, or until the time is over within which the
   system states that it recovers ("during crash 1"). As soon as the grid is at rest, views, contents and all keys are
   recorded ("after crash 1"), and some keys are written again ("load after crash 1").
6. The final reveal (GLOSSARY.md) crashes members other than the oldest one. At the end, one of the remaining members
   leaves gracefully ("left").

Whenever the members have changed, and after the minute, each verb that the grid offers is called on a few keys of the
oldest member (`every_verb`: "every verb, loaded" ...).

Some grids give a new member its partitions, and restore lost copies, only on command. The audit of a grid with these
commands gives a command after each join; after each crash it waits for rest and starts another member ("repaired 1").
If no member can join after the founders and lost copies are not restored, the crash of step 5 is one of the crashes
that step 6 may cause.

When the slow calls of a stage have taken half a minute in all, the stage makes no more calls, and the trace says how
many calls were left out (`RecordedGrid.while_it_answers`).

A member is killed only while the grid is at rest, so the promise of a grid with b backups covers every acknowledged
write at any time. If the grid is not at rest when the deadline is over, no other member is killed: that would prove
nothing. If there are no backups, the oldest member leaves gracefully before step 5, which must lose nothing ("after
leave 1"); the crash then takes what the next oldest member held.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from random import Random
from typing import TypeVar

from gridproof_implementation.adapter import Ability, Adapter, AdapterError, AdapterFailure, Grid, Options
from gridproof_model.events.conditions import StatedTimes
from gridproof_model.membership import Member
from gridproof_properties.audits.client_calls import NAMES, Read, Write, ask, beyond_ascii, every_verb
from gridproof_properties.audits.recorded_grid import SLOW_CALLS_MS, RecordedGrid, is_ok
from gridproof_properties.audits.recorder import Sink
from gridproof_properties.audits.settle import SETTLE_DEADLINE_MS
from gridproof_properties.judging.samples import ACKNOWLEDGEMENT

LEAST_MEMBERS = 3
"""The fewest data members that a grid has when one is killed; with fewer, there is no copy that could move wrongly."""
T = TypeVar("T")
Ask = Callable[[], bool]
"""A function that makes a call and returns whether the call was accepted."""
KEYS_IN_TURN, BEYOND_ASCII = 16, 13
"""After how many keys the kinds of keys come again, and which one is beyond ASCII."""
LONG_EVERY, LONG_LENGTHS = 100, (2_000, 8_000)
"""The values of one key in this many are long: their number of characters is between these."""
ASKED_AGAIN_MS = 100
"""How long to wait before a call that was not accepted is first made again; each further wait is twice as long."""


@dataclass(frozen=True, slots=True)
class GridPlan:
    """How many keys, writes, reads and crashes an audit of a grid makes."""

    key_count: int = 800
    sampled_every: int = 10
    """One write in this many is followed by a look at all copies of its key."""
    looked_every: int = 5
    """One key in this many is read in every copy whenever contents are read."""
    many_calls: int = 10
    """The number of calls that write several entries each."""
    entries_a_call: int = 8
    rewritten_every: int = 3
    """One key in this many is written again after the last member has joined."""
    crash_write_count: int = 30
    """How many writes, and how many reads, there are between a crash and the moment when the grid notices it."""
    rewritten_after_crash_every: int = 10
    read_through_every: int = 4
    """One key in this many is also read through each member."""
    closer_look_count: int = 20
    """For at most this many keys per stage, every copy is recorded because a read of the key was unexpected."""
    quiet_ms: int = 1_000
    minute_ms: int = 60_000
    """The time that passes in step 4 if the grid has its own time."""
    clients: int = 4
    """How many clients work at the same time, if the grid allows that."""
    calls_a_client: int = 12
    shared_keys: int = 4
    """The number of keys that all these clients write and read."""
    slow_calls_ms: int = SLOW_CALLS_MS
    """How long the slow calls of a stage may take in all; after that, the other calls of the stage are left out."""
    settle_deadline_ms: int = SETTLE_DEADLINE_MS


def audit_grid(
    grid: Grid,
    system: Adapter,
    options: Options,
    sink: Sink,
    plan: GridPlan | None = None,
) -> None:
    """Run the whole audit; raise AdapterError if the grid can no longer be driven.

    A grid whose runs can be repeated has its own time, in which a minute passes at once.
    """
    chosen = plan or GridPlan()
    recorded = RecordedGrid(grid, system, options, sink, chosen.looked_every, chosen.settle_deadline_ms)
    _GridAudit(recorded, options, chosen, system.times, system.repeatable).run()


@dataclass(slots=True)
class _GridAudit:
    grid: RecordedGrid
    options: Options
    plan: GridPlan
    times: StatedTimes
    has_own_time: bool
    verb_keys: dict[str, str] = field(default_factory=dict)
    """The keys on which each verb is called, by what they are used for."""
    acknowledged: dict[str, str] = field(default_factory=dict)
    """For each key, the last acknowledged value; it is used to decide where to look closer, and not for a verdict."""
    writes: int = 0
    is_unread: bool = False
    """Whether something was written since all keys were last read."""

    def run(self) -> None:
        if Ability.FOUND in self.grid.abilities:
            self.grid.start_founders()
            self._settle_and_look("founded")
        else:
            for count in range(1, self.options.member_count + 1):
                self._join(count)
        self._load()
        self._enlarge()
        self._change_nothing()
        is_left = self.grid.backup_count == 0 and len(self.grid.data_members()) > 1 and not self.grid.traits.bound
        if is_left and self._offers(Ability.LEAVE):
            self._leave(self.grid.data_members()[0])
        if self.grid.at_rest and len(self.grid.data_members()) > 1 and self._offers(Ability.CRASH):
            chance = Random(self.options.seed)
            self._crash(self.grid.members()[0], 1)
            for count in range(1, self.grid.backup_count + 1 - self._stays_fewer):
                self._reveal(chance, count)
        if self.grid.backup_count and len(self.grid.data_members()) > 1 and not self.grid.traits.bound:
            self._leave_last()
        if self.is_unread:
            self._read_all("at the end")

    @property
    def _stays_fewer(self) -> bool:
        """Whether members that ended are never replaced; then each crash leaves one copy fewer for good."""
        return self.grid.traits.fixed and Ability.REPAIR not in self.grid.abilities

    def _offers(self, ability: Ability) -> bool:
        """Return whether the grid offers an ability; if it does not, record that."""
        if ability in self.grid.abilities:
            return True
        self.grid.note_not_offered(f"{ability.value}(): the grid has no such method")
        return False

    def _join(self, count: int) -> None:
        self._start_member()
        self._settle_and_look(f"joined {count}")

    def _start_member(self) -> None:
        """Start a member; if the grid gives it partitions only on command, give that command."""
        self.grid.start_member()
        if Ability.REPAIR in self.grid.abilities:
            self.grid.repair_copies()

    def _make_copies_anew(self, count: int) -> None:
        """After a crash, start another member if the grid restores lost copies only on command."""
        if Ability.REPAIR in self.grid.abilities and not self.grid.traits.fixed and self.grid.at_rest:
            self._start_member()
            self._look_at_all(f"repaired {count}")

    def _load(self) -> None:
        self._write(range(self.plan.key_count), "load")
        if Ability.WRITE_MANY in self.grid.abilities and self.grid.holds_data:
            for call in range(self.plan.many_calls):
                self._write_many(call)
        if self.grid.traits.at_once and self.grid.holds_data:
            self._ask_at_once()
        self._look_at_all("loaded")
        self._choose_keys()
        self._ask_every_verb("loaded")

    def _enlarge(self) -> None:
        before, traits = self.options.member_count, self.grid.traits
        if traits.fixed or traits.bound:
            what = "nobody joins after the founders" if traits.fixed else "a newcomer is one copy more than asked for"
            self.grid.note_not_offered(f"start_member(): {what}")
            self._load_again("founded")
            return
        for count in range(before + 1, max(before + 1, LEAST_MEMBERS) + 1):
            self._join(count)
            self.grid.look_at_contents()
            self._ask_every_verb(f"joined {count}")
            self._load_again(f"join {count}")

    def _load_again(self, what: str) -> None:
        self._read_all(f"after {what}")
        self._write(range(0, self.plan.key_count, self.plan.rewritten_every), "load again")
        if self.options.async_backup_count:  # an acknowledgement does not cover them: they may be under way
            self._look_at_all("loaded again")

    def _change_nothing(self) -> None:
        """Let time pass, and let a lite member join."""
        self.grid.wait(self.plan.minute_ms if self.has_own_time else self.plan.quiet_ms)
        self._look_at_all("quiet")
        if self.has_own_time:
            self._ask_every_verb("quiet")
        try:
            self.grid.start_member(lite=True)
        except AdapterFailure:
            raise
        except AdapterError as error:
            self.grid.note_not_offered(str(error))
            return
        self._settle_and_look("lite member joined")

    def _leave(self, member: Member) -> None:
        self.grid.leave(member)
        self._look_at_all("left 1")
        self._read_all("after leave 1")
        self._ask_every_verb("after leave 1")

    def _leave_last(self) -> None:
        """Let one of the members that the final reveal has left alive leave gracefully."""
        if self.grid.at_rest and self._offers(Ability.LEAVE):
            self.grid.leave(self.grid.data_members()[-1])
            self._look_at_all("left")
            self._ask_every_verb("after leave")

    def _crash(self, victim: Member, count: int) -> None:
        self._choose_keys()
        self._ask_every_verb(f"before crash {count}")
        self.grid.crash(victim)
        until_ms = self.grid.now_ms + self.times.accepted_within_ms
        stage = f"during crash {count}"
        left = self._ask_until(until_ms, self._calls_for(stage), stage, or_rest=True)
        self._look_at_all(f"crashed {count}")
        self._ask_until(until_ms, left, stage, or_rest=False)
        self._make_copies_anew(count)
        self._ask_every_verb(f"after crash {count}")
        self._read_all(f"after crash {count}")
        every = self.plan.rewritten_after_crash_every
        self._write(range(0, self.plan.key_count, every), f"load after crash {count}")

    def _reveal(self, chance: Random, count: int) -> None:
        younger = self.grid.data_members()[1:]
        if not self.grid.at_rest or not younger:
            return
        self.grid.crash(chance.choice(younger))
        self._look_at_all(f"revealed {count}")
        self._make_copies_anew(count + 1)
        self._ask_every_verb(f"after reveal {count}")
        self._read_all(f"after reveal {count}")

    def _calls_for(self, stage: str) -> list[Ask]:
        """Return the calls to make after a crash: reads of known keys, and writes of new keys."""
        if not self.grid.holds_data:
            return []
        wanted, first = self.plan.crash_write_count, self.plan.key_count
        known = list(self.grid.keys)[:: max(1, len(self.grid.keys) // max(wanted, 1))][:wanted]
        return [
            *(partial(self._is_answered, key, stage) for key in known),
            *(partial(self._write_one, number, stage, is_sampled=True) for number in range(first, first + wanted)),
        ]

    def _ask_until(self, until_ms: int, asked: list[Ask], stage: str, *, or_rest: bool) -> list[Ask]:
        """Make calls, and repeat each call that is not accepted, until a given time or until the grid is at rest;
        return the calls that were never accepted."""
        pause_ms = ASKED_AGAIN_MS
        while asked:
            is_last = self.grid.now_ms >= until_ms
            asked = [ask for ask in self._within_the_stage(asked, stage) if not ask()]
            if is_last or not asked or (or_rest and self.grid.why_unsettled() is None):
                break
            self.grid.wait(max(1, min(pause_ms, until_ms - self.grid.now_ms)))
            pause_ms *= 2
        return asked

    def _settle_and_look(self, stage: str) -> None:
        """Wait until the grid is at rest, then record the table of every member."""
        self.grid.stage = stage
        self.grid.settle()

    def _look_at_all(self, stage: str) -> None:
        """Wait until the grid is at rest; record every table, what every member holds of every partition, in any role,
        and its copies of some keys."""
        self._settle_and_look(stage)
        self.grid.look_at_contents()

    def _write(self, numbers: range, stage: str) -> None:
        """Write these keys, each with a value that is written only here."""
        if self.grid.holds_data:
            for number in self._within_the_stage(numbers, stage):
                self._write_one(number, stage, is_sampled=(self.writes + 1) % self.plan.sampled_every == 0)

    def _within_the_stage(self, asked: Sequence[T], stage: str) -> Iterator[T]:
        """Yield the calls to make in a stage until its slow calls have taken too long."""
        self.grid.stage = stage
        return self.grid.while_it_answers(asked, self.plan.slow_calls_ms)

    def _write_one(self, number: int, stage: str, *, is_sampled: bool) -> bool:
        """Write one key; return whether the write was accepted."""
        key, value, self.is_unread = key_of(number), self._value_for(number), True
        self.grid.stage = stage
        answer = self.grid.write(key, value)
        if is_ok(answer):
            self.acknowledged[key] = value
        if is_sampled:
            self.grid.look_at_copies(key, ACKNOWLEDGEMENT)
        return is_ok(answer)

    def _write_many(self, call: int) -> None:
        """Write several keys in one call."""
        keys = [f"many-{call}-{number}" for number in range(self.plan.entries_a_call)]
        entries, self.is_unread = {key: self._next_value() for key in keys}, True
        self.grid.stage = "load many"
        if is_ok(self.grid.write_many(entries)):
            self.acknowledged |= entries

    def _ask_at_once(self) -> None:
        """Have several clients write and read the same keys: each client writes and reads in turn, and when one client
        writes, the next client reads."""
        self.grid.stage, self.is_unread = "several clients", True
        keys = [f"shared-{number}" for number in range(self.plan.shared_keys)]
        numbers = range(self.plan.calls_a_client)
        self.grid.ask_at_once(
            [
                [
                    (keys[number // 2 % len(keys)], self._next_value() if (number + client) % 2 else None)
                    for number in numbers
                ]
                for client in range(self.plan.clients)
            ]
        )

    def _choose_keys(self) -> None:
        """Choose the keys on which each verb is called: keys of the oldest data member, which is killed later."""
        if self.grid.holds_data:
            oldest = self.grid.data_members()[0]
            self.verb_keys = {name: self.grid.find_key(name, oldest) for name in NAMES}

    def _ask_every_verb(self, stage: str) -> None:
        """Call each verb that the grid offers, on a few keys."""
        if not self.grid.holds_data or not self.verb_keys:
            return
        calls = list(every_verb(self.grid.abilities, self.grid.operations, self.verb_keys, self._next_value))
        for call in self._within_the_stage(calls, f"every verb, {stage}"):
            answer = self.grid.read(call.key) if isinstance(call, Read) else ask(call, self.grid)
            if isinstance(call, Write) and is_ok(answer):
                self.acknowledged[call.key] = call.value

    def _next_value(self) -> str:
        value, self.writes = f"value-{self.writes}", self.writes + 1
        return value

    def _value_for(self, number: int) -> str:
        """Return the next value of a key; a system may keep only the beginning of a long one, or lose what is not
        ASCII, blanks at the ends, or what it escapes."""
        value, (long, length) = self._next_value(), _long_values(self.options.seed, self.plan.key_count)
        if number % LONG_EVERY == long:
            return f"{value.ljust(length, '-')}-{self.writes}"
        return beyond_ascii(value) if number % KEYS_IN_TURN == BEYOND_ASCII else value

    def _read_all(self, stage: str) -> None:
        """Read some keys through each member, then every key once; where a read is unexpected, look at every copy, up
        to a limit."""
        self.is_unread = False
        keys, through = list(self.grid.keys), f"through members {stage}"
        each = [(key, member) for key in keys[:: self.plan.read_through_every] for member in self.grid.members()]
        for key, member in self._within_the_stage(each, through):
            self._read(key, through, member)
        unexpected = [key for key in self._within_the_stage(keys, stage) if self._read(key, stage) is False]
        for key in self._within_the_stage(unexpected[: self.plan.closer_look_count], stage):
            self.grid.look_at_copies(key, stage)

    def _is_answered(self, key: str, stage: str) -> bool:
        return self._read(key, stage) is not None

    def _read(self, key: str, stage: str, through: Member | None = None) -> bool | None:
        """Read one key; return whether the value is the last acknowledged value, or None if there was no answer."""
        self.grid.stage = stage
        answer = self.grid.read(key, through=through)
        return answer.value == self.acknowledged.get(key, answer.value) if is_ok(answer) else None


def key_of(number: int) -> str:
    """Return the key with a number.

    Most are plain. Some differ from another only in what a system that changes keys would lose: the case of a letter, a
    blank at the end, the way in which an accent is written, or what follows the first 120 characters.
    """
    match number % KEYS_IN_TURN:
        case 3:
            return f"KEY-{number - 1}"
        case 5:
            return f"key-{number - 1} "
        case 8:
            return f"k\u00e9y-{number}"
        case 9:
            return f"ke\u0301y-{number - 1}"
        case 11:
            return f"key-{'k' * 120}-{number}"
        case 13:  # BEYOND_ASCII: a hash of characters may be no hash of bytes
            return f"schlüssel 鍵 😀-{number}"
        case _:
            return f"key-{number}"


@cache
def _long_values(seed: int, key_count: int) -> tuple[int, int]:
    """Return which key of every `LONG_EVERY` has long values, and how long they are."""
    chance = Random(seed)
    return chance.randrange(min(LONG_EVERY, key_count or 1)), chance.randint(*LONG_LENGTHS)
