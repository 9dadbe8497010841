"""Prevents administrators from switching off the way by which they are signed in: another way may not work."""

from collections.abc import Callable
from typing import Final

from postern.foundation.caller.actor import Actor
from postern.foundation.provided import Provided

SETTING: Final = "SECURITY_SIGN_IN_WAYS"
#: The way by which this caller is signed in with a browser; "" for others.
WAY_OF: Final = Provided[Callable[[Actor], str]]("the way by which a caller is signed in")
