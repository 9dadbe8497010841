"""Secrets of webhooks: `whsec_` and base64, sealed at the place of their row (standardwebhooks.com)."""

import base64
import secrets as random_bytes
from typing import Final
from uuid import UUID

from postern.apps.vault import facade as vault
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret

_PREFIX: Final = "whsec_"
_BYTES: Final = 32
_COLUMNS: Final = ("secret", "former_secret")


def new_secret() -> Secret:
    return Secret(_PREFIX + base64.b64encode(random_bytes.token_bytes(_BYTES)).decode())


def put(webhook_id: UUID, secret: Secret) -> None:
    vault.put_secret(_place(webhook_id, "secret"), secret)


def replace(webhook_id: UUID, secret: Secret) -> None:
    """Store a new secret, and keep the present secret as the former."""
    present = vault.get_secret(_place(webhook_id, "secret"))
    if present is not None:
        vault.put_secret(_place(webhook_id, "former_secret"), present)
    put(webhook_id, secret)


def keys_of(webhook_id: UUID, *, with_former: bool) -> list[bytes]:
    """The keys that sign now, the newest first."""
    columns = _COLUMNS if with_former else _COLUMNS[:1]
    secrets = [vault.get_secret(_place(webhook_id, column)) for column in columns]
    return [key_of(secret) for secret in secrets if secret is not None]


def key_of(secret: Secret) -> bytes:
    return base64.b64decode(secret.reveal().removeprefix(_PREFIX))


def drop(webhook_id: UUID) -> None:
    """Delete both secrets of the webhook."""
    vault.drop_secrets(_place(webhook_id, _COLUMNS[0]))


def _place(webhook_id: UUID, column: str) -> vault.SecretPlace:
    return vault.SecretPlace(table="forwarding_webhook", row_id=webhook_id, org_id=ROOT_ORG_ID, column=column)
