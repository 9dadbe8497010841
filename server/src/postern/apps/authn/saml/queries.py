"""Reads of SAML providers."""

from collections.abc import Collection
from uuid import UUID

from postern.apps.authn.saml.models import SamlAnswer, SamlProvider
from postern.apps.preferences.sign_in_buttons import SignInButton
from postern.kernel.ids import token_hash


def buttons() -> list[SignInButton]:
    """The providers of the sign-in page, in its order."""
    rows = SamlProvider.objects.filter(is_active=True).order_by("order", "name", "pk")
    return [SignInButton(id=slug, name=name) for slug, name in rows.values_list("slug", "name")]


def by_slug(slug: str) -> SamlProvider | None:
    return SamlProvider.objects.filter(slug=slug).first()


def by_id(provider_id: UUID | None) -> SamlProvider | None:
    return SamlProvider.objects.filter(pk=provider_id).first() if provider_id is not None else None


def answer_of(provider: SamlProvider, provider_session: str) -> SamlAnswer | None:
    """The answer of which a sign-in came."""
    return SamlAnswer.objects.filter(provider=provider, assertion_hash=provider_session).first()


def answers_about(provider: SamlProvider, name: str, sessions: Collection[str]) -> list[SamlAnswer]:
    """The answers about a person. `sessions`: at the provider; empty for all of them."""
    rows = SamlAnswer.objects.filter(provider=provider, name_hash=token_hash(name))
    if sessions:  # a sign-in whose session at the provider is not known may be meant
        rows = rows.filter(session__in=[*sessions, ""])
    return list(rows.order_by("pk"))
