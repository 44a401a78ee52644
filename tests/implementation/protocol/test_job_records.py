"""What a job keeps in maps."""

from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.records import (
    ChunkKey,
    ExecutionRecord,
    UpdateRecord,
    as_text,
    execution_record_of,
    job_of,
    partition_keys,
    partition_of_text,
)
from gridproof_model.events.words import Guarantee


def test_a_chunk_belongs_to_the_partition_its_key_forces_it_into() -> None:
    keys = [ChunkKey(3, "counter", 8, partition_key) for partition_key in partition_keys(11)]

    assert [partition_of_text(str(key), 11) for key in keys] == list(range(11))


def test_a_chunk_key_is_read_as_it_was_written() -> None:
    key = ChunkKey(3, "source", 8, "17")

    assert ChunkKey.parse(str(key)) == key


def test_the_validation_record_is_no_chunk() -> None:
    assert ChunkKey.parse("validation") is None


def test_the_map_being_written_is_never_the_recorded_one() -> None:
    assert [ExecutionRecord(map_index=index).map_to_write for index in (0, 1)] == [1, 0]


def test_an_execution_record_refuses_an_older_one() -> None:
    stored = as_text(ExecutionRecord(timestamp_us=5, recorded=2))

    assert UpdateRecord(ExecutionRecord(timestamp_us=5, recorded=1)).process(stored) == (stored, None)


def test_writing_an_execution_record_again_changes_nothing() -> None:
    update = UpdateRecord(ExecutionRecord(timestamp_us=5, recorded=1))
    once, _ = update.process(None)

    assert update.process(once)[0] == once


def test_an_execution_record_is_read_as_it_was_written() -> None:
    record = ExecutionRecord(timestamp_us=7, recorded=2, map_index=0, ongoing=3, quorum=2)

    assert execution_record_of(as_text(record)) == record


def test_a_job_record_is_read_as_it_was_written() -> None:
    job = JobConfig("sums", guarantee=Guarantee.AT_LEAST_ONCE, key_count=5)

    assert job_of(as_text(job)) == job
