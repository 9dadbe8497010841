"""Refreshing the hardware of assets: what hosts say is read, cut and stored, and never trusted."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from peers.sshd import Sshd
from postern.apps.assets.models import Asset, Connectivity
from postern.apps.audits.models import AuditEvent
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.executions.models import HostOutcome, HostResult

ASSETS = "/api/v1/assets/assets/"
pytestmark = pytest.mark.django_db(transaction=True)


def test_hardware_of_a_host_is_stored_with_its_asset(
    run: Callable[..., Job], hosts: Hosts, make_asset: Callable[..., str], admin_of: Callable[[Sshd], str]
) -> None:
    server = hosts.start("one")
    asset_id = make_asset("web-1", server.port, admin_user=admin_of(server))
    job = run(f"{ASSETS}{asset_id}/tasks/", action="refresh")
    assert job.state == JobState.SUCCEEDED, HostOutcome.objects.get(execution_id=job.pk).message
    asset = Asset.objects.get(pk=asset_id)
    assert "Debian" in str(asset.os)
    assert str(asset.memory).endswith(" GiB")
    assert int(asset.cpu_vcpus or 0) >= 1
    assert asset.connectivity == Connectivity.OK
    changed = AuditEvent.objects.filter(resource_id=asset_id, action="update").get()
    assert (changed.new["os"], changed.old["os"]) == (asset.os, None)
    # What has not changed is not written again.
    run(f"{ASSETS}{asset_id}/tasks/", action="refresh")
    assert AuditEvent.objects.filter(resource_id=asset_id, action="update").count() == 1


def test_k13_answer_of_a_hostile_host_is_only_data(
    run: Callable[..., Job], hosts: Hosts, make_asset: Callable[..., str], admin_of: Callable[[Sshd], str]
) -> None:
    """The host answers in the place of its shell: too long, with control characters, numbers that are none."""
    liar = hosts.folder / "liar.sh"
    hosts.folder.mkdir(exist_ok=True)
    liar.write_text(
        "#!/bin/bash\n"
        "set -- $SSH_ORIGINAL_COMMAND\nfor word; do case $word in [0-9a-f]*) [ ${#word} = 24 ] && n=$word;; esac; done\n"
        'echo "$n 1"\nwhile IFS= read -r last; do case $last in *[!0-9a-f]*) ;; *) [ "${#last}" = 24 ] && break;; esac; done\n'
        'say() { printf \'%s\\t%s\\t%b\\n\' "$last" "$1" "$2"; }\n'
        "say vendor \"$(printf 'x%.0s' {1..5000})\"\nsay os_name 'Evil\\033]0;owned\\007\\033[31m'\n"
        "say cpu_cores 99999999999999999999\nsay cpu_threads '4; reboot'\nsay memory_kib -5\n"
        'for i in {1..500}; do say disk "d$i 2097152"; done\nsay end 1\n'
    )
    liar.chmod(0o755)
    server = hosts.begin(Sshd(hosts.folder / "liar", extra=f"ForceCommand {liar}"))
    asset_id = make_asset("web-1", server.port, admin_user=admin_of(server))
    job = run(f"{ASSETS}{asset_id}/tasks/", action="refresh")
    assert job.state == JobState.SUCCEEDED, HostOutcome.objects.get(execution_id=job.pk).message
    asset = Asset.objects.get(pk=asset_id)
    assert asset.vendor == "x" * 64
    assert "\x1b" not in str(asset.os)
    assert "\x07" not in str(asset.os)
    assert (asset.cpu_cores, asset.cpu_vcpus, asset.memory) == (None, None, None)
    assert len(str(asset.disk_info)) <= 1024


def test_host_without_a_shell_is_reachable_and_says_nothing(
    run: Callable[..., Job], hosts: Hosts, make_asset: Callable[..., str], admin_of: Callable[[Sshd], str]
) -> None:
    device = hosts.begin(Sshd(hosts.folder / "device", extra="ForceCommand echo 'Press 1 for the menu'"))
    asset_id = make_asset("switch-1", device.port, admin_user=admin_of(device))
    job = run(f"{ASSETS}{asset_id}/tasks/", action="refresh")
    outcome = HostOutcome.objects.get(execution_id=job.pk)
    assert (outcome.result, "Press 1 for the menu" in outcome.message) == (HostResult.NO_SHELL, True)
    assert Asset.objects.get(pk=asset_id).connectivity == Connectivity.OK


def test_asset_without_an_admin_user_is_told(
    run: Callable[..., Job], as_org_admin: APIClient, make_asset: Callable[..., str]
) -> None:
    asset_id = make_asset("web-1", 22)
    job = run(f"{ASSETS}{asset_id}/tasks/", action="refresh")
    outcome = HostOutcome.objects.get(execution_id=job.pk)
    assert (outcome.result, "has no admin user" in outcome.message) == (HostResult.REFUSED, True)
