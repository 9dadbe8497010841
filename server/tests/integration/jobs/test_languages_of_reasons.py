"""Why a host failed is told in the language of whoever reads it, not of whoever started the job."""

import csv
import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from factories.jobs import ended
from peers.ports import free_port
from peers.sshd import Sshd
from postern.apps.assets.models import Asset
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.executions.models import HostOutcome
from postern.apps.jobs.gateway_tests import api as gateway_tests

ASSETS, EXECUTIONS = "/api/v1/assets/assets/", "/api/v1/ops/adhoc-executions/"
CHINESE = re.compile("[\u4e00-\u9fff]")
pytestmark = pytest.mark.django_db(transaction=True)
LANGUAGES = ("en", "zh-hans")


def is_chinese(text: str) -> bool:
    return CHINESE.search(text) is not None


@pytest.fixture
def two_hosts(hosts: Hosts, make_asset: Callable[..., str], admin_of: Callable[[Sshd], str]) -> tuple[str, int]:
    """A host that does not answer (its id and port), and one that refuses the account."""
    first, second = hosts.start("first"), hosts.start("second")
    wrong, port = admin_of(first), free_port()
    make_asset("refused", second.port, admin_user=wrong)
    return make_asset("gone", port, admin_user=wrong), port


@pytest.mark.parametrize("started_in", LANGUAGES)
def test_reason_is_read_in_the_language_of_the_reader(
    as_org_admin: APIClient,
    run: Callable[..., Job],
    two_hosts: tuple[str, int],
    started_in: str,
) -> None:
    gone, port = two_hosts
    body = {"action": "test", "assets": [str(row.pk) for row in Asset.objects.all()]}
    answer = as_org_admin.post(f"{ASSETS}tasks/", body, format="json", headers={"Accept-Language": started_in})
    job = ended(Job.objects.get(pk=answer.json()["task"]))

    def get(path: str, language: str, **query: Any) -> Any:
        return as_org_admin.get(path, query, headers={"Accept-Language": language})

    hosts_of = f"{EXECUTIONS}{job.pk}/hosts/"
    for language in LANGUAGES:
        rows = {row["hostname"]: row["message"] for row in get(hosts_of, language).json()}
        assert set(rows) >= {"gone", "refused"}
        assert {name: is_chinese(text) for name, text in rows.items()} == dict.fromkeys(rows, language != "en")
        assert str(port) in rows["gone"]
        asset = get(f"{ASSETS}{gone}/", language).json()
        assert asset["connectivity_reason"] == rows["gone"]
        execution = get(f"{EXECUTIONS}{job.pk}/", language).json()
        [told] = execution["last_failure"]["gone"].values()
        assert told == {"msg": rows["gone"]}
        exported = get(hosts_of, language, format="csv").getvalue().decode("utf-8-sig")
        assert rows["gone"] in {cell for line in csv.reader(io.StringIO(exported)) for cell in line}
        # A search finds the words of either language.
        words = rows["gone"].split(".")[0].split("。")[0]
        for reader in LANGUAGES:
            assert [row["hostname"] for row in get(hosts_of, reader, search=words).json()][:1] == ["gone"]


def test_row_of_an_older_version_keeps_its_text(
    as_org_admin: APIClient, run: Callable[..., Job], make_asset: Callable[..., str]
) -> None:
    asset_id = make_asset("gone", free_port())
    job = run(f"{ASSETS}{asset_id}/tasks/", action="test")
    HostOutcome.objects.update(reason=None, message="Text of an older version.")
    Asset.objects.filter(pk=asset_id).update(connectivity_sentence=None, connectivity_reason="So war es früher.")
    [row] = as_org_admin.get(f"{EXECUTIONS}{job.pk}/hosts/").json()
    assert row["message"] == "Text of an older version."
    assert as_org_admin.get(f"{ASSETS}{asset_id}/").json()["connectivity_reason"] == "So war es früher."


def test_reason_of_a_gateway_test_is_read_in_the_language_of_the_reader(
    as_org_admin: APIClient, run: Callable[..., Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway_tests, "WAIT_S", 60.0)
    domain = as_org_admin.post("/api/v1/assets/domains/", {"name": "zone"}, format="json").json()["id"]
    body = {"name": "gate", "ip": "127.0.0.1", "port": free_port(), "username": "li", "password": "Pa-55-word!",
            "domain": domain}  # fmt: skip
    gateway = as_org_admin.post("/api/v1/assets/gateways/", body, format="json").json()["id"]
    path = f"/api/v1/assets/gateways/{gateway}/test-connective/"
    failed = as_org_admin.post(path, {}, format="json", headers={"Accept-Language": "zh-hans"})
    assert is_chinese(failed.json()["error"])
    job = Job.objects.get(kind="gateways.test")
    said = {
        language: as_org_admin.get(f"/api/v1/ops/celery/task/{job.pk}/result/", headers={"Accept-Language": language})
        for language in LANGUAGES
    }
    assert said["zh-hans"].json()["result"] == failed.json()["error"]
    assert "gate" in said["en"].json()["result"]
    assert not is_chinese(said["en"].json()["result"])
