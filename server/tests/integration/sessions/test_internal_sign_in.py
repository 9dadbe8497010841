"""Sign-ins at a proxy through the internal API, and the meaning of SSH user names."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from asyncssh.packet import String

from factories.proxy_client import Proxy, World
from factories.second_factor import App
from factories.ssh_proof import make_key, signed_request
from postern.apps.authn import housekeeping
from postern.apps.authn.models import ProxySignIn
from postern.apps.sessions.visitors.queries import read_login_name
from postern.apps.users.models import User
from postern.contracts import access
from postern.contracts.enums import DenialCode, LoginFrom, Protocol
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

PASSWORD = "violet anchor seventeen"
KEY, KEY_LINE = make_key()
OTHER, OTHER_LINE = make_key()


@pytest.fixture
def ann(make_user: Callable[..., User]) -> User:
    user = make_user("ann", public_key=KEY_LINE, language="en")
    user.set_password(PASSWORD)
    user.save()
    return user


def sign_in(proxy: Proxy, **more: Any) -> access.SignInAnswer:
    values: dict[str, Any] = {
        "username": "ann",
        "password": PASSWORD,
        "remote_addr": "192.0.2.9",
        "login_from": LoginFrom.SSH_TERMINAL,
        **more,
    }
    return proxy.ask(access.SIGN_IN_PASSWORD, access.SignInPassword(**values), access.SignInAnswer)


def test_password_signs_in_and_a_wrong_one_does_not(proxy: Proxy, ann: User) -> None:
    assert sign_in(proxy).user == access.UserIdentity(id=ann.pk, username="ann", name="Ann", language="en")
    for more in ({"password": "wrong"}, {"username": "nobody"}):
        answer = sign_in(proxy, **more)
        assert answer.user is None
        assert answer.denial is not None
        assert answer.denial.code is DenialCode.BAD_CREDENTIALS


def test_second_factor_is_required_before_the_user_is_named(proxy: Proxy, ann: User) -> None:
    app = App(ann)
    first = sign_in(proxy)
    assert (first.user, first.denial) == (None, None)
    assert first.second_factor is not None
    assert first.second_factor.language == "en"

    def show(code: str, token: str) -> access.SignInAnswer:
        message = access.SignInCode(token=token, code=code, username="ann", remote_addr="192.0.2.9")
        return proxy.ask(access.SIGN_IN_CODE, message, access.SignInAnswer)

    for code, token in ((app.wrong(), first.second_factor.token), (app.code(), "made up")):
        refused = show(code, token)
        assert refused.user is None
        assert refused.denial is not None
        assert refused.denial.code is DenialCode.MFA_FAILED
    right = show(app.code(), first.second_factor.token)
    assert right.user == access.UserIdentity(id=ann.pk, username="ann", name="Ann", language="en")


def show_key(
    proxy: Proxy, signed: bytes, signature: bytes, attempt: str = "", remote_addr: str = "192.0.2.9"
) -> access.SignInAnswer:
    message = access.SignInPublicKey(
        signed=signed,
        signature=signature,
        attempt=attempt or uuid4().hex,
        remote_addr=remote_addr,
        login_from=LoginFrom.SSH_TERMINAL,
    )
    return proxy.ask(access.SIGN_IN_PUBLIC_KEY, message, access.SignInAnswer)


def test_k8_public_key_offer_is_answered_and_never_signs_in(proxy: Proxy, ann: User) -> None:
    offer = access.PublicKeyOffer(username="ann", public_key=KEY_LINE, remote_addr="192.0.2.9")
    assert proxy.ask(access.PUBLIC_KEY_OFFER, offer, access.PublicKeyAnswer).acceptable is True
    foreign = access.PublicKeyOffer(username="ann", public_key=OTHER_LINE, remote_addr="192.0.2.9")
    assert proxy.ask(access.PUBLIC_KEY_OFFER, foreign, access.PublicKeyAnswer).acceptable is False
    assert not ProxySignIn.objects.exists()
    assert show_key(proxy, *signed_request(KEY, "ann")).user is not None


def test_k8_claim_of_a_proxy_signs_nobody_in(proxy: Proxy, ann: User) -> None:
    """Public keys are public: a stolen proxy credential alone gives neither a sign-in nor a ticket."""
    right, _signature = signed_request(KEY, "ann")
    forged = [
        (right, b""),
        (right, String("ssh-ed25519") + String(bytes(64))),
        (right, signed_request(OTHER, "ann")[1]),  # signed with another key
        signed_request(OTHER, "ann", named_key=KEY),  # names ann's key, signed with another key
        (right, signed_request(KEY, "ann")[1]),  # the signature of another connection
    ]
    for signed, signature in forged:
        answer = show_key(proxy, signed, signature)
        assert (answer.user, answer.ticket, answer.second_factor) == (None, "", None)
        assert answer.denial is not None
    nobody = show_key(proxy, *signed_request(OTHER, "ann"))
    assert nobody.denial is not None
    assert not ProxySignIn.objects.exists()


@pytest.mark.parametrize(
    "bent",
    [
        {"connection": b"short"},
        {"service": "ssh-userauth"},
        {"method": "hostbased"},
        {"with_signature": False},
    ],
)
def test_k8_signature_over_other_data_than_a_sign_in_is_refused(proxy: Proxy, ann: User, bent: dict[str, Any]) -> None:
    signed, signature = signed_request(KEY, "ann", **bent)
    message = access.SignInPublicKey(
        signed=signed, signature=signature, attempt="1", remote_addr="192.0.2.9", login_from=LoginFrom.SSH_TERMINAL
    )
    assert proxy.post(access.SIGN_IN_PUBLIC_KEY, msgspec.json.encode(message)).status_code == 400
    assert not ProxySignIn.objects.exists()


def test_k8_attempt_with_a_lost_answer_can_be_repeated_only_by_the_same_proxy(
    proxy: Proxy, other_proxy: Proxy, ann: User
) -> None:
    signed, signature = signed_request(KEY, "ann")
    assert show_key(proxy, signed, signature, "attempt").user is not None
    assert show_key(proxy, signed, signature, "attempt").user is not None
    for who, attempt in ((other_proxy, "attempt"), (proxy, "another"), (proxy, "attempt2")):
        assert show_key(who, signed, signature, attempt).user is None
    assert show_key(proxy, signed, signature, "attempt", remote_addr="192.0.2.10").user is None
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert show_key(proxy, signed, signature, "attempt").user is None  # the account is checked again


@pytest.mark.parametrize("later", [timedelta(seconds=31), timedelta(days=30), timedelta(days=89)])
def test_k8_attempt_can_be_repeated_for_seconds_only(
    proxy: Proxy, ann: User, monkeypatch: pytest.MonkeyPatch, later: timedelta
) -> None:
    """Otherwise a sign-in recorded at a proxy could act for a user who left long ago."""
    signed, signature = signed_request(KEY, "ann")
    assert show_key(proxy, signed, signature, "attempt").user is not None
    then = clock.now() + later
    monkeypatch.setattr(clock, "now", lambda: then)
    housekeeping.forget_old(actor=SYSTEM)
    assert show_key(proxy, signed, signature, "attempt").user is None


def test_k8_signature_signs_in_once(proxy: Proxy, other_proxy: Proxy, ann: User) -> None:
    """A proxy that saw a signature cannot use it again, neither there nor at another proxy."""
    signed, signature = signed_request(KEY, "ann@web-1")
    first = show_key(proxy, signed, signature)
    assert first.user is not None
    assert first.login == access.LoginNameAnswer(username="ann", asset="web-1")
    for who in (proxy, other_proxy):
        again = show_key(who, signed, signature)
        assert again.user is None
        assert again.ticket == ""
    assert ProxySignIn.objects.count() == 1


def test_reachable_assets_are_those_that_the_user_may_use(proxy: Proxy, world: World, ann: User) -> None:
    (asset,) = proxy.reachable(world.user).assets
    assert (asset.hostname, asset.system_users[0].name) == ("web-1", "root of web")
    assert proxy.reachable(world.user, search="nothing").count == 0
    assert proxy.reachable(world.user, protocol=Protocol.RDP).count == 0
    assert proxy.reachable(world.user, offset=-5, limit=-1).assets == ()
    assert proxy.reachable(ann).count == 0


@pytest.mark.parametrize(
    ("text", "username", "system_user", "asset"),
    [
        ("ann", "ann", "", ""),
        ("ann@web-1", "ann", "", "web-1"),
        ("ann@root@web-1", "ann", "root", "web-1"),
        ("bob@example.org", "bob@example.org", "", ""),
        ("bob@example.org@web-1", "bob@example.org", "", "web-1"),
        ("bob@example.org@root@web-1", "bob@example.org", "root", "web-1"),
        ("nobody@root@web-1", "nobody", "root", "web-1"),
        ("ann=web-1", "ann", "", "web-1"),
        ("ann=root=web-1", "ann", "root", "web-1"),
        ("bob@example.org=root=web-1", "bob@example.org", "root", "web-1"),
        ("ann@root@web=1", "ann", "root", "web=1"),
        ("nobody=root=web-1", "nobody", "root", "web-1"),
        ("a@b@c@d", "a@b", "c", "d"),
        ("", "", "", ""),
        ("@@", "", "", ""),
    ],
)
def test_login_name_is_read_as_the_longest_existing_user_name(  # noqa: PLR0917 - a table of cases
    ann: User, make_user: Callable[..., User], text: str, username: str, system_user: str, asset: str
) -> None:
    bob = make_user("bob")
    bob.username = "bob@example.org"
    bob.save()
    answer = read_login_name(text)
    assert (answer.username, answer.system_user, answer.asset) == (username, system_user, asset)


def test_meaning_of_a_login_name_is_answered_only_after_the_sign_in(proxy: Proxy, ann: User) -> None:
    """Before the sign-in, the answer would reveal which accounts exist."""
    refused = sign_in(proxy, username="ann@root@web-1", password="wrong")
    assert refused.login is None
    right = sign_in(proxy, username="ann@root@web-1")
    assert right.login == access.LoginNameAnswer(username="ann", system_user="root", asset="web-1")
    app = App(ann)
    first = sign_in(proxy, username="ann@web-1")
    assert first.second_factor is not None
    assert first.login is None
    message = access.SignInCode(
        token=first.second_factor.token, code=app.code(), username="ann@web-1", remote_addr="192.0.2.9"
    )
    assert proxy.ask(access.SIGN_IN_CODE, message, access.SignInAnswer).login == access.LoginNameAnswer(
        username="ann", asset="web-1"
    )
