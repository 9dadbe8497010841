"""Tokens of set-password links that wait for their mail: encrypted at the place of the delivery, until it ends."""

from uuid import UUID

from postern.apps.vault import facade as vault
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret


def put(delivery_id: UUID, token: Secret) -> None:
    vault.put_secret(_place(delivery_id), token)


def get(delivery_id: UUID) -> Secret | None:
    """The token; None when the delivery has ended."""
    return vault.get_secret(_place(delivery_id))


def drop(delivery_id: UUID) -> None:
    vault.drop_secrets(_place(delivery_id))


def _place(delivery_id: UUID) -> vault.SecretPlace:
    return vault.SecretPlace(
        table="notifications_messagedelivery", row_id=delivery_id, org_id=ROOT_ORG_ID, column="token"
    )
