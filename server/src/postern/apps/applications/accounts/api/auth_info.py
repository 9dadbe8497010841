"""`assets/system-users/{id}/applications/{id}/auth-info/`: the secret of an application account (contract: assets)."""

from typing import ClassVar
from uuid import UUID

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.applications.accounts.revealing import reveal_on_application
from postern.apps.vault.models import SystemUser
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

_INFO = ("id", "name", "username", "protocol", "login_mode", "ad_domain", "public_key")
_SECRETS = ("password", "private_key", "token")


class ApplicationAuthInfoView(PosternView):
    """What a sign-in on an application with this system user uses: the own secret of their account, or else that of the
    system user. `?username=` is the username if it is dynamic. Needs a recent second factor; each look is audited.
    """

    rights = {"GET": Right.ORG_ADMIN}
    needs_fresh_mfa = frozenset(("GET",))
    answers: ClassVar[dict[str, Answer]] = {"get": Answer(schema=texts(*_INFO, *_SECRETS))}

    def get(self, request: Request, system_user_id: UUID, application_id: UUID) -> Response:
        row = SystemUser.objects.visible_to(self.actor, self.scope).filter(pk=system_user_id).first()
        if row is None:
            raise Http404
        secrets = reveal_on_application(actor=self.actor, system_user=row, application_id=application_id)
        about = {name: str(getattr(row, name)) for name in _INFO}
        if row.username_same_with_user:
            about["username"] = request.query_params.get("username", "")[:128]
        return Response({**about, **secrets})
