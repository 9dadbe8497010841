"""Why a container could not be used: what the codes of Azure mean."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.integrations.replay_storages.failures import CLOCK, FULL, SERVICE, BucketMissing, StorageFailed

KEY: Final = Phrase(
    "storage.azure_key_refused",
    _("%(host)s does not accept the account key. Enter the account name and one of its two keys again."),
)
DENIED: Final = Phrase(
    "storage.azure_denied",
    _(
        "%(host)s refuses this (%(code)s). Check the account key. In the settings of the storage account, permit the access "
        "with an account key, and the address of this machine."
    ),
)
CONTAINER: Final = Phrase(
    "storage.no_container", _("There is no container %(container)s at %(host)s. Create it there first.")
)
MALFORMED: Final = Phrase(
    "storage.azure_malformed",
    _("%(host)s does not answer as Azure Blob Storage does. Check the account name and the endpoint suffix."),
)
BAD_KEY: Final = Phrase(
    "storage.azure_bad_key", _("The account key is no key of Azure: it is not Base64. Copy it again from the portal.")
)

_CONTAINER_CODES: Final = frozenset({"ContainerNotFound", "ContainerBeingDeleted", "ContainerDisabled"})
_KEY_CODES: Final = frozenset({"AuthenticationFailed", "InvalidAuthenticationInfo", "NoAuthenticationInformation"})
_FULL_CODES: Final = frozenset({"AccountBeingCreated", "InsufficientStorage", "BlockCountExceedsLimit", "507"})
_FORBIDDEN: Final = frozenset({401, 403})
_NOT_FOUND: Final = 404


def of_answer(code: str, status: int, *, host: str, container: str, is_late: bool = False) -> StorageFailed:
    """The failure of an answer with this error code. `is_late`: it says that the time of the request is wrong."""
    code = (code or str(status))[:64]
    if code in _CONTAINER_CODES or (status == _NOT_FOUND and code == str(status)):
        return BucketMissing(CONTAINER.say(container=container, host=host))
    if is_late:
        return StorageFailed(CLOCK.say(host=host))
    if code in _KEY_CODES:
        return StorageFailed(KEY.say(host=host))
    if status in _FORBIDDEN:
        return StorageFailed(DENIED.say(host=host, code=code))
    if code in _FULL_CODES:
        return StorageFailed(FULL.say(host=host, code=code))
    return StorageFailed(SERVICE.say(host=host, code=code, status=status))
