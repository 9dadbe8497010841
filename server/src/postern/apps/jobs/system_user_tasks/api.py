"""`system-users/{id}/tasks/`: push a system user, or test its accounts (contract: system users)."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.models import Asset
from postern.apps.jobs.account_tests.job import TEST_ACCOUNTS, AccountsArgument
from postern.apps.jobs.engine.kinds import JobKind
from postern.apps.jobs.engine.starting import StartingView
from postern.apps.jobs.push.job import PUSH_ACCOUNTS
from postern.apps.jobs.system_user_tasks.actions import start_for_accounts
from postern.apps.vault.models import SystemUser
from postern.foundation.caller.scope import writable
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.relations import OrgOwnedField, OrgOwnedList
from postern.foundation.rest.text import disguise_in

_KINDS: Final[Mapping[str, JobKind[AccountsArgument]]] = {"push": PUSH_ACCOUNTS, "test": TEST_ACCOUNTS}


class SystemUserActionSerializer(BodySerializer):
    """`{"action": …, "asset": id, "assets": [ids]}`; without assets, all of the system user."""

    action = serializers.ChoiceField(
        choices=tuple((name, kind.label) for name, kind in _KINDS.items()), label=gettext_lazy("Action")
    )
    asset = OrgOwnedField(Asset, required=False, allow_null=True, label=gettext_lazy("Asset"))
    assets = OrgOwnedList(Asset, required=False, label=gettext_lazy("Assets"))


class SystemUserTasksView(StartingView):
    """Jobs of one system user."""

    serializer_class = SystemUserActionSerializer

    def post(self, request: Request, system_user_id: UUID) -> Response:
        row = SystemUser.objects.visible_to(self.actor, self.scope).filter(pk=system_user_id).first()
        if row is None:
            raise Http404
        writable(self.scope)
        body = self.body(request)
        chosen = [*body.get("assets", ()), *([body["asset"]] if body.get("asset") else [])]
        if any(asset.org_id != row.org_id for asset in chosen):
            raise ValidationError({"assets": [_("The assets belong to another organization.")]})
        username = request.query_params.get("username", "")[:128]
        if disguise_in(username, lines=False) is not None:
            raise ValidationError({"username": [_("The username contains an invisible character. Remove it.")]})
        if row.username_same_with_user and not username:
            raise ValidationError({"username": [_("Name the account: this system user has no username of its own.")]})
        argument = AccountsArgument(
            system_users=(row.pk,),
            assets=tuple(sorted({asset.pk for asset in chosen})),
            username=username if row.username_same_with_user else "",
        )
        job = start_for_accounts(actor=self.actor, org_id=row.org_id, kind=_KINDS[body["action"]], argument=argument)
        return Response({"task": str(job.pk)}, status=201)
