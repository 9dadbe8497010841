"""The stored providers on the sign-in page. An app of a higher layer provides them for the public settings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from postern.foundation.provided import Provided


@dataclass(frozen=True, slots=True)
class SignInButton:
    """`id`: the provider's part of the sign-in address. `name`: the label of the button."""

    id: str
    name: str


OPENID: Final = Provided[Callable[[], Sequence[SignInButton]]]("the providers of OpenID Connect")
SAML: Final = Provided[Callable[[], Sequence[SignInButton]]]("the providers of SAML")
