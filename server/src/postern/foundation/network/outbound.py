"""The control plane's helper for dialling out (K36): a name is resolved, every address of it is judged, one is dialled.

The judgement is `kernel.dialing`, which the proxy asks as well. The caller dials the address that was checked, not the
name, so that a second resolution can not answer differently.
"""

from dataclasses import dataclass, replace

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from postern.foundation.network.names import NAMES, NameNotFound
from postern.foundation.network.surroundings import Endpoint, look_around, own_services
from postern.foundation.settings import Settings
from postern.kernel.dialing import DialPolicy, Refusal, Surroundings, plain
from postern.kernel.errors import PosternError

_MESSAGES: dict[Refusal, Promise] = {
    Refusal.METADATA: _("Connections to the metadata service of a cloud are never allowed."),
    Refusal.OWN_SERVICE: _("Connections to Postern's own services are never allowed."),
    Refusal.BLOCKED_NETWORK: _("Connections to this network are not allowed (POSTERN_BLOCKED_NETWORKS)."),
    Refusal.THIS_MACHINE: _(
        "Connections to the machine that Postern runs on are not allowed. "
        "An operator can allow them with POSTERN_ALLOW_LOCAL_TARGETS=yes."
    ),
    Refusal.NOT_A_HOST: _("This is not the address of a host that can be connected to."),
}


class TargetRefused(PosternError):
    """The address lies where Postern does not connect to."""

    code = "target_refused"


class TargetUnknown(PosternError):
    """The name does not resolve, or not in time."""

    code = "target_unknown"


@dataclass(frozen=True, slots=True)
class DialTarget:
    """An address that was checked; dial exactly this one."""

    address: str
    port: int


def dial_policy(config: Settings, *more: Endpoint) -> DialPolicy:
    """The operator's rules; `more` are further services of ours."""
    services = (*own_services(config), *more)

    def look() -> Surroundings:
        return look_around(services)

    return DialPolicy(
        allow_local=config.allow_local_targets, blocked_networks=config.blocked_networks, look_around=look
    )


def check_dial(host: str, port: int, *more: Endpoint) -> DialTarget:
    """Resolve `host` and judge every address that it has. Raises TargetRefused or TargetUnknown.

    `more`: services of ours that the settings do not name, such as proxies on other machines.
    """
    return _judged(host, port, dial_policy(settings.POSTERN, *more))


def check_component(host: str, port: int) -> DialTarget:
    """The same for a component of ours, which may be on this machine: where a proxy says that it listens."""
    return _judged(host, port, replace(dial_policy(settings.POSTERN), allow_local=True, blocked_networks=()))


def _judged(host: str, port: int, policy: DialPolicy) -> DialTarget:
    addresses = _resolve(host, port)
    around = policy.look_around()
    for address in addresses:
        refusal = policy.refusal(address, port, around)
        if refusal is not None:
            raise TargetRefused(str(_MESSAGES[refusal]))
    return DialTarget(str(plain(addresses[0]) or addresses[0]), port)


def _resolve(host: str, port: int) -> list[str]:
    try:
        found = NAMES.find(host, port)
    except NameNotFound:
        raise TargetUnknown(str(_("The name of the host can not be resolved."))) from None
    return [str(entry[4][0]) for entry in found]
