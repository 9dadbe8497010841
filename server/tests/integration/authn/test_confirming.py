"""Users of a provider confirm their identity there instead of entering a password: effects and refusals."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories import openid, saml
from factories.vouching import CONFIRMATION, VouchedGuest, confirming_visit
from peers.openid_stand_in import OpenidStandIn, serving
from peers.saml_stand_in import SamlStandIn
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.callers.policy import PASSWORD_VERIFIED_FOR
from postern.apps.authn.models import ExternalRequest, LoginSession, ProxySignIn
from postern.apps.authn.ssh_codes.actions import BACKEND
from postern.apps.preferences.actions import change_settings
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

pytestmark = pytest.mark.django_db

ENROL = "/api/v1/authentication/otp/enrol/start/"
PASSKEY = "/api/v1/authentication/passkeys/enrol/start/"


class Peer(ABC):
    """A provider of one protocol, with Ann as its person."""

    kind: str
    path: str

    @abstractmethod
    def guest(self) -> VouchedGuest:
        """A browser that is not signed in."""

    @abstractmethod
    def sign_in(self, guest: VouchedGuest) -> None:
        """Sign in with the provider."""

    @abstractmethod
    def back(self, guest: Any, page: str) -> Any:
        """The response of Postern to the callback of the provider."""

    @abstractmethod
    def name(self, subject: str) -> None:
        """Change the person at the provider."""

    @abstractmethod
    def was_asked(self, seconds_ago: float | None) -> None:
        """Set when the provider authenticated the person; None: unknown."""

    @abstractmethod
    def repeat(self, guest: Any) -> Any:
        """Send the last answer of the provider a second time."""

    def signed_in(self) -> VouchedGuest:
        guest = self.guest()
        self.sign_in(guest)
        return guest

    def confirm(self, guest: VouchedGuest) -> Any:
        return guest.confirm(self.visit(guest))

    def visit(self, guest: VouchedGuest) -> str:
        return confirming_visit(self.back(guest, guest.start_to_confirm()))


class OpenidPeer(Peer):
    kind, path = "openid", openid.PROVIDERS

    def __init__(self, stand_in: OpenidStandIn) -> None:
        self.stand_in = stand_in
        self.last = ""

    def guest(self) -> VouchedGuest:
        return openid.Guest()

    def sign_in(self, guest: Any) -> None:
        assert guest.walk(self.stand_in).status_code == 200

    def back(self, guest: Any, page: str) -> Any:
        self.last = self.stand_in.come_back(page)
        return guest.arrive(self.last)

    def name(self, subject: str) -> None:
        self.stand_in.claims["sub"] = subject

    def was_asked(self, seconds_ago: float | None) -> None:
        self.stand_in.asked_ago_s = seconds_ago

    def repeat(self, guest: Any) -> Any:
        return guest.arrive(self.last)


class SamlPeer(Peer):
    kind, path = "saml", saml.PROVIDERS

    def __init__(self, stand_in: SamlStandIn) -> None:
        self.stand_in = stand_in
        self.last: tuple[str, dict[str, str]] = ("", {})

    def guest(self) -> VouchedGuest:
        return saml.Guest()

    def sign_in(self, guest: Any) -> None:
        assert guest.walk(self.stand_in).status_code == 200

    def back(self, guest: Any, page: str) -> Any:
        request, _query = self.stand_in.asked(page)
        assert request.get("ForceAuthn") == "true"
        self.last = self.stand_in.come_back(page)
        return guest.arrive(*self.last)

    def name(self, subject: str) -> None:
        self.stand_in.person["name"] = subject

    def was_asked(self, seconds_ago: float | None) -> None:
        self.stand_in.person["asked_s"] = "" if seconds_ago is None else -float(seconds_ago)

    def repeat(self, guest: Any) -> Any:
        return guest.arrive(*self.last)


@pytest.fixture(params=["openid", "saml"])
def peer(request: pytest.FixtureRequest, as_admin: APIClient) -> Iterator[Peer]:
    if request.param == "openid":
        claims = {"sub": "s-ann", "preferred_username": "ann", "name": "Ann Li"}
        with serving(OpenidStandIn(claims=claims)) as running:
            openid.save(as_admin, openid.form_of(running))
            yield OpenidPeer(running)
        return
    stand_in = SamlStandIn(person={"name": "s-ann", "attributes": {"uid": ["ann"]}})
    saml.save(as_admin, saml.form_of(stand_in))
    yield SamlPeer(stand_in)


def is_open(guest: VouchedGuest) -> bool:
    """Whether the confirmation is valid, according to the state and to an action that requires it."""
    is_confirmed = guest.get(CONFIRMATION).json()["is_confirmed"]
    answer = guest.post(PASSKEY, {})
    assert (answer.status_code == 200) is is_confirmed, answer.content
    return bool(is_confirmed)


def refused(answer: Any, code: str, words: str) -> None:
    assert answer.status_code == 400, answer.content
    body = answer.json()
    assert (body.get("code") or body.get("error")) == code, body
    assert words in str(body), body


def events(code: str) -> list[dict[str, Any]]:
    return [row.new for row in AuditEvent.objects.filter(event=code).order_by("datetime", "pk")]


def test_confirmation_has_the_effect_and_duration_of_the_password(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = peer.signed_in()
    state = guest.get(CONFIRMATION).json()
    assert state == {"provider": {"kind": peer.kind, "id": "corp", "name": "Corp"}, "is_confirmed": False}
    before = guest.post(ENROL, {})
    refused(before, "password_verify_required", "Confirm at your provider first that it is you.")
    answer = peer.confirm(guest)
    assert (answer.status_code, answer.json()) == (200, {"next": "/ui/users/profile?dialog=mfa-enable"})
    assert is_open(guest)
    assert "secret" in guest.post(ENROL, {}).json()
    assert events("identity.confirmed")[0]["provider"] == f"{peer.kind}:corp"
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + PASSWORD_VERIFIED_FOR)
    assert not is_open(guest)


def test_confirmation_applies_to_one_browser_only(peer: Peer) -> None:
    guest, other = peer.signed_in(), peer.signed_in()
    assert peer.confirm(guest).status_code == 200
    assert not is_open(other)


def test_different_person_at_the_provider_confirms_nothing(peer: Peer) -> None:
    guest = peer.signed_in()
    peer.name("s-bob")
    refused(peer.confirm(guest), "confirmation_refused", "Somebody else signed in at Corp")
    assert not is_open(guest)
    assert events("identity.refused")[0]["reason"] == "confirming.other_person"
    assert not User.objects.filter(username="bob").exists()


@pytest.mark.parametrize(
    ("seconds", "words"), [(3600, "did not ask you again"), (-3600, "from the future"), (None, "")]
)
def test_provider_must_have_authenticated_the_person_recently(peer: Peer, seconds: float | None, words: str) -> None:
    guest = peer.signed_in()
    peer.was_asked(seconds)
    refused(peer.confirm(guest), "confirmation_refused", words)
    assert not is_open(guest)
    assert len(events("identity.refused")) == 1


@pytest.mark.parametrize("peer", ["openid"], indirect=True)
def test_time_of_authentication_is_read_from_the_signed_token_only(peer: Peer) -> None:
    assert isinstance(peer, OpenidPeer)
    guest = peer.signed_in()
    peer.was_asked(None)
    peer.stand_in.only_userinfo = {"auth_time": int(clock.now().timestamp())}
    refused(peer.confirm(guest), "confirmation_refused", "wrong or missing auth_time")


def test_answers_and_visits_are_used_once(peer: Peer) -> None:
    guest = peer.signed_in()
    visit = peer.visit(guest)
    location = peer.repeat(guest).headers["Location"]
    assert location.startswith("/core/auth/login/?external=none")
    assert guest.confirm(visit).status_code == 200
    LoginSession.objects.update(date_password_verified=None)
    refused(guest.confirm(visit), "external_lapsed", "was used before")
    assert not is_open(guest)


def test_answer_from_another_session_confirms_nothing(peer: Peer) -> None:
    guest, other = peer.signed_in(), peer.signed_in()
    visit = peer.visit(guest)
    refused(other.confirm(visit), "external_lapsed", "in another browser")
    other.cookies["postern_visit"] = guest.cookies["postern_visit"].value  # even with the stolen cookie
    refused(other.confirm(visit), "external_lapsed", "in another browser")
    assert not is_open(other)
    assert not is_open(guest)


def test_new_sign_in_of_the_same_browser_ends_the_visit(peer: Peer) -> None:
    guest = peer.signed_in()
    visit = peer.visit(guest)
    first, cookie = LoginSession.objects.get(), guest.cookies["postern_visit"].value
    guest.post("/api/v1/authentication/sign-out/", {})
    peer.sign_in(guest)
    guest.cookies["postern_visit"] = cookie
    refused(guest.confirm(visit), "external_lapsed", "")
    assert LoginSession.objects.exclude(pk=first.pk).get().date_password_verified is None


@pytest.mark.parametrize("moment", ["before", "between", "after"])
def test_disabled_provider_confirms_nothing(as_admin: APIClient, peer: Peer, moment: str) -> None:
    guest = peer.signed_in()

    def off() -> None:
        row = as_admin.get(peer.path).json()[0]
        assert as_admin.patch(f"{peer.path}{row['id']}/", {"is_active": False}).status_code == 200

    if moment == "before":
        off()
        assert guest.get(CONFIRMATION).json()["provider"] is None
        assert guest.start_to_confirm() == "/ui/users/profile"
        assert not ExternalRequest.objects.filter(purpose="confirm").exists()
        return
    page = guest.start_to_confirm()
    if moment == "between":
        off()
    visit = confirming_visit(peer.back(guest, page))
    if moment == "after":
        off()
    refused(guest.confirm(visit), "confirmation_refused", "switched off")
    assert not is_open(guest)


def test_disabled_way_of_signing_in_confirms_nothing(peer: Peer) -> None:
    guest = peer.signed_in()
    change_settings(actor=SYSTEM, changes={"SECURITY_SIGN_IN_WAYS": ["password", "passkey"]})
    assert guest.get(CONFIRMATION).json()["provider"] is None
    assert guest.start_to_confirm() == "/ui/users/profile"


def test_visits_for_sign_in_and_confirmation_are_not_interchangeable(peer: Peer) -> None:
    guest = peer.signed_in()
    stranger = peer.guest()
    page = stranger.start()
    visit = stranger.visit_at(peer_back(peer, stranger, page))
    guest.cookies["postern_visit"] = stranger.cookies["postern_visit"].value
    refused(guest.confirm(visit), "external_lapsed", "")
    confirming = peer.visit(guest)
    refused(guest.use(confirming), "external_lapsed", "")


def peer_back(peer: Peer, guest: Any, page: str) -> Any:
    """The callback of a sign-in, without a new authentication."""
    if isinstance(peer, OpenidPeer):
        return peer.back(guest, page)
    assert isinstance(peer, SamlPeer)
    return guest.arrive(*peer.stand_in.come_back(page))


def test_link_on_another_site_begins_no_confirmation(peer: Peer) -> None:
    guest = peer.signed_in()
    assert guest.start_to_confirm(HTTP_SEC_FETCH_SITE="cross-site") == "/ui/users/profile"
    assert guest.start_to_confirm("//evil.example", HTTP_SEC_FETCH_SITE="same-origin").startswith("http")
    assert ExternalRequest.objects.get(purpose="confirm").target == "/ui/users/profile"
    assert peer.guest().start_to_confirm().startswith("/core/auth/login/?next=")


def test_local_user_has_no_provider_and_cannot_begin(
    peer: Peer, make_person: Callable[..., User], as_admin: APIClient
) -> None:
    make_person("li")
    guest = peer.guest()
    assert guest.sign_in("li").status_code == 200
    assert guest.get(CONFIRMATION).json() == {"provider": None, "is_confirmed": False}
    assert guest.start_to_confirm() == "/ui/users/profile"
    assert as_admin.get(CONFIRMATION).json()["provider"] is None


def test_sign_out_at_the_provider_ends_an_open_visit(peer: Peer) -> None:
    guest = peer.signed_in()
    visit = peer.visit(guest)
    ExternalRequest.objects.filter(pk=visit).update(date_signed_out=clock.now())
    refused(guest.confirm(visit), "external_lapsed", "")
    assert not is_open(guest)


def test_confirmation_links_the_sign_in_to_the_session_at_the_provider(peer: Peer) -> None:
    if isinstance(peer, OpenidPeer):
        peer.stand_in.claims["sid"] = "session-1"
    guest = peer.signed_in()
    row = LoginSession.objects.get()
    ticket = ProxySignIn.objects.create(
        user=row.user,
        token_hash="t",
        proxy_id=row.pk,
        epoch=row.epoch,
        backend=BACKEND,
        provider_session=row.provider_session,
        date_expired=row.date_expired,
    )
    if isinstance(peer, OpenidPeer):
        peer.stand_in.claims["sid"] = "session-2"
    assert peer.confirm(guest).status_code == 200
    now = LoginSession.objects.get().provider_session
    assert now not in {"", row.provider_session}
    ticket.refresh_from_db()
    assert ticket.provider_session == now  # signing out at the provider also ends the ticket


@pytest.mark.django_db(transaction=True)
def test_one_of_twenty_concurrent_confirmations_succeeds(peer: Peer) -> None:
    guest = peer.signed_in()
    visit = peer.visit(guest)

    def use(_number: int) -> int:
        try:
            own = peer.guest()
            own.cookies.update(guest.cookies)
            return int(own.confirm(visit).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        statuses = sorted(pool.map(use, range(20)))
    assert statuses == [200] + [400] * 19
    assert len(events("identity.confirmed")) == 1


def test_visit_expires(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = peer.signed_in()
    visit = peer.visit(guest)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(minutes=11))
    refused(guest.confirm(visit), "external_lapsed", "expired")
