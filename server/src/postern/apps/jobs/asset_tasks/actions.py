"""Starting the jobs of assets and nodes."""

from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset, Node
from postern.apps.jobs.connectivity.job import AssetsArgument
from postern.apps.jobs.engine.kinds import JobKind
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.executions import actions as executions
from postern.apps.jobs.host_tasks.models import HostTask
from postern.foundation.caller.actor import Actor


def start_for_assets(
    *,
    actor: Actor,
    org_id: UUID,
    kind: JobKind[AssetsArgument],
    argument: AssetsArgument,
    task: HostTask | None = None,
) -> Job:
    """Start a job about the assets of one organization that the argument names: chosen assets, or all active assets below a
    node. Raises NoHosts, TooManyHosts.
    """
    rows, subject = _named(org_id, argument)
    plan = executions.Plan(
        name=f"{kind.label}: {subject}",
        subject=subject,
        steps=[{"name": str(kind.label), "action": {"module": kind.name, "args": ""}}],
        run_as_admin=True,
    )
    hosts = [executions.Host(asset_id=row.pk, hostname=row.hostname, ip=row.ip) for row in rows]
    return executions.start(actor=actor, org_id=org_id, kind=kind, argument=argument, plan=plan, hosts=hosts, task=task)


def chosen(rows: list[Asset]) -> AssetsArgument:
    """The argument for these assets."""
    return AssetsArgument(assets=tuple(sorted({row.pk for row in rows})))


def _named(org_id: UUID, argument: AssetsArgument) -> tuple[list[Asset], str]:
    """The assets as they are now, and what people call them. Raises NoHosts when the node is gone."""
    if argument.node is None:
        rows = list(Asset.objects.filter(org_id=org_id, pk__in=argument.assets).order_by("hostname", "id"))
        return rows, str(rows[0]) if len(rows) == 1 else _("%(number)d assets") % {"number": len(rows)}
    node = Node.objects.filter(org_id=org_id, pk=argument.node).first()
    if node is None:
        raise executions.NoHosts(_("The node was deleted."))
    return (
        list(assets.assets_in(node, all_below=True).filter(is_active=True).order_by("hostname", "id")),
        node.full_value,
    )
