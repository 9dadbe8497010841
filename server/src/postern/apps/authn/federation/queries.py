"""Reads of the stored providers of a protocol."""

from typing import Generic, TypeVar
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.authn.federation.models import FederatedProvider
from postern.apps.preferences.sign_in_buttons import SignInButton

P = TypeVar("P", bound=FederatedProvider)


class StoredProviders(Generic[P]):
    """The rows of a protocol, in the order of the sign-in page."""

    def __init__(self, model: type[P]) -> None:
        self._model = model

    def all(self) -> QuerySet[P]:
        return QuerySet(self._model)

    def buttons(self) -> list[SignInButton]:
        """The providers of the sign-in page."""
        return [SignInButton(id=slug, name=name) for slug, name in self.active().values_list("slug", "name")]

    def first_active(self) -> P | None:
        return self.active().first()

    def by_slug(self, slug: str) -> P | None:
        return self.all().filter(slug=slug).first()

    def by_id(self, provider_id: UUID | None) -> P | None:
        return self.all().filter(pk=provider_id).first() if provider_id is not None else None

    def active(self) -> QuerySet[P]:
        """The active providers, in the order of the sign-in page."""
        return self.all().filter(is_active=True).order_by("order", "name", "pk")
