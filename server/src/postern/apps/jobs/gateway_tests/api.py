"""`gateways/{id}/test-connective/`: test a gateway, and answer with the result (contract: gateways)."""

from typing import Final
from uuid import UUID

from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.jobs.engine import actions, queries
from postern.apps.jobs.engine.models import JobState
from postern.apps.jobs.engine.starting import StartingView
from postern.apps.jobs.gateway_tests.job import TEST_GATEWAY, GatewayArgument
from postern.apps.vault.models import Gateway
from postern.foundation.caller.scope import writable
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.openapi.answers import TEXT, Answer
from postern.kernel.errors import PosternError

#: How long the request waits for the result.
WAIT_S: Final = 25.0


class GatewayTestFailed(PosternError):
    """The gateway lets no connections through, or it is not known yet."""

    code = "gateway_test_failed"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.fields = {"error": message}


class PortSerializer(BodySerializer):
    """`{"port": number}`; without it, the gateway's own port."""

    port = serializers.IntegerField(
        min_value=1, max_value=65535, required=False, allow_null=True, label=gettext_lazy("Port")
    )


class GatewayTestView(StartingView):
    """Signs in on the gateway and connects to a port of it, on the way that sessions take."""

    answers = {"post": Answer(schema=TEXT)}
    serializer_class = PortSerializer

    def post(self, request: Request, gateway_id: UUID) -> Response:
        gateway = Gateway.objects.visible_to(self.actor, self.scope).filter(pk=gateway_id).first()
        if gateway is None:
            raise Http404
        writable(self.scope)
        port = self.body(request).get("port") or gateway.port
        job = actions.accept(
            actor=self.actor,
            org_id=gateway.org_id,
            kind=TEST_GATEWAY.name,
            argument=GatewayArgument(gateway=gateway.pk, port=port),
            subject=gateway.name,
        )
        ended = queries.ended_within(job.pk, WAIT_S)
        if ended is None:
            raise GatewayTestFailed(_("The test takes long. Its log shows how it ends: %(id)s") % {"id": job.pk})
        if ended.state != JobState.SUCCEEDED:
            raise GatewayTestFailed(queries.view_of(ended).sentence)
        return Response("ok")
