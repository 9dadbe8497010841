"""Places of the secrets of gateways."""

from typing import Final

from postern.apps.vault.gateways.models import Gateway
from postern.apps.vault.sealed_secrets.sealing import SecretPlace

#: Table name of gateways in the places of their secrets.
GATEWAYS: Final = "vault_gateway"


def place_of(gateway: Gateway, column: str) -> SecretPlace:
    """Place of a secret of a gateway."""
    return SecretPlace(table=GATEWAYS, row_id=gateway.pk, org_id=gateway.org_id, column=column)
