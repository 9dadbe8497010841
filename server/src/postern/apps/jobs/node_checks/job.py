"""Checks the tree of one organization, and corrects it if necessary."""

from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.assets import facade as assets
from postern.apps.audits import facade as audits
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.kinds import JobKind, NoArgument, OnLost, Outcome
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest.rights import Right


def check_nodes(job: JobRun, _argument: NoArgument) -> Outcome:
    """Look at everything without holding anybody up; lock and correct only if something is wrong."""
    job.say(_("Comparing the places of all nodes and assets with the tree."))
    faults = assets.find_tree_faults(job.org_id, job.check)
    job.say(_("Nodes checked: %(nodes)d, assets: %(assets)d.") % {"nodes": faults.nodes, "assets": faults.assets})
    numbers = {"nodes": faults.nodes, "assets": faults.assets}
    if not faults.number:
        job.say(_("Everything is in order."))
        return Outcome(code="whole", values=numbers)
    for words, rows in (
        (_("Places of nodes that were missing: %(number)d."), faults.missing_paths),
        (_("Places of nodes that were wrong: %(number)d."), faults.extra_paths),
        (_("Nodes with a wrong key or path: %(number)d."), faults.wrong_names),
        (_("Assets that were in no node and are in the root node now: %(number)d."), faults.unplaced_assets),
    ):
        if rows:
            job.say(words % {"number": len(rows)})
    return Outcome(code="corrected", values={**numbers, "faults": faults.number}, effect=partial(_correct, job.org_id))


def _correct(org_id: UUID) -> None:
    faults = assets.correct_tree(org_id)
    audits.record(
        actor=SYSTEM,
        org_id=org_id,
        event=audits.Event.NODE_TREE_CORRECTED,
        object_type="Node",
        new={"faults": faults.number},
    )


CHECK_NODES: Final = JobKind(
    name="nodes.check",
    label=gettext_lazy("Check the numbers of the node tree"),
    argument=NoArgument,
    run=check_nodes,
    right=Right.ORG_ADMIN,
    on_lost=OnLost.RERUN,
    time_limit=timedelta(minutes=30),
    joins=True,
    outcomes={
        "whole": gettext_lazy("The tree is in order. Nodes: %(nodes)d, assets: %(assets)d."),
        "corrected": gettext_lazy("Differences that were corrected: %(faults)d. Nodes: %(nodes)d, assets: %(assets)d."),
    },
)
