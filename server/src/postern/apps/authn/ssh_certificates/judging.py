"""Checks the certificate of a verified proof, before the user is looked up.

Refusals therefore reveal nothing about a name. A certificate with a requirement that is not enforced here is refused
(K33: certificates are checked whole).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from postern.apps.authn.login_acls.addresses import contains, parsed_address
from postern.apps.authn.signatures import ssh_proofs
from postern.apps.authn.signatures.ssh_proofs import KeyProof
from postern.apps.authn.ssh_certificates import authorities
from postern.apps.authn.ssh_certificates.errors import CertificateRefused, Fault
from postern.apps.users.models import username_key
from postern.kernel import clock
from postern.kernel.ssh_keys import certificates
from postern.kernel.ssh_keys.certificates import Certificate, CertificateProblem

#: Maximum validity of a certificate. Used signatures are stored for as long.
LONGEST: Final = ssh_proofs.REMEMBERED
_ADDRESSES: Final = "source-address"
_PIN: Final = "verify-required"
_ENFORCED: Final = frozenset({_ADDRESSES, _PIN})
#: Extension that permits a terminal. It is required, because any session may open one.
_TERMINAL: Final = "permit-pty"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The facts about a certificate that a sign-in stores and the log records. `authority`, `key`: fingerprints
    (SHA256:…).
    """

    authority: str
    key: str
    serial: int
    key_id: str
    date_expired: datetime

    @classmethod
    def of(cls, certificate: Certificate) -> "Mark":
        """The mark of a certificate with an end of validity."""
        return cls(
            authority=certificate.authority.sha256,
            key=certificate.key.sha256,
            serial=certificate.serial,
            key_id=certificate.key_id,
            date_expired=datetime.fromtimestamp(min(certificate.valid_before, _LAST), tz=UTC),
        )

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> "Mark":
        """The mark in a stored row."""
        return cls(
            authority=stored["authority"],
            key=stored["key"],
            serial=int(stored["serial"]),
            key_id=stored["key_id"],
            date_expired=datetime.fromisoformat(stored["date_expired"]),
        )

    def stored(self) -> dict[str, str]:
        """The JSON of a row. The serial number is text, because not every JSON parser supports numbers of eight bytes."""
        return {
            "authority": self.authority,
            "key": self.key,
            "serial": str(self.serial),
            "key_id": self.key_id,
            "date_expired": self.date_expired.isoformat(),
        }

    @property
    def is_withdrawn(self) -> bool:
        """Whether the authority is no longer trusted, or the certificate was revoked."""
        revoked = authorities.revocations()
        if revoked is None or self.authority not in authorities.trusted():
            return True
        return revoked.revoke(serial=self.serial, key_id=self.key_id, fingerprints=(self.key, self.authority))

    @property
    def is_over(self) -> bool:
        """Whether the certificate has expired."""
        return self.date_expired <= clock.now()


#: The last second of the year 9999, because datetime does not support the later ends that certificates may have.
_LAST: Final = int(datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp())


def require(proof: KeyProof, certificate: Certificate, *, username: str, remote_addr: str) -> None:
    """Raise CertificateRefused unless the certificate permits a sign-in with this name. `proof` is a verified proof."""
    if not is_trusted(certificate):
        raise CertificateRefused(Fault.UNTRUSTED)
    if certificate.kind != certificates.USER:
        raise CertificateRefused(Fault.NOT_OF_USER)
    if Mark.of(certificate).is_withdrawn:
        raise CertificateRefused(Fault.REVOKED)
    _require_time(certificate)
    if not _names(certificate, username):
        raise CertificateRefused(Fault.OTHER_NAME)
    _require_options(proof, certificate, remote_addr)


def is_trusted(certificate: Certificate) -> bool:
    """Whether a currently trusted authority has signed this certificate."""
    return certificate.authority.sha256 in authorities.trusted() and certificate.is_signed


def _names(certificate: Certificate, username: str) -> bool:
    return username_key(username) in map(username_key, certificate.principals)


def _require_time(certificate: Certificate) -> None:
    now = clock.now().timestamp()
    if certificate.valid_before <= now:
        raise CertificateRefused(Fault.EXPIRED)
    if certificate.valid_after > now:
        raise CertificateRefused(Fault.NOT_YET)
    if certificate.valid_before - certificate.valid_after > LONGEST / timedelta(seconds=1):
        raise CertificateRefused(Fault.TOO_LONG)


def _require_options(proof: KeyProof, certificate: Certificate, remote_addr: str) -> None:
    options = certificate.critical_options
    unknown = sorted(set(options) - _ENFORCED)
    if unknown:
        raise CertificateRefused(Fault.OPTION, option=unknown[0])
    if _ADDRESSES in options and not _comes_from(options[_ADDRESSES], remote_addr):
        raise CertificateRefused(Fault.ADDRESS)
    if _PIN in options and ssh_proofs.lacks_pin(proof):
        raise CertificateRefused(Fault.PIN)
    if _TERMINAL not in certificate.extensions:
        raise CertificateRefused(Fault.NO_TERMINAL)


def _comes_from(data: bytes, remote_addr: str) -> bool:
    """Whether the address belongs to the list of addresses and networks."""
    try:
        items = certificates.option_text(data).split(",")
    except CertificateProblem:
        return False
    address = parsed_address(remote_addr)
    return address is not None and any(contains(item.strip(), address) for item in items if item.strip() != "*")
