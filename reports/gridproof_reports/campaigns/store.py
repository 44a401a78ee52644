"""The folder of a campaign.

`plan.json` has the plan; `runs/` has one Parquet file for each finished part, named after the cell and the seeds of the
part. Each file is written next to its place and then moved there, so that a campaign that ends early leaves only
complete parts; a part whose file exists is not run again.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import Annotated, Any

from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import VERSION
from gridproof_model.typed_json import Within, read_json, typed
from gridproof_model.user_error import UserError
from gridproof_model.whole_file import written_whole
from gridproof_reports.campaigns.estimate_names import read_until
from gridproof_reports.campaigns.plan import CELLS_MAX, SEED_MAX, Part, Plan

PLAN_NAME, RUNS_NAME = "plan.json", "runs"
FORMAT = 1
FOLLOWED = ("words", "taken", "passed_over")
"""The parts of a configuration that are written into `plan.json`."""
_FILE = re.compile(r"cell-(\d{5})-seeds-(\d+)-(\d+)\.parquet")


class StoreError(UserError):
    """Raised if a folder belongs to something else than this campaign, or cannot be written; the message is one
    line."""


@dataclass(frozen=True, slots=True)
class _Followed:
    words: list[str]
    taken: list[str]
    passed_over: list[str]


@dataclass(frozen=True, slots=True)
class _Written:
    """The content of `plan.json`."""

    format: Annotated[int, Within(FORMAT, FORMAT)]
    version: str
    common: list[tuple[str, str]]
    axes: list[tuple[str, list[str]]]
    seed: Annotated[int, Within(0, SEED_MAX)]
    steps: bool
    cells: str
    configuration: _Followed | None = None
    until: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """The folder of one campaign."""

    folder: Path

    def open(self, plan: Plan, *, is_begun: bool = True) -> None:
        """Create the folder for a plan, or continue in it; raise StoreError if it belongs to something else.

        Unless the campaign has begun, a new folder stays empty: it would hold a plan that may still be refused.
        """
        plan_fields = _as_object(plan)
        try:
            is_there = self.folder.is_dir() and any(self.folder.iterdir())
            if is_there and self._checked(plan_fields) == plan_fields.get("until"):
                return
            self.folder.mkdir(parents=True, exist_ok=True)
            if not is_there and not is_begun:
                return
            (self.folder / RUNS_NAME).mkdir(exist_ok=True)
            _write(self.folder / PLAN_NAME, (json.dumps(plan_fields, ensure_ascii=False, indent=1) + "\n").encode())
        except OSError as error:
            reason = error.strerror or str(error)
            why = f"cannot make the folder {self.folder}: {reason}"
            raise StoreError(f"{why}; name another folder with --out") from None

    def read_plan(self) -> dict[str, Any]:
        """Return the plan that was written; raise StoreError if the folder is not that of a campaign."""
        path = self.folder / PLAN_NAME
        try:
            plan_fields = read_json(path)
            written: _Written = typed(_Written, plan_fields, "the plan")
            if written.until:
                read_until(written.until)
        except OSError as error:
            raise StoreError(
                f"{self.folder} is no folder of a campaign ({PLAN_NAME}: {error.strerror}); "
                "`gridproof campaign FILE.toml` makes one"
            ) from None
        except ValueError as error:
            raise StoreError(
                f"{path} is no campaign's plan in format {FORMAT} ({error}); name the folder of a campaign"
            ) from None
        if prod(len(values) for _, values in written.axes) > CELLS_MAX:
            raise StoreError(
                f"{path}: the plan has more than {CELLS_MAX:,} cells, which no campaign may have; name another folder"
            )
        assert isinstance(plan_fields, dict)
        return plan_fields

    def draw_options(self) -> tuple[DrawOptions, ...]:
        """Return the draw options of each cell; raise StoreError if the folder no longer has what they need."""
        plan_fields = self.read_plan()
        if "configuration" in plan_fields:
            problem = "its cells were drawn with a configuration, which the folder does not keep"
            raise StoreError(f"{self.folder}: {problem}; run the campaign without --config into another folder")
        plan = Plan(
            tuple((name, text) for name, text in plan_fields["common"]),
            tuple((name, tuple(values)) for name, values in plan_fields["axes"]),
            runs=1,
        )
        found = plan.draw_options()
        if _fingerprint(found) != plan_fields["cells"]:
            raise StoreError(
                f"{self.folder}: its cells would stand for other runs now, since gridproof's version or a file of "
                "times has changed; run the campaign again into another folder"
            )
        return found

    def finished(self) -> Iterator[tuple[Part, Path]]:
        """Yield the finished parts, by cell and seed."""
        for path in sorted((self.folder / RUNS_NAME).glob("cell-*.parquet")):
            found = _FILE.fullmatch(path.name)
            if found is not None:
                yield Part(int(found[1]), int(found[2]), int(found[3])), path

    def missing(self, parts: Iterable[Part]) -> list[Part]:
        """Return those runs of some parts that are still to be simulated, as parts themselves."""
        done: dict[int, list[Part]] = {}
        for part, _ in self.finished():
            done.setdefault(part.cell, []).append(part)
        return [left for part in parts for left in _without(part, done.get(part.cell, []))]

    def write(self, part: Part, file: bytes) -> None:
        """Write a finished part, either completely or not at all; raise StoreError if the disk refuses it."""
        path = self.folder / RUNS_NAME / f"cell-{part.cell:05d}-seeds-{part.first:09d}-{part.last:09d}.parquet"
        try:
            _write(path, file)
        except OSError as error:
            raise StoreError(
                f"cannot write {path}: {error.strerror or error}; finished runs are kept: give the same command again"
            ) from None

    def _checked(self, plan_fields: dict[str, Any]) -> str | None:
        """Return the precision at which the campaign in the folder was to end; raise StoreError if its plan differs."""
        known = self.read_plan()
        for key in ("common", "axes", "seed", "steps", "cells"):
            if known.get(key) != plan_fields[key]:
                another = f"already holds a campaign with another value of {key!r}"
                raise StoreError(f"{self.folder} {another}; name another folder with --out")
        return known.get("until")


def _as_object(plan: Plan) -> dict[str, Any]:
    """Return a plan as JSON; the number of runs and the precision may differ when a campaign is continued."""
    followed = plan.configuration
    return {
        "format": FORMAT,
        "version": VERSION,
        "common": [list(pair) for pair in plan.common],
        "axes": [[name, list(values)] for name, values in plan.axes],
        "seed": plan.first_seed,
        "steps": plan.steps,
        "cells": _fingerprint(plan.draw_options()),
        **({} if followed is None else {"configuration": {name: list(getattr(followed, name)) for name in FOLLOWED}}),
        **({} if plan.until is None else {"until": str(plan.until)}),
    }


def _fingerprint(draw_options: Iterable[DrawOptions]) -> str:
    """Return a digest of the draw options of all cells, including the times in files that the options name."""
    digest = hashlib.sha256()
    for one in draw_options:
        digest.update(json.dumps(asdict(one), sort_keys=True, default=str).encode())
    return digest.hexdigest()[:16]


def _without(part: Part, done: list[Part]) -> Iterator[Part]:
    """Yield the ranges of a part's runs that no finished part has."""
    first = part.first
    for other in sorted(done, key=lambda one: one.first):
        if other.last < first or other.first > part.last:
            continue
        if other.first > first:
            yield Part(part.cell, first, other.first - 1)
        first = other.last + 1
    if first <= part.last:
        yield Part(part.cell, first, part.last)


def _write(path: Path, content: bytes) -> None:
    with written_whole(path) as beside, beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
