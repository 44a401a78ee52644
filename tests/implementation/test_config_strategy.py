"""Own partition group strategies are found by name."""

from pathlib import Path

import pytest

from gridproof_implementation.config import ConfigError, load_config
from gridproof_model.groups import GroupType
from tests.implementation.group_strategies import by_port

MODULE = "tests.implementation.group_strategies"
SPI = '<hazelcast>\n<partition-group enabled="true" group-type="SPI"/>\n'
JAVA = (
    "<network><join><discovery-strategies>\n"
    '<discovery-strategy enabled="false" class="com.example.Off"/>\n'
    '<discovery-strategy enabled="true" class="com.example.Racks"><properties/></discovery-strategy>\n'
    '<discovery-strategy enabled="true" class="com.example.Second"/>\n'
    "</discovery-strategies></join></network>\n"
)


def with_strategy(name: str) -> str:
    named = f'<property name="gridproof.partition.group.strategy">{name}</property>'
    return f"{SPI}<properties>{named}</properties></hazelcast>"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hazelcast.xml"


def complaint(path: Path, text: str) -> str:
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    return str(caught.value).removeprefix(f"{path}:")


@pytest.mark.parametrize("name", [f"{MODULE}:by_port", f" {MODULE} : Racks.by_port "])
def test_a_callable_of_a_module_groups_members(path: Path, name: str) -> None:
    path.write_text(with_strategy(name))

    groups = load_config(path).partition_groups

    assert (groups.type, groups.spi) == (GroupType.SPI, by_port)


def test_a_callable_given_in_python_comes_first(path: Path) -> None:
    path.write_text(with_strategy("no_such_module:at_all"))

    assert load_config(path, by_port).partition_groups.spi is by_port


def test_a_type_that_is_not_spi_takes_no_strategy(path: Path) -> None:
    path.write_text(with_strategy("no_such_module:at_all").replace("SPI", "HOST_AWARE"))

    assert load_config(path, by_port).partition_groups.spi is None


def test_disabled_groups_import_nothing(path: Path) -> None:
    path.write_text(with_strategy("no_such_module:at_all").replace("true", "false"))

    assert load_config(path).partition_groups.spi is None


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that says it has the strategy of a Java class."""
    info = tmp_path / "racks-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: racks\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[gridproof.partition_group_strategies]\n"
        f"com.example.Racks = {MODULE}:by_port\n"
        "com.example.Broken = no_such_module:at_all\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("installed")
def test_an_entry_point_groups_members(path: Path) -> None:
    path.write_text(with_strategy("com.example.Racks"))

    assert load_config(path).partition_groups.spi is by_port


@pytest.mark.usefixtures("installed")
def test_the_first_discovery_strategy_in_use_names_an_entry_point(path: Path) -> None:
    path.write_text(f"{SPI}{JAVA}</hazelcast>")

    assert load_config(path).partition_groups.spi is by_port


@pytest.mark.usefixtures("installed")
def test_yaml_lists_its_discovery_strategies(tmp_path: Path) -> None:
    path = tmp_path / "hazelcast.yaml"
    path.write_text(
        "partition-group: {enabled: true, group-type: SPI}\n"
        "network: {join: {discovery-strategies: {discovery-strategies: [{class: com.example.Racks}]}}}\n"
    )

    assert load_config(path).partition_groups.spi is by_port


@pytest.mark.usefixtures("installed")
def test_an_entry_point_that_cannot_be_loaded_is_reported(path: Path) -> None:
    assert complaint(path, with_strategy("com.example.Broken")) == (
        "2: group-type SPI: cannot load the entry point com.example.Broken: "
        "ModuleNotFoundError: No module named 'no_such_module'; mend its package"
    )


@pytest.mark.usefixtures("installed")
def test_an_entry_point_of_nearly_the_name_is_proposed(path: Path) -> None:
    said = complaint(path, with_strategy("com.example.Rack"))

    assert said.endswith('is called "com.example.Rack"; did you mean com.example.Racks?')


def test_a_java_class_alone_is_reported_with_the_cure(path: Path) -> None:
    assert complaint(path, f"{SPI}{JAVA}</hazelcast>") == (
        '5: group-type SPI: no entry point of gridproof.partition_group_strategies is called "com.example.Racks"; '
        "install the package that has it, or name a Python callable in the property "
        'gridproof.partition.group.strategy, as in "my_package.racks:by_row"'
    )


def test_no_strategy_at_all_is_reported_with_the_cure(path: Path) -> None:
    assert complaint(path, f"{SPI}</hazelcast>") == (
        "2: group-type SPI has no strategy; name a Python callable in the property "
        'gridproof.partition.group.strategy, as in "my_package.racks:by_row"'
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (
            "no_such_module:f",
            "cannot import no_such_module: ModuleNotFoundError: No module named 'no_such_module'; name another module",
        ),
        (f"{MODULE}:by_prot", f"{MODULE} has no by_prot; did you mean by_port?"),
        (
            f"{MODULE}:NOT_CALLABLE",
            f'"{MODULE}:NOT_CALLABLE" is of type int; name a function that takes members and returns their groups',
        ),
        (f"{MODULE}:", f'"{MODULE}:" names no function; write MODULE:FUNCTION'),
        (".relative:f", '".relative:f" names no function; write MODULE:FUNCTION'),
    ],
)
def test_a_strategy_that_cannot_be_loaded_is_reported(path: Path, name: str, reason: str) -> None:
    assert complaint(path, with_strategy(name)) == f"2: group-type SPI: {reason}"
