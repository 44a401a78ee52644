"""The JSON gateway of one member of etcd, and its metrics.

In practice engineers use a client library instead of this gateway. Client libraries know all members and retry at
another member, so that it cannot be seen which member a call asked and how it ended; here each call is one request to
one member (docs/sources.md, etcd). A request that could not be sent was not executed (`RefusedError`); after any other
error, it is unknown whether it was executed.

This file also runs the server process of one member of etcd. Founders have to know each other's peer addresses before
any of them starts: each writes its own address into the folder of the run, and waits until the others have written
theirs (docs/sources.md, etcd).
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from gridproof_implementation.live.agent import RefusedError, own_folder, own_port, run_beside, run_folder, until
from gridproof_implementation.live.systems.etcd.program import ETCD

CALL_S, LOOK_S = 7.0, 0.5
"""The timeouts of a call and of a look at the member; an etcd server gives up a call after 5 s and two elections."""
ANY_KEY = {"key": "AA==", "range_end": "AA=="}


@dataclass(frozen=True, slots=True)
class Gateway:
    """The JSON gateway of one member, at its host and port."""

    host: str
    port: int

    def put(self, key: str, value: str) -> None:
        """Write an entry."""
        self._call("kv/put", {"key": coded(key), "value": coded(value)})

    def delete(self, key: str) -> None:
        """Remove an entry."""
        self._call("kv/deleterange", {"key": coded(key)})

    def get(self, key: str, *, serializable: bool) -> str | None:
        """Return the value of a key; None if there is no such entry."""
        return value_of(self._call("kv/range", {"key": coded(key), "serializable": serializable}))

    def transact(
        self, comparison: Mapping[str, Any], change: Mapping[str, Any], otherwise: Mapping[str, Any] | None = None
    ) -> tuple[bool, Mapping[str, Any]]:
        """Make a change if a comparison is true; return whether it is true, and the response to the executed
        request."""
        asked = {"compare": [comparison], "success": [change], "failure": [otherwise] if otherwise else []}
        found = self._call("kv/txn", asked)
        return found.get("succeeded", False), next(iter(found.get("responses", [])), {})

    def own_entries(self) -> tuple[dict[str, str], int]:
        """Return the entries that this member has, and its revision."""
        found = self._call("kv/range", {**ANY_KEY, "serializable": True})
        entries = {plain(one["key"]): plain(one.get("value", "")) for one in found.get("kvs", [])}
        return entries, int(found["header"]["revision"])

    def status(self) -> Mapping[str, Any]:
        """Return the member's id (`header`), the leader that it knows, and the term."""
        found: Mapping[str, Any] = self._call("maintenance/status", {})
        return found

    def members(self) -> list[str]:
        """Return the members of the cluster, as this member knows them."""
        return [one["ID"] for one in self._call("cluster/member/list", {"linearizable": False})["members"]]

    def peers(self) -> list[str]:
        """Return the members to which this member has connections.

        The metric has lines such as `etcd_network_active_peers{Local="…",Remote="…"} 1`, with ids in hexadecimal.
        """
        _, found = self._answer(CALL_S, "GET", "/metrics")
        named = [line.split('"') for line in found.splitlines() if line.startswith("etcd_network_active_peers{")]
        return sorted(str(int(words[3], 16)) for words in named if words[-1].split()[-1] != "0")

    def why_behind(self) -> str | None:
        """Return why the member cannot say that it has all that the leader has committed, or None."""
        try:
            self._call("kv/range", {**ANY_KEY, "count_only": True}, LOOK_S)
        except (OSError, RuntimeError, RefusedError) as error:
            return f"a linearizable read fails ({error})"
        return None

    def _call(self, path: str, about: Mapping[str, Any], timeout_s: float = CALL_S) -> Any:
        status, text = self._answer(timeout_s, "POST", f"/v3/{path}", json.dumps(about))
        try:
            shown = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise RuntimeError(f"etcd's answer to /v3/{path} is not JSON: {type(error).__name__}: {error}") from None
        if status != 200:
            # A bad request, such as one with an empty key or one that is too large, is refused before any proposal.
            raise (RefusedError if status == 400 else RuntimeError)(shown.get("message", shown))
        return shown

    def _answer(self, timeout_s: float, method: str, path: str, body: str | None = None) -> tuple[int, str]:
        """Send one request; return the status and the body of the answer."""
        connection = HTTPConnection(self.host, self.port, timeout=timeout_s)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except ConnectionRefusedError as error:
            raise RefusedError(error) from error
        except HTTPException as error:
            raise RuntimeError(f"etcd did not answer {method} {path}: {type(error).__name__}: {error}") from None
        finally:
            connection.close()


def value_of(found: Mapping[str, Any]) -> str | None:
    """Return the value of the only entry that a range request found; None if it found none."""
    return next((plain(one.get("value", "")) for one in found.get("kvs", [])), None)


def coded(text: str) -> str:
    """Return a text in the encoding that the gateway expects."""
    return b64encode(text.encode(errors="surrogatepass")).decode()


def plain(found: str) -> str:
    """Return the text of a value in the gateway's encoding."""
    return b64decode(found).decode(errors="surrogatepass")


OPTIONS = "--heartbeat-interval 50 --election-timeout 500 --log-level error --logger zap"
UNSYNCED = "--unsafe-no-fsync"
"""Without fsync members on one disk are faster; an ended process loses nothing: the machine still writes its data."""


def run_server(host: str, port: int, founders: int, *, syncs: bool) -> None:
    """Run the server once all `founders` are known; a member that ran before continues from its log."""
    name = f"{host}:{port}"
    folder, _ = own_folder(name)
    peer = f"http://{host}:{own_port(folder, host)}"
    known = run_folder() / "peers"
    known.mkdir(exist_ok=True)
    (known / f".{name}").write_text(f"{name}={peer}")
    (known / f".{name}").rename(known / name)
    until(lambda: None if founders <= len(_peers(known)) else "not all founders have started")
    cluster = ",".join(_peers(known))
    client = f"http://{name}"
    words = f"--name {name} --data-dir {folder / 'data'} --initial-cluster {cluster} {OPTIONS}"
    words += "" if syncs else f" {UNSYNCED}"
    words += f" --listen-peer-urls {peer} --initial-advertise-peer-urls {peer}"
    run_beside([str(ETCD.file), *words.split(), "--listen-client-urls", client, "--advertise-client-urls", client])


def _peers(known: Path) -> list[str]:
    return [file.read_text() for file in sorted(known.glob("[0-9]*"))]
