"""The system users that may be used on an asset, and on any."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.models import Asset
from postern.apps.perms.granted.api.asset_forms import Form, Mine
from postern.apps.perms.granted.reach import Usable
from postern.apps.perms.grants.action_names import to_names
from postern.apps.perms.grants.models import PermissionSystemUser
from postern.apps.vault.models import SystemUser
from postern.foundation.rest.viewsets import RowNotFound
from postern.kernel.ids import parse_id


class UsableSystemUsers(Form):
    """The system users that may be used on one asset, the default system user first (S5-026)."""

    def get(self, request: Request, **kwargs: Any) -> Response:
        asset_id = parse_id(str(self.kwargs["asset_id"]))
        reach = self.reach()
        if asset_id is None or not reach.among(Asset.objects.filter(pk=asset_id, is_active=True)).exists():
            raise RowNotFound(_("Not found."))
        return Response([_usable(system_user) for system_user in reach.usable([asset_id])[asset_id]])


def _usable(system_user: Usable) -> dict[str, Any]:
    return {
        "id": str(system_user.id),
        "name": system_user.name,
        "username": system_user.username,
        "priority": system_user.priority,
        "protocol": system_user.protocol.value,
        "login_mode": system_user.login_mode,
        "sftp_root": system_user.sftp_root,
        "username_same_with_user": system_user.username_same_with_user,
        "actions": to_names(system_user.actions),
    }


class MySystemUsersView(Mine):
    """Every system user that the caller may use on some asset (for the batch command screen)."""

    def get(self, request: Request, **kwargs: Any) -> Response:
        granted = PermissionSystemUser.objects.filter(assetpermission_id__in=self.reach().permission_ids)
        rows = SystemUser.objects.filter(pk__in=granted.values("systemuser_id")).order_by("name", "pk")
        return Response([_described(row) for row in rows])


def _described(row: SystemUser) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "name": row.name,
        "username": row.username,
        "protocol": row.protocol,
        "login_mode": row.login_mode,
        "login_mode_display": row.get_login_mode_display(),
        "priority": row.priority,
        "username_same_with_user": row.username_same_with_user,
        "auto_push": row.auto_push,
        "sudo": row.sudo,
        "shell": row.shell,
        "sftp_root": row.sftp_root,
        "comment": row.comment,
    }
