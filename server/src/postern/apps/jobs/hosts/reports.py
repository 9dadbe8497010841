"""What the runner may say about a task. The runner talks to hosts: one of them may have taken it over.

Each task has a `Report`. It lets through what an honest runner can say about this task, with texts cut and made
printable. What no honest runner says raises ImpossibleReport, and the link kills the runner.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from postern.contracts.access import HostKeyAnswer
from postern.contracts.enums import HostKeyVerdict
from postern.contracts.routes import via_of
from postern.contracts.runner import (
    FromRunner,
    HostOutput,
    HostResult,
    JudgeHostKey,
    ProgramStarts,
    Remote,
    RunOnHost,
    TaskEnded,
    WantSecret,
)
from postern.foundation.phrases import MAX_TEXT, OTHERS
from postern.kernel import clock
from postern.kernel.log import printable
from postern.kernel.sentences import JOINED, NOTHING, Sentence, Value

#: Questions about keys and secrets of one task: a route has a handful of gateways, and each is asked about once or twice.
_MOST_QUESTIONS: Final = 200
#: Gateways of a stage are alternatives, so a route has many ways. Those beyond this number are not looked at.
_MOST_WAYS: Final = 10_000
_MAX_SIGNAL: Final = 32
#: Sentences in a sentence, and values of a sentence.
_MAX_DEPTH: Final = 6
_MAX_VALUES: Final = 16
#: Exit statuses are 32 bits on the wire, with or without a sign.
_STATUSES: Final = range(-(2**31), 2**32)
#: Results that mean that the script was sent.
_OF_SCRIPTS: Final = frozenset((HostResult.OUTPUT_LIMIT, HostResult.TIME_LIMIT, HostResult.ROOT_REFUSED))


class ImpossibleReport(Exception):
    """No honest runner says this."""


@dataclass(slots=True)
class Report:
    """The runner's reports about a task so far. Not thread-safe, apart from `stop_wanted` and the answers."""

    wish: RunOnHost
    stop_wanted: bool = False
    has_started: bool = False
    _begun_at: float = field(default_factory=clock.monotonic_s)
    _questions: int = 0
    _shown: int = 0
    #: The host (None) and the gateways whose keys were accepted.
    _accepted: set[UUID | None] = field(default_factory=set)
    #: Codes of the sentences with which secrets were refused: the runner reports them as they are.
    _codes: set[str] = field(default_factory=set)

    def note_judged(self, gateway_id: UUID | None, answer: HostKeyAnswer | None) -> None:
        """A question about a key is being answered."""
        if answer is not None and answer.verdict in {HostKeyVerdict.MATCH, HostKeyVerdict.PINNED}:
            self._accepted.add(gateway_id)

    def note_refusal(self, refusal: Sentence) -> None:
        """A secret is being refused."""
        self._codes |= _codes_in(refusal)

    def checked(self, frame: FromRunner) -> FromRunner:
        """The frame as the worker may use it. Raises ImpossibleReport."""
        match frame:
            case JudgeHostKey():
                self._check_question(frame.gateway_id)
                if not self._is_way_to(frame.gateway_id, frame.via):
                    raise ImpossibleReport("a key at a place that is not on the way")
            case WantSecret():
                self._check_question(frame.gateway_id)
                # WinRM over HTTP has no key.
                has_key = frame.gateway_id is not None or self.wish.over is not Remote.WINRM
                if has_key and frame.gateway_id not in self._accepted:
                    raise ImpossibleReport("a secret is wanted for a place whose key was not accepted")
            case ProgramStarts():
                if self.has_started or not self.wish.script or self.wish.only_dial:
                    raise ImpossibleReport("a program starts where none may")
                self.has_started = True
                return replace(frame, via=self._way(frame.via))
            case HostOutput():
                self._shown += len(frame.data)
                if not self.wish.script or self._shown > self.wish.limits.output_bytes:
                    raise ImpossibleReport("more output than the task may have")
            case TaskEnded():
                return self._ended(frame)
        return frame

    def _check_question(self, gateway_id: UUID | None) -> None:
        self._questions += 1
        if self._questions > _MOST_QUESTIONS:
            raise ImpossibleReport("too many questions")
        stages = self.wish.route.stages
        if gateway_id is not None and all(gateway.id != gateway_id for stage in stages for gateway in stage):
            raise ImpossibleReport("a question about a gateway that is not on the way")

    def _ended(self, frame: TaskEnded) -> TaskEnded:
        result = frame.result
        if result is HostResult.REFUSED:
            raise ImpossibleReport("only the worker decides not to try")
        needs_start = result in _OF_SCRIPTS or (result is HostResult.DONE and bool(self.wish.script))
        if needs_start and not self.has_started:
            raise ImpossibleReport("the script has ended, but was not sent")
        if result is HostResult.STOPPED and not self.stop_wanted:
            result = HostResult.LOST if self.has_started else HostResult.FAULT
        if frame.status is not None and frame.status not in _STATUSES:
            raise ImpossibleReport("an exit status of more than 32 bits")
        longest_s = clock.monotonic_s() - self._begun_at
        return replace(
            frame,
            result=result,
            status=_signed(frame.status),
            signal=printable(frame.signal[:_MAX_SIGNAL])[:_MAX_SIGNAL],
            message=self._clean(frame.message, _MAX_DEPTH),
            detail=printable(frame.detail[:MAX_TEXT]),
            via=self._way(frame.via),
            seconds=min(max(0.0, frame.seconds), longest_s) if math.isfinite(frame.seconds) else 0.0,
        )

    def _way(self, via: str) -> str:
        """The names of the gateways that were passed. A task that has not got to the host has none."""
        if via and not self._is_way_to(None, via):
            raise ImpossibleReport("a way that is not that of the task")
        return via

    def _is_way_to(self, gateway_id: UUID | None, via: str) -> bool:
        """Whether the names are those of one gateway of each stage before this gateway, or before the host."""
        stages = self.wish.route.stages
        places = [
            number
            for number, stage in enumerate(stages)
            if gateway_id is not None and any(gateway.id == gateway_id for gateway in stage)
        ]
        for number in places or ([] if gateway_id is not None else [len(stages)]):
            names = product(*(tuple(gateway.name for gateway in stage) for stage in stages[:number]))
            if any(via == via_of(chosen) for chosen in islice(names, _MOST_WAYS)):
                return True
        return False

    def _clean(self, sentence: Sentence, depth: int) -> Sentence:
        """A sentence of the access plane, or the refusal of a secret of this task. Of every other failure only
        the words are left, as words of somebody else.
        """
        if depth <= 0 or len(sentence.values) > _MAX_VALUES:
            return Sentence(_text(sentence.text))
        code = sentence.code
        if code and code != JOINED and code not in OTHERS.value and code not in self._codes:
            return Sentence(_text(sentence.text))
        values: Mapping[str, Value] = {
            name[:_MAX_SIGNAL]: self._value(value, depth) for name, value in sentence.values.items()
        }
        return Sentence(_text(sentence.text), code, values) if sentence else NOTHING

    def _value(self, value: Value, depth: int) -> Value:
        if isinstance(value, Sentence):
            return self._clean(value, depth - 1)
        if isinstance(value, str):
            return _text(value)
        return value if -(2**53) <= value <= 2**53 else 0  # NaN is no JSON


def _text(text: str) -> str:
    """Cut first: hiding characters become longer, and a text of a hostile host may be long."""
    return "\n".join(map(printable, text[:MAX_TEXT].split("\n")))[:MAX_TEXT]


def _signed(status: int | None) -> int | None:
    """As columns keep it. Windows has statuses such as 0xC0000005."""
    return status - 2**32 if status is not None and status >= 2**31 else status


def _codes_in(sentence: Sentence) -> set[str]:
    inner = (_codes_in(value) for value in sentence.values.values() if isinstance(value, Sentence))
    return {sentence.code, *(code for codes in inner for code in codes)}
