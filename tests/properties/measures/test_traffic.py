"""What calls cost."""

from gridproof_implementation.protocol.anti_entropy.messages import Summary
from gridproof_implementation.protocol.calls import BackupAck, Request, Response
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Get, Put
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.parameters import set_parameters
from gridproof_model.trace import OperationKind, Outcome
from gridproof_properties.campaign.scenarios import measure_seed
from gridproof_properties.measures import QUANTITIES
from gridproof_properties.measures.quantity import Form, Histogram, Measured
from gridproof_properties.measures.traffic import Traffic, size_of
from tests.implementation.protocol.grids import member_at

HERE, MAP = member_at(0).id, StructureId("map", "m")
PUT, GET = Put(MAP, "k", "v"), Get(MAP, "k")


def request(call_id: int, operation: Put | Get) -> Request:
    return Request(call_id, operation, 0, call_id, 10, partition=3)


def traffic_of(*reported: tuple[int, int, Message]) -> Measured:
    traffic = Traffic()
    for sender, receiver, message in reported:
        traffic.message(0, (1,), sender, receiver, message)
    return traffic.conclude()


def measured(**texts: str) -> Measured:
    named = [("grid", "plain"), *((name.replace("_", "-"), text) for name, text in texts.items())]
    return measure_seed(1, set_parameters(DrawOptions(), named), refined=False).measured


def counted(found: Measured, name: str) -> int:
    number = found[name]
    assert isinstance(number, int)
    return number


def test_the_size_of_a_message_is_that_of_its_fields() -> None:
    # 16; partition, asker, call id
    assert size_of(BackupAck(1, partition=0, asker=HERE)) == 16 + 8 + 24 + 8
    # three numbers, and a list of one pair of a text and a number
    assert size_of(Summary(1, (("map:m", 7),), 0, partition=0)) == 16 + 3 * 8 + 4 + (4 + (4 + 5) + 8)


def test_a_write_costs_its_request_answer_backups_and_acknowledgements() -> None:
    ack, answer = BackupAck(1, asker=HERE), Response(1, None, 1, asker=HERE)
    found = traffic_of((0, 1, request(1, PUT)), (1, 0, answer), (2, 0, ack))

    assert (found["messages"], found["write_messages"]) == (3, 3)
    assert found["write_bytes"] == sum(map(size_of, (request(1, PUT), answer, ack)))


def test_a_read_is_no_cost_of_writes() -> None:
    found = traffic_of((0, 1, request(1, GET)), (1, 0, Response(1, "v", 0, asker=HERE)))

    assert (found["messages"], found["write_messages"]) == (2, 0)


def test_what_a_member_sends_itself_does_not_travel() -> None:
    found = traffic_of((0, 0, request(1, PUT)), (0, 0, Response(1, None, 1, asker=HERE)))

    assert found["messages"] == 0


def test_summaries_and_syncs_are_apart() -> None:
    found = traffic_of((0, 1, Summary(1, (), 0)))

    assert (found["sync_messages"], found["write_messages"]) == (1, 0)


def test_only_calls_that_end_well_are_timed() -> None:
    traffic = Traffic()
    traffic.call(OperationKind.WRITE, Outcome.OK, 10, 13)
    traffic.call(OperationKind.READ, Outcome.OK, 10, 12)
    traffic.call(OperationKind.WRITE, Outcome.UNKNOWN, 10, 5_000_000)

    found = traffic.conclude()
    assert found["call_us"] == Histogram({3: 1, 2: 1})
    assert (found["write_us"], found["read_us"]) == (Histogram({3: 1}), Histogram({2: 1}))


def test_every_quantity_is_measured_of_every_run_in_its_form() -> None:
    found = measured(operations="20")

    assert [one.name for one in QUANTITIES] == list(found)
    assert {one.name: isinstance(found[one.name], Histogram) for one in QUANTITIES} == {
        one.name: one.form is Form.HISTOGRAM for one in QUANTITIES
    }


def test_a_sync_backup_costs_a_round_trip_and_an_acknowledgement_a_write() -> None:
    counts = (("0", "0"), ("1", "0"), ("0", "1"))
    runs = [
        measured(latency="1ms", members="2", sync_backups=sync, async_backups=later, workload="counter")
        for sync, later in counts
    ]

    none, waited, unwaited = (counted(found, "write_messages") for found in runs)
    assert none < unwaited < waited
    slow, quick = runs[1]["write_us"], runs[2]["write_us"]
    assert isinstance(slow, Histogram)
    assert isinstance(quick, Histogram)
    assert slow.quantile(0.25) > 1_900 > quick.quantile(0.25)


def test_acknowledged_appends_are_lost_without_backups_and_kept_with_two() -> None:
    reported = {"workload": "appends", "crash": "1/20s", "repair": "1s", "arrival": "10/s", "time": "30s"}

    assert counted(measured(**reported, sync_backups="0"), "lost") > 0
    assert counted(measured(**reported, sync_backups="2"), "lost") == 0
