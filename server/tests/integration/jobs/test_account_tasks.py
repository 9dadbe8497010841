"""Testing accounts on a real SSH server: each signs in with its own secret or that of its system user."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from peers.sshd import Sshd
from postern.apps.jobs.account_tasks import api as account_tasks
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.executions.models import HostOutcome
from postern.kernel.ids import ROOT_ORG_ID

ACCOUNTS = "/api/v1/assets/accounts/"
RELATIONS = "/api/v1/assets/system-users-assets-relations/"
SYSTEM_USERS = "/api/v1/assets/system-users/"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def host(hosts: Hosts) -> Sshd:
    return hosts.begin(Sshd(hosts.folder / "host"))


@pytest.fixture
def accounts(as_org_admin: APIClient, host: Sshd, make_asset: Callable[..., str]) -> dict[str, str]:
    """Three accounts on one host: of a system user with a wrong password, the same on a second asset with an own key,
    and one without a system user.
    """
    body = {"name": "stale", "username": host.login, "protocol": "ssh", "password": "wrong"}
    system_user = as_org_admin.post(SYSTEM_USERS, body).json()["id"]
    key = host.client_key.read_text()
    first, second = make_asset("web-1", host.port), make_asset("web-2", host.port)
    made = {
        name: as_org_admin.post(RELATIONS, {"asset": asset, "systemuser": system_user}).json()["id"]
        for name, asset in (("shared", first), ("own", second))
    }
    assert as_org_admin.patch(f"{ACCOUNTS}{made['own']}/", {"private_key": key}).status_code == 200
    alone = {"asset": first, "systemuser": None, "username": host.login, "private_key": key}
    return {**made, "alone": as_org_admin.post(ACCOUNTS, alone).json()["id"], "system_user": system_user}


def states(client: APIClient) -> dict[str, str]:
    return {row["id"]: row["connectivity"] for row in client.get(ACCOUNTS).json()}


def test_one_account_is_verified_with_its_own_secret(
    run: Callable[..., Job], as_org_admin: APIClient, accounts: dict[str, str]
) -> None:
    job = run(f"{ACCOUNTS}{accounts['own']}/verify/", expects=200, action="test")
    assert job.state == JobState.SUCCEEDED, HostOutcome.objects.get().message
    row = as_org_admin.get(f"{ACCOUNTS}{accounts['own']}/").json()
    assert (row["connectivity"], row["date_verified"] is not None) == ("ok", True)
    assert states(as_org_admin)[accounts["shared"]] == "unknown"


def test_matching_accounts_are_tested_each_with_the_secret_that_sessions_use(
    run: Callable[..., Job], as_org_admin: APIClient, accounts: dict[str, str]
) -> None:
    job = run(f"{ACCOUNTS}tasks/?systemuser={accounts['system_user']}", action="test")
    assert HostOutcome.objects.filter(execution_id=job.pk).count() == 2
    found = states(as_org_admin)
    assert [found[accounts[name]] for name in ("shared", "own", "alone")] == ["failed", "ok", "unknown"]
    run(f"{ACCOUNTS}tasks/?hostname=web-1&ids={accounts['alone']}", action="test")
    assert states(as_org_admin)[accounts["alone"]] == "ok"


def test_only_visible_accounts_up_to_a_limit_are_tested(
    as_org_admin: APIClient, as_admin: APIClient, accounts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def post(query: str, client: APIClient = as_org_admin, **more: Any) -> Any:
        return client.post(f"{ACCOUNTS}tasks/?{query}", {"action": "test"}, **more)

    assert post(f"ids={accounts['system_user']}").status_code == 400  # nothing matches
    assert post("asset=nonsense").status_code == 400
    assert as_org_admin.post(f"{ACCOUNTS}tasks/", {"action": "push"}).status_code == 400
    assert post("", as_admin, headers={"X-JMS-ORG": str(ROOT_ORG_ID)}).status_code == 400
    monkeypatch.setattr(account_tasks, "MAX_HOSTS", 2)
    assert post("").json()["code"] == "too_many_hosts"
    assert not Job.objects.exists()
