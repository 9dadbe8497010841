"""Every screen as every role: opened or refused as declared, without errors."""

import subprocess
from collections.abc import Mapping
from typing import Final

import pytest
from accessibility import axe_findings, moved, settled
from browser import Faults, admit, window
from playwright.sync_api import Browser
from product import ADMIN_PASSWORD, Api, wait_until
from world import AUDITOR_PASSWORD, ZHANG_PASSWORD, World

from declarations import PLAIN

ROLES: Final = ("admin", "auditor", "user")
ADMIN, AUDITOR, USER = ROLES
#: The visible text of the first h1, the numbers of h1 and main, and the title of the document.
LOOK: Final = """() => [
  document.querySelector('h1')?.innerText ?? '',
  document.querySelectorAll('h1').length,
  document.querySelectorAll('main').length,
  document.title,
]"""

#: Which roles may open which screen. Everything else is refused in words.
SCREENS: Final[dict[str, set[str]]] = {
    "/dashboard": {ADMIN, AUDITOR},
    "/my-assets": {USER},
    "/my-credentials": {USER},
    "/users/users": {ADMIN},
    "/users/users/create": {ADMIN},
    "/users/users/{zhang}": {ADMIN},
    "/users/users/{zhang}?activeTab=permissions": {ADMIN},
    "/users/users/{zhang}?activeTab=history": {ADMIN},
    "/users/users/{zhang}?activeTab=sessions": {ADMIN},
    "/users/users/{zhang}/update": {ADMIN},
    "/users/users?activeTab=service-accounts": {ADMIN},
    "/users/service-accounts/create": {ADMIN},
    "/users/service-accounts/{service}": {ADMIN},
    "/users/service-accounts/{service}?activeTab=keys": {ADMIN},
    "/users/service-accounts/{service}/update": {ADMIN},
    "/users/service-account-keys/create?user={service}": {ADMIN},
    "/users/service-account-keys/{service_key}/update": {ADMIN},
    "/users/groups": {ADMIN},
    "/users/groups/create": {ADMIN},
    "/users/groups/{group}": {ADMIN},
    "/users/groups/{group}?activeTab=permissions": {ADMIN},
    "/users/groups/{group}/update": {ADMIN},
    "/assets/assets": {ADMIN},
    "/assets/assets/create": {ADMIN},
    "/assets/new-host": {ADMIN},
    "/assets/assets/{asset}": {ADMIN},
    "/assets/assets/{asset}?activeTab=access": {ADMIN},
    "/assets/assets/{asset}?activeTab=history": {ADMIN},
    "/assets/assets/{asset}?activeTab=sessions": {ADMIN},
    "/assets/assets/{asset}/update": {ADMIN},
    "/assets/assets/detail/{asset}/update": {ADMIN},
    "/assets/labels/{assets/labels}?activeTab=assets": {ADMIN},
    "/assets/platforms": {ADMIN},
    "/assets/platforms/create": {ADMIN},
    "/assets/platforms/6?activeTab=basic": {ADMIN},
    "/assets/platforms/6?activeTab=assets": {ADMIN},
    "/assets/platforms/6/update": {ADMIN},
    "/assets/domains": {ADMIN},
    "/assets/domains/create": {ADMIN},
    "/assets/domains/{domain}": {ADMIN},
    "/assets/domains/{domain}?activeTab=gateways": {ADMIN},
    "/assets/domains/{domain}?activeTab=assets": {ADMIN},
    "/assets/domains/{domain}/update": {ADMIN},
    "/assets/gateways/create?domain={domain}": {ADMIN},
    "/assets/gateways/{gateway}": {ADMIN},
    "/assets/gateways/{gateway}/update": {ADMIN},
    "/assets/cmd-filters/{assets/cmd-filters}?activeTab=rules": {ADMIN},
    "/assets/command-filter-rules/create?filter={assets/cmd-filters}": {ADMIN},
    "/assets/system-users": {ADMIN},
    "/assets/system-users/create": {ADMIN},
    "/assets/system-users/{system_user}": {ADMIN},
    "/assets/system-users/{system_user}?activeTab=permissions": {ADMIN},
    "/assets/system-users/{system_user}?activeTab=sessions": {ADMIN},
    "/assets/system-users/{system_user}/update": {ADMIN},
    "/perms/asset-permissions": {ADMIN},
    "/perms/reviews": {ADMIN},
    "/perms/asset-permissions/create": {ADMIN},
    "/perms/asset-permissions/{permission}": {ADMIN},
    "/terminal/session": {ADMIN, AUDITOR},
    "/terminal/session?activeTab=offline": {ADMIN, AUDITOR},
    "/terminal/command": {ADMIN, AUDITOR},
    "/terminal/search": {ADMIN, AUDITOR},
    "/terminal/sessions/{session}": {ADMIN, AUDITOR},
    "/terminal/storages": {ADMIN},
    "/terminal/storages?activeTab=command": {ADMIN},
    "/terminal/replay-storage/create?type=s3": {ADMIN},
    "/terminal/replay-storage/{storage}/update": {ADMIN},
    "/terminal/command-storage/create": {ADMIN},
    "/terminal/command-storage/{command_storage}/update": {ADMIN},
    "/terminal/sessions/{session}?activeTab=info": {ADMIN, AUDITOR},
    "/terminal/sessions/{session}?activeTab=files": {ADMIN, AUDITOR},
    "/terminal/sessions/{session}?activeTab=commands": {ADMIN, AUDITOR},
    "/audits/events": {ADMIN, AUDITOR},
    "/audits/login-log": {ADMIN, AUDITOR},
    "/audits/ftp-log": {ADMIN, AUDITOR},
    "/audits/operate-log": {ADMIN, AUDITOR},
    "/audits/password-change-log": {ADMIN, AUDITOR},
    "/audits/command-execution-log": {ADMIN, AUDITOR},
    "/ops/command-executions/create": {ADMIN},
    "/command-executions": {USER},
    "/ops/periodic-tasks": {ADMIN},
    # Without a licence, remote apps are closed to every role.
    "/applications/remote-apps": set(),
    "/applications/remote-apps/create": set(),
    "/applications/databases": {ADMIN},
    "/applications/databases/create?category=db&type=mysql": {ADMIN},
    "/applications/databases/{db}": {ADMIN},
    "/applications/databases/{db}?activeTab=access": {ADMIN},
    "/applications/databases/{db}?activeTab=accounts": {ADMIN},
    "/applications/databases/{db}/update": {ADMIN},
    "/applications/kubernetes": {ADMIN},
    "/applications/kubernetes/create": {ADMIN},
    "/applications/kubernetes/{cloud}": {ADMIN},
    "/applications/kubernetes/{cloud}/update": {ADMIN},
    "/perms/app-permissions": {ADMIN},
    "/perms/app-permissions/create?category=db&type=mysql": {ADMIN},
    "/perms/app-permissions/{app_permission}": {ADMIN},
    "/perms/app-permissions/{app_permission}?activeTab=people": {ADMIN},
    "/perms/app-permissions/{app_permission}?activeTab=targets": {ADMIN},
    "/perms/app-permissions/{app_permission}/update": {ADMIN},
    "/users/users/{zhang}?activeTab=applications": {ADMIN},
    "/users/users/{zhang}?activeTab=app-permissions": {ADMIN},
    "/users/groups/{group}?activeTab=applications": {ADMIN},
    "/apps/remoteapp": set(),
    "/apps/database": {USER},
    "/apps/kubernetes": {USER},
    "/xpack/orgs": set(),  # no role: this installation has no licence
    "/xpack/orgs/create": set(),
    "/start?show=1": {ADMIN},
    "/users/profile": {ADMIN, AUDITOR, USER},
    "/users/first-login/guide": {ADMIN, AUDITOR, USER},
    "/notifications/site-messages": {ADMIN, AUDITOR, USER},
    "/help": {ADMIN, AUDITOR, USER},
    "/help/guide/ssh-access": {ADMIN, AUDITOR, USER},
    "/help/reference/keys": {ADMIN, AUDITOR, USER},
    "/connect": {ADMIN, AUDITOR, USER},
    "/files": {ADMIN, AUDITOR, USER},
    **{
        f"/{resource.path}{screen}": {ADMIN}
        for resource in PLAIN
        for screen in ("", "/create", f"/{{{resource.path}}}", f"/{{{resource.path}}}/update")
    },
}
#: Screens of work that was done; `test_stored_scripts` has no host to do it on.
RUN_SCREENS: Final[dict[str, set[str]]] = {
    "/ops/tasks/{task}?activeTab=versions": {ADMIN},
    "/ops/tasks/{task}?activeTab=executions": {ADMIN},
    "/ops/adhoc/{adhoc}": {ADMIN},
    "/ops/adhoc/{adhoc}?activeTab=executions": {ADMIN},
    "/ops/executions/{execution}": {ADMIN},
    "/ops/executions/{execution}?activeTab=hosts": {ADMIN},
    "/ops/executions/{execution}?activeTab=log": {ADMIN},
    "/audits/command-execution-log/{command}": {ADMIN, AUDITOR},
    "/audits/command-execution-log/{command}?activeTab=outputs": {ADMIN, AUDITOR},
    "/command-executions?run={command}": {USER},
}


@pytest.fixture(scope="module")
def addresses(world: World) -> dict[str, str]:
    """The ids for the braces in the table above."""
    subprocess.run(world.ssh("true"), check=True, capture_output=True, timeout=30)
    finished = wait_until(lambda: world.sessions(is_finished="1"), message="the session's end being told")
    domain = world.admin.post("/api/v1/assets/domains/", {"name": "Branch office"})["id"]
    gateway = {"name": "branch-gate", "ip": "192.0.2.9", "username": "forward", "password": "copper-Lantern-fence-93"}
    job = world.admin.post(f"/api/v1/assets/assets/{world.asset_id}/tasks/", {"action": "test"})["task"]
    wait_until(
        lambda: not world.admin.get(f"/api/v1/ops/celery/task/{job}/result/")["is_open"], message="the job's end"
    )
    execution = world.admin.get(f"/api/v1/ops/adhoc-executions/{job}/")
    body = {"command": "uptime", "hosts": [world.asset_id], "run_as": world.system_user_id}
    command = world.zhang().post("/api/v1/ops/command-executions/", body)["id"]
    wait_until(
        lambda: world.zhang().get(f"/api/v1/ops/command-executions/{command}/")["is_finished"],
        message="the command's end",
    )
    applications = grant_applications(world.admin, {"users": [world.zhang_id]}, "Crawled")
    service = world.admin.post("/api/v1/users/users/", {"kind": "service", "name": "Build", "username": "build"})["id"]
    return {
        "service": service,
        "service_key": world.admin.post("/api/v1/authentication/service-account-keys/", {"user": service})["id"],
        "execution": job,
        "task": execution["task"],
        "adhoc": execution["adhoc"],
        "command": command,
        "domain": domain,
        "gateway": world.admin.post("/api/v1/assets/gateways/", {**gateway, "domain": domain})["id"],
        "zhang": world.zhang_id,
        "asset": world.asset_id,
        "system_user": world.system_user_id,
        "permission": world.permission_id,
        "group": world.admin.post("/api/v1/users/groups/", {"name": "Wall keepers"})["id"],
        **{resource.path: world.admin.post(resource.url, dict(resource.values))["id"] for resource in PLAIN},
        "session": str(finished[0]["id"]),
        "storage": world.admin.get("/api/v1/terminal/replay-storages/?name=default")[0]["id"],
        "command_storage": world.admin.get("/api/v1/terminal/command-storages/?name=default")[0]["id"],
        **applications,
    }


def grant_applications(admin: Api, who: Mapping[str, list[str]], name: str, comment: str = "") -> dict[str, str]:
    """Make a database and a cluster of this name, and grant the database. Returns the ids for the table above."""
    words = {"name": name, "comment": comment}
    url = "/api/v1/applications/applications/"
    attrs = {"host": "192.0.2.30", "database": "orders"}
    db = admin.post(url, {**words, "category": "db", "type": "mysql", "attrs": attrs})["id"]
    # Names are unique in their organization.
    cluster = {"cluster": "https://192.0.2.40:6443"}
    cloud = admin.post(url, {**words, "name": f"{name} k8s", "category": "cloud", "type": "k8s", "attrs": cluster})[
        "id"
    ]
    account = {
        "name": f"{name} account".replace("@", ""),
        "username": "app",
        "protocol": "mysql",
        "login_mode": "manual",
    }
    system_user = admin.post("/api/v1/assets/system-users/", account)["id"]
    grant = {**words, "category": "db", "type": "mysql", **who, "applications": [db], "system_users": [system_user]}
    permission = admin.post("/api/v1/perms/application-permissions/", grant)["id"]
    return {"db": db, "cloud": cloud, "app_permission": permission}


@pytest.mark.parametrize(
    ("role", "username", "password", "theme"),
    [
        (ADMIN, "admin", ADMIN_PASSWORD, "light"),
        (AUDITOR, "auditor", AUDITOR_PASSWORD, "dark"),
        (USER, "zhang", ZHANG_PASSWORD, "dark"),
    ],
)
def test_every_screen_is_opened_or_refused_without_errors(
    world: World, addresses: dict[str, str], browser: Browser, role: str, username: str, password: str, theme: str
) -> None:
    context = window(browser, color_scheme="dark" if theme == "dark" else "light")
    page = context.new_page()
    faults = Faults(frozenset({404}))  # a session without a terminal has no replay
    faults.watch(page)
    url = world.product.url
    admit(page, url, username, password)
    settled(page, f"{url}/ui/")
    wrong: list[str] = []
    refusals: set[str] = set()
    loaded: set[str] = set()
    for pattern, allowed in (SCREENS | RUN_SCREENS).items():
        # The first role that may open a screen loads it once as from a bookmark. A link leads to its other tabs, and to
        # the screens of the others.
        screen = pattern.partition("?")[0]
        is_first = role in allowed and role == min(allowed, key=ROLES.index) and screen not in loaded
        loaded.add(screen)
        (settled if is_first else moved)(page, f"{url}/ui{pattern.format(**addresses)}")
        page.get_by_role("heading", level=1).first.wait_for(state="attached")
        title, headings, mains, name = page.evaluate(LOOK)
        refused = "cannot open" in title or "needs a licence" in title
        if refused == (role in allowed):
            wrong.append(f"{pattern}: {'refused' if refused else 'opened'} as {title!r}")
        if (headings, mains) != (1, 1):
            wrong.append(f"{pattern}: {headings} h1, {mains} main")
        if not name:
            wrong.append(f"{pattern}: no title")
        # All refusals show the same page. Its accessibility is checked once for each kind of refusal.
        if not refused or title not in refusals:
            wrong += axe_findings(page)
        if refused:
            refusals.add(title)
    context.close()
    assert wrong + faults.found == []


def test_no_screen_scrolls_sideways_at_320_px(world: World, addresses: dict[str, str], browser: Browser) -> None:
    context = window(browser, locale="zh-CN", viewport={"width": 320, "height": 720})
    page = context.new_page()
    admit(page, world.product.url, "admin", ADMIN_PASSWORD)
    settled(page, f"{world.product.url}/ui/")
    wide = []
    for pattern, allowed in (SCREENS | RUN_SCREENS).items():
        if ADMIN in allowed:
            moved(page, f"{world.product.url}/ui{pattern.format(**addresses)}")
            width = page.evaluate("document.documentElement.scrollWidth")
            if width > 320:
                wide.append(f"{pattern}: {width} px")
    context.close()
    assert not wide, wide
