"""The `Way` of a stored provider, and the person of a visit."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar
from uuid import UUID

from postern.apps.authn.external.models import Purpose
from postern.apps.authn.external.providers import ExternalProvider
from postern.apps.authn.federation.mapping import ProviderData, held_by, rules_from, text_at
from postern.apps.authn.federation.models import FederatedProvider
from postern.apps.authn.federation.signing_in import backend_of
from postern.apps.authn.sign_in import ways
from postern.integrations.web_apis.person import Person

P_co = TypeVar("P_co", bound=FederatedProvider, covariant=True)


@dataclass(frozen=True, slots=True)
class FederatedWay(ABC, Generic[P_co]):
    """A stored provider. Providers that are switched off also have a `Way`: visits are then refused with the reason."""

    row: P_co

    @property
    @abstractmethod
    def kind(self) -> str:
        """The protocol, stored with the visit."""

    @property
    def id(self) -> UUID:
        return self.row.pk

    @property
    def label(self) -> str:
        return self.row.name

    @property
    def backend(self) -> str:
        """The name of the provider in logs and sign-ins."""
        return backend_of(self.kind, self.row.slug)

    @property
    def is_on(self) -> bool:
        return self.row.is_active and ways.is_open(self.kind)

    def callback(self, purpose: Purpose) -> str:
        """The callback path, which is the same for all purposes, because the provider has one address."""
        del purpose
        return self.callback_path()

    @abstractmethod
    def callback_path(self) -> str:
        """The path to which the provider redirects the browser."""

    @abstractmethod
    def provider(self) -> ExternalProvider:
        """The provider with its current settings."""


def person_of(
    row: FederatedProvider,
    claims: Mapping[str, Any],
    *,
    tenant: str,
    subject: str,
    session: str,
    is_mail_believed: bool = True,
) -> Person:
    """A person of a provider, with the mapped values and matching rules. `session`: hash of the session at the
    provider.
    """
    data = ProviderData(
        username=text_at(claims, row.username_claim),
        name=text_at(claims, row.name_claim),
        email=text_at(claims, row.email_claim),
        held=held_by(claims, rules_from(row.rules)),
    )
    if not is_mail_believed:
        data = replace(data, email="")
    return Person(
        tenant=tenant,
        subject=subject,
        name=data.name,
        details={**data.as_json(), "provider_session": session},
    )
