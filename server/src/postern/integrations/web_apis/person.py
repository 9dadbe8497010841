"""Who signed in at a service."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """`tenant` and `subject` identify the person; mail addresses and phone numbers never do.

    `name`: for administrators to recognise the person.
    """

    tenant: str
    subject: str
    name: str
