"""Accounts of system users with auto push are created by jobs that changes start."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from factories.jobs import ended
from peers.own_accounts import HostWithAccounts
from peers.sshd import Sshd
from postern.apps.assets import facade
from postern.apps.assets.models import Asset, Node
from postern.apps.assets.nodes.actions import root_of
from postern.apps.jobs.engine.dispatcher import Dispatcher
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.executions.models import HostOutcome
from postern.apps.jobs.hosts.link import RunnerLink
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUserAsset
from postern.kernel.ids import DEFAULT_ORG_ID

API = "/api/v1/assets/"
SYSTEM_USERS = f"{API}system-users/"
ON_ASSETS = f"{API}system-users-assets-relations/"
ON_NODES = f"{API}system-users-nodes-relations/"
OF_USERS = f"{API}system-users-users-relations/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def post(as_org_admin: APIClient) -> Callable[..., str]:
    def make(path: str, **body: Any) -> str:
        answer = as_org_admin.post(path, body, format="json")
        assert answer.status_code == 201, answer.content
        return str(answer.json()["id"])

    return make


@pytest.fixture
def admin(post: Callable[..., str]) -> str:
    return post(f"{API}admin-users/", name="root", username="root", password="canary")


@pytest.fixture
def asset(post: Callable[..., str], admin: str) -> Callable[..., str]:
    def make(hostname: str, **fields: Any) -> str:
        body = {"ip": "203.0.113.7", "platform": "Linux", "protocols": ["ssh/22"], "admin_user": admin, **fields}
        return post(f"{API}assets/", hostname=hostname, **body)

    return make


@pytest.fixture
def deploy(post: Callable[..., str]) -> Callable[..., str]:
    """Makes a system user with auto push."""

    def make(name: str = "deploy", **fields: Any) -> str:
        body = {"name": name, "username": name, "password": "canary", "auto_push": True, **fields}
        return post(SYSTEM_USERS, **body)

    return make


@pytest.fixture
def node(post: Callable[..., str]) -> Callable[..., str]:
    def make(value: str, below: UUID | str | None = None) -> str:
        parent = below or root_of(DEFAULT_ORG_ID).pk
        return post(f"{API}nodes/{parent}/children/", value=value)

    return make


def pushes() -> list[set[tuple[str, str]]]:
    """Hostname and account of each push that was started, by job, oldest first."""
    jobs = Job.objects.filter(kind="accounts.push").order_by("date_created", "id")
    rows = HostOutcome.objects.values_list("execution_id", "hostname", "username")
    return [{(host, name) for job_id, host, name in rows if job_id == job.pk} for job in jobs]


def test_binding_assets_starts_one_push_as_the_person_who_bound_them(
    as_org_admin: APIClient, asset: Callable[..., str], deploy: Callable[..., str], people: dict[str, User],
) -> None:  # fmt: skip
    user = deploy()
    assets = [asset("web-1"), asset("web-2"), asset("web-3")]
    asset("other")
    body = [{"systemuser": user, "asset": one} for one in assets]
    assert as_org_admin.post(ON_ASSETS, body, format="json").status_code == 201
    assert pushes() == [{("web-1", "deploy"), ("web-2", "deploy"), ("web-3", "deploy")}]
    job = Job.objects.get()
    assert job.created_by_id == people["org_admin"].pk
    listed = as_org_admin.get("/api/v1/ops/tasks/").json()
    assert [row["created_by"] for row in listed] == [job.created_by]
    # Bound already: nothing is new.
    as_org_admin.post(ON_ASSETS, body, format="json")
    assert len(pushes()) == 1


def test_change_stays_when_what_it_affects_was_deleted_meanwhile(
    as_org_admin: APIClient, asset: Callable[..., str], deploy: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    user, gone, kept = deploy(), asset("gone"), asset("kept")
    real = facade.asset_briefs
    # As another request sees the assets that was committed between the two reads of this one.
    monkeypatch.setattr(facade, "asset_briefs", lambda ids: real(set(ids) - {UUID(gone)}))
    answer = as_org_admin.post(ON_ASSETS, {"systemuser": user, "asset": gone}, format="json")
    assert answer.status_code == 201, answer.content
    assert SystemUserAsset.objects.filter(systemuser_id=user, asset_id=gone).exists()
    assert pushes() == []
    assert as_org_admin.post(ON_ASSETS, {"systemuser": user, "asset": kept}, format="json").status_code == 201
    assert pushes() == [{("kept", "deploy")}]


def test_many_assets_are_one_job(
    as_org_admin: APIClient, admin: str, deploy: Callable[..., str],
) -> None:  # fmt: skip
    hosts = [
        {"hostname": f"h{n}", "ip": "203.0.113.7", "platform": "Linux", "protocols": ["ssh/22"], "admin_user": admin}
        for n in range(250)
    ]
    made = as_org_admin.post(f"{API}assets/", hosts, format="json").json()
    user = deploy()
    body = [{"systemuser": user, "asset": row["id"]} for row in made]
    assert as_org_admin.post(ON_ASSETS, body, format="json").status_code == 201
    assert [len(push) for push in pushes()] == [250]


@pytest.mark.parametrize(
    "fields",
    [
        {"auto_push": False},
        {"login_mode": "manual"},
        {"protocol": "rdp"},
        {"protocol": "vnc"},
        {"protocol": "telnet"},
        {"protocol": "mysql"},
        {"type": "admin"},
    ],
    ids=str,
)
def test_what_is_not_pushed(
    fields: dict[str, Any], as_org_admin: APIClient, asset: Callable[..., str], deploy: Callable[..., str],
) -> None:  # fmt: skip
    user, host = deploy(**fields), asset("web-1")
    as_org_admin.post(ON_ASSETS, {"systemuser": user, "asset": host}, format="json")
    as_org_admin.post(ON_NODES, {"systemuser": user, "node": str(root_of(DEFAULT_ORG_ID).pk)}, format="json")
    as_org_admin.patch(f"{SYSTEM_USERS}{user}/", {"password": "other canary"}, format="json")
    assert pushes() == []


def test_windows_assets_are_pushed_to_over_winrm_and_those_alone_with_rdp(
    as_org_admin: APIClient, asset: Callable[..., str], deploy: Callable[..., str],
) -> None:  # fmt: skip
    assets = [
        asset("unix"),
        asset("unix-winrm", protocols=["winrm/5986"]),
        asset("win-ssh", platform="Windows"),
        asset("win-winrm", platform="Windows2016", protocols=["rdp/3389", "winrm/5986"]),
        asset("win-rdp", platform="Windows", protocols=["rdp/3389"]),
    ]
    for user in (deploy("deploy"), deploy("desk", protocol="rdp")):
        body = [{"systemuser": user, "asset": one} for one in assets]
        assert as_org_admin.post(ON_ASSETS, body, format="json").status_code == 201
    assert pushes() == [
        {("unix", "deploy"), ("win-ssh", "deploy"), ("win-winrm", "deploy")},
        {("win-ssh", "desk"), ("win-winrm", "desk")},
    ]


@pytest.mark.parametrize("fields", [{"is_active": False}, {"admin_user": None}, {"protocols": ["rdp/3389"]}], ids=str)
def test_assets_without_a_way_to_push_are_left_out(
    fields: dict[str, Any], as_org_admin: APIClient, asset: Callable[..., str], deploy: Callable[..., str],
) -> None:  # fmt: skip
    user = deploy()
    body = [{"systemuser": user, "asset": one} for one in (asset("web-1"), asset("web-2", **fields))]
    as_org_admin.post(ON_ASSETS, body, format="json")
    assert pushes() == [{("web-1", "deploy")}]


def test_binding_a_node_pushes_to_all_assets_below_it(
    as_org_admin: APIClient, asset: Callable[..., str], deploy: Callable[..., str], node: Callable[..., str],
) -> None:  # fmt: skip
    parent = node("web")
    child = node("blue", parent)
    asset("web-1", nodes=[parent])
    asset("web-2", nodes=[child])
    asset("db-1")
    as_org_admin.post(ON_NODES, {"systemuser": deploy(), "node": parent}, format="json")
    assert pushes() == [{("web-1", "deploy"), ("web-2", "deploy")}]


def test_assets_that_come_below_a_bound_node_get_the_accounts_of_the_node(
    as_org_admin: APIClient, asset: Callable[..., str], deploy: Callable[..., str], node: Callable[..., str],
) -> None:  # fmt: skip
    web, elsewhere = node("web"), node("elsewhere")
    blue = node("blue", web)
    for name in ("deploy", "audit"):
        as_org_admin.post(ON_NODES, {"systemuser": deploy(name), "node": web}, format="json")
    # A new one: two system users, one job.
    made = asset("new", nodes=[blue])
    assert pushes() == [{("new", "deploy"), ("new", "audit")}]
    # Moved inside: it has the accounts already.
    as_org_admin.patch(f"{API}assets/{made}/", {"nodes": [web]}, format="json")
    as_org_admin.put(f"{API}nodes/{blue}/assets/add/", {"assets": [made]}, format="json")
    assert len(pushes()) == 1
    # Moved in from outside, by its form and by the node.
    for number, place in enumerate(("form", "add", "replace")):
        host = asset(place, nodes=[elsewhere])
        if place == "form":
            as_org_admin.patch(f"{API}assets/{host}/", {"nodes": [blue]}, format="json")
        else:
            as_org_admin.put(f"{API}nodes/{blue}/assets/{place}/", {"assets": [host]}, format="json")
        assert pushes()[1 + number :] == [{(place, "deploy"), (place, "audit")}]


def test_node_that_moves_below_a_bound_node_brings_its_assets(
    as_org_admin: APIClient, asset: Callable[..., str], deploy: Callable[..., str], node: Callable[..., str],
) -> None:  # fmt: skip
    web, blue = node("web"), node("blue")
    asset("web-1", nodes=[blue])
    as_org_admin.post(ON_NODES, {"systemuser": deploy(), "node": web}, format="json")
    assert pushes() == []
    answer = as_org_admin.put(f"{API}nodes/{web}/children/add/", {"nodes": [blue]}, format="json")
    assert answer.status_code == 200, answer.content
    assert pushes() == [{("web-1", "deploy")}]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"password": "another canary"}, 1),
        ({"shell": "/bin/sh"}, 1),
        ({"password": ""}, 0),
        ({"comment": "only words"}, 0),
        ({"auto_push": False, "password": "another canary"}, 0),
    ],
    ids=str,
)
def test_changed_account_is_pushed_to_its_assets_and_those_of_its_nodes(
    *, changes: dict[str, Any], expected: int, as_org_admin: APIClient, asset: Callable[..., str],
    deploy: Callable[..., str], node: Callable[..., str],
) -> None:  # fmt: skip
    web = node("web")
    user, direct = deploy(auto_push=False), asset("direct")
    asset("below", nodes=[web])
    as_org_admin.post(ON_ASSETS, {"systemuser": user, "asset": direct}, format="json")
    as_org_admin.post(ON_NODES, {"systemuser": user, "node": web}, format="json")
    as_org_admin.patch(f"{SYSTEM_USERS}{user}/", {"auto_push": True}, format="json")
    both = {("direct", "deploy"), ("below", "deploy")}
    assert pushes() == [both]
    # The first has started: a change after that has to be pushed again.
    Job.objects.update(state=JobState.RUNNING)
    as_org_admin.patch(f"{SYSTEM_USERS}{user}/", changes, format="json")
    assert pushes() == [both] * (1 + expected)
    # The second waits, so a third change is part of it.
    as_org_admin.patch(f"{SYSTEM_USERS}{user}/", changes | ({"password": "third"} if expected else {}), format="json")
    assert len(pushes()) == 1 + expected


def test_system_user_with_dynamic_username_is_pushed_for_each_of_its_users(
    as_org_admin: APIClient, asset: Callable[..., str], deploy: Callable[..., str],
    people: dict[str, User],
) -> None:  # fmt: skip
    user = deploy(username_same_with_user=True)
    as_org_admin.post(ON_ASSETS, {"systemuser": user, "asset": asset("web-1")}, format="json")
    assert pushes() == []
    member = people["user"]
    answer = as_org_admin.post(OF_USERS, {"systemuser": user, "user": str(member.pk)}, format="json")
    assert answer.status_code == 201, answer.content
    assert pushes() == [{("web-1", member.username)}]


def test_refused_write_starts_nothing(
    as_org_admin: APIClient, asset: Callable[..., str], deploy: Callable[..., str],
) -> None:  # fmt: skip
    body = [
        {"systemuser": deploy(), "asset": asset("web-1")},
        {"systemuser": "00000000-0000-0000-0000-00000000dead", "asset": str(Asset.objects.get().pk)},
    ]
    assert as_org_admin.post(ON_ASSETS, body, format="json").status_code == 400
    assert not SystemUserAsset.objects.exists()
    assert pushes() == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("S3-038")
def test_host_has_the_account_soon_after_the_binding_and_the_new_password_after_its_change(
    *, as_org_admin: APIClient, hosts: Hosts, runner: RunnerLink, make_asset: Callable[..., str],
    admin_of: Callable[[Sshd], str], deploy: Callable[..., str],
) -> None:  # fmt: skip
    worker = Dispatcher(settings.POSTERN.home, "worker", poll_s=0.05)
    worker.start()
    try:
        host = hosts.begin(HostWithAccounts(hosts.folder / "host"))
        parent = str(Node.objects.get(parent__isnull=True, org_id=DEFAULT_ORG_ID).pk)
        user = deploy(auto_generate_key=True)
        as_org_admin.post(ON_NODES, {"systemuser": user, "node": parent}, format="json")
        make_asset("web-1", host.port, admin_user=admin_of(host))
        assert ended(Job.objects.get()).state == JobState.SUCCEEDED
        before = host.run("getent shadow deploy").split(":")[1]
        as_org_admin.patch(f"{SYSTEM_USERS}{user}/", {"password": "changed canary"}, format="json")
        assert ended(Job.objects.latest("date_created")).state == JobState.SUCCEEDED
        assert host.run("getent shadow deploy").split(":")[1] not in {before, "!", "*"}
    finally:
        worker.stop()
