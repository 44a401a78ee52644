"""A verb of etcd's agent that not every audit needs: operations of clients, each executed as one transaction."""

from typing import Any

from gridproof_implementation.live.agent import ok
from gridproof_implementation.live.systems.etcd.gateway import Gateway, coded, value_of

OPERATIONS = ("put-if-absent", "compare-and-set", "compare-and-remove", "contains")


def operate(etcd: Gateway, kind: str, key: str, value: str | None, expected: str | None, **reads: bool) -> Any:
    """Execute an operation: make a change if a comparison is true; `reads` is the kind of read that `contains` uses."""
    if kind == "contains":
        return ok(value=etcd.get(key, **reads) is not None)
    named = {"key": coded(key)}
    put = {"request_put": {**named, "value": coded(value or "")}}
    if kind == "put-if-absent":
        absent = {**named, "target": "VERSION", "version": "0"}
        _, found = etcd.transact(absent, put, {"request_range": named})
        return ok(value=value_of(found.get("response_range", {})))
    is_expected = {**named, "target": "VALUE", "value": coded(expected or "")}
    change = put if kind == "compare-and-set" else {"request_delete_range": named}
    return ok(value=etcd.transact(is_expected, change)[0])
