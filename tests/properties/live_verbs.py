"""Every verb at every moment of a live run: processes that share a folder, and answer wrongly only there.

The scenario is drawn as for simulated members; the faults are those of real processes. Which moment it is each member
reads off the folder: who lives, who came or went last, when the first entry was written.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

from gridproof_implementation.adapter import ALWAYS, Adapter, Kind, Options, Promise, PromiseWord
from gridproof_implementation.live.agent_grid import agents
from gridproof_implementation.live.process import Launch
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario, Script
from gridproof_implementation.simulator.workload import Load
from gridproof_model.events.conditions import StatedTimes
from gridproof_properties.campaign.live import play_and_judge
from gridproof_properties.judging.verdict import exit_status
from tests.properties import live_toy
from tests.properties.simulated_verbs import WORKLOADS, drawn
from tests.properties.verbs_and_moments import MINUTE_MS, Lie, Moment

KINDS = (
    "put-if-absent", "compare-and-remove", "compare-and-set", "contains", "size", "add", "append", "items", "offer",
    "poll", "lock", "unlock", "locked",
)  # fmt: skip
AT_ONCE_MS = 50
"""Real processes take longer to answer than simulated ones."""
OF_ALL_VERBS = """
import fcntl, socket, threading
from contextlib import contextmanager
from gridproof_implementation.live.agent import refused
was_start, was_put, was_get = start, put, get
is_cut = False
def said(file):
    try: return open(os.path.join(ROOT, file)).read()
    except FileNotFoundError: return ""
def ping(port):
    # Whether a member whose process lives cannot be reached.
    global is_cut
    while True:
        found = False
        for name in members():
            try: socket.create_connection(said("at-" + name).split(), 0.2).close()
            except (OSError, ValueError, TypeError): found = True
        is_cut = found
        time.sleep(0.05)
def start(name, host, port, **fields):
    if MOMENT == "cut":
        listener = socket.create_server((host, port))
        threading.Thread(target=lambda: [listener.accept()[0].close() for _ in iter(int, 1)], daemon=True).start()
        write("at-" + name, f"{host} {port}")
        threading.Thread(target=ping, args=[port], daemon=True).start()
    if said("first"): write("change", "after a join")
    return was_start(name, host, port)
def leave():
    write("change", "after a leave")
    os.unlink(os.path.join(ROOT, "pid-" + me))
    return {"done": True}
def dead():
    return [file[4:] for file in os.listdir(ROOT) if file.startswith("pid-") and not lives(file[4:])]
def settled():
    if said("change") and not dead(): write("rested", "1")
    return {"member": me, "members": members(), "why": None, "stamp": str(members())}
def lies(verb, key):
    now_ms = time.time() * 1000
    if not said("first"): write("first", str(now_ms))
    asked = f"asked-{verb}-" + quote(key, safe="")
    before_ms = float(said(asked) or 0)
    write(asked, str(now_ms))
    if verb != VERB: return False
    if MOMENT == "calm": return not said("change") and not dead()
    if MOMENT == "after a crash": return bool(dead())
    if MOMENT == "promoted": return any(name < members()[0] for name in dead())
    if MOMENT == "cut": return is_cut
    if MOMENT == "at once again": return now_ms - before_ms <= AT_ONCE_MS
    if MOMENT == "at rest after a change": return bool(said("rested")) and not dead()
    if MOMENT == "a minute later": return now_ms - float(said("first")) >= MINUTE_MS
    return said("change") == MOMENT and not dead()
@contextmanager
def alone():
    with open(os.path.join(ROOT, "alone"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
def put(key, value):
    with alone(): return ok() if lies("put", key) else was_put(key, value)
def get(key):
    with alone(): found, is_lie = was_get(key), lies("get", key)
    return found if not is_lie else ok(value="ghost" if found["value"] is None else None)
def remove(key):
    with alone():
        if not lies("remove", key) and was_get(key)["value"] is not None:
            os.unlink(os.path.join(ROOT, "key-" + quote(key, safe="")))
    return ok()
def put_many(entries):
    with alone():
        if lies("several entries", "") and len(entries) > 1: entries.popitem()
        for key, value in entries.items(): was_put(key, value)
    return ok()
def entries():
    keys = [unquote(file[4:]) for file in os.listdir(ROOT) if file.startswith("key-")]
    return {key: was_get(key)["value"] for key in keys}
def operate(kind, key, value, expected):
    with alone(): return operated(kind, key, value, expected, lies(kind, key))
def operated(kind, key, value, expected, is_lie):
    if kind == "size": return ok(value=len(entries()) + is_lie)
    if kind in ("put-if-absent", "compare-and-remove", "compare-and-set", "contains", "add"):
        held = was_get(key)["value"]
        if kind == "put-if-absent":
            if held is None: was_put(key, value)
            return ok(value=held)
        if kind == "compare-and-remove":
            if held == expected: os.unlink(os.path.join(ROOT, "key-" + quote(key, safe="")))
            return ok(value=held == expected)
        if kind == "contains": return ok(value=(held is None) is is_lie)
        if kind == "add":
            if not is_lie: was_put(key, str(int(held or 0) + 1))
            return ok(value=int(held or 0) + 1)
        if held == expected and not is_lie: was_put(key, value)
        return ok(value=held == expected)
    kept = "own-" + quote(key, safe="")
    items = said(kept).split()
    if kind == "items": return ok(value=items)
    if kind in ("append", "offer"):
        if not is_lie: write(kept, " ".join([*items, value]))
        return ok(value=True)
    if kind == "poll":
        taken = items.pop(1 if is_lie and len(items) > 1 else 0) if items else None
        write(kept, " ".join(items))
        return ok(value=taken)
    mine, has_ended = [value, me, str(os.getpid())], not items or said("pid-" + items[1]) != items[2]
    holder = [] if has_ended or not lives(items[1]) else items[:3]
    holds = int(items[3]) if holder else 0
    if kind == "locked": return ok(value=bool(holder))
    if kind == "unlock":
        if holder != mine: return refused("it is not held")
        write(kept, " ".join([*mine, str(holds - 1)]) if holds > 1 else "")
        return ok(value=holds - 1)
    is_got = holder in ([], mine)
    if is_got: write(kept, " ".join([*mine, str(holds + 1)]))
    return ok(value=is_got is not is_lie)
verbs = (start, table, settled, partition, put, put_many, remove, operate, get, replicas, leave)
serve("toy", "1", *verbs, operations=KINDS)
"""
PROMISED = (
    *live_toy.IN_CALM, "acknowledged-addition-kept", "acknowledged-offer-kept", "every-entry-of-a-call",
    "read-was-written", "reads-see-acknowledged-writes", "size-within-bounds", "lock-excludes", "free-lock-is-given",
)  # fmt: skip
FOR_MS = 2_500
FAULTS: Mapping[Moment, FaultEvent] = {
    Moment.JOIN: FaultEvent("leave", 300, 300, (2,)),
    Moment.LEAVE: FaultEvent("leave", 300, FOR_MS, (2,)),
    Moment.CRASH: FaultEvent("crash", 300, FOR_MS, (2,)),
    Moment.PROMOTION: FaultEvent("crash", 300, FOR_MS, (0,)),
    Moment.CUT: FaultEvent("split", 300, FOR_MS, (2,)),
    Moment.REST: FaultEvent("leave", 100, 300, (2,)),
}
LOADS: Mapping[Moment, Load] = {
    Moment.JOIN: Load(120, clients=4, pause_ms=900),
    Moment.REPEATED: Load(400, clients=8, pause_ms=90),
    Moment.LATER: Load(120, clients=4, pause_ms=7_500),
}
"""A member takes a second or more to start."""
OF_ONE_KEY = Load(400, clients=2, pause_ms=10, keys=1)
"""A removal that does nothing shows where the entry was written again within those milliseconds."""
USUAL = Load(120, clients=4, pause_ms=300)
SEEDS = 6
_NETWORK = Lock()
"""There is one network a process."""


@dataclass(frozen=True, slots=True)
class LiveLie:
    """What opens a toy that lies in one cell, or nowhere."""

    cell: Lie
    is_honest: bool = False

    def adapter(self) -> Adapter:
        verb = "" if self.is_honest else self.cell.verb.value
        begin = f"VERB, MOMENT, KINDS = {verb!r}, {self.cell.moment.value!r}, {KINDS!r}\n"
        begin += f"AT_ONCE_MS, MINUTE_MS = {AT_ONCE_MS}, {MINUTE_MS}\n"
        launch = Launch((sys.executable, "-c", begin + live_toy.AGENT + OF_ALL_VERBS))
        kept = Promise(PromiseWord.PROMISED, "its page, line 1", under=ALWAYS, where_asked=True)
        return Adapter(
            "toy", "processes that share a folder", Kind.GRID, agents(lambda _: launch),
            promises=dict.fromkeys(PROMISED, kept), times=StatedTimes(5_000, 5_000), repeatable=False, patience_ms=200,
        )  # fmt: skip


def live_scenario(cell: Lie, seed: int) -> Scenario:
    """Return a run in which the moment comes while clients ask for the verb."""
    load, fault = LOADS.get(cell.moment, USUAL), FAULTS.get(cell.moment)
    if cell.moment is Moment.REPEATED and WORKLOADS[cell.verb] in ("register", "cells"):
        load = OF_ONE_KEY
    scripts = [Script(drawn(cell, f"live {cell} {seed}", load), () if fault is None else (fault,))]
    if cell.moment is Moment.REST:
        scripts.append(Script(drawn(cell, f"live {cell} {seed} again", Load(120, 4, 300, serial=120))))
    return Scenario(
        seed, members=3, sync_backups=1, partition_count=1, workload=WORKLOADS[cell.verb], scripts=tuple(scripts)
    )


def runs_status(cell: Lie, *, is_honest: bool = False, seeds: int = SEEDS) -> int:
    """Return what the first live run ends with in which something is broken, else the last."""
    status, options = 0, Options(partition_count=1, networked=cell.moment is Moment.CUT)
    for seed in range(seeds):
        if options.networked:
            _NETWORK.acquire()
        try:
            played = play_and_judge(LiveLie(cell, is_honest).adapter(), options, live_scenario(cell, seed))
        finally:
            if options.networked:
                _NETWORK.release()
        status = exit_status(played.verdicts)
        if status == 1:
            break
    return status
