"""What interface masks and domain patterns mean, row by row.

The rows are those of placement.4.
"""

from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridproof_model.interfaces import is_matching, is_matching_address, is_matching_name, why_never_matching

MATCHING = [
    ("10.10.0.*", "10.10.0.7"),
    ("10.3.10.4-18", "10.3.10.4"),
    ("10.3.10.4-18", "10.3.10.18"),
    ("*.*.*.*", "1.2.3.4"),
    ("1-2.*.3.4", "2.200.3.4"),
    ("7-7.0.0.1", "7.0.0.1"),
    ("10.0.0.1.", "10.0.0.1"),
    ("10.0.0.1", "10.0.0.1."),
    ("10.0.0.05", "10.0.0.5"),
    ("10.0.0.+5", "10.0.0.5"),
    ("10.0.0.5", "10.0.0.005"),
    ("2001:db8:0:0:0:0:0:1", "2001:db8::1"),
    ("2001:DB8::1", "2001:db8::1"),
    ("2001:db8::*", "2001:db8::ffff"),
    ("2001:db8::10-ff", "2001:db8::80"),
    ("fe80::1%eth0", "fe80::1%eth1"),
    ("::", "0:0:0:0:0:0:0:0"),
    ("::ffff:10.0.0.1", "10.0.0.1"),
    ("10.0.0.*", "::ffff:10.0.0.1"),
    ("64:ff9b::10.0.0.1-3", "::2.3.4:10.0.0.2"),
]
NOT_MATCHING = [
    ("10.10.0.*", "10.10.1.7"),
    ("10.10.*", "10.10.0.7"),
    ("10.0.0.1:5701", "10.0.0.1"),
    ("10.0.0.1", "10.0.0.1:5701"),
    ("10.0.0. 1", "10.0.0.1"),
    (" 10.0.0.1", "10.0.0.1"),
    ("10.0.0.256", "10.0.0.256"),
    ("10.0.0.*", "10.0.0.256"),
    ("10.0.0.1..", "10.0.0.1"),
    ("10.3.10.4-18", "10.3.10.3"),
    ("10.3.10.4-18", "10.3.10.19"),
    ("10.0.0.5-1", "10.0.0.3"),
    ("10.0.0.-5", "10.0.0.5"),
    ("10.0.0.5-", "10.0.0.5"),
    ("10.0.0.1-2-3", "10.0.0.2"),
    ("10.0.0.1*", "10.0.0.10"),
    ("10.0.0.1_0", "10.0.0.10"),
    ("10.0.0.٥", "10.0.0.5"),
    ("10.0.0.a", "10.0.0.10"),
    ("", "10.0.0.1"),
    ("1:2:3:4:5:6:7", "1:2:3:4:5:6:7:0"),
    ("1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8"),
    ("1::2::3", "1:0:0:0:0:0:2:3"),
    ("1:2:3:4:5::6:7:8:9", "1:2:3:4:5::6:7:8:9"),
    (":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
    (":::", "::"),
    ("::10000", "::0"),
    ("::0-10000", "::1"),
    ("::ff-10", "::80"),
    ("::g", "::0"),
    ("10.0.0.1", "::1"),
    ("*.*.*.*", "::1"),
    ("*:*:*:*:*:*:*:*", "10.0.0.1"),
    ("10.0.0.*", "10.0.0.*"),
    ("*.*.*.*", "10.0.0.1-2"),
    ("::*", "::*"),
]


@pytest.mark.parametrize(("mask", "address"), MATCHING)
def test_a_mask_means_the_address(mask: str, address: str) -> None:
    assert is_matching_address(mask, address)
    assert is_matching(mask, address)


@pytest.mark.parametrize(("mask", "address"), NOT_MATCHING)
def test_a_mask_does_not_mean_the_address(mask: str, address: str) -> None:
    assert not is_matching_address(mask, address)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("*", "jobs.example.com"),
        ("*.com", "jobs.hazelcast.com"),
        ("*.hazelcast.com", "www.hazelcast.com"),
        ("x.*.z", "w.x.y.z"),
        ("www.*", "eu.www.intranet"),
        ("localhost", "localhost"),
        ("db-10", "db-10"),
    ],
)
def test_a_pattern_means_the_name(pattern: str, name: str) -> None:
    assert is_matching(pattern, name)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("*.hazelcast.com", "hazelcast.com"),
        ("www.*", "www.hazelcast.com"),
        ("f*.com", "foo.com"),
        ("f*.com", "f*.net"),
        ("Localhost", "localhost"),
        ("*.COM", "hazelcast.com"),
        ("hazelcast.com", "www.hazelcast.com"),
        ("10.0.0.*", "www.hazelcast.com"),
    ],
)
def test_a_pattern_does_not_mean_the_name(pattern: str, name: str) -> None:
    assert not is_matching(pattern, name)


def test_an_address_is_matched_against_masks_only() -> None:
    assert is_matching_name("*", "10.0.0.1")
    assert not is_matching("*", "10.0.0.1")
    assert not is_matching("*.1", "10.0.0.1")


numbers = st.integers(0, 255)
addresses = st.tuples(numbers, numbers, numbers, numbers)


def dotted(parts: tuple[object, ...]) -> str:
    return ".".join(map(str, parts))


@given(addresses, addresses)
def test_a_plain_mask_means_one_address(mask: tuple[int, ...], address: tuple[int, ...]) -> None:
    assert is_matching(dotted(mask), dotted(address)) == (mask == address)


@given(addresses, addresses, addresses)
def test_a_range_holds_both_its_ends_and_all_between(
    one: tuple[int, ...], other: tuple[int, ...], address: tuple[int, ...]
) -> None:
    mask = dotted(tuple(f"{low}-{high}" for low, high in zip(one, other, strict=True)))
    inside = all(low <= part <= high for low, part, high in zip(one, address, other, strict=True))

    assert is_matching(mask, dotted(address)) == inside


@given(st.ip_addresses(v=6), st.ip_addresses(v=6))
def test_every_way_to_write_an_ipv6_address_means_it(mask: IPv6Address, address: IPv6Address) -> None:
    assert is_matching(mask.exploded, mask.compressed)
    assert is_matching(mask.compressed, mask.exploded.upper())
    assert is_matching(mask.compressed, address.compressed) == (mask == address)


@given(st.text("0123456789.:-*+%af ", max_size=24), st.text("0123456789.:-*+%af ", max_size=24))
def test_no_text_is_an_error(mask: str, host: str) -> None:
    assert is_matching(mask, host) in (True, False)


@pytest.mark.parametrize(
    ("mask", "reason"),
    [
        ("10.10.0.300", "has the part '300'; a part is 0 to 255, * or a range such as 10-100"),
        ("10.10.*", "has 3 parts; an IPv4 interface has 4; did you mean 10.10.*.*?"),
        ("10.10", "has 2 parts; an IPv4 interface has 4"),
        ("1.2.3.4.5", "has 5 parts; an IPv4 interface has 4"),
        ("10.0..1", "has an empty part; a part is 0 to 255, * or a range such as 10-100"),
        ("10.0.0.5-1", "has a range that runs backwards; write the smaller number first"),
        ("::ff-10", "has a range that runs backwards; write the smaller number first"),
        ("10.0.0.1:5701", "has a port; write 10.0.0.1"),
        ("::g", "is no IPv6 interface; it has 8 parts of 0 to ffff, * or a range, or :: for some zeros"),
        (":10.0.0.1", "has a colon in it; write the address or the name alone"),
        ("10.0.0.1 10.0.0.2", "has a space in it; write each interface by itself"),
        ("", "is empty"),
        ("f*.com", "has * inside a label; * stands for a whole label"),
        ("www..com", "has an empty label; a name is labels with one dot between them"),
    ],
)
def test_a_mask_that_matches_nothing_is_reported(mask: str, reason: str) -> None:
    assert why_never_matching(mask) == reason


@pytest.mark.parametrize("mask", [mask for mask, _ in MATCHING] + ["*", "*.com", "localhost", "db-10.example.com"])
def test_a_mask_that_matches_something_is_not_complained_of(mask: str) -> None:
    assert why_never_matching(mask) is None
