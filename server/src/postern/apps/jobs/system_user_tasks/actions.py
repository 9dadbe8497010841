"""Starting the jobs of accounts: one host for each pair of asset and system user."""

from collections.abc import Sequence
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.assets import facade as assets
from postern.apps.jobs.account_tests.job import AccountsArgument
from postern.apps.jobs.engine.kinds import JobKind
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.executions import actions as executions
from postern.apps.jobs.host_tasks.models import HostTask
from postern.apps.vault import facade as vault
from postern.foundation.caller.actor import Actor


def start_for_accounts(
    *,
    actor: Actor,
    org_id: UUID,
    kind: JobKind[AccountsArgument],
    argument: AccountsArgument,
    task: HostTask | None = None,
    is_news: bool = False,
) -> Job:
    """Start a job about the accounts of one organization that the argument names; `is_news` as in `engine.accept`.

    Raises NoHosts, TooManyHosts.
    """
    hosts, known, names = _hosts_of_accounts(org_id, argument) if argument.accounts else _hosts_of(org_id, argument)
    subject = _subject(known, sorted(names))
    plan = executions.Plan(
        name=f"{kind.label}: {subject}",
        subject=subject,
        steps=[{"name": str(kind.label), "action": {"module": kind.name, "args": ""}}],
        run_as=", ".join(sorted({host.username for host in hosts})),
    )
    return executions.start(
        actor=actor,
        org_id=org_id,
        kind=kind,
        argument=argument,
        plan=plan,
        hosts=hosts,
        task=task,
        is_news=is_news,
    )


_Hosts = tuple[list[executions.Host], Sequence[assets.AssetBrief], set[str]]


def _hosts_of(org_id: UUID, argument: AccountsArgument) -> _Hosts:
    """The hosts, their assets, and the names of the system users."""
    accounts = _named(argument)
    known = assets.asset_briefs({asset_id for asset_id, _system_user_id in accounts})
    users = vault.system_user_briefs({system_user_id for _asset_id, system_user_id in accounts})
    pairs = [
        (known[account], users[other])
        for account, other in dict.fromkeys(accounts)
        if account in known and other in users and known[account].org_id == users[other].org_id == org_id
    ]
    hosts = [
        _host(asset, user.id, argument.username if user.username_same_with_user else user.username)
        for asset, user in pairs
    ]
    return hosts, [asset for asset, _user in pairs], {user.name for _asset, user in pairs}


def _hosts_of_accounts(org_id: UUID, argument: AccountsArgument) -> _Hosts:
    """The hosts, their assets, and the names of the accounts."""
    accounts = vault.account_briefs(argument.accounts)
    known = assets.asset_briefs({account.asset_id for account in accounts})
    accounts = [
        account for account in accounts if account.asset_id in known and known[account.asset_id].org_id == org_id
    ]
    hosts = [_host(known[account.asset_id], account.system_user_id, account.username) for account in accounts]
    return hosts, [known[account.asset_id] for account in accounts], {account.username or "*" for account in accounts}


def _host(asset: assets.AssetBrief, system_user_id: UUID | None, username: str) -> executions.Host:
    return executions.Host(
        asset_id=asset.id, hostname=asset.hostname, ip=asset.ip, system_user_id=system_user_id, username=username
    )


def _named(argument: AccountsArgument) -> Sequence[tuple[UUID, UUID]]:
    """The pairs of asset and system user as they are now."""
    if not argument.assets:
        return vault.accounts_of(system_user_ids=list(argument.system_users))
    if not argument.system_users:
        return vault.accounts_of(asset_ids=list(argument.assets))
    return [(asset_id, system_user_id) for asset_id in argument.assets for system_user_id in argument.system_users]


def _subject(briefs: Sequence[assets.AssetBrief], users: Sequence[str]) -> str:
    ids = {asset.id for asset in briefs}
    where = briefs[0].hostname if len(ids) == 1 else _("%(number)d assets") % {"number": len(ids)}
    return f"{', '.join(users[:3])}{' …' if len(users) > 3 else ''} @ {where}"
