"""How a user names a configuration file and its parts.

`check`, `simulate`, `replay` and the pytest plugin take the same options: a file, the values of the file's variables,
the map whose backup counts are tried, and the place where each member runs, which no file says.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gridproof.command import UsageError
from gridproof_model.grid_config import (
    DEFAULT_MERGE_POLICY,
    DEFAULT_STRUCTURE,
    BackupCounts,
    GridConfig,
    StructureConfig,
    StructureKind,
)
from gridproof_model.grid_properties import PARTITION_COUNT
from gridproof_model.groups import (
    HOST_ATTRIBUTE,
    NODE_ATTRIBUTE,
    PLACEMENT_ATTRIBUTE,
    RACK_ATTRIBUTE,
    ZONE_ATTRIBUTE,
    GroupType,
)
from gridproof_model.interfaces import is_matching
from gridproof_properties.judging.words import count

PLACES: Mapping[str, str] = {"zones": ZONE_ATTRIBUTE, "racks": RACK_ATTRIBUTE, "nodes": NODE_ATTRIBUTE}
"""For each option by its name, the member attribute that the option gives."""
GROUPED_BY: Mapping[GroupType, tuple[str, ...]] = {
    GroupType.ZONE_AWARE: (ZONE_ATTRIBUTE, RACK_ATTRIBUTE, HOST_ATTRIBUTE),
    GroupType.NODE_AWARE: (NODE_ATTRIBUTE,),
    GroupType.PLACEMENT_AWARE: (PLACEMENT_ATTRIBUTE,),
}
"""For each type of group, the attributes; each member needs at least one of these."""
LINES_MAX = 400
"""The most lines that are kept about a file: a file with thousands of settings must not fill every page."""


@dataclass(frozen=True, slots=True)
class Given:
    """The parts of a configuration that a user has given."""

    file: Path | None = None
    hosts: str | None = None
    places: Mapping[str, str] = field(default_factory=dict)
    """For each option of `PLACES`, names for the members in the order in which they join, separated by commas."""
    map_name: str | None = None
    variables: tuple[str, ...] = ()
    """The variables of the file, each as NAME=VALUE."""
    parameters: tuple[str, ...] = ()
    """Parameters of simulated runs, each as NAME=VALUE."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Parameters of simulated runs that have their own options, by option."""

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "Given":
        """Return the parts of a configuration that arguments give; options that the command lacks count as not
        given."""
        texts = {name: getattr(arguments, name, None) for name in PLACES}
        return cls(
            arguments.config,
            getattr(arguments, "hosts", None),
            {name: text for name, text in texts.items() if text is not None},
            arguments.map,
            tuple(arguments.set or ()),
        )

    @property
    def words(self) -> tuple[str, ...]:
        """The command-line options that repeat this configuration."""
        words = [] if self.file is None else ["--config", str(self.file)]
        words += [word for text in (*self.variables, *self.parameters) for word in ("--set", text)]
        words += [] if self.map_name is None else ["--map", self.map_name]
        words += ["--hosts", self.hosts] if self.hosts else []
        return (*words, *(word for name, text in self.places.items() for word in (f"--{name}", text)))

    def load(self, *, audited: bool = True) -> GridConfig | None:
        """Return the configuration with the given parts, or None if there is no file; raise UsageError or ConfigError.

        Which lines have no effect depends on the use: in an audit, or in simulated runs.
        """
        if self.file is None:
            words = replace(self, parameters=()).words
            given = next((word for word in words if word.startswith("--") and word != "--hosts"), None)
            if given is not None:
                raise UsageError(f"{given} needs a configuration; name the configuration's file with --config")
            return None
        # Imported here: most checks have no configuration, and need no parser of YAML and XML.
        from gridproof_implementation.config import load_config

        config = load_config(self.file, variables=self._variables())
        if not config.taken and not config.notes:
            raise UsageError(f"--config {self.file}: the file sets nothing that gridproof reads; leave --config out")
        return _with_choice(config, self.map_name, audited=audited)

    def host_names(self, config: GridConfig | None) -> tuple[str, ...]:
        """Return the hosts of members in the order of joining; UsageError if one is no host, or is in no group."""
        names = _split("hosts", self.hosts)
        for name in names:
            if any(sign in name for sign in "/*"):
                raise UsageError(f'--hosts {self.hosts}: "{name}" stands for many hosts; write one host per member')
        groups = None if config is None else config.partition_groups
        if names and groups is not None and groups.effective_type is GroupType.CUSTOM:
            masks = [mask for group in groups.member_groups for mask in group]
            lost = next((name for name in names if not any(is_matching(mask, name) for mask in masks)), None)
            if lost is not None:
                raise UsageError(
                    f"--hosts {self.hosts}: no member-group of {self.file} matches {lost}, so the member on this host "
                    "would own no partition; name hosts that match one of "
                    f"{', '.join(masks[:6])}{', …' if len(masks) > 6 else ''}"
                )
        return names

    def attributes(self, config: GridConfig | None) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Return attributes, which members get by turns; raise UsageError if they do not fit the groups."""
        grouped = None if config is None else config.partition_groups.effective_type
        wanted = GROUPED_BY.get(grouped, ()) if grouped is not None else ()
        for name in self.places:
            if PLACES[name] not in wanted:
                how = "does not group members" if grouped is None else f"groups members by {grouped}, without --{name}"
                raise UsageError(f"--{name} {self.places[name]}: {self.file} {how}; leave --{name} out")
        columns = [(PLACES[name], self.names(name)) for name in self.places]
        known = () if config is None else config.attributes
        if wanted and not columns and not any(name in wanted for name, _ in known):
            cures = [f"--{name} a,b,c" for name, attribute in PLACES.items() if attribute in wanted]
            cure = f"give {' or '.join(cures)}" if cures else f"set {wanted[0]} in its member-attributes"
            notes = () if config is None else config.notes
            # Imported here: only a run with a configuration needs this module, and such a run has loaded it before.
            from gridproof_implementation.config.sections import unfilled_attribute

            said = next((note for note in notes for name in wanted if unfilled_attribute(name) in note), None)
            if said is not None:
                fill = "give the variable a value with --set NAME=VALUE"
                raise UsageError(f"{said}, but members are grouped by this attribute; {fill}, or {cure}")
            raise UsageError(f"{self.file} groups members by {grouped}, but no attribute says where they run; {cure}")
        count = max((len(names) for _, names in columns), default=0)
        return tuple(
            tuple((attribute, names[number % len(names)]) for attribute, names in columns) for number in range(count)
        )

    def names(self, option: str) -> tuple[str, ...]:
        """Return the names in an option of places; raise UsageError if a name is missing between commas."""
        return _split(option, self.places.get(option))

    def _variables(self) -> Mapping[str, str]:
        pairs = [text.partition("=") for text in self.variables]
        wrong = next((name + sign + value for name, sign, value in pairs if not name or not sign), None)
        if wrong is not None:
            raise UsageError(f"--set {wrong}: write NAME=VALUE")
        return {name: value for name, _, value in pairs}


SET_HELP = "the value of a variable ${NAME} of the configuration"


def add_configuration(parser: argparse.ArgumentParser, set_help: str = SET_HELP) -> None:
    """Declare the options that name a configuration."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE",
        help="a Hazelcast configuration (YAML or XML): partition count, backups, partition groups, properties",
    )  # fmt: skip
    parser.add_argument("--map", metavar="NAME", help="the map of the configuration to try (default: its default map)")
    parser.add_argument("--set", action="append", metavar="NAME=VALUE", help=set_help)


def add_places(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say where members run."""
    parser.add_argument(
        "--hosts",
        metavar="HOST,...",
        help="hosts of the members in join order, for a configuration that groups by host",
    )
    for name in PLACES:
        what = name.removesuffix("s").upper()
        parser.add_argument(
            f"--{name}", metavar=f"{what},...", help=f"{name} of the members in join order, where groups are by {name}"
        )


def chosen_map(config: GridConfig | None, name: str | None) -> StructureConfig:
    """Return the configuration of the map whose backup counts are tried."""
    wanted = name or DEFAULT_STRUCTURE
    found = None if config is None else config.structure_config(StructureKind.MAP, wanted)
    return found or StructureConfig(StructureKind.MAP, wanted, BackupCounts())


def configuration_object(config: GridConfig) -> Mapping[str, object]:
    """Return what `--json` prints about a configuration."""
    return lines_object(config.taken, config.notes)


def lines_object(taken: Sequence[str], passed_over: Sequence[str]) -> Mapping[str, object]:
    """Return what `--json` prints about the lines of a configuration that take effect, and about those that do not."""
    return {"taken": list(taken), "passed_over": list(passed_over)}


def _with_choice(config: GridConfig, name: str | None, *, audited: bool) -> GridConfig:
    """Return the configuration with further lines, which say which of its maps is chosen and which are not."""
    maps = [one.name for one in config.structures if one.kind is StructureKind.MAP]
    used, wanted = chosen_map(config, name), name or DEFAULT_STRUCTURE
    backups = f"{used.backups.sync} sync and {used.backups.asynchronous} async backups"
    by_default = "" if used.name == wanted else f', as map "{used.name}" is configured'
    if used.name not in maps:
        by_default = ", as Hazelcast has it where nothing is configured"
    written = "" if config.properties.text(PARTITION_COUNT.name) else " (the default)"
    chosen = [
        f"{count(config.partition_count, 'partition')}{written}",
        f'the map tried is "{wanted}": {backups}{by_default}',
    ]
    if not config.taken:
        chosen.append("nothing in the file changes what is tried: the result is about the defaults")
    others = [one for one in maps if one != used.name]
    notes = [f"maps that are not tried: {_list(others)}; --map NAME tries one"] if others else []
    notes += _notes_of_audits(config, used) if audited else _notes_of_simulations(config)
    return replace(config, taken=_cut((*chosen, *config.taken)), notes=_cut((*notes, *config.notes)))


def _notes_of_audits(config: GridConfig, used: StructureConfig) -> list[str]:
    notes = []
    if used.protection is not None:
        rule = used.protection
        notes.append(
            f'split-brain protection "{rule.name}" ({count(rule.minimum_members, "member")}) is not tried by an audit, '
            "whose cluster never splits; `gridproof simulate --config` follows it"
        )
    if used.merge_policy != DEFAULT_MERGE_POLICY:
        notes.append(f"{used.merge_policy} is not tried by an audit, whose cluster never splits")
    kinds = sorted({one.kind.value for one in config.structures if one.kind is not StructureKind.MAP})
    return [*notes, f"an audit tries a map, no {_list(kinds)}"] if kinds else notes


def _notes_of_simulations(config: GridConfig) -> list[str]:
    notes = ["every structure of a run is configured as that map"]
    match config.partition_groups.effective_type:
        case GroupType.PER_MEMBER | GroupType.CUSTOM:
            pass
        case GroupType.SPI:
            notes.append("members are put into groups in turn, not by the strategy that the file names")
        case _:
            notes.append("the number of partition groups is not taken from the file, which does not state it")
    return notes


def _list(names: list[str]) -> str:
    return ", ".join(names[:6]) + (", …" if len(names) > 6 else "")


def _cut(lines: tuple[str, ...]) -> tuple[str, ...]:
    return (
        lines if len(lines) <= LINES_MAX else (*lines[:LINES_MAX], f"and {count(len(lines) - LINES_MAX, 'more line')}")
    )


def _split(option: str, text: str | None) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",")) if text is not None else ()
    if not all(names):
        raise UsageError(f"--{option} {text}: a name is empty; write a {option.removesuffix('s')} between the commas")
    return names
