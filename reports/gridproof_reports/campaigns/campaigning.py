"""Simulates parts of a campaign on Spark's executors.

Each part is a task: an executor simulates, judges and measures its runs, and returns the bytes of a Parquet file, which
the driver puts into the campaign's folder; executors share no disk. Each part is a Spark job of its own, and as many
jobs run at a time as the master has cores: so a finished part is kept at once, and no part waits for the slowest one.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from itertools import islice

from pyspark.sql import SparkSession

from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_reports.campaigns.plan import Part, Texts
from gridproof_reports.campaigns.rows import RunFailedError, make_part
from gridproof_reports.pipeline.java import PipelineError
from gridproof_reports.pipeline.session import open_session

Work = tuple[Part, Texts, DrawOptions, bool]
"""A part, the parameters and draw options of its cell, and whether one run of every eight is judged step by step."""


Simulate = Callable[[Sequence[Work]], Iterator[tuple[Part, bytes]]]
"""A function that yields each part with its Parquet file, in the order in which they are finished."""


@contextmanager
def open_executors(master: str) -> Iterator[Simulate]:
    """Start Spark and yield a function that simulates parts on it; PipelineError if a component of Spark is missing."""
    with open_session(master) as spark:
        yield partial(simulate_parts, spark)


def simulate_parts(
    spark: SparkSession, work: Sequence[Work], side_by_side: int | None = None
) -> Iterator[tuple[Part, bytes]]:
    """Yield each part with its Parquet file, in the order in which the parts are finished.

    `side_by_side` is the number of parts that are simulated at a time; by default, the number of cores of the master.
    Raise RunFailedError, which names the run, if a run failed, and PipelineError, which says why, if Spark gave up.
    """
    waiting: set[Future[tuple[Part, bytes]]] = set()
    remaining = iter(work)
    workers = side_by_side or spark.sparkContext.defaultParallelism
    with ThreadPoolExecutor(workers) as pool:
        try:
            waiting |= {pool.submit(_simulate_one, spark, one) for one in islice(remaining, workers)}
            while waiting:
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                waiting |= {pool.submit(_simulate_one, spark, one) for one in islice(remaining, len(finished))}
                yield from (future.result() for future in finished)
        except BaseException:
            spark.sparkContext.cancelAllJobs()
            raise


def _simulate_one(spark: SparkSession, work: Work) -> tuple[Part, bytes]:
    """Let an executor simulate one part."""
    part = work[0]
    try:
        (found,) = spark.sparkContext.parallelize([work], 1).map(_on_executor).collect()
    except Exception as error:
        reason = next((line for line in str(error).splitlines() if "Exception" in line or "Error" in line), str(error))
        where = f"seeds {part.first} to {part.last} of cell {part.cell}"
        raise PipelineError(
            f"Spark gave up on {where} ({reason.strip()[:200]}); finished runs are kept: give the same command again"
        ) from None
    if isinstance(found, str):
        raise RunFailedError(found)
    return part, found


def _on_executor(work: Work) -> bytes | str:
    """Return the Parquet file of a part, or a text that says what failed: an exception would lose its message."""
    part, cell, draw_options, steps = work
    try:
        return make_part(part, cell, draw_options, steps=steps)
    except RunFailedError as failed:
        return str(failed)
