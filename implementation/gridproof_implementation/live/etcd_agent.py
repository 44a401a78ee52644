"""One member of etcd beside its agent, asked through its own JSON gateway (live-systems 6).

Its arguments: the program, how many members found the cluster, and `linearizable` or `serializable`, the kind of its
reads. Its habits:

- Founders have to know each other's peer address before any of them starts: each leaves its own in the folder of the
  run. Membership is fixed; one that is started again finds its log, and is the member that it was.
- There is one partition, of which every member has a copy; slot 0 is the leader, as this member knows it.
- A member counts as listed while it has a connection to it; caught up is who gets an answer to a linearizable read.
- An error says nothing of what was done. What could not be sent was not done.
"""

import json
import os
import sys
import time
from base64 import b64decode, b64encode
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from gridproof_implementation.live.agent import free_port, ok, refused, run_beside, serve, unknown
from gridproof_implementation.live.etcd_program import ETCD

CALL_S, LOOK_S, START_S = 7.0, 0.5, 30.0
"""An etcd server gives a call up after 5 s and two elections."""
OPTIONS = "--heartbeat-interval 50 --election-timeout 500 --unsafe-no-fsync --log-level error --logger zap"
ANY_KEY = {"key": "AA==", "range_end": "AA=="}
PROGRAM, FOUNDERS, READS = sys.argv[1], int(sys.argv[2]), sys.argv[3]
me: tuple[str, int] = "", 0


def start(*, host: str, port: int, founders: list[str], **_: Any) -> Any:
    """Run the server, with all founders known; one that was here before goes on from its log."""
    global me
    me, name = (host, port), f"{host}:{port}"
    known, data = Path(os.environ["GRIDPROOF_FOLDER"]) / "peers", Path(os.environ["GRIDPROOF_FOLDER"]) / name
    known.mkdir(exist_ok=True)
    if not data.exists():
        (known / f".{name}").write_text(f"{name}=http://{host}:{free_port(host)}")
        (known / f".{name}").rename(known / name)
    _until(lambda: len(founders) <= len(list(known.glob("[0-9]*"))))
    cluster = [file.read_text() for file in sorted(known.glob("[0-9]*"))]
    peer = (known / name).read_text().partition("=")[2]
    client = f"http://{name}"
    words = f"--name {name} --data-dir {data} --initial-cluster {','.join(cluster)} {OPTIONS}"
    words += f" --listen-peer-urls {peer} --initial-advertise-peer-urls {peer}"
    run_beside([PROGRAM, *words.split(), "--listen-client-urls", client, "--advertise-client-urls", client])
    _until(lambda: settled()["why"] is None)
    return {"member": settled()["member"], "address": name}


def table() -> Any:
    """One row: the leader, then the other members; its version is the term."""
    status = _call("maintenance/status", {})
    members = [one["ID"] for one in _call("cluster/member/list", {"linearizable": False})["members"]]
    leader = status.get("leader", "0")
    known = leader in members
    row = [leader if known else None, *sorted(member for member in members if member != leader)]
    # Of a term there is one leader at most, and while none is known no row of it.
    version = int(status["raftTerm"]) if known else None
    return {"member": status["header"]["member_id"], "rows": [row], "versions": [version]}


def settled() -> Any:
    """Whom it has connections to, and whether it has all that the leader has committed."""
    shown = table()
    try:
        _call("kv/range", {**ANY_KEY, "count_only": True}, LOOK_S)
        why = None
    except (OSError, RuntimeError) as error:
        why = f"it gets no answer to a linearizable read ({error})"
    return {"member": shown["member"], "members": [shown["member"], *_peers()], "why": why, "stamp": str(shown["rows"])}


def partition(key: str) -> Any:
    """There is one."""
    return {"partition": 0, "owner": table()["rows"][0][0]}


def put(key: str, value: str) -> Any:
    """Acknowledged once a majority has it in its log; what its members show of it is not said."""
    return _changed("kv/put", {"key": _coded(key), "value": _coded(value)})


def remove(key: str) -> Any:
    """As a put."""
    return _changed("kv/deleterange", {"key": _coded(key)})


def get(key: str) -> Any:
    """Linearizable, or out of the member's own copy."""
    try:
        found = _call("kv/range", {"key": _coded(key), "serializable": READS == "serializable"})
    except (OSError, RuntimeError) as error:
        return unknown(error)
    return ok(value=next((_plain(one.get("value", "")) for one in found.get("kvs", [])), None))


def replicas(**_: Any) -> Any:
    """All that this member has, by a serializable read."""
    found, shown = _call("kv/range", {**ANY_KEY, "serializable": True}), table()
    entries = {_plain(one["key"]): _plain(one.get("value", "")) for one in found.get("kvs", [])}
    role = "primary" if shown["rows"][0][0] == shown["member"] else "replica"
    version = int(found["header"]["revision"])
    return {"copies": [{"partition": 0, "role": role, "version": version, "entries": entries}]}


def _changed(path: str, about: dict[str, Any]) -> Any:
    try:
        _call(path, about)
    except ConnectionRefusedError as error:
        return refused(error)
    except (OSError, RuntimeError) as error:
        return unknown(error)
    return ok()


def _call(path: str, about: dict[str, Any], timeout_s: float = CALL_S) -> Any:
    connection = HTTPConnection(*me, timeout=timeout_s)
    try:
        connection.request("POST", f"/v3/{path}", json.dumps(about))
        answer = connection.getresponse()
        shown = json.loads(answer.read())
    except (HTTPException, ValueError) as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from None
    finally:
        connection.close()
    if answer.status != 200:
        raise RuntimeError(shown.get("message", shown))
    return shown


def _peers() -> list[str]:
    """Members to which there is a connection: `etcd_network_active_peers{Local="…",Remote="…"} 1`, in hexadecimal."""
    connection = HTTPConnection(*me, timeout=CALL_S)
    try:
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
    finally:
        connection.close()
    named = [line.split('"') for line in lines if line.startswith("etcd_network_active_peers{")]
    return sorted(str(int(words[3], 16)) for words in named if words[-1].split()[-1] != "0")


def _until(is_so: Any) -> None:
    end = time.monotonic() + START_S
    while True:
        try:
            if is_so():
                return
        except (OSError, RuntimeError):
            pass  # it does not listen yet
        if time.monotonic() > end:
            raise TimeoutError("the other founders are not there, or no leader is elected")
        time.sleep(0.05)


def _coded(text: str) -> str:
    return b64encode(text.encode(errors="surrogatepass")).decode()


def _plain(coded: str) -> str:
    return b64decode(coded).decode(errors="surrogatepass")


if __name__ == "__main__":
    about = {"partitions": 1, "founders": FOUNDERS, "fixed": True}
    serve("etcd", ETCD.version.lstrip("v"), start, table, settled, partition, put, remove, get, replicas, **about)
