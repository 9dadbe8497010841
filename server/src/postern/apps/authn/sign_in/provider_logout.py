"""The address for signing out at a provider, after signing out of Postern. Packages of higher layers know the
providers, so the composition provides the function.
"""

from collections.abc import Callable
from typing import Final

from postern.apps.authn.credentials.models import LoginSession
from postern.foundation.provided import Provided

#: The address for a sign-in that has just ended; empty for most sign-ins.
LOGOUT_ADDRESS_OF: Final = Provided[Callable[[LoginSession], str]]("the address for signing out at a provider")
