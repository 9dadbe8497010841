"""Why there is no session."""

from postern.contracts.access import Denial, ReachableAsset
from postern.contracts.enums import DenialCode, EndReason
from postern.kernel.errors import PosternError
from postern.proxies.core.texts import Text


class Refused(PosternError):
    """There will be no session. `message` tells the person why, `reasons` say more, `candidates` when several assets match.

    `denial` is set when there never was a session, `ended` when one ended before it was open.
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
        """What the control plane has said."""
        return cls(denial.message, denial=denial.code, reasons=denial.reasons, candidates=candidates)

    @classmethod
    def away(cls, language: str) -> "Refused":
        """The control plane has said nothing."""
        return cls(Text.CONTROL_UNAVAILABLE.say(language), denial=DenialCode.CONTROL_UNAVAILABLE)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the person reads: the message and the reasons."""
        return (self.message, *self.reasons)

    @property
    def why(self) -> str:
        """A stable word for programs."""
        known = self.denial or self.ended or EndReason.ERROR
        return known.value
