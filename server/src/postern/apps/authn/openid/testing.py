"""Try a provider, which may not be saved yet."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from postern.apps.authn.federation.testing import audited_test
from postern.apps.authn.openid import addresses, provider_secrets
from postern.apps.authn.openid.errors import SecretWanted
from postern.apps.authn.openid.models import OpenidProvider
from postern.apps.authn.openid.ways import calls
from postern.foundation.caller.actor import Actor
from postern.integrations.openid import client as openid
from postern.integrations.openid.client import OpenidClient
from postern.integrations.openid.metadata import Metadata
from postern.kernel.secret import Secret


def try_provider(*, actor: Actor, row: OpenidProvider | None, entered: Mapping[str, Any]) -> str:
    """Ask the provider for metadata and keys, and whether it knows the client. Returns the result.

    `row`: the stored provider of the form; None for a new one. An empty secret means the stored one, which is only sent to
    the issuer, and for the client, that it is stored for. Every test is audited. Raises WebApiFailed, SecretWanted.
    """
    slug = str(entered["slug"])
    shown = {name: entered.get(name, "") for name in ("issuer", "client_id", "scopes")}

    def attempt() -> str:
        client = OpenidClient(**shown, secret=_secret(row, entered))
        return _report(openid.check(client, calls(), redirect_uri=addresses.callback(slug)), entered)

    return audited_test(actor=actor, model=OpenidProvider, slug=slug, shown=shown, attempt=attempt)


def _secret(row: OpenidProvider | None, entered: Mapping[str, Any]) -> Secret | None:
    secret = entered.get("client_secret", "")
    if secret:
        return Secret(str(secret))
    if secret is None or row is None or not row.has_secret:
        return None
    if (row.issuer, row.client_id) != (entered["issuer"], entered["client_id"]):
        raise SecretWanted
    return provider_secrets.STORE.value.get(row.pk)


def _report(found: Metadata, entered: Mapping[str, Any]) -> str:
    """What works, and what the provider does not offer although the form wants it."""
    parts = [_("The provider answers: issuer, keys, endpoints, and clock fit, and it knows the client.")]
    if found.challenge_methods is None:
        parts.append(_("It does not say whether it supports PKCE."))
    if entered.get("signs_out") and found.end_session is None:
        parts.append(_("It has no address to sign people out there, so they are signed out of Postern only."))
    return " ".join(parts)
