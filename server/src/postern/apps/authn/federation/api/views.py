"""The common part of the endpoints of all protocols: the providers, and the call that signs in."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.credentials.actions.login_sessions import SignInOrigin
from postern.apps.authn.external.actions.signing_in import DeviceOf
from postern.apps.authn.external.api.views import ExternalSignInView
from postern.apps.authn.external.models import ExternalRequest
from postern.apps.authn.federation import signing_in
from postern.apps.authn.federation.queries import StoredProviders
from postern.apps.authn.sign_in.actions.sign_in import Proof
from postern.apps.users import facade as users
from postern.apps.users.models import Source
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import ResourceViewSet


class FederatedProviderViewSet(ResourceViewSet):
    """The providers of the installation, in the order of the sign-in page."""

    rights = Right.SUPER_USER
    answers = {"test": Answer(schema=texts("msg"))}
    always_root = True
    made_in_organization = changed_in_organization = False
    importable = exportable = False
    filter_fields = ("name", "slug", "is_active")
    ordering_fields = ("name", "order")
    default_order = ("order", "name", "id")
    providers: ClassVar[StoredProviders[Any]]
    #: The serializer of a form, saved or not.
    trial_serializer_class: ClassVar[type[BodySerializer]]

    def visible_rows(self) -> QuerySet[Any]:
        """All providers, because only super administrators have access."""
        return self.providers.all()

    def hold_rows(self, rows: Any, values: Any, *, deleting: bool = False) -> None:
        """Lock the caller first, so that a caller who has just lost the role cannot write."""
        users.hold_caller(self.actor)
        super().hold_rows(rows, values, deleting=deleting)

    @action(detail=False, methods=["post"])
    def test(self, request: Request) -> Response:
        """Try the values of a form, saved or not."""
        return Response({"msg": self.try_provider(body_of(request, self.trial_serializer_class))})

    def try_provider(self, entered: Mapping[str, Any]) -> str:
        """Returns the result of the test. Raises a refusal with the reason."""
        raise NotImplementedError


class FederatedSignInView(ExternalSignInView):
    """`POST {"id"}`: sign in as the person of a visit. The responses are those of `authentication/sign-in/`."""

    source: ClassVar[Source]
    providers: ClassVar[StoredProviders[Any]]

    def prove(self, visit: ExternalRequest, origin: SignInOrigin, device_of: DeviceOf) -> Proof:
        return signing_in.prove(
            self.providers.by_id(visit.way_id),
            self.source,
            visit,
            remote_addr=origin.remote_addr,
            user_agent=origin.user_agent,
            device_of=device_of,
        )

    def hold(self, visit: ExternalRequest, proof: Proof) -> bool:
        return signing_in.hold(visit, proof, self.source)
