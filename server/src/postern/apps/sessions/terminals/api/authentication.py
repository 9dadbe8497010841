"""Credentials of components: `Terminal <id>.<secret>` of a registered proxy; `BootstrapToken <token>` or `LocalProxy <proof>`
to become one.

Only the views that are made for components ask these classes; a person's credential is worth nothing there, and the
other way round (K8).
"""

from dataclasses import dataclass

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from postern.apps.authn.authentication.refused_credentials import refuse
from postern.apps.sessions import messages
from postern.apps.sessions.terminals import queries, registration
from postern.apps.sessions.terminals.actions import registrations, sightings
from postern.apps.sessions.terminals.models import Terminal
from postern.foundation.caller.actor import Actor, ActorKind, anonymous

_MAX_HEADER_CHARS = 1024


@dataclass(frozen=True)
class Component:
    """What `request.user` is for a component. `secret_hash`: of the credential that it has shown."""

    terminal: Terminal | None
    secret_hash: str = ""
    is_local: bool = False
    is_authenticated: bool = True


def credential_in(request: Request, scheme: str) -> str | None:
    """The text after `scheme` in the Authorization header; None when another scheme, or none, is used."""
    header = str(request.META.get("HTTP_AUTHORIZATION", ""))
    if len(header) > _MAX_HEADER_CHARS:
        return None
    word, _, rest = header.partition(" ")
    return rest.strip() if word.lower() == scheme.lower() else None


class TerminalAuthentication(BaseAuthentication):
    """A registered, accepted proxy. Its credential is for one place: where its heartbeats come from."""

    #: Whether terminals pass that wait, or that were deleted.
    any_state = False
    #: Whether a use from another address is noted.
    is_watched = True

    def authenticate(self, request: Request) -> tuple[Component, Actor] | None:
        text = credential_in(request, "Terminal")
        if text is None:
            return None
        shown = queries.credential_of(text)
        if shown is None or not (self.any_state or shown.terminal.is_accepted):
            raise AuthenticationFailed("this component is not registered, or not accepted")
        remote_addr = request.META.get("REMOTE_ADDR")
        if self.is_watched and remote_addr and sightings.is_elsewhere(shown.terminal, remote_addr):
            sightings.note(shown.terminal, remote_addr)
        actor = messages.component(shown.terminal.name, remote_addr)
        return Component(shown.terminal, shown.secret_hash), actor

    def authenticate_header(self, request: Request) -> str:
        return "Terminal"


class AnyTerminalAuthentication(TerminalAuthentication):
    """A proxy that has registered, whatever became of it: it may ask just that. A proxy that has moved asks it first."""

    any_state = True
    is_watched = False


class HeartbeatAuthentication(TerminalAuthentication):
    """A heartbeat is what tells where the proxy is."""

    is_watched = False


class RegistrationAuthentication(BaseAuthentication):
    """Whoever may register a component, and nothing else: by the bootstrap token, or as the local proxy."""

    def authenticate(self, request: Request) -> tuple[Component, Actor] | None:
        token, proof = credential_in(request, "BootstrapToken"), credential_in(request, "LocalProxy")
        if token is None and proof is None:
            return None
        remote_addr = request.META.get("REMOTE_ADDR") or ""
        is_local = proof is not None
        if proof is not None:
            # Looked at first: a proof cannot be guessed, and strangers must not keep the local proxy out.
            name = request.data.get("name") if isinstance(request.data, dict) else None
            right = isinstance(name, str) and registration.is_local_proof(proof, name=name)
            if not right and not registration.tries_are_left(remote_addr, of_all=False):
                raise Throttled(registration.WINDOW_S)
        else:
            if not registration.tries_are_left(remote_addr, of_all=True):
                raise Throttled(registration.WINDOW_S)
            right = registration.is_bootstrap_token(token or "")
        who = "local proxy" if is_local else "bootstrap token"
        if not right:
            registration.count_failure(remote_addr, of_all=not is_local)
            registrations.note_refused_token(actor=anonymous(remote_addr or None), kind=who)
            refuse(request, f"the {who} is wrong")
        actor = Actor(kind=ActorKind.BOOTSTRAP, name=who, remote_addr=remote_addr or None)
        return Component(None, is_local=is_local), actor

    def authenticate_header(self, request: Request) -> str:
        return "BootstrapToken"
