"""Builders of assets, system users and permissions that use the real actions."""

from collections.abc import Iterable
from itertools import count
from typing import Any
from uuid import UUID

from postern.apps.applications import facade as applications
from postern.apps.applications.models import Application
from postern.apps.assets.assets.actions.assets import create_asset
from postern.apps.assets.assets.protocols import parse
from postern.apps.assets.domains.actions import create_domain
from postern.apps.assets.models import Asset, Domain, Node, Platform
from postern.apps.assets.nodes.actions import root_of
from postern.apps.assets.tree.actions import create_node
from postern.apps.perms.application_permissions import actions as application_permissions
from postern.apps.perms.models import ApplicationPermission, AssetPermission
from postern.apps.perms.permissions.actions import create_permission
from postern.apps.users.models import User, UserGroup, UserGroupMember
from postern.apps.vault.gateways.actions import create_gateway
from postern.apps.vault.models import Gateway, SystemUser
from postern.apps.vault.system_users.actions import create_system_user
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

_numbers = count(1)


def make_asset(
    hostname: str = "",
    *,
    ip: str = "",
    protocols: Iterable[str] = ("ssh/22",),
    nodes: Iterable[Node] = (),
    org_id: UUID = DEFAULT_ORG_ID,
    platform: str = "Linux",
    **columns: Any,
) -> Asset:
    number = next(_numbers)
    values = {
        "hostname": hostname or f"host-{number}",
        "ip": ip or f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
        "platform": Platform.objects.get(name=platform),
        "protocols": [protocol for text in protocols if (protocol := parse(text))],
        "nodes": list(nodes),
        **columns,
    }
    return create_asset(actor=SYSTEM, org_id=org_id, values=values)


def make_domain(
    name: str = "", *, through: Domain | None = None, assets: Iterable[Asset] = (), org_id: UUID = DEFAULT_ORG_ID
) -> Domain:
    values = {"name": name or f"domain-{next(_numbers)}", "reached_through": through, "assets": list(assets)}
    return create_domain(actor=SYSTEM, org_id=org_id, values=values)


def make_gateway(name: str, domain: Domain, *, ip: str = "127.0.0.1", **values: Any) -> Gateway:
    """A gateway with a password."""
    wish = {"name": name, "ip": ip, "username": "forward", "password": f"the secret of {name}", "domain": domain}
    return create_gateway(actor=SYSTEM, org_id=domain.org_id, values={**wish, **values})


def make_node(value: str = "", *, parent: Node | None = None, org_id: UUID = DEFAULT_ORG_ID) -> Node:
    return create_node(actor=SYSTEM, parent=parent or root_of(org_id), value=value or f"node-{next(_numbers)}")


def make_system_user(
    name: str = "", *, username: str = "root", org_id: UUID = DEFAULT_ORG_ID, **values: Any
) -> SystemUser:
    """A system user with a password, unless `values` say otherwise."""
    if not {"password", "private_key", "auto_generate_key"} & set(values):
        values["password"] = "a password of the target"
    wish = {"name": name or f"su-{next(_numbers)}", "username": username, **values}
    return create_system_user(actor=SYSTEM, org_id=org_id, values=wish)


def make_application(
    name: str = "", *, kind: str = "mysql", org_id: UUID = DEFAULT_ORG_ID, **attrs: Any
) -> Application:
    """An application of this type; `attrs` are its attributes, which a database has already."""
    usual = {"host": "192.0.2.20", "port": 3306, "database": "orders"}
    declaration = applications.DECLARATIONS[kind]
    given = {**usual, **attrs} if declaration.category == "db" else attrs
    values = {
        "name": name or f"application-{next(_numbers)}",
        "category": declaration.category.value,
        "type": kind,
        "attrs": given,
    }
    return applications.create_application(actor=SYSTEM, org_id=org_id, values=values)


def make_group(name: str = "", *, users: Iterable[User] = (), org_id: UUID = DEFAULT_ORG_ID) -> UserGroup:
    group = UserGroup.objects.create(name=name or f"group-{next(_numbers)}", org_id=org_id)
    UserGroupMember.objects.bulk_create([UserGroupMember(user=user, usergroup=group) for user in users])
    return group


def grant(name: str = "", *, org_id: UUID = DEFAULT_ORG_ID, **values: Any) -> AssetPermission:
    """A permission. `values` are `users`, `user_groups`, `assets`, `nodes`, `system_users`, and columns such as
    `actions` (bits).
    """
    return create_permission(
        actor=SYSTEM, org_id=org_id, values={"name": name or f"permission-{next(_numbers)}", **values}
    )


def grant_application(
    name: str = "", *, kind: str = "mysql", org_id: UUID = DEFAULT_ORG_ID, **values: Any
) -> ApplicationPermission:
    """An application permission for this type. `values` are `users`, `user_groups`, `applications`, `system_users`, and
    columns.
    """
    item = {
        "name": name or f"application-permission-{next(_numbers)}",
        "category": applications.DECLARATIONS[kind].category.value,
        "type": kind,
        **values,
    }
    (made,) = application_permissions.create_permissions(actor=SYSTEM, org_id=org_id, items=[item])
    return made
