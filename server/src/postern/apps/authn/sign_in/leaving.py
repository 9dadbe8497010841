"""Where a browser goes after it signed out: some providers sign the person out, too. They are in resources above this
one, so the composition provides the answer.
"""

from collections.abc import Callable
from typing import Final

from postern.apps.authn.credentials.models import LoginSession
from postern.foundation.provided import Provided

#: The address for a sign-in that has just ended; empty for most.
LEAVING: Final = Provided[Callable[[LoginSession], str]]("where a browser goes after signing out")
