"""`GET applications/remote-apps/{id}/connection-info/`, for proxies (contract: applications, "Components")."""

from uuid import UUID

from django.http import Http404
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.applications import facade as applications
from postern.apps.applications.models import Application
from postern.apps.sessions.terminals.api.internal import InternalView
from postern.foundation.rest.openapi.answers import Answer, texts

_PARAMETERS = texts("parameters", "program", "working_directory")


class RemoteAppConnectionView(InternalView):
    """The host of a remote app, and how it is started there. It holds no secret: a proxy gets one with a session."""

    needs_licence = True
    most_a_minute = 600
    answers = {
        "get": Answer(
            schema=texts(
                "id", "name", asset={"type": ["string", "null"], "format": "uuid"}, parameter_remote_app=_PARAMETERS
            )
        )
    }

    def get(self, request: Request, application_id: UUID) -> Response:
        del request
        rows = Application.objects.filter(pk=application_id, category=applications.Category.REMOTE_APP)
        row = rows.first()
        if row is None:
            raise Http404
        return Response(
            {
                "id": str(row.pk),
                "name": row.name,
                "asset": None if row.asset_id is None else str(row.asset_id),
                "parameter_remote_app": {
                    "program": applications.REMOTE_APP_PROGRAM,
                    "working_directory": "",
                    "parameters": applications.parameters_of(row),
                },
            }
        )


urlpatterns = [
    path("applications/remote-apps/<uuid:application_id>/connection-info/", RemoteAppConnectionView.as_view()),
]
