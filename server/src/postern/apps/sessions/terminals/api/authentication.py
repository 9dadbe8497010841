"""Authentication of components: `Terminal <id>.<secret>` for a registered proxy; `BootstrapToken <token>` or
`LocalProxy <proof>` to register.

Only views for components use these classes. A user's credential is not accepted there, nor a component's elsewhere (K8:
the internal API takes only the credentials of components).
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
    """The value of `request.user` for a component. `secret_hash`: hash of the presented credential."""

    terminal: Terminal | None
    secret_hash: str = ""
    is_local: bool = False
    is_authenticated: bool = True


def credential_in(request: Request, scheme: str) -> str | None:
    """The text after `scheme` in the Authorization header; None when the header is missing or uses another scheme."""
    header = str(request.META.get("HTTP_AUTHORIZATION", ""))
    if len(header) > _MAX_HEADER_CHARS:
        return None
    word, _, rest = header.partition(" ")
    return rest.strip() if word.lower() == scheme.lower() else None


class TerminalAuthentication(BaseAuthentication):
    """A registered, accepted proxy. Its credential is valid for one place: the address of its heartbeats."""

    #: Whether waiting and deleted terminals are accepted.
    any_state = False
    #: Whether uses from another address are stored.
    is_watched = True

    def authenticate(self, request: Request) -> tuple[Component, Actor] | None:
        text = credential_in(request, "Terminal")
        if text is None:
            return None
        presented = queries.credential_of(text)
        if presented is None or not (self.any_state or presented.terminal.is_accepted):
            raise AuthenticationFailed("this component is not registered, or not accepted")
        remote_addr = request.META.get("REMOTE_ADDR")
        if self.is_watched and remote_addr and sightings.is_elsewhere(presented.terminal, remote_addr):
            sightings.note(presented.terminal, remote_addr)
        actor = messages.component(presented.terminal.name, remote_addr)
        return Component(presented.terminal, presented.secret_hash), actor

    def authenticate_header(self, request: Request) -> str:
        return "Terminal"


class AnyTerminalAuthentication(TerminalAuthentication):
    """A registered proxy in any state, which may only ask for its state. A proxy that has moved does so first."""

    any_state = True
    is_watched = False


class HeartbeatAuthentication(TerminalAuthentication):
    """A heartbeat determines the place of the proxy, so its address is never stored as a sighting."""

    is_watched = False


class RegistrationAuthentication(BaseAuthentication):
    """A component that may register, and nothing else: with the bootstrap token, or as the local proxy."""

    #: Whether the local proxy may prove itself here.
    takes_local_proofs = True

    def authenticate(self, request: Request) -> tuple[Component, Actor] | None:
        token = credential_in(request, "BootstrapToken")
        proof = credential_in(request, "LocalProxy") if self.takes_local_proofs else None
        if token is None and proof is None:
            return None
        remote_addr = request.META.get("REMOTE_ADDR") or ""
        is_local = proof is not None
        if proof is not None:
            # Checked first: a proof cannot be guessed, and failures of strangers must not keep the local proxy out.
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


class BootstrapAuthentication(RegistrationAuthentication):
    """A program that may register a service account, and nothing else: with the bootstrap token."""

    takes_local_proofs = False
