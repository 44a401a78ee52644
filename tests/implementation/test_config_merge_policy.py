"""Merge policies of a user's YAML and XML."""

from pathlib import Path

import pytest

from gridproof_implementation.config import load_config
from gridproof_implementation.config.document import ConfigError
from gridproof_model.grid_config import DEFAULT_MERGE_POLICY, GridConfig, StructureKind

IN_YAML = """hazelcast:
  map:
    orders:
      per-entry-stats-enabled: true
      merge-policy:
        class-name: com.hazelcast.spi.merge.LatestUpdateMergePolicy
        batch-size: 20
  queue:
    jobs:
      merge-policy: DiscardMergePolicy
"""
IN_XML = """<hazelcast>
  <map name="orders"><merge-policy batch-size="20">LatestUpdateMergePolicy</merge-policy>
  <per-entry-stats-enabled>true</per-entry-stats-enabled></map>
  <queue name="jobs"><merge-policy>com.hazelcast.spi.merge.DiscardMergePolicy</merge-policy></queue>
</hazelcast>"""


def load(folder: Path, name: str, text: str) -> GridConfig:
    (folder / name).write_text(text, "utf-8")
    return load_config(folder / name)


@pytest.mark.parametrize(("name", "text"), [("a.yaml", IN_YAML), ("a.xml", IN_XML)])
def test_merge_policies_are_read_without_their_package(tmp_path: Path, name: str, text: str) -> None:
    config = load(tmp_path, name, text)

    assert config.merge_policy_of(StructureKind.MAP, "orders") == "LatestUpdateMergePolicy"
    assert config.merge_policy_of(StructureKind.QUEUE, "jobs") == "DiscardMergePolicy"


def test_a_structure_that_names_no_policy_has_put_if_absent(tmp_path: Path) -> None:
    config = load(tmp_path, "a.yaml", "map:\n  orders:\n    backup-count: 2\n")

    assert config.merge_policy_of(StructureKind.MAP, "orders") == DEFAULT_MERGE_POLICY
    assert config.merge_policy_of(StructureKind.MAP, "others") == DEFAULT_MERGE_POLICY


def test_a_policy_that_cannot_be_followed_is_noted_with_what_is_followed(tmp_path: Path) -> None:
    config = load(tmp_path, "a.yaml", "map:\n  orders:\n    merge-policy: acme.MineFirst\n")

    assert config.notes == (
        f'{tmp_path / "a.yaml"}:3: merge-policy MineFirst of map "orders" is kept; PutIfAbsentMergePolicy is used',
    )


def test_a_misspelt_policy_is_refused_with_the_right_word(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is no merge policy of members; did you mean LatestUpdateMergePolicy\?$"):
        load(tmp_path, "a.yaml", "map:\n  orders:\n    merge-policy: LatestUpdatMergePolicy\n")
