"""A configuration that imports others is read with them."""

from pathlib import Path

import pytest

from gridproof_implementation.config import ConfigError, load_config
from gridproof_model.grid_config import BackupCounts, StructureKind


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        suffix = "xml" if text.startswith("<") else "yaml"
        (folder / f"{name}.{suffix}").write_text(text)


def test_a_file_beside_it_is_read_too(tmp_path: Path) -> None:
    write(tmp_path, a="hazelcast:\n  import: [b.yaml]\n", b="hazelcast:\n  map:\n    x:\n      backup-count: 3\n")
    config = load_config(tmp_path / "a.yaml")

    assert config.backups_of(StructureKind.MAP, "x") == BackupCounts(3)
    assert config.taken == (f'{tmp_path}/b.yaml:3: map "x": 3 sync and 0 async backups',)


def test_an_import_of_xml_is_followed_over_files(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write(tmp_path, a='<hazelcast><import resource="in/b.xml"/><map name="x"/></hazelcast>')
    write(tmp_path / "in", b='<hazelcast><import resource="c.xml"/></hazelcast>')
    write(tmp_path / "in", c='<hazelcast><map name="x"><backup-count>4</backup-count></map></hazelcast>')

    assert load_config(tmp_path / "a.xml").backups_of(StructureKind.MAP, "x") == BackupCounts(4)


def test_what_the_importing_file_says_counts(tmp_path: Path) -> None:
    b = "map:\n  x:\n    backup-count: 3\n    async-backup-count: 1\n"
    write(tmp_path, a="import: [b.yaml]\nmap:\n  x:\n    backup-count: 2\n", b=b)

    assert load_config(tmp_path / "a.yaml").backups_of(StructureKind.MAP, "x") == BackupCounts(2, 1)


def test_a_mistake_in_an_imported_file_is_reported_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, a="import: [b.yaml]\nmap:\n", b="map:\n  x:\n    backup-count: 9\n")

    with pytest.raises(ConfigError, match=f"{tmp_path}/b.yaml:3: map"):
        load_config(tmp_path / "a.yaml")


def test_files_that_import_each_other_are_reported(tmp_path: Path) -> None:
    write(tmp_path, a="import: [b.yaml]\nmap:\n", b="map:\nimport: [a.yaml]\n")

    with pytest.raises(ConfigError, match=f"{tmp_path}/b.yaml:2: .* leads back to a file that imports this one"):
        load_config(tmp_path / "a.yaml")


def test_many_imports_are_refused(tmp_path: Path) -> None:
    names = [f"f{number}" for number in range(40)]
    write(tmp_path, a=f"map:\nimport: [{', '.join(f'{name}.yaml' for name in names)}]\n")
    write(tmp_path, **dict.fromkeys(names, "map:\n"))

    with pytest.raises(ConfigError, match="more than 32 files are imported"):
        load_config(tmp_path / "a.yaml")


@pytest.mark.parametrize("name", ["classpath:b.yaml", "http://a/b.yaml", "/etc/b.yaml", "missing.yaml", "a.txt"])
def test_an_import_that_is_not_followed_is_noted(tmp_path: Path, name: str) -> None:
    write(tmp_path, a=f'map:\nimport: ["{name}"]\n')

    (note,) = load_config(tmp_path / "a.yaml").notes
    assert note.startswith(f'{tmp_path}/a.yaml:2: import "{name}" is left out: ')
