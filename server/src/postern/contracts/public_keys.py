"""Limits of the public keys with which users sign in.

The control plane stores no key outside these limits, and the SSH front looks none up.
"""

from typing import Final

RSA_MIN_BITS: Final = 2048
#: Verifying larger RSA keys would use CPU before the user is authenticated.
RSA_MAX_BITS: Final = 4096
