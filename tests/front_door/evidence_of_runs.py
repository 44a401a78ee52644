"""Which words show that runs of live members follow their options."""

from collections.abc import Mapping

from tests.front_door.evidence import Cell

PLAYED = "check --system stand_ins.py:TOY"
RESTARTS = "--runs 1 --faults restart"
PLAYED_CELLS: Mapping[str, Cell] = {
    "--system-version": Cell("--system-version 1", fact="^toy (\\d)"),
    "--at-least": Cell("--at-least 2", fact="fewer than 2 runs"),
    "--only": Cell("--only one-replica-per-member", fact="the exit status looks at .*"),
    "--fail-on": Cell("--fail-on data-loss", fact="the exit status looks at .*"),
    "--baseline": Cell("--baseline stale.txt", fact="mended, take line"),
    "--write-baseline": Cell("--write-baseline made.txt", fact="^# "),
    "--junit": Cell("--junit made.xml", fact="<testsuites "),
    "--sarif": Cell("--sarif made.sarif", fact="sarif-schema"),
    "--out": Cell("--out made", fact="^traces .*"),
    "--json": Cell("--json", fact='^{"faults"'),
}
"""What shows of scenarios on members that run, drawn or of a file."""
LOAD_CELLS: Mapping[str, Cell] = {
    "--clients": Cell("--clients 4", instead="--clients 3", fact=r'"client":(\d+).*"stage":"busy"'),
    "--rate": Cell("--rate 20", fact=r'"pause_ms": (\d+)'),
    "--duration": Cell("--duration 2", instead="--duration 1", fact=r'"value": "(v\d+x\d+)"'),
    "--keys": Cell("--keys 9", fact=r'"key": "(register-\d+)"'),
    "--popularity": Cell("--popularity zipf(9)", beside="--keys 9", fact=r'"key": "(register-\d)"'),
    "--cycle": Cell("--cycle 0.2,0.3", "", "--duration 3", f"{PLAYED} {RESTARTS}", fact=r'"at_ms": (\d+)'),
}
"""What shows of the load and of cycles, of runs that are drawn."""
