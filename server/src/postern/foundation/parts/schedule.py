"""Entries of the schedule, as the `BEAT` of each app's `tasks` holds them."""

from typing import Any


def every(task: Any, seconds: float) -> dict[str, Any]:
    """Run a task every so many seconds. A round that waited longer than its interval is dropped: the next one is there."""
    return {"task": task.name, "schedule": seconds, "options": {"expires": seconds}}
