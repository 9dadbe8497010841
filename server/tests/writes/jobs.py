"""Writes of jobs: starting and cancelling them."""

from writes.case import Again, Told, Write

API = "/api/v1/assets/"


def _told(kind: str, name: str) -> list[Told]:
    return [Told(event="job.requested", action="other", kind="Job", name=name, new={"kind": kind})]


WRITES = [
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
