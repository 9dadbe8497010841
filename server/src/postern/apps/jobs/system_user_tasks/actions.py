"""Starting the jobs of accounts: one host for each pair of asset and system user."""

from collections.abc import Sequence
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.assets import facade as assets
from postern.apps.jobs.account_tests.job import AccountsArgument
from postern.apps.jobs.engine.kinds import JobKind
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.executions import actions as executions
from postern.apps.vault import facade as vault
from postern.foundation.caller.actor import Actor


def start_for_accounts(
    *,
    actor: Actor,
    org_id: UUID,
    kind: JobKind[AccountsArgument],
    accounts: Sequence[tuple[UUID, UUID]],
    username: str = "",
) -> Job:
    """Start a job about these pairs of asset and system user of one organization. Raises NoHosts, TooManyHosts."""
    known = assets.asset_briefs({asset_id for asset_id, _system_user_id in accounts})
    users = vault.system_user_briefs({system_user_id for _asset_id, system_user_id in accounts})
    pairs = [(known[one], users[other]) for one, other in dict.fromkeys(accounts) if one in known and other in users]
    hosts = [
        executions.Host(
            asset_id=asset.id,
            hostname=asset.hostname,
            ip=asset.ip,
            system_user_id=user.id,
            username=username if user.username_same_with_user else user.username,
        )
        for asset, user in pairs
    ]
    subject = _subject([asset for asset, _user in pairs], sorted({user.name for _asset, user in pairs}))
    plan = executions.Plan(
        name=f"{kind.label}: {subject}",
        subject=subject,
        steps=[{"name": str(kind.label), "action": {"module": kind.name, "args": ""}}],
        run_as=", ".join(sorted({host.username for host in hosts})),
    )
    argument = AccountsArgument(
        system_users=tuple(sorted({user.id for _asset, user in pairs})),
        assets=tuple(sorted({asset.id for asset, _user in pairs})),
        username=username,
    )
    return executions.start(actor=actor, org_id=org_id, kind=kind, argument=argument, plan=plan, hosts=hosts)


def _subject(found: Sequence[assets.AssetBrief], users: Sequence[str]) -> str:
    ids = {asset.id for asset in found}
    where = found[0].hostname if len(ids) == 1 else _("%(number)d assets") % {"number": len(ids)}
    return f"{', '.join(users[:3])}{' …' if len(users) > 3 else ''} @ {where}"
