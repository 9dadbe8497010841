"""Writes of OpenID Connect providers, for super administrators only, because a rule can give any role."""

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.authn.federation.actions.providers import locked_provider, require_new, require_super, values_of
from postern.apps.authn.federation.actions.providers import recorded as recorded_columns
from postern.apps.authn.openid import provider_secrets
from postern.apps.authn.openid.errors import SecretRequired
from postern.apps.authn.openid.models import OpenidProvider
from postern.foundation.caller.actor import Actor
from postern.kernel.secret import Secret

_SECRET: Final = "client_secret"  # noqa: S105 - the name of a field
_RECORDED: Final = recorded_columns("issuer", "client_id", "scopes", after=("signs_out",))
#: Placeholder of a secret in the audit record, which shows it as a mask.
_SOME_SECRET: Final = Secret("a secret")


@transaction.atomic
def create_provider(*, actor: Actor, values: Mapping[str, Any]) -> OpenidProvider:
    """Create a provider. `values["client_secret"]`: a text; empty or None for a public client. Raises ProviderRefused."""
    require_new(actor, OpenidProvider)
    columns = {name: value for name, value in values.items() if name != _SECRET}
    secret = values.get(_SECRET)
    row = OpenidProvider(created_by=actor.label, has_secret=bool(secret), **columns)
    row.save(force_insert=True)
    if secret:
        provider_secrets.STORE.value.put(row.pk, Secret(str(secret)))
    new = {**values_of(row, _RECORDED), _SECRET: _SOME_SECRET if secret else None}
    audits.record_change(actor=actor, action="create", target=row, new=new)
    return row


@transaction.atomic
def update_provider(*, actor: Actor, row: OpenidProvider, values: Mapping[str, Any]) -> OpenidProvider:
    """Change a provider. An empty secret keeps the stored secret, None removes it. Raises SecretRequired if issuer or
    client change and the stored secret would be kept.
    """
    row = locked_provider(actor, row)
    had_secret = row.has_secret
    old, new = recorded.assign(row, {name: value for name, value in values.items() if name != _SECRET})
    secret = values.get(_SECRET, "")
    is_moved = "issuer" in new or "client_id" in new
    if had_secret and is_moved and secret == "":
        raise SecretRequired
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
    """Delete a provider and its secret. Its users stay, but can no longer sign in."""
    require_super(actor)
    old = values_of(row, _RECORDED)
    provider_secrets.STORE.value.drop(row.pk)
    recorded.delete_row(actor=actor, row=row, old={**old, _SECRET: _SOME_SECRET if row.has_secret else None})
