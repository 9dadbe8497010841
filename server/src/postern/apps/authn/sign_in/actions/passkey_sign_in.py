"""Sign-in with a passkey alone, without a name and a password. The passkey identifies the user.

The authenticator verifies the person, so the passkey counts as both factors. Only local users can sign in this way: for
others, only their directory or provider knows whether the account is active.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.lock_out import guard
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.authn.passkeys.actions import assertions
from postern.apps.authn.passkeys.errors import OnlyLocalByPasskey, PasskeyUnknown
from postern.apps.authn.passkeys.models import Passkey
from postern.apps.authn.second_factors.actions.passkeys import take_alone
from postern.apps.authn.sign_in import ways
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.authn.sign_in.actions.sign_in import Attempted, Proof
from postern.apps.users import facade as users

#: The authentication backend in the login log, and of the login session.
BACKEND = "passkey"


@dataclass(frozen=True, slots=True)
class PasskeyProof:
    """A verified passkey and its user, whose account may be used."""

    proof: Proof
    passkey_id: UUID


def prove(
    answer: Mapping[str, Any],
    *,
    challenge: bytes,
    remote_addr: str,
    user_agent: str,
    visitor_of: Callable[[str], Visitor],
) -> PasskeyProof:
    """The user of the passkey in the browser's answer. Raises a `SignInRefused`; the login log records each refusal.

    Users with an unmet condition are admitted, because only the console signs in this way. `visitor_of`: the origin of
    the request for a username.
    """
    passkey = assertions.find(answer)
    attempted = Attempted(
        username=passkey.user.username if passkey is not None else "",
        remote_addr=remote_addr,
        login_type="W",
        backend=BACKEND,
        user_agent=user_agent,
    )
    try:
        if passkey is None:  # not a guess at an account, so it counts only for the address
            guard.reserve_address(remote_addr)
            raise PasskeyUnknown
        user = passkey.user
        take_alone(passkey=passkey, answer=answer, challenge=challenge, visitor=visitor_of(user.username))
        if not user.is_local:
            raise OnlyLocalByPasskey
        ways.require(BACKEND, user)
        sign_in.require_open_account(user, remote_addr=remote_addr, may_be_unmet=True)
    except SignInRefused as refused:
        sign_in.refuse(attempted, refused)
        raise
    return PasskeyProof(Proof(user=user, attempted=attempted), passkey.pk)


def hold(by_passkey: PasskeyProof) -> bool:
    """Whether the passkey still exists and its user is unchanged. Locks the user until the transaction ends.

    A concurrent removal also locks the user first: it ran before, or waits and then ends the new sign-in.
    """
    user = by_passkey.proof.user
    if users.hold_epoch(user.pk) != user.session_epoch:
        return False
    return Passkey.objects.filter(pk=by_passkey.passkey_id, user=user).exists()
