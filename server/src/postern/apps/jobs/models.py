"""The models of all folders of this app."""

from postern.apps.jobs.batch_commands.models import BatchCommand, HostOutput
from postern.apps.jobs.command_snippets.models import CommandSnippet
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.executions.models import Execution, HostOutcome
from postern.apps.jobs.host_tasks.models import HostTask, TaskVersion
from postern.apps.jobs.periodic_tasks.models import PeriodicTask

__all__ = [
    "BatchCommand",
    "CommandSnippet",
    "Execution",
    "HostOutcome",
    "HostOutput",
    "HostTask",
    "Job",
    "JobState",
    "PeriodicTask",
    "TaskVersion",
]
