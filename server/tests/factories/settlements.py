"""One object of each kind in an organization, by the path of its resource below /api/v1/."""

import base64
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.urls import resolve

from declarations import PLAIN
from declarations.plain import Plain
from factories.grants import (
    grant,
    grant_application,
    make_application,
    make_asset,
    make_group,
    make_node,
    make_system_user,
)
from postern.apps.applications.models import ApplicationAccount, ApplicationAccountSecret
from postern.apps.assets import facade as assets
from postern.apps.assets.domains.actions import create_domain
from postern.apps.assets.models import HostKey
from postern.apps.audits.models import AuditEvent
from postern.apps.jobs.models import BatchCommand, Execution, HostOutcome, HostTask, Job, TaskVersion
from postern.apps.sessions.models import (
    Command,
    FileTransfer,
    ForwardedConnection,
    ProxyOrder,
    Session,
    SessionHold,
    Terminal,
)
from postern.apps.users.invitations.actions import LIFETIME
from postern.apps.users.models import Invitation, User, UserGroupMember
from postern.apps.vault import facade as vault
from postern.apps.vault.accounts.actions import create_account
from postern.apps.vault.models import AccountSecret, SystemUserAsset, SystemUserNode, SystemUserUser
from postern.apps.vault.system_users.actions import bind
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock


def settle(org_id: UUID, name: str, make_user: Callable[..., User], *, dynamic: str = "ssh") -> dict[str, Any]:
    """Found a small company; names begin with `name`. `dynamic`: for which protocol its system user has everybody's name."""
    user = make_user(f"{name}-person", org_id=org_id)
    group = make_group(f"{name} group", users=[user], org_id=org_id)
    node = make_node(f"{name} node", org_id=org_id)
    asset = make_asset(f"{name}-host", nodes=[node], org_id=org_id)
    system_user = make_system_user(f"{name} root", org_id=org_id)
    nobody = make_system_user(
        f"{name} same", username="", username_same_with_user=True, protocol=dynamic, org_id=org_id
    )
    admin = make_system_user(f"{name} admin", type="admin", org_id=org_id)
    permission = grant(
        f"{name} permission",
        users=[user],
        user_groups=[group],
        assets=[asset],
        nodes=[node],
        system_users=[system_user],
        org_id=org_id,
    )
    domain = create_domain(actor=SYSTEM, org_id=org_id, values={"name": f"{name} domain"})
    gateway = vault.create_gateway(
        actor=SYSTEM,
        org_id=org_id,
        values={
            "name": f"{name} gateway",
            "ip": "192.0.2.9",
            "username": "forward",
            "password": f"a password of gateway {name}",
            "domain": domain,
        },
    )
    account = create_account(
        actor=SYSTEM,
        org_id=org_id,
        values={
            "asset": asset,
            "systemuser": None,
            "username": f"{name}-own",
            "password": f"a password of account {name}",
        },
    )
    application = make_application(f"{name} database", org_id=org_id)
    application_permission = grant_application(
        f"{name} application permission",
        users=[user],
        user_groups=[group],
        applications=[application],
        system_users=[make_system_user(f"{name} database user", protocol="mysql", org_id=org_id)],
        org_id=org_id,
    )
    blob = base64.b64encode(b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + bytes(32)).decode()
    assets.check_host_key(
        actor=SYSTEM, asset_id=asset.pk, host=asset.ip, port=22, via="", public_key=f"ssh-ed25519 {blob}"
    )
    session = _session(org_id, user, asset, system_user)
    names = {"user": session.user, "asset": session.asset, "system_user": session.system_user, "org_id": org_id}
    job = Job.objects.create(org_id=org_id, kind="nodes.check", argument={}, created_by="System")
    task = HostTask.objects.create(org_id=org_id, name=f"{name} task")
    version = TaskVersion.objects.create(org_id=org_id, task=task, digest="0")
    execution = Execution.objects.create(job=job, org_id=org_id, task=task, version=version, task_display=task.name)
    command = _batch_command(org_id, user, asset, system_user)
    told = AuditEvent.objects.filter(org_id=org_id, resource_id=str(asset.pk)).earliest("sequence")
    return {
        "users/users": user,
        "users/groups": group,
        "users/invitations": Invitation.objects.create(
            org_id=org_id, addressee=f"{name}-guest", roles=["User"], date_expired=clock.now() + LIFETIME
        ),
        "users/users-groups-relations": UserGroupMember.objects.get(user=user),
        "assets/assets": asset,
        "assets/nodes": node,
        **{resource.path: _plain(org_id, resource, name) for resource in PLAIN},
        "assets/domains": domain,
        "assets/gateways": gateway,
        "assets/host-keys": HostKey.objects.get(asset=asset),
        "assets/system-users": system_user,
        "assets/admin-users": admin,
        "assets/system-users-assets-relations": bind(actor=SYSTEM, row=SystemUserAsset(systemuser=admin, asset=asset)),
        "assets/accounts": account,
        "assets/account-secrets": AccountSecret.objects.get(pk=account.pk),
        "assets/system-users-nodes-relations": bind(
            actor=SYSTEM, row=SystemUserNode(systemuser=system_user, node=node)
        ),
        "assets/system-users-users-relations": bind(actor=SYSTEM, row=SystemUserUser(systemuser=nobody, user=user)),
        "applications/applications": application,
        "applications/accounts": ApplicationAccount.objects.get(application=application),
        "applications/account-secrets": ApplicationAccountSecret.objects.get(application=application),
        "perms/application-permissions": application_permission,
        "perms/application-permissions-users-relations": application_permission.user_rows.get(),
        "perms/application-permissions-user-groups-relations": application_permission.user_group_rows.get(),
        "perms/application-permissions-applications-relations": application_permission.application_rows.get(),
        "perms/application-permissions-system-users-relations": application_permission.system_user_rows.get(),
        "perms/asset-permissions": permission,
        "perms/reviews/asset-permissions": permission,
        "perms/reviews/application-permissions": application_permission,
        "perms/asset-permissions-users-relations": permission.user_rows.get(),
        "perms/asset-permissions-user-groups-relations": permission.user_group_rows.get(),
        "perms/asset-permissions-assets-relations": permission.asset_rows.get(),
        "perms/asset-permissions-nodes-relations": permission.node_rows.get(),
        "perms/asset-permissions-system-users-relations": permission.system_user_rows.get(),
        "ops/celery/task": job,
        "ops/ansible/task": job,
        "ops/adhoc": version,
        "ops/adhoc-executions": execution,
        "audits/command-execution-logs": command,
        "audits/command-executions-hosts-relations": HostOutcome.objects.get(execution_id=command.pk),
        "terminal/sessions": session,
        "terminal/commands": Command.objects.create(
            session=session, asset_id=session.asset_id, input="id", at=clock.now(), **names
        ),
        "terminal/holds": SessionHold.objects.create(
            org_id=org_id, user_id=user.pk, name=str(user), reason=f"matter of {name}"
        ),
        "terminal/tasks": ProxyOrder.objects.create(
            session=session,
            org_id=session.org_id,
            terminal=session.terminal,
            kind="terminate_session",
            by="System",
        ),
        "audits/ftp-logs": FileTransfer.objects.create(
            session=session, direction="upload", operate="Upload", filename="/a", **names
        ),
        "audits/forwarded-connections": ForwardedConnection.objects.create(
            session=session,
            org_id=session.org_id,
            asked="localhost:8080",
            opened="127.0.0.1:8080",
            date_start=session.date_start,
        ),
        "audits/events": told,
        "audits/operate-logs": told,
    }


def _plain(org_id: UUID, resource: Plain, name: str) -> Any:
    """An object of a plain resource, made by the writes of its viewset."""
    viewset: Any = resolve(resource.url).func
    return viewset.cls.writes.create(actor=SYSTEM, org_id=org_id, values=resource.called(name))


def _batch_command(org_id: UUID, user: User, asset: Any, system_user: Any) -> BatchCommand:
    job = Job.objects.create(org_id=org_id, kind="commands.run", argument={}, created_by=str(user))
    execution = Execution.objects.create(job=job, org_id=org_id, hosts_amount=1, is_listed=False)
    HostOutcome.objects.create(execution=execution, position=0, asset_id=asset.pk, hostname=asset.hostname, ip=asset.ip)
    row: BatchCommand = BatchCommand.objects.create(
        job=job,
        org_id=org_id,
        command="uptime",
        user_id=user.pk,
        user_name=user.name,
        username=user.username,
        user_label=str(user),
        epoch=user.session_epoch,
        run_as=system_user.pk,
        run_as_name=system_user.name,
        run_as_username=system_user.username,
        hosts_amount=1,
    )
    return row


def _session(org_id: UUID, user: User, asset: Any, system_user: Any) -> Session:
    terminal, _made = Terminal.objects.get_or_create(name="proxy-1", defaults={"type": "core", "secret_hash": "0" * 64})
    session: Session = Session.objects.create(
        org_id=org_id,
        user_id=user.pk,
        user=str(user),
        username=user.username,
        asset_id=asset.pk,
        asset=asset.hostname,
        system_user_id=system_user.pk,
        system_user=system_user.name,
        terminal=terminal,
        state="active",
        kind="shell",
        ever_active=True,
    )
    return session
