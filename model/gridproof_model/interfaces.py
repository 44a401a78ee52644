"""Which hosts an interface mask or a domain pattern matches.

CUSTOM partition groups are written as masks such as `10.10.0.*`, `10.10.10.10-100` or `*.example.com` (seed: Partition
Group Configuration). The rules are those of placement.4; a malformed mask matches no host.
"""

import re
from functools import lru_cache

IPV4_PARTS, IPV4_MAX = 4, 255
IPV6_PARTS, IPV6_MAX = 8, 0xFFFF
WILDCARD = "*"

Parts = tuple[range, ...]
"""The numbers that a mask allows for each part of an address: four parts in IPv4, eight in IPv6."""


def is_matching(mask: str, host: str) -> bool:
    """Return whether a mask or pattern matches a host: a mask if the host is an IP address, else a pattern of names."""
    return is_matching_address(mask, host) if parse_mask(host) is not None else is_matching_name(mask, host)


def is_matching_address(mask: str, address: str) -> bool:
    """Return whether an interface mask matches an IP address; False, never an error, if either is malformed."""
    allowed, wanted = parse_mask(mask), parse_mask(address)
    if allowed is None or wanted is None or len(allowed) != len(wanted) or not _is_one_address(address):
        return False
    return all(part.start in choice for choice, part in zip(allowed, wanted, strict=True))


def is_matching_name(pattern: str, name: str) -> bool:
    """Return whether a domain pattern matches a host name, from the right; `*` is one whole label; case matters."""
    if WILDCARD not in pattern:
        return pattern == name
    wanted, labels = pattern.split("."), name.split(".")
    if len(wanted) > len(labels):
        return False
    return all(
        label in (WILDCARD, found) for label, found in zip(wanted, labels[len(labels) - len(wanted) :], strict=True)
    )


@lru_cache(1_024)
def parse_mask(text: str) -> Parts | None:
    """Return the numbers that an interface mask allows for each part; None for a text that is not a mask."""
    colons = text.count(":")
    if colons == 0:
        return _parse_ipv4(text)
    if colons == 1:
        return None
    bare = _without_scope(text)
    if "." in bare:  # an IPv4 address mapped into IPv6: the text before it is ignored
        return _parse_ipv4(bare.rsplit(":", 1)[1])
    return _parse_ipv6(bare)


def why_never_matching(mask: str) -> str | None:
    """Return a clause that says why the mask matches no host, with the cure; None if it matches some host.

    Choice (placement.5): Hazelcast accepts a mask that no host can match; the reader of configurations reports it.
    """
    if mask == "" or re.search(r"\s", mask):
        return "is empty" if mask == "" else "has a space in it; write each interface by itself"
    parts = parse_mask(mask)
    if parts is not None:
        empty = any(len(part) == 0 for part in parts)
        return "has a range that runs backwards; write the smaller number first" if empty else None
    if ":" in mask:
        return _why_no_colons(mask)
    network, slash, _ = mask.partition("/")
    if slash:
        parts_of = network.split(".")
        cure = f"; write it as {'.'.join([*parts_of[:3], WILDCARD])}" if len(parts_of) == IPV4_PARTS else ""
        return f"is a network with a prefix length, which Hazelcast takes for a name{cure} or as ranges"
    labels = mask.split(".")
    if len(labels) > 1 and any(c.isdigit() for c in mask) and re.fullmatch(r"[0-9*+.-]+", mask):
        return _why_no_ipv4(labels)
    if "" in labels:
        return "has an empty label; a name is labels with one dot between them"
    if any(WILDCARD in label and label != WILDCARD for label in labels):
        return "has * inside a label; * stands for a whole label"
    return None


def _why_no_colons(mask: str) -> str:
    host, _, port = mask.partition(":")
    if host and port.isdigit():
        return f"has a port; write {host}"
    if ":" not in port:
        return "has a colon in it; write the address or the name alone"
    return f"is no IPv6 interface; it has {IPV6_PARTS} parts of 0 to ffff, * or a range, or :: for some zeros"


def _why_no_ipv4(labels: list[str]) -> str:
    if len(labels) != IPV4_PARTS:
        filled = ".".join([*labels, *[WILDCARD] * (IPV4_PARTS - len(labels))])
        cure = f"; did you mean {filled}?" if parse_mask(filled) is not None and labels[-1] == WILDCARD else ""
        return f"has {len(labels)} parts; an IPv4 interface has {IPV4_PARTS}{cure}"
    wrong = next(label for label in labels if _parse_part(label, 10, IPV4_MAX) is None)
    part = f"the part {wrong!r}" if wrong else "an empty part"
    return f"has {part}; a part is 0 to {IPV4_MAX}, * or a range such as 10-100"


def _is_one_address(text: str) -> bool:
    return not any(sign in _without_scope(text) for sign in "*-")


def _without_scope(text: str) -> str:
    """Return an IPv6 text without its scope id, which names the network card to be used (`fe80::1%eth0`)."""
    return text.split("%", 1)[0] if ":" in text else text


def _parse_ipv4(text: str) -> Parts | None:
    parts = text.removesuffix(".").split(".")
    return _parse_parts(parts, 10, IPV4_MAX) if len(parts) == IPV4_PARTS else None


def _parse_ipv6(text: str) -> Parts | None:
    head, gap, tail = text.partition("::")
    front, back = (side.split(":") if side else [] for side in (head, tail))
    missing = IPV6_PARTS - len(front) - len(back)
    if missing < 0 or (missing > 0 and not gap):
        return None
    return _parse_parts([*front, *["0"] * missing, *back], 16, IPV6_MAX)


def _parse_parts(texts: list[str], base: int, largest: int) -> Parts | None:
    parts = [_parse_part(text, base, largest) for text in texts]
    whole = tuple(part for part in parts if part is not None)
    return whole if len(whole) == len(parts) else None


def _parse_part(text: str, base: int, largest: int) -> range | None:
    if text == WILDCARD:
        return range(largest + 1)
    numbers = [_parse_number(side, base) for side in text.split("-")]
    if len(numbers) > 2 or any(number is None or number > largest for number in numbers):
        return None
    known = [number for number in numbers if number is not None]
    return range(known[0], known[-1] + 1)


def _parse_number(text: str, base: int) -> int | None:
    """Return a number from a lenient text, which may begin with zeros or one plus sign; None for any other text."""
    digits = "0-9" if base == 10 else "0-9a-fA-F"
    return int(text, base) if re.fullmatch(rf"\+?[{digits}]+", text) else None
