"""Rows that a write of application permissions locks first (`granting.holding`)."""

from functools import partial
from typing import Final

from postern.apps.perms.application_permissions.kind import APPLICATION_PERMISSIONS
from postern.apps.perms.granting import holding

hold: Final = partial(holding.hold, APPLICATION_PERMISSIONS)
