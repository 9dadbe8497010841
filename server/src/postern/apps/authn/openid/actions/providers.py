"""Writes of providers. Only super administrators make them, because a rule can give any role."""

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.authn.federation.errors import ProviderRefused
from postern.apps.authn.openid import provider_secrets
from postern.apps.authn.openid.errors import SecretWanted
from postern.apps.authn.openid.models import OpenidProvider
from postern.foundation.caller.actor import Actor
from postern.kernel.errors import NotAllowed
from postern.kernel.secret import Secret

#: More buttons than this on the sign-in page help nobody.
MOST_PROVIDERS: Final = 20
_SECRET: Final = "client_secret"  # noqa: S105 - the name of a field
_RECORDED: Final = (
    "name",
    "slug",
    "order",
    "is_active",
    "issuer",
    "client_id",
    "scopes",
    "username_claim",
    "name_claim",
    "email_claim",
    "rules",
    "creates_users",
    "adopts_users",
    "signs_out",
    "comment",
)
#: Stands for a secret in the audit record, which shows a mask.
_SOME_SECRET: Final = Secret("a secret")


@transaction.atomic
def create_provider(*, actor: Actor, values: Mapping[str, Any]) -> OpenidProvider:
    """Make a provider. `values["client_secret"]`: a text; empty or None for a public client. Raises ProviderRefused."""
    _require_super(actor)
    if OpenidProvider.objects.count() >= MOST_PROVIDERS:
        raise ProviderRefused("name", _("There can be at most %(number)d providers.") % {"number": MOST_PROVIDERS})
    columns = {name: value for name, value in values.items() if name != _SECRET}
    secret = values.get(_SECRET)
    row = OpenidProvider(created_by=actor.label, has_secret=bool(secret), **columns)
    row.save(force_insert=True)
    if secret:
        provider_secrets.STORE.value.put(row.pk, Secret(str(secret)))
    new = {name: getattr(row, name) for name in _RECORDED}
    audits.record_change(
        actor=actor, action="create", target=row, new={**new, _SECRET: _SOME_SECRET if secret else None}
    )
    return row


@transaction.atomic
def update_provider(*, actor: Actor, row: OpenidProvider, values: Mapping[str, Any]) -> OpenidProvider:
    """Change a provider. An empty secret keeps the stored one, None removes it. Raises SecretWanted when the stored one
    would go to another issuer, or for another client.
    """
    _require_super(actor)
    row = OpenidProvider.objects.select_for_update(no_key=True).get(pk=row.pk)
    had_secret = row.has_secret
    old, new = recorded.assign(row, {name: value for name, value in values.items() if name != _SECRET})
    secret = values.get(_SECRET, "")
    is_moved = "issuer" in new or "client_id" in new
    if had_secret and is_moved and secret == "":
        raise SecretWanted
    if secret:
        provider_secrets.STORE.value.put(row.pk, Secret(str(secret)))
    elif secret is None and had_secret:
        provider_secrets.STORE.value.drop(row.pk)
    if secret or (secret is None and had_secret):
        row.has_secret = bool(secret)
        old[_SECRET], new[_SECRET] = _SOME_SECRET if had_secret else None, _SOME_SECRET if secret else None
    if new:
        row.save()
        audits.record_change(actor=actor, action="update", target=row, old=old, new=new)
    return row


@transaction.atomic
def delete_provider(*, actor: Actor, row: OpenidProvider) -> None:
    """Delete a provider and its secret. Its users stay, and cannot sign in any more."""
    _require_super(actor)
    old = {name: getattr(row, name) for name in _RECORDED}
    provider_secrets.STORE.value.drop(row.pk)
    recorded.delete_row(actor=actor, row=row, old={**old, _SECRET: _SOME_SECRET if row.has_secret else None})


def _require_super(actor: Actor) -> None:
    """Beside the right of the view: nobody else may ever write who becomes an administrator."""
    if not actor.is_super_user:
        raise NotAllowed(_("Only super administrators change providers."))
