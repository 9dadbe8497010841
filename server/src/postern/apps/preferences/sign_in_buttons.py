"""The providers on the sign-in page that are stored rows. An app above provides them for the public settings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from postern.foundation.provided import Provided


@dataclass(frozen=True, slots=True)
class SignInButton:
    """`id`: the part of the address that leads to the provider. `name`: what people read."""

    id: str
    name: str


OPENID: Final = Provided[Callable[[], Sequence[SignInButton]]]("the providers of OpenID Connect")
SAML: Final = Provided[Callable[[], Sequence[SignInButton]]]("the providers of SAML")
