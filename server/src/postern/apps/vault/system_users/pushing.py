"""What a job needs in order to create the account of a system user on a host, and what it notes afterwards."""

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from postern.apps.vault.system_users.credentials import secrets_for
from postern.apps.vault.system_users.errors import NOTHING_STORED, UNKNOWN, CredentialMissing, NotPushable
from postern.apps.vault.system_users.models import LoginMode, SystemUser, SystemUserAsset, SystemUserType
from postern.contracts.enums import Protocol
from postern.foundation.phrases import Phrase
from postern.kernel.errors import NotFound
from postern.kernel.secret import Secret

#: Names that every supported system accepts (shadow, BSD, BusyBox).
_USERNAME: Final = re.compile(r"[a-z_][a-z0-9_.-]{0,31}", re.ASCII)
_PATH: Final = re.compile(r"/[^\x00-\x1f\x7f:]*")
#: Names of accounts and groups on Windows: what is left without its reserved characters. Accounts: as few as needed.
_WINDOWS_USERNAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,18}[A-Za-z0-9_-]|[A-Za-z0-9_]", re.ASCII)
_WINDOWS_GROUPS: Final = re.compile(r"[^\x00-\x1f\x7f\"/\\\[\]:;|=+*?<>@]*")
_WINDOWS_PROTOCOLS: Final = (Protocol.SSH, Protocol.RDP)
_GROUPS: Final = re.compile(r"[A-Za-z0-9_.,-]*", re.ASCII)

_OF_NO_USE: Final = Phrase(
    "push.of_no_use",
    _(
        "%(name)s cannot be pushed: only common system users with the protocol SSH (on Windows also RDP) and a"
        " stored secret can."
    ),
)
_NO_NAME: Final = Phrase(
    "push.no_name",
    _("%(username)s is no name for an account: small letters, digits, _, - and ., at most 32, no digit first."),
)
_NO_WINDOWS_NAME: Final = Phrase(
    "push.no_windows_name",
    _("%(username)s is no name for a local account of Windows: letters, digits, _, - and ., at most 20."),
)
_INVALID: Final = Phrase("push.invalid", _("%(field)s of %(name)s is not valid: %(value)s"))
_HOME: Final = Phrase("push.home", _("Home"))
_SHELL: Final = Phrase("push.shell", _("Shell"))
_SYSTEM_GROUPS: Final = Phrase("push.system_groups", _("System groups"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountToPush:
    """One account. Texts have no line ends; "" leaves the property as it is. `mark` ends the line of its public key."""

    username: str
    home: str
    login_shell: str
    groups: str
    sudo: str
    public_key: str
    mark: str
    password: Secret
    protocol: Protocol


def account_to_push(
    system_user_id: UUID, asset_id: UUID, username: str = "", *, is_windows: bool = False
) -> AccountToPush:
    """The account of a system user on an asset, with its own secret if it has a secret; `username` names it if the
    system user has none of its own. `is_windows` says what the names of accounts and groups may be.

    Raises NotFound, NotPushable, CredentialMissing, SecretUnreadable.
    """
    row = SystemUser.objects.filter(pk=system_user_id).first()
    if row is None:
        raise NotFound(UNKNOWN.say())
    name = username if row.username_same_with_user else row.username
    _check(row, name, is_windows=is_windows)
    secrets = secrets_for(row, asset_id=asset_id, username=name)
    password = secrets.password or Secret("")
    if not secrets.public_key and not password:
        raise CredentialMissing(NOTHING_STORED.say(name=row.name))
    return AccountToPush(
        username=name,
        home=row.home,
        login_shell=row.shell,
        groups=",".join(part.strip() for part in row.system_groups.split(",") if part.strip()),
        sudo=" ".join(row.sudo.split()),
        public_key=" ".join(secrets.public_key.split()[:2]),
        mark=f"postern:{row.pk}",
        password=password,
        protocol=Protocol(row.protocol),
    )


def accounts_of(
    *, system_user_ids: list[UUID] | None = None, asset_ids: list[UUID] | None = None
) -> list[tuple[UUID, UUID]]:
    """Asset and system user of each account of these system users, on these assets. None: of all."""
    rows = SystemUserAsset.objects.filter(systemuser__isnull=False)
    if system_user_ids is not None:
        rows = rows.filter(systemuser_id__in=system_user_ids)
    if asset_ids is not None:
        rows = rows.filter(asset_id__in=asset_ids)
    return list(rows.order_by("asset__hostname", "asset_id", "systemuser_id").values_list("asset_id", "systemuser_id"))


def _check(row: SystemUser, username: str, *, is_windows: bool) -> None:
    """Raise NotPushable with the reason."""
    protocols = _WINDOWS_PROTOCOLS if is_windows else (Protocol.SSH,)
    if row.type == SystemUserType.ADMIN or row.protocol not in protocols or row.login_mode == LoginMode.MANUAL:
        raise NotPushable(_OF_NO_USE.say(name=row.name))
    if is_windows:
        _check_for_windows(row, username)
        return
    if _USERNAME.fullmatch(username) is None:
        raise NotPushable(_NO_NAME.say(username=username or "-"))
    for value, pattern, label in (
        (row.home, _PATH, _HOME),
        (row.shell, _PATH, _SHELL),
        (row.system_groups.replace(" ", ""), _GROUPS, _SYSTEM_GROUPS),
    ):
        if value and pattern.fullmatch(value) is None:
            raise NotPushable(_INVALID.say(field=label.say(), name=row.name, value=value[:100]))


def _check_for_windows(row: SystemUser, username: str) -> None:
    """Raise NotPushable with the reason. Home, shell and sudo mean nothing on Windows."""
    if _WINDOWS_USERNAME.fullmatch(username) is None:
        raise NotPushable(_NO_WINDOWS_NAME.say(username=username or "-"))
    if _WINDOWS_GROUPS.fullmatch(row.system_groups) is None:
        raise NotPushable(_INVALID.say(field=_SYSTEM_GROUPS.say(), name=row.name, value=row.system_groups[:100]))
