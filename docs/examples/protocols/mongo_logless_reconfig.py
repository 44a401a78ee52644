"""Configurations of a replica set change without a log. Source: Endive, benchmarks/MongoLoglessDynamicRaft.tla.

There terms and versions have no bounds, and a constraint stops the model checker; here no step goes past the highest.
Majorities of two sets meet if together they are more than the union holds.
"""

from enum import Enum

from gridproof_model.language import (
    Array,
    Bool,
    BoolExpr,
    IndexExpr,
    Int,
    IntExpr,
    OneOf,
    Set,
    SetExpr,
    Specification,
    Step,
    all_of,
    array_of,
    count,
    exists,
    for_all,
    if_else,
)

SOURCE = "Endive, MongoLoglessDynamicRaft"


class Role(Enum):
    """What a server is in its term."""

    SECONDARY = "secondary"
    PRIMARY = "primary"


specification = Specification("mongo_logless_reconfig", "Primaries change the members, without a log.", source=SOURCE)
size = specification.constant("size", 3, "How many servers there are.", least=1)
last_term = specification.constant("last_term", 2, "The highest term.", least=1)
last_version = specification.constant("last_version", 2, "The highest version of a configuration.", least=1)
servers = specification.index("server", size)
term = specification.variable("term", Array(servers, Int(0, last_term)), "The term of each server.")
role = specification.variable("role", Array(servers, OneOf(Role)), "What each server is.")
version = specification.variable(
    "version", Array(servers, Int(1, last_version)), "The version of each server's configuration."
)
config_term = specification.variable(
    "config_term", Array(servers, Int(0, last_term)), "The term of each server's configuration."
)
config = specification.variable("config", Array(servers, Set(servers)), "The members that each server knows.")
begun = specification.variable("begun", Bool(), "Whether the first configuration is chosen.")


@specification.definition(servers, servers)
def is_newer(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """One server's configuration is newer than another's."""
    return (config_term[one] > config_term[other]) | (
        (config_term[one] == config_term[other]) & (version[one] > version[other])
    )


@specification.definition(servers, servers)
def is_same(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Two servers' configurations have one term and version."""
    return (config_term[one] == config_term[other]) & (version[one] == version[other])


@specification.definition(servers)
def is_committed(server: IndexExpr) -> BoolExpr:
    """A primary's configuration is of its term, and most of its members have it, in that term."""
    members = count(servers, lambda one: config[server][one])
    has_it = count(servers, lambda one: all_of(config[server][one], is_same(server, one), term[one] == term[server]))
    return all_of(role[server] == Role.PRIMARY, config_term[server] == term[server], has_it * 2 > members)


@specification.action(Set(servers), source=SOURCE)
def first_configuration_is_chosen(members: SetExpr) -> Step:
    """All servers begin with one configuration that is not empty."""
    return Step(
        when=[~begun, exists(servers, lambda server: members[server])],
        then=[begun.becomes(True), config.becomes(array_of(servers, lambda _: members))],
    )


@specification.action(servers, servers, source=SOURCE)
def term_spreads(sender: IndexExpr, receiver: IndexExpr) -> Step:
    """A server hears of a higher term."""
    return Step(
        when=[begun, term[sender] > term[receiver]],
        then=[term[receiver].becomes(term[sender]), role[receiver].becomes(Role.SECONDARY)],
    )


@specification.action(servers, Set(servers), source=SOURCE)
def server_is_elected(server: IndexExpr, voters: SetExpr) -> Step:
    """Most members of a server's configuration vote for it in a new term; none has a newer configuration."""
    new_term = term[server] + 1
    members = count(servers, lambda one: config[server][one])
    chosen = count(servers, lambda one: voters[one])
    may_vote = for_all(
        servers,
        lambda one: voters[one].implies(all_of(config[server][one], term[one] < new_term, ~is_newer(one, server))),
    )
    return Step(
        when=[begun, config[server][server], voters[server], may_vote, chosen * 2 > members, new_term <= last_term],
        then=[
            term.becomes(array_of(servers, lambda one: if_else(voters[one], new_term, term[one]))),
            role.becomes(
                array_of(
                    servers,
                    lambda one: if_else(one == server, Role.PRIMARY, if_else(voters[one], Role.SECONDARY, role[one])),
                )
            ),
            config_term[server].becomes(new_term),
        ],
    )


@specification.action(servers, Set(servers), source=SOURCE)
def primary_changes_members(server: IndexExpr, members: SetExpr) -> Step:
    """A primary whose configuration is committed takes another one, whose majorities meet those of the old one."""
    old = count(servers, lambda one: config[server][one])
    new = count(servers, lambda one: members[one])
    union = count(servers, lambda one: config[server][one] | members[one])
    majorities: IntExpr = old // 2 + 1 + (new // 2 + 1)
    return Step(
        when=[begun, is_committed(server), majorities > union, members[server], version[server] < last_version],
        then=[
            config_term[server].becomes(term[server]),
            version[server].becomes(version[server] + 1),
            config[server].becomes(members),
        ],
    )


@specification.action(servers, servers, source=SOURCE)
def configuration_spreads(sender: IndexExpr, receiver: IndexExpr) -> Step:
    """A secondary takes a newer configuration."""
    return Step(
        when=[begun, role[receiver] == Role.SECONDARY, is_newer(sender, receiver)],
        then=[
            version[receiver].becomes(version[sender]),
            config_term[receiver].becomes(config_term[sender]),
            config[receiver].becomes(config[sender]),
        ],
    )


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def one_primary_a_term() -> BoolExpr:
    """No two servers are primary in one term."""
    return for_all(
        servers,
        lambda one: for_all(
            servers,
            lambda other: all_of(
                role[one] == Role.PRIMARY, role[other] == Role.PRIMARY, term[one] == term[other]
            ).implies(one == other),
        ),
    )
