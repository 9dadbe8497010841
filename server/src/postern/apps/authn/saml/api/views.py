"""`authentication/saml-providers/`, and the call that signs in with a visit."""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from postern.apps.authn.federation.api.views import FederatedProviderViewSet, FederatedSignInView
from postern.apps.authn.saml import queries, testing
from postern.apps.authn.saml.actions import providers
from postern.apps.authn.saml.api.serializers import SamlProviderSerializer, TrialSerializer
from postern.apps.authn.saml.models import SamlProvider
from postern.apps.authn.saml.ways import KIND
from postern.apps.users.models import Source


class SamlProviderViewSet(FederatedProviderViewSet):
    """The providers of the installation, in the order of the sign-in page."""

    queryset = SamlProvider.objects.all()
    providers = queries.PROVIDERS
    serializer_class = SamlProviderSerializer
    trial_serializer_class = TrialSerializer
    search_fields = ("name", "slug", "idp_entity_id")

    def create_object(self, data: dict[str, Any]) -> SamlProvider:
        return providers.create_provider(actor=self.actor, values=data)

    def update_object(self, instance: SamlProvider, data: dict[str, Any]) -> SamlProvider:
        return providers.update_provider(actor=self.actor, row=instance, values=data)

    def delete_object(self, instance: SamlProvider) -> None:
        providers.delete_provider(actor=self.actor, row=instance)

    def try_provider(self, entered: Mapping[str, Any]) -> str:
        return testing.try_provider(actor=self.actor, entered=entered)


class SamlSignInView(FederatedSignInView):
    """`POST {"id"}`: sign in as the person of a visit. The responses are those of `authentication/sign-in/`."""

    kinds: ClassVar[Collection[str]] = (KIND,)
    source = Source.SAML
    providers = queries.PROVIDERS
