"""A network of the run's own, with one host for each member.

Each host is a network namespace. The hosts are connected by a bridge in another namespace, so that none of this is
visible in the machine's own network (docs/faults-on-live-systems.md). Hosts listen on addresses 127.77.0.x, which are
never routed. A cut is silent: no process is notified that a connection is broken. The names of namespaces contain the
process id of the run; the next run removes the namespaces of runs that have ended, and no others.

The network needs `ip` (iproute2), and a root user or a user namespace (`inside_own_namespace`). One-way cuts, and some
cuts of pairs, need `nft` (nftables), too.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep
from typing import Self

from gridproof_implementation.adapter import AdapterError

PREFIX = "gridproof"
NETS = Path("/run/netns")
SLOW_SHARE, SLOWEST_BIT, FASTEST_BIT = 0.5, 8_000, 256_000
"""The rate of a slow link is half of its traffic just before, within these bounds, so that the load is affected."""
SLOW = ("burst", "2000", "latency", "400ms")
"""A slow link loses each packet that would have to wait longer than this. (Not every kernel has `netem`.)"""
MEASURED_S = 1.0
ROOT = "GRIDPROOF_OWN_NAMESPACE"
"""The environment variable that is set in a run that has its own user namespace."""
ORPHANS_S = 1.0
"""After this time the kernel no longer tries to send the data that an ended process left in its sockets."""
_TIMEOUT_S = 20

Pair = tuple[int, int]
"""Two hosts: the sender and the receiver."""


NO_FILTER = "nft is not installed; type: apt-get install nftables"


def why_no_network() -> str | None:
    """Return what is missing to make a network of the run's own, with the cure; None if it can be made."""
    if shutil.which("ip") is None:
        return "ip is not installed; type: apt-get install iproute2"
    if os.geteuid() == 0:
        return None if _works("ip", "link", "show") else "ip cannot be run here"
    return "only root makes network namespaces, and unshare -Urnm is not permitted here: run as root"


def why_no_filter() -> str | None:
    """Return what is missing to cut pairs of hosts, or one direction of a link, with the cure; None if all is there."""
    return NO_FILTER if shutil.which("nft") is None else None


def inside_own_namespace(words: Sequence[str]) -> list[str] | None:
    """Return the command that runs this program as root of its own namespaces; None if not needed or impossible."""
    if os.geteuid() == 0 or not _works("unshare", "-Urnm", "true"):
        return None
    prepared = 'mount -t tmpfs tmpfs /run && exec env "$0" "$@"'
    return ["unshare", "-Urnm", "--", "sh", "-c", prepared, f"{ROOT}=1", *words]


@dataclass(slots=True)
class Network:
    """Hosts, numbered from 0, that a run makes and removes."""

    name: str = field(default_factory=lambda: f"{PREFIX}-{os.getpid()}")
    hosts: int = 0
    _cuts: list[frozenset[Pair]] = field(default_factory=list)

    def __enter__(self) -> Self:
        missing = why_no_network()
        if missing is not None:
            raise AdapterError(missing)
        remove_strays()
        _ip("netns", "add", self._switch)
        self._add_bridge(0)
        return self

    def __exit__(self, *error: object) -> None:
        for host in range(self.hosts):
            _remove(self._host(host))
        _remove(self._switch)

    def add_host(self) -> int:
        """Make one more host, connected with all others; return its number."""
        number, self.hosts = self.hosts, self.hosts + 1
        host, port = self._host(number), f"p{number}"
        _ip("netns", "add", host)
        # The values are set before an interface is made, since a new interface takes over the values set so far.
        for which in ("all", "default"):
            _within(host, "sh", "-c", f"echo 1 >/proc/sys/net/ipv4/conf/{which}/route_localnet")
        # The kernel gives up an ended process's unsent data soon, so that a host sends none once it is connected again.
        _within(host, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/tcp_orphan_retries")
        _ip("-n", self._switch, "link", "add", port, "type", "veth", "peer", "name", "e0", "netns", host)
        _ip("-n", self._switch, "link", "set", port, "master", "br0")
        _ip("-n", self._switch, "link", "set", port, "up")
        _ip("-n", host, "link", "set", "lo", "up")
        _ip("-n", host, "addr", "del", "127.0.0.1/8", "dev", "lo")  # so that 127.77 is not local
        _ip("-n", host, "addr", "add", "127.0.0.1/16", "dev", "lo")
        _ip("-n", host, "addr", "add", f"{self.address(number)}/24", "dev", "e0")
        _ip("-n", host, "link", "set", "e0", "up")
        return number

    def address(self, host: int) -> str:
        """Return the address at which the members of a host listen."""
        return f"127.77.0.{10 + host}"

    def inside(self, host: int, command: Sequence[str]) -> tuple[str, ...]:
        """Return the command that runs the given command on a host; the process keeps its process id."""
        return ("ip", "netns", "exec", self._host(host), *command)

    def cut(self, pairs: Iterable[Pair]) -> frozenset[Pair]:
        """Let nothing through from one host to another; return the cut, for `heal`."""
        made = frozenset(pairs)
        self._cuts.append(made)
        try:
            self._apply()
        except AdapterError:
            self._cuts.remove(made)
            raise
        return made

    def heal(self, cut: frozenset[Pair]) -> None:
        """Undo one cut; a link that another cut also covers stays cut."""
        self._cuts.remove(cut)
        self._apply()

    def unplug(self, host: int) -> None:
        """Take the link of a host down, so that nothing leaves it that the host has not sent yet."""
        _ip("-n", self._switch, "link", "set", f"p{host}", "down")

    def plug_in(self, host: int) -> None:
        """Take the link of a host up."""
        _ip("-n", self._switch, "link", "set", f"p{host}", "up")

    def slow_down(self, hosts: Sequence[int]) -> None:
        """Make the links of hosts slower than their present traffic, in both directions; measuring takes a second."""
        before = [self._carried(host) for host in hosts]
        sleep(MEASURED_S)
        for host, was in zip(hosts, before, strict=True):
            load_bit = (self._carried(host) - was) * 8 / MEASURED_S
            rate = f"{min(max(round(SLOW_SHARE * load_bit), SLOWEST_BIT), FASTEST_BIT)}bit"
            for place, link in self._ends(host):
                _run("tc", "-n", place, "qdisc", "add", "dev", link, "root", "tbf", "rate", rate, *SLOW)

    def _carried(self, host: int) -> int:
        """Return how many bytes a host has sent or has received, whichever number is larger."""
        (link,) = json.loads(_ip("-n", self._switch, "-s", "-j", "link", "show", "dev", f"p{host}"))
        return max(int(link["stats64"][way]["bytes"]) for way in ("rx", "tx"))

    def speed_up(self, host: int) -> None:
        """Remove the limit from a host's link."""
        for place, link in self._ends(host):
            _run("tc", "-n", place, "qdisc", "del", "dev", link, "root")

    def _ends(self, host: int) -> tuple[tuple[str, str], ...]:
        return (self._switch, f"p{host}"), (self._host(host), "e0")

    def _apply(self) -> None:
        pairs = frozenset[Pair]().union(*self._cuts)
        if shutil.which("nft") is not None:
            rules = [f"add rule bridge {PREFIX} cuts iifname p{a} oifname p{b} drop" for a, b in sorted(pairs)]
            chain = f"add chain bridge {PREFIX} cuts {{ type filter hook forward priority 0; }}"
            table = f"table bridge {PREFIX}"
            _within(
                self._switch, "nft", "-f", "-", given="\n".join([f"add {table}", f"delete {table}", f"add {table}"])
            )
            _within(self._switch, "nft", "-f", "-", given="\n".join([chain, *rules]))
            return
        apart = _apart(pairs)
        groups = [list(range(self.hosts))] if apart else _groups(self.hosts, pairs)
        for number, group in enumerate(groups):
            self._add_bridge(number)
            for host in group:
                port = f"p{host}"
                _ip("-n", self._switch, "link", "set", port, "master", f"br{number}")
                how = "on" if host in apart else "off"
                _run("bridge", "-n", self._switch, "link", "set", "dev", port, "isolated", how)

    def _add_bridge(self, number: int) -> None:
        with suppress(AdapterError):  # it is there already
            _ip("-n", self._switch, "link", "add", f"br{number}", "type", "bridge", "forward_delay", "0")
        _ip("-n", self._switch, "link", "set", f"br{number}", "up")

    @property
    def _switch(self) -> str:
        return f"{self.name}-sw"

    def _host(self, number: int) -> str:
        return f"{self.name}-h{number}"


def remove_strays() -> int:
    """Remove the namespaces of runs that are gone, with all that runs in them; return how many there were."""
    found = [path.name for path in NETS.glob(f"{PREFIX}-*")] if NETS.exists() else []
    gone = [name for name in found if not Path("/proc", name.split("-")[1]).exists()]
    for name in gone:
        _remove(name)
    return len(gone)


def _apart(cut: frozenset[Pair]) -> frozenset[int]:
    """Return the hosts of a cut if all of them are cut from each other and from no others; else no hosts."""
    hosts = frozenset(host for pair in cut for host in pair)
    return hosts if len(cut) == len(hosts) * (len(hosts) - 1) else frozenset()


def _groups(hosts: int, cut: frozenset[Pair]) -> list[list[int]]:
    """Return the groups of hosts that still reach each other; AdapterError if the cut does not leave such groups."""
    groups: list[list[int]] = []
    for host in range(hosts):
        home = next((group for group in groups if (host, group[0]) not in cut and (group[0], host) not in cut), None)
        if home is None:
            groups.append([host])
        else:
            home.append(host)
    home_of = {host: number for number, group in enumerate(groups) for host in group}
    for one in range(hosts):
        for other in range(hosts):
            if one != other and (home_of[one] != home_of[other]) != ((one, other) in cut):
                raise AdapterError(
                    f"one direction of a link, or a single link of a host, cannot be cut on this machine: {NO_FILTER}"
                )
    return groups


def _remove(name: str) -> None:
    """Remove a namespace of a run, after ending its processes, since the removal alone would leave them running."""
    with suppress(AdapterError):
        for pid in _run("ip", "netns", "pids", name).split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), 9)
        _ip("netns", "del", name)


def _within(namespace: str, *words: str, given: str = "") -> str:
    return _run("ip", "netns", "exec", namespace, *words, given=given)


def _ip(*words: str) -> str:
    return _run("ip", *words)


def _run(*words: str, given: str = "") -> str:
    try:
        done = subprocess.run(
            words, input=given, capture_output=True, text=True, errors="replace", check=False, timeout=_TIMEOUT_S
        )
    except OSError as error:
        raise AdapterError(f"{words[0]} cannot be run: {error.strerror}; type: apt-get install iproute2") from None
    except subprocess.TimeoutExpired:
        raise AdapterError(f"{' '.join(words)} did not end within {_TIMEOUT_S} s; try again") from None
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise AdapterError(f"{' '.join(words)} failed: {last}; run this command yourself to see all of its output")
    return done.stdout


def _works(*words: str) -> bool:
    try:
        return subprocess.run(words, capture_output=True, check=False, timeout=_TIMEOUT_S).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
