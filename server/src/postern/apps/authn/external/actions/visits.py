"""Visits to a provider. A visit begins in a browser, returns to that browser once, and is used once.

`begin` → the provider authenticates the person → `redeem` gets the person from the provider → `finish`, called by the
console. The last step is separate, because only requests of the console have all cookies and the CSRF token.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.utils.crypto import salted_hmac

from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.errors import console_address
from postern.apps.authn.external.errors import (
    BUSY,
    CANCELLED,
    INCOMPLETE,
    LOCKED,
    ODD_PERSON,
    OFF,
    REFUSED,
    ExternalLapsed,
)
from postern.apps.authn.external.models import ExternalRequest, Purpose
from postern.apps.authn.external.provider_slots import SLOTS, ProviderBusy
from postern.apps.authn.external.providers import ExternalProvider, Visit, Way
from postern.apps.authn.lock_out import guard
from postern.apps.authn.lock_out.errors import SignInLocked
from postern.foundation.phrases import Phrase, stored
from postern.integrations.web_apis.failures import Fault, WebApiFailed
from postern.integrations.web_apis.person import Person
from postern.kernel import clock
from postern.kernel.addresses import address_key
from postern.kernel.ids import new_token, same, token_hash
from postern.kernel.secret import Secret
from postern.kernel.sentences import Sentence

LIFETIME: Final = timedelta(minutes=10)
#: Maximum number of stored visits per address, because anybody can begin visits. The oldest are deleted.
MOST_OF_ADDRESS: Final = 100
_STATE_BYTES: Final = 32
_MOST_CHARS: Final = 256
_TENANT_CHARS, _NAME_CHARS = 255, 128


@dataclass(frozen=True, slots=True)
class Begun:
    """`page`: the address of the redirect; empty when the visit was refused. `browser`: the value of its cookie."""

    request_id: UUID
    browser: Secret
    page: str


def begin(
    *,
    way: Way,
    purpose: Purpose,
    remote_addr: str,
    user_agent: str,
    target: str = "",
    login_session: LoginSession | None = None,
) -> Begun:
    """Begin a visit. If the provider cannot be used, the visit is stored with the reason as its refusal."""
    browser, state, now = new_token(), secrets.token_hex(_STATE_BYTES), clock.now()
    page = _page_or_reason(way, _visit(way, purpose, state, now), user_agent)
    refusal = page if isinstance(page, Sentence) else None
    address = address_key(remote_addr)[:64]
    _delete_surplus(address)
    row = ExternalRequest.objects.create(
        provider=way.kind,
        way_id=way.id,
        purpose=purpose,
        state_hash=token_hash(state),
        browser_hash=token_hash(browser),
        login_session=login_session,
        target=target,
        remote_addr=address,
        refusal=stored(refusal) if refusal is not None else None,
        date_created=now,
        date_expired=now + LIFETIME,
        date_redeemed=now if refusal is not None else None,
    )
    return Begun(row.pk, Secret(browser), "" if isinstance(page, Sentence) else page)


@dataclass(frozen=True, slots=True)
class CameBack:
    """The parameters of the redirect from the provider. `sender`, `error`: empty when missing."""

    state: str
    code: str
    sender: str = ""
    error: str = ""


def redeem(
    *,
    way: Way,
    purposes: Collection[Purpose],
    back: CameBack,
    browser: str,
    remote_addr: str,
    counts_guesses: bool = True,
) -> ExternalRequest | None:
    """Redeem the redirect from the provider, once. Returns the visit with the person, or with the reason of a refusal.

    Returns None when this browser has no such visit for this provider and these purposes, or it was redeemed. A wrong
    state counts as a failure of the address if the browser has the cookie of a visit. It does not count
    (`counts_guesses`) for cookies that are sent across sites, because any site could cause such requests. While the
    address is locked, the provider is not queried.
    """
    row = ExternalRequest.objects.filter(state_hash=token_hash(back.state)).first()
    if row is None or not same(row.browser_hash, token_hash(browser)):
        # Without the cookie every state is refused, so it is no guess: an image on another site can cause the request.
        if browser and counts_guesses:
            _count(remote_addr)
        return None
    now = clock.now()
    ours = ExternalRequest.objects.filter(pk=row.pk, provider=way.kind, way_id=way.id, purpose__in=purposes)
    if ours.filter(date_redeemed__isnull=True, date_expired__gt=now).update(date_redeemed=now) != 1:
        return None
    try:
        guard.require_open_address(remote_addr)
    except SignInLocked as locked:
        ours.update(refusal=stored(LOCKED.say(minutes=str(locked.minutes))))
        return row
    visit = _visit(way, Purpose(row.purpose), back.state, row.date_created, back.sender)
    result = _person_or_reason(way, visit, back, remote_addr)
    if isinstance(result, Person):
        ours.update(
            tenant=result.tenant, subject=result.subject, name=_printable(result.name), details=dict(result.details)
        )
    else:
        ours.update(refusal=stored(result))
    return row


def finish(*, request_id: UUID | None, browser: str, purpose: Purpose, kinds: Collection[str]) -> ExternalRequest:
    """Use a redeemed visit to a provider of these kinds, once, in the browser that began it. Raises ExternalLapsed."""
    now = clock.now()
    rows = ExternalRequest.objects.filter(purpose=purpose, provider__in=kinds)
    row = rows.filter(pk=request_id).first() if request_id else None
    if row is None or not same(row.browser_hash, token_hash(browser)):
        raise ExternalLapsed
    redeemed = ExternalRequest.objects.filter(pk=row.pk, date_redeemed__isnull=False, date_expired__gt=now)
    if redeemed.filter(date_finished__isnull=True).update(date_finished=now) != 1:
        raise ExternalLapsed
    row.refresh_from_db()
    return row


def _provider_or_reason(way: Way) -> ExternalProvider | Sentence:
    provider = way.provider() if way.is_on else None
    return provider or _reason(way, INCOMPLETE if way.is_on else OFF)


def _page_or_reason(way: Way, visit: Visit, user_agent: str) -> str | Sentence:
    provider = _provider_or_reason(way)
    if isinstance(provider, Sentence):
        return provider
    try:
        with SLOTS.slot((way.kind, way.id)):
            return provider.page(visit, user_agent)
    except ProviderBusy:
        return _reason(way, BUSY)
    except WebApiFailed as error:
        return error.sentence


def _person_or_reason(way: Way, visit: Visit, back: CameBack, remote_addr: str) -> Person | Sentence:
    provider = _provider_or_reason(way)
    if isinstance(provider, Sentence):
        return provider
    if not back.code:
        is_choice = back.error in {"", "access_denied", "login_required", "interaction_required"}
        return _reason(way, CANCELLED) if is_choice else REFUSED.say(provider=way.label, error=_printable(back.error))
    try:
        with SLOTS.slot((way.kind, way.id)):
            person = provider.person(visit, back.code)
    except ProviderBusy:
        return _reason(way, BUSY)
    except WebApiFailed as error:
        if error.fault is Fault.CODE:
            _count(remote_addr)
        return error.sentence
    is_storable = all(part.isprintable() for part in (person.tenant, person.subject))
    if not is_storable or len(person.tenant) > _TENANT_CHARS or len(person.subject) > _MOST_CHARS:
        return _reason(way, ODD_PERSON)
    return person


def _visit(way: Way, purpose: Purpose, state: str, begun: datetime, came_from: str = "") -> Visit:
    # From the setting, never from the Host header, which a client chooses.
    uri = f"{console_address().rstrip('/')}{way.callback(purpose)}"
    verifier = salted_hmac("postern.external.verifier", state, algorithm="sha256").hexdigest()
    asked_since = begun if purpose == Purpose.CONFIRM else None
    return Visit(redirect_uri=uri, state=state, verifier=verifier, came_from=came_from, asked_since=asked_since)


def _delete_surplus(address: str) -> None:
    waiting = ExternalRequest.objects.filter(remote_addr=address)
    surplus = waiting.order_by("-date_created").values_list("pk", flat=True)[MOST_OF_ADDRESS - 1 :]
    ExternalRequest.objects.filter(pk__in=list(surplus[:MOST_OF_ADDRESS])).delete()


def _reason(way: Way, phrase: Phrase) -> Sentence:
    return phrase.say(provider=way.label)


def _count(remote_addr: str) -> None:
    try:
        guard.reserve_address(remote_addr)
    except SignInLocked:
        return  # the caller refuses the request in any case


def _printable(name: str) -> str:
    return "".join(char for char in name if char.isprintable())[:_NAME_CHARS]
