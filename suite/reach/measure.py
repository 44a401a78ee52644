"""Measures in several processes which points many runs reach."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread

from suite.reach.loading import Process, child, ended_well, reports_of
from suite.reach.survey import PACKAGES

WORKER = "suite.reach.worker"
PLAY = "suite.reach.playing:play_seed"
VARIED = "suite.reach.playing:play_varied_seed"

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class ReachOfRun:
    """The points that one run reached."""

    seed: int
    bits: int
    """The points as bits of a number: bit n is set if the run executed point n."""
    seconds: float
    """The processor time of the run, including that of its probes."""

    def numbers(self) -> Iterator[int]:
        """Yield the numbers of the points that the run has executed."""
        bits = self.bits
        while bits:
            least = bits & -bits
            yield least.bit_length() - 1
            bits ^= least


@dataclass(slots=True)
class Reach:
    """The points that the runs so far have reached."""

    runs: list[ReachOfRun] = field(default_factory=list)
    counts: Counter[int] = field(default_factory=Counter)
    """For each point, the number of runs that executed it, however often each did."""

    def add(self, run: ReachOfRun) -> None:
        """Count one more run."""
        self.runs.append(run)
        self.counts.update(run.numbers())

    def fewest_seeds(self, wanted: Iterable[int]) -> list[int]:
        """Return seeds that together reach those of these points that any run reached; few seeds, if not the fewest."""
        left = sum(1 << number for number in wanted if self.counts[number])
        seeds: list[int] = []
        while left:
            best = max(self.runs, key=lambda run: ((run.bits & left).bit_count(), -run.seed))
            seeds.append(best.seed)
            left &= ~best.bits
        return sorted(seeds)


def measure(
    seeds: Sequence[int],
    workers: int = 1,
    progress: Progress | None = None,
    packages: Sequence[str] = PACKAGES,
    play: str = PLAY,
    into: Reach | None = None,
    words: Sequence[str] = (),
) -> Reach:
    """Play each seed in one of several processes; `play` names the module and the function, which also gets `words`.

    If `into` is given, the runs are added to it one by one, in the order in which they end.
    """
    reach = Reach() if into is None else into
    for run in runs_of(seeds, workers, packages, play, words):
        reach.add(run)
        if progress is not None:
            progress("runs", len(reach.runs), len(seeds))
    reach.runs.sort(key=lambda run: run.seed)
    return reach


def runs_of(
    seeds: Sequence[int],
    workers: int = 1,
    packages: Sequence[str] = PACKAGES,
    play: str = PLAY,
    words: Sequence[str] = (),
) -> Iterator[ReachOfRun]:
    """Yield what each seed reached, in the order in which runs end; when the caller stops, the processes end."""
    shares = [share for start in range(max(workers, 1)) if (share := seeds[start :: max(workers, 1)])]
    heard: SimpleQueue[ReachOfRun | Exception | None] = SimpleQueue()
    with ExitStack() as stack:
        for share in shares:
            task = {"packages": list(packages), "play": play, "seeds": list(share), "words": list(words)}
            process = stack.enter_context(child(WORKER, task))
            Thread(target=_listen, args=(process, heard), daemon=True).start()
        ended = 0
        while ended < len(shares):
            match heard.get():
                case ReachOfRun() as run:
                    yield run
                case None:
                    ended += 1
                case error:
                    raise error


def _listen(process: Process, heard: "SimpleQueue[ReachOfRun | Exception | None]") -> None:
    """Pass on the reports of a child process."""
    try:
        for seed, bits, seconds in reports_of(process):
            heard.put(ReachOfRun(seed, int(bits, 16), seconds))
        ended_well(process)
        heard.put(None)
    except Exception as error:  # an error in a thread would be lost otherwise
        heard.put(error)
