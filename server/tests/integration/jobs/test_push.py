"""Pushing and testing the accounts of system users on hosts with accounts of their own."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from factories.secret_stores import secrets_in, vault_settings
from peers.own_accounts import HostWithAccounts
from peers.sshd import Sshd
from peers.vault_server import Vault, serving
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.executions.models import HostOutcome, HostResult
from postern.apps.jobs.logs.files import LogReader
from postern.apps.vault.models import SystemUserAsset
from postern.apps.vault.sealed_secrets.vault_kv2 import VaultDocuments
from postern.foundation.configuration.secret_store import SecretStore
from postern.kernel.secret import Secret

SYSTEM_USERS = "/api/v1/assets/system-users/"
RELATIONS = "/api/v1/assets/system-users-assets-relations/"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def host(hosts: Hosts) -> HostWithAccounts:
    return hosts.begin(HostWithAccounts(hosts.folder / "host"))


@pytest.fixture
def make_system_user(as_org_admin: APIClient) -> Callable[..., str]:
    """Makes a system user that is bound to the asset `on`."""

    def make(name: str, on: str, **fields: Any) -> str:
        body = {
            "name": name,
            "username": name,
            "protocol": "ssh",
            "auto_generate_key": True,
            "auto_push": False,
            **fields,
        }
        answer = as_org_admin.post(SYSTEM_USERS, body, format="json")
        assert answer.status_code == 201, answer.content
        user = str(answer.json()["id"])
        bound = as_org_admin.post(RELATIONS, {"systemuser": user, "asset": on}, format="json")
        assert bound.status_code == 201, bound.content
        return user

    return make


@pytest.fixture
def asset_id(host: HostWithAccounts, make_asset: Callable[..., str], admin_of: Callable[[Sshd], str]) -> str:
    return make_asset("web-1", host.port, admin_user=admin_of(host))


def outcome(job: Job) -> HostOutcome:
    found: HostOutcome = HostOutcome.objects.get(execution_id=job.pk)
    return found


def test_account_is_created_with_key_groups_and_sudo_and_is_proved_by_a_sign_in(
    run: Callable[..., Job], host: HostWithAccounts, make_system_user: Callable[..., str], asset_id: str,
) -> None:  # fmt: skip
    host.run("groupadd ops; groupadd web")
    user = make_system_user(
        "deploy", asset_id, system_groups="ops, web", sudo="/bin/whoami, /bin/ls", home="/home/deployer"
    )
    job = run(f"{SYSTEM_USERS}{user}/tasks/", action="push")
    assert (job.state, outcome(job).message) == (JobState.SUCCEEDED, "")
    passwd = host.run("getent passwd deploy").strip().split(":")
    assert passwd[5:] == ["/home/deployer", "/bin/bash"]
    assert set(host.run("id -nG deploy").split()) >= {"ops", "web"}
    assert host.run("cat /etc/sudoers.d/postern-deploy") == "deploy ALL=(ALL) NOPASSWD: /bin/whoami, /bin/ls\n"
    assert host.run("stat -c %a /etc/sudoers.d/postern-deploy /home/deployer/.ssh/authorized_keys").split() == [
        "440",
        "600",
    ]
    assert "Accepted publickey for deploy" in host.log
    account = SystemUserAsset.objects.get(systemuser_id=user)
    assert (account.connectivity, account.date_verified is not None) == ("ok", True)


def test_pushing_again_changes_nothing_and_replaces_only_our_key(
    run: Callable[..., Job], host: HostWithAccounts, make_system_user: Callable[..., str], asset_id: str,
) -> None:  # fmt: skip
    user = make_system_user("deploy", asset_id)
    run(f"{SYSTEM_USERS}{user}/tasks/", action="push")
    host.run("echo 'ssh-ed25519 AAAA somebody@else' >> ~deploy/.ssh/authorized_keys")
    before = host.run("getent passwd deploy; id deploy; cat /etc/sudoers.d/postern-deploy")
    job = run(f"{SYSTEM_USERS}{user}/tasks/", action="push")
    assert job.state == JobState.SUCCEEDED
    assert host.run("getent passwd deploy; id deploy; cat /etc/sudoers.d/postern-deploy") == before
    keys = host.run("cat ~deploy/.ssh/authorized_keys").splitlines()
    assert [line.split()[-1] for line in keys] == ["somebody@else", f"postern:{user}"]


def test_wrong_sudo_line_is_refused_and_the_old_one_stays(
    run: Callable[..., Job], as_org_admin: APIClient, host: HostWithAccounts, make_system_user: Callable[..., str],
    asset_id: str,
) -> None:  # fmt: skip
    user = make_system_user("deploy", asset_id, sudo="/bin/ls")
    run(f"{SYSTEM_USERS}{user}/tasks/", action="push")
    as_org_admin.patch(f"{SYSTEM_USERS}{user}/", {"sudo": "no path at all ("}, format="json")
    job = run(f"{SYSTEM_USERS}{user}/tasks/", action="push")
    assert (job.state, "sudo rule could not be stored" in outcome(job).message) == (JobState.FAILED, True)
    assert host.run("cat /etc/sudoers.d/postern-deploy") == "deploy ALL=(ALL) NOPASSWD: /bin/ls\n"
    assert host.run("ls /etc/sudoers.d").split() == ["README", "postern-deploy"]


@pytest.mark.parametrize("name", ["root", "daemon"])
def test_accounts_of_the_system_are_left_alone(
    name: str, run: Callable[..., Job], host: HostWithAccounts, make_system_user: Callable[..., str], asset_id: str,
) -> None:  # fmt: skip
    before = host.run(f"getent passwd {name}; getent shadow {name}; ls -A ~{name}")
    user = make_system_user(name, asset_id)
    job = run(f"{SYSTEM_USERS}{user}/tasks/", action="push")
    assert (job.state, "belongs to the system" in outcome(job).message) == (JobState.FAILED, True)
    assert host.run(f"getent passwd {name}; getent shadow {name}; ls -A ~{name}") == before


def test_link_in_the_home_folder_does_not_lead_root_elsewhere(
    run: Callable[..., Job], host: HostWithAccounts, make_system_user: Callable[..., str], asset_id: str,
) -> None:  # fmt: skip
    host.run("useradd -m deploy && mkdir /root/.held && ln -s /root/.held ~deploy/.ssh")
    user = make_system_user("deploy", asset_id)
    try:
        job = run(f"{SYSTEM_USERS}{user}/tasks/", action="push")
        assert (job.state, "is a link" in outcome(job).message) == (JobState.FAILED, True)
        assert host.run("ls -A /root/.held") == ""
    finally:
        host.run("rmdir /root/.held")


def test_no_secret_is_in_arguments_logs_and_rows(
    run: Callable[..., Job], host: HostWithAccounts, make_system_user: Callable[..., str], asset_id: str, settings: Any,
) -> None:  # fmt: skip
    secret = "s3cr:t \"$(id)' ü"
    user = make_system_user("deploy", asset_id, auto_generate_key=False, password=secret)
    job = run(f"{SYSTEM_USERS}{user}/tasks/", action="push")
    log = LogReader(settings.POSTERN.home, job.pk).read(0, 100_000).decode()
    row = outcome(job)
    assert secret not in f"{log} {job.argument} {row.facts} {row.message} {host.log}"
    # The host has the password: crypt answers the stored hash for it.
    assert host.run("getent shadow deploy").split(":")[1].startswith("$")


def test_admin_that_is_not_root_uses_sudo_with_and_without_a_password(
    run: Callable[..., Job], as_org_admin: APIClient, host: HostWithAccounts, make_system_user: Callable[..., str],
    make_asset: Callable[..., str],
) -> None:  # fmt: skip
    host.run("useradd -m ops && echo 'ops:let me in' | chpasswd && mkdir ~ops/.ssh && chown ops ~ops/.ssh")
    host.run(f"cp {host.client_key}.pub ~ops/.ssh/authorized_keys && chown ops ~ops/.ssh/authorized_keys")
    body = {
        "name": "ops", "username": "ops", "type": "admin", "password": "let me in",
        "private_key": host.client_key.read_text(),
    }  # fmt: skip
    admin = as_org_admin.post("/api/v1/assets/admin-users/", body, format="json").json()["id"]
    asset = make_asset("web-2", host.port, admin_user=admin)
    user = make_system_user("deploy", asset)
    refused = outcome(run(f"{SYSTEM_USERS}{user}/tasks/", action="push"))
    assert (refused.result, "may not become root" in refused.message) == (HostResult.ROOT_REFUSED, True)
    for rule in ("ops ALL=(ALL) ALL", "ops ALL=(ALL) NOPASSWD: ALL"):
        host.run(
            f"echo '{rule}' > /etc/sudoers.d/ops && chmod 440 /etc/sudoers.d/ops; userdel -r deploy 2>/dev/null || true"
        )
        assert outcome(run(f"{SYSTEM_USERS}{user}/tasks/", action="push")).message == ""
        assert host.run("id -u deploy").strip().isdigit()


def test_test_of_accounts_says_which_work(
    run: Callable[..., Job], host: HostWithAccounts, make_system_user: Callable[..., str], asset_id: str,
) -> None:  # fmt: skip
    good = make_system_user("good", asset_id)
    make_system_user("bad", asset_id)
    run(f"{SYSTEM_USERS}{good}/tasks/", action="push")
    job = run(f"/api/v1/assets/assets/{asset_id}/tasks/", action="test_system_user")
    assert job.outcome_values == {"total": 2, "succeeded": 1, "failed": 1}
    rows = dict(SystemUserAsset.objects.values_list("systemuser__name", "connectivity"))
    assert rows == {"good": "ok", "bad": "failed"}


def test_what_cannot_be_pushed_is_told_before_anything_is_sent(
    run: Callable[..., Job], host: HostWithAccounts, make_system_user: Callable[..., str], asset_id: str,
) -> None:  # fmt: skip
    for number, fields in enumerate(({"username": "Deploy"}, {"home": "relative"}, {"system_groups": "a;b"})):
        user = make_system_user(f"user{number}", asset_id, **fields)
        row = outcome(run(f"{SYSTEM_USERS}{user}/tasks/", action="push"))
        assert (row.result, bool(row.message)) == (HostResult.REFUSED, True)
    assert "Accepted publickey for root" not in host.log


def test_job_is_refused_with_the_reason_while_the_secret_store_is_down(
    run: Callable[..., Job], make_system_user: Callable[..., str], asset_id: str,
) -> None:  # fmt: skip
    vault = Vault()
    with serving(vault) as address, secrets_in(SecretStore.VAULT_KV2, vault_settings(address)):
        user = make_system_user("deploy", asset_id, password="Secret-of-deploy-1")
        vault.sealed = True
        job = run(f"{SYSTEM_USERS}{user}/tasks/", action="push")
    assert job.state != JobState.SUCCEEDED
    assert "secret store cannot be reached, because it is sealed" in outcome(job).message


def test_secrets_of_jobs_are_read_outside_of_transactions(
    run: Callable[..., Job], make_system_user: Callable[..., str], asset_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[bool] = []
    real = VaultDocuments.open

    def noting(self: VaultDocuments, *values: Any) -> Secret:
        reads.append(connection.in_atomic_block)
        return real(self, *values)

    monkeypatch.setattr(VaultDocuments, "open", noting)
    with serving(Vault()) as address, secrets_in(SecretStore.VAULT_KV2, vault_settings(address)):
        user = make_system_user("deploy", asset_id, password="Secret-of-deploy-1")
        run(f"{SYSTEM_USERS}{user}/tasks/", action="test")
    assert reads
    assert not any(reads)
