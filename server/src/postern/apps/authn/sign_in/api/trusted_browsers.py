"""The browsers that the caller trusts at the second factor."""

from django.db.models import QuerySet

from postern.apps.authn.credentials.api import OwnRows
from postern.apps.authn.known_places import trust
from postern.apps.authn.known_places.models import TrustedBrowser
from postern.apps.users.models import User
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import DeleteMixin, ReadOnlyViewSet


class TrustedBrowserSerializer(ResourceSerializer):
    class Meta:
        model = TrustedBrowser
        fields = ("id", "remote_addr", "user_agent", "date_created", "date_last_used", "date_expired")
        read_only_fields = fields


class TrustedBrowserViewSet(DeleteMixin, ReadOnlyViewSet, OwnRows):
    """`authentication/trusted-browsers/`: list the caller's own trusted browsers, and end the trust."""

    exportable = False

    queryset = TrustedBrowser.objects.all()
    serializer_class = TrustedBrowserSerializer
    ordering_fields = ("date_created", "date_last_used")

    def visible_rows(self) -> QuerySet[TrustedBrowser]:
        return trust.trusted_by(User.objects.get(pk=self.own_id()))

    def delete_object(self, instance: TrustedBrowser) -> None:
        trust.end(actor=self.actor, user=instance.user, browser=instance)
