"""Outgoing connections of the control plane: resolve a name, check all of its addresses, connect to a checked address.

The check is `kernel.dialing`, which the proxy uses, too (K36: only addresses of permitted targets are dialled). The
caller connects to the address that was checked instead of the name, because a second lookup could return another
address.
"""

import socket
from dataclasses import dataclass, replace
from typing import Final

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from postern.foundation.network.names import NAMES, NameNotFound
from postern.foundation.network.surroundings import Endpoint, look_around, own_services
from postern.foundation.phrases import Phrase
from postern.foundation.settings import Settings
from postern.kernel.dialing import DialPolicy, Refusal, Surroundings, plain
from postern.kernel.errors import PosternError

#: Names that resolvers know without asking anybody, or that clouds answer everywhere.
_LOOPBACK_NAMES: Final = frozenset({"ip6-localhost", "ip6-loopback"})
_METADATA_NAMES: Final = frozenset(
    {"metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"}
)

#: Ports on which mail servers take messages.
_MAIL_PORTS: Final = frozenset({25, 465, 587})
#: Ports on which directories answer: LDAP, LDAPS, and the global catalogue of Active Directory.
_DIRECTORY_PORTS: Final = frozenset({389, 636, 3268, 3269})
#: Ports on which syslog receivers listen: UDP, TCP and TLS.
_SYSLOG_PORTS: Final = frozenset({514, 601, 6514})

_REFUSED: Final = {
    Refusal.METADATA: Phrase(
        "dialling.metadata", _("Connections to the metadata service of a cloud are never allowed.")
    ),
    Refusal.OWN_SERVICE: Phrase("dialling.own_service", _("Connections to Postern's own services are never allowed.")),
    Refusal.BLOCKED_NETWORK: Phrase(
        "dialling.blocked_network", _("Connections to this network are not allowed (POSTERN_BLOCKED_NETWORKS).")
    ),
    Refusal.THIS_MACHINE: Phrase(
        "dialling.this_machine",
        _(
            "Connections to the machine that Postern runs on are not allowed. "
            "An operator can allow them with POSTERN_ALLOW_LOCAL_TARGETS=yes."
        ),
    ),
    Refusal.NOT_A_HOST: Phrase(
        "dialling.not_a_host", _("This address cannot belong to a host. Enter the address of the host.")
    ),
}

_UNRESOLVED: Final = Phrase(
    "dialling.unresolved", _("The host name cannot be resolved. Check its spelling and the DNS server.")
)


class TargetRefused(PosternError):
    """Postern does not connect to this address."""

    code = "target_refused"


class TargetUnknown(PosternError):
    """The name has no address, or the lookup took too long."""

    code = "target_unknown"


@dataclass(frozen=True, slots=True)
class DialTarget:
    """A checked address. Connect to exactly this address."""

    address: str
    port: int


def dial_policy(config: Settings, *more: Endpoint) -> DialPolicy:
    """The operator's rules. `more` are further services of Postern that must not be reached."""
    services = (*own_services(config), *more)

    def look() -> Surroundings:
        return look_around(services)

    return DialPolicy(
        allow_local=config.allow_local_targets, blocked_networks=config.blocked_networks, look_around=look
    )


def check_dial(host: str, port: int, *more: Endpoint) -> DialTarget:
    """Resolve `host` and check all of its addresses. Raises TargetRefused or TargetUnknown.

    `more`: services of Postern that the settings do not name, such as proxies on other machines.
    """
    return _judged(host, port, dial_policy(settings.POSTERN, *more))


def check_behind_gateway(host: str, port: int, *more: Endpoint) -> None:
    """Check a target that a gateway connects to. Raises TargetRefused.

    Its name is not resolved here, because it may be known behind the gateway only, with another meaning. What is
    written as an address is judged by the same rules as an address that is dialled from here: `127.0.0.1` would be the
    gateway itself.
    """
    written = _written_address(host)
    if written is None:
        return
    policy = dial_policy(settings.POSTERN, *more)
    refusal = policy.refusal(written, port, policy.look_around())
    if refusal is not None:
        raise TargetRefused(_REFUSED[refusal].say())


def _written_address(host: str) -> str | None:
    """The address that a host is written as, in any form that a resolver understands; None for another name."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith((".localhost", ".localdomain")) or name in _LOOPBACK_NAMES:
        return "127.0.0.1"
    if name in _METADATA_NAMES:
        return "169.254.169.254"
    if plain(name) is not None:
        return name
    try:
        return socket.inet_ntoa(socket.inet_aton(name))  # 0x7f000001, 2130706433, 127.1
    except OSError:
        return None


def check_component(host: str, port: int) -> DialTarget:
    """`check_dial` for a component of Postern, such as a listening proxy, which may be on this machine."""
    return _judged(host, port, replace(dial_policy(settings.POSTERN), allow_local=True, blocked_networks=()))


def check_secret_store(host: str, port: int) -> DialTarget:
    """`check_component` for the secret store of the settings, which is itself a service that targets must not be."""
    config: Settings = replace(settings.POSTERN, vault=None)
    return _judged(host, port, replace(dial_policy(config), allow_local=True, blocked_networks=()))


def check_mail_server(host: str, port: int) -> DialTarget:
    """`check_dial` for the mail server of the settings, which is often on this machine, on one of the ports of mail."""
    policy = dial_policy(settings.POSTERN)
    return _judged(host, port, replace(policy, allow_local=policy.allow_local or port in _MAIL_PORTS))


def check_directory_server(host: str, port: int) -> DialTarget:
    """`check_dial` for the LDAP server of the settings, which may be on this machine, on one of the ports of LDAP."""
    policy = dial_policy(settings.POSTERN)
    return _judged(host, port, replace(policy, allow_local=policy.allow_local or port in _DIRECTORY_PORTS))


def check_syslog_server(host: str, port: int) -> DialTarget:
    """`check_dial` for the syslog receiver of the settings, which may be on this machine, on one of the ports of syslog."""
    policy = dial_policy(settings.POSTERN)
    return _judged(host, port, replace(policy, allow_local=policy.allow_local or port in _SYSLOG_PORTS))


def _judged(host: str, port: int, policy: DialPolicy) -> DialTarget:
    addresses = _resolve(host, port)
    around = policy.look_around()
    for address in addresses:
        refusal = policy.refusal(address, port, around)
        if refusal is not None:
            raise TargetRefused(_REFUSED[refusal].say())
    return DialTarget(str(plain(addresses[0]) or addresses[0]), port)


def _resolve(host: str, port: int) -> list[str]:
    try:
        entries = NAMES.find(host, port)
    except NameNotFound:
        raise TargetUnknown(_UNRESOLVED.say()) from None
    return [str(entry[4][0]) for entry in entries]
