"""Jobs on Windows assets, over OpenSSH and WinRM: which way is taken, what is sent, and what the answers mean."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from factories.grants import grant
from factories.jobs import ended
from peers.ports import free_port
from peers.sshd import Sshd
from peers.windows_host import WindowsSshd, WinrmServer
from postern.apps.assets.models import Asset, Connectivity, HostKey
from postern.apps.jobs.executions.models import HostResult
from postern.apps.jobs.logs.files import LogReader
from postern.apps.jobs.models import BatchCommand, HostOutcome, HostOutput, Job, JobState
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUser, SystemUserAsset

ASSETS = "/api/v1/assets/assets/"
SYSTEM_USERS = "/api/v1/assets/system-users/"
RELATIONS = "/api/v1/assets/system-users-assets-relations/"
COMMANDS = "/api/v1/ops/command-executions/"
#: As Windows Server 2022 answers, by the documentation of its CIM classes.
FACTS = """Win32_DiskDrive
{nonce}	kernel	Windows
{nonce}	arch	AMD64
{nonce}	hostname	WIN-1
{nonce}	os_name	Microsoft Windows Server 2022 Standard
{nonce}	os_version	10.0.20348
{nonce}	vendor	VMware, Inc.
{nonce}	model	VMware7,1
{nonce}	memory_bytes	8589402112
{nonce}	cpu_threads	4
{nonce}	serial	VMware-56 4d 9a 31
{nonce}	cpu_sockets	2
{nonce}	cpu_cores	2
{nonce}	cpu_model	Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz
{nonce}	disk	disk0 125829120
{nonce}	disk	disk1 209715200
{nonce}	end	1
"""
PUSHED = (
    "New-LocalUser\n{nonce}\taccount\tcreated\n{nonce}\tpassword\tchanged\n{nonce}\tgroup\tUsers\n{nonce}\tend\t1\n"
)
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def make_account(as_org_admin: APIClient) -> Callable[..., str]:
    """Makes an admin user or a system user."""

    def make(name: str, *, kind: str = "system-users", **fields: Any) -> str:
        body = {"name": name, "username": name, "auto_push": False, **fields}
        if kind == "system-users":
            body.setdefault("protocol", "rdp")
        answer = as_org_admin.post(f"/api/v1/assets/{kind}/", body, format="json")
        assert answer.status_code == 201, answer.content
        return str(answer.json()["id"])

    return make


@pytest.fixture
def bind(as_org_admin: APIClient) -> Callable[[str, str], None]:
    def make(user: str, asset: str) -> None:
        answer = as_org_admin.post(RELATIONS, {"systemuser": user, "asset": asset}, format="json")
        assert answer.status_code == 201, answer.content

    return make


@pytest.fixture
def winrm(hosts: Hosts) -> WinrmServer:
    server = WinrmServer(hosts.folder / "winrm")
    server.accounts["deploy"] = "N3w password"
    return hosts.begin(server)


@pytest.fixture
def asset_id(winrm: WinrmServer, make_asset: Callable[..., str], make_account: Callable[..., str]) -> str:
    admin = make_account("Administrator", kind="admin-users", password=winrm.password)
    return windows(make_asset, ["rdp/3389", f"winrm/{winrm.port}"], admin_user=admin)


def windows(make_asset: Callable[..., str], protocols: list[str], **fields: Any) -> str:
    return make_asset("win-1", 0, platform="Windows", protocols=protocols, **fields)


def outcome(job: Job) -> HostOutcome:
    found: HostOutcome = HostOutcome.objects.get(execution_id=job.pk)
    return found


def answer(server: Sshd | WinrmServer, text: str) -> None:
    (server.directory / "known.answer").write_text(text)


def told(server: Sshd | WinrmServer) -> list[str]:
    """The input of the script that was answered."""
    return (server.directory / "known.input").read_text().split("\n")


def check_facts(asset_id: str) -> None:
    asset = Asset.objects.get(pk=asset_id)
    assert (asset.os, asset.os_version, asset.os_arch) == (
        "Microsoft Windows Server 2022 Standard",
        "10.0.20348",
        "AMD64",
    )
    assert (asset.memory, asset.cpu_count, asset.cpu_cores, asset.cpu_vcpus) == ("8.0 GiB", 2, 2, 4)
    assert (asset.disk_total, asset.disk_info) == ("160.0 GiB", "disk0: 60.0 GiB, disk1: 100.0 GiB")
    assert (asset.vendor, asset.sn, asset.connectivity) == ("VMware, Inc.", "VMware-56 4d 9a 31", Connectivity.OK)


def test_hardware_is_read_over_winrm_and_the_key_of_the_certificate_is_pinned(
    run: Callable[..., Job], winrm: WinrmServer, asset_id: str
) -> None:
    answer(winrm, FACTS)
    job = run(f"{ASSETS}{asset_id}/tasks/", action="refresh")
    assert job.state == JobState.SUCCEEDED, outcome(job).message
    check_facts(asset_id)
    pinned = HostKey.objects.get(asset_id=asset_id)
    assert (pinned.port, pinned.public_key) == (winrm.port, winrm.public_key)
    HostKey.objects.update(public_key="ssh-rsa AAAA", fingerprint="SHA256:other")
    row = outcome(run(f"{ASSETS}{asset_id}/tasks/", action="refresh"))
    assert (row.result, "SHA256:other" in row.message) == (HostResult.HOST_KEY_REFUSED, True)


def test_ssh_is_preferred_where_the_asset_has_it(
    run: Callable[..., Job], hosts: Hosts, make_asset: Callable[..., str], admin_of: Callable[[Sshd], str]
) -> None:
    server = hosts.begin(WindowsSshd(hosts.folder / "ssh"))
    answer(server, FACTS)
    asset_id = windows(make_asset, [f"winrm/{free_port()}", f"ssh/{server.port}"], admin_user=admin_of(server))
    job = run(f"{ASSETS}{asset_id}/tasks/", action="refresh")
    assert job.state == JobState.SUCCEEDED, outcome(job).message
    check_facts(asset_id)


def test_connectivity_says_what_is_missing(
    run: Callable[..., Job], winrm: WinrmServer, asset_id: str, make_asset: Callable[..., str]
) -> None:
    def result(asset: str) -> str:
        return outcome(run(f"{ASSETS}{asset}/tasks/", action="test")).result

    assert result(asset_id) == HostResult.DONE
    Asset.objects.filter(pk=asset_id).update(admin_user_id=None)
    assert result(asset_id) == HostResult.DONE
    assert "Create" not in winrm.actions
    closed = make_asset("win-2", 0, platform="Windows", protocols=[f"winrm/{free_port()}"])
    assert result(closed) == HostResult.NO_WINRM
    asset = Asset.objects.get(pk=closed)
    assert (asset.connectivity, "Enable-PSRemoting" in asset.connectivity_reason) == (Connectivity.FAILED, True)
    winrm.vendor = "Open Management Infrastructure"
    assert result(asset_id) == HostResult.NOT_WINDOWS
    unix = make_asset("web-1", 0, protocols=[f"winrm/{winrm.port}"])
    row = outcome(run(f"{ASSETS}{unix}/tasks/", action="refresh"))
    assert (row.result, "protocol SSH" in row.message) == (HostResult.REFUSED, True)


def test_accounts_of_rdp_system_users_are_tested_on_windows(
    run: Callable[..., Job],
    winrm: WinrmServer,
    asset_id: str,
    make_account: Callable[..., str],
    bind: Callable[..., None],
) -> None:
    bind(make_account("deploy", password="N3w password"), asset_id)
    bind(make_account("nobody", password="wrong"), asset_id)
    bind(make_account("screen", password="wrong", protocol="vnc"), asset_id)
    job = run(f"{ASSETS}{asset_id}/tasks/", action="test_system_user")
    results = dict(HostOutcome.objects.filter(execution_id=job.pk).values_list("username", "result"))
    assert results == {
        "deploy": HostResult.DONE, "nobody": HostResult.CREDENTIAL_REFUSED, "screen": HostResult.REFUSED,
    }  # fmt: skip
    rows = dict(SystemUserAsset.objects.values_list("systemuser__name", "connectivity"))
    assert (rows["deploy"], rows["nobody"]) == ("ok", "failed")


def test_push_sends_the_account_on_standard_input_and_proves_it_by_a_sign_in(
    run: Callable[..., Job],
    winrm: WinrmServer,
    asset_id: str,
    make_account: Callable[..., str],
    bind: Callable[..., None],
) -> None:
    answer(winrm, PUSHED)
    user = make_account("deploy", password="N3w password", system_groups="Event Log Readers, ops", home="/x", sudo="no")
    bind(user, asset_id)
    job = run(f"{SYSTEM_USERS}{user}/tasks/", action="push")
    assert (job.state, outcome(job).message) == (JobState.SUCCEEDED, "")
    _nonce, *lines = told(winrm)
    assert lines == ["deploy", "Event Log Readers,ops", f"postern:{user}", "", "rdp", "N3w password", ""]
    assert outcome(job).facts["account"] == ["created"]
    log = LogReader(settings.POSTERN.home, job.pk).read(0, 100_000).decode()
    assert "N3w" not in f"{log} {job.argument} {outcome(job).facts} {outcome(job).message}"
    assert winrm.actions[-1] == "Identify"
    assert SystemUserAsset.objects.get(systemuser_id=user).connectivity == "ok"


def test_push_over_ssh_brings_the_key(
    *, run: Callable[..., Job], hosts: Hosts, make_asset: Callable[..., str], admin_of: Callable[[Sshd], str],
    make_account: Callable[..., str], bind: Callable[..., None],
) -> None:  # fmt: skip
    server = hosts.begin(WindowsSshd(hosts.folder / "ssh"))
    answer(server, PUSHED)
    asset_id = windows(make_asset, [f"ssh/{server.port}"], admin_user=admin_of(server))
    user = make_account(server.login, protocol="ssh", private_key=server.client_key.read_text())
    bind(user, asset_id)
    job = run(f"{SYSTEM_USERS}{user}/tasks/", action="push")
    assert (job.state, outcome(job).message) == (JobState.SUCCEEDED, "")
    key = " ".join(server.client_key.with_suffix(".pub").read_text().split()[:2])
    assert told(server)[3:6] == [f"postern:{user}", key, "ssh"]


def test_what_the_host_refuses_is_told(
    run: Callable[..., Job], winrm: WinrmServer, asset_id: str, make_account: Callable[..., str], bind: Callable[..., None],
) -> None:  # fmt: skip
    user = make_account("deploy", password="N3w password")
    bind(user, asset_id)
    for said, shown in (
        ("domain_controller", "domain controller"),
        ("no_local_accounts", "PowerShell 5.1"),
        ("account_of_system 500", "belongs to the system"),
        ("password It does not meet the policy.", "does not meet the policy"),
    ):
        answer(winrm, f"New-LocalUser\n{{nonce}}\tfailed\t{said}\n{{nonce}}\tend\t1\n")
        row = outcome(run(f"{SYSTEM_USERS}{user}/tasks/", action="push"))
        assert (row.result, shown in row.message) == (HostResult.FAILED, True), row.message


def test_names_that_windows_does_not_have_are_refused_before_anything_is_sent(
    run: Callable[..., Job],
    winrm: WinrmServer,
    asset_id: str,
    make_account: Callable[..., str],
    bind: Callable[..., None],
) -> None:
    for number, fields in enumerate(
        ({"username": "HOST\\deploy"}, {"username": "a" * 21}, {"username": "all*"}, {"system_groups": "a|b"})
    ):
        user = make_account(f"user{number}", password="secret", **fields)
        bind(user, asset_id)
        assert outcome(run(f"{SYSTEM_USERS}{user}/tasks/", action="push")).result == HostResult.REFUSED
    assert winrm.actions == []


def test_batch_command_runs_in_powershell(
    *, runner: Any, run: Callable[..., Job], people: dict[str, User], as_user: APIClient, winrm: WinrmServer, asset_id: str,
    make_account: Callable[..., str], make_asset: Callable[..., str],
) -> None:  # fmt: skip
    run_as = SystemUser.objects.get(pk=make_account("deploy", password="N3w password"))
    unix = make_asset("web-1", 0, protocols=["rdp/3389", f"ssh/{free_port()}"])
    chosen = [Asset.objects.get(pk=one) for one in (asset_id, unix)]
    grant(users=[people["user"]], assets=chosen, system_users=[run_as])
    body = {"command": "echo out; echo wrong >&2; exit 7", "run_as": str(run_as.pk), "hosts": [asset_id, unix]}
    made = as_user.post(COMMANDS, body, format="json", headers={"Accept-Language": "en"})
    assert made.status_code == 201, made.content
    ended(BatchCommand.objects.get(pk=made.json()["id"]).job)
    rows = {row.hostname: row for row in HostOutcome.objects.filter(execution_id=made.json()["id"])}
    assert (rows["win-1"].result, rows["win-1"].status) == (HostResult.FAILED, 7)
    assert HostOutput.objects.get(outcome=rows["win-1"]).size == len("out\nwrong\n")
    assert (rows["web-1"].result, "Only Windows hosts" in rows["web-1"].message) == (HostResult.REFUSED, True)
