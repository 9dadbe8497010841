"""Signing in at a proxy's front through the internal API, and how SSH user names are read."""

from collections.abc import Callable
from typing import Any

import pytest

from factories.proxy_client import Proxy, World
from factories.second_factor import App
from postern.apps.users.models import User
from postern.contracts import access
from postern.contracts.enums import DenialCode, LoginFrom, Protocol

PASSWORD = "violet anchor seventeen"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILVSnrUJJRVPJmvIX4wB6ljGvGEH9IKXo+PsVpMZ1S9w ann"


@pytest.fixture
def ann(make_user: Callable[..., User]) -> User:
    user = make_user("ann", public_key=KEY, language="en")
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


def test_second_factor_is_asked_for_before_anybody_is_named(proxy: Proxy, ann: User) -> None:
    app = App(ann)
    first = sign_in(proxy)
    assert (first.user, first.denial) == (None, None)
    assert first.second_factor is not None
    assert first.second_factor.language == "en"

    def show(code: str, token: str) -> access.SignInAnswer:
        shown = access.SignInCode(token=token, code=code, remote_addr="192.0.2.9")
        return proxy.ask(access.SIGN_IN_CODE, shown, access.SignInAnswer)

    for code, token in ((app.wrong(), first.second_factor.token), (app.code(), "made up")):
        refused = show(code, token)
        assert refused.user is None
        assert refused.denial is not None
        assert refused.denial.code is DenialCode.MFA_FAILED
    right = show(app.code(), first.second_factor.token)
    assert right.user == access.UserIdentity(id=ann.pk, username="ann", name="Ann", language="en")


def test_k8_public_key_offer_is_an_answer_and_never_a_sign_in(proxy: Proxy, ann: User) -> None:
    offer = access.PublicKeyOffer(username="ann", public_key=KEY, remote_addr="192.0.2.9")
    assert proxy.ask(access.PUBLIC_KEY_OFFER, offer, access.PublicKeyAnswer).acceptable is True
    foreign = access.PublicKeyOffer(username="ann", public_key=KEY.replace("LVSn", "LVSm"), remote_addr="192.0.2.9")
    assert proxy.ask(access.PUBLIC_KEY_OFFER, foreign, access.PublicKeyAnswer).acceptable is False
    proof = access.SignInPublicKey(
        username="ann", public_key=KEY, remote_addr="192.0.2.9", login_from=LoginFrom.SSH_TERMINAL
    )
    assert proxy.ask(access.SIGN_IN_PUBLIC_KEY, proof, access.SignInAnswer).user is not None


def test_reachable_assets_are_what_the_person_may_use(proxy: Proxy, world: World, ann: User) -> None:
    def page(user: User, **more: Any) -> access.ReachablePage:
        return proxy.ask(access.REACHABLE_ASSETS, access.ReachableQuery(user_id=user.pk, **more), access.ReachablePage)

    (asset,) = page(world.user).assets
    assert (asset.hostname, asset.system_users[0].name) == ("web-1", "root of web")
    assert page(world.user, search="nothing").count == 0
    assert page(world.user, protocol=Protocol.RDP).count == 0
    assert page(world.user, offset=-5, limit=-1).assets == ()
    assert page(ann).count == 0


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
def test_login_name_is_read_as_the_longest_person_that_exists(  # noqa: PLR0917 - a table of cases
    proxy: Proxy, ann: User, make_user: Callable[..., User], text: str, username: str, system_user: str, asset: str
) -> None:
    bob = make_user("bob")
    bob.username = "bob@example.org"
    bob.save()
    answer = proxy.ask(access.LOGIN_NAME, access.LoginNameQuery(text=text), access.LoginNameAnswer)
    assert (answer.username, answer.system_user, answer.asset) == (username, system_user, asset)
