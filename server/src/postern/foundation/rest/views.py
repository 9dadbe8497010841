"""`PosternView`: the base class of every API view. It authenticates, resolves the organization, and enforces the
declared right.
"""

from typing import Any, ClassVar

from django.utils.functional import cached_property
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.views import APIView

from postern.foundation import licensing
from postern.foundation.caller import identity
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import ROOT, OrgScope
from postern.foundation.rest import acting_get, fresh_mfa
from postern.foundation.rest.exchange import checking
from postern.foundation.rest.rights import Rights


class PosternView(APIView):
    """An API view with `self.actor` and `self.scope`.

    - `rights` must be declared (see `rights.py`).
    - `always_root`: the view runs in the root organization, whatever the request asks for.
    - `falls_back`: the view runs in another organization when the organization in the browser's cookie is gone or
      closed.
    - `gates_apply = False`: also open to users who must change their password first.
    - `open_before_confirmation`: also open to browser sessions whose first sign-in is not completed.
    - `needs_licence`: closed without a valid licence (403 with the code `licence_required`).
    - `needs_fresh_mfa`: the actions that require a recent code of the second factor (see `fresh_mfa.py`).
    - `acts_on_get`: the actions that change something although the method is GET, as the API contract requires. They
      need `X-CSRFToken` and the right of the POST that exists beside them.
    """

    rights: ClassVar[Rights]
    always_root: ClassVar[bool] = False
    falls_back: ClassVar[bool] = False
    gates_apply: ClassVar[bool] = True
    open_before_confirmation: ClassVar[bool] = False
    needs_fresh_mfa: ClassVar[bool | frozenset[str]] = False
    needs_licence: ClassVar[bool] = False
    acts_on_get: ClassVar[frozenset[str]] = frozenset()

    actor: Actor
    scope: OrgScope
    _past_gates: bool = False

    @cached_property
    def allowed_methods(self) -> list[str]:
        """The methods that the view implements; cached because a request asks for them a dozen times."""
        return [name.upper() for name in self.http_method_names if hasattr(self, name)]

    def get_authenticators(self) -> list[BaseAuthentication]:
        """The authentication classes that the composition root provides."""
        return identity.authenticators()

    def perform_authentication(self, request: Request) -> None:
        """Authenticate, then resolve scope and actor. Both are stored on the request too."""
        super().perform_authentication(request)
        self.scope = ROOT if self.always_root else identity.resolve_scope(request)
        self.actor = identity.resolve_actor(request, self.scope)
        # On Django's request, so that the copies that OPTIONS makes share them. Named `org_scope` because ASGI uses
        # `scope`.
        request._request.actor = self.actor  # type: ignore[attr-defined]  # noqa: SLF001 - where Django's own middleware looks
        request._request.org_scope = self.scope  # type: ignore[attr-defined]  # noqa: SLF001 - where Django's own middleware looks

    def check_permissions(self, request: Request) -> None:
        """Check the gates first, then the declared right, then the second factor and the licence if the view needs
        them.
        """
        if self.gates_apply and request.method != "OPTIONS" and not self._past_gates:
            identity.pass_gates(request, self.actor)
            self._past_gates = True  # OPTIONS checks several methods for the same person
        super().check_permissions(request)
        method = request.method or ""
        if method in {"GET", "HEAD"} and getattr(self, "action", None) in self.acts_on_get:
            acting_get.enforce_csrf(request)
        if method != "OPTIONS" and fresh_mfa.is_declared(self, method, getattr(self, "action", None)):
            fresh_mfa.require(request)
        if self.needs_licence and request.method in self.allowed_methods:
            licensing.require()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """After the rights check: refuse to write when the caller asks for a check that this view cannot make."""
        super().initial(request, *args, **kwargs)
        checking.refuse_elsewhere(self, request)

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> Any:
        """401 for callers who are not signed in, 403 for others, with the codes of the API contract."""
        super().permission_denied(
            request, message=message, code=code or ("permission_denied" if request.user.is_authenticated else None)
        )
