"""How wide the lines of a command are, and that nothing in them is markup."""

import pytest

from gridproof.output.console import FOLDED, NUMBER, PLAIN_WIDTH, new_table, open_console


@pytest.mark.parametrize(("said", "width"), [("60", 60), ("200", 200), ("", PLAIN_WIDTH), ("0", PLAIN_WIDTH)])
def test_off_a_terminal_lines_are_as_wide_as_columns_says(
    monkeypatch: pytest.MonkeyPatch, said: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", said)

    assert open_console().width == width


@pytest.mark.parametrize("text", ["run[1]", "o[/red]x", "a :cat: b", "[link=http://x]here[/link]", r"c:\\[b]"])
def test_a_text_is_printed_as_it_is(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    table = new_table(text, {f"{text} of": {}})
    table.add_row(text)

    for printed in (text, table):
        open_console().print(printed)

    assert capsys.readouterr().out.count(text) == 4


@pytest.mark.parametrize("said", ["1", "20", "60", "80"])
def test_a_narrow_terminal_hides_no_verdict(
    said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", said)
    table = new_table(None, {"claim": {"no_wrap": True}, "verdict": {}, "states": NUMBER, "found": FOLDED})
    table.add_row("a" * 50, "broken", "36,684", "at " + "b" * 200)

    open_console().print(table)

    printed = capsys.readouterr().out
    assert {"broken", "36,684", "verdict", "at"} <= set(printed.split())
    assert printed.count("b") == 200 + 1  # and that of broken
    assert max(map(len, printed.splitlines())) <= PLAIN_WIDTH
