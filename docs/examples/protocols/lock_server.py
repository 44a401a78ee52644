"""Servers to which one client at a time connects. Source: Endive, benchmarks/lockserver.tla (i4-lock-server)."""

from gridproof_model.language import Array, BoolExpr, IndexExpr, Set, Specification, Step, for_all

SOURCE = "Endive, lockserver"

specification = Specification("lock_server", "Each server serves one client at a time.", source=SOURCE)
servers = specification.index("server", specification.constant("server_count", 3, "How many servers.", least=1))
clients = specification.index("client", specification.constant("client_count", 3, "How many clients.", least=1))
is_free = specification.variable("is_free", Set(servers), "Servers that wait for a client.", initial=True)
connected = specification.variable("connected", Array(clients, Set(servers)), "The servers of each client.")


@specification.action(clients, servers, source=SOURCE)
def client_connects(client: IndexExpr, server: IndexExpr) -> Step:
    """A client takes a server that is free."""
    return Step(when=[is_free[server]], then=[connected[client][server].becomes(True), is_free[server].becomes(False)])


@specification.action(clients, servers, source=SOURCE)
def client_disconnects(client: IndexExpr, server: IndexExpr) -> Step:
    """A client leaves a server, which is free then."""
    return Step(
        when=[connected[client][server]], then=[connected[client][server].becomes(False), is_free[server].becomes(True)]
    )


@specification.always(source=SOURCE)
def one_client_a_server() -> BoolExpr:
    """No server is connected to two clients."""
    return for_all(
        servers,
        lambda server: for_all(
            clients,
            lambda one: for_all(
                clients, lambda other: (connected[one][server] & connected[other][server]).implies(one == other)
            ),
        ),
    )
