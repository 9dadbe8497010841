"""The kinds of storages, and what an administrator enters for each. `meta` of a storage follows from its kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class ReplayStorageType(models.TextChoices):
    """Kinds of storages for recordings. Swift is used through its S3 protocol."""

    NULL = "null", _("None (nothing is kept)")
    SERVER = "server", _("This server")
    S3 = "s3", "S3"
    CEPH = "ceph", "Ceph"
    OSS = "oss", "OSS"
    OBS = "obs", "OBS"
    SWIFT = "swift", "Swift"
    AZURE = "azure", "Azure"


class CommandStorageType(models.TextChoices):
    """Kinds of storages for commands. Elasticsearch of the contract is not offered: it has no client."""

    NULL = "null", _("None (nothing is kept)")
    SERVER = "server", _("This server")


@dataclass(frozen=True, slots=True)
class MetaField:
    """One value of `meta`. A secret is sealed and never leaves.

    `names_host`: it says to which host keys are sent. `names_place`: it says where in that host recordings lie.
    """

    name: str
    label: Promise
    is_secret: bool = False
    help_text: Promise | None = None
    names_host: bool = False
    names_place: bool = False
    choices: tuple[str, ...] = ()


MAX_META: Final = 1024

_S3: Final = (
    MetaField(
        "BUCKET", _("Bucket"), help_text=_("The bucket must exist. Postern does not create it."), names_place=True
    ),
    MetaField("ACCESS_KEY", _("Access key"), is_secret=True),
    MetaField("SECRET_KEY", _("Secret key"), is_secret=True),
    MetaField(
        "ENDPOINT",
        _("Endpoint"),
        help_text=_("The address without the bucket, for example https://s3.eu-central-1.amazonaws.com."),
        names_host=True,
    ),
)

#: The S3 protocol of Swift (its `s3api`), with the EC2 credentials of a person in OpenStack.
_SWIFT: Final = (
    *_S3,
    MetaField(
        "REGION",
        _("Region"),
        help_text=_("The location in the S3 settings of Swift, if nobody has changed it: us-east-1."),
    ),
)

_AZURE: Final = (
    MetaField(
        "CONTAINER_NAME",
        _("Container"),
        help_text=_("The container must exist. Postern does not create it."),
        names_place=True,
    ),
    MetaField("ACCOUNT_NAME", _("Account name"), names_host=True),
    MetaField("ACCOUNT_KEY", _("Account key"), is_secret=True),
    MetaField(
        "ENDPOINT_SUFFIX",
        _("Endpoint suffix"),
        help_text=_("The cloud of the storage account: core.windows.net, or in China core.chinacloudapi.cn."),
        names_host=True,
        choices=("core.chinacloudapi.cn", "core.windows.net"),
    ),
)

#: Kind → the fields of `meta`, in the order of the form.
META: Final[Mapping[str, tuple[MetaField, ...]]] = {
    ReplayStorageType.NULL: (),
    ReplayStorageType.SERVER: (),
    **dict.fromkeys((ReplayStorageType.S3, ReplayStorageType.CEPH, ReplayStorageType.OSS, ReplayStorageType.OBS), _S3),
    ReplayStorageType.SWIFT: _SWIFT,
    ReplayStorageType.AZURE: _AZURE,
}
