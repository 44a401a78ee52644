"""A toy of processes that share a folder."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

from gridproof_implementation.adapter import ALWAYS, Adapter, FaultCondition, Kind, Promise, PromiseWord
from gridproof_implementation.live.agent_grid import agents
from gridproof_implementation.live.process import Launch
from gridproof_model.events.conditions import StatedTimes

AGENT = """
import os, time
from urllib.parse import quote, unquote
from gridproof_implementation.live.agent import ok, serve
ROOT = os.environ["GRIDPROOF_FOLDER"]
me, puts = "", 0
def lives(name):
    try:
        pid = int(open(os.path.join(ROOT, "pid-" + name)).read())
        return open(f"/proc/{pid}/stat").read().split(") ")[1][0] != "Z"
    except (OSError, ValueError, IndexError): return False
def members(): return [n for n in sorted(f[4:] for f in os.listdir(ROOT) if f.startswith("pid-")) if lives(n)]
def start(name, host, port, **fields):
    global me
    me = name
    write("pid-" + name, str(os.getpid()))
    return {"member": name, "address": f"{host}:{port}"}
def write(file, text):
    half = os.path.join(ROOT, f"half-{me}-{file}")
    with open(half, "w") as out: out.write(text)
    os.replace(half, os.path.join(ROOT, file))
def table(): return {"member": me, "rows": [members()[:2]]}
def settled(): return {"member": me, "members": members(), "why": None, "stamp": str(members())}
def partition(key): return {"partition": 0, "owner": members()[0]}
def put(key, value):
    write("key-" + quote(key, safe=""), value)
    return ok()
def get(key):
    try: return ok(value=open(os.path.join(ROOT, "key-" + quote(key, safe=""))).read())
    except FileNotFoundError: return ok(value=None)
def operate(kind, key, value, expected):
    import fcntl
    with open(os.path.join(ROOT, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        held = get(key)["value"]
        items = (held or "").split()
        if kind == "add":
            write("key-" + quote(key, safe=""), str(int(held or 0) + 1))
            return ok(value=int(held or 0) + 1)
        if kind == "put-if-absent":
            if held is None: write("key-" + quote(key, safe=""), value)
            return ok(value=held)
        if kind == "compare-and-set":
            if held == expected: write("key-" + quote(key, safe=""), value)
            return ok(value=held == expected)
        if kind == "items": return ok(value=items)
        if kind == "poll":
            write("key-" + quote(key, safe=""), " ".join(items[1:]))
            return ok(value=items[0] if items else None)
        write("key-" + quote(key, safe=""), " ".join([*items, value]))
        return ok(value=True)
def entries():
    keys = [unquote(file[4:]) for file in os.listdir(ROOT) if file.startswith("key-")]
    return {key: get(key)["value"] for key in keys}
def replicas(partitions=(0,)):
    if me not in members()[:2]: return {"copies": []}
    role = "primary" if members()[0] == me else "backup"
    return {"copies": [{"partition": 0, "role": role, "entries": entries()}]}
def leave():
    os.unlink(os.path.join(ROOT, "pid-" + me))
    return {"done": True}
"""
KINDS = ["add", "put-if-absent", "compare-and-set", "append", "items", "offer", "poll"]
VERBS = "start, table, settled, partition, put, operate, get, replicas, leave"
SERVE = f"\nserve('toy', '1', {VERBS}, operations={KINDS}, partitions=1)"
DOUBLES_OPERATIONS = """
was_operate, asked = operate, 0
def operate(kind, key, value, expected):
    global asked
    asked += 1
    if kind in ("add", "append", "offer") and asked % 20 == 0: was_operate(kind, key, value, expected)
    return was_operate(kind, key, value, expected)
"""
"""Every twentieth operation that changes something is executed twice."""
LOSES_OPERATIONS = """
was_operate, asked = operate, 0
def operate(kind, key, value, expected):
    global asked
    asked += 1
    is_lost = kind in ("append", "offer") and asked % 20 == 0
    return ok(value=True) if is_lost else was_operate(kind, key, value, expected)
"""
"""Every twentieth append or offer is acknowledged, and not done."""
POLLS_OUT_OF_ORDER = """
was_operate, polls = operate, 0
def operate(kind, key, value, expected):
    global polls
    polls += kind == "poll"
    first = was_operate(kind, key, value, expected)
    if kind != "poll" or polls % 5 or first["value"] is None: return first
    second = was_operate(kind, key, value, expected)
    items = get(key)["value"]
    write("key-" + quote(key, safe=""), f"{first['value']} {items}".strip())
    return second
"""
"""One poll in five takes the second of the queue."""
DOUBLES_WHEN_MEMBERS_CHANGE = """
was_operate, known = operate, None
def operate(kind, key, value, expected):
    global known
    is_repeated, known = known not in (None, members()), members()
    if is_repeated and kind in ("add", "offer"): was_operate(kind, key, value, expected)
    return was_operate(kind, key, value, expected)
"""
"""What is asked first after a change of members is done twice, as one that repeats a call without a number does it."""
FORGETS_AFTER_A_RESTART = """
was_put = put
def start(name, host, port, **fields):
    global me, forgets
    forgets = os.path.exists(os.path.join(ROOT, "pid-" + name))
    me = name
    write("pid-" + name, str(os.getpid()))
    return {"member": name, "address": f"{host}:{port}"}
def put(key, value): return ok() if forgets else was_put(key, value)
"""
"""One that was started again acknowledges writes and keeps none."""
REFUSES_CHANGES = """
from gridproof_implementation.live.agent import refused
def put(key, value): return refused("it is full")
def operate(kind, key, value, expected): return ok(value=[]) if kind == "items" else refused("it is full")
"""
COMES_BACK_NEVER = """
was_start = start
def start(name, host, port, **fields):
    assert not os.path.exists(os.path.join(ROOT, "pid-" + name)), "there was one of that name"
    return was_start(name, host, port, **fields)
"""
DOUBLES_WHILE_ONE_IS_GONE = """
def table():
    found = members()[:2]
    return {"member": me, "rows": [[found[0], found[0]] if len(members()) == 2 else found]}
"""
"""While a member is missing, rows name one twice: never at rest."""


PROMISED = ("acknowledged-key-present", "acknowledged-write-kept", "one-replica-per-member")


@dataclass(frozen=True, slots=True)
class Toy:
    """What opens a toy."""

    change: str = ""
    under: tuple[FaultCondition, ...] = ALWAYS
    promised: tuple[str, ...] = PROMISED

    def adapter(self) -> Adapter:
        launch = Launch((sys.executable, "-c", AGENT + self.change + SERVE))
        kept = Promise(PromiseWord.PROMISED, "its page, line 1", under=self.under)
        return Adapter(
            "toy",
            "processes that share a folder",
            Kind.GRID,
            agents(lambda _: launch),
            promises=dict.fromkeys(self.promised, kept),
            times=StatedTimes(5_000, 5_000),
            repeatable=False,
            patience_ms=200,
        )


DOUBLING_OPERATIONS_TOY, LOSING_OPERATIONS_TOY = Toy(DOUBLES_OPERATIONS).adapter(), Toy(LOSES_OPERATIONS).adapter()
HONEST: Callable[[], Adapter] = Toy().adapter
FORGETFUL: Callable[[], Adapter] = Toy(FORGETS_AFTER_A_RESTART).adapter
HONEST_TOY, FORGETFUL_TOY, DOUBLING_TOY = HONEST(), FORGETFUL(), Toy(DOUBLES_WHILE_ONE_IS_GONE).adapter()

IN_CALM = ("linearizability", "queue-order-kept", "addition-executed-once", "acknowledged-append-kept", *PROMISED)
CALM = (FaultCondition.CALM,)
"""Of agents that say nothing of faults: their promises are of a grid that nothing happens to."""
REORDERING_TOY = Toy(POLLS_OUT_OF_ORDER, CALM, IN_CALM).adapter()
REPEATING_TOY = Toy(DOUBLES_WHEN_MEMBERS_CHANGE, CALM, IN_CALM).adapter()
SHORTENING_TOY = Toy(LOSES_OPERATIONS, CALM, IN_CALM).adapter()
LOSING_TOY = Toy(FORGETS_AFTER_A_RESTART, CALM, IN_CALM).adapter()
LONE_TOY = Toy(COMES_BACK_NEVER).adapter()
FULL_TOY = Toy(REFUSES_CHANGES, CALM, PROMISED).adapter()
CALM_TOY = Toy("", CALM, PROMISED).adapter()
