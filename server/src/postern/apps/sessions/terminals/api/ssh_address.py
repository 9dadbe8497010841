"""The address of Postern for users' SSH clients, for the commands that the console offers to copy."""

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.terminals import queries
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView


class SshAddressView(PosternView):
    """`GET terminal/ssh-address/` → `{"host", "port"}`.

    `host` is "" when the installation sets none; the console then uses its own host name.
    """

    rights = Right.VALID_USER
    always_root = True
    answers = {"get": Answer(schema=texts("host", port={"type": "integer"}))}

    def get(self, request: Request) -> Response:
        del request
        public = settings.POSTERN.ssh_public
        if public is not None:
            return Response({"host": public.host, "port": public.port})
        # With port 0 the system chooses the port; only the proxy knows it and reports it in its heartbeat.
        return Response({"host": "", "port": settings.POSTERN.ssh.port or queries.reported_ssh_port()})
