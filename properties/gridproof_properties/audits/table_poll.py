"""Tables that are polled while a live grid is at work.

A thread asks every running member for its table again and again, from the moment when clients begin until the grid is
at rest again. If a table differs from the one that the same member showed before, it is recorded as a view that is not
at rest: so properties that hold for every row and version, and not only at rest, are judged while members crash, join
and migrate. If a table is unchanged, an event says so; another event gives the member's list, if the member shows one
and the list has changed. At the end the poll reports how many tables it got, and how many of these were new.

A poll sees what lasts longer than the time between two polls; it misses what comes and goes between them. A member that
does not answer at once is skipped, and so is a table that names a member that is not recorded yet: a member may be in
tables before it answers that it has started. A new table has to be shown two times in a row: if a system reads a row
and the row's version one after the other, they may change in between, and then the table that it shows never existed.

If agents offer it, members are also asked for the versions of their copies of a few partitions; every answer is
recorded as an event, since even an unchanged version matters while writes are acknowledged.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from threading import Event as Flag
from threading import Lock, Thread

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
"""The versions of at most this many partitions are polled."""
VERSIONS_EVERY = 3
"""How many rounds of table polls pass between two polls of versions."""


@dataclass(slots=True)
class TablePoll:
    """Polls while its `with` statement runs; writes records under the lock that all recording threads share."""

    grid: AgentGrid
    recorder: Recorder
    lock: Lock
    stage: str
    partitions: Iterable[int] = ()
    """The partitions that the clients use."""
    asked: int = 0
    """The number of tables that members have shown."""
    unanswered: int = 0
    changed: int = 0
    """The number of tables that differed from the table before and therefore became views."""
    _shown: dict[Member, Sequence[ObservedRow]] = field(default_factory=dict)
    _listed: dict[Member, tuple[MemberId, ...]] = field(default_factory=dict)
    _over: Flag = field(default_factory=Flag)
    _thread: Thread | None = None

    def __enter__(self) -> "TablePoll":
        for member in self.grid.members():  # the views at rest have recorded these already
            with suppress(AdapterError, *FAILED):
                self._shown[member] = self.grid.poll(member, ANSWER_WITHIN_S)[0]
        self._thread = Thread(target=self._poll, name="table poll", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
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
