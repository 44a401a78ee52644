"""Configurations that a member may refuse: each about one thing, and what members said of it.

What members of 5.7.0 and 5.3.8 said is recorded in `started_configurations.json`, by name of the configuration: fine,
or the step at which it was refused (load, start, or use: the first use of the structure). It is written anew by
`python -m tests.implementation.test_started_configurations`.
"""

import json
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).parent / "started_configurations.json"


def _structure(kind: str, *lines: str) -> str:
    return "\n".join([f"  {kind}:", "    mine:", *(f"      {line}" for line in lines)])


def _policy(kind: str, name: str, *lines: str) -> str:
    return _structure(kind, "merge-policy:", f"  class-name: {name}", *lines)


_XML = '<hazelcast xmlns="http://www.hazelcast.com/schema/config">{}</hazelcast>'
_YAML: Mapping[str, str] = {
    "latest-update-without-statistics": _policy("map", "LatestUpdateMergePolicy"),
    "latest-update-with-statistics": _policy("map", "LatestUpdateMergePolicy", "per-entry-stats-enabled: true"),
    "latest-update-statistics-off": _policy("map", "LatestUpdateMergePolicy", "per-entry-stats-enabled: false"),
    "latest-update-full-name": _policy("map", "com.hazelcast.spi.merge.LatestUpdateMergePolicy"),
    "latest-update-pattern": _policy("map", "LatestUpdateMergePolicy").replace("mine", "mine*"),
    "latest-update-default-map": _policy("map", "LatestUpdateMergePolicy").replace("mine", "default"),
    "latest-access-without-statistics": _policy("map", "LatestAccessMergePolicy"),
    "latest-access-with-statistics": _policy("map", "LatestAccessMergePolicy", "per-entry-stats-enabled: true"),
    "expiration-time-without-statistics": _policy("map", "ExpirationTimeMergePolicy"),
    "higher-hits-without-statistics": _policy("map", "HigherHitsMergePolicy"),
    "higher-hits-with-statistics": _policy("map", "HigherHitsMergePolicy", "per-entry-stats-enabled: true"),
    "pass-through-map": _policy("map", "PassThroughMergePolicy"),
    "discard-map": _policy("map", "DiscardMergePolicy"),
    "hyper-log-log-map": _policy("map", "HyperLogLogMergePolicy"),
    "unknown-policy-map": _policy("map", "NoSuchMergePolicy"),
    "latest-update-multimap": _policy("multimap", "LatestUpdateMergePolicy"),
    "latest-update-queue": _policy("queue", "LatestUpdateMergePolicy"),
    "latest-update-list": _policy("list", "LatestUpdateMergePolicy"),
    "latest-update-set": _policy("set", "LatestUpdateMergePolicy"),
    "latest-update-ringbuffer": _policy("ringbuffer", "LatestUpdateMergePolicy"),
    "higher-hits-multimap": _policy("multimap", "HigherHitsMergePolicy"),
    "higher-hits-queue": _policy("queue", "HigherHitsMergePolicy"),
    "hyper-log-log-estimator": _policy("cardinality-estimator", "HyperLogLogMergePolicy"),
    "latest-update-estimator": _policy("cardinality-estimator", "LatestUpdateMergePolicy"),
    "discard-estimator": _policy("cardinality-estimator", "DiscardMergePolicy"),
    "latest-access-queue": _policy("queue", "LatestAccessMergePolicy"),
    "expiration-time-queue": _policy("queue", "ExpirationTimeMergePolicy"),
    "expiration-time-multimap": _policy("multimap", "ExpirationTimeMergePolicy"),
    "expiration-time-estimator": _policy("cardinality-estimator", "ExpirationTimeMergePolicy"),
    "latest-access-set": _policy("set", "LatestAccessMergePolicy"),
    "latest-access-multimap": _policy("multimap", "LatestAccessMergePolicy"),
    "higher-hits-ringbuffer": _policy("ringbuffer", "HigherHitsMergePolicy"),
    "hyper-log-log-queue": _policy("queue", "HyperLogLogMergePolicy"),
    "hyper-log-log-multimap": _policy("multimap", "HyperLogLogMergePolicy"),
    "pass-through-ringbuffer": _policy("ringbuffer", "PassThroughMergePolicy"),
    "put-if-absent-set": _policy("set", "PutIfAbsentMergePolicy"),
    "own-policy-map": _policy("map", "com.mine.MyMergePolicy"),
    "batch-size-0": _structure("map", "merge-policy:", "  class-name: DiscardMergePolicy", "  batch-size: 0"),
    "max-idle-text": _structure("map", "max-idle-seconds: soon"),
    "time-to-live-negative": _structure("map", "time-to-live-seconds: -1"),
    "multimap-unknown-collection": _structure("multimap", "value-collection-type: BAG"),
    "list-max-size-negative": _structure("list", "max-size: -1"),
    "set-max-size-negative": _structure("set", "max-size: -1"),
    "queue-ttl-below": _structure("queue", "empty-queue-ttl: -2"),
    "cache-deserialized-values-unknown": _structure("map", "cache-deserialized-values: SOMETIMES"),
    "metadata-policy-unknown": _structure("map", "metadata-policy: MAYBE"),
    "near-cache-native": _structure("map", "near-cache:", "  in-memory-format: NATIVE"),
    "statistics-maybe": _structure("map", "statistics-enabled: maybe"),
    "unknown-policy-queue": _policy("queue", "NoSuchMergePolicy"),
    "backups-six": _structure("map", "backup-count: 6"),
    "backups-seven": _structure("map", "backup-count: 7"),
    "backups-four-and-three": _structure("map", "backup-count: 4", "async-backup-count: 3"),
    "backups-negative": _structure("map", "backup-count: -1"),
    "backups-async-negative": _structure("queue", "async-backup-count: -1"),
    "backups-text": _structure("map", "backup-count: two"),
    "backups-queue-four-and-three": _structure("queue", "backup-count: 4", "async-backup-count: 3"),
    "backups-ringbuffer-seven": _structure("ringbuffer", "backup-count: 7"),
    "ringbuffer-capacity-0": _structure("ringbuffer", "capacity: 0"),
    "ringbuffer-object-in-memory": _structure("ringbuffer", "in-memory-format: OBJECT"),
    "ringbuffer-native": _structure("ringbuffer", "in-memory-format: NATIVE"),
    "map-native": _structure("map", "in-memory-format: NATIVE"),
    "map-unknown-format": _structure("map", "in-memory-format: SQUARE"),
    "eviction-lru": _structure(
        "map", "eviction:", "  eviction-policy: LRU", "  max-size-policy: PER_NODE", "  size: 10"
    ),
    "eviction-random-per-entry-count": _structure("map", "eviction:", "  max-size-policy: ENTRY_COUNT"),
    "queue-max-size-negative": _structure("queue", "max-size: -3"),
    "map-idle-negative": _structure("map", "max-idle-seconds: -1"),
    "map-write-through-without-store": _structure("map", "map-store:", "  enabled: true"),
    "groups-unknown-type": "  partition-group:\n    enabled: true\n    group-type: RACK",
    "groups-per-member": "  partition-group:\n    enabled: true\n    group-type: PER_MEMBER",
    "groups-zone-without-zone": "  partition-group:\n    enabled: true\n    group-type: ZONE_AWARE",
    "groups-custom-without-group": "  partition-group:\n    enabled: true\n    group-type: CUSTOM",
    "groups-spi-without-strategy": "  partition-group:\n    enabled: true\n    group-type: SPI",
    "groups-custom-overlap": "  partition-group:\n    enabled: true\n    group-type: CUSTOM\n    member-group:\n"
    "      - - 127.0.0.*\n      - - 127.0.0.1",
    "protection-of-1": "  split-brain-protection:\n    two:\n      enabled: true\n      minimum-cluster-size: 1",
    "protection-unknown-kind": "  split-brain-protection:\n    two:\n      enabled: true\n      protect-on: NOTHING",
    "protection-missing": _structure("map", "split-brain-protection-ref: nobody"),
    "partition-count-0": "  properties:\n    hazelcast.partition.count: 0",
    "partition-count-text": "  properties:\n    hazelcast.partition.count: many",
    "byte-order-unknown": "  serialization:\n    byte-order: MIDDLE_ENDIAN",
    "byte-order-little": "  serialization:\n    byte-order: LITTLE_ENDIAN",
    "lite-member": "  lite-member:\n    enabled: true",
    "misspelt-section": "  mapp:\n    mine:\n      backup-count: 1",
    "misspelt-setting": _structure("map", "backup-counts: 2"),
}
_XML_TEXTS: Mapping[str, str] = {
    "xml-latest-update": '<map name="mine"><merge-policy>LatestUpdateMergePolicy</merge-policy></map>',
    "xml-latest-update-with-statistics": '<map name="mine"><merge-policy>LatestUpdateMergePolicy</merge-policy>'
    "<per-entry-stats-enabled>true</per-entry-stats-enabled></map>",
    "xml-backups-seven": '<map name="mine"><backup-count>7</backup-count></map>',
    "xml-backups-five-and-two": '<list name="mine"><backup-count>5</backup-count>'
    "<async-backup-count>2</async-backup-count></list>",
    "xml-groups-unknown": '<partition-group enabled="true" group-type="RACK"/>',
    "xml-protection-of-0": '<split-brain-protection name="two" enabled="true">'
    "<minimum-cluster-size>0</minimum-cluster-size></split-brain-protection>",
    "xml-byte-order-little": "<serialization><byte-order>LITTLE_ENDIAN</byte-order></serialization>",
    "xml-native-order": "<serialization><use-native-byte-order>true</use-native-byte-order></serialization>",
}
CONFIGURATIONS: Mapping[str, str] = {
    **{f"{name}.yaml": f"hazelcast:\n{text}\n" for name, text in _YAML.items()},
    **{f"{name}.xml": _XML.format(text) for name, text in _XML_TEXTS.items()},
}


def said() -> Mapping[str, Mapping[str, str]]:
    """Return what members said: by version, by name, the step."""
    read: Mapping[str, Mapping[str, str]] = json.loads(FILE.read_text())
    return read
