"""Plans of campaigns, read from files."""

from pathlib import Path

import pytest

from gridproof_model.user_error import UserError
from gridproof_reports.campaigns.estimate_names import Until, read_until
from gridproof_reports.campaigns.plan import Part, Plan, read_plan

GOOD = """
runs = 5
runs-a-part = 2
[set]
workload = "appends"
strict = true
[grid]
sync-backups = [0, 1]
latency = ["2ms", "exponential(2ms)", "1/2ms"]
"""


def plan_of(folder: Path, text: str) -> Plan:
    (folder / "plan.toml").write_text(text)
    return read_plan(folder / "plan.toml")


def test_each_combination_is_a_cell_of_a_plain_grid(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, GOOD)

    assert plan.cell_count == len(plan.cells) == 6
    assert plan.cells[1] == (
        ("grid", "plain"), ("workload", "appends"), ("strict", "on"),
        ("sync-backups", "0"), ("latency", "exponential(2ms)"),
    )  # fmt: skip


def test_a_round_has_a_part_of_each_cell(tmp_path: Path) -> None:
    rounds = list(plan_of(tmp_path, GOOD).rounds())

    assert [len(parts) for parts in rounds] == [6, 6, 6]
    assert (rounds[0][5], rounds[2][0]) == (Part(5, 0, 1), Part(0, 4, 4))


def test_a_drawn_grid_can_be_asked_for(tmp_path: Path) -> None:
    (draw_options,) = plan_of(tmp_path, "runs = 1\n[set]\ngrid = 'drawn'\n").draw_options()

    assert not draw_options.cell.plain


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "runs is missing"),
        ("runs = 0", "runs is 0; write a whole number from 1"),
        ("runs = true", "runs is True"),
        ("runs = '2'", "runs is '2'; write a whole number from 1"),
        ("runs = 1\nruns = 2", "is not TOML"),
        ("runs = 1\nseeds = 3", "a plan has no key 'seeds'"),
        ("runs = 1\nset = 3", "set must be a table"),
        ("runs = 1\nsteps = 1", "steps is 1; write true or false"),
        ("runs = 1\n[set]\nltency = '2ms'", "did you mean latency?"),
        ("runs = 1\n[set]\nlatency = [1]", "latency: write a text, a number, true or false, not list"),
        ("runs = 1\n[grid]\nmembers = 3", "[grid] members: write a list of values"),
        ("runs = 1\n[grid]\nmembers = []", "[grid] members: write a list of values"),
        ("runs = 1\n[grid]\nmembers = [3, 3]", "the value '3' is listed twice"),
        ("runs = 1\n[grid]\nmembers = [3, 99]", "members=99: write a whole number from 1 to 50"),
        ("runs = 1\n[set]\nmembers = 3\n[grid]\nmembers = [3]", "members is both in [set] and in [grid]"),
        ("runs = 1\n[grid]\nsync-backups = [1, 5]\nasync-backups = [2]", "cell 1 (sync-backups=5, async-backups=2)"),
        ("runs = 1\nuntil = 'luck ± 1 %'", "no estimate is called 'luck'"),
        ("runs = 10000000\n[grid]\nmembers = [1, 2]", "have more than 10,000,000 runs in all"),
    ],
)
def test_a_bad_plan_is_one_line_with_its_file(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        plan_of(tmp_path, text)

    assert said in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "plan.toml"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["loss ± 10 %", "loss+-10%", "loss +/- 10.0 %"])
def test_an_end_by_precision_is_read(text: str) -> None:
    assert read_until(text) == Until("loss", 0.1)


def test_an_interval_is_narrow_by_its_wider_half() -> None:
    until = Until("loss", 0.1)

    assert until.is_met(1.0, 0.91, 1.09)
    assert not until.is_met(1.0, 0.95, 1.2)
    assert not until.is_met(0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "write an estimate"),
        ("loss", "write an estimate"),
        ("los ± 5 %", "did you mean loss?"),
        ("loss ± 0 %", "write a share above 0 %"),
    ],
)
def test_what_is_no_end_is_one_line(text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        read_until(text)

    assert said in str(caught.value)
