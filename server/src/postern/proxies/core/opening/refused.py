"""The exception for a session that cannot be opened."""

from postern.contracts.access import Denial, ReachableAsset
from postern.contracts.enums import DenialCode, EndReason
from postern.kernel.errors import PosternError
from postern.proxies.core.texts import Text


class Refused(PosternError):
    """The session cannot be opened.

    `message` tells the user why and `reasons` adds details. `candidates` lists the assets if several match. `denial` is
    set if no session was created, `ended` if the session ended before it was open.
    """

    code = "refused"

    def __init__(
        self,
        message: str,
        *,
        denial: DenialCode | None = None,
        ended: EndReason | None = None,
        reasons: tuple[str, ...] = (),
        candidates: tuple[ReachableAsset, ...] = (),
    ) -> None:
        super().__init__(message)
        self.denial = denial
        self.ended = ended
        self.reasons = reasons
        self.candidates = candidates

    @classmethod
    def by(cls, denial: Denial, candidates: tuple[ReachableAsset, ...] = ()) -> "Refused":
        """Build the exception from the control plane's denial."""
        return cls(denial.message, denial=denial.code, reasons=denial.reasons, candidates=candidates)

    @classmethod
    def away(cls, language: str) -> "Refused":
        """Build the exception for a control plane that does not answer."""
        return cls(Text.CONTROL_UNAVAILABLE.say(language), denial=DenialCode.CONTROL_UNAVAILABLE)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences shown to the user: the message and the reasons."""
        return (self.message, *self.reasons)

    @property
    def why(self) -> str:
        """A stable code for programs."""
        known = self.denial or self.ended or EndReason.ERROR
        return known.value
