"""The server process of one member of etcd.

Founders have to know each other's peer address before any of them starts: each leaves its own in the folder of the run
and waits for those of the others (docs/sources.md, etcd).
"""

from pathlib import Path

from gridproof_implementation.live.agent import own_folder, own_port, run_beside, run_folder, until
from gridproof_implementation.live.systems.etcd.program import ETCD

OPTIONS = "--heartbeat-interval 50 --election-timeout 500 --log-level error --logger zap"
UNSYNCED = "--unsafe-no-fsync"
"""A process that ends loses nothing that the machine still writes; several members on one disk are quicker so."""


def run_server(host: str, port: int, founders: int, *, syncs: bool) -> None:
    """Run the server once so many founders are known; one that was here before goes on from its log."""
    name = f"{host}:{port}"
    folder, _ = own_folder(name)
    peer = f"http://{host}:{own_port(folder, host)}"
    known = run_folder() / "peers"
    known.mkdir(exist_ok=True)
    (known / f".{name}").write_text(f"{name}={peer}")
    (known / f".{name}").rename(known / name)
    until(lambda: None if founders <= len(_peers(known)) else "the other founders are not there")
    cluster = ",".join(_peers(known))
    client = f"http://{name}"
    words = f"--name {name} --data-dir {folder / 'data'} --initial-cluster {cluster} {OPTIONS}"
    words += "" if syncs else f" {UNSYNCED}"
    words += f" --listen-peer-urls {peer} --initial-advertise-peer-urls {peer}"
    run_beside([str(ETCD.file), *words.split(), "--listen-client-urls", client, "--advertise-client-urls", client])


def _peers(known: Path) -> list[str]:
    return [file.read_text() for file in sorted(known.glob("[0-9]*"))]
