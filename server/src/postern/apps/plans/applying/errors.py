"""Errors of applying a plan."""

from postern.kernel.errors import Conflict


class StateMoved(Conflict):
    """The plan that was agreed on is not the present plan."""

    code = "plan_outdated"


class PlanBusy(Conflict):
    """Other requests changed the same objects again and again while the plan was applied."""

    code = "conflict"
