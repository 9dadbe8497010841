"""Verification of ID tokens (OpenID Connect Core section 3.1.3.7) and logout tokens (Back-Channel Logout section 2.6).

The signature is checked by joserfc with a list of algorithms, so that a token can choose neither `none` nor a secret
key. joserfc checks the claims it knows. It takes a second audience and a foreign `azp`, so these are checked here.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from joserfc import jws, jwt
from joserfc.errors import ClaimError, ExpiredTokenError, JoseError

from postern.integrations.openid import failures, keys
from postern.integrations.openid.metadata import ALGORITHMS, Metadata
from postern.integrations.web_apis.calls import WebCalls
from postern.integrations.web_apis.failures import WebApiFailed
from postern.kernel.ids import same

LEEWAY_S: Final = 60
#: A logout token is sent at once. Those with an older `iat` are not needed any more.
LOGOUT_AGE_S: Final = 300
_LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"
_MOST_TOKEN_CHARS: Final = 64 * 1024
_MOST_KID_CHARS: Final = 512
_MOST_ID_CHARS: Final = 255

Claims = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LoggedOut:
    """Whose sign-ins end: of a person (`subject`), or of one session at the provider (`sid`); one of them may be empty.

    `jti`: the name of the token, which counts once.
    """

    subject: str
    sid: str
    jti: str


def id_claims(token: str, metadata: Metadata, *, client_id: str, nonce: str, calls: WebCalls) -> Claims:
    """The claims of an ID token for this client and this visit. Raises WebApiFailed."""
    claims = _signed(token, metadata, calls)
    _check(
        claims,
        jwt.JWTClaimsRegistry(
            leeway=LEEWAY_S,
            iss={"essential": True, "value": metadata.issuer},
            aud={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
        ),
    )
    _require_audience(claims, client_id)
    claimed = claims.get("nonce")
    if not isinstance(claimed, str) or not same(claimed, nonce):
        raise failures.bad_claim("nonce")
    _id(claims, "sub")
    return claims


def require_asked(claims: Claims, since: datetime) -> None:
    """Raise WebApiFailed unless the ID token says that the person was asked at this instant or later (Core section 2,
    `auth_time`). The clocks may differ by `LEEWAY_S`.
    """
    asked = claims.get("auth_time")
    if not isinstance(asked, int | float) or isinstance(asked, bool):
        raise failures.bad_claim("auth_time")
    if asked < since.timestamp() - LEEWAY_S:
        raise failures.not_asked()
    if asked > time.time() + LEEWAY_S:
        raise failures.ahead()


def logged_out(token: str, metadata: Metadata, *, client_id: str, calls: WebCalls) -> LoggedOut:
    """What a logout token says. Raises WebApiFailed."""
    claims = _signed(token, metadata, calls)
    _check(
        claims,
        jwt.JWTClaimsRegistry(
            leeway=LEEWAY_S,
            iss={"essential": True, "value": metadata.issuer},
            aud={"essential": True},
            iat={"essential": True},
            jti={"essential": True},
        ),
    )
    _require_audience(claims, client_id)
    if claims["iat"] < time.time() - LOGOUT_AGE_S:
        raise failures.expired()
    events = claims.get("events")
    if not isinstance(events, dict) or not isinstance(events.get(_LOGOUT_EVENT), dict):
        raise failures.bad_claim("events")
    if "nonce" in claims:  # an ID token is no logout token
        raise failures.bad_claim("nonce")
    subject, sid = (_id(claims, name) if name in claims else "" for name in ("sub", "sid"))
    if not subject and not sid:
        raise failures.bad_claim("sub")
    return LoggedOut(subject, sid, _id(claims, "jti"))


def _signed(token: str, metadata: Metadata, calls: WebCalls) -> Claims:
    if not 0 < len(token) <= _MOST_TOKEN_CHARS or token.count(".") != 2:
        raise failures.bad_signature()
    try:
        header = jws.extract_compact(token.encode()).headers()
    except (JoseError, ValueError, TypeError, RecursionError):
        raise failures.bad_signature() from None
    algorithm, kid = header.get("alg"), header.get("kid", "")
    if algorithm not in ALGORITHMS or not isinstance(kid, str) or len(kid) > _MOST_KID_CHARS:
        raise failures.bad_signature()
    for candidate in keys.candidates(metadata.keys, kid=kid, algorithm=str(algorithm), calls=calls):
        try:
            return jwt.decode(token, candidate.key, algorithms=list(ALGORITHMS)).claims
        except (JoseError, ValueError, TypeError, RecursionError):
            continue
    raise failures.bad_signature()


def _check(claims: Claims, registry: jwt.JWTClaimsRegistry) -> None:
    try:
        registry.validate(dict(claims))
    except ExpiredTokenError:
        raise failures.expired() from None
    except ClaimError as error:
        is_time = error.claim in {"iat", "nbf"} and isinstance(claims.get(error.claim), int | float)
        raise failures.ahead() if is_time else failures.bad_claim(error.claim) from None
    except JoseError:
        raise failures.bad_signature() from None


def _require_audience(claims: Claims, client_id: str) -> None:
    """Nobody but this client: a token that another client may use as well could have come from there."""
    if claims["aud"] not in (client_id, [client_id]):
        raise failures.bad_claim("aud")
    if claims.get("azp", client_id) != client_id:
        raise failures.bad_claim("azp")


def _id(claims: Claims, name: str) -> str:
    value = claims.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= _MOST_ID_CHARS or not value.isprintable():
        raise failures.bad_claim(name)
    return value


def used_before() -> WebApiFailed:
    """A logout token that was believed already."""
    return failures.bad_claim("jti")
