"""What authn plugs into the apps and hooks below it; called once, when the app registry is ready."""

from typing import Any

from django.db.models.signals import post_delete

from postern.apps.authn import callers, freshness, guard, holdings, identity, subscriptions, totp_secrets
from postern.apps.authn.actions import mfa
from postern.apps.authn.api.authentication import (
    BearerAuthentication,
    CookieAuthentication,
    SignatureAuthentication,
    WithdrawnSchemes,
)
from postern.apps.authn.models import TotpDevice
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation import identity as hooks
from postern.foundation.actor import Actor
from postern.foundation.rest import fresh_mfa


def register() -> None:
    """Tell the foundation who calls, and the users app which names are locked."""
    hooks.register_authenticators(BearerAuthentication, SignatureAuthentication, WithdrawnSchemes, CookieAuthentication)
    hooks.register_scope_resolver(identity.scope_of_request)
    hooks.register_actor_resolver(identity.actor_of_request)
    hooks.register_gate(identity.require_conditions)
    hooks.register_standing(identity.require_standing)
    fresh_mfa.register(freshness.require)
    users.register_caller_check(callers.still_holds, callers.has_lost_rights)
    users.register_login_locks(guard.locked_accounts, guard.unlock_account)
    users.register_second_factors(_reset_second_factor)
    holdings.register()
    # A signal, because the row also goes when its person is deleted, which takes all rows of that person along.
    post_delete.connect(_forget_secret, sender=TotpDevice, dispatch_uid="authn: forget the secret of a deleted device")
    subscriptions.register()


def _reset_second_factor(actor: Actor, user: User) -> None:
    mfa.reset(actor=actor, user=user)


def _forget_secret(instance: TotpDevice, **_: Any) -> None:
    totp_secrets.store().drop(instance.pk)
