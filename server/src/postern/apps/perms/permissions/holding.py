"""Rows that a write of asset permissions locks first (`granting.holding`)."""

from functools import partial
from typing import Final

from postern.apps.perms.granting import holding
from postern.apps.perms.permissions.kind import ASSET_PERMISSIONS

hold: Final = partial(holding.hold, ASSET_PERMISSIONS)
