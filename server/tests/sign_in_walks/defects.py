"""Planted defects: each removes one check of the product. The walks must find all of them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from unittest import mock

from postern.apps.authn.credentials.actions import login_sessions
from postern.apps.authn.errors import MfaRefused
from postern.apps.authn.external.actions import visits
from postern.apps.authn.known_places import trust
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.authn.models import ExternalRequest, PendingSignIn, TotpDevice, TrustedBrowser
from postern.apps.authn.passkeys.actions import assertions
from postern.apps.authn.second_factors import totp, totp_secrets
from postern.apps.authn.second_factors.actions import codes, mfa
from postern.apps.authn.second_factors.actions import passkeys as passkey_actions
from postern.apps.authn.sign_in.actions import second_factor, sign_in
from postern.apps.authn.sign_in.api import mfa as mfa_api
from postern.apps.users.models import User
from postern.kernel import clock
from postern.kernel.ids import same, token_hash

Patch = tuple[Any, str, Any]


def _no_second_factor() -> list[Patch]:
    return [(second_factor, "demand_of", lambda _user, **_more: second_factor.Demand.NOTHING)]


def _without(*checks: str) -> Callable[[PendingSignIn | None], PendingSignIn | None]:
    """`second_factor._alive` without some of its checks."""

    def alive(pending: PendingSignIn | None) -> PendingSignIn | None:
        if pending is None or ("used" not in checks and pending.date_used is not None):
            return None
        if "time" not in checks and pending.date_expired <= clock.now():
            return None
        if "tries" not in checks and pending.tries >= second_factor.MAX_TRIES and pending.date_passed is None:
            return None
        if "account" not in checks and not pending.user.is_active:
            return None
        return None if "epoch" not in checks and pending.epoch != pending.user.session_epoch else pending

    return alive


def _current_epoch_of_nobody(user_id: Any) -> int:
    """The epoch of the newest pending sign-in, instead of the epoch of the user."""
    return PendingSignIn.objects.filter(user_id=user_id).latest("date_created").epoch


def _former_password() -> list[Patch]:
    patched_users = mock.Mock(wraps=second_factor.users)
    patched_users.hold_epoch = _current_epoch_of_nobody
    return [(second_factor, "_alive", _without("epoch")), (second_factor, "users", patched_users)]


def _disabled_account() -> list[Patch]:
    open_to_all = mock.Mock(wraps=sign_in)
    open_to_all.require_open_account = lambda *_values, **_more: None
    return [
        (second_factor, "_alive", _without("account", "epoch")),
        (sign_in, "require_open_account", lambda *_values, **_more: None),
        (second_factor, "sign_in", open_to_all),
    ]


def _code_of_anybody() -> list[Patch]:
    real = codes.take_code

    def take(*, user: User, code: str, kind: Any, visitor: Visitor) -> None:
        for device in TotpDevice.objects.select_related("user").filter(date_confirmed__isnull=False):
            secret = totp_secrets.store().get(device.pk)
            if secret is not None and totp.matching_step(secret, code, now=clock.now()) is not None:
                user = device.user
        real(user=user, code=code, kind=kind, visitor=visitor)

    return [(second_factor, "take_code", take)]


def _code_twice() -> list[Patch]:
    def take(device: TotpDevice, code: str) -> bool:
        secret = totp_secrets.store().get(device.pk)
        return secret is not None and totp.matching_step(secret, code, now=clock.now()) is not None

    return [(codes, "_take_totp", take)]


def _passkey_of_anybody() -> list[Patch]:
    def take(*, user: User, answer: Any, challenge: bytes, visitor: Visitor) -> None:
        del user, visitor
        passkey = assertions.find(answer)
        if passkey is None or not assertions.is_valid(passkey, answer, challenge=challenge, needs_pin=False):
            raise MfaRefused

    return [(second_factor, "take_passkey", take)]


def _passkey_without_pin() -> list[Patch]:
    real = assertions.is_valid
    loose = mock.Mock(wraps=assertions)
    loose.is_valid = lambda *values, **more: real(*values, **{**more, "needs_pin": False})
    return [(passkey_actions, "assertions", loose)]


def _forced_mfa_forgotten() -> list[Patch]:
    return [(login_sessions, "mfa_is_forced", lambda _user: False)]


def trust_of_another_user() -> list[Patch]:
    def find(_user: User, cookie: str) -> TrustedBrowser | None:
        return TrustedBrowser.objects.filter(token_hash=token_hash(cookie.rpartition(":")[0])).first()

    return [(trust, "find", find), (trust, "use", lambda **_values: True)]


def _trust_for_ever() -> list[Patch]:
    def trusted(user: User) -> Any:
        return TrustedBrowser.objects.filter(user=user)

    return [(trust, "trusted_by", trusted)]


def _factor_replaced_by_password() -> list[Patch]:
    return [
        (mfa_api, "has_factor", lambda _user_id: False),
        (mfa_api, "has_device", lambda _user_id: False),
        (second_factor, "has_factor", lambda _user_id: False),
    ]


def _reset_ends_nothing() -> list[Patch]:
    return [(mfa, "end_all", lambda **_values: 0)]


def _visit_used_twice() -> list[Patch]:
    def finish(*, request_id: Any, browser: str, purpose: Any, kinds: Any) -> ExternalRequest:
        row = ExternalRequest.objects.filter(pk=request_id, purpose=purpose, provider__in=kinds).first()
        if row is None or not same(row.browser_hash, token_hash(browser)):
            raise visits.ExternalLapsed
        return row

    return [(visits, "finish", finish)]


#: Defects with the root and the verbs of their search.
DEFECTS: Final[dict[Callable[[], list[Patch]], tuple[str, frozenset[str]]]] = {
    _no_second_factor: ("app", frozenset({"password", "ssh_password", "sign_out"})),
    _former_password: ("app", frozenset({"password", "code", "set_password"})),
    _disabled_account: ("app", frozenset({"password", "code", "disable", "enable"})),
    _code_of_anybody: ("app", frozenset({"password", "code", "ssh_password", "ssh_code"})),
    _code_twice: ("app", frozenset({"password", "code", "sign_out"})),
    _passkey_of_anybody: ("both", frozenset({"password", "passkey", "recovery_code"})),
    _passkey_without_pin: ("passkey", frozenset({"password", "passkey", "passkey_alone"})),
    _forced_mfa_forgotten: ("bare", frozenset({"password", "provider", "level"})),
    _trust_for_ever: ("app", frozenset({"password", "code", "wait"})),
    _factor_replaced_by_password: ("app", frozenset({"password", "enrol", "code"})),
    _reset_ends_nothing: ("passkey", frozenset({"passkey_alone", "password", "reset_mfa"})),
    _visit_used_twice: ("bare", frozenset({"provider", "same_visit_again", "sign_out"})),
}


@contextmanager
def planted(defect: Callable[[], list[Patch]]) -> Iterator[None]:
    """Run the block with this defect in the product."""
    with ExitStack() as stack:
        for owner, name, value in defect():
            stack.enter_context(mock.patch.object(owner, name, value))
        yield
