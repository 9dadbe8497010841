"""Who may read and cancel a job."""

from postern.apps.jobs.engine.kinds import KINDS
from postern.apps.jobs.engine.models import Job
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.rest import rights


def may_read(actor: Actor, scope: OrgScope, job: Job) -> bool:
    """The member who started it, who may start this kind of job in its organization, and the readers of the kind."""
    kind = KINDS.value.get(job.kind)
    readers = kind.readers if kind is not None else None
    is_reader = readers is not None and scope.covers(job.org_id) and rights.holds(readers, actor, scope)
    return may_cancel(actor, scope, job) or is_reader


def may_cancel(actor: Actor, scope: OrgScope, job: Job) -> bool:
    """The member who started it, and who may start this kind of job in its organization."""
    return _is_own(actor, job) or _may_start(actor, scope, job)


def _is_own(actor: Actor, job: Job) -> bool:
    """Who has left an organization reads nothing of it any more, and ends nothing there."""
    is_creator = job.created_by_id is not None and job.created_by_id == actor.user_id
    return actor.is_valid_user and is_creator and actor.belongs_to(job.org_id)


def _may_start(actor: Actor, scope: OrgScope, job: Job) -> bool:
    kind = KINDS.value.get(job.kind)
    return kind is not None and scope.covers(job.org_id) and rights.holds(kind.right, actor, scope)
