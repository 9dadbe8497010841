"""The applications of the demo: a database, a cluster and a remote app, and who may use them."""

from collections.abc import Mapping
from typing import Final

from postern.entrypoints.demo.api import Api
from postern.entrypoints.demo.people import OPERATIONS, PLATFORM

#: Name → category, type, attributes, comment. Addresses are those of the demo's assets.
_APPLICATIONS: Final[dict[str, tuple[str, str, Mapping[str, object], str]]] = {
    "订单库 orders": ("db", "postgresql", {"host": "192.0.2.31", "database": "orders"}, "db-01 主库"),
    "报表库 reports": ("db", "mysql", {"host": "192.0.2.32", "database": "reports"}, ""),
    "生产集群": ("cloud", "k8s", {"cluster": "https://192.0.2.61:6443"}, "k8s-master-01"),
}
#: A program on a Windows host: its asset is added when it is made.
_REMOTE: Final = "财务浏览器 Finance browser"
_HOST: Final = "win-finance-01"
#: Name → protocol, username. Secrets are made up: nothing answers at these addresses.
_ACCOUNTS: Final[dict[str, tuple[str, str]]] = {
    "orders-read": ("postgresql", "readonly"),
    "reports-app": ("mysql", "reports"),
    "k8s-view": ("k8s", ""),
    "finance-rdp": ("rdp", "finance"),
}


def found_applications(admin: Api) -> None:
    """Create the applications, their system users and permissions. Existing objects stay."""
    host = admin.rows("assets/assets/", {"hostname": _HOST})[0]["id"]
    remote = ("remote_app", "chrome", {"asset": host, "chrome_target": "https://erp.example.invalid"}, "")
    applications = {}
    for name, (category, kind, attrs, comment) in {**_APPLICATIONS, _REMOTE: remote}.items():
        body = {"name": name, "category": category, "type": kind, "attrs": attrs, "comment": comment}
        applications[name] = admin.ensure("applications/applications/", "name", body)
    accounts = {name: _account(admin, name, *parts) for name, parts in _ACCOUNTS.items()}
    groups = {row["name"]: row["id"] for row in admin.rows("users/groups/")}
    for name, category, kind, group, application, account in (
        ("运维组 → 订单库", "db", "postgresql", OPERATIONS, "订单库 orders", "orders-read"),
        ("Platform engineers → reports", "db", "mysql", PLATFORM, "报表库 reports", "reports-app"),
        ("Platform engineers → 生产集群", "cloud", "k8s", PLATFORM, "生产集群", "k8s-view"),
        ("运维组 → 财务浏览器", "remote_app", "chrome", OPERATIONS, _REMOTE, "finance-rdp"),
    ):
        permission = {
            "name": name,
            "category": category,
            "type": kind,
            "user_groups": [groups[group]],
            "applications": [applications[application]],
            "system_users": [accounts[account]],
        }
        admin.ensure("perms/application-permissions/", "name", permission)


def _account(admin: Api, name: str, protocol: str, username: str) -> str:
    secret = {"token": "demo-token"} if protocol == "k8s" else {"login_mode": "manual"}
    return admin.ensure(
        "assets/system-users/", "name", {"name": name, "username": username, "protocol": protocol, **secret}
    )
