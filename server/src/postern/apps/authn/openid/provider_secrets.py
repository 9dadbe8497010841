"""The store of encrypted client secrets, by the id of their provider."""

from typing import Final

from postern.apps.authn.federation.sealed_secrets import SealedSecrets
from postern.foundation.provided import Provided

STORE: Final = Provided[SealedSecrets]("the vault for client secrets")
