"""Authentication classes for API calls: browser session, bearer token, or a request signed with an access key.

All classes end with the same checks of the user (active, session epoch), so all kinds of credentials end together (K51:
every restriction holds for every kind of credential).
"""

import base64
import hashlib
import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.request import Request

from postern.apps.authn.authentication.refused_credentials import refuse
from postern.apps.authn.credentials.actions import login_sessions, tokens
from postern.apps.authn.credentials.models import AccessKey, BearerToken, LoginSession
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.users.models import User
from postern.kernel import clock
from postern.kernel.ids import parse_id, same

_MAX_HEADER_CHARS: Final = 2_048
_MAX_CLOCK_SKEW: Final = timedelta(minutes=5)
_SIGNATURE_FIELD: Final = re.compile(r'([a-zA-Z]+)="([^"]*)"')
#: Headers that a signature must cover: the request and its date.
_SIGNED_HEADERS: Final = frozenset({"(request-target)", "date"})


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`."""

    def authenticate(self, request: Request) -> tuple[User, BearerToken] | None:
        token = _credentials(request, "bearer")
        if token is None:
            return None
        bearer_token = tokens.find_token(token)
        if bearer_token is None:
            refuse(request, _("This token is invalid or has expired. Request a new one."))
        return bearer_token.user, bearer_token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class SignatureAuthentication(BaseAuthentication):
    """`Authorization: Signature keyId="…",algorithm="hmac-sha256",headers="(request-target) date",signature="…"`.

    The date may differ by at most five minutes, and each signature is accepted once (K69: access keys are shown once
    and refused when off). If `digest` is signed too, the body must match it. Every refused signature counts as a guess
    at the account of the key's owner. While that account is locked, right and wrong signatures get the same refusal. A
    valid signature makes its address a known place, so a lock caused by strangers does not stop the owner's programs.
    """

    def authenticate(self, request: Request) -> tuple[User, AccessKey] | None:
        text = _credentials(request, "signature")
        if text is None:
            return None
        fields = dict(_SIGNATURE_FIELD.findall(text))
        key = _find_key(fields.get("keyId", ""))
        remote_addr = request.META.get("REMOTE_ADDR", "")
        if key is None or not sign_in.takes_signatures(key.user, remote_addr):
            refuse(
                request,
                _("The signature of this request is not valid. Check the key, the date and the signed headers."),
            )
        if not self._is_signed(request, key, fields):
            sign_in.count_refused_signature(key.user, remote_addr)
            refuse(
                request,
                _("The signature of this request is not valid. Check the key, the date and the signed headers."),
            )
        # the caller has the secret, so the refusal may name the reason
        if key.has_ended and key.date_expired is not None:
            ended_at = timezone.localtime(key.date_expired)
            refuse(
                request,
                _("This access key ended on %(date)s. Use another one, or ask an administrator for it.")
                % {"date": f"{ended_at:%Y-%m-%d %H:%M %Z}"},
            )
        # the signature is valid, so a repeated request is not a guess and must not lock the account
        if not self._is_new(request, key, fields):
            refuse(
                request,
                _("The signature of this request is not valid. Check the key, the date and the signed headers."),
            )
        tokens.note_key_use(key, remote_addr)
        return key.user, key

    def _is_signed(self, request: Request, key: AccessKey, fields: dict[str, str]) -> bool:
        names = fields.get("headers", "date").lower().split()
        signature = fields.get("signature", "")
        return (
            fields.get("algorithm", "").lower() == "hmac-sha256"
            and set(names) >= _SIGNED_HEADERS
            and tokens.signature_fits(key, _signed_text(request, names), signature)
        )

    def _is_new(self, request: Request, key: AccessKey, fields: dict[str, str]) -> bool:
        """Whether a validly signed request is recent, matches its body, and was not accepted before."""
        names = fields.get("headers", "date").lower().split()
        return (
            _date_is_near(request.headers.get("Date", ""))
            and ("digest" not in names or _digest_fits(request))
            and tokens.take_signature(f"{key.pk}:{fields['signature']}", valid_for=2 * _MAX_CLOCK_SKEW)
        )

    def authenticate_header(self, request: Request) -> str:
        return "Signature"


class WithdrawnSchemes(BaseAuthentication):
    """`Sign` and `Token` of the contract: refused with a hint. Unknown schemes are ignored.

    `Sign` is an MD5 over secret and date. It does not cover the request, so anyone who sees a header can make any other
    request for a quarter of an hour. `Token` is a secret without an expiry. See docs/decisions/0008.
    """

    def authenticate(self, request: Request) -> None:
        name = _header(request).partition(" ")[0].lower()
        if name in {"sign", "token"}:
            refuse(
                request,
                _("This way of signing requests is not supported. Use an access key with the scheme Signature."),
            )

    def authenticate_header(self, request: Request) -> str:
        return "Signature"


class CookieAuthentication(SessionAuthentication):
    """The browser's session cookie; unsafe methods also need `X-CSRFToken` (K64: every unsafe method needs the CSRF
    token or a credential in a header).
    """

    def authenticate(self, request: Request) -> tuple[User, LoginSession] | None:
        login_session = login_sessions.find_by_session(request._request.session)  # noqa: SLF001 - as DRF's own class does
        if login_session is None:
            return None
        self.enforce_csrf(request)
        login_sessions.touch(login_session)
        return login_session.user, login_session


def _header(request: Request) -> str:
    """The Authorization header as received; bytes beyond ASCII are decoded as latin-1."""
    return str(request.META.get("HTTP_AUTHORIZATION", ""))


def _credentials(request: Request, scheme: str) -> str | None:
    """The text after the scheme in the Authorization header; None when the header is missing or uses another scheme."""
    header = _header(request)
    name, _separator, rest = header.partition(" ")
    if name.lower() != scheme:
        return None
    if not rest.strip() or len(header) > _MAX_HEADER_CHARS or not header.isascii():
        refuse(request, _("The Authorization header is malformed. Check its scheme and value."))
    return rest.strip()


def _find_key(text: str) -> AccessKey | None:
    key_id: UUID | None = parse_id(text)
    return None if key_id is None else tokens.find_key(key_id)


def _signed_text(request: Request, names: list[str]) -> str:
    lines: list[str] = []
    for name in names:
        if name == "(request-target)":
            lines.append(f"{name}: {(request.method or '').lower()} {request.get_full_path()}")
        else:
            lines.append(f"{name}: {request.headers.get(name, '')}")
    return "\n".join(lines)


def _digest_fits(request: Request) -> bool:
    """Whether the body matches the signed header `Digest: SHA-256=…`."""
    body = request._request.body  # noqa: SLF001 - the raw body, before any parser
    expected = "SHA-256=" + base64.b64encode(hashlib.sha256(body).digest()).decode("ascii")
    return same(request.headers.get("Digest", ""), expected)


def _date_is_near(text: str) -> bool:
    try:
        instant: datetime = parsedate_to_datetime(text)
        if instant.tzinfo is None:
            instant = instant.replace(tzinfo=UTC)
        return abs(clock.now() - instant) <= _MAX_CLOCK_SKEW
    except (ValueError, TypeError, OverflowError):  # no date, or a date outside the supported range
        return False
