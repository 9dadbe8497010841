"""Tests a provider, saved or not."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from postern.apps.authn.federation.testing import audited_test
from postern.apps.authn.openid import addresses, provider_secrets
from postern.apps.authn.openid.errors import SecretRequired
from postern.apps.authn.openid.models import OpenidProvider
from postern.apps.authn.openid.ways import calls
from postern.foundation.caller.actor import Actor
from postern.integrations.openid import client as openid
from postern.integrations.openid.client import OpenidClient
from postern.integrations.openid.metadata import Metadata
from postern.kernel.secret import Secret


def try_provider(*, actor: Actor, row: OpenidProvider | None, entered: Mapping[str, Any]) -> str:
    """Ask the provider for metadata and keys, and whether it knows the client. Returns the result.

    `row`: the stored provider of the form; None for a new provider. An empty secret means the stored secret, which is
    sent only to the issuer and for the client that it is stored for. Every test is audited. Raises WebApiFailed,
    SecretRequired.
    """
    slug = str(entered["slug"])
    audited = {name: entered.get(name, "") for name in ("issuer", "client_id", "scopes")}

    def attempt() -> str:
        client = OpenidClient(**audited, secret=_secret(row, entered))
        return _report(openid.check(client, calls(), redirect_uri=addresses.callback(slug)), entered)

    return audited_test(actor=actor, model=OpenidProvider, slug=slug, audited=audited, attempt=attempt)


def _secret(row: OpenidProvider | None, entered: Mapping[str, Any]) -> Secret | None:
    secret = entered.get("client_secret", "")
    if secret:
        return Secret(str(secret))
    if secret is None or row is None or not row.has_secret:
        return None
    if (row.issuer, row.client_id) != (entered["issuer"], entered["client_id"]):
        raise SecretRequired
    return provider_secrets.STORE.value.get(row.pk)


def _report(metadata: Metadata, entered: Mapping[str, Any]) -> str:
    """The result of the test, with requested features that the provider does not offer."""
    parts = [_("The provider answers: issuer, keys, endpoints, and clock fit, and it knows the client.")]
    if metadata.challenge_methods is None:
        parts.append(_("It does not say whether it supports PKCE."))
    if entered.get("signs_out") and metadata.end_session is None:
        parts.append(_("It has no address to sign people out there, so they are signed out of Postern only."))
    return " ".join(parts)
