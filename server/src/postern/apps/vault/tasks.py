"""Background work of the vault."""

from typing import Any, Final

from celery import shared_task

from postern.apps.vault.accounts import of_nodes

BEAT: Final[dict[str, dict[str, Any]]] = {
    "vault-accounts-of-nodes": {"task": "postern.vault.accounts_of_nodes", "schedule": 10.0},
}


@shared_task(name="postern.vault.accounts_of_nodes")  # type: ignore[untyped-decorator]  # celery has no types
def accounts_of_nodes() -> int:
    """Add and remove the accounts that follow from nodes, where nodes or bindings changed."""
    return of_nodes.keep_up()
