"""The caller enters the credential of their next session beforehand, sees what is stored, and deletes it.

`POST assets/system-users/{id}/temp-auth/` and `assets/entered-credentials/`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.entered_credentials import actions
from postern.apps.sessions.entered_credentials.models import EnteredCredential
from postern.contracts.access import Denial
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import DeleteMixin, ReadOnlyViewSet, RowNotFound
from postern.kernel.secret import Secret

_MAX_PASSWORD = 512


class EnteredCredentialSerializer(BodySerializer):
    """`instance_id`: the asset. `username` may be empty when the system user has a username."""

    instance_id = serializers.UUIDField(label=gettext_lazy("Asset"))
    username = PlainField(max_length=128, required=False, allow_blank=True, default="", label=gettext_lazy("Username"))
    password = serializers.CharField(
        max_length=_MAX_PASSWORD, trim_whitespace=False, write_only=True, label=gettext_lazy("Password")
    )


class EnteredCredentialView(PosternView):
    """For system users with manual sign-in. Stored for five minutes, for one session of the caller; nothing returns it."""

    rights = {"POST": Right.VALID_USER}
    always_root = True
    serializer_class = EnteredCredentialSerializer
    answers = {"post": Answer(201, schema=texts(expires_in={"type": "integer"}))}

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer of the body, for OPTIONS."""
        # The API description is generated without a request.
        return self.serializer_class(*args, context={"request": getattr(self, "request", None)}, **kwargs)

    def post(self, request: Request, system_user_id: UUID) -> Response:
        data = body_of(request, EnteredCredentialSerializer)
        answer = actions.keep(
            actor=self.actor,
            system_user_id=system_user_id,
            asset_id=data["instance_id"],
            login_name=data["username"],
            password=Secret(data["password"]),
        )
        if isinstance(answer, Denial):
            body = {"detail": answer.message, "code": answer.code.value, "reasons": list(answer.reasons)}
            return Response(body, status=status.HTTP_403_FORBIDDEN)
        return Response({"expires_in": actions.LIFE_S}, status=status.HTTP_201_CREATED)


class KeptCredentialSerializer(ResourceSerializer):
    """A credential that waits for a session. It never has the password."""

    asset = serializers.UUIDField(source="asset_id", read_only=True, label=gettext_lazy("Asset"))
    asset_display = serializers.CharField(source="asset", read_only=True, label=gettext_lazy("Asset"))
    system_user = serializers.UUIDField(source="system_user_id", read_only=True, label=gettext_lazy("System user"))
    system_user_display = serializers.CharField(source="system_user", read_only=True, label=gettext_lazy("System user"))
    username = serializers.CharField(source="login_name", read_only=True, label=gettext_lazy("Username"))

    class Meta:
        model = EnteredCredential
        fields_mini = ("id",)
        fields_small = (
            *fields_mini, "asset", "asset_display", "system_user", "system_user_display", "username", "date_created",
            "date_expired",
        )  # fmt: skip
        fields = fields_small
        read_only_fields = ("date_created", "date_expired")


class KeptCredentialViewSet(DeleteMixin, ReadOnlyViewSet):
    """The caller's own entered credentials that no session has used yet, sorted by their end."""

    queryset = EnteredCredential.objects.all()
    serializer_class = KeptCredentialSerializer
    rights = Right.VALID_USER
    always_root = True
    changed_in_organization = False
    importable = exportable = False
    filter_fields: ClassVar[Mapping[str, str]] = {"asset": "asset_id", "system_user": "system_user_id"}
    search_fields = ("asset", "system_user", "login_name")
    default_order = ("date_expired", "id")

    def delete_object(self, instance: EnteredCredential) -> None:
        try:
            actions.forget(actor=self.actor, credential_id=instance.pk)
        except EnteredCredential.DoesNotExist:
            raise RowNotFound(_("Not found.")) from None


urlpatterns = [
    path("assets/system-users/<uuid:system_user_id>/temp-auth/", EnteredCredentialView.as_view()),
    path("assets/entered-credentials/", KeptCredentialViewSet.as_view({"get": "list"})),
    path(
        "assets/entered-credentials/<str:pk>/",
        KeptCredentialViewSet.as_view({"get": "retrieve", "delete": "destroy"}),
    ),
]
