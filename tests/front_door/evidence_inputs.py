"""The files that lines of evidence name."""

import contextlib
import io
import json
import shutil
from pathlib import Path

import pytest

from gridproof.cli import main
from gridproof_implementation.live.draw import LiveDrawOptions, draw_live_scenario
from gridproof_implementation.live.operations import SPARED
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_reports.campaigns.plan import Part, read_plan
from gridproof_reports.campaigns.rows import make_part
from gridproof_reports.campaigns.store import Store
from suite.zoo.named import chosen_mutants
from tests.front_door.ring_log import log_of, write_ring
from tests.front_door.test_study import CRASHING
from tests.house.source_tree import ROOT

GROUPED = (
    "hazelcast:\n  properties: {hazelcast.partition.count: 11}\n  partition-group: {enabled: true, group-type: %s}\n"
)
WRONG = '(line.number("node"),), after={"token_colour": "white"})\n\n\n@TABLE.observes("probe")'
STALE = (
    *(("full-rows", system) for system in ("reference", "members", "pocket", "live")),
    *(("one-replica-per-member", system) for system in ("toy", "stand_ins.py:TOY")),
    ("balance-of-copies", "jump-consistent-hash"), ("key-to-partition", "hazelcast-client"),
)  # fmt: skip
WITHDRAWN = ("views-agree", "balance-of-copies", "key-to-partition")
REACH = """# Reach

Together, the runs of these seeds reach every rule and every way that neither table below lists:

Seeds: 0, 1

| rule or way | why |
|---|---|
| `nothing.is.called.so` | a reason of yesterday |
"""
CELLS = """runs = 1
[set]
members = 2
partitions = 1
arrival = "5/s"
time = "10s"
latency = "20ms"
[grid]
crash = ["1/30s", "1/10s"]
"""
FILES = {
    "cells.toml": CELLS,
    "other_cells.toml": CELLS.replace('"10s"\n', '"9s"\n'),
    "small.yaml": "hazelcast:\n  properties: {hazelcast.partition.count: 11}\n"
    "  map: {default: {backup-count: 1}, hot: {backup-count: 2}}\n",
    "variable.yaml": "hazelcast:\n  properties: {hazelcast.partition.count: '${count}'}\n",
    "hosted.yaml": GROUPED % "HOST_AWARE",
    "zoned.yaml": GROUPED % "ZONE_AWARE",
    "noded.yaml": GROUPED % "NODE_AWARE",
    "crashing.toml": CRASHING,
    "small.toml": "runs = 2\nsteps = false\n[set]\noperations = 4\nmembers = 2\npartitions = 1\n",
    "two.yaml": "hazelcast:\n  properties: {hazelcast.partition.count: 11}\n"
    "  map: {default: {backup-count: 0}, hot: {backup-count: 3}}\n",
    "promises.json": json.dumps({"promises": {key: {"word": "withdrawn", "source": "page 7"} for key in WITHDRAWN}}),
    "stale.txt": "".join(f"{promise} broken {system}\n" for promise, system in STALE),
    "reach.md": REACH,
    "page.md": REACH.replace("nothing.is.called.so", "placement.optimal.choose"),
}


def write_inputs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write them all into a folder, in which the commands then run."""
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    for name in (
        "docs/examples/pocket_adapter.py",
        "docs/examples/pocket_grid.py",
        "tests/front_door/little_worlds.py",
        "tests/front_door/stand_ins.py",
    ):
        shutil.copy(ROOT / name, folder)
    pocket = (folder / "pocket_adapter.py").read_text("utf-8")
    (folder / "other_adapter.py").write_text(pocket.replace('"pocket", "a small', '"purse", "a small'), "utf-8")
    write_ring(folder, monkeypatch)
    log_of(folder, "ring.jsonl", "1")
    text = (folder / "table.py").read_text("utf-8")
    (folder / "other_table.py").write_text(
        text.replace('(line.number("node"),))\n\n\n@TABLE.observes("probe")', WRONG), "utf-8"
    )
    mutant = chosen_mutants(["X10"])[0]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.chdir(folder):
        main(["simulate", "--seed", "8", "--set", "operations=8", "--members", "2", "--out", "traced"])
        shutil.copy("traced/trace.jsonl", "trace.jsonl")
        main(["replay", "3", "--set", "operations=8", "--out", "replayed"])
        shutil.copy("replayed/scenario.json", "scenario.json")
        main(["explore", "little_worlds.py:symmetric", "--out", "explored"])
        shutil.copy(next(Path("explored").glob("*.json")), "behaviour.json")
        with mutant.plant():
            found = mutant.search(43).scenario
            assert found is not None
            write_scenario(Path("broken.json"), found, "a list loses an item")
        for made in ("traced", "replayed", "explored"):
            shutil.rmtree(made)
    return folder


def write_more_inputs(folder: Path) -> None:
    """Write what takes longer, and only nightly lines name."""
    _write_campaign(folder)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.chdir(folder):
        main(["check", "--config", "small.yaml", "--out", "run"])
        for seed, name in ((1, "live.json"), (2, "other.json")):
            options = LiveDrawOptions(3, 1, 0, 1, 200, ("restart",), networked=False, off=SPARED)
            write_scenario(Path(name), draw_live_scenario(seed, options), "nothing yet")
        main(["adapter", "new", "agent"])
        main(["audit", "trace.jsonl", "--write-baseline", "known.txt", "--out", "first"])
        shutil.rmtree("first")


def _write_campaign(folder: Path) -> None:
    plan, store = read_plan(folder / "crashing.toml"), Store(folder / "campaign")
    store.open(plan)
    for cell in range(plan.cell_count):
        part = Part(cell, 0, 3)
        store.write(part, make_part(part, plan.cells[cell], plan.draw_options()[cell], steps=False))
