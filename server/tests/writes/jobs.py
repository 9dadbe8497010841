"""Writes of jobs: starting and cancelling them."""

from writes.case import ROOT, Again, Told, Write, created, deleted, silent, updated

API = "/api/v1/assets/"
SNIPPETS = "/api/v1/ops/command-snippets/"


def _told(kind: str, name: str) -> list[Told]:
    return [Told(event="job.requested", action="other", kind="Job", name=name, new={"kind": kind})]


WRITES = [
    silent(
        "/flower/tasks/datatable",  # the list of the task monitor; this is no form
        status=400,
    ),
    Write(
        method="PATCH",
        path="/api/v1/ops/celery/period-tasks/<pk>/",
        at={"pk": "{periodic}"},
        prepare=lambda world: world.periodic_task(),
        body={"enabled": False},
        told=[
            updated(
                "PeriodicTask",
                "jobs: run due tasks",
                {"enabled": True},
                {"enabled": False},
                org=ROOT,
            )
        ],
    ),
    Write(
        method="POST",
        path=f"{API}assets/<asset_id>/tasks/",
        at={"asset_id": "{assets/assets}"},
        body={"action": "test"},
        status=201,
        told=_told("assets.test", "{name:assets/assets}"),
    ),
    Write(
        method="POST",
        path=f"{API}assets/tasks/",
        body={"action": "refresh", "assets": ["{assets/assets}"]},
        status=201,
        told=_told("assets.refresh", "{name:assets/assets}"),
    ),
    Write(
        method="POST",
        path=f"{API}nodes/<node_id>/tasks/",
        at={"node_id": "{root_node}"},
        body={"action": "test"},
        status=201,
        told=_told("assets.test", "/Default"),
    ),
    Write(
        method="POST",
        path=f"{API}system-users/<system_user_id>/tasks/",
        at={"system_user_id": "{assets/system-users}"},
        query="username=deploy",
        body={"action": "test", "assets": ["{assets/assets}"]},
        status=201,
        told=_told("accounts.test", "one root @ one-host"),
    ),
    Write(
        method="POST",
        path=f"{API}accounts/tasks/",
        query="ids={assets/accounts}",
        body={"action": "test"},
        status=201,
        told=_told("accounts.test", "one-own @ one-host"),
    ),
    Write(
        method="POST",
        path=f"{API}accounts/<pk>/verify/",
        at={"pk": "{assets/accounts}"},
        body={"action": "test"},
        told=_told("accounts.test", "one-own @ one-host"),
    ),
    Write(
        method="POST",
        path=f"{API}gateways/<gateway_id>/test-connective/",
        at={"gateway_id": "{assets/gateways}"},
        body={"port": 22},
        status=400,  # no worker runs here
        told=_told("gateways.test", "{name:assets/gateways}"),
    ),
    Write(
        method="POST",
        path="/api/v1/assets/nodes/check_assets_amount_task/",
        told=[
            Told(event="job.requested", action="other", kind="Job", name="nodes.check", new={"kind": "nodes.check"}),
        ],
    ),
    *(
        Write(
            method=method,
            path="/api/v1/ops/tasks/<pk>/run/",
            at={"pk": "{task}"},
            told=_told("assets.test", "{name:assets/assets}"),
            prepare=lambda world: world.task_with_work(),
        )
        for method in ("GET", "POST")
    ),
    Write(
        method="POST",
        path="/api/v1/ops/command-executions/",
        body={"command": "uptime", "hosts": ["{asset}"], "run_as": "{run_as}"},
        status=201,
        told=[
            Told(event="job.requested", action="other", kind="Job", name="batch", new={"kind": "commands.run"}),
            Told(
                event="batchcommand.requested",
                action="other",
                kind="BatchCommand",
                name="uptime",
                new={"command": "uptime", "run_as": "batch", "hosts_amount": 1},
            ),
        ],
        again=Again.ACTS,
        prepare=lambda world: world.granted_command(),
    ),
    Write(
        method="POST",
        path=SNIPPETS,
        body={"name": "disk", "command": "df -h"},
        status=201,
        told=[created("CommandSnippet", "disk", {"name": "disk", "command": "df -h"}, org=ROOT)],
        again=Again.GONE,
    ),
    *(
        Write(
            method=method,
            path=f"{SNIPPETS}<pk>/",
            at={"pk": "{snippet}"},
            body={"name": "disk", "command": "df"},
            told=[updated("CommandSnippet", "disk", {"command": "df -h"}, {"command": "df"}, org=ROOT)],
            prepare=lambda world: world.saved_command(),
        )
        for method in ("PUT", "PATCH")
    ),
    *(
        Write(
            method=method,
            path=SNIPPETS,
            body=[{"id": "{snippet}", "name": "disk", "command": "df"}],
            told=[updated("CommandSnippet", "disk", {"command": "df -h"}, {"command": "df"}, org=ROOT)],
            prepare=lambda world: world.saved_command(),
        )
        for method in ("PUT", "PATCH")
    ),
    Write(
        method="DELETE",
        path=f"{SNIPPETS}<pk>/",
        at={"pk": "{snippet}"},
        status=204,
        told=[deleted("CommandSnippet", "disk", {"name": "disk", "command": "df -h"}, org=ROOT)],
        again=Again.GONE,
        prepare=lambda world: world.saved_command(),
    ),
    Write(
        method="DELETE",
        path=SNIPPETS,
        query="name=disk",
        status=204,
        told=[deleted("CommandSnippet", "disk", {"name": "disk", "command": "df -h"}, org=ROOT)],
        prepare=lambda world: world.saved_command(),
    ),
    Write(
        method="POST",
        path="/api/v1/ops/celery/task/<job_id>/cancel/",
        at={"job_id": "{job}"},
        status=202,
        told=[
            Told(event="job.cancelled", action="other", kind="Job", name="nodes.check", new={"state": "waiting"}),
            Told(
                event="job.finished",
                action="other",
                kind="Job",
                name="nodes.check",
                new={"state": "cancelled", "by": "Adam(adam)"},
            ),
        ],
        again=Again.GONE,
        prepare=lambda world: world.waiting_job(),
    ),
]
