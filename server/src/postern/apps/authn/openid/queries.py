"""Reads of OpenID Connect providers."""

from uuid import UUID

from postern.apps.authn.openid.models import OpenidProvider
from postern.apps.preferences.sign_in_buttons import SignInButton


def buttons() -> list[SignInButton]:
    """The providers of the sign-in page, in its order."""
    rows = OpenidProvider.objects.filter(is_active=True).order_by("order", "name", "pk")
    return [SignInButton(id=slug, name=name) for slug, name in rows.values_list("slug", "name")]


def first_active() -> OpenidProvider | None:
    """The provider of the paths without an id."""
    return OpenidProvider.objects.filter(is_active=True).order_by("order", "name", "pk").first()


def by_slug(slug: str) -> OpenidProvider | None:
    return OpenidProvider.objects.filter(slug=slug).first()


def by_id(provider_id: UUID | None) -> OpenidProvider | None:
    return OpenidProvider.objects.filter(pk=provider_id).first() if provider_id is not None else None
