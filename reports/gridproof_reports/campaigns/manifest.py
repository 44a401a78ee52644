"""Records how a study was made, so that other people can repeat it.

`campaign.toml` plans the same campaign again; `manifest.json` names versions, machine and seeds, and the digest of each
file of runs; these files have the same bytes on every machine.
"""

import hashlib
import json
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gridproof_implementation.simulator.run import VERSION
from gridproof_model.whole_file import write_whole
from gridproof_reports.campaigns.store import Store

MANIFEST_NAME, PLAN_FILE = "manifest.json", "campaign.toml"
LIBRARIES = ("numpy", "scipy", "pyarrow", "pyspark")
GIT_PATIENCE_S = 10


def write_manifest(store: Store, out: Path, repeat_line: str) -> Path:
    """Write both files to the folder of a study, and return the manifest."""
    plan, parts = store.read_plan(), list(store.finished())
    runs: dict[int, int] = {}
    for part, _ in parts:
        runs[part.cell] = runs.get(part.cell, 0) + part.runs
    write_whole(out / PLAN_FILE, _as_toml(plan, max(runs.values(), default=1)))
    manifest = {
        "gridproof": VERSION,
        "commit": _commit(),
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in LIBRARIES},
        "machine": {"platform": platform.platform(), "processors": os.cpu_count()},
        "lines": [f"gridproof campaign {PLAN_FILE}", repeat_line],
        "plan": plan,
        "runs_by_cell": runs,
        "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for _, path in parts},
    }
    return write_whole(out / MANIFEST_NAME, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")


def _as_toml(plan: dict[str, Any], runs: int) -> str:
    followed = plan.get("configuration", {}).get("words", [])
    lines = [f"# with {' '.join(followed)}"] if followed else []
    lines += [f"runs = {runs}", f"seed = {plan['seed']}", f"steps = {json.dumps(plan['steps'])}", "[set]"]
    lines += [f"{name} = {json.dumps(text)}" for name, text in plan["common"]]
    lines += ["[grid]", *(f"{name} = {json.dumps(values)}" for name, values in plan["axes"])]
    return "\n".join(lines) + "\n"


def _commit() -> str | None:
    """Return the commit of the sources, with a mark if files differ; None if the sources are not in a checkout."""
    file = Path(__file__)
    here = ["git", "-C", str(file.parent)]
    asked = (
        ("ls-files", "--error-unmatch", file.name),  # the environment may be inside a user's own checkout
        ("rev-parse", "HEAD"),
        ("status", "--porcelain", "--untracked-files=no"),
    )
    try:
        _, commit, changed = (
            subprocess.run([*here, *words], capture_output=True, text=True, timeout=GIT_PATIENCE_S, check=True).stdout
            for words in asked
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return commit.strip() + (" and changes" if changed.strip() else "")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
