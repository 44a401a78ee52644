"""Tables looked at while a live grid is at work.

A thread asks every member that runs for its table, over and over, from the moment clients begin until the grid is at
rest again. A table that is another than the one this member showed last becomes a view like any other, not at rest: so
what must be so of every row and version, and not at rest only, is judged while members crash, join and migrate. That
one is as it was is an event, and so is whom the member lists, where it says so and lists others than before; how often
was asked, and how often something was new, is reported in the end.

A poll sees what is so for longer than the time between two; what comes and goes in between it misses. A member that
does not answer at once is passed over, and so is a table that names somebody who is not introduced yet: a member stands
in tables before it answers that it has started. What is new has to be shown twice in a row: a system whose row and
version are read one after the other may change in between, and no table of its own ever was so.

Where agents offer it, members are asked as well which updates their copies of a few partitions count; every answer is
an event, for one that stays as it was while writes are acknowledged is what matters.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from threading import Event as Flag
from threading import Lock, Thread
from types import TracebackType

from gridproof_implementation.adapter import AdapterError, ObservedRow
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.process import FAILED
from gridproof_implementation.live.running import ask_versions
from gridproof_model.events.harness import ListShown, TableShownAgain, TablesPolled, VersionsShown
from gridproof_model.membership import Member, MemberId
from gridproof_properties.audits.recorder import Recorder

POLL_EVERY_S = 0.2
ANSWER_WITHIN_S = 1.0
VERSIONS_OF = 8
"""The most partitions whose versions are polled."""
VERSIONS_EVERY = 3
"""After so many rounds of tables."""


@dataclass(slots=True)
class TablePoll:
    """Polls from entering to leaving; records under the lock of whoever else records."""

    grid: AgentGrid
    recorder: Recorder
    lock: Lock
    stage: str
    partitions: Iterable[int] = ()
    """Those that clients use."""
    asked: int = 0
    """Tables that were shown."""
    unanswered: int = 0
    changed: int = 0
    """Tables that were another than the one before, and became views."""
    _shown: dict[Member, Sequence[ObservedRow]] = field(default_factory=dict)
    _listed: dict[Member, tuple[MemberId, ...]] = field(default_factory=dict)
    _over: Flag = field(default_factory=Flag)
    _thread: Thread | None = None

    def __enter__(self) -> "TablePoll":
        for member in self.grid.members():  # the views at rest have these already
            with suppress(AdapterError, *FAILED):
                self._shown[member] = self.grid.poll(member, ANSWER_WITHIN_S)[0]
        self._thread = Thread(target=self._poll, name="table poll", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        with self.lock:
            polled = TablesPolled(self.asked, self.changed, self.unanswered)
            self.recorder.event(self.grid.now_ms, polled)

    def _poll(self) -> None:
        looks: list[tuple[int, Callable[[Member], None]]] = [(1, self._look)]
        if "versions" in self.grid.hello.offers:
            polled = sorted(set(self.partitions))[:VERSIONS_OF]
            looks.append((VERSIONS_EVERY, partial(self._look_at_versions, polled)))
        for number in count(1):
            if self._over.wait(POLL_EVERY_S):
                return
            for look in [look for every, look in looks if number % every == 0]:
                for member in self.grid.members():
                    if not self._over.is_set():
                        look(member)

    def _look(self, member: Member) -> None:
        try:
            rows, listed = self.grid.poll(member, ANSWER_WITHIN_S)
            is_new = rows != self._shown.get(member)
            again = self.grid.poll(member, ANSWER_WITHIN_S)[0] if is_new else rows
        except (AdapterError, *FAILED):
            self.unanswered += 1
            return
        self.asked += 1
        with self.lock:
            if listed is not None and listed != self._listed.get(member):
                self._listed[member] = listed
                numbers = tuple(map(self.recorder.number, listed))
                self.recorder.event(self.grid.now_ms, ListShown(numbers), member)
            if not is_new:
                self.recorder.event(self.grid.now_ms, TableShownAgain(), member)
            elif rows == again:
                self.changed += 1
                self._shown[member] = rows
                self.recorder.view(self.grid.now_ms, self.stage, member, rows, settled=False)

    def _look_at_versions(self, polled: Sequence[int], member: Member) -> None:
        asked_ms = self.grid.now_ms
        try:
            copies = ask_versions(self.grid.process_of(member), polled, ANSWER_WITHIN_S)
        except (AdapterError, *FAILED):
            self.unanswered += 1
            return
        with self.lock:
            for copy in copies:
                row = -1 if copy.row_version is None else copy.row_version
                shown = VersionsShown(copy.partition, copy.index, row, copy.versions, asked_ms)
                self.recorder.event(self.grid.now_ms, shown, member)
