"""Events of forgotten passwords."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class PasswordForgotten:
    """Somebody asked for a link. `user_id` None: nobody has this name, or their last mail is too recent.

    The event is published for every request, so that the answer takes the same time. `request_id` becomes the id of the
    link, so that a repeated delivery makes no second one.
    """

    request_id: UUID
    remote_addr: str
    user_id: UUID | None
