"""K3 (stored text runs nowhere): no screen runs stored text, and the content security policy never has to block it."""

from collections.abc import Iterator
from typing import Final

import pytest
from accessibility import moved, settled
from browser import Faults, admit, window
from playwright.sync_api import Browser, BrowserContext, Page
from product import ADMIN_PASSWORD, Api, Product, mute_load_messages, wait_until
from test_console_crawl import ADMIN, SCREENS, grant_applications

from declarations import PLAIN

#: Each payload calls `ran()`, which the page defines.
CORPUS: Final = (
    "<script>ran()</script>",
    "<img src=x onerror=ran()>",
    "<svg/onload=ran()>",
    "<svg><script>ran()</script></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=ran()>",
    '"><iframe srcdoc="<script>parent.ran()</script>">',
    "<details open ontoggle=ran()>",
    "<a href='javascript:ran()'>a</a>",
    "javascript:ran()//",
    "'-ran()-'",
    "${ran()}{{ran()}}{{constructor.constructor('ran()')()}}",
    "<input autofocus onfocus=ran()>",
    "<body onload=ran()>",
    "<style>@import 'javascript:ran()';</style>",
    "</title><script>ran()</script>",
    "<noscript><p title='</noscript><img src=x onerror=ran()>'>",
    "<!--><img src=x onerror=ran()>-->",
    "<template><script>ran()</script></template>",
    "<b onmouseover=ran()>x",
    "<object data='data:text/html,<script>ran()</script>'>",
)

WITNESS: Final = """
try { localStorage.setItem('tableConfig', JSON.stringify({paginationSize: 100})); } catch { /* a page without storage */ }
window.__ran = 0; window.ran = () => { window.__ran += 1; };
window.__violations = [];
document.addEventListener('securitypolicyviolation',
  (event) => window.__violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""


#: Fields of plain resources that take one of a few values or follow a grammar, so that no text can be stored in them.
CHOICES = frozenset({"unresolved", "crontab"})


def store_everywhere(admin: Api) -> dict[str, str]:
    """Fill every text field that an administrator can store with the corpus. Returns an id of each kind."""
    nodes = admin.get("/api/v1/assets/nodes/")
    made: dict[str, str] = {}
    for number, payload in enumerate(CORPUS):
        plain = f"k3-{number}"
        asset = admin.post(
            "/api/v1/assets/assets/",
            {
                "hostname": payload,
                "ip": "192.0.2.7",
                "platform": "Linux",
                "protocols": ["ssh/22"],
                "comment": payload,
            },
        )
        system_user = admin.post(
            "/api/v1/assets/system-users/",
            {
                "name": payload.replace("@", ""),
                "username": "root",
                "protocol": "ssh",
                "login_mode": "manual",
                "comment": payload,
            },
        )
        group = admin.post("/api/v1/users/groups/", {"name": payload, "comment": payload})
        user = admin.post(
            "/api/v1/users/users/",
            {
                "name": payload,
                "username": plain,
                "email": f"{plain}@example.invalid",
                "groups": [group["id"]],
                "comment": payload,
                "wechat": payload[:128],
                "password_strategy": "custom",
                "password": f"stone-Wall-{number}-lantern",
            },
        )
        service = admin.post(
            "/api/v1/users/users/",
            {"kind": "service", "name": payload, "username": f"{plain}-service", "comment": payload},
        )
        service_key = admin.post(
            "/api/v1/authentication/service-account-keys/", {"user": service["id"], "comment": payload[:128]}
        )
        permission = admin.post(
            "/api/v1/perms/asset-permissions/",
            {
                "name": payload,
                "users": [user["id"]],
                "user_groups": [group["id"]],
                "assets": [asset["id"]],
                "system_users": [system_user["id"]],
                "comment": payload,
            },
        )
        admin.call(
            "POST",
            f"/api/v1/assets/nodes/{nodes[0]['id']}/children/",
            {"value": payload},
        )
        text = payload.replace(":", "").replace("#", "")
        plain_ids = {
            resource.path: admin.post(
                resource.url,
                {
                    name: text if isinstance(value, str) and name not in CHOICES else value
                    for name, value in resource.values.items()
                },
            )["id"]
            for resource in PLAIN
        }
        domain = admin.post("/api/v1/assets/domains/", {"name": payload, "comment": payload})
        gateway = admin.post(
            "/api/v1/assets/gateways/",
            {
                "name": payload,
                "ip": "192.0.2.8",
                "username": "forward",
                "domain": domain["id"],
                "comment": payload[:128],
            },
        )
        storage = admin.post(
            "/api/v1/terminal/replay-storages/",
            {
                "name": payload,
                "type": "s3",
                "meta": {"BUCKET": "records", "ENDPOINT": "http://127.0.0.1:9", "ACCESS_KEY": "a", "SECRET_KEY": "b"},
                "comment": payload,
            },
        )
        changes = {"labels": [plain_ids["assets/labels"]], "domain": domain["id"]}
        admin.patch(f"/api/v1/assets/assets/{asset['id']}/", changes)
        admin.post(
            "/api/v1/notifications/site-message/send/",
            {
                "user_ids": [],
                "group_ids": [],
                "is_broadcast": True,
                "subject": payload,
                "message": f"stored<p>{payload}</p>",
            },
            200,
        )
        # Failed sign-ins store the typed names, too.
        Api(admin.url).call(
            "POST",
            "/api/v1/authentication/sign-in/",
            {"username": payload[:128], "password": "x"},
            {"User-Agent": payload.encode("ascii", "ignore").decode()},
        )
        made = {
            "asset": asset["id"],
            "system_user": system_user["id"],
            "group": group["id"],
            **plain_ids,
            "domain": domain["id"],
            "gateway": gateway["id"],
            "zhang": user["id"],
            "service": service["id"],
            "service_key": service_key["id"],
            "storage": storage["id"],
            "command_storage": admin.get("/api/v1/terminal/command-storages/?name=default")[0]["id"],
            "permission": permission["id"],
            **grant_applications(
                admin, {"users": [user["id"]], "user_groups": [group["id"]]}, payload[:110], payload[:128]
            ),
        }
    return made


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = window(browser)
    context.add_init_script(WITNESS)
    yield context
    context.close()


def seen(page: Page) -> tuple[int, list[str]]:
    """How often a payload ran, and what the policy blocked, since the last call."""
    count, violations = page.evaluate(
        "() => { const seen = [window.__ran, window.__violations]; window.__ran = 0; window.__violations = []; return seen; }"
    )
    return count, violations


def test_witness_detects_a_payload_that_runs(context: BrowserContext) -> None:
    page = context.new_page()
    page.goto("about:blank")
    page.evaluate("document.body.innerHTML = '<img src=x onerror=ran()>'")
    page.wait_for_function("window.__ran === 1")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A separate Postern, because the stored texts would disturb all other tests."""
    with Product(tmp_path_factory.mktemp("hostile") / "home") as running:
        mute_load_messages(running.api())  # they would take places of the stored messages on their page
        yield running


def test_k3_stored_texts_run_on_no_screen(hostile: Product, context: BrowserContext) -> None:
    made = store_everywhere(hostile.api())
    page = context.new_page()
    faults = Faults(frozenset({404}))
    faults.watch(page)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    url = hostile.url
    admit(page, url, "admin", ADMIN_PASSWORD)
    settled(page, f"{url}/ui/users/users")  # with the texts in what the frame of all screens shows
    executed: list[str] = []
    reported = 0
    for pattern, allowed in SCREENS.items():
        if ADMIN not in allowed or "{session}" in pattern:
            continue
        address = pattern.format(**made)
        # The document is the same for all screens, and `test_console_crawl` loads each anew.
        moved(page, f"{url}/ui{address}")
        if "site-messages" in address:  # their HTML is rendered when they are opened
            while (closed := page.locator("main [aria-expanded=false]")).count():
                closed.first.click()
            wait_until(
                lambda: page.get_by_text("stored").count() >= 15,
                message="what the messages say",
            )
        reported += page.get_by_text("<script>ran()</script>").count() > 0
        count, violations = seen(page)
        if count or violations:
            executed.append(f"{address}: {count} ran, {violations}")
    assert executed + dialogs + faults.found == []
    assert reported >= 8, "the texts are not on the screens"
