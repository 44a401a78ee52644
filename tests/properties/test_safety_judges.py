"""Judges of answers how safe data is, of callers that wait, and of steps without an origin."""

from collections.abc import Sequence

from gridproof_model.events.conditions import Configured
from gridproof_model.events.invocation import AttemptFailed, AttemptSent
from gridproof_model.events.membership import AnswerOverdue, MemberListInstalled
from gridproof_model.events.operation import Parked, WaitedInVain
from gridproof_model.events.partitioning import Promoted, PromotionOrdered, SafetyChecked
from gridproof_model.events.words import Failure, SafetyOf, ServiceState
from gridproof_model.trace import OperationKind, OperationRecord, Record
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from tests.properties.recorded_history import event, operation_record
from tests.properties.validated_runs import judged

ASK = OperationKind.ASK_SAFE
SAFE, ALL_SAFE = SafetyChecked(SafetyOf.MEMBER, ServiceState.SAFE), SafetyChecked(SafetyOf.CLUSTER, ServiceState.SAFE)


def result_of(name: str, history: Sequence[Record]) -> Result:
    return judged(get_property(name), history).result


def asked(value: str, key: str = "safety-cluster") -> OperationRecord:
    return operation_record(0, ASK, value, key=key, span_ms=(10, 20))


class TestAsMembersSay:
    LISTS = event(1, 0, MemberListInstalled(1, (0, 1)))
    FOUND = event(14, 0, ALL_SAFE)

    def test_a_yes_after_all_members_have_said_so_is_good(self) -> None:
        history: list[Record] = [
            self.LISTS,
            event(12, 0, SAFE),
            event(13, 1, SAFE),
            self.FOUND,
            asked("true"),
        ]

        assert result_of("safe-as-members-say", history) is Result.HOLDS

    def test_a_yes_before_a_member_has_said_so_is_bad(self) -> None:
        history: list[Record] = [
            self.LISTS,
            event(12, 0, SAFE),
            self.FOUND,
            asked("true"),
            event(30, 1, SAFE),
        ]

        assert result_of("safe-as-members-say", history) is Result.BROKEN

    def test_what_was_said_before_the_question_does_not_count(self) -> None:
        history: list[Record] = [
            self.LISTS,
            event(5, 1, SAFE),
            event(12, 0, SAFE),
            self.FOUND,
            asked("true"),
        ]

        assert result_of("safe-as-members-say", history) is Result.BROKEN

    def test_what_is_recorded_behind_the_answer_in_the_same_millisecond_counts(self) -> None:
        history: list[Record] = [
            self.LISTS,
            event(12, 0, SAFE),
            self.FOUND,
            asked("true"),
            event(20, 1, SAFE),
        ]

        assert result_of("safe-as-members-say", history) is Result.HOLDS

    def test_a_member_is_asked_about_itself_alone(self) -> None:
        history: list[Record] = [self.LISTS, event(12, 0, SAFE), asked("true", "safety-member")]

        assert result_of("safe-as-members-say", history) is Result.HOLDS

    def test_nothing_is_said_where_no_steps_are_recorded(self) -> None:
        assert result_of("safe-as-members-say", [asked("true")]) is Result.UNKNOWN

    def test_nothing_is_said_of_a_list_that_changes_meanwhile(self) -> None:
        changed = event(15, 0, MemberListInstalled(2, (0, 1, 2)))
        history: list[Record] = [self.LISTS, event(12, 0, SAFE), changed, self.FOUND, asked("true")]

        assert result_of("safe-as-members-say", history) is Result.UNKNOWN

    def test_a_yes_that_whoever_was_asked_has_not_found_is_bad(self) -> None:
        history: list[Record] = [self.LISTS, event(12, 0, SAFE), event(13, 1, SAFE), asked("true")]

        assert result_of("safe-as-members-say", history) is Result.BROKEN

    def test_who_heard_nothing_does_not_say_that_it_is_safe(self) -> None:
        silent = event(12, 0, AnswerOverdue("CheckTimesOut"))

        assert result_of("safe-as-members-say", [self.LISTS, silent, event(12, 0, SAFE)]) is Result.BROKEN
        assert result_of("safe-as-members-say", [self.LISTS, silent, event(13, 0, SAFE)]) is Result.UNKNOWN


class TestParked:
    SENT = event(1, 0, AttemptSent(7, 1, 3, target=1, list_version=1))
    WAITS = event(2, 1, Parked(partition=0, operation="Lock", caller=0, call_id=3))

    def test_who_is_notified_that_it_waited_in_vain_is_reported(self) -> None:
        found = event(90, 1, WaitedInVain(partition=0, operation="Lock", caller=0, call_id=3))

        assert result_of("parked-caller-is-notified", [self.SENT, self.WAITS, found]) is Result.HOLDS

    def test_who_gives_up_without_a_word_was_forgotten(self) -> None:
        gave_up = event(90, 0, AttemptFailed(7, 1, 3, Failure.OPERATION_TIMEOUT))

        assert result_of("parked-caller-is-notified", [self.SENT, self.WAITS, gave_up]) is Result.BROKEN

    def test_whose_wait_is_over_is_not_asked_once_more(self) -> None:
        waits = event(2, 1, Parked(partition=0, operation="Lock", caller=0, call_id=3, wait_ms=50))
        again = AttemptSent(7, 2, 4, target=1, list_version=1)

        assert result_of("parked-caller-is-notified", [self.SENT, waits, event(51, 0, again)]) is Result.HOLDS
        assert result_of("parked-caller-is-notified", [self.SENT, waits, event(52, 0, again)]) is Result.BROKEN

    def test_a_request_that_gets_too_old_first_is_sent_once_more(self) -> None:
        waits = event(2, 1, Parked(partition=0, operation="Lock", caller=0, call_id=3, wait_ms=50))
        again = event(53, 0, AttemptSent(7, 2, 4, target=1, list_version=1))

        for timeout_ms, result in ((100, Result.HOLDS), (101, Result.BROKEN)):
            configured = event(0, None, Configured(1, 0, False, False, True, 50, timeout_ms, True))
            history = (configured, self.SENT, waits, again)
            (verdict,) = judge_run(history, [get_property("parked-caller-is-notified")], {})
            assert verdict.result is result


class TestOrigins:
    ORDERED = event(1, 0, PromotionOrdered(partition=0, destination=1, from_index=1))
    PROMOTED = event(2, 1, Promoted(partition=0, from_index=1))

    def test_a_promotion_that_was_ordered_has_an_origin(self) -> None:
        assert result_of("steps-have-origins", [self.ORDERED, self.PROMOTED]) is Result.HOLDS

    def test_a_promotion_that_nobody_ordered_has_none(self) -> None:
        assert result_of("steps-have-origins", [self.PROMOTED]) is Result.BROKEN

    def test_an_order_for_another_partition_is_no_origin(self) -> None:
        other = event(1, 0, PromotionOrdered(partition=1, destination=1, from_index=1))

        assert result_of("steps-have-origins", [other, self.PROMOTED]) is Result.BROKEN
