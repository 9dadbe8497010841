"""Reads of SAML providers."""

from collections.abc import Collection
from typing import Final

from postern.apps.authn.federation.queries import StoredProviders
from postern.apps.authn.saml.models import SamlAnswer, SamlProvider
from postern.kernel.ids import token_hash

PROVIDERS: Final = StoredProviders(SamlProvider)


def answer_of(provider: SamlProvider, provider_session: str) -> SamlAnswer | None:
    """The answer that a sign-in was made with."""
    return SamlAnswer.objects.filter(provider=provider, assertion_hash=provider_session).first()


def answers_about(provider: SamlProvider, name: str, sessions: Collection[str]) -> list[SamlAnswer]:
    """The answers about a person. `sessions`: sessions at the provider; empty: all."""
    rows = SamlAnswer.objects.filter(provider=provider, name_hash=token_hash(name))
    if sessions:  # include sign-ins without a known session at the provider, because the message may be about them
        rows = rows.filter(session__in=[*sessions, ""])
    return list(rows.order_by("pk"))
