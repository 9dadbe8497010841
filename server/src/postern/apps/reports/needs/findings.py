"""What needs a person now, the most urgent first. Each finding is the number of a list that the console shows."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from postern.apps.assets import facade as assets
from postern.apps.audits import facade as audits
from postern.apps.perms import facade as perms
from postern.apps.sessions import facade as sessions
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope

#: A finding counts up to this number, and says "more" beyond it.
COUNTED: Final = 1_000


class NeedKind(StrEnum):
    """Stable: part of the API."""

    AUDIT_FAULTS = "audit_faults"
    RISKY_SESSIONS = "risky_sessions"
    SILENT_TERMINALS = "silent_terminals"
    WAITING_TERMINALS = "waiting_terminals"
    FAILING_COPIES = "failing_copies"
    UNREACHABLE_ASSETS = "unreachable_assets"
    PERMISSIONS_ENDING = "permissions_ending"
    APPLICATION_PERMISSIONS_ENDING = "application_permissions_ending"
    PERMISSIONS_UNUSED = "permissions_unused"


@dataclass(frozen=True, slots=True)
class Need:
    """A finding with its number. `is_more`: there are more than `count`. `session`: the only risky session."""

    kind: NeedKind
    count: int
    is_more: bool = False
    session: sessions.RiskySession | None = None

    @classmethod
    def counted(cls, kind: NeedKind, number: int, session: sessions.RiskySession | None = None) -> "Need":
        """A finding that was counted up to `COUNTED + 1`."""
        return cls(kind, min(number, COUNTED), number > COUNTED, session)


def needs_of(actor: Actor, scope: OrgScope, now: datetime) -> list[Need]:
    """What needs somebody with the rights of the actor, in the organization of the scope (the root: in all)."""
    org_id = None if scope.is_root else scope.org_id
    most = COUNTED + 1
    risky = sessions.risky_sessions(org_id, most)
    found = [
        Need.counted(NeedKind.AUDIT_FAULTS, audits.known_faults(actor, scope)),
        Need.counted(NeedKind.RISKY_SESSIONS, len(risky), risky[0] if len(risky) == 1 else None),
    ]
    if actor.is_super_user:  # proxies and storages belong to the installation
        found += [
            Need.counted(NeedKind.SILENT_TERMINALS, sessions.silent_terminals(now)),
            Need.counted(NeedKind.WAITING_TERMINALS, sessions.waiting_terminals()),
            Need.counted(NeedKind.FAILING_COPIES, sessions.failing_copies(most)),
        ]
    permissions = perms.count_findings(org_id, now, most)
    found += [
        Need.counted(NeedKind.UNREACHABLE_ASSETS, assets.unreachable_assets(org_id, most)),
        Need.counted(NeedKind.PERMISSIONS_ENDING, permissions.ending),
        Need.counted(NeedKind.APPLICATION_PERMISSIONS_ENDING, permissions.ending_applications),
        Need.counted(NeedKind.PERMISSIONS_UNUSED, permissions.unused),
    ]
    return [need for need in found if need.count]
