"""Writes of providers. Only super administrators make them, because a rule can give any role."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.authn.errors import console_address
from postern.apps.authn.federation.errors import ProviderRefused
from postern.apps.authn.saml import signing_keys
from postern.apps.authn.saml.models import SamlProvider
from postern.foundation.caller.actor import Actor
from postern.integrations.saml import certificates
from postern.kernel import clock
from postern.kernel.errors import NotAllowed

#: More buttons than this on the sign-in page help nobody.
MOST_PROVIDERS: Final = 20
_RECORDED: Final = (
    "name",
    "slug",
    "order",
    "is_active",
    "idp_entity_id",
    "sso_url",
    "slo_url",
    "certificates",
    "signs_requests",
    "name_format",
    "subject_claim",
    "username_claim",
    "name_claim",
    "email_claim",
    "rules",
    "creates_users",
    "adopts_users",
    "comment",
)


@transaction.atomic
def create_provider(*, actor: Actor, values: Mapping[str, Any]) -> SamlProvider:
    """Make a provider, and a key with which Postern signs for it. Raises ProviderRefused."""
    _require_super(actor)
    if SamlProvider.objects.count() >= MOST_PROVIDERS:
        raise ProviderRefused("name", _("There can be at most %(number)d providers.") % {"number": MOST_PROVIDERS})
    key, certificate = certificates.own_pair(urlsplit(console_address()).hostname or "postern", clock.now())
    row = SamlProvider(created_by=actor.label, own_certificate=certificate, **values)
    row.save(force_insert=True)
    signing_keys.STORE.value.put(row.pk, key)
    audits.record_change(actor=actor, action="create", target=row, new={name: getattr(row, name) for name in _RECORDED})
    return row


@transaction.atomic
def update_provider(*, actor: Actor, row: SamlProvider, values: Mapping[str, Any]) -> SamlProvider:
    """Change a provider. Its key stays, so the provider need not be told."""
    _require_super(actor)
    row = SamlProvider.objects.select_for_update(no_key=True).get(pk=row.pk)
    old, new = recorded.assign(row, values)
    if new:
        row.save()
        audits.record_change(actor=actor, action="update", target=row, old=old, new=new)
    return row


@transaction.atomic
def delete_provider(*, actor: Actor, row: SamlProvider) -> None:
    """Delete a provider and our key for it. Its users stay, and cannot sign in any more."""
    _require_super(actor)
    signing_keys.STORE.value.drop(row.pk)
    recorded.delete_row(actor=actor, row=row, old={name: getattr(row, name) for name in _RECORDED})


def _require_super(actor: Actor) -> None:
    """Beside the right of the view: nobody else may ever write who becomes an administrator."""
    if not actor.is_super_user:
        raise NotAllowed(_("Only super administrators change providers."))
