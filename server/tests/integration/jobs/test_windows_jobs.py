"""Jobs on Windows assets, over OpenSSH and WinRM: which way is taken, what is sent, and what the answers mean."""

from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Estate:
    """A Windows asset that is reached over WinRM, and what a test adds to it and does there."""

    client: APIClient
    start: Callable[..., Job]
    add_asset: Callable[..., str]
    hosts: Hosts
    winrm: WinrmServer

    def account(self, name: str, *, kind: str = "system-users", on: str = "", **fields: Any) -> str:
        """A system user or an admin user; a system user is bound to the asset `on`."""
        body = {"name": name, "username": name, "auto_push": False, **fields}
        if kind == "system-users":
            body.setdefault("protocol", "rdp")
        made = self._post(f"/api/v1/assets/{kind}/", body)
        if on:
            self._post(RELATIONS, {"systemuser": made, "asset": on})
        return made

    def asset(self, *protocols: str, **fields: Any) -> str:
        return self.add_asset("win-1", 0, platform="Windows", protocols=list(protocols), **fields)

    def asset_over_winrm(self) -> str:
        admin = self.account("Administrator", kind="admin-users", password=self.winrm.password)
        return self.asset("rdp/3389", f"winrm/{self.winrm.port}", admin_user=admin)

    def ssh_server(self) -> WindowsSshd:
        return self.hosts.begin(WindowsSshd(self.hosts.folder / "ssh"))

    def run(self, asset_id: str, action: str) -> Job:
        return self.start(f"{ASSETS}{asset_id}/tasks/", action=action)

    def push(self, system_user_id: str) -> Job:
        return self.start(f"{SYSTEM_USERS}{system_user_id}/tasks/", action="push")

    def _post(self, path: str, body: dict[str, Any]) -> str:
        made = self.client.post(path, body, format="json")
        assert made.status_code == 201, made.content
        return str(made.json()["id"])


@pytest.fixture
def estate(as_org_admin: APIClient, run: Callable[..., Job], make_asset: Callable[..., str], hosts: Hosts) -> Estate:
    server = WinrmServer(hosts.folder / "winrm")
    server.accounts["deploy"] = "N3w password"
    return Estate(as_org_admin, run, make_asset, hosts, hosts.begin(server))


@pytest.fixture
def asset_id(estate: Estate) -> str:
    return estate.asset_over_winrm()


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


def test_hardware_is_read_over_winrm_and_the_key_of_the_certificate_is_pinned(estate: Estate, asset_id: str) -> None:
    answer(estate.winrm, FACTS)
    job = estate.run(asset_id, "refresh")
    assert job.state == JobState.SUCCEEDED, outcome(job).message
    check_facts(asset_id)
    pinned = HostKey.objects.get(asset_id=asset_id)
    assert (pinned.port, pinned.public_key) == (estate.winrm.port, estate.winrm.public_key)
    HostKey.objects.update(public_key="ssh-rsa AAAA", fingerprint="SHA256:other")
    row = outcome(estate.run(asset_id, "refresh"))
    assert (row.result, "SHA256:other" in row.message) == (HostResult.HOST_KEY_REFUSED, True)


def test_ssh_is_preferred_where_the_asset_has_it(estate: Estate, admin_of: Callable[[Sshd], str]) -> None:
    server = estate.ssh_server()
    answer(server, FACTS)
    asset_id = estate.asset(f"winrm/{free_port()}", f"ssh/{server.port}", admin_user=admin_of(server))
    job = estate.run(asset_id, "refresh")
    assert job.state == JobState.SUCCEEDED, outcome(job).message
    check_facts(asset_id)


def test_connectivity_says_what_is_missing(estate: Estate, asset_id: str) -> None:
    def result(asset: str) -> str:
        return outcome(estate.run(asset, "test")).result

    winrm = estate.winrm
    assert result(asset_id) == HostResult.DONE
    Asset.objects.filter(pk=asset_id).update(admin_user_id=None)
    assert result(asset_id) == HostResult.DONE
    assert "Create" not in winrm.actions
    closed = estate.add_asset("win-2", 0, platform="Windows", protocols=[f"winrm/{free_port()}"])
    assert result(closed) == HostResult.NO_WINRM
    asset = Asset.objects.get(pk=closed)
    assert (asset.connectivity, "Enable-PSRemoting" in asset.connectivity_reason) == (Connectivity.FAILED, True)
    winrm.vendor = "Open Management Infrastructure"
    assert result(asset_id) == HostResult.NOT_WINDOWS
    unix = estate.add_asset("web-1", 0, protocols=[f"winrm/{winrm.port}"])
    row = outcome(estate.run(unix, "refresh"))
    assert (row.result, "protocol SSH" in row.message) == (HostResult.REFUSED, True)


def test_accounts_of_rdp_system_users_are_tested_on_windows(estate: Estate, asset_id: str) -> None:
    estate.account("deploy", on=asset_id, password="N3w password")
    estate.account("nobody", on=asset_id, password="wrong")
    estate.account("screen", on=asset_id, password="wrong", protocol="vnc")
    job = estate.run(asset_id, "test_system_user")
    results = dict(HostOutcome.objects.filter(execution_id=job.pk).values_list("username", "result"))
    assert results == {
        "deploy": HostResult.DONE, "nobody": HostResult.CREDENTIAL_REFUSED, "screen": HostResult.REFUSED,
    }  # fmt: skip
    rows = dict(SystemUserAsset.objects.values_list("systemuser__name", "connectivity"))
    assert (rows["deploy"], rows["nobody"]) == ("ok", "failed")


def test_push_sends_the_account_on_standard_input_and_proves_it_by_a_sign_in(estate: Estate, asset_id: str) -> None:
    answer(estate.winrm, PUSHED)
    fields = {"system_groups": "Event Log Readers, ops", "home": "/x", "sudo": "no"}
    user = estate.account("deploy", on=asset_id, password="N3w password", **fields)
    job = estate.push(user)
    assert (job.state, outcome(job).message) == (JobState.SUCCEEDED, "")
    _nonce, *lines = told(estate.winrm)
    assert lines == ["deploy", "Event Log Readers,ops", f"postern:{user}", "", "rdp", "N3w password", ""]
    assert outcome(job).facts["account"] == ["created"]
    log = LogReader(settings.POSTERN.home, job.pk).read(0, 100_000).decode()
    assert "N3w" not in f"{log} {job.argument} {outcome(job).facts} {outcome(job).message}"
    assert estate.winrm.actions[-1] == "Identify"
    assert SystemUserAsset.objects.get(systemuser_id=user).connectivity == "ok"


def test_push_over_ssh_brings_the_key(estate: Estate, admin_of: Callable[[Sshd], str]) -> None:
    server = estate.ssh_server()
    answer(server, PUSHED)
    asset_id = estate.asset(f"ssh/{server.port}", admin_user=admin_of(server))
    user = estate.account(server.login, on=asset_id, protocol="ssh", private_key=server.client_key.read_text())
    job = estate.push(user)
    assert (job.state, outcome(job).message) == (JobState.SUCCEEDED, "")
    key = " ".join(server.client_key.with_suffix(".pub").read_text().split()[:2])
    assert told(server)[3:6] == [f"postern:{user}", key, "ssh"]


def test_what_the_host_refuses_is_told(estate: Estate, asset_id: str) -> None:
    user = estate.account("deploy", on=asset_id, password="N3w password")
    for said, shown in (
        ("domain_controller", "domain controller"),
        ("no_local_accounts", "PowerShell 5.1"),
        ("account_of_system 500", "belongs to the system"),
        ("password It does not meet the policy.", "does not meet the policy"),
    ):
        answer(estate.winrm, f"New-LocalUser\n{{nonce}}\tfailed\t{said}\n{{nonce}}\tend\t1\n")
        row = outcome(estate.push(user))
        assert (row.result, shown in row.message) == (HostResult.FAILED, True), row.message


def test_names_that_windows_does_not_have_are_refused_before_anything_is_sent(estate: Estate, asset_id: str) -> None:
    for number, fields in enumerate(
        ({"username": "HOST\\deploy"}, {"username": "a" * 21}, {"username": "all*"}, {"system_groups": "a|b"})
    ):
        user = estate.account(f"user{number}", on=asset_id, password="secret", **fields)
        assert outcome(estate.push(user)).result == HostResult.REFUSED
    assert estate.winrm.actions == []


def test_batch_command_runs_in_powershell(
    estate: Estate, asset_id: str, people: dict[str, User], as_user: APIClient
) -> None:
    run_as = SystemUser.objects.get(pk=estate.account("deploy", password="N3w password"))
    unix = estate.add_asset("web-1", 0, protocols=["rdp/3389", f"ssh/{free_port()}"])
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
