"""The routing audit catches every wrong rule."""

from collections.abc import Callable, Sequence
from random import Random

import pytest

from gridproof_implementation.adapter import KeyRouter, Options, Refused
from gridproof_implementation.hashing import hash_payloads
from gridproof_model.events.harness import BoundaryUnreachable
from gridproof_model.keys import Key, KeyType
from gridproof_model.serialization import serialize, utf_8
from gridproof_model.trace import EventRecord, Record, RouteRecord, RunRecord
from gridproof_properties.audits.boundary_keys import random_keys
from gridproof_properties.audits.routing import audit_routes
from gridproof_properties.checkers.routes import PROPERTIES, key_to_partition
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result, Verdict
from tests.properties import wrong_routers
from tests.properties.wrong_routers import RefusingRouter, RuleRouter

RULE, RANGE, ROUTED = (prop.name for prop in PROPERTIES)


def audit(router: KeyRouter, *, seed: int = 0, random_keys: int = 200) -> list[Record]:
    records: list[Record] = []
    audit_routes(router, "a router", Options(seed=seed), records.append, random_keys)
    return records


def judge(records: list[Record]) -> dict[str, Verdict]:
    return {verdict.property: verdict for verdict in judge_run(records, PROPERTIES, {})}


def test_the_documented_rule_passes_for_every_type() -> None:
    verdicts = judge(audit(RuleRouter(key_types=tuple(KeyType))))

    assert [verdict.result for verdict in verdicts.values()] == [Result.HOLDS] * 3


@pytest.mark.parametrize(
    "router",
    [
        RuleRouter(to_index=wrong_routers.forget_the_smallest_hash),
        RuleRouter(to_index=wrong_routers.wrap_the_absolute_value),
        RuleRouter(to_index=wrong_routers.round_down),
        RuleRouter(to_index=wrong_routers.truncate),
        RuleRouter(to_hash=wrong_routers.drop_the_tail),
        RuleRouter(to_hash=wrong_routers.sign_extend_the_tail),
        RuleRouter(to_hash=wrong_routers.read_big_endian),
        RuleRouter(to_bytes=wrong_routers.count_characters),
        RuleRouter(to_bytes=wrong_routers.write_little_endian),
        RuleRouter(to_bytes=wrong_routers.leave_the_length_out),
        RuleRouter(to_bytes=wrong_routers.keep_every_nan),
    ],
)
def test_a_wrong_rule_is_caught(router: RuleRouter) -> None:
    verdict = judge(audit(router))[RULE]

    assert verdict.result is Result.BROKEN
    assert "but has to put it on partition" in verdict.witness[0]


@pytest.mark.parametrize("rule", [wrong_routers.truncate, wrong_routers.wrap_the_absolute_value])
def test_a_negative_partition_id_is_out_of_range(rule: Callable[[int, int], int]) -> None:
    assert judge(audit(RuleRouter(to_index=rule)))[RANGE].result is Result.BROKEN


def test_only_boundary_keys_meet_the_forgotten_smallest_hash() -> None:
    types = (KeyType.STRING, KeyType.INT, KeyType.LONG, KeyType.LIST)
    router = RuleRouter(to_index=wrong_routers.forget_the_smallest_hash, key_types=types)
    records = audit(router, random_keys=5_000)
    at_random = [record for record in records if not (isinstance(record, RouteRecord) and record.boundary)]

    assert judge(at_random)[RULE].result is Result.HOLDS
    assert judge(records)[RULE].result is Result.BROKEN


def test_the_verdict_names_the_one_hash_all_wrong_keys_share() -> None:
    verdict = judge(audit(RuleRouter(to_index=wrong_routers.forget_the_smallest_hash)))[RULE]

    assert "all of these have the hash -2147483648" in verdict.sentence
    assert verdict.witness[0] == (
        "the system puts the int key 1611540325, with the bytes 0x600e2765, on partition 245, but has to put it on "
        "partition 0 of 271, as the documented hash of its bytes, -2147483648, says; in all it puts 3 keys of this "
        "type on a wrong partition"
    )


def test_the_witness_shows_one_key_a_type_smallest_first() -> None:
    witness = judge(audit(RuleRouter(to_index=wrong_routers.round_down)))[RULE].witness

    sizes = [len(line.rpartition("0x")[2].partition(" ")[0].rstrip(",")) for line in witness]
    assert len({line.split(" ")[4] for line in witness}) == len(witness) == 12
    assert sizes == sorted(sizes)


def test_refused_keys_are_reported_and_do_not_hide_the_others() -> None:
    verdicts = judge(audit(RefusingRouter()))

    assert verdicts[RULE].result is Result.HOLDS
    assert verdicts[ROUTED].result is Result.BROKEN
    said = "the system refused the byte key -128 (unsigned); every key has to get a partition; 128 byte keys got none"
    assert verdicts[ROUTED].witness == (said,)


def test_nothing_routed_is_unknown() -> None:
    assert {verdict.result for verdict in judge([]).values()} == {Result.UNKNOWN}


def test_the_judge_takes_any_batch_hash_and_finds_the_same() -> None:
    types = (KeyType.STRING, KeyType.INT, KeyType.BYTES)
    router = RuleRouter(to_hash=wrong_routers.sign_extend_the_tail, key_types=types)
    records = audit(router, random_keys=9_000)

    fast = key_to_partition(lambda payloads: hash_payloads(payloads).tolist())

    assert judge_run(records, [fast], {})[0] == judge(records)[RULE]


def test_the_trace_begins_with_its_head() -> None:
    head = audit(RuleRouter(key_types=(KeyType.INT,)), seed=7)[0]

    assert head == RunRecord("a router-seed-7", "a router", "1", 7, 271, 0)


def test_the_same_seed_routes_the_same_keys() -> None:
    router = RuleRouter(key_types=(KeyType.STRING, KeyType.DOUBLE))

    assert audit(router, seed=3) == audit(router, seed=3) != audit(router, seed=4)


def test_narrow_types_are_routed_whole_and_their_missing_edges_reported() -> None:
    records = audit(RuleRouter(key_types=(KeyType.BYTE,)), random_keys=10)

    assert sum(isinstance(record, RouteRecord) for record in records) == 256
    (found,) = [record for record in records if isinstance(record, EventRecord)]
    assert isinstance(found.event, BoundaryUnreachable)
    assert found.event.why == "there are only 256 byte keys for 2^32 hashes"


def test_progress_is_reported_type_by_type() -> None:
    found: list[tuple[str, int, int | None]] = []
    router = RuleRouter(key_types=(KeyType.INT, KeyType.UUID))

    audit_routes(router, "a router", Options(), lambda _: None, 10, lambda *step: found.append(step))

    assert found == [("int keys", 0, 2), ("uuid keys", 1, 2)]


@pytest.mark.parametrize("key_type", KeyType)
def test_random_keys_are_valid_keys_of_their_type(key_type: KeyType) -> None:
    keys = random_keys(key_type, Random(1))

    assert all(serialize(next(keys)) is not None for _ in range(2_000))


def test_random_strings_have_every_length_and_every_utf_8_width() -> None:
    keys = random_keys(KeyType.STRING, Random(1))
    texts = [str(next(keys).value) for _ in range(5_000)]

    assert {len(text) for text in texts} >= set(range(65))
    assert {len(utf_8(character)) for text in texts for character in text} == {1, 2, 3, 4}
    assert any("\ud800" <= character <= "\udfff" for text in texts for character in text)


def test_random_floating_point_numbers_are_nans_of_many_bits() -> None:
    keys = random_keys(KeyType.DOUBLE, Random(1))
    nans = [key for key in (next(keys) for _ in range(5_000)) if key.value != key.value]

    assert len({key.text for key in nans}) > 50
    assert {serialize(key).hex() for key in nans} == {"7ff8000000000000"}


def test_a_route_record_carries_the_documented_payload() -> None:
    records = audit(RuleRouter(to_bytes=wrong_routers.write_little_endian, key_types=(KeyType.LONG,)), random_keys=50)

    routes = [record for record in records if isinstance(record, RouteRecord)]
    assert all(record.payload == serialize(Key(KeyType.LONG, int(record.key))) for record in routes)


def last_digit(key: Key, partition_count: int) -> int:
    return int(str(key.value)[-1]) % partition_count


@pytest.mark.parametrize(("wrong_by", "result"), [(0, Result.HOLDS), (1, Result.BROKEN)])
def test_a_system_with_a_hash_of_its_own_is_held_to_that(wrong_by: int, result: Result) -> None:
    class OwnRouter(RuleRouter):
        def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
            return [(last_digit(key, partition_count) + wrong_by) % partition_count for key in keys]

    records: list[Record] = []
    audit_routes(OwnRouter(key_types=(KeyType.INT,)), "own", Options(), records.append, 50, rule=last_digit)

    verdict = judge(records)[RULE]
    assert verdict.result is result
    assert all("as its own rule says" in line for line in verdict.witness)
