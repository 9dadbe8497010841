"""The `Way` of a SAML provider. An answer is verified, used once, and converted to a person."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac

from postern.apps.authn.external.providers import Visit
from postern.apps.authn.federation.signing_in import session_hash
from postern.apps.authn.federation.ways import FederatedWay, person_of
from postern.apps.authn.saml import addresses, errors, signing_keys
from postern.apps.authn.saml.models import NameFormat, SamlAnswer, SamlProvider
from postern.integrations.saml import certificates, failures, requests, responses
from postern.integrations.saml.requests import Asking
from postern.integrations.saml.responses import Assertion, Expected
from postern.integrations.web_apis.person import Person
from postern.kernel import clock
from postern.kernel.ids import token_hash

KIND: Final = "saml"
#: Path of the NameID in the claims.
NAME_ID: Final = "NameID"
_MOST_CHARS: Final = 255


def key_of(row: SamlProvider) -> RSAPrivateKey:
    """Our key for a provider. Raises WebApiFailed when it is lost."""
    pem = signing_keys.STORE.value.get(row.pk)
    if pem is None:
        raise errors.no_key(row.name)
    return certificates.own_key(pem)


def _decryption_key_of(row: SamlProvider) -> RSAPrivateKey | None:
    """Our key for encrypted assertions, if the provider has decryption switched on. Raises WebApiFailed when it is
    lost.
    """
    if not row.decrypts:
        return None
    pem = signing_keys.DECRYPTION.value.get(row.pk)
    if pem is None:
        raise errors.no_key(row.name)
    return certificates.own_key(pem)


@dataclass(frozen=True, slots=True)
class SamlWay(FederatedWay[SamlProvider]):
    """A stored provider."""

    @property
    def kind(self) -> str:
        return KIND

    def callback_path(self) -> str:
        return addresses.acs_path(self.row.slug)

    def provider(self) -> "_Saml":
        return _Saml(self.row)


@dataclass(frozen=True, slots=True)
class _Saml:
    row: SamlProvider

    def page(self, visit: Visit, user_agent: str) -> str:
        del user_agent
        asking = Asking(
            addresses.entity_id(self.row.slug),
            visit.redirect_uri,
            _request_id(visit.state),
            NameFormat(self.row.name_format).urn,
            asks_again=visit.asked_since is not None,
        )
        key = key_of(self.row) if self.row.signs_requests else None
        return requests.sign_in_address(self.row.sso_url, asking, relay_state=visit.state, key=key, now=clock.now())

    def person(self, visit: Visit, code: str) -> Person:
        expected = Expected(
            issuer=self.row.idp_entity_id,
            audience=addresses.entity_id(self.row.slug),
            acs=visit.redirect_uri,
            request_id=_request_id(visit.state),
            certificates=certificates.from_text(self.row.certificates),
            asked_since=visit.asked_since,
            decryption_key=_decryption_key_of(self.row),
        )
        assertion = responses.read(code, expected, clock.now())
        subject = _subject(self.row, assertion)
        session = _use_once(self.row, assertion, subject)
        return person_of(self.row, _claims(assertion), tenant=self.row.idp_entity_id, subject=subject, session=session)


def _request_id(state: str) -> str:
    """The id of our request. It is derived from the state, so it is not stored. An XML ID must not begin with a digit."""
    return f"_{salted_hmac('postern.saml.request', state, algorithm='sha256').hexdigest()}"


def _subject(row: SamlProvider, assertion: Assertion) -> str:
    """The identifier of the person. It is not cut or trimmed, because it is compared exactly."""
    if not row.subject_claim:
        if responses.is_transient(assertion.name_id):
            raise failures.transient()
        return assertion.name_id.value
    values = assertion.attributes.get(row.subject_claim, ())
    if len(values) != 1 or not 0 < len(values[0]) <= _MOST_CHARS or not values[0].isprintable():
        raise errors.no_subject(row.name, row.subject_claim)
    return values[0]


def _claims(assertion: Assertion) -> Mapping[str, Any]:
    """The attributes in the form of claims: a single value as text, several values as a list."""
    attributes = {
        name: values[0] if len(values) == 1 else list(values) for name, values in assertion.attributes.items()
    }
    return {**attributes, NAME_ID: assertion.name_id.value}


def _use_once(row: SamlProvider, assertion: Assertion, subject: str) -> str:
    """Store the assertion and return its hash, which identifies the sign-in. Raises WebApiFailed when it was used
    before.
    """
    assertion_hash = session_hash(row.pk, assertion.id)
    try:
        with transaction.atomic():
            SamlAnswer.objects.create(
                provider=row,
                assertion_hash=assertion_hash,
                subject=subject,
                name_hash=token_hash(assertion.name_id.value),
                name_id=asdict(assertion.name_id),
                session=assertion.session,
                date_expired=assertion.until,
            )
    except IntegrityError:
        raise failures.replayed() from None
    return assertion_hash
