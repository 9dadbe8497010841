"""Events of messages."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SystemMessagePosted:
    """A system message was posted, whoever receives it. The text is in the language of the installation."""

    id: UUID
    message_type: str
    subject: str
    html: str
    at: datetime
