"""The installed list of what each property has killed is the one that the suite makes."""

from suite.commands.killed import FILE, text


def test_the_installed_list_is_the_present_one() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "write it anew: python -m suite killed"
