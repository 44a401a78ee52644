"""`gridproof systems`, as typed."""

from gridproof_implementation.adapters import ADAPTERS
from tests.front_door.command_line import CommandLine


def test_every_system_is_listed(gridproof: CommandLine) -> None:
    listed = gridproof("systems").out

    assert [adapter.name for adapter in ADAPTERS if adapter.name not in listed] == []


def test_json_says_where_each_promise_stands(gridproof: CommandLine) -> None:
    systems = {one["name"]: one for one in gridproof("systems", "--json").json["systems"]}

    assert systems["vecgrid"]["promises"]["acknowledged-write-kept"]["source"]
