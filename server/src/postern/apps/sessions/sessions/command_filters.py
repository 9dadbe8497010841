"""The command filters of a session: what its proxy receives, and how a change is noticed."""

import hashlib
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import msgspec

from postern.apps.acls import facade as acls
from postern.apps.sessions.sessions.models import Session
from postern.contracts.command_control import CommandAction, CommandControl


def control_of(session: Session, controls: dict[UUID, CommandControl] | None = None) -> CommandControl:
    """What the proxy of a session receives now. `controls`: those of its system user, if they were read already."""
    system_user_id = session.system_user_id
    control = (acls.controls_of([system_user_id]) if controls is None else controls)[system_user_id]
    return msgspec.structs.replace(control, version=session.command_version)


def digest_of(control: CommandControl) -> str:
    """Hash of the rules, whatever their version; "" when nothing is restricted."""
    if not control.rules and control.unresolved is CommandAction.ALLOW:
        return ""
    return hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(control, version=0))).hexdigest()


def shown(control: CommandControl) -> dict[str, Any]:
    """The filters as an audit record names them."""
    return {"filters": _names(control), "rules": len(control.rules), "unresolved": control.unresolved.value}


def _names(control: CommandControl) -> list[str]:
    names: Iterable[str] = (rule.filter_name for rule in control.rules)
    return sorted(set(names))
