"""Tests a provider, saved or not. No connection is made, because only browsers connect to a SAML provider."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from postern.apps.authn.federation.testing import audited_test
from postern.apps.authn.saml import addresses, errors
from postern.apps.authn.saml.models import SamlProvider
from postern.foundation.caller.actor import Actor
from postern.integrations.saml import certificates, failures
from postern.integrations.saml.metadata import is_this_machine
from postern.kernel import clock

_SOON: Final = timedelta(days=30)


def try_provider(*, actor: Actor, entered: Mapping[str, Any]) -> str:
    """Check whether sign-ins can work with these values. Returns the next steps. Every test is audited. Raises
    WebApiFailed.
    """
    audited = {name: entered.get(name, "") for name in ("idp_entity_id", "sso_url", "slo_url")}
    return audited_test(
        actor=actor, model=SamlProvider, slug=str(entered["slug"]), audited=audited, attempt=lambda: _report(entered)
    )


def _report(entered: Mapping[str, Any]) -> str:
    now, slug = clock.now(), str(entered["slug"])
    valid = certificates.valid_now(certificates.from_text(str(entered["certificates"])), now)
    if not valid:
        raise failures.certificates_expired()
    acs = urlsplit(addresses.acs(slug))
    if acs.scheme != "https" and not is_this_machine(acs.hostname):
        raise errors.no_https(addresses.acs(slug))
    parts = [
        _("The values fit together, and a certificate is valid today."),
        _("Register the entity ID %(entity)s and the assertion consumer service %(acs)s at the provider.")
        % {"entity": addresses.entity_id(slug), "acs": addresses.acs(slug)},
    ]
    last = max(certificate.not_valid_after_utc for certificate in valid)
    if last <= now + _SOON:
        parts.append(
            _("The last certificate ends on %(date)s (UTC). Add the next one before.")
            % {"date": last.date().isoformat()}
        )
    if not entered.get("slo_url"):
        parts.append(_("Without a sign-out address, people are signed out of Postern only."))
    return " ".join(parts)
