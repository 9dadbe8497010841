"""Events of forgotten passwords."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class PasswordForgotten:
    """A link was requested. `user_id` None: nobody has this name, or the last mail is too recent.

    The event is published for every request, so that all responses take the same time. `request_id` becomes the id of
    the link, so that a repeated delivery of the event makes no second link.
    """

    request_id: UUID
    remote_addr: str
    user_id: UUID | None
