"""The connectivity test of assets: a job with a real runner and real SSH servers."""

from collections.abc import Callable

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from peers.ports import free_port
from peers.sshd import Sshd
from postern.apps.assets.models import Asset, Connectivity
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.executions.models import HostOutcome, HostResult
from postern.apps.jobs.logs.files import LogReader

ASSETS = "/api/v1/assets/assets/"
pytestmark = pytest.mark.django_db(transaction=True)


def outcome(job: Job, asset_id: str) -> HostOutcome:
    found: HostOutcome = HostOutcome.objects.get(execution_id=job.pk, asset_id=asset_id)
    return found


def test_asset_is_signed_in_to_and_is_reachable(
    run: Callable[..., Job], hosts: Hosts, make_asset: Callable[..., str], admin_of: Callable[[Sshd], str]
) -> None:
    server = hosts.start("one")
    asset_id = make_asset("web-1", server.port, admin_user=admin_of(server))
    job = run(f"{ASSETS}{asset_id}/tasks/", action="test")
    assert (job.state, job.outcome_values) == (JobState.SUCCEEDED, {"total": 1, "succeeded": 1, "failed": 0})
    assert outcome(job, asset_id).result == HostResult.DONE
    asset = Asset.objects.get(pk=asset_id)
    assert (asset.connectivity, asset.connectivity_reason) == (Connectivity.OK, "")
    assert asset.date_verified is not None
    assert "Accepted publickey" in server.log
    assert "web-1" in LogReader(settings.POSTERN.home, job.pk).read(0, 10_000).decode()


def test_each_asset_has_its_own_result(
    run: Callable[..., Job], hosts: Hosts, make_asset: Callable[..., str], admin_of: Callable[[Sshd], str]
) -> None:
    first, second = hosts.start("first"), hosts.start("second")
    wrong = admin_of(first)
    ids = {
        "right": make_asset("right", first.port, admin_user=wrong),
        "refused": make_asset("refused", second.port, admin_user=wrong),
        "gone": make_asset("gone", free_port(), admin_user=wrong),
        "without": make_asset("without", second.port),
        "desktop": make_asset("desktop", 0, protocols=[f"rdp/{first.port}"]),
    }
    job = run(f"{ASSETS}tasks/", action="test", assets=list(ids.values()))
    assert (job.state, job.outcome_values["failed"]) == (JobState.FAILED, 2)
    results = {name: outcome(job, asset_id).result for name, asset_id in ids.items()}
    assert results == {
        "right": HostResult.DONE,
        "refused": HostResult.CREDENTIAL_REFUSED,
        "gone": HostResult.UNREACHABLE,
        "without": HostResult.DONE,
        "desktop": HostResult.DONE,
    }
    gone = Asset.objects.get(pk=ids["gone"])
    assert gone.connectivity == Connectivity.FAILED
    assert gone.connectivity_reason
    assert Asset.objects.get(pk=ids["refused"]).connectivity == Connectivity.OK


def test_changed_host_key_is_refused_and_no_secret_is_sent(
    run: Callable[..., Job], hosts: Hosts, make_asset: Callable[..., str], admin_of: Callable[[Sshd], str]
) -> None:
    server, other = hosts.start("one"), hosts.start("other")
    asset_id = make_asset("web-1", server.port, admin_user=admin_of(server))
    run(f"{ASSETS}{asset_id}/tasks/", action="test")
    Asset.objects.get(pk=asset_id).host_keys.update(public_key=other.host_key.with_suffix(".pub").read_text().strip())
    job = run(f"{ASSETS}{asset_id}/tasks/", action="test")
    assert outcome(job, asset_id).result == HostResult.HOST_KEY_REFUSED
    assert server.log.count("Accepted publickey") == 1


def test_node_takes_its_whole_subtree_and_leaves_inactive_assets_out(
    run: Callable[..., Job], as_org_admin: APIClient, hosts: Hosts, make_asset: Callable[..., str]
) -> None:
    server = hosts.start("one")
    node = as_org_admin.post("/api/v1/assets/nodes/", {"value": "web"}, format="json").json()
    below = as_org_admin.post(f"/api/v1/assets/nodes/{node['id']}/children/", {"value": "deep"}, format="json").json()
    inside = make_asset("inside", server.port, nodes=[below["id"]])
    make_asset("inactive", server.port, nodes=[below["id"]], is_active=False)
    make_asset("outside", server.port)
    job = run(f"/api/v1/assets/nodes/{node['id']}/tasks/", action="test")
    assert [str(row.asset_id) for row in HostOutcome.objects.filter(execution_id=job.pk)] == [inside]


def test_nothing_chosen_and_unknown_actions_are_refused(as_org_admin: APIClient) -> None:
    none = as_org_admin.post(f"{ASSETS}tasks/", {"action": "test", "assets": []}, format="json")
    assert (none.status_code, list(none.json())) == (400, ["assets"])
    unknown = as_org_admin.post(f"{ASSETS}tasks/", {"action": "delete", "assets": []}, format="json")
    assert (unknown.status_code, "action" in unknown.json()) == (400, True)
    assert not Job.objects.exists()
