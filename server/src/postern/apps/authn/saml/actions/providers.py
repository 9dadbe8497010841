"""Writes of SAML providers, for super administrators only, because a rule can give any role."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.authn.errors import console_address
from postern.apps.authn.federation.actions.providers import locked_provider, require_new, require_super, values_of
from postern.apps.authn.federation.actions.providers import recorded as recorded_columns
from postern.apps.authn.saml import signing_keys
from postern.apps.authn.saml.models import SamlProvider
from postern.foundation.caller.actor import Actor
from postern.integrations.saml import certificates
from postern.kernel import clock
from postern.kernel.secret import Secret

_RECORDED: Final = recorded_columns(
    "idp_entity_id", "sso_url", "slo_url", "certificates", "signs_requests", "decrypts", "name_format", "subject_claim"
)


@transaction.atomic
def create_provider(*, actor: Actor, values: Mapping[str, Any]) -> SamlProvider:
    """Create a provider, and the key that signs messages to it. Raises ProviderRefused."""
    require_new(actor, SamlProvider)
    key, certificate = _new_pair()
    row = SamlProvider(created_by=actor.label, own_certificate=certificate, **values)
    decryption_key = _prepare_decryption(row)
    row.save(force_insert=True)
    signing_keys.STORE.value.put(row.pk, key)
    if decryption_key is not None:
        signing_keys.DECRYPTION.value.put(row.pk, decryption_key)
    audits.record_change(actor=actor, action="create", target=row, new=values_of(row, _RECORDED))
    return row


@transaction.atomic
def update_provider(*, actor: Actor, row: SamlProvider, values: Mapping[str, Any]) -> SamlProvider:
    """Change a provider. Our keys stay, so the configuration at the provider stays valid."""
    row = locked_provider(actor, row)
    old, new = recorded.assign(row, values)
    decryption_key = _prepare_decryption(row)
    if decryption_key is not None:
        signing_keys.DECRYPTION.value.put(row.pk, decryption_key)
    if new:
        row.save()
        audits.record_change(actor=actor, action="update", target=row, old=old, new=new)
    return row


def _prepare_decryption(row: SamlProvider) -> Secret | None:
    """Make a key for decryption, if it is switched on and there is no key yet.

    Signing and decryption have separate keys, so that errors of one operation reveal nothing about the other.
    """
    if not row.decrypts or row.encryption_certificate:
        return None
    key, row.encryption_certificate = _new_pair()
    return key


def _new_pair() -> tuple[Secret, str]:
    return certificates.own_pair(urlsplit(console_address()).hostname or "postern", clock.now())


@transaction.atomic
def delete_provider(*, actor: Actor, row: SamlProvider) -> None:
    """Delete a provider and our keys for it. Its users stay, but can no longer sign in."""
    require_super(actor)
    signing_keys.STORE.value.drop(row.pk)
    signing_keys.DECRYPTION.value.drop(row.pk)
    recorded.delete_row(actor=actor, row=row, old=values_of(row, _RECORDED))
