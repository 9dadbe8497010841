"""Starting the jobs of assets and nodes."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset, Node
from postern.apps.jobs.connectivity.job import AssetsArgument
from postern.apps.jobs.engine.kinds import JobKind
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.executions import actions as executions
from postern.foundation.caller.actor import Actor


def start_for_assets(*, actor: Actor, org_id: UUID, kind: JobKind[AssetsArgument], chosen: Sequence[Asset]) -> Job:
    """Start a job about these assets of one organization. Raises NoHosts, TooManyHosts."""
    rows = sorted({row.pk: row for row in chosen}.values(), key=lambda row: (row.hostname, row.pk))
    subject = str(rows[0]) if len(rows) == 1 else _("%(number)d assets") % {"number": len(rows)}
    argument = AssetsArgument(assets=tuple(sorted(row.pk for row in rows)))
    plan = _plan(kind, subject)
    return executions.start(actor=actor, org_id=org_id, kind=kind, argument=argument, plan=plan, hosts=_hosts(rows))


def start_for_node(*, actor: Actor, kind: JobKind[AssetsArgument], node: Node) -> Job:
    """Start a job about all active assets below a node. Raises NoHosts, TooManyHosts."""
    rows = list(assets.assets_in(node, all_below=True).filter(is_active=True).order_by("hostname", "id"))
    plan = _plan(kind, node.full_value)
    argument = AssetsArgument(node=node.pk)
    return executions.start(
        actor=actor, org_id=node.org_id, kind=kind, argument=argument, plan=plan, hosts=_hosts(rows)
    )


def _plan(kind: JobKind[AssetsArgument], subject: str) -> executions.Plan:
    return executions.Plan(
        name=f"{kind.label}: {subject}",
        subject=subject,
        steps=[{"name": str(kind.label), "action": {"module": kind.name, "args": ""}}],
        run_as_admin=True,
    )


def _hosts(rows: Iterable[Asset]) -> list[executions.Host]:
    return [executions.Host(asset_id=row.pk, hostname=row.hostname, ip=row.ip) for row in rows]
