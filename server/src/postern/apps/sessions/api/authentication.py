"""Credentials of components: `Terminal <id>.<secret>` of a registered proxy, `BootstrapToken <token>` to become one.

Only the views that are made for components ask these classes; a person's credential is worth nothing there, and the
other way round (K8).
"""

from dataclasses import dataclass

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from postern.apps.authn.refused_credentials import refuse
from postern.apps.sessions import messages, queries, registration
from postern.apps.sessions.models import Terminal
from postern.foundation.actor import Actor, ActorKind

_MAX_HEADER_CHARS = 1024


@dataclass(frozen=True)
class Component:
    """What `request.user` is for a component."""

    terminal: Terminal | None
    is_authenticated: bool = True


def credential_in(request: Request, scheme: str) -> str | None:
    """The text after `scheme` in the Authorization header; None when another scheme, or none, is used."""
    header = str(request.META.get("HTTP_AUTHORIZATION", ""))
    if len(header) > _MAX_HEADER_CHARS:
        return None
    word, _, rest = header.partition(" ")
    return rest.strip() if word.lower() == scheme.lower() else None


class TerminalAuthentication(BaseAuthentication):
    """A registered, accepted proxy."""

    def authenticate(self, request: Request) -> tuple[Component, Actor] | None:
        text = credential_in(request, "Terminal")
        if text is None:
            return None
        terminal = queries.terminal_by_credential(text)
        if terminal is None:
            raise AuthenticationFailed("this component is not registered, or not accepted")
        return Component(terminal), messages.component(terminal.name, request.META.get("REMOTE_ADDR"))

    def authenticate_header(self, request: Request) -> str:
        return "Terminal"


class BootstrapAuthentication(BaseAuthentication):
    """Whoever holds the bootstrap token may register a component, and nothing else."""

    def authenticate(self, request: Request) -> tuple[Component, Actor] | None:
        text = credential_in(request, "BootstrapToken")
        if text is None:
            return None
        if not registration.is_bootstrap_token(text):
            refuse(request, "the bootstrap token is wrong")
        actor = Actor(kind=ActorKind.BOOTSTRAP, name="bootstrap token", remote_addr=request.META.get("REMOTE_ADDR"))
        return Component(None), actor

    def authenticate_header(self, request: Request) -> str:
        return "BootstrapToken"
