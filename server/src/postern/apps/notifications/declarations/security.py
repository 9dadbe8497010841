"""Messages about security, for administrators."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.authn.lock_out.events import AccountLocked
from postern.apps.notifications.declarations.categories import SECURITY
from postern.apps.notifications.declarations.declaration import Audience, MessageText, MessageType, Written, written
from postern.apps.sessions.terminals.events import ProxyAlarm, ProxyAlarmKind

_ID: Final = UUID("0f8fad5b-d9cb-469f-a165-70867728950e")
_FINGERPRINT: Final = "SHA256:o4LZ4BsVJv0n1k6mE3oC4WnUYp9H0tBqV2nqHc6sXkE"

_HOST_KEY: Final = MessageType(
    "HostKeyChangedMessage", gettext_lazy("The host key of an asset changed"), *SECURITY, Audience.SUBSCRIBERS
)
_LOCK: Final = MessageType(
    "AccountLockedMessage", gettext_lazy("An account was locked after failed sign-ins"), *SECURITY, Audience.SUBSCRIBERS
)
_ALARM: Final = MessageType(
    "ProxyAlarmMessage", gettext_lazy("A terminal behaves suspiciously"), *SECURITY, Audience.SUBSCRIBERS
)


@dataclass(frozen=True, slots=True)
class ChangedHostKey:
    """`name`: of the asset or gateway. `org`: the name of its organization."""

    name: str
    host: str
    port: int
    org: str
    fingerprint: str
    is_gateway: bool


def _of_host_key(facts: ChangedHostKey) -> Written:
    if facts.is_gateway:
        body = _(
            "The gateway {asset} ({host}:{port}) of the organization {org} sent the host key {fingerprint}, which "
            "differs from the key on record. The connection was refused. If the gateway was reinstalled, forget "
            "its old key on the page of the gateway. If not, somebody may be intercepting the connection."
        )
    else:
        body = _(
            "{asset} ({host}:{port}) of the organization {org} sent the host key {fingerprint}, which differs "
            "from the key on record. The connection was refused. If the host was reinstalled, forget its old key "
            "on the page of the asset. If not, somebody may be intercepting the connection."
        )
    return written(
        _("The host key of %(asset)s has changed"),
        body,
        asset=facts.name,
        host=facts.host,
        port=facts.port,
        org=facts.org,
        fingerprint=facts.fingerprint,
    )


HOST_KEY_CHANGED: Final = MessageText(
    _HOST_KEY,
    _of_host_key,
    (
        ChangedHostKey("shop-1", "192.0.2.10", 22, "Default", _FINGERPRINT, is_gateway=False),
        ChangedHostKey("gate-1", "192.0.2.1", 22, "Default", _FINGERPRINT, is_gateway=True),
    ),
)


def _of_lock(facts: AccountLocked) -> Written:
    return written(
        _("The account %(name)s is locked"),
        _(
            "Too many sign-ins as {name} failed, most recently from {address}. The account is locked for "
            "{minutes} minutes. Open sessions continue."
        ),
        name=facts.username,
        address=facts.remote_addr,
        minutes=facts.minutes,
    )


def _of_own_lock(facts: AccountLocked) -> Written:
    return written(
        _("Sign-ins to your account are locked"),
        _(
            "Too many sign-ins with your username failed, most recently from {address}. For {minutes} minutes, only "
            "devices and addresses that you used recently can sign in. If that was not you, change your password."
        ),
        address=facts.remote_addr,
        minutes=facts.minutes,
    )


_LOCKED: Final = AccountLocked(username="li", remote_addr="198.51.100.7", minutes=30)
ACCOUNT_LOCKED: Final = MessageText(_LOCK, _of_lock, (_LOCKED,))
#: To the owner of the account.
OWN_ACCOUNT_LOCKED: Final = MessageText(_LOCK, _of_own_lock, (_LOCKED,))


def _of_alarm(facts: ProxyAlarm) -> Written:
    whats = {
        ProxyAlarmKind.TICKET: _("It asked to act for a user who did not sign in through it. The request was refused."),
        ProxyAlarmKind.CREDENTIALS: _(
            "It requested more credentials in one minute than the settings allow. Further requests were refused."
        ),
        ProxyAlarmKind.ADDRESS: _("Its requests now come from another address, although it was not restarted."),
        ProxyAlarmKind.TWICE: _("Two processes use its credential at the same time."),
        ProxyAlarmKind.ELSEWHERE: _("Its credential is being used from the address %(place)s, where it is not running.")
        % {"place": facts.place},
        ProxyAlarmKind.HASTE: _(
            "It sent more requests in one minute than any proxy needs. Further requests were refused."
        ),
        ProxyAlarmKind.RENEWAL: _(
            "A client at the address %(place)s, which is not the running proxy, requested its new "
            "credential. The request was refused."
        )
        % {"place": facts.place},
    }
    return written(
        _("The terminal %(name)s behaves suspiciously"),
        _(
            "The terminal {name}: {what} If you cannot explain this, its credential may have been stolen: revoke "
            "it on the Terminals page."
        ),
        name=facts.name,
        what=whats[facts.kind],
    )


PROXY_ALARM: Final = MessageText(
    _ALARM, _of_alarm, tuple(ProxyAlarm(_ID, "proxy-2", kind, "203.0.113.9") for kind in ProxyAlarmKind)
)

TEXTS: Final = (HOST_KEY_CHANGED, ACCOUNT_LOCKED, OWN_ACCOUNT_LOCKED, PROXY_ALARM)
