"""Objects that the demo's administrator creates through the API: people, groups, nodes, assets, permissions."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final

from postern.entrypoints.demo.api import Api
from postern.entrypoints.demo.host import DemoHost
from postern.entrypoints.demo.inventory import TREE, describe
from postern.entrypoints.demo.people import OPERATIONS, PEOPLE, PLATFORM
from postern.kernel.clock import now
from postern.kernel.secret import Secret

HOST: Final = "demo-host"
OPS: Final = "ops"

_REAL: Final = "演示主机 Demo host"


def found_company(admin: Api, host: DemoHost, passwords: dict[str, Secret]) -> None:
    """Create all objects of the company. Existing objects stay."""
    people = _people(admin, passwords)
    groups = {row["name"]: row["id"] for row in admin.rows("users/groups/")}
    # The last asset is the machine that runs the demo.
    tree = {**TREE, _REAL: ((HOST, "127.0.0.1", "Linux", f"ssh/{host.port}", "本机 sshd，只接受密钥"),)}
    nodes, assets = make_assets(admin, tree)
    describe(admin, assets)
    ops = admin.ensure(
        "assets/system-users/",
        "name",
        {
            "name": OPS,
            "username": host.login,
            "protocol": "ssh",
            "login_mode": "auto",
            "private_key": host.client_key,
            "sftp_root": "/",  # the data folder of the demo may be anywhere
            "comment": "演示主机上的运行账号",
        },
    )
    dba = admin.ensure(
        "assets/system-users/",
        "name",
        {
            "name": "dba",
            "username": "dba",
            "protocol": "ssh",
            "login_mode": "auto",
            "auto_generate_key": True,
            "priority": 20,
            "comment": "数据库管理员",
        },
    )
    _read_host(admin, host, assets[HOST])
    form = "%Y/%m/%d %H:%M:%S %z"
    past, earlier = now() - timedelta(days=2), now() - timedelta(days=32)
    for permission in (
        {
            "name": "运维组 → 演示主机",
            "user_groups": [groups[OPERATIONS]],
            "assets": [assets[HOST]],
            "system_users": [ops],
        },
        {
            "name": "Platform engineers → 生产环境",
            "user_groups": [groups[PLATFORM]],
            "nodes": [nodes["生产环境"]],
            "system_users": [ops, dba],
        },
        {"name": "Maria → demo host", "users": [people["maria"]], "nodes": [nodes[_REAL]], "system_users": [ops]},
        {
            "name": "Tom → demo host (shell only)",
            "users": [people["tom"]],
            "assets": [assets[HOST]],
            "system_users": [ops],
            "actions": ["connect"],
        },
        {
            "name": "Tom → 测试环境（已到期）",
            "users": [people["tom"]],
            "nodes": [nodes["测试环境"]],
            "system_users": [ops],
            "date_start": earlier.strftime(form),
            "date_expired": past.strftime(form),
        },
    ):
        admin.ensure("perms/asset-permissions/", "name", permission)


def _read_host(admin: Api, host: DemoHost, asset: str) -> None:
    """Give the local host an admin user, let a job read its hardware once, and test it each night."""
    admin_user = admin.ensure(
        "assets/admin-users/",
        "name",
        {
            "name": "demo-admin",
            "username": host.login,
            "private_key": host.client_key,
            "comment": "测试与读取演示主机的账号",
        },
    )
    if admin.rows("assets/assets/", {"hostname": HOST})[0]["admin_user"] is None:
        admin.call("PATCH", f"/api/v1/assets/assets/{asset}/", {"admin_user": admin_user})
        admin.call("POST", f"/api/v1/assets/assets/{asset}/tasks/", {"action": "refresh"})
    admin.ensure(
        "ops/tasks/",
        "name",
        {
            "name": "每晚测试演示主机",
            "kind": "assets.test",
            "assets": [asset],
            "crontab": "30 3 * * *",
            "is_periodic": True,
        },
    )


def run_a_command(url: str, passwords: dict[str, Secret]) -> None:
    """Let a person run a batch command on the demo host, once."""
    person = Api(url).sign_in("maria", passwords["maria"])
    if person.rows("ops/command-executions/"):
        return
    host = next(row["id"] for row in person.rows("perms/users/assets/") if row["hostname"] == HOST)
    run_as = next(row["id"] for row in person.read("perms/system-users-permission/") if row["name"] == OPS)
    command = "uptime\ndf -h . | tail -n 1"
    person.post("ops/command-executions/", {"command": command, "hosts": [host], "run_as": run_as})


def greet_everybody(url: str, passwords: dict[str, Secret]) -> None:
    """Skip the first-login page for all people, so that a tour starts at the console's own pages."""
    for username, password in passwords.items():
        Api(url).sign_in(username, password).call("PATCH", "/api/v1/users/profile/", {"is_first_login": False})


def _people(admin: Api, passwords: dict[str, Secret]) -> dict[str, str]:
    """Create the people. Returns user name → id."""
    groups = {name: admin.ensure("users/groups/", "name", {"name": name}) for name in (OPERATIONS, PLATFORM)}
    return {
        person.username: admin.ensure(
            "users/users/",
            "username",
            {
                "username": person.username,
                "name": person.name,
                "email": f"{person.username}@example.invalid",
                "role": person.role,
                "groups": [groups[name] for name in person.groups],
                "password_strategy": "custom",
                "password": passwords[person.username].reveal(),
            },
        )
        for person in PEOPLE
    }


def make_assets(
    admin: Api, tree: Mapping[str, Iterable[tuple[str, str, str, str, str]]]
) -> tuple[dict[str, str], dict[str, str]]:
    """Create nodes and the assets in them. Returns node path → id, and asset name → id."""
    nodes: dict[str, str] = {}
    assets: dict[str, str] = {}

    def node(path: str) -> str:
        if path not in nodes:
            above, _, name = path.rpartition("/")
            below = f"assets/nodes/{node(above)}/children/" if above else "assets/nodes/children/"
            rows = admin.read(below)
            matching_rows = [
                row for row in (rows["results"] if isinstance(rows, dict) else rows) if row["value"] == name
            ]
            nodes[path] = (matching_rows[0] if matching_rows else admin.post(below, {"value": name}))["id"]
        return nodes[path]

    for path, listed in tree.items():
        for name, address, platform, protocols, comment in listed:
            assets[name] = admin.ensure(
                "assets/assets/",
                "hostname",
                {
                    "hostname": name,
                    "ip": address,
                    "platform": platform,
                    "protocols": protocols.split(),
                    "nodes": [node(path)],
                    "comment": comment,
                },
            )
    return nodes, assets
