"""What authn plugs into the apps and hooks below it; called once, when the app registry is ready."""

from postern.apps.authn import guard, identity, subscriptions
from postern.apps.authn.api.authentication import BearerAuthentication, CookieAuthentication, SignatureAuthentication
from postern.apps.users import facade as users
from postern.foundation import identity as hooks


def register() -> None:
    """Tell the foundation who calls, and the users app which names are locked."""
    hooks.register_authenticators(BearerAuthentication, SignatureAuthentication, CookieAuthentication)
    hooks.register_actor_resolver(identity.actor_of_request)
    hooks.register_gate(identity.require_password_in_order)
    users.register_login_locks(guard.locked_accounts, guard.unlock_account)
    subscriptions.register()
