"""`authentication/saml-providers/` and the call that signs in who came back from one."""

from collections.abc import Collection
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
from postern.apps.authn.saml import queries, testing
from postern.apps.authn.saml.actions import providers
from postern.apps.authn.saml.api.serializers import SamlProviderSerializer, TrialSerializer
from postern.apps.authn.saml.models import SamlProvider
from postern.apps.authn.saml.ways import KIND
from postern.apps.authn.sign_in.actions.sign_in import Proof
from postern.apps.users import facade as users
from postern.apps.users.models import Source
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import ResourceViewSet


class SamlProviderViewSet(ResourceViewSet):
    """The providers of the installation, in the order of the sign-in page."""

    queryset = SamlProvider.objects.all()
    serializer_class = SamlProviderSerializer
    rights = Right.SUPER_USER
    answers = {"test": Answer(schema=texts("msg"))}
    always_root = True
    made_in_organization = changed_in_organization = False
    importable = exportable = False
    filter_fields = ("name", "slug", "is_active")
    search_fields = ("name", "slug", "idp_entity_id")
    ordering_fields = ("name", "order")
    default_order = ("order", "name", "id")

    def visible_rows(self) -> QuerySet[SamlProvider]:
        """All of them: only super administrators come here."""
        return SamlProvider.objects.all()

    def hold_rows(self, rows: Any, values: Any, *, deleting: bool = False) -> None:
        """Lock the caller first: whoever lost the role meanwhile writes nothing."""
        users.hold_caller(self.actor)
        super().hold_rows(rows, values, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> SamlProvider:
        return providers.create_provider(actor=self.actor, values=data)

    def update_object(self, instance: SamlProvider, data: dict[str, Any]) -> SamlProvider:
        return providers.update_provider(actor=self.actor, row=instance, values=data)

    def delete_object(self, instance: SamlProvider) -> None:
        providers.delete_provider(actor=self.actor, row=instance)

    @action(detail=False, methods=["post"])
    def test(self, request: Request) -> Response:
        """Try the values of a form, saved or not."""
        entered = body_of(request, TrialSerializer)
        return Response({"msg": testing.try_provider(actor=self.actor, entered=entered)})


class SamlSignInView(ExternalSignInView):
    """`POST {"id"}`: sign in as the person who came back. The answers are those of `authentication/sign-in/`."""

    kinds: ClassVar[Collection[str]] = (KIND,)

    def prove(self, visit: ExternalRequest, origin: SignInOrigin, device_of: DeviceOf) -> Proof:
        return signing_in.prove(
            queries.by_id(visit.way_id),
            Source.SAML,
            visit,
            remote_addr=origin.remote_addr,
            user_agent=origin.user_agent,
            device_of=device_of,
        )

    def hold(self, visit: ExternalRequest, proof: Proof) -> bool:
        return signing_in.hold(visit, proof, Source.SAML)
