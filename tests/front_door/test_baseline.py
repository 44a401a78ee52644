"""Known failures, and what is new beside them."""

from pathlib import Path

import pytest

from gridproof.ci.baseline import Baseline, KnownFailure, baseline_text, read_baseline
from gridproof.command import UsageError
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.verdict import Result
from tests.front_door.command_line import CommandLine
from tests.front_door.judged_runs import judged, verdict

SYSTEM = "tests.front_door.bad_grids:AND_BREAKS_A_PROMISE"
ROWS = KnownFailure("full-rows", Result.BROKEN, "my grid", 1)


@pytest.mark.parametrize(
    ("known", "found", "is_known"),
    [
        (Result.BROKEN, Result.BROKEN, True),
        (Result.BROKEN, Result.UNKNOWN, True),
        (Result.UNKNOWN, Result.UNKNOWN, True),
        (Result.UNKNOWN, Result.BROKEN, False),
    ],
)
def test_what_got_worse_is_new(known: Result, found: Result, is_known: bool) -> None:
    baseline = Baseline(None, (KnownFailure("full-rows", known, "grid"),))

    assert baseline.knows(["grid"], verdict("full-rows", found)) is is_known


def test_a_line_is_of_a_system_or_of_one_run() -> None:
    baseline = Baseline(None, (ROWS,))

    broken = verdict("full-rows", Result.BROKEN)
    assert baseline.knows(["run 7", "my grid"], broken)
    assert not baseline.knows(["run 7", "another grid"], broken)


def test_mended_is_what_fails_in_no_run_of_its_system() -> None:
    baseline = Baseline(None, (ROWS,))
    held, broken = judged(), judged(results={"full-rows": Result.BROKEN})

    assert baseline.mended([(["my grid"], held.verdicts)]) == (ROWS,)
    assert baseline.mended([(["my grid"], held.verdicts), (["my grid"], broken.verdicts)]) == ()
    assert baseline.mended([(["another"], held.verdicts)]) == ()


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "known.txt"
    file.write_text(baseline_text([ROWS, KnownFailure("lock-excludes", Result.UNKNOWN, "grid")]))

    assert set(map(str, read_baseline(file).known)) == {"full-rows broken my grid", "lock-excludes unknown grid"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("full-rows broken", "known.txt:1: the line is not of the form PROPERTY broken|unknown SYSTEM"),
        ("# one\n\nfull-row broken x", "known.txt:3: no property is called 'full-row': did you mean full-rows?"),
        ("full-rows holds x", "known.txt:1: the result must be broken or unknown, not 'holds'"),
        ("full-rows broken x\nfull-rows unknown x", "known.txt:2: full-rows of x is already in line 1; remove one"),
        (b"\xff\xfe", "it is no UTF-8 text"),
        (None, "No such file or directory; `gridproof check --write-baseline FILE` writes a new baseline"),
    ],
)
def test_a_malformed_file_is_one_line(tmp_path: Path, text: str | bytes | None, complaint: str) -> None:
    if text is not None:
        (tmp_path / "known.txt").write_bytes(text.encode() if isinstance(text, str) else text)

    with pytest.raises(UsageError) as wrong:
        read_baseline(tmp_path / "known.txt")

    assert complaint in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    (tmp_path / "known.txt").write_text("# one\nfull-rows broken x\n", encoding="utf-8-sig")

    assert [str(one) for one in read_baseline(tmp_path / "known.txt").known] == ["full-rows broken x"]


def test_a_build_goes_on_with_what_it_knew(gridproof: CommandLine) -> None:
    first = gridproof("check", "--system", SYSTEM, "--out", "run", "--write-baseline", "known.txt")
    with Path("known.txt").open("a") as file:
        file.write("full-rows broken memory\n")

    again = gridproof("audit", "run/trace.jsonl", "--baseline", "known.txt")
    Path("known.txt").write_text("full-rows broken memory\n")
    new = gridproof("audit", "run/trace.jsonl", "--baseline", "known.txt", "--json")

    assert (first.status, again.status, new.status) == (ExitStatus.BROKEN, ExitStatus.HOLDS, ExitStatus.BROKEN)
    assert "known, as known.txt says: one-replica-per-member broken memory" in again.out
    assert "mended, take line 4 out of known.txt: full-rows broken memory" in again.out
    assert new.json["baseline"]["new"][0]["property"] == "one-replica-per-member"


def test_a_new_baseline_keeps_what_is_known_of_others(gridproof: CommandLine) -> None:
    Path("known.txt").write_text("full-rows broken elsewhere\nfull-rows broken memory\n")

    words = ("--baseline", "known.txt", "--write-baseline", "known.txt")
    gridproof("check", "--system", SYSTEM, *words)

    assert list(map(str, read_baseline(Path("known.txt")).known)) == [
        "full-rows broken elsewhere",
        "lock-excludes unknown memory",
        "one-replica-per-member broken memory",
    ]


def test_a_run_that_was_broken_off_makes_no_baseline(gridproof: CommandLine) -> None:
    done = gridproof("check", "--system", "tests.front_door.bad_grids:WRITE_FAILS", "--write-baseline", "known.txt")

    assert done.status == 3
    assert "known.txt: not written" in done.err
    assert not Path("known.txt").exists()
