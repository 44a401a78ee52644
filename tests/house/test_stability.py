"""What `docs/stability.md` says is stable is still there."""

import tomllib
from pathlib import Path

import pytest

import gridproof
from gridproof.cli import build_parser
from gridproof.commands.completion import parsers_of
from gridproof_model.renamed import RENAMED
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.exit_status import ExitStatus

STABLE = tomllib.loads(Path(__file__).with_name("stable.toml").read_text(encoding="utf-8"))
PARSERS = parsers_of(build_parser(None))
PRESENT = {
    "public_names": set(gridproof.HOMES),
    "properties": {prop.name for prop in CATALOGUE} | set(RENAMED),
    "constants": {f"{one.name}.{it.name}" for one in SPECIFICATIONS for it in one.constants} | set(RENAMED),
    "options": {f"{name} {word}" for name, one in PARSERS.items() for word in one._option_string_actions},
}


@pytest.mark.parametrize("kind", PRESENT)
def test_no_stable_name_has_gone(kind: str) -> None:
    assert [name for name in STABLE[kind] if name not in PRESENT[kind]] == []


def test_the_exit_status_means_what_it_meant() -> None:
    stable = (ExitStatus.HOLDS, ExitStatus.BROKEN, ExitStatus.WRONG_USE, ExitStatus.UNKNOWN)

    assert stable == (0, 1, 2, 3)
