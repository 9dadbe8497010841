"""A runner that a host has taken over: what it may say, and what ends it."""

import math
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import msgspec
import pytest

from factories.hostile_runners import hostile
from postern.apps.jobs.hosts.link import Owner, RunnerLost
from postern.contracts.access import Credential, HostKeyAnswer, Target
from postern.contracts.enums import HostKeyVerdict
from postern.contracts.routes import Gateway, Route
from postern.contracts.runner import (
    HostLimits,
    HostOutput,
    HostResult,
    JudgeHostKey,
    ProgramStarts,
    Remote,
    RunOnHost,
    SecretGiven,
    TaskEnded,
    WantSecret,
)
from postern.kernel.ids import new_id
from postern.kernel.secret import Secret
from postern.kernel.sentences import Sentence

PATIENCE_S = 60
GATES = [Gateway(id=new_id(), name=name, host="192.0.2.9", port=22, login_name="f") for name in ("a", "b", "c")]
ROUTE = Route(stages=((GATES[0], GATES[1]), (GATES[2],)))


class Giving:
    """Accepts every key and gives every secret, and notes both."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def judge(self, question: JudgeHostKey) -> HostKeyAnswer | None:
        self.asked.append(f"key {question.via}")
        return HostKeyAnswer(verdict=HostKeyVerdict.PINNED, pinned_fingerprint="SHA256:x")

    def secret(self, question: WantSecret) -> SecretGiven:
        self.asked.append("secret")
        credential = Credential(username="root", password=Secret("s").reveal())
        return SecretGiven(question=question.question, credential=credential)


def news(*frames: Any, owner: Owner | None = None, number: int = 1, **wish: Any) -> list[Any]:
    """What the worker hears of a task when the runner says this."""
    heard: SimpleQueue[Any] = SimpleQueue()
    values: dict[str, Any] = {"route": Route(), "script": "true", "login_name": "root", **wish}
    with hostile(*frames) as link:
        task = link.next_task()
        link.run(RunOnHost(task=task, target=Target(host="192.0.2.1", port=22), **values), owner or Giving(), heard)
        return [heard.get(timeout=PATIENCE_S) for _ in range(number)]


STARTS = ProgramStarts(task=0)


def deep(levels: int) -> bytes:
    """A sentence in a sentence in a sentence: deeper than the decoder goes."""
    inner = b"\x83\xa4text\xa1x\xa4code\xa6joined\xa6values"
    return b"\x84\xa4type\xa5ended\xa4task\x01\xa6result\xa4done\xa7message" + (inner + b"\x81\xa10") * levels + b"\x80"


@pytest.mark.parametrize(
    ("frames", "wish"),
    [
        ([TaskEnded(task=0, result=HostResult.DONE)], {}),
        ([TaskEnded(task=0, result=HostResult.TIME_LIMIT)], {}),
        ([TaskEnded(task=0, result=HostResult.REFUSED)], {}),
        ([STARTS], {"script": ""}),
        ([STARTS], {"script": "", "only_dial": True}),
        ([HostOutput(task=0, data=b"x")], {"script": ""}),
        ([TaskEnded(task=0, result=HostResult.UNREACHABLE, status=2**40)], {}),
        ([TaskEnded(task=0, result=HostResult.UNREACHABLE, via="elsewhere")], {"route": ROUTE}),
        ([TaskEnded(task=0, result=HostResult.UNREACHABLE, via="a")], {}),
        ([JudgeHostKey(task=0, question=1, public_key="k", via="made up")], {"route": ROUTE}),
        ([JudgeHostKey(task=0, question=1, public_key="k", gateway_id=new_id())], {"route": ROUTE}),
        ([JudgeHostKey(task=0, question=1, public_key="k")] * 500, {}),
        ([WantSecret(task=0, question=1)], {}),
        ([WantSecret(task=0, question=1)], {"over": Remote.WINRM_TLS}),
        ([WantSecret(task=0, question=1, gateway_id=GATES[0].id)], {"route": ROUTE}),
        ([b"\xc1"], {}),
        ([deep(20_000)], {}),
    ],
)
def test_what_no_honest_runner_says_ends_it_and_its_task_is_told(frames: list[Any], wish: dict[str, Any]) -> None:
    assert news(*frames, **wish) == [RunnerLost(1, has_started=False)]


def test_program_starts_once_and_shows_no_more_than_it_may() -> None:
    assert news(STARTS, STARTS, number=2)[1] == RunnerLost(1, has_started=True)
    limits = HostLimits(output_bytes=100)
    heard = news(STARTS, *[HostOutput(task=0, data=b"x" * 60)] * 2, number=3, limits=limits)
    assert [type(one) for one in heard] == [ProgramStarts, HostOutput, RunnerLost]


def test_no_secret_is_given_before_a_key_was_accepted() -> None:
    class Refusing(Giving):
        def judge(self, question: JudgeHostKey) -> HostKeyAnswer | None:
            super().judge(question)
            return HostKeyAnswer(verdict=HostKeyVerdict.CHANGED, pinned_fingerprint="SHA256:x")

    owner = Refusing()
    question = JudgeHostKey(task=0, question=1, public_key="k")
    assert news(question, WantSecret(task=0, question=2), owner=owner) == [RunnerLost(1, has_started=False)]
    assert "secret" not in owner.asked


def ended(change: Callable[[], dict[str, Any]], **wish: Any) -> TaskEnded:
    values = {"result": HostResult.UNREACHABLE, **change()}
    [end] = news(TaskEnded(task=0, **values), **wish)
    assert isinstance(end, TaskEnded), end
    return end


def test_texts_are_cut_and_what_nobody_sees_is_escaped() -> None:
    hidden = "\u202egnp.exe\x1b]0;owned\x07\u200b"
    values = {"host": hidden, "nan": math.nan, "inner": Sentence(hidden, "jobs.asset_deleted")}
    end = ended(
        lambda: {
            "message": Sentence(f"{hidden}\nsecond line" + "x" * 100_000, "proxy.unreachable", values),
            "detail": hidden + "x" * 100_000,
            "signal": hidden,
        }
    )
    text = msgspec.json.encode(end.message).decode() + end.detail + end.signal
    assert not {"\u202e", "\x1b", "\x07", "\u200b"} & set(text)
    assert len(text) < 10_000
    assert end.message.text.startswith("\\u202egnp.exe\\x1b]0;owned\\x07\\u200b\nsecond line")


def test_phrases_of_the_worker_are_not_said_by_the_runner() -> None:
    end = ended(lambda: {"message": Sentence("as it likes", "jobs.asset_deleted", {"name": "x"})})
    assert end.message == Sentence("as it likes")


def test_numbers_are_possible_ones() -> None:
    end = ended(lambda: {"seconds": math.inf, "status": 0xC0000005})
    assert (end.seconds, end.status) == (0.0, 0xC0000005 - 2**32)
    assert ended(lambda: {"seconds": 1e300}).seconds < PATIENCE_S
    assert ended(lambda: {"seconds": -5.0}).seconds == 0.0


def test_stopped_is_only_what_was_to_stop() -> None:
    assert ended(lambda: {"result": HostResult.STOPPED}).result is HostResult.FAULT


@pytest.mark.parametrize(("via", "at"), [("a → c", None), ("b → c", None), ("b", GATES[2].id), ("", GATES[1].id)])
def test_ways_of_the_route_are_accepted(via: str, at: Any) -> None:
    question = JudgeHostKey(task=0, question=1, public_key="k", via=via, gateway_id=at)
    end = TaskEnded(task=0, result=HostResult.UNREACHABLE, via="" if at else via)
    assert [type(one) for one in news(question, end, route=ROUTE)] == [TaskEnded]
