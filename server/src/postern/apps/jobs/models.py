"""The models of all folders of this app."""

from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.executions.models import Execution, HostOutcome
from postern.apps.jobs.host_tasks.models import HostTask, TaskVersion

__all__ = ["Execution", "HostOutcome", "HostTask", "Job", "JobState", "TaskVersion"]
