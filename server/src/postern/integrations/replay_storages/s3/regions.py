"""What an endpoint says about its service: the region that signatures name, and where the bucket goes.

The contract has no field for the region. Services other than AWS accept any, or have theirs in the host name.
"""

import re
from typing import Final
from urllib.parse import urlsplit

from postern.integrations.replay_storages.s3 import Access, Addressing
from postern.kernel.dialing import plain

_DEFAULT: Final = "us-east-1"
_REGIONS: Final = (
    re.compile(r"(?:.*\.)?s3[.-](?:dualstack\.|fips\.)?([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?"),
    re.compile(r"(?:s3\.)?(oss-[a-z0-9-]+?)(?:-internal)?\.aliyuncs\.com"),
    re.compile(r"obs\.([a-z0-9-]+)\.myhuaweicloud\.(?:com|eu)"),
    re.compile(r"cos\.([a-z0-9-]+)\.myqcloud\.com"),
)
#: Services that answer to the bucket in front of the host.
_VIRTUAL: Final = re.compile(
    r"(?:.*\.)?(?:amazonaws\.com(?:\.cn)?|aliyuncs\.com|myhuaweicloud\.(?:com|eu)|myqcloud\.com)"
)


def region_of(endpoint: str) -> str:
    """The region for the signature."""
    host = str(urlsplit(endpoint).hostname)
    for pattern in _REGIONS:
        found = pattern.fullmatch(host)
        if found:
            return found[1]
    return _DEFAULT


def uses_virtual_hosts(access: Access) -> bool:
    """Whether the bucket goes in front of the host. An address has no names in front of it; nor does a bucket with dots,
    for which no certificate is valid.
    """
    host = str(urlsplit(access.endpoint).hostname)
    if plain(host) is not None or "." in access.bucket:
        return False
    if access.addressing is Addressing.BY_ENDPOINT:
        return _VIRTUAL.fullmatch(host) is not None
    return access.addressing is Addressing.VIRTUAL
