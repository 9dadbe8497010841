"""Who signed in at a service."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Person:
    """`tenant` and `subject` identify the person; mail addresses and phone numbers never do.

    `name`: for administrators to recognise the person. `details`: what else is needed when the visit is used; JSON.
    """

    tenant: str
    subject: str
    name: str
    details: Mapping[str, Any] = field(default_factory=dict)
