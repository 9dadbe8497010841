"""Periodic tasks of the vault. Those of the secret store do nothing while all secrets are local."""

import logging
from typing import Final

from celery import shared_task

from postern.apps.vault import facade
from postern.apps.vault.accounts import of_nodes
from postern.apps.vault.sealed_secrets import providers
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.parts.schedule import every
from postern.kernel.errors import Unavailable

logger = logging.getLogger(__name__)

_MINUTE_S: Final = 60.0
_TEN_SECONDS_S: Final = 10.0
_SIX_HOURS_S: Final = 6 * 3600.0


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def keep_secret_store_token() -> None:
    """Renew the token for the secret store when it is due. A token that nobody uses for its whole time would end."""
    try:
        providers.require_store()
    except Unavailable:
        return  # the client has logged why


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def remove_unused_secrets() -> None:
    """Remove what moved, replaced and rolled back secrets left behind."""
    try:
        facade.tidy(actor=SYSTEM)
    except Unavailable as error:
        logger.warning("unused secrets were not removed: %s", getattr(error, "reason", error.message))


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def accounts_of_nodes() -> int:
    """Add and remove the accounts that follow from nodes, where nodes or bindings changed."""
    return of_nodes.keep_up()


BEAT: Final = {
    "vault: accounts of nodes": every(accounts_of_nodes, _TEN_SECONDS_S),
    "vault: keep the token of the secret store": every(keep_secret_store_token, _MINUTE_S),
    "vault: remove unused secrets": every(remove_unused_secrets, _SIX_HOURS_S),
}
