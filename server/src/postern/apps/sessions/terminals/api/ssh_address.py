"""Where people's own SSH clients reach Postern: for the lines that the console has them copy."""

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.terminals import queries
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView


class SshAddressView(PosternView):
    """`GET terminal/ssh-address/` → `{"host", "port"}`.

    `host` is "" when the installation names none: then it is the host under which the console was called.
    """

    rights = Right.VALID_USER
    always_root = True
    answers = {"get": Answer(schema=texts("host", port={"type": "integer"}))}

    def get(self, request: Request) -> Response:
        del request
        public = settings.POSTERN.ssh_public
        if public is not None:
            return Response({"host": public.host, "port": public.port})
        # A port that the system chose is known to the proxy alone, which tells it in its heartbeat.
        return Response({"host": "", "port": settings.POSTERN.ssh.port or queries.reported_ssh_port()})
