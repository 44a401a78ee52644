"""A Spark session that prints nothing and leaves nothing behind.

The session is local by default: all connections are on loopback, there is no web page, and all scratch files are in one
temporary directory, which is deleted when the session ends. The output of Java goes to a file in that directory; if
Java does not start, the error shows the last line of the file.
"""

import logging
import os
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from typing import Any, ClassVar
from unittest.mock import patch
from zipfile import ZipFile

from gridproof_implementation.simulator.run import VERSION
from gridproof_reports.pipeline.java import PipelineError, find_java

try:
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark import SparkContext, java_gateway
    from pyspark.sql import SparkSession
except ImportError as error:
    raise PipelineError("Spark jobs need PySpark; type: pip install 'gridproof[spark]'") from error

DEFAULT_MASTER = "local[*]"
WING_PACKAGES = ("gridproof_model", "gridproof_implementation", "gridproof_properties", "gridproof_reports")
_QUIET: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
}
_LOOPBACK: Mapping[str, str] = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
_COLLECTOR = "-XX:+UseParallelGC"
"""With this collector, auditing ten million rows takes a quarter less time; its pauses do no harm here."""
_QUICK = "-XX:TieredStopAtLevel=1"
"""This option halves the time of a small job, but a job of ten million rows takes a third longer with it."""
_DRIVER_MEMORY = "2g"
"""Enough memory for ten million rows in local mode, where the driver does the work; more rows are written to disk."""
_END_SECONDS = 30


@contextmanager
def open_session(
    master: str = DEFAULT_MASTER, shuffle_partitions: int | None = None, *, is_small: bool = False
) -> Iterator[SparkSession]:
    """Start a session, and stop it when the block ends; raise PipelineError if Java or the master is missing.

    `shuffle_partitions` is the number of parts of a shuffle; by default, four for each core of the master. If the work
    `is_small`, it ends before the JVM has warmed up.
    """
    java = find_java()
    scratch_folder = tempfile.TemporaryDirectory(prefix="gridproof-spark-", ignore_cleanup_errors=True)
    with scratch_folder as scratch, _without_words_of_pyspark():
        flags = f"{_COLLECTOR} {_QUICK}" if is_small else _COLLECTOR
        spark = _start(master, Path(scratch), java.home, flags)
        try:
            parts = shuffle_partitions or max(8, 4 * spark.sparkContext.defaultParallelism)
            spark.conf.set("spark.sql.shuffle.partitions", str(parts))
            yield spark
        except (ConnectionError, Py4JNetworkError):  # Java looks for a master for a minute, and then ends
            cure = "check that the master of --master runs and has workers"
            raise PipelineError(f"Spark's Java process (master {master}) ended during the work: {cure}") from None
        finally:
            try:
                with suppress(ConnectionError, Py4JError):
                    spark.stop()
            finally:
                _end_java()


def _start(master: str, scratch: Path, java_home: Path, flags: str) -> SparkSession:
    is_local = master.startswith("local")
    builder = SparkSession.builder.master(master).appName("gridproof")
    settings = {
        **_QUIET,
        **(_LOOPBACK if is_local else {}),
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.driver.memory": _DRIVER_MEMORY,
        "spark.driver.extraJavaOptions": flags,
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    log = scratch / "java.log"
    variables = {
        "JAVA_HOME": str(java_home),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    } | ({"SPARK_LOCAL_IP": "127.0.0.1"} if is_local else {})
    try:
        with patch.dict(os.environ, variables), _errors_to(log), _own_interrupts(), _no_java_left_half_started():
            spark = builder.getOrCreate()
    except Exception as failure:
        _end_java()
        raise PipelineError(f"Spark did not start on {master} ({_reason(failure, log)}); check --master") from None
    spark.sparkContext.setLogLevel("OFF")
    if not is_local:
        spark.sparkContext.addPyFile(str(_zip_wings(scratch)))
    return spark


def _end_java() -> None:
    """End the Java process of PySpark, so that the next session can choose its own master and settings.

    If the process does not end, or if a second Ctrl-C comes before it ends, it is killed, as nothing else would end it.
    """
    gateway: Any = SparkContext._gateway
    if gateway is None:
        return
    SparkContext._gateway = SparkContext._jvm = None
    try:
        with suppress(ConnectionError, Py4JError):
            gateway.shutdown()
        with suppress(OSError):
            gateway.proc.stdin.close()
        with suppress(TimeoutExpired):
            gateway.proc.wait(timeout=_END_SECONDS)
    finally:
        gateway.proc.kill()


class _Noted(Popen[bytes]):
    """A process that PySpark starts; noted here because PySpark keeps no reference to it while waiting for it."""

    started: ClassVar[list[Popen[bytes]]] = []

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self.started.append(self)


@contextmanager
def _no_java_left_half_started() -> Iterator[None]:
    """Kill a Java process whose start is interrupted: PySpark does not know of it then, and it would wait for ever."""
    _Noted.started.clear()
    try:
        with patch.object(java_gateway, "Popen", _Noted):
            yield
    except BaseException:
        for process in _Noted.started:
            process.kill()
        raise


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep the present handler of Ctrl-C: Spark's own handler would call Java in the middle of another call."""
    heard = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, heard)


@contextmanager
def _without_words_of_pyspark() -> Iterator[None]:
    """Suppress what PySpark prints about a call to Java that Ctrl-C interrupts: the command reports it in one line."""
    silence = logging.NullHandler()  # without a handler, the first message would create one that prints
    logging.getLogger().addHandler(silence)
    try:
        with warnings.catch_warnings():  # a warning that a stopping Java, later killed, does not answer
            warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"pyspark\.")
            yield
    finally:
        logging.getLogger().removeHandler(silence)


@contextmanager
def _errors_to(log: Path) -> Iterator[None]:
    """Redirect the standard error of processes started in the block to a file."""
    sys.stderr.flush()
    kept = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


def _reason(failure: Exception, log: Path) -> str:
    lines = [*log.read_text(errors="replace").splitlines(), *_text_of(failure).splitlines()]
    causes = [line for line in lines if "Exception: " in line and not line.rstrip().endswith(":")]
    line = (causes or lines or [type(failure).__name__])[0]
    return line.rpartition("Exception: ")[2].strip()


def _text_of(failure: Exception) -> str:
    try:
        return str(failure)
    except Exception:  # the message is fetched from Java, which has ended
        return "its Java process has ended"


def _zip_wings(scratch: Path) -> Path:
    """Return a zip of gridproof's packages, together with their version, for workers on other machines."""
    target = scratch / "gridproof-wings.zip"
    with ZipFile(target, "w") as zipped:
        for package in WING_PACKAGES:
            root = Path(__import__(package).__file__ or "").parent
            for source in sorted(root.rglob("*.py")):
                zipped.write(source, Path(package) / source.relative_to(root))
        metadata = f"Metadata-Version: 2.1\nName: gridproof\nVersion: {VERSION}\n"
        zipped.writestr(f"gridproof-{VERSION}.dist-info/METADATA", metadata)
    return target
