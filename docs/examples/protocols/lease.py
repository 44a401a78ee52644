"""A lease that runs out by the holder's own clock. Source: Gray and Cheriton 1989, "Leases".

Clocks are set apart by any offset and run alike. Who asks notes when, by its own clock; the server grants once the last
lease is over by its own clock, and the asker counts from when it asked: it gives up earlier, never later.
"""

from gridproof_model.language import (
    ANY,
    Array,
    BoolExpr,
    IndexExpr,
    Int,
    Option,
    Set,
    Specification,
    Step,
    for_all,
)

SOURCE = "Gray and Cheriton 1989"

specification = Specification("lease", "No two clients have the lease.", source=SOURCE)
size = specification.constant("size", 2, "How many clients there are.", least=1)
clients = specification.index("client", size)
horizon = specification.constant("horizon", 4, "When the clock of the server stops.", least=1)
term = specification.constant("term", 3, "How long a lease is.", least=1)
offset_max = specification.constant("offset_max", 2, "How far a client's clock is ahead at most.", least=1)
clock = Int(0, horizon + offset_max + term)
offset = specification.variable("offset", Array(clients, Int(0, offset_max)), "How far each is ahead.", initial=ANY)
now = specification.variable("now", Int(0, horizon), "The clock of the server.")
end = specification.variable("end", Int(0, horizon + term), "When the last lease is over, by that clock.")
holder = specification.variable("holder", Option(clients), "Whose lease was the last.")
asks = specification.variable("asks", Set(clients), "Clients that are asking.")
asked_at = specification.variable("asked_at", Array(clients, clock), "When each asked, by its own clock.")
granted = specification.variable("granted", Set(clients), "Clients to whom an answer is on its way.")
granted_until = specification.variable("granted_until", Array(clients, clock), "Until when it says, by their clock.")
until = specification.variable("until", Array(clients, clock), "Until when each has the lease, by its own clock.")


@specification.definition(clients)
def has_lease(client: IndexExpr) -> BoolExpr:
    """A client has the lease, by its own clock."""
    return now + offset[client] < until[client]


@specification.action(source=SOURCE)
def time_passes() -> Step:
    """All clocks go on."""
    return Step(when=[now < horizon], then=[now.becomes(now + 1)])


@specification.action(clients, source=SOURCE)
def client_asks(client: IndexExpr) -> Step:
    """A client asks, and notes when."""
    return Step(
        when=[~asks[client], ~granted[client]],
        then=[asks[client].becomes(True), asked_at[client].becomes(now + offset[client])],
    )


@specification.action(clients, source=SOURCE)
def server_grants(client: IndexExpr) -> Step:
    """The server grants a lease once the last one is over."""
    return Step(
        when=[asks[client], end <= now],
        then=[
            asks[client].becomes(False),
            granted[client].becomes(True),
            granted_until[client].becomes(asked_at[client] + term),
            holder.becomes(client),
            end.becomes(now + term),
        ],
    )


@specification.action(clients, source=SOURCE)
def answer_arrives(client: IndexExpr) -> Step:
    """A client has the lease."""
    return Step(
        when=[granted[client]], then=[granted[client].becomes(False), until[client].becomes(granted_until[client])]
    )


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def one_has_the_lease() -> BoolExpr:
    """No two clients have the lease."""
    return for_all(
        clients, lambda one: for_all(clients, lambda other: (has_lease(one) & has_lease(other)).implies(one == other))
    )
