"""Verdicts on public histories, against Porcupine's own."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gridproof_properties.judging.verdict import Result
from gridproof_properties.linearizability import check_linearizable
from gridproof_properties.linearizability.models import Register, Text
from tests.properties.linearizability.porcupine_data import FOLDER_VARIABLE, read_etcd, read_key_value

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(FOLDER_VARIABLE not in os.environ, reason=f"{FOLDER_VARIABLE} names no copy of Porcupine"),
]
FOLDER = Path(os.environ.get(FOLDER_VARIABLE, "."))


def stated(pattern: str) -> Iterator[tuple[str, Result]]:
    """Yield each history and the verdict that Porcupine's tests state."""
    for name, good in re.findall(pattern, (FOLDER / "porcupine_test.go").read_text()):
        yield name, Result.HOLDS if good == "true" else Result.BROKEN


def test_every_etcd_history_gets_the_verdict_that_porcupine_gives() -> None:
    expected = dict(stated(r"checkJepsen\(t, (\d+), (\w+)\)"))

    found = {
        number: check_linearizable(
            Register(), read_etcd(FOLDER / "test_data" / "jepsen" / f"etcd_{int(number):03}.log")
        ).result
        for number in expected
    }

    assert len(expected) > 100
    assert found == expected


def test_every_key_value_history_gets_the_verdict_that_porcupine_gives() -> None:
    expected = dict(stated(r'checkKv\(t, "([\w-]+)", (\w+), true\)'))

    found = {
        name: check_linearizable(Text(), read_key_value(FOLDER / "test_data" / "kv" / f"{name}.txt")).result
        for name in expected
    }

    assert len(expected) == 6
    assert found == expected
