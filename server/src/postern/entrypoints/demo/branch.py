"""The second organization of the demo with its own people and assets, and the demo's site messages."""

from typing import Final

from postern.entrypoints.demo.api import Api, DemoFailed
from postern.entrypoints.demo.company import make_assets
from postern.entrypoints.demo.people import BRANCH_PEOPLE, OPERATIONS
from postern.kernel.secret import Secret

BRANCH: Final = "上海分公司 Shanghai"
_TEAM: Final = "分公司运维"
_TREE: Final[dict[str, tuple[tuple[str, str, str, str, str], ...]]] = {
    "机房 A": (
        ("sh-web-01", "192.0.2.111", "Linux", "ssh/22", "nginx"),
        ("sh-db-01", "192.0.2.131", "Linux", "ssh/22", "MySQL"),
        ("sh-backup", "192.0.2.140", "Linux", "ssh/22", "备份"),
    ),
    "门店": (("sh-pos-01", "198.51.100.151", "Windows", "rdp/3389", "收银台"),),
}


def install_licence(admin: Api, licence: bytes) -> None:
    """Upload the licence through the API: organizations need one."""
    answer = admin.upload("xpack/license/import", "file", "licence.json", licence)
    if not answer["status"]:
        raise DemoFailed(f"the licence was refused: {answer['msg']}")


def found_branch(admin: Api, passwords: dict[str, Secret]) -> None:
    """Create the branch: an administrator, two members, four assets and a permission. Existing objects stay."""
    org_id = admin.ensure("orgs/orgs/", "name", {"name": BRANCH, "comment": "自有人员与资产，与总部互不可见"})
    branch = admin.within(org_id)
    team = branch.ensure("users/groups/", "name", {"name": _TEAM})
    for person in BRANCH_PEOPLE:
        branch.ensure(
            "users/users/",
            "username",
            {
                "username": person.username,
                "name": person.name,
                "email": f"{person.username}@example.invalid",
                "org_roles": [person.org_role],
                "groups": [team],
                "password_strategy": "custom",
                "password": passwords[person.username].reveal(),
            },
        )
    nodes, _assets = make_assets(branch, _TREE)
    ops = branch.ensure(
        "assets/system-users/",
        "name",
        {"name": "sh-ops", "username": "ops", "protocol": "ssh", "login_mode": "auto", "auto_generate_key": True},
    )
    branch.ensure(
        "perms/asset-permissions/",
        "name",
        {"name": "分公司运维 → 机房 A", "user_groups": [team], "nodes": [nodes["机房 A"]], "system_users": [ops]},
    )


def tell_everybody(admin: Api) -> None:
    """Send a few site messages, once."""
    if admin.rows("notifications/site-message/"):
        return
    operations = admin.rows("users/groups/", {"name": OPERATIONS})[0]["id"]
    people = {row["username"]: row["id"] for row in admin.rows("users/users/")}
    for message in (
        {
            "subject": "欢迎使用 Postern",
            "message": "<p>所有会话都会被<b>录制</b>，凭据由系统代填，任何人都看不到。</p><p>有问题请联系管理员。</p>",
            "is_broadcast": True,
        },
        {
            "subject": "Maintenance on Sunday",
            "message": (
                "<p>The production databases are upgraded on Sunday from 02:00 to 04:00.</p>"
                "<ul><li><code>db-01</code></li><li><code>db-02</code></li></ul>"
                '<p>The plan: <a href="https://example.com/plan">example.com/plan</a></p>'
            ),
            "is_broadcast": True,
        },
        {
            "subject": "值班表已更新",
            "message": "<p>下周值班：</p><ol><li>林晓</li><li>王建国</li></ol>",
            "group_ids": [operations],
        },
        {
            "subject": "请复核上周的会话",
            "message": "<p>赵敏，请在<i>周五</i>前复核生产环境的会话录像。</p>",
            "user_ids": [people["zhao"]],
        },
        {
            "subject": "Your permission has expired",
            "message": "<p>Tom, your permission for the test environment ended two days ago. Ask if you still need it.</p>",
            "user_ids": [people["tom"]],
        },
    ):
        admin.post("notifications/site-message/send/", message)
