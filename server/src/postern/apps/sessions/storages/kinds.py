"""The kinds of storages, and what an administrator enters for each. `meta` of a storage follows from its kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class ReplayStorageType(models.TextChoices):
    """Kinds of storages for recordings. Swift and Azure of the contract are not offered: they have no client."""

    NULL = "null", _("None (nothing is kept)")
    SERVER = "server", _("This server")
    S3 = "s3", "S3"
    CEPH = "ceph", "Ceph"
    OSS = "oss", "OSS"
    OBS = "obs", "OBS"


class CommandStorageType(models.TextChoices):
    """Kinds of storages for commands. Elasticsearch of the contract is not offered: it has no client."""

    NULL = "null", _("None (nothing is kept)")
    SERVER = "server", _("This server")


@dataclass(frozen=True, slots=True)
class MetaField:
    """One value of `meta`. A secret is sealed and never leaves."""

    name: str
    label: Promise
    is_secret: bool = False
    help_text: Promise | None = None


MAX_META: Final = 1024

_S3: Final = (
    MetaField("BUCKET", _("Bucket"), help_text=_("The bucket must exist. Postern does not create it.")),
    MetaField("ACCESS_KEY", _("Access key"), is_secret=True),
    MetaField("SECRET_KEY", _("Secret key"), is_secret=True),
    MetaField(
        "ENDPOINT",
        _("Endpoint"),
        help_text=_("The address without the bucket, for example https://s3.eu-central-1.amazonaws.com."),
    ),
)

#: Kind → the fields of `meta`, in the order of the form.
META: Final[Mapping[str, tuple[MetaField, ...]]] = {
    ReplayStorageType.NULL: (),
    ReplayStorageType.SERVER: (),
    **dict.fromkeys((ReplayStorageType.S3, ReplayStorageType.CEPH, ReplayStorageType.OSS, ReplayStorageType.OBS), _S3),
}
