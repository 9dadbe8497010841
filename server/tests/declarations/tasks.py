"""Tasks of the job center. What they do and their executions have tests of their own (`tests/integration/jobs`)."""

from declarations.plain import Plain

RESOURCE = Plain(
    path="ops/tasks",
    kind="HostTask",
    values={"name": "nightly", "crontab": "30 3 * * 1-5", "is_periodic": True},
    unique=frozenset({"name"}),
    more=frozenset(
        {
            "kind",
            "kind_display",
            "subject",
            "interval",
            "is_deleted",
            "date_due",
            "created_by",
            "date_updated",
            "latest_execution",
            "summary",
            "contents",
            "next_runs",
        }
    ),
)
