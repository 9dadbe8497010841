"""The models of all folders of this app."""

from postern.apps.jobs.engine.models import Job, JobState

__all__ = ["Job", "JobState"]
