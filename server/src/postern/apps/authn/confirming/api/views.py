"""`authentication/confirmation/`: the provider at which the caller confirms their identity, and the use of its result."""

from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.callers.policy import password_was_verified
from postern.apps.authn.confirming import actions
from postern.apps.authn.confirming.ways import KINDS, way_of
from postern.apps.authn.external.api import visit_cookie
from postern.apps.authn.external.api.views import finished_visit
from postern.apps.authn.external.errors import ExternalLapsed
from postern.apps.authn.external.models import Purpose
from postern.apps.authn.sign_in.api.mfa import PersonalView
from postern.apps.authn.sign_in.api.pages import PROFILE_PAGE
from postern.foundation.pages.redirects import safe_next
from postern.foundation.rest.openapi.answers import ANY_OBJECT, Answer, texts
from postern.kernel import clock


class ConfirmationView(PersonalView):
    """`GET` → `{"provider": {"kind", "id", "name"} | null, "is_confirmed"}`: the provider at which the caller confirms
    their identity; null when they enter their password, or have no way to confirm. `is_confirmed`: they confirmed it
    within five minutes.

    `POST {"id"}`: uses a finished visit to the provider → `{"next"}`. The effect is that of entering the password.
    """

    answers = {"get": Answer(schema=ANY_OBJECT), "post": Answer(schema=texts("next"))}

    def get(self, request: Request) -> Response:
        user, login_session = self.person(request), self.login_session(request)
        way = way_of(user, login_session) if login_session is not None else None
        provider = {"kind": way.kind, "id": way.row.slug, "name": way.label} if way is not None else None
        is_confirmed = password_was_verified(request.auth, now=clock.now())
        return Response({"provider": provider, "is_confirmed": is_confirmed})

    def post(self, request: Request) -> Response:
        user, login_session = self.person(request), self.login_session(request)
        if login_session is None:
            raise ExternalLapsed
        visit = finished_visit(request, Purpose.CONFIRM, KINDS)
        actions.confirm(actor=self.actor, user=user, login_session=login_session, visit=visit)
        response = Response({"next": safe_next(visit.target, PROFILE_PAGE)})
        visit_cookie.remove(response)
        return response
