"""Tokens for users: to open a session from the browser, and to watch a live session."""

from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.sessions import policy
from postern.apps.sessions.sessions.actions import tokens
from postern.apps.sessions.sessions.actions.tokens import IssuedToken
from postern.apps.sessions.sessions.api.serializers import ConnectionTokenSerializer
from postern.contracts.access import Denial
from postern.contracts.browser import PROXY_STREAM
from postern.contracts.enums import Protocol
from postern.contracts.files import FILES_PATH
from postern.foundation.caller.actor import Actor
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.openapi.answers import ANY_OBJECT, Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView


def login_session_of(actor: Actor) -> UUID | None:
    """The browser sign-in of a request; None for calls with a token or an access key."""
    return UUID(actor.login_session) if actor.login_session else None


def issued(token: IssuedToken) -> Response:
    """The response with the token. No other response contains it (K18: a token is shown once)."""
    return Response(
        {
            "token": token.token.reveal(),
            "terminal_id": str(token.terminal_id),
            "ws_path": PROXY_STREAM.format(terminal_id=token.terminal_id),
            "expires_in": policy.TOKEN_LIFE_S,
        },
        status=status.HTTP_201_CREATED,
    )


class ConnectionTokenView(PosternView):
    """`POST authentication/connection-token/`: create a token for one session of the caller.

    With `files` it is for the file manager: the answer states in `files_path` where its requests go.
    """

    answers = {"post": Answer(201, schema=ANY_OBJECT)}
    rights = Right.VALID_USER
    always_root = True

    def post(self, request: Request) -> Response:
        data = body_of(request, ConnectionTokenSerializer)
        if data["user"] and data["user"] not in {str(self.actor.user_id), self.actor.username}:
            return Response(
                {"detail": _("You can create a token only for yourself."), "code": "permission_denied"}, status=403
            )
        answer = tokens.issue_connection_token(
            actor=self.actor,
            asset=data["asset"],
            system_user=data["system_user"],
            protocol=Protocol(data["protocol"]),
            login_session=login_session_of(self.actor),
            files=data["files"],
        )
        if isinstance(answer, Denial):
            body = {"detail": answer.message, "code": answer.code.value, "reasons": list(answer.reasons)}
            return Response(body, status=status.HTTP_403_FORBIDDEN)
        response = issued(answer)
        if data["files"]:
            response.data["files_path"] = FILES_PATH.partition("{session_id}")[0].format(terminal_id=answer.terminal_id)
        return response
