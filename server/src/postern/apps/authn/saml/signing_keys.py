"""The stores of our encrypted private keys (PEM) by the id of the provider: for signing, and for decrypting assertions."""

from typing import Final

from postern.apps.authn.federation.sealed_secrets import SealedSecrets
from postern.foundation.provided import Provided

STORE: Final = Provided[SealedSecrets]("the vault for keys that sign SAML messages")
DECRYPTION: Final = Provided[SealedSecrets]("the vault for keys that decrypt SAML assertions")
