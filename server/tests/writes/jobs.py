"""Writes of jobs: starting and cancelling them."""

from writes.case import Again, Told, Write

WRITES = [
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
