"""An organization to plan for, and files about it."""

from collections.abc import Callable
from dataclasses import dataclass

from factories.grants import (
    grant,
    grant_application,
    make_application,
    make_asset,
    make_group,
    make_node,
    make_system_user,
)
from postern.apps.acls.command_filters import actions as filters
from postern.apps.acls.models import CommandFilter
from postern.apps.assets.models import Asset, Node
from postern.apps.plans.applying import actions
from postern.apps.plans.applying.actions import Plan
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

HEAD = "version: 1\norganization: Default\n"


@dataclass(frozen=True)
class PlannedWorld:
    """Anna (operations) and Bert; web-1 below /Default/Web, db-1 at the root; one grant, one application grant."""

    anna: User
    bert: User
    web: Node
    hosts: tuple[Asset, Asset]


def planned_world(make_user: Callable[..., User]) -> PlannedWorld:
    anna, bert = make_user("anna"), make_user("bert")
    operations = make_group("Operations", users=[anna])
    web = make_node("Web")
    hosts = make_asset("web-1", nodes=[web]), make_asset("db-1")
    root, deploy = make_system_user("root"), make_system_user("deploy", username="deploy")
    shop, mysql = make_application("shop"), make_system_user("mysql root", protocol="mysql")
    grant("web for operations", user_groups=[operations], nodes=[web], system_users=[deploy])
    grant("db for bert", users=[bert], assets=[hosts[1]], system_users=[root], actions=1)
    grant_application("shop for bert", users=[bert], applications=[shop], system_users=[mysql])
    careful = filters.FILTERS.create(
        actor=SYSTEM, org_id=DEFAULT_ORG_ID, values={"name": "careful", "system_users": [root]}
    )
    add_rule(careful, "rm\nreboot")
    return PlannedWorld(anna, bert, web, hosts)


def add_rule(row: CommandFilter, content: str) -> None:
    filters.create_rule(actor=SYSTEM, filter_row=row, values={"type": "command", "content": content, "action": 0})


def planned(text: str) -> Plan:
    return actions.plan(actor=SYSTEM, org_id=DEFAULT_ORG_ID, checker=actions.read_wish(text))


def applied(text: str, expected: str = "") -> Plan:
    return actions.apply(actor=SYSTEM, org_id=DEFAULT_ORG_ID, checker=actions.read_wish(text), expected=expected)


def exported() -> str:
    return actions.export(actor=SYSTEM, org_id=DEFAULT_ORG_ID)
