"""A process of its own for modules loaded anew.

The child is `python -m MODULE`. It reads its task, one JSON object, from standard input, and says what it finds on
standard output, one JSON value a line. It ends when it is done, and is ended when nobody wants more of it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Process = subprocess.Popen[str]


@contextmanager
def child(module: str, task: Mapping[str, object]) -> Iterator[Process]:
    """Start a child with its task; it is ended at the latest with the block."""
    # Where it imports from, and the order of its sets, are the same as here and each time.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONHASHSEED": "0"}
    words = [sys.executable, "-m", module]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True, encoding="utf-8"
    ) as process:
        try:
            assert process.stdin is not None
            json.dump(task, process.stdin)
            process.stdin.close()
            yield process
        finally:
            process.kill()


def reports_of(process: Process) -> Iterator[Any]:
    """Yield what a child reports, until it ends."""
    assert process.stdout is not None
    for line in process.stdout:
        yield json.loads(line)


def ended_well(process: Process) -> None:
    """See that a child did all it was to do; RuntimeError when it did not."""
    if status := process.wait():
        raise RuntimeError(f"a process of {sys.executable} ended with status {status}; what it said is above")


def task() -> Any:
    """Return the task of this process, which is the child."""
    return json.load(sys.stdin)


def report(found: object) -> None:
    """Report to the parent, as the child."""
    print(json.dumps(found), flush=True)
