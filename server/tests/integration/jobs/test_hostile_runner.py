"""A job whose runner a host has taken over: what is stored and shown of its reports."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from factories.hostile_runners import hostile
from factories.jobs import ended
from postern.apps.assets.models import Asset, Connectivity
from postern.apps.jobs.engine.dispatcher import Dispatcher
from postern.apps.jobs.hosts.link import RUNNER
from postern.apps.jobs.logs.files import LogReader
from postern.apps.jobs.models import HostOutcome, Job
from postern.contracts.runner import HostResult, ProgramStarts, TaskEnded
from postern.kernel.sentences import Sentence

ASSETS = "/api/v1/assets/assets/"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("frames", "result"),
    [
        (
            [
                TaskEnded(
                    task=0,
                    result=HostResult.UNREACHABLE,
                    status=0xFFFFFFFF,
                    message=Sentence("x\u202egnp\x1b[2J" + "y" * 500_000, "jobs.asset_deleted", {"a": math.nan}),
                    seconds=math.inf,
                )
            ],
            "unreachable",
        ),
        ([TaskEnded(task=0, result=HostResult.DONE, via="made up")], "fault"),
        ([ProgramStarts(task=0, via="made up")], "fault"),
    ],
)
def test_reports_of_a_hostile_runner_are_bounded_and_the_job_ends(
    as_org_admin: APIClient, make_asset: Callable[..., str], frames: list[Any], result: str
) -> None:
    asset_id = make_asset("web-1", 22)
    with hostile(*frames) as link, RUNNER.replaced(link):
        worker = Dispatcher(settings.POSTERN.home, "worker", poll_s=0.05)
        worker.start()
        try:
            answer = as_org_admin.post(
                f"{ASSETS}{asset_id}/tasks/", {"action": "test"}, format="json", headers={"Accept-Language": "en"}
            )
            job = ended(Job.objects.get(pk=answer.json()["task"]))
        finally:
            worker.stop()
    row = HostOutcome.objects.get(execution_id=job.pk)
    assert (row.result, row.via) == (result, "")
    log = LogReader(settings.POSTERN.home, job.pk).read(0, 1_000_000).decode()
    asset = Asset.objects.get(pk=asset_id)
    for text in (row.message, str(row.reason), log, asset.connectivity_reason):
        assert not {"\u202e", "\x1b"} & set(text)
        assert len(text) < 10_000
        assert "was deleted" not in text
    assert asset.connectivity != Connectivity.OK
    assert 0 <= (row.seconds or 0) < 60
