"""The trusted authorities and the revoked certificates of the settings.

If a setting cannot be parsed, which requires an edit of the database, no certificate is trusted.
"""

import logging
from functools import lru_cache
from typing import Final

from postern.apps.preferences import facade as preferences
from postern.kernel.ssh_keys.public_keys import PublicKeyProblem, parse_public_keys
from postern.kernel.ssh_keys.revocations import RevocationProblem, Revocations, parse_revocations

_logger = logging.getLogger(__name__)

AUTHORITIES: Final = "TERMINAL_USER_CA_KEYS"
REVOKED: Final = "TERMINAL_REVOKED_CERTIFICATES"
#: Settings whose change can void certificates of existing sign-ins.
SETTINGS: Final = frozenset({AUTHORITIES, REVOKED})


def trusted() -> frozenset[str]:
    """Fingerprints of the trusted authorities. Empty: certificates are off."""
    return _authorities(preferences.get_str(AUTHORITIES))


def revocations() -> Revocations | None:
    """The revoked certificates. None if the setting cannot be parsed: no certificate is accepted then."""
    return _revocations(preferences.get_str(REVOKED))


@lru_cache(maxsize=4)
def _authorities(text: str) -> frozenset[str]:
    try:
        return frozenset(key.sha256 for key in parse_public_keys(text))
    except PublicKeyProblem:
        _logger.warning("%s cannot be read, so no certificate is accepted until it is saved again", AUTHORITIES)
        return frozenset()


@lru_cache(maxsize=4)
def _revocations(text: str) -> Revocations | None:
    try:
        return parse_revocations(text)
    except RevocationProblem:
        _logger.warning("%s cannot be read, so no certificate is accepted until it is saved again", REVOKED)
        return None
