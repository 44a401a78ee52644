"""The parts of a user's configuration that members of real systems get: the properties, and the partition groups.

The configuration is the one that gridproof read, so that a file means the same for the reference and for a real system.
Members of an audit have addresses of this machine, even if the file names other addresses. Each member is given the
name of its group: the group that the documented rule would give to a member with the host and attributes that the user
chose.
"""

from collections.abc import Collection, Sequence
from uuid import UUID

from gridproof_implementation.adapter import AdapterError, Options
from gridproof_model.groups import GroupError, GroupType, compute_groups
from gridproof_model.membership import Address, Member, MemberId

PREFIX = "hazelcast."
PORT = 5701
MERGE_POLICIES = "com.hazelcast.spi.merge"
"""The Java package of the merge policies; a scenario names a merge policy without it."""


def group_of_next(options: Options, number: int) -> str | None:
    """Return the partition group of the member with this number, counted from 0 in the order of starts.

    None if each member is a group of its own. Raises AdapterError if the configuration gives the member no group.
    """
    config = options.config
    if config is None or config.partition_groups.effective_type is GroupType.PER_MEMBER:
        return None
    if config.partition_groups.effective_type is GroupType.SPI:
        why = "live members cannot be grouped by type SPI, which needs a class of the user's own"
        raise AdapterError(f"{why}; audit the reference with --config")
    host = options.hosts[number % len(options.hosts)] if options.hosts else f"host-{number}"
    own = options.attributes[number % len(options.attributes)] if options.attributes else ()
    attributes = tuple(sorted({**dict(config.attributes), **dict(own)}.items()))
    member = Member(MemberId(Address(host, PORT), UUID(int=number)), False, attributes)
    try:
        groups = compute_groups(config.partition_groups, [member])
    except GroupError as error:
        raise AdapterError(str(error).replace(str(member), f"member {number}")) from None
    if not groups:
        raise AdapterError(f"no member-group matches {host}; with --hosts name hosts that a member-group matches")
    return groups[0].name


def structure_flags(options: Options) -> Sequence[str]:
    """Return the JVM flags that give structures the merge policy and the split-brain protection of a run."""
    structure = options.structure
    if structure is None:
        return []
    flags = [f"-Dgridproof.merge.policy={MERGE_POLICIES}.{structure.merge_policy}"]
    if (rule := structure.protection) is not None:
        flags += [f"-Dgridproof.quorum={rule.minimum_members}", f"-Dgridproof.protect.on={rule.protect_on}"]
    return flags


def property_flags(options: Options, fixed: Collection[str]) -> Sequence[str]:
    """Return the JVM flags that set the configuration's properties, except those that an audit fixes.

    The names in `fixed` are without the prefix `hazelcast.`.
    """
    if options.config is None:
        return []
    texts = options.config.properties.texts
    return [f"-D{name}={text}" for name, text in texts if name.removeprefix(PREFIX) not in fixed]
