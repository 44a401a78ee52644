"""Split-brain protection of a user's YAML and XML."""

from pathlib import Path

import pytest

from gridproof_implementation.config import load_config
from gridproof_implementation.config.document import ConfigError
from gridproof_model.grid_config import GridConfig, ProtectOn, SplitBrainProtection, StructureKind

IN_YAML = """hazelcast:
  split-brain-protection:
    three:
      enabled: true
      minimum-cluster-size: 3
      protect-on: WRITE
    off:
      enabled: false
  map:
    orders:
      split-brain-protection-ref: three
    notes:
      split-brain-protection-ref: off
"""
IN_XML = """<hazelcast>
  <split-brain-protection name="three" enabled="true">
    <minimum-cluster-size>3</minimum-cluster-size><protect-on>WRITE</protect-on>
  </split-brain-protection>
  <split-brain-protection name="off" enabled="false"/>
  <map name="orders"><split-brain-protection-ref>three</split-brain-protection-ref></map>
  <map name="notes"><split-brain-protection-ref>off</split-brain-protection-ref></map>
</hazelcast>"""


def load(folder: Path, name: str, text: str) -> GridConfig:
    (folder / name).write_text(text, "utf-8")
    return load_config(folder / name)


def protection_of(config: GridConfig, name: str) -> SplitBrainProtection | None:
    structure = config.structure_config(StructureKind.MAP, name)
    return None if structure is None else structure.protection


@pytest.mark.parametrize(("name", "text"), [("a.yaml", IN_YAML), ("a.xml", IN_XML)])
def test_a_rule_is_read_and_referred_to(tmp_path: Path, name: str, text: str) -> None:
    config = load(tmp_path, name, text)

    assert protection_of(config, "orders") == SplitBrainProtection("three", 3, ProtectOn.WRITE)


@pytest.mark.parametrize(("name", "text"), [("a.yaml", IN_YAML), ("a.xml", IN_XML)])
def test_a_rule_that_is_not_enabled_protects_nothing(tmp_path: Path, name: str, text: str) -> None:
    assert protection_of(load(tmp_path, name, text), "notes") is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "split-brain-protection:\n  a:\n    enabled: true\n    minimum-cluster-size: 1\n",
            ':4: minimum-cluster-size of split-brain-protection "a" is 1; it must be at least 2',
        ),
        (
            "split-brain-protection:\n  a:\n    enabled: true\n    protect-on: NOTHING\n",
            ':4: protect-on of split-brain-protection "a" is "NOTHING"; it must be one of READ, WRITE, READ_WRITE',
        ),
        (
            "split-brain-protection:\n  a:\n    enabeld: true\n",
            ':3: split-brain-protection "a" has no setting "enabeld"; did you mean enabled?',
        ),
    ],
)
def test_a_mistake_is_one_line_with_its_place(tmp_path: Path, text: str, error: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, "a.yaml", text)

    assert str(raised.value) == f"{tmp_path / 'a.yaml'}{error}"
