"""`authentication/openid-providers/`, and the call that signs in with a visit."""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from postern.apps.authn.federation.api.views import FederatedProviderViewSet, FederatedSignInView
from postern.apps.authn.openid import queries, testing
from postern.apps.authn.openid.actions import providers
from postern.apps.authn.openid.api.serializers import OpenidProviderSerializer, TrialSerializer
from postern.apps.authn.openid.models import OpenidProvider
from postern.apps.authn.openid.ways import KIND
from postern.apps.users.models import Source


class OpenidProviderViewSet(FederatedProviderViewSet):
    """The providers of the installation, in the order of the sign-in page."""

    queryset = OpenidProvider.objects.all()
    providers = queries.PROVIDERS
    serializer_class = OpenidProviderSerializer
    trial_serializer_class = TrialSerializer
    search_fields = ("name", "slug", "issuer")

    def create_object(self, data: dict[str, Any]) -> OpenidProvider:
        return providers.create_provider(actor=self.actor, values=data)

    def update_object(self, instance: OpenidProvider, data: dict[str, Any]) -> OpenidProvider:
        return providers.update_provider(actor=self.actor, row=instance, values=data)

    def delete_object(self, instance: OpenidProvider) -> None:
        providers.delete_provider(actor=self.actor, row=instance)

    def try_provider(self, entered: Mapping[str, Any]) -> str:
        row = queries.PROVIDERS.by_id(entered.get("id"))
        values = {name: value for name, value in entered.items() if name != "id"}
        return testing.try_provider(actor=self.actor, row=row, entered=values)


class OpenidSignInView(FederatedSignInView):
    """`POST {"id"}`: sign in as the person of a visit. The responses are those of `authentication/sign-in/`."""

    kinds: ClassVar[Collection[str]] = (KIND,)
    source = Source.OPENID
    providers = queries.PROVIDERS
