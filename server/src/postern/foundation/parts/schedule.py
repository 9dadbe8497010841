"""Entries for the Celery schedule, as in the `BEAT` of each app's `tasks`."""

from typing import Any


def every(task: Any, seconds: float) -> dict[str, Any]:
    """Run a task at this interval. A run that has not started within the interval is dropped, since the next one
    follows.
    """
    return {"task": task.name, "schedule": seconds, "options": {"expires": seconds}}
