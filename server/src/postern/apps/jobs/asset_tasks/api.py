"""Endpoints that start jobs of assets and nodes (contract: assets, tasks). Each answers with the id of the job."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.models import Asset, Node
from postern.apps.jobs.account_tests.job import TEST_ACCOUNTS, AccountsArgument
from postern.apps.jobs.asset_tasks import actions
from postern.apps.jobs.connectivity.job import TEST_ASSETS, AssetsArgument
from postern.apps.jobs.engine.kinds import JobKind
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.engine.starting import StartingView
from postern.apps.jobs.facts.job import REFRESH_ASSETS
from postern.apps.jobs.push.job import PUSH_ACCOUNTS
from postern.apps.jobs.system_user_tasks.actions import start_for_accounts
from postern.apps.vault.models import SystemUser
from postern.foundation.caller.scope import writable
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.relations import OrgOwnedList

#: Action → kind of job.
_KINDS: Final[Mapping[str, JobKind[AssetsArgument]]] = {"refresh": REFRESH_ASSETS, "test": TEST_ASSETS}
_ACCOUNT_KINDS: Final[Mapping[str, JobKind[AccountsArgument]]] = {
    "push_system_user": PUSH_ACCOUNTS,
    "test_system_user": TEST_ACCOUNTS,
}
_ACTIONS: Final = tuple((name, kind.label) for name, kind in _KINDS.items())


class ActionSerializer(BodySerializer):
    """`{"action": …}`."""

    action = serializers.ChoiceField(choices=_ACTIONS, label=gettext_lazy("Action"))


class AssetsActionSerializer(ActionSerializer):
    """`{"action": …, "assets": [ids]}`."""

    assets = OrgOwnedList(Asset, label=gettext_lazy("Assets"))


class OneAssetActionSerializer(BodySerializer):
    """`{"action": …, "system_users": [ids]}`; without system users, all that the asset has."""

    action = serializers.ChoiceField(
        choices=(*_ACTIONS, *((name, kind.label) for name, kind in _ACCOUNT_KINDS.items())),
        label=gettext_lazy("Action"),
    )
    system_users = OrgOwnedList(SystemUser, required=False, label=gettext_lazy("System users"))


class AssetTasksView(StartingView):
    """Jobs of one asset, and of its accounts."""

    serializer_class = OneAssetActionSerializer

    def post(self, request: Request, asset_id: UUID) -> Response:
        asset = Asset.objects.visible_to(self.actor, self.scope).filter(pk=asset_id).first()
        if asset is None:
            raise Http404
        writable(self.scope)
        body = self.body(request)
        if body["action"] in _ACCOUNT_KINDS:
            job = self._start_for_accounts(asset, _ACCOUNT_KINDS[body["action"]], body.get("system_users", ()))
        else:
            kind = _KINDS[body["action"]]
            argument = actions.chosen([asset])
            job = actions.start_for_assets(actor=self.actor, org_id=asset.org_id, kind=kind, argument=argument)
        return Response({"task": str(job.pk)}, status=201)

    def _start_for_accounts(
        self, asset: Asset, kind: JobKind[AccountsArgument], system_users: Sequence[SystemUser]
    ) -> Job:
        if any(row.org_id != asset.org_id for row in system_users):
            raise ValidationError({"system_users": [_("The system users belong to another organization.")]})
        argument = AccountsArgument(assets=(asset.pk,), system_users=tuple(sorted({row.pk for row in system_users})))
        return start_for_accounts(actor=self.actor, org_id=asset.org_id, kind=kind, argument=argument)


class ManyAssetsTasksView(StartingView):
    """Jobs of chosen assets."""

    serializer_class = AssetsActionSerializer

    def post(self, request: Request) -> Response:
        org_id = writable(self.scope)
        body = self.body(request)
        if not body["assets"]:
            raise ValidationError({"assets": [_("Choose at least one asset.")]})
        job = actions.start_for_assets(
            actor=self.actor, org_id=org_id, kind=_KINDS[body["action"]], argument=actions.chosen(body["assets"])
        )
        return Response({"task": str(job.pk)}, status=201)


class NodeTasksView(StartingView):
    """Jobs of all assets below a node."""

    serializer_class = ActionSerializer

    def post(self, request: Request, node_id: UUID) -> Response:
        node = Node.objects.visible_to(self.actor, self.scope).filter(pk=node_id).first()
        if node is None:
            raise Http404
        writable(self.scope)
        kind = _KINDS[self.body(request)["action"]]
        argument = AssetsArgument(node=node.pk)
        job = actions.start_for_assets(actor=self.actor, org_id=node.org_id, kind=kind, argument=argument)
        return Response({"task": str(job.pk)}, status=201)
